//! File sets: the globs of a package, applied in order, decide which files are its sources.

use crate::Error;
use crate::glob::Glob;
use crate::tree::Tree;

/// Globs in order; the last one that matches a path decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSet {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    takes_out: bool,
    glob: Glob,
}

impl FileSet {
    /// Reads patterns; `!` in front takes files out again.
    pub fn new<S: AsRef<str>>(patterns: &[S]) -> Result<FileSet, Error> {
        let mut rules = Vec::new();
        for pattern in patterns {
            let pattern = pattern.as_ref();
            let (takes_out, bare) = match pattern.strip_prefix('!') {
                Some(bare) => (true, bare),
                None => (false, pattern),
            };
            rules.push(Rule {
                takes_out,
                glob: Glob::new(bare)?,
            });
        }
        Ok(FileSet { rules })
    }

    /// Whether a file belongs to the set.
    pub fn contains(&self, path: &str) -> bool {
        self.rules
            .iter()
            .rev()
            .find(|rule| rule.glob.matches(path))
            .is_some_and(|rule| !rule.takes_out)
    }

    /// The files of a tree that belong to the set, sorted by path.
    pub fn select<'a>(&self, tree: &'a Tree) -> Vec<(&'a str, &'a str)> {
        tree.files()
            .filter(|(path, _)| self.contains(path))
            .collect()
    }

    /// Globs that match no file of a tree: mostly typing errors, and worth a warning.
    pub fn idle<'a>(&'a self, tree: &Tree) -> Vec<&'a str> {
        self.rules
            .iter()
            .filter(|rule| !tree.files().any(|(path, _)| rule.glob.matches(path)))
            .map(|rule| rule.glob.source())
            .collect()
    }
}

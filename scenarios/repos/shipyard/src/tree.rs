//! The repository's files: paths and what their content hashes to.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::Error;
use crate::hash::Digest;

/// Folders that never hold sources.
const SKIPPED: [&str; 4] = [".git", ".shipyard", "node_modules", "target"];

/// Relative paths with `/`, sorted, and the digests of the contents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    /// A tree from paths and contents.
    pub fn from_contents<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Tree {
        let files = files
            .into_iter()
            .map(|(path, content)| (path.to_string(), Digest::of(content.as_bytes())))
            .collect();
        Tree { files }
    }

    /// Reads a folder with everything below it. Links aren't followed.
    pub fn read(root: &Path) -> Result<Tree, Error> {
        let mut tree = Tree::default();
        tree.add_folder(root, "")?;
        Ok(tree)
    }

    /// Paths and digests, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files
            .iter()
            .map(|(path, digest)| (path.as_str(), digest.as_str()))
    }

    /// Paths that were added, removed or changed between two trees, sorted.
    pub fn changed<'a>(&'a self, other: &'a Tree) -> Vec<&'a str> {
        let mut paths: Vec<&str> = self
            .files()
            .filter(|(path, digest)| other.files.get(*path).map(String::as_str) != Some(*digest))
            .map(|(path, _)| path)
            .collect();
        paths.extend(
            other
                .files
                .keys()
                .map(String::as_str)
                .filter(|path| !self.files.contains_key(*path)),
        );
        paths.sort_unstable();
        paths
    }

    fn add_folder(&mut self, folder: &Path, prefix: &str) -> Result<(), Error> {
        let fail = |path: &Path, error: std::io::Error| Error::Io {
            path: path.display().to_string(),
            reason: error.to_string(),
        };
        for entry in fs::read_dir(folder).map_err(|error| fail(folder, error))? {
            let entry = entry.map_err(|error| fail(folder, error))?;
            let kind = entry
                .file_type()
                .map_err(|error| fail(&entry.path(), error))?;
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let path = format!("{prefix}{name}");
            if kind.is_dir() && !SKIPPED.contains(&name.as_str()) {
                self.add_folder(&entry.path(), &format!("{path}/"))?;
            } else if kind.is_file() {
                let content = fs::read(entry.path()).map_err(|error| fail(&entry.path(), error))?;
                self.files.insert(path, Digest::of(&content));
            }
        }
        Ok(())
    }
}

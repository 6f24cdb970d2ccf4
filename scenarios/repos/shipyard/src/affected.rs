//! What a change touches: from changed paths to packages, and on to everything built from them.

use std::collections::BTreeSet;

use crate::Error;
use crate::fileset::FileSet;
use crate::graph::Graph;
use crate::manifest::Manifest;

/// Packages that a change concerns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Affected {
    /// Packages that have a changed file among their sources.
    pub directly: BTreeSet<String>,
    /// Those and all packages that are built from them.
    pub all: BTreeSet<String>,
    /// Changed paths that belong to no package.
    pub outside: Vec<String>,
}

/// Finds the packages that the changed paths concern. A change of the yard file itself concerns all
/// of them.
pub fn affected(
    manifest: &Manifest,
    graph: &Graph,
    changed: &[String],
    yard_file: Option<&str>,
) -> Result<Affected, Error> {
    let mut found = Affected::default();
    let mut sets = Vec::new();
    for package in manifest.packages.values() {
        sets.push((package.name.as_str(), FileSet::new(&package.sources)?));
    }
    for path in changed {
        let path = clean(path);
        if yard_file == Some(path) {
            found.directly.extend(manifest.names().map(str::to_string));
            continue;
        }
        let owners: Vec<&str> = sets
            .iter()
            .filter(|(_, set)| set.contains(path))
            .map(|(name, _)| *name)
            .collect();
        if owners.is_empty() {
            found.outside.push(path.to_string());
        }
        found
            .directly
            .extend(owners.into_iter().map(str::to_string));
    }
    found.outside.sort();
    found.outside.dedup();
    let names = found.directly.iter().map(String::as_str);
    found.all = graph
        .with_dependents(names)
        .into_iter()
        .map(str::to_string)
        .collect();
    Ok(found)
}

/// Paths come from `git diff --name-only` or from people, who like to begin with `./`.
fn clean(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

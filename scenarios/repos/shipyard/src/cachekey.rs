//! Cache keys: what a package's build result depends on, as one digest. The rules stand in
//! `docs/cache.md`.
//!
//! A key is made of two parts. The *print* covers what belongs to the package alone: name, version,
//! command and sources. The *key* adds what comes in from the packages that it uses.

use std::collections::BTreeMap;

use crate::Error;
use crate::fileset::FileSet;
use crate::graph::Graph;
use crate::hash::Digest;
use crate::manifest::{Manifest, Package};
use crate::tree::Tree;

/// Format of keys; a new number makes every result of older versions stale.
const FORMAT: &str = "3";

/// Keys by package.
pub type Keys = BTreeMap<String, String>;

/// Why the key of a package is what it is, for `shipyard keys --explain`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    pub package: String,
    pub print: String,
    /// Number of source files.
    pub files: usize,
    /// Names of the packages whose results go in directly.
    pub dependencies: Vec<String>,
}

/// The keys of all packages of the yard.
pub fn compute(manifest: &Manifest, graph: &Graph, tree: &Tree) -> Result<Keys, Error> {
    let prints = prints(manifest, tree)?;
    let mut keys = Keys::new();
    for name in prints.keys() {
        let mut digest = Digest::new();
        digest.field("format", FORMAT);
        digest.field("print", &prints[name]);
        for dependency in graph.dependencies(name) {
            digest.field("dependency", dependency);
            digest.field("print", &prints[dependency]);
        }
        keys.insert(name.clone(), digest.finish());
    }
    Ok(keys)
}

/// What the packages are by themselves, without anything they use.
fn prints(manifest: &Manifest, tree: &Tree) -> Result<BTreeMap<String, String>, Error> {
    let mut prints = BTreeMap::new();
    for package in manifest.packages.values() {
        prints.insert(package.name.clone(), print(package, tree)?);
    }
    Ok(prints)
}

fn print(package: &Package, tree: &Tree) -> Result<String, Error> {
    let mut digest = Digest::new();
    digest.field("name", &package.name);
    digest.field("version", &package.version.to_string());
    digest.field("command", &package.command);
    for (path, content) in FileSet::new(&package.sources)?.select(tree) {
        digest.field("path", path);
        digest.field("content", content);
    }
    Ok(digest.finish())
}

/// Explains one key. Unknown packages are an error.
pub fn explain(
    manifest: &Manifest,
    graph: &Graph,
    tree: &Tree,
    name: &str,
) -> Result<Explanation, Error> {
    let package = manifest
        .package(name)
        .ok_or_else(|| Error::UnknownPackage {
            name: name.to_string(),
            wanted_by: "the command line".to_string(),
        })?;
    Ok(Explanation {
        package: name.to_string(),
        print: print(package, tree)?,
        files: FileSet::new(&package.sources)?.select(tree).len(),
        dependencies: graph.dependencies(name).map(str::to_string).collect(),
    })
}

/// Packages whose key differs between two sets of keys, sorted; new packages count, vanished ones
/// don't.
pub fn changed<'a>(before: &Keys, after: &'a Keys) -> Vec<&'a str> {
    after
        .iter()
        .filter(|(name, key)| before.get(*name) != Some(*key))
        .map(|(name, _)| name.as_str())
        .collect()
}

/// The package that has this key, if any: keys are pasted from logs, so that a unique beginning of
/// at least four digits will do.
pub fn find<'a>(keys: &'a Keys, beginning: &str) -> Option<&'a str> {
    if beginning.len() < 4 {
        return None;
    }
    let mut hits = keys.iter().filter(|(_, key)| key.starts_with(beginning));
    match (hits.next(), hits.next()) {
        (Some((name, _)), None) => Some(name),
        _ => None,
    }
}

//! Import paths of Go: below the modules of the project, their local replacements, or a vendored copy.

use std::collections::BTreeMap;

use super::super::manifest::{GoModule, Manifest};
use super::super::role::folder;
use super::Target;
use super::files::{Files, below, child, join, starts_with_segments, upwards};

/// Modules of the project.
pub(super) struct Go {
    /// Import path and folder; the path of several folders means the shortest.
    modules: BTreeMap<String, String>,
    /// Replacements by the folder of the module that states them: import path and folder.
    replaced: BTreeMap<String, Vec<(String, String)>>,
}

impl Go {
    pub(super) fn new(manifests: &BTreeMap<String, Manifest>) -> Go {
        let mut go = Go { modules: BTreeMap::new(), replaced: BTreeMap::new() };
        for (path, manifest) in manifests {
            if let Manifest::Go(GoModule { module, replaced }) = manifest {
                let home = folder(path);
                let kept = go.modules.entry(module.clone()).or_insert_with(|| home.to_owned());
                if (home.len(), home) < (kept.len(), kept.as_str()) {
                    *kept = home.to_owned();
                }
                let inside = |(path, to): &(String, String)| Some((path.clone(), join(home, to)?));
                go.replaced.insert(home.to_owned(), replaced.iter().filter_map(inside).collect());
            }
        }
        go
    }

    /// A folder: a Go import names a package, and that is all of a folder's files but tests.
    pub(super) fn resolve(&self, files: &Files<'_>, importer: &str, specifier: &str) -> Target {
        let own = upwards(folder(importer)).find(|folder| self.replaced.contains_key(*folder));
        let replaced = own.and_then(|own| self.replaced.get(own)).into_iter().flatten();
        let known = replaced.map(|(path, home)| (path, home)).chain(&self.modules);
        // The longest path wins; a replacement stands before a module of the same path.
        let mut best: Option<(&String, &String)> = None;
        for (path, home) in known.filter(|(path, _)| starts_with_segments(specifier, path)) {
            if best.is_none_or(|(kept, _)| path.len() > kept.len()) {
                best = Some((path, home));
            }
        }
        if let Some((path, home)) = best {
            let rest = specifier[path.len()..].trim_matches('/');
            let package = if rest.is_empty() { home.clone() } else { child(home, rest) };
            if files.has_direct(&package, "go") {
                return Target::Folder(below(&package));
            }
            return Target::Unresolved;
        }
        let vendored = own.map(|own| child(own, &format!("vendor/{specifier}")));
        match vendored.filter(|folder| files.has_direct(folder, "go")) {
            Some(folder) => Target::Folder(below(&folder)),
            None => Target::External,
        }
    }
}

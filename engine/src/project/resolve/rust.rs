//! Paths of Rust: `crate`, `self`, `super`, modules in files of their own, crates of the workspace.

use std::collections::BTreeMap;

use super::super::manifest::{Cargo, CargoDependency, Manifest};
use super::super::role::{base_name, folder};
use super::Target;
use super::files::{Files, below, child, join, upwards};

/// Crates that come with the compiler.
const SYSROOT: [&str; 5] = ["std", "core", "alloc", "proc_macro", "test"];

/// Packages of the project.
pub(super) struct Rust<'a> {
    /// Manifests by their folder.
    manifests: BTreeMap<&'a str, &'a Cargo>,
    /// Folders of packages by the name of their library; of several the shortest.
    libraries: BTreeMap<&'a str, &'a str>,
    /// The same by the name of the package.
    packages: BTreeMap<&'a str, &'a str>,
}

impl<'a> Rust<'a> {
    pub(super) fn new(manifests: &'a BTreeMap<String, Manifest>) -> Rust<'a> {
        let mut rust =
            Rust { manifests: BTreeMap::new(), libraries: BTreeMap::new(), packages: BTreeMap::new() };
        for (path, manifest) in manifests {
            let Manifest::Cargo(cargo) = manifest else { continue };
            let home = folder(path);
            rust.manifests.insert(home, cargo);
            if let Some(library) = &cargo.library {
                keep_shortest(&mut rust.libraries, library, home);
            }
            if let Some(package) = &cargo.package {
                keep_shortest(&mut rust.packages, package, home);
            }
        }
        rust
    }

    pub(super) fn resolve(&self, files: &Files<'_>, importer: &str, specifier: &str) -> Target {
        if let Some(path) = specifier.strip_prefix("./") {
            let found = join(folder(importer), path).and_then(|path| files.existing(path));
            return Target::file_or(found, Target::Unresolved);
        }
        let names: Vec<&str> = specifier.split("::").filter(|s| !s.is_empty()).collect();
        let Some((&first, rest)) = names.split_first() else { return Target::Unresolved };
        let unresolved = |found: Option<String>| Target::file_or(found, Target::Unresolved);
        match first {
            "crate" | "$crate" => unresolved(self.within_crate(files, importer, rest)),
            "self" => unresolved(module_below(files, &self.module_folder(importer), rest)),
            "super" => {
                let ups = names.iter().take_while(|name| **name == "super").count();
                let own = self.module_folder(importer);
                let base = upwards(&own).nth(ups).map(str::to_owned);
                unresolved(base.and_then(|base| module_below(files, &base, &names[ups..])))
            }
            _ => self.named(files, importer, &names),
        }
    }

    /// A path that begins with a name: a child module, a crate, or something in scope.
    fn named(&self, files: &Files<'_>, importer: &str, names: &[&str]) -> Target {
        let own = self.module_folder(importer);
        let root = child(&own, names[0]);
        let module = module_below(files, &own, names)
            .filter(|found| found.starts_with(&format!("{root}.")) || found.starts_with(&below(&root)));
        if let Some(found) = module {
            return Target::File(found);
        }
        if SYSROOT.contains(&names[0]) {
            return Target::External;
        }
        let package = self.package_of(importer);
        let own_library = package.filter(|(_, cargo)| cargo.library.as_deref() == Some(names[0]));
        let target = match own_library {
            Some((home, _)) => Some(Some(home.to_owned())),
            None => package.and_then(|(home, cargo)| self.dependency(home, cargo, names[0])),
        };
        match target {
            Some(Some(home)) => {
                Target::file_or(self.within_library(files, &home, &names[1..]), Target::Unresolved)
            }
            Some(None) => Target::External,
            // What isn't declared may still be a crate of the project, where no manifest stands above the importer.
            None if package.is_none() => match self.libraries.get(names[0]) {
                Some(home) => {
                    Target::file_or(self.within_library(files, home, &names[1..]), Target::Unresolved)
                }
                None => Target::External,
            },
            // A type of this file, as in `use Kind::*`; by custom modules and crates begin with a small letter.
            None if names[0].starts_with(char::is_uppercase) => Target::File(importer.to_owned()),
            None => Target::Unresolved,
        }
    }

    /// The nearest manifest above a file that declares a package.
    fn package_of(&self, importer: &str) -> Option<(&'a str, &'a Cargo)> {
        upwards(folder(importer)).find_map(|folder| {
            let (home, cargo) = self.manifests.get_key_value(folder)?;
            cargo.package.as_ref().map(|_| (*home, *cargo))
        })
    }

    /// What a declared dependency is: a folder of the project, or (`Some(None)`) a published crate.
    fn dependency(&self, home: &str, cargo: &Cargo, name: &str) -> Option<Option<String>> {
        let declared = cargo.dependencies.iter().find(|dependency| dependency.name == name)?;
        let inherited = || {
            upwards(home).find_map(|folder| {
                let root = self.manifests.get(folder)?.workspace.as_ref()?;
                let entry = root.iter().find(|dependency| dependency.name == name)?;
                Some((folder.to_owned(), entry))
            })
        };
        let (base, entry): (String, &CargoDependency) = match declared.inherited {
            true => inherited().unwrap_or((home.to_owned(), declared)),
            false => (home.to_owned(), declared),
        };
        let by_path = entry.path.as_ref().and_then(|path| join(&base, path));
        // A version that a `[patch]` or a registry points back into the workspace is the project's crate all the same.
        Some(by_path.or_else(|| self.packages.get(entry.package.as_str()).map(|home| (*home).to_owned())))
    }

    fn within_library(&self, files: &Files<'_>, home: &str, names: &[&str]) -> Option<String> {
        let stated = self.manifests.get(home).and_then(|cargo| cargo.library_path.as_deref());
        let root = match stated {
            Some(path) => join(home, path)?,
            None => child(home, "src/lib.rs"),
        };
        let modules = folder(&root).to_owned();
        let inner = if names.is_empty() { None } else { module_below(files, &modules, names) };
        inner.or_else(|| files.first([root, child(home, "src/main.rs"), child(home, "lib.rs")]))
    }

    fn within_crate(&self, files: &Files<'_>, importer: &str, names: &[&str]) -> Option<String> {
        if self.is_root(importer) {
            let found = module_below(files, folder(importer), names);
            return found.or_else(|| Some(importer.to_owned()));
        }
        let package = self.package_of(importer);
        let home = package.map_or("", |(home, _)| home);
        let inside = |folder: &&str| home.is_empty() || *folder == home || folder.starts_with(&below(home));
        let holds_root =
            |folder: &&str| ["lib.rs", "main.rs"].iter().any(|name| files.has(&child(folder, name)));
        let mut above = upwards(folder(importer)).take_while(inside);
        if let Some(base) = above.find(holds_root) {
            return module_below(files, base, names);
        }
        // A module of a crate whose root bears another name: the manifest names it, or it stands among the tests.
        let (home, cargo) = package?;
        let stated = cargo.library_path.iter().chain(&cargo.roots).filter_map(|path| join(home, path));
        let is_above = |base: &str| base.is_empty() || importer.starts_with(&below(base));
        let root = stated.filter(|root| is_above(folder(root))).max_by_key(|root| folder(root).len());
        if let Some(root) = root {
            let found = if names.is_empty() { None } else { module_below(files, folder(&root), names) };
            return found.or(Some(root)).filter(|found| files.has(found));
        }
        let bases = ["tests", "benches", "examples"].map(|name| child(home, name));
        module_below(files, bases.iter().find(|base| is_above(base))?, names)
    }

    /// Whether a file is the root of a crate of its own.
    fn is_root(&self, path: &str) -> bool {
        let (above, name) = (folder(path), base_name(path));
        let home = folder(above);
        let is_package =
            |folder: &str| self.manifests.get(folder).is_some_and(|cargo| cargo.package.is_some());
        let stands_alone = matches!(base_name(above), "tests" | "benches" | "examples") && is_package(home);
        let is_binary = base_name(above) == "bin" && base_name(home) == "src";
        let stated = self.package_of(path).is_some_and(|(home, cargo)| {
            let mut stated = cargo.library_path.iter().chain(&cargo.roots);
            stated.any(|root| join(home, root).as_deref() == Some(path))
        });
        stands_alone || is_binary || stated || name == "build.rs" && is_package(above)
    }

    /// The folder in which a module's child modules stand.
    fn module_folder(&self, path: &str) -> String {
        let name = base_name(path);
        if matches!(name, "mod.rs" | "lib.rs" | "main.rs") || self.is_root(path) {
            return folder(path).to_owned();
        }
        child(folder(path), name.strip_suffix(".rs").unwrap_or(name))
    }
}

fn keep_shortest<'a>(map: &mut BTreeMap<&'a str, &'a str>, name: &'a str, home: &'a str) {
    let kept = map.entry(name).or_insert(home);
    if (home.len(), home) < (kept.len(), *kept) {
        *kept = home;
    }
}

/// The file of the longest prefix of the names that is a module below a folder, down to the folder's own module.
fn module_below(files: &Files<'_>, base: &str, names: &[&str]) -> Option<String> {
    (0..=names.len()).rev().find_map(|count| {
        let path = names[..count].iter().fold(base.to_owned(), |path, name| child(&path, name));
        let tails = ["mod.rs", "lib.rs", "main.rs"].map(|tail| child(&path, tail));
        files.first(std::iter::once(format!("{path}.rs")).chain(tails))
    })
}

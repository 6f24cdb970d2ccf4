//! What the configurations of TypeScript that hold in a folder say about names.

use std::collections::BTreeMap;

use super::super::manifest::{Manifest, Rule, Tsconfig};
use super::super::role::{base_name, folder};
use super::files::{Files, join, upwards};

/// Longest chain of configurations that extend each other.
const MAX_CHAIN: usize = 16;

/// One configuration with what it inherits, its folders relative to the root.
#[derive(Debug, Default, Clone)]
pub(super) struct Effective<'a> {
    /// Folder that names without a dot start at.
    pub(super) base_url: Option<String>,
    pub(super) paths: &'a [Rule],
    /// Folder that the targets of `paths` start at.
    pub(super) paths_base: String,
    /// Where compiled files go, and where they come from.
    pub(super) out_dir: Option<(String, String)>,
}

/// Configurations by the folder in which they hold, `tsconfig.json` first.
pub(super) struct Tsconfigs<'a> {
    by_folder: BTreeMap<&'a str, Vec<Effective<'a>>>,
}

impl<'a> Tsconfigs<'a> {
    /// `packages` are the folders of named packages: a configuration may extend a package's.
    pub(super) fn new(
        manifests: &'a BTreeMap<String, Manifest>,
        packages: &BTreeMap<&str, &str>,
        files: &Files<'_>,
    ) -> Tsconfigs<'a> {
        let mut all: BTreeMap<&str, &Tsconfig> = BTreeMap::new();
        for (path, manifest) in manifests {
            if let Manifest::Tsconfig(config) = manifest {
                all.insert(path, config);
            }
        }
        let mut by_folder: BTreeMap<&str, Vec<(bool, &str)>> = BTreeMap::new();
        for path in all.keys().copied() {
            let name = base_name(path);
            if name.starts_with("tsconfig") || name.starts_with("jsconfig") {
                by_folder.entry(folder(path)).or_default().push((name != "tsconfig.json", path));
            }
        }
        let effective = |mut configs: Vec<(bool, &'a str)>| {
            configs.sort_unstable();
            let one = |(_, path): (bool, &'a str)| effective(&all, packages, files, path, MAX_CHAIN);
            configs.into_iter().map(one).collect()
        };
        Tsconfigs { by_folder: by_folder.into_iter().map(|(at, configs)| (at, effective(configs))).collect() }
    }

    /// The configurations that hold for a file: those of the nearest folder above it that has some. A folder's other
    /// configurations count after `tsconfig.json`: that one often only refers to them.
    pub(super) fn of(&self, importer: &str) -> &[Effective<'a>] {
        upwards(folder(importer)).find_map(|at| self.by_folder.get(at)).map_or(&[], Vec::as_slice)
    }
}

/// A configuration over those that it extends.
fn effective<'a>(
    all: &BTreeMap<&'a str, &'a Tsconfig>,
    packages: &BTreeMap<&str, &str>,
    files: &Files<'_>,
    path: &str,
    chain: usize,
) -> Effective<'a> {
    let mut out = Effective::default();
    let Some(config) = all.get(path).copied() else { return out };
    let home = folder(path);
    for name in &config.extends {
        let base = extended(files, packages, home, name).filter(|_| chain > 0);
        let Some(base) = base else { continue };
        let base = effective(all, packages, files, &base, chain - 1);
        if base.base_url.is_some() {
            out.base_url = base.base_url;
        }
        if !base.paths.is_empty() {
            (out.paths, out.paths_base) = (base.paths, base.paths_base);
        }
    }
    if let Some(base_url) = config.base_url.as_ref().and_then(|url| join(home, url)) {
        out.base_url = Some(base_url);
    }
    if let Some(paths) = &config.paths {
        out.paths = paths;
        out.paths_base = out.base_url.clone().unwrap_or_else(|| home.to_owned());
    }
    let root = config.root_dir.as_deref().unwrap_or("src");
    out.out_dir = config.out_dir.as_ref().and_then(|out| Some((join(home, out)?, join(home, root)?)));
    out
}

/// The file that `extends` names.
fn extended(files: &Files<'_>, packages: &BTreeMap<&str, &str>, home: &str, name: &str) -> Option<String> {
    let path = match name.starts_with('.') {
        true => join(home, name)?,
        false => {
            // `@scope/name/file` or `name/file`
            let parts = if name.starts_with('@') { 2 } else { 1 };
            let cut = name.match_indices('/').nth(parts - 1).map_or(name.len(), |(at, _)| at);
            let (package, rest) = name.split_at(cut);
            join(packages.get(package)?, rest)?
        }
    };
    files.first([path.clone(), format!("{path}.json"), format!("{path}/tsconfig.json")])
}

//! Names of the JavaScript family: relative paths, aliases, packages of the workspace.

use std::collections::BTreeMap;

use super::super::manifest::{Manifest, NpmPackage, Rule};
use super::super::role::folder;
use super::Target;
use super::files::{Files, child, join, starts_with_segments, upwards};
use super::tsconfig::Tsconfigs;

/// Extensions tried for a name without one, in order of preference.
const EXTENSIONS: [&str; 12] =
    ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "json", "d.ts", "vue", "svelte"];

/// Extensions of compiled files, and of the sources that give them.
const EMITTED: [(&str, &[&str]); 5] = [
    (".js", &["ts", "tsx", "jsx", "d.ts"]),
    (".jsx", &["tsx", "ts"]),
    (".mjs", &["mts", "d.mts", "ts"]),
    (".cjs", &["cts", "d.cts", "ts"]),
    (".d.ts", &["ts", "tsx", "js"]),
];

/// Folders that build tools write to: what is named in them comes from the sources.
const OUTPUTS: [&str; 11] =
    ["dist", "build", "lib", "out", "output", "esm", "cjs", "es", "umd", "types", ".output"];

/// Names without an entry in any manifest.
const USUAL_ENTRIES: [&str; 4] = ["src/index", "index", "src/main", "lib/index"];

/// Packages and configurations of the project.
pub(super) struct Script<'a> {
    /// Packages by folder.
    packages: BTreeMap<&'a str, &'a NpmPackage>,
    /// Folders by the package's name.
    folders: BTreeMap<&'a str, &'a str>,
    tsconfigs: Tsconfigs<'a>,
}

impl<'a> Script<'a> {
    pub(super) fn new(manifests: &'a BTreeMap<String, Manifest>, files: &Files<'_>) -> Script<'a> {
        let mut packages: BTreeMap<&str, &NpmPackage> = BTreeMap::new();
        let mut members: Vec<(&str, &[String])> = Vec::new();
        for (path, manifest) in manifests {
            match manifest {
                Manifest::Npm(package) => {
                    members.push((folder(path), &package.workspaces));
                    packages.insert(folder(path), package);
                }
                Manifest::Pnpm { members: globs } => members.push((folder(path), globs)),
                _ => {}
            }
        }
        let is_member = |at: &str| members.iter().any(|(root, globs)| matches_any(root, globs, at));
        let mut named: Vec<(&str, bool, usize, &str)> = Vec::new();
        for (at, package) in &packages {
            if let Some(name) = &package.name {
                // A member of a workspace stands before a namesake among fixtures and examples.
                named.push((name, !is_member(at), at.len(), at));
            }
        }
        named.sort_unstable();
        named.dedup_by(|later, first| later.0 == first.0);
        let folders = named.into_iter().map(|(name, _, _, at)| (name, at)).collect();
        Script { tsconfigs: Tsconfigs::new(manifests, &folders, files), packages, folders }
    }

    pub(super) fn resolve(&self, files: &Files<'_>, importer: &str, specifier: &str) -> Target {
        // What a bundler is asked to do with the file isn't part of its name.
        let specifier = specifier.rsplit('!').next().unwrap_or(specifier);
        let specifier = specifier.split('?').next().unwrap_or(specifier);
        let unresolved = |found: Option<String>| Target::file_or(found, Target::Unresolved);
        if specifier.starts_with('.') {
            let path = join(folder(importer), specifier);
            return unresolved(path.and_then(|path| self.path(files, importer, &path)));
        }
        if let Some(path) = specifier.strip_prefix('/') {
            return unresolved(self.path(files, importer, path));
        }
        if specifier.starts_with('#') {
            return self.internal(files, importer, specifier);
        }
        let (found, is_alias) = self.alias(files, importer, specifier);
        if let Some(found) = found {
            return Target::File(found);
        }
        if specifier.contains(':') {
            return Target::External;
        }
        match self.package(files, importer, specifier) {
            // A package that is named by no manifest of the project is somebody else's, whatever an alias for all names says.
            None if is_alias => Target::Unresolved,
            None => Target::External,
            Some(found) => unresolved(found),
        }
    }

    /// A name that a package gives itself (`#name`).
    fn internal(&self, files: &Files<'_>, importer: &str, specifier: &str) -> Target {
        let own = upwards(folder(importer)).find_map(|at| Some((at, *self.packages.get(at)?)));
        let target = own.and_then(|(home, package)| {
            targets(&package.imports, specifier).into_iter().find_map(|target| {
                match target.starts_with('.') {
                    true => self.source(files, importer, home, &target),
                    false => self.package(files, importer, &target).flatten(),
                }
            })
        });
        // A configuration may give the same name.
        target.or_else(|| self.alias(files, importer, specifier).0).map_or(Target::Unresolved, Target::File)
    }

    /// What `paths` and `baseUrl` say; and whether a pattern, not just one for all names, speaks of the name.
    fn alias(&self, files: &Files<'_>, importer: &str, specifier: &str) -> (Option<String>, bool) {
        let mut is_alias = false;
        for config in self.tsconfigs.of(importer) {
            if let Some((rule, star)) = best_rule(config.paths, specifier) {
                // An alias may lead to a package as installed, which is never part of the project.
                let is_installed = |target: &String| target.split('/').any(|s| s == "node_modules");
                is_alias |= rule.pattern != "*" && !rule.targets.iter().all(is_installed);
                let expanded = rule.targets.iter().map(|target| target.replacen('*', star, 1));
                let mut paths = expanded.filter_map(|target| join(&config.paths_base, &target));
                if let Some(found) = paths.find_map(|path| self.path(files, importer, &path)) {
                    return (Some(found), true);
                }
            }
            let below = config.base_url.as_ref().and_then(|base| join(base, specifier));
            if let Some(found) = below.and_then(|path| self.path(files, importer, &path)) {
                return (Some(found), true);
            }
        }
        (None, is_alias)
    }

    /// A package of the project, or something below it: `None` where the name is none of ours, `Some(None)` where it is and
    /// leads nowhere.
    fn package(&self, files: &Files<'_>, importer: &str, specifier: &str) -> Option<Option<String>> {
        let ends = specifier.match_indices('/').map(|(at, _)| at).chain([specifier.len()]);
        let names = ends.map(|end| &specifier[..end]).filter_map(|name| self.folders.get_key_value(name));
        let (name, home) = names.max_by_key(|(name, _)| name.len())?;
        let rest = specifier[name.len()..].trim_start_matches('/');
        Some(self.entry(files, importer, home, rest))
    }

    /// The file that a package gives for a name below it; empty for the package itself.
    fn entry(&self, files: &Files<'_>, importer: &str, home: &str, rest: &str) -> Option<String> {
        let package = self.packages.get(home)?;
        let name = if rest.is_empty() { ".".to_owned() } else { format!("./{rest}") };
        let exported = targets(&package.exports, &name);
        let stated = if rest.is_empty() { package.entries.clone() } else { Vec::new() };
        let found =
            exported.iter().chain(&stated).find_map(|target| self.source(files, importer, home, target));
        found.or_else(|| {
            let inside = |path: &str| self.path_as_file(files, &join(home, path)?);
            match rest {
                "" => USUAL_ENTRIES.into_iter().find_map(inside),
                _ => inside(&format!("src/{rest}")).or_else(|| inside(rest)),
            }
        })
    }

    /// The file that a manifest names, or the source of it where it names what a build writes.
    fn source(&self, files: &Files<'_>, importer: &str, home: &str, target: &str) -> Option<String> {
        let path = join(home, target)?;
        if let Some(found) = self.path_as_file(files, &path) {
            return Some(found);
        }
        let probe = child(home, "package.json");
        for config in self.tsconfigs.of(if home.is_empty() { importer } else { &probe }) {
            if let Some((out, root)) = &config.out_dir
                && starts_with_segments(&path, out)
            {
                let inside = path[out.len()..].trim_start_matches('/');
                let from = [join(root, inside), join(folder(root), inside)];
                if let Some(found) = from.into_iter().flatten().find_map(|p| self.path_as_file(files, &p)) {
                    return Some(found);
                }
            }
        }
        // `dist/esm/a.js` comes from `src/a.ts`, or from `a.ts`.
        let mut inside = target.trim_start_matches("./");
        while let Some((_, rest)) = inside.split_once('/').filter(|(first, _)| OUTPUTS.contains(first)) {
            inside = rest;
            let from = [child("src", inside), inside.to_owned(), child("lib", inside)];
            let found = from.iter().find_map(|p| self.path_as_file(files, &join(home, p)?));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The path as a file, or as a folder with a manifest or an index.
    fn path(&self, files: &Files<'_>, importer: &str, path: &str) -> Option<String> {
        self.path_as_file(files, path).or_else(|| {
            // Only a folder's own entries: `exports` speaks to those outside.
            let package = self.packages.get(path).filter(|_| files.has_folder(path))?;
            package.entries.iter().find_map(|target| self.source(files, importer, path, target))
        })
    }

    /// The path itself, the source that a compiler makes it from, with an extension, or a folder's index.
    fn path_as_file(&self, files: &Files<'_>, path: &str) -> Option<String> {
        if path.is_empty() {
            return with_extension(files, "index");
        }
        let emitted = || {
            let of = |(extension, sources): &(&str, &[&str])| {
                let stem = path.strip_suffix(extension)?;
                files.first(sources.iter().map(|source| format!("{stem}.{source}")))
            };
            EMITTED.iter().find_map(of)
        };
        files
            .existing(path.to_owned())
            .or_else(emitted)
            .or_else(|| with_extension(files, path))
            .or_else(|| with_extension(files, &child(path, "index")))
    }
}

fn with_extension(files: &Files<'_>, path: &str) -> Option<String> {
    files.first(EXTENSIONS.iter().map(|extension| format!("{path}.{extension}")))
}

/// What the best rule for a name leads to, its star filled in.
fn targets(rules: &[Rule], name: &str) -> Vec<String> {
    let Some((rule, star)) = best_rule(rules, name) else { return Vec::new() };
    rule.targets.iter().map(|target| target.replace('*', star)).collect()
}

/// The rule that speaks of a name, and what its star stands for: an exact one, else the one with the longest head.
fn best_rule<'r, 'n>(rules: &'r [Rule], name: &'n str) -> Option<(&'r Rule, &'n str)> {
    let star = |rule: &'r Rule| match rule.pattern.split_once('*') {
        None => (rule.pattern == name).then_some((usize::MAX, rule, "")),
        Some((head, tail)) => {
            let star = name.strip_prefix(head)?.strip_suffix(tail)?;
            Some((head.len(), rule, star))
        }
    };
    let best = rules.iter().filter_map(star).max_by_key(|(head, rule, _)| (*head, rule.pattern.len()))?;
    Some((best.1, best.2))
}

/// Whether a folder is one that a workspace's globs name: `*` is one segment, `**` any number, `!` takes back.
fn matches_any(root: &str, globs: &[String], at: &str) -> bool {
    let prefix_free =
        if root.is_empty() { Some(at) } else { at.strip_prefix(root).and_then(|r| r.strip_prefix('/')) };
    let Some(inside) = prefix_free else { return false };
    let mut is_member = false;
    for glob in globs {
        let (taken_back, glob) = match glob.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, glob.as_str()),
        };
        let glob = glob.trim_start_matches("./").trim_end_matches('/');
        if matches_glob(&glob.split('/').collect::<Vec<_>>(), &inside.split('/').collect::<Vec<_>>()) {
            is_member = !taken_back;
        }
    }
    is_member
}

fn matches_glob(glob: &[&str], path: &[&str]) -> bool {
    match (glob.split_first(), path.split_first()) {
        (None, None) => true,
        (Some((&"**", rest)), _) => {
            matches_glob(rest, path) || path.split_first().is_some_and(|(_, path)| matches_glob(glob, path))
        }
        (Some((first, glob)), Some((segment, path))) => {
            matches_segment(first, segment) && matches_glob(glob, path)
        }
        _ => false,
    }
}

/// One segment with at most one star.
fn matches_segment(glob: &str, segment: &str) -> bool {
    match glob.split_once('*') {
        None => glob == segment,
        Some((head, tail)) => {
            segment.len() >= head.len() + tail.len() && segment.starts_with(head) && segment.ends_with(tail)
        }
    }
}

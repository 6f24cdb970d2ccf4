//! The resolver: one version of each outside package that satisfies everybody who asks for it.
//!
//! Depth first with backtracking. Packages are decided in order of name and versions from the
//! highest down, so that the same input always gives the same answer.

use std::collections::BTreeMap;

use crate::Error;
use crate::catalog::Catalog;
use crate::manifest::{Manifest, Requirement};
use crate::range::VersionRange;
use crate::version::Version;

/// The chosen versions by name.
pub type Resolution = BTreeMap<String, Version>;

/// Who wants which range of a package.
type Wants = BTreeMap<String, Vec<(String, VersionRange)>>;

/// Chooses versions for everything that the yard requires, directly or not.
pub fn resolve(manifest: &Manifest, catalog: &Catalog) -> Result<Resolution, Error> {
    let mut wants = Wants::new();
    for (who, requirement) in manifest.requirements() {
        add(&mut wants, who, requirement);
    }
    let mut deepest = None;
    match decide(&wants, &Resolution::new(), catalog, &mut deepest) {
        Some(resolution) => Ok(resolution),
        None => Err(deepest.unwrap_or(Error::Unresolvable {
            name: String::new(),
            wanted: Vec::new(),
        })),
    }
}

/// Decides the first package that is still open, then the rest. `deepest` keeps the first dead end
/// for the message.
fn decide(
    wants: &Wants,
    chosen: &Resolution,
    catalog: &Catalog,
    deepest: &mut Option<Error>,
) -> Option<Resolution> {
    let Some((name, ranges)) = wants.iter().find(|(name, _)| !chosen.contains_key(*name)) else {
        return Some(chosen.clone());
    };
    for version in catalog.candidates(name) {
        if !ranges.iter().all(|(_, range)| range.matches(version)) {
            continue;
        }
        let Some(extended) = extend(wants, chosen, name, version, catalog) else {
            continue;
        };
        let mut next = chosen.clone();
        next.insert(name.clone(), version.clone());
        if let Some(resolution) = decide(&extended, &next, catalog, deepest) {
            return Some(resolution);
        }
    }
    deepest.get_or_insert_with(|| dead_end(name, ranges, catalog));
    None
}

/// The wants after choosing a version, or nothing when it contradicts what is already chosen.
fn extend(
    wants: &Wants,
    chosen: &Resolution,
    name: &str,
    version: &Version,
    catalog: &Catalog,
) -> Option<Wants> {
    let mut extended = wants.clone();
    for requirement in catalog.requirements(name, version) {
        let decided = chosen.get(&requirement.name);
        if decided.is_some_and(|other| !requirement.range.matches(other)) {
            return None;
        }
        add(&mut extended, &format!("{name} {version}"), requirement);
    }
    Some(extended)
}

fn add(wants: &mut Wants, who: &str, requirement: &Requirement) {
    wants
        .entry(requirement.name.clone())
        .or_default()
        .push((who.to_string(), requirement.range.clone()));
}

fn dead_end(name: &str, ranges: &[(String, VersionRange)], catalog: &Catalog) -> Error {
    let wanted = if catalog.contains(name) {
        ranges
            .iter()
            .map(|(who, range)| format!("'{range}' ({who})"))
            .collect()
    } else {
        Vec::new()
    };
    Error::Unresolvable {
        name: name.to_string(),
        wanted,
    }
}

/// Packages whose chosen version is behind the newest release: (name, chosen, newest).
pub fn outdated<'a>(
    resolution: &'a Resolution,
    catalog: &'a Catalog,
) -> Vec<(&'a str, &'a Version, &'a Version)> {
    resolution
        .iter()
        .filter_map(|(name, chosen)| {
            let newest = catalog.newest_release(name)?;
            (newest > chosen).then_some((name.as_str(), chosen, newest))
        })
        .collect()
}

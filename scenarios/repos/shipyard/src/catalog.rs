//! The catalog: which versions of outside packages are published, and what those require
//! themselves.
//!
//! One version a line: `NAME VERSION [requires NAME RANGE, ...]`.

use std::collections::BTreeMap;

use crate::Error;
use crate::manifest::{Requirement, requirement, split_list};
use crate::version::Version;

/// Published versions by package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalog {
    packages: BTreeMap<String, BTreeMap<Version, Vec<Requirement>>>,
}

impl Catalog {
    /// Reads a catalog; `source` names it in messages.
    pub fn parse(text: &str, source: &str) -> Result<Catalog, Error> {
        let mut catalog = Catalog::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let fail = |reason: String| Error::syntax(source, index + 1, reason);
            let (name, version, requires) = entry(line).map_err(|error| fail(error.to_string()))?;
            let versions = catalog.packages.entry(name.clone()).or_default();
            if versions.insert(version.clone(), requires).is_some() {
                return Err(fail(format!("'{name} {version}' is published twice")));
            }
        }
        Ok(catalog)
    }

    /// Whether any version of the package is published.
    pub fn contains(&self, name: &str) -> bool {
        self.packages.contains_key(name)
    }

    /// Versions of a package that could be chosen, the most wanted one first: the highest.
    pub fn candidates(&self, name: &str) -> Vec<&Version> {
        let mut versions: Vec<&Version> = self
            .packages
            .get(name)
            .into_iter()
            .flat_map(BTreeMap::keys)
            .collect();
        versions.sort_by(|a, b| b.cmp(a));
        versions
    }

    /// What a published version requires itself.
    pub fn requirements(&self, name: &str, version: &Version) -> &[Requirement] {
        self.packages
            .get(name)
            .and_then(|versions| versions.get(version))
            .map_or(&[], Vec::as_slice)
    }

    /// The newest release of a package, pre-releases aside: what `shipyard outdated` compares with.
    pub fn newest_release(&self, name: &str) -> Option<&Version> {
        let versions = self.packages.get(name)?;
        versions
            .keys()
            .rev()
            .find(|version| !version.is_prerelease())
    }
}

fn entry(line: &str) -> Result<(String, Version, Vec<Requirement>), Error> {
    let (head, tail) = match line.split_once(" requires ") {
        Some((head, tail)) => (head, tail),
        None => (line, ""),
    };
    let (name, version) = head
        .split_once(char::is_whitespace)
        .ok_or_else(|| Error::Usage("expected 'NAME VERSION'".to_string()))?;
    let requires = split_list(tail)
        .into_iter()
        .map(requirement)
        .collect::<Result<Vec<_>, _>>()?;
    Ok((name.to_string(), version.trim().parse()?, requires))
}

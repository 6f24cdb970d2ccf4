//! Yard files: what the packages are and what they need. The format stands in `docs/manifest.md`.

mod fields;
mod parser;

use std::collections::BTreeMap;
use std::time::Duration;

use crate::range::VersionRange;
use crate::version::Version;

pub use fields::{requirement, split_list};

/// A whole yard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    pub name: String,
    /// By name.
    pub packages: BTreeMap<String, Package>,
}

/// One package of the yard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    pub name: String,
    pub version: Version,
    /// Globs; those with `!` in front take files out again.
    pub sources: Vec<String>,
    pub command: String,
    /// Estimate of the build's duration.
    pub takes: Duration,
    /// Packages whose results go into this one.
    pub uses: Vec<String>,
    /// Packages that must be built first although nothing of them goes into this one.
    pub after: Vec<String>,
    pub requires: Vec<Requirement>,
    /// Line of the section, for messages.
    pub line: usize,
}

/// An outside package and the versions of it that will do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    pub name: String,
    pub range: VersionRange,
}

impl Manifest {
    /// Reads the text of a yard file; `source` names it in messages.
    pub fn parse(text: &str, source: &str) -> Result<Manifest, crate::Error> {
        parser::parse(text, source)
    }

    /// The package with this name.
    pub fn package(&self, name: &str) -> Option<&Package> {
        self.packages.get(name)
    }

    /// Names of all packages, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.packages.keys().map(String::as_str)
    }

    /// Everything the yard requires from outside, with who requires it.
    pub fn requirements(&self) -> impl Iterator<Item = (&str, &Requirement)> {
        self.packages.values().flat_map(|package| {
            package
                .requires
                .iter()
                .map(move |requirement| (package.name.as_str(), requirement))
        })
    }
}

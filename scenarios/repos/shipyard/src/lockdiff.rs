//! What changed between two lock files, for reviews.

use std::fmt;

use crate::resolver::Resolution;
use crate::version::{Step, Version};

/// One changed package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Added {
        name: String,
        version: Version,
    },
    Removed {
        name: String,
        version: Version,
    },
    Upgraded {
        name: String,
        from: Version,
        to: Version,
    },
    Downgraded {
        name: String,
        from: Version,
        to: Version,
    },
}

/// All changes, sorted by name.
pub fn diff(old: &Resolution, new: &Resolution) -> Vec<Change> {
    let mut changes = Vec::new();
    for (name, from) in old {
        let name = name.clone();
        let from = from.clone();
        match new.get(&name).cloned() {
            None => changes.push(Change::Removed {
                name,
                version: from,
            }),
            Some(to) if to > from => changes.push(Change::Upgraded { name, from, to }),
            Some(to) if to < from => changes.push(Change::Downgraded { name, from, to }),
            Some(_) => {}
        }
    }
    for (name, version) in new {
        if !old.contains_key(name) {
            changes.push(Change::Added {
                name: name.clone(),
                version: version.clone(),
            });
        }
    }
    changes.sort_by(|a, b| a.name().cmp(b.name()));
    changes
}

impl Change {
    /// The package's name.
    pub fn name(&self) -> &str {
        match self {
            Change::Added { name, .. }
            | Change::Removed { name, .. }
            | Change::Upgraded { name, .. }
            | Change::Downgraded { name, .. } => name,
        }
    }

    /// Whether a reviewer should look twice: something left, went back, made a major step or is a
    /// pre-release.
    pub fn is_risky(&self) -> bool {
        match self {
            Change::Added { version, .. } => version.is_prerelease(),
            Change::Removed { .. } | Change::Downgraded { .. } => true,
            Change::Upgraded { from, to, .. } => {
                to.is_prerelease() || from.step_to(to) == Step::Major
            }
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Added { name, version } => write!(f, "+ {name} {version}")?,
            Change::Removed { name, version } => write!(f, "- {name} {version}")?,
            Change::Upgraded { name, from, to } => write!(f, "^ {name} {from} -> {to}")?,
            Change::Downgraded { name, from, to } => write!(f, "v {name} {from} -> {to}")?,
        }
        f.write_str(if self.is_risky() { " (!)" } else { "" })
    }
}

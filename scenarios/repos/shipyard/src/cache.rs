//! The cache's state: keys of the last good builds. One line a package: `NAME KEY`.

use std::collections::{BTreeMap, BTreeSet};

use crate::Error;
use crate::cachekey::Keys;
use crate::graph::Graph;

/// Keys of the last good builds, by package.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    good: BTreeMap<String, String>,
}

impl State {
    /// Reads a state file. Packages that the yard no longer has may stand in it.
    pub fn parse(text: &str, source: &str) -> Result<State, Error> {
        let mut state = State::default();
        for (index, line) in text.lines().enumerate() {
            let fail = |reason: &str| Error::syntax(source, index + 1, reason);
            let (name, key) = line
                .split_once(' ')
                .ok_or_else(|| fail("expected 'NAME KEY'"))?;
            if key.len() != 16 || !key.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return Err(fail("a key has sixteen hexadecimal digits"));
            }
            state.good.insert(name.to_string(), key.to_string());
        }
        Ok(state)
    }

    /// The text of a state file.
    pub fn write(&self) -> String {
        self.good
            .iter()
            .map(|(name, key)| format!("{name} {key}\n"))
            .collect()
    }

    /// Notes a good build.
    pub fn record(&mut self, name: &str, key: &str) {
        self.good.insert(name.to_string(), key.to_string());
    }

    /// Forgets a package: its next build can't be skipped.
    pub fn forget(&mut self, name: &str) -> bool {
        self.good.remove(name).is_some()
    }

    /// Whether the last good build of a package had this key.
    pub fn is_fresh(&self, name: &str, key: &str) -> bool {
        self.good.get(name).is_some_and(|known| known == key)
    }

    /// Packages that must be built: those whose key isn't the one of their last good build.
    pub fn stale<'a>(&self, keys: &'a Keys) -> BTreeSet<&'a str> {
        keys.iter()
            .filter(|(name, key)| !self.is_fresh(name, key))
            .map(|(name, _)| name.as_str())
            .collect()
    }

    /// Results that nothing in the yard refers to any more, sorted: they may be deleted.
    pub fn orphans(&self, graph: &Graph) -> Vec<&str> {
        let known: BTreeSet<&str> = graph.names().collect();
        self.good
            .keys()
            .map(String::as_str)
            .filter(|name| !known.contains(name))
            .collect()
    }
}

/// How much the cache saves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Saving {
    pub reused: usize,
    pub built: usize,
}

impl Saving {
    /// Counts over all packages.
    pub fn count(state: &State, keys: &Keys) -> Saving {
        let built = state.stale(keys).len();
        Saving {
            reused: keys.len() - built,
            built,
        }
    }

    /// Share of packages taken from the cache, in whole percent.
    pub fn percent(&self) -> usize {
        let all = self.reused + self.built;
        (self.reused * 100).checked_div(all).unwrap_or(0)
    }
}

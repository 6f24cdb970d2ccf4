//! How long builds really took. One build a line: `NAME DURATION`, the newest last.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::Error;
use crate::duration;
use crate::manifest::Manifest;

/// So many of the newest builds count.
const WINDOW: usize = 5;

/// Durations by package, in order of time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    builds: BTreeMap<String, Vec<Duration>>,
}

impl History {
    /// Reads a history file.
    pub fn parse(text: &str, source: &str) -> Result<History, Error> {
        let mut history = History::default();
        for (index, line) in text.lines().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            let (name, took) = line
                .split_once(' ')
                .ok_or_else(|| Error::syntax(source, index + 1, "expected 'NAME DURATION'"))?;
            let took = duration::parse(took)
                .map_err(|error| Error::syntax(source, index + 1, error.to_string()))?;
            history
                .builds
                .entry(name.to_string())
                .or_default()
                .push(took);
        }
        Ok(history)
    }

    /// Median of the newest builds; of an even number the longer one of the two in the middle.
    pub fn estimate(&self, name: &str) -> Option<Duration> {
        let builds = self.builds.get(name)?;
        let mut newest = builds[builds.len().saturating_sub(WINDOW)..].to_vec();
        newest.sort_unstable();
        newest.get(newest.len() / 2).copied()
    }

    /// Expected duration of every package: from history, else what the yard file says.
    pub fn durations(&self, manifest: &Manifest) -> BTreeMap<String, Duration> {
        manifest
            .packages
            .values()
            .map(|package| {
                (
                    package.name.clone(),
                    self.estimate(&package.name).unwrap_or(package.takes),
                )
            })
            .collect()
    }

    /// Packages whose estimate in the yard file is off by more than half, with the measured
    /// duration.
    pub fn misjudged(&self, manifest: &Manifest) -> Vec<(String, Duration)> {
        manifest
            .packages
            .values()
            .filter_map(|package| {
                let measured = self.estimate(&package.name)?;
                let (low, high) = (package.takes.min(measured), package.takes.max(measured));
                (high * 2 > low * 3).then(|| (package.name.clone(), measured))
            })
            .collect()
    }
}

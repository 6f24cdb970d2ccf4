//! The lock file: the chosen versions on disk, so that everybody builds with the same ones.
//!
//! ```text
//! shipyard-lock 1
//! theme 2.1.3
//! digest 8c5f0a7e41d2b390
//! ```
//! Lines are sorted by name. The digest covers the lines above it and shows edits by hand.

use std::collections::BTreeMap;

use crate::Error;
use crate::hash::Digest;
use crate::manifest::Manifest;
use crate::resolver::Resolution;

const HEADER: &str = "shipyard-lock 1";

/// The text of a lock file.
pub fn write(resolution: &Resolution) -> String {
    let mut lines = vec![HEADER.to_string()];
    lines.extend(
        resolution
            .iter()
            .map(|(name, version)| format!("{name} {version}")),
    );
    lines.push(format!("digest {}", digest(&lines)));
    lines.join("\n") + "\n"
}

/// Reads a lock file. A wrong digest, a newer format and unsorted lines are errors.
pub fn parse(text: &str, source: &str) -> Result<Resolution, Error> {
    let lines: Vec<&str> = text.lines().collect();
    if lines.first() != Some(&HEADER) {
        return Err(Error::syntax(source, 1, format!("expected '{HEADER}'")));
    }
    let Some((last, body)) = lines
        .split_last()
        .filter(|(last, _)| last.starts_with("digest "))
    else {
        return Err(Error::syntax(
            source,
            lines.len(),
            "no digest: the file was cut off",
        ));
    };
    let mut resolution = BTreeMap::new();
    for (index, line) in body.iter().enumerate().skip(1) {
        let fail = |reason: &str| Error::syntax(source, index + 1, reason);
        let (name, version) = line
            .split_once(' ')
            .ok_or_else(|| fail("expected 'NAME VERSION'"))?;
        let version = version
            .parse()
            .map_err(|error: Error| fail(&error.to_string()))?;
        if resolution
            .last_key_value()
            .is_some_and(|(before, _): (&String, _)| before.as_str() >= name)
        {
            return Err(fail("names aren't in order"));
        }
        resolution.insert(name.to_string(), version);
    }
    if last.strip_prefix("digest ") != Some(digest(body).as_str()) {
        return Err(Error::syntax(
            source,
            lines.len(),
            "the digest doesn't match: edited by hand?",
        ));
    }
    Ok(resolution)
}

fn digest<S: AsRef<str>>(lines: &[S]) -> String {
    let mut digest = Digest::new();
    for line in lines {
        digest.field("line", line.as_ref());
    }
    digest.finish()
}

/// Requirements of the yard that the lock doesn't satisfy, as messages; empty when it is up to
/// date.
pub fn stale(manifest: &Manifest, locked: &Resolution) -> Vec<String> {
    manifest
        .requirements()
        .filter_map(|(who, requirement)| match locked.get(&requirement.name) {
            None => Some(format!("{who}: '{}' isn't locked", requirement.name)),
            Some(version) if !requirement.range.matches(version) => Some(format!(
                "{who}: '{} {version}' isn't in '{}'",
                requirement.name, requirement.range
            )),
            Some(_) => None,
        })
        .collect()
}

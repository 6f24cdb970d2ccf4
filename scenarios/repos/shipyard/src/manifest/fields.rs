//! Values of fields: lists, names, globs, requirements.

use std::collections::BTreeSet;

use super::Requirement;
use crate::Error;
use crate::glob::Glob;

/// Names are what can stand in a path and on a command line without quoting.
pub(super) fn is_name(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(allowed)
}

/// Entries of a list, without the blanks around them. Empty entries are dropped, so that a comma
/// may end the list.
pub fn split_list(text: &str) -> Vec<&str> {
    text.split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .collect()
}

/// A list of package names, each at most once.
pub(super) fn names(text: &str) -> Result<Vec<String>, Error> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for entry in split_list(text) {
        if !is_name(entry) {
            return Err(Error::Usage(format!("'{entry}' is no package name")));
        }
        if !seen.insert(entry) {
            return Err(Error::Usage(format!("'{entry}' stands twice in the list")));
        }
        found.push(entry.to_string());
    }
    Ok(found)
}

/// A list of globs; each is checked here so that the message has a line.
pub(super) fn globs(text: &str) -> Result<Vec<String>, Error> {
    let mut found = Vec::new();
    for entry in split_list(text) {
        Glob::new(entry.strip_prefix('!').unwrap_or(entry))?;
        found.push(entry.to_string());
    }
    if found.first().is_some_and(|first| first.starts_with('!')) {
        return Err(Error::Usage(
            "the first glob can't take files out".to_string(),
        ));
    }
    Ok(found)
}

/// A list of `NAME RANGE`; a name alone takes every release.
pub(super) fn requirements(text: &str) -> Result<Vec<Requirement>, Error> {
    split_list(text).into_iter().map(requirement).collect()
}

/// One `NAME RANGE`.
pub fn requirement(text: &str) -> Result<Requirement, Error> {
    let (name, range) = match text.split_once(char::is_whitespace) {
        Some((name, range)) => (name, range.parse()?),
        None => (text, crate::VersionRange::any()),
    };
    if !is_name(name) {
        return Err(Error::Usage(format!("'{name}' is no package name")));
    }
    Ok(Requirement {
        name: name.to_string(),
        range,
    })
}

//! Lines and sections of a yard file.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::fields;
use super::{Manifest, Package};
use crate::Error;
use crate::version::Version;

enum Section {
    None,
    Yard,
    Package(Box<Draft>),
}

/// A package whose section isn't over yet.
struct Draft {
    package: Package,
    seen: BTreeSet<String>,
}

pub(super) fn parse(text: &str, source: &str) -> Result<Manifest, Error> {
    let mut manifest = Manifest {
        name: String::new(),
        packages: BTreeMap::new(),
    };
    let mut section = Section::None;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let line = without_comment(line).trim();
        if line.is_empty() {
            continue;
        }
        if let Some(title) = line
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
        {
            close(section, &mut manifest, source)?;
            section = open(title, source, number)?;
            continue;
        }
        let (field, value) = line
            .split_once('=')
            .map(|(field, value)| (field.trim(), value.trim()))
            .ok_or_else(|| Error::syntax(source, number, "expected 'field = value'"))?;
        match &mut section {
            Section::None => return Err(Error::syntax(source, number, "field before any section")),
            Section::Yard if field == "name" => manifest.name = value.to_string(),
            Section::Yard => {
                return Err(Error::syntax(
                    source,
                    number,
                    format!("unknown field '{field}'"),
                ));
            }
            Section::Package(draft) => draft.set(field, value, source, number)?,
        }
    }
    close(section, &mut manifest, source)?;
    check_references(&manifest, source)?;
    Ok(manifest)
}

fn without_comment(line: &str) -> &str {
    line.split_once('#').map_or(line, |(before, _)| before)
}

fn open(title: &str, source: &str, line: usize) -> Result<Section, Error> {
    let words: Vec<&str> = title.split_whitespace().collect();
    match words[..] {
        ["yard"] => Ok(Section::Yard),
        ["package", name] if fields::is_name(name) => {
            Ok(Section::Package(Box::new(Draft::new(name, line))))
        }
        _ => Err(Error::syntax(
            source,
            line,
            format!("unknown section '[{title}]'"),
        )),
    }
}

fn close(section: Section, manifest: &mut Manifest, source: &str) -> Result<(), Error> {
    let Section::Package(draft) = section else {
        return Ok(());
    };
    let Draft { package, seen } = *draft;
    if !seen.contains("version") {
        return Err(Error::syntax(
            source,
            package.line,
            format!("'{}' has no version", package.name),
        ));
    }
    let line = package.line;
    let name = package.name.clone();
    match manifest.packages.insert(name.clone(), package) {
        None => Ok(()),
        Some(_) => Err(Error::syntax(
            source,
            line,
            format!("second package '{name}'"),
        )),
    }
}

impl Draft {
    fn new(name: &str, line: usize) -> Draft {
        let package = Package {
            name: name.to_string(),
            version: Version::new(0, 0, 0),
            sources: Vec::new(),
            command: String::new(),
            takes: Duration::from_secs(1),
            uses: Vec::new(),
            after: Vec::new(),
            requires: Vec::new(),
            line,
        };
        Draft {
            package,
            seen: BTreeSet::new(),
        }
    }

    fn set(&mut self, field: &str, value: &str, source: &str, line: usize) -> Result<(), Error> {
        let at = |error: Error| Error::syntax(source, line, error.to_string());
        if !self.seen.insert(field.to_string()) {
            return Err(Error::syntax(source, line, format!("second '{field}'")));
        }
        let package = &mut self.package;
        match field {
            "version" => package.version = value.parse().map_err(at)?,
            "command" => package.command = value.to_string(),
            "takes" => package.takes = crate::duration::parse(value).map_err(at)?,
            "sources" => package.sources = fields::globs(value).map_err(at)?,
            "uses" => package.uses = fields::names(value).map_err(at)?,
            "after" => package.after = fields::names(value).map_err(at)?,
            "requires" => package.requires = fields::requirements(value).map_err(at)?,
            _ => {
                return Err(Error::syntax(
                    source,
                    line,
                    format!("unknown field '{field}'"),
                ));
            }
        }
        Ok(())
    }
}

fn check_references(manifest: &Manifest, source: &str) -> Result<(), Error> {
    for package in manifest.packages.values() {
        for name in package.uses.iter().chain(&package.after) {
            if !manifest.packages.contains_key(name) {
                let wanted_by = format!("'{}' ({source}:{})", package.name, package.line);
                return Err(Error::UnknownPackage {
                    name: name.clone(),
                    wanted_by,
                });
            }
        }
    }
    Ok(())
}

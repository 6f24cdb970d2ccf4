//! Revoked certificates: a list beside them. A certificate on it never counts again, whatever its evidence gives.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::report::publish::publish;

/// Version of a line.
const SCHEMA: &str = "revocation/1";
/// The list, in the folder of the certificates.
const FILE: &str = "revoked.jsonl";

/// Why a certificate was revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revocation {
    /// When.
    pub date: Date,
    /// Why, in one line.
    pub reason: String,
}

/// The list, by the certificates' file names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revocations(BTreeMap<String, Revocation>);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    schema: String,
    certificate: String,
    date: Date,
    reason: String,
}

impl Revocations {
    /// Reads the list of a folder of certificates; empty where there is none.
    ///
    /// # Errors
    /// 74 where it can't be read; 65 for a line that is none, since what it revokes can't be known.
    pub fn load(certificates: &Path) -> Result<Revocations, Failure> {
        let path = certificates.join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Revocations::default()),
            Err(error) => return Err(Failure::io(&path, &error)),
        };
        let mut list = BTreeMap::new();
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let bad = |what: String| {
                Failure::bad_data(format!("{}:{}: {what}: mend the line", path.display(), index + 1))
            };
            let line: Line = serde_json::from_str(line).map_err(|error| bad(error.to_string()))?;
            if line.schema != SCHEMA {
                return Err(bad(format!("schema \"{}\" isn't \"{SCHEMA}\"", line.schema)));
            }
            let revocation = Revocation { date: line.date, reason: line.reason };
            list.entry(line.certificate).or_insert(revocation);
        }
        Ok(Revocations(list))
    }

    /// Why a certificate of that file name doesn't count, if it was revoked.
    pub fn of(&self, name: &str) -> Option<String> {
        let revocation = self.0.get(name)?;
        Some(format!("revoked on {}: {}", revocation.date, revocation.reason))
    }

    /// Adds a certificate to the list of its folder; once is enough.
    ///
    /// # Errors
    /// As [`Revocations::load`]; 64 for a reason that isn't one line of text.
    pub fn add(certificates: &Path, name: &str, date: Date, reason: &str) -> Result<(), Failure> {
        let reason = reason.trim();
        if reason.is_empty() || reason.chars().any(char::is_control) {
            return Err(Failure::usage("reason: empty or not one line: say why in one line"));
        }
        if Revocations::load(certificates)?.0.contains_key(name) {
            return Ok(());
        }
        let path = certificates.join(FILE);
        let mut text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(Failure::io(&path, &error)),
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        let (schema, certificate) = (SCHEMA.to_owned(), name.to_owned());
        let line = Line { schema, certificate, date, reason: reason.to_owned() };
        let line =
            serde_json::to_string(&line).map_err(|error| Failure::internal(format!("{FILE}: {error}")))?;
        text.push_str(&line);
        text.push('\n');
        publish(certificates, FILE, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    #[test]
    fn a_revoked_certificate_stays_revoked_and_a_broken_list_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let load = || Revocations::load(folder.path()).unwrap();
        assert_eq!(load().of("a.json"), None);
        let day = date(2026, 11, 30);
        Revocations::add(folder.path(), "a.json", day, "the nightly canary failed").unwrap();
        Revocations::add(folder.path(), "a.json", day, "again").unwrap();
        Revocations::add(folder.path(), "b.json", day, "another").unwrap();
        assert_eq!(load().of("a.json").unwrap(), "revoked on 2026-11-30: the nightly canary failed");
        assert!(load().of("b.json").is_some() && load().of("c.json").is_none());
        assert!(Revocations::add(folder.path(), "c.json", day, "two\nlines").is_err());
        fs::write(folder.path().join(FILE), "{}\n").unwrap();
        assert_eq!(Revocations::load(folder.path()).unwrap_err().kind.exit_code(), 65);
    }
}

//! Revoked certificates, `revocation/1`: a line each. One on the list never counts again, whatever its evidence gives.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::day::Day;

/// Version of a line.
pub const REVOCATION_SCHEMA: &str = "revocation/1";

/// Why a certificate was revoked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revocation {
    /// When.
    pub date: Day,
    /// Why, in one line.
    pub reason: String,
}

/// A line that is no revocation. What it revokes can't be known, so nothing may count beside it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}: mend the line")]
pub struct RevocationError {
    /// 1-based.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// The list, by the certificates' file names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revocations(BTreeMap<String, Revocation>);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    schema: String,
    certificate: String,
    date: String,
    reason: String,
}

impl Revocations {
    /// Reads a list; of several lines about one certificate the first counts.
    ///
    /// # Errors
    /// [`RevocationError`]: the first line that is none.
    pub fn parse(text: &str) -> Result<Revocations, RevocationError> {
        let mut list = BTreeMap::new();
        for (index, raw) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let bad = |message: String| RevocationError { line: index + 1, message };
            let line: Line = serde_json::from_str(raw).map_err(|error| bad(error.to_string()))?;
            if line.schema != REVOCATION_SCHEMA {
                return Err(bad(format!("schema \"{}\" isn't \"{REVOCATION_SCHEMA}\"", line.schema)));
            }
            let date = line.date.parse().map_err(|error: super::DayError| bad(error.to_string()))?;
            list.entry(line.certificate).or_insert(Revocation { date, reason: line.reason });
        }
        Ok(Revocations(list))
    }

    /// Why the certificate of that file name was revoked, if it was.
    pub fn of(&self, name: &str) -> Option<&Revocation> {
        self.0.get(name)
    }

    /// The line that puts a certificate on a list, without its line feed.
    pub fn line(name: &str, revocation: &Revocation) -> String {
        let line = Line {
            schema: REVOCATION_SCHEMA.to_owned(),
            certificate: name.to_owned(),
            date: revocation.date.to_string(),
            reason: revocation.reason.clone(),
        };
        serde_json::to_string(&line).expect("texts are JSON")
    }
}

//! The sessions among all that a journal noted.

use std::collections::BTreeMap;
use std::path::Path;

use super::dedup::Member;
use super::journal::{Outcome, Record, Stored};

/// Sessions among the records, by source.
pub fn sessions(records: &BTreeMap<String, Record>) -> Vec<(&str, &Stored)> {
    let all = records.values().filter_map(|record| match &record.outcome {
        Outcome::Session(stored) => Some((record.source.as_str(), stored.as_ref())),
        Outcome::Refused { .. } => None,
    });
    all.collect()
}

/// What [`settle`] is given of them.
pub fn members<'m>(sessions: &[(&'m str, &'m Stored)]) -> Vec<Member<'m>> {
    let file_name =
        |source: &'m str| Path::new(source).file_name().and_then(|name| name.to_str()).unwrap_or("");
    let members = sessions.iter().map(|(source, stored)| Member {
        name: source,
        file_name: file_name(source),
        source_hash: &stored.source_hash,
        summary: &stored.summary,
    });
    members.collect()
}

/// A session's name in documents: that of its copy, or its path where none is kept.
pub fn name(source: &str, stored: &Stored) -> String {
    stored.copy.as_ref().map_or_else(|| source.to_owned(), |copy| copy.name.clone())
}

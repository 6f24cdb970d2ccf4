//! Stored answers, read without believing more of them than they show.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::ask::in_quarantine;
use super::wire::{self, File};
use crate::corpus::{Corpus, Fault, FaultCode, Recorded, RunKey, read_hashed};

/// Faults of the graders' answers that a corpus holds: a scenario in quarantine, and everything that is wrong with the files.
/// A corpus without any has no fault here: its graders are shown only where they are asked again. Where one row names
/// answers, every row must.
pub fn check_qualifications(corpus: &Corpus) -> Vec<Fault> {
    let rows = || corpus.rows.values().filter_map(|row| Some((&row.key, row.recorded.as_deref()?)));
    if rows().all(|(_, row)| row.qualification.is_none() && row.qualification_sha256.is_none()) {
        return Vec::new();
    }
    let mut by_scenario: BTreeMap<&str, Vec<(&RunKey, &Recorded)>> = BTreeMap::new();
    for (key, row) in rows() {
        by_scenario.entry(&key.scenario).or_default().push((key, row));
    }
    let scenarios: Vec<_> = by_scenario.into_values().collect();
    let found: Vec<Option<Fault>> = scenarios.par_iter().map(|rows| of_scenario(corpus, rows)).collect();
    found.into_iter().flatten().collect()
}

/// Scheduled scenarios whose rows name answers of their grader; whether they are sound is [`check_qualifications`]' to say.
pub fn asked(corpus: &Corpus) -> usize {
    let rows = corpus.rows.values().filter_map(|row| Some((&row.key.scenario, row.recorded.as_ref()?)));
    let named: BTreeSet<&str> =
        rows.filter(|(_, row)| row.qualification.is_some()).map(|(scenario, _)| &**scenario).collect();
    named.into_iter().filter(|scenario| corpus.manifest.schedule.scenarios.contains(*scenario)).count()
}

fn of_scenario(corpus: &Corpus, rows: &[(&RunKey, &Recorded)]) -> Option<Fault> {
    let (key, first) = *rows.first()?;
    let mismatch =
        |key: &RunKey, message: &str| Some(Fault::of_corpus(FaultCode::QualificationMismatch, key, message));
    let (Some(name), Some(hash)) = (&first.qualification, &first.qualification_sha256) else {
        return mismatch(key, "the row names no answers of its grader, other rows do");
    };
    let same = |row: &Recorded| {
        (&row.qualification, &row.qualification_sha256) == (&first.qualification, &first.qualification_sha256)
    };
    if let Some((other, _)) = rows.iter().find(|(_, row)| !same(row)) {
        return mismatch(other, "the row names other answers of its grader than the scenario's other rows");
    }
    if **name != *wire::file_name(&key.scenario) {
        return mismatch(key, &format!("{name} isn't the file of the scenario's grader"));
    }
    let bytes = match read_hashed(corpus, key, name, hash) {
        Ok(bytes) => bytes,
        Err(fault) => return Some(fault),
    };
    let file = match std::str::from_utf8(&bytes).map_err(|error| error.to_string()).and_then(File::parse) {
        Ok(file) => file,
        Err(message) => return mismatch(key, &format!("{name}: {message}")),
    };
    let of_task = |row: &Recorded| {
        (&*row.scenario_sha256, &*row.tree_sha256) == (&*file.scenario_sha256, &*file.tree_sha256)
    };
    if *file.scenario != *key.scenario || !rows.iter().all(|(_, row)| of_task(row)) {
        return mismatch(key, &format!("{name}: the answers are about other files than the run's"));
    }
    let why = file.qualification().quarantine();
    if file.quarantine != why {
        return mismatch(key, &format!("{name}: what it says of quarantine doesn't follow from the answers"));
    }
    Some(in_quarantine(&key.scenario, &why?))
}

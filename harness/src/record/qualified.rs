//! Graders asked before the first run, their answers stored beside the runs.

use std::collections::BTreeMap;

use engine::message::sha256_hex;
use rayon::prelude::*;

use super::error::RecordError;
use super::store::{Store, Stored};
use crate::qualify::{Qualification, file_name, qualification, to_json};
use crate::scenario::Scenario;

/// Graders that run at once: they compile and test, and a campaign shares the machine with them.
const AT_ONCE: usize = 2;

/// Asks each scenario's grader and stores what it answered; answers that an interrupted campaign left behind about the same
/// files stand. A grader that can't tell a right patch from none is told to `note`.
pub(super) fn ask(
    scenarios: &[Scenario],
    store: &Store,
    note: &mut dyn FnMut(String),
) -> Result<BTreeMap<String, Stored>, RecordError> {
    let unmade = |error: rayon::ThreadPoolBuildError| RecordError::Usage(format!("threads: {error}"));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(AT_ONCE).build().map_err(unmade)?;
    let texts: Vec<(String, Option<String>)> = pool
        .install(|| scenarios.par_iter().map(|scenario| text(scenario, store)).collect::<Result<_, _>>())?;
    let mut stored = BTreeMap::new();
    for (scenario, (text, quarantine)) in scenarios.iter().zip(texts) {
        let path = file_name(&scenario.id);
        if let Some(why) = quarantine {
            note(format!("{}: {why}: its runs won't count, mend the grader first", scenario.id));
        }
        let one = if store.read(&path).is_ok_and(|there| there == text) {
            Stored { path, sha256: sha256_hex(text.as_bytes()) }
        } else {
            store.put(&path, &text)?
        };
        stored.insert(scenario.id.clone(), one);
    }
    Ok(stored)
}

/// The text of a scenario's answers, and why it is in quarantine, if it is.
fn text(scenario: &Scenario, store: &Store) -> Result<(String, Option<String>), RecordError> {
    let found = match left_behind(scenario, store)? {
        Some(found) => found,
        None => qualification(scenario)?,
    };
    Ok((to_json(scenario, &found)?, found.quarantine()))
}

/// Answers that are stored already, if they are about these files, exactly as they would be written now.
fn left_behind(scenario: &Scenario, store: &Store) -> Result<Option<Qualification>, RecordError> {
    let path = file_name(&scenario.id);
    if !store.has(&path) {
        return Ok(None);
    }
    let text = store.read(&path)?;
    let Ok(found) = crate::qualify::read(&text) else { return Ok(None) };
    Ok((to_json(scenario, &found)? == text).then_some(found))
}

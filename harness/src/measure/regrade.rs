//! Graders run again on the stored patches: acceptance as this machine sees it.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::corpus::{Fault, FaultCode, RunEvidence, RunKey};
use crate::failure::Failure;
use crate::qualify::{Graded, grade_patch, missing_programs};
use crate::scenario::ScenarioSet;

/// What running graders again showed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Regraded {
    /// Runs whose grader was run again; runs with one patch share one.
    pub checked: u64,
    /// Runs that couldn't be checked here, by the programs that are missing.
    pub skipped: BTreeMap<String, u32>,
    /// Runs whose acceptance isn't what the transcript shows.
    pub faults: Vec<Fault>,
}

/// What a grader is run on again, and what its transcript says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPatch {
    /// Which run.
    pub key: RunKey,
    /// Hash of the patch.
    pub sha256: String,
    /// The patch.
    pub text: String,
    /// Whether the transcript accepts it.
    pub accepted: bool,
}

impl StoredPatch {
    pub(super) fn of(run: &RunEvidence) -> StoredPatch {
        StoredPatch {
            key: run.key.clone(),
            sha256: run.row.patch_sha256.clone(),
            text: run.patch.text.clone(),
            accepted: run.grader.exit_code == Some(0) && !run.grader.timed_out,
        }
    }
}

/// How far the graders are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// So many will be run.
    Planned(usize),
    /// One more has ended.
    Done,
}

/// One patch graded again.
enum Again {
    Graded(Graded),
    Skipped(String),
}

/// Runs the grader of each distinct (scenario, patch) once, in a folder of its own, and compares. `progress` is told how
/// many there are, once, and is then called for each that is done.
///
/// # Errors
/// A temporary folder can't be made, or a fixture can't be copied.
pub fn regrade(
    stored: &[StoredPatch],
    scenarios: &ScenarioSet,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Regraded, Failure> {
    let distinct: BTreeSet<(&str, &str)> = stored.iter().map(key).collect();
    let patches: BTreeMap<(&str, &str), &str> =
        stored.iter().map(|run| (key(run), run.text.as_str())).collect();
    let missing = missing_by_scenario(&distinct, scenarios)?;
    let grade = |id: (&str, &str)| -> Result<Option<Again>, Failure> {
        let again = match (scenarios.get(id.0), missing.get(id.0)) {
            (None, _) => None,
            (Some(_), Some(programs)) => Some(Again::Skipped(programs.clone())),
            (Some(scenario), None) => Some(Again::Graded(grade_patch(scenario, patches[&id])?)),
        };
        progress(Progress::Done);
        Ok(again)
    };
    let distinct: Vec<(&str, &str)> = distinct.into_iter().collect();
    progress(Progress::Planned(distinct.len()));
    let results: Vec<Option<Again>> = distinct.par_iter().map(|id| grade(*id)).collect::<Result<_, _>>()?;
    let results: BTreeMap<(&str, &str), Option<Again>> = distinct.into_iter().zip(results).collect();
    let mut regraded = Regraded::default();
    for run in stored {
        let Some(result) = &results[&key(run)] else { continue };
        match result {
            Again::Skipped(programs) => *regraded.skipped.entry(programs.clone()).or_default() += 1,
            Again::Graded(Graded::Unappliable(message)) => {
                regraded.checked += 1;
                let message = format!("the stored patch doesn't apply to the fixture: {message}");
                regraded.faults.push(Fault::of_run(FaultCode::OutcomeMismatch, &run.key, message));
            }
            Again::Graded(Graded::Ran { accepted }) => {
                regraded.checked += 1;
                if *accepted != run.accepted {
                    let told = |success: bool| if success { "accepts" } else { "refuses" };
                    let message = format!(
                        "the grader {} the stored patch, the transcript {}",
                        told(*accepted),
                        told(run.accepted)
                    );
                    regraded.faults.push(Fault::of_run(FaultCode::OutcomeMismatch, &run.key, message));
                }
            }
        }
    }
    Ok(regraded)
}

/// Programs that are missing here, by the scenarios that need them.
fn missing_by_scenario<'a>(
    distinct: &BTreeSet<(&'a str, &str)>,
    scenarios: &ScenarioSet,
) -> Result<BTreeMap<&'a str, String>, Failure> {
    let asked: BTreeSet<&str> = distinct.iter().map(|(scenario, _)| *scenario).collect();
    let mut missing = BTreeMap::new();
    for id in asked {
        let Some(scenario) = scenarios.get(id) else { continue };
        if let Some(programs) = missing_programs(scenario)? {
            missing.insert(id, programs);
        }
    }
    Ok(missing)
}

fn key(run: &StoredPatch) -> (&str, &str) {
    (&run.key.scenario, &run.sha256)
}

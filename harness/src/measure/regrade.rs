//! Graders run again on the stored patches: acceptance as this machine sees it.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::corpus::{Fault, FaultCode, RunEvidence, Scope};
use crate::failure::Failure;
use crate::scenario::command::Surroundings;
use crate::scenario::{Scenario, ScenarioSet, patch, runtime, tree};

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

/// How far the graders are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    /// So many will be run.
    Planned(usize),
    /// One more has ended.
    Done,
}

/// One grader run again.
enum Again {
    Ran { succeeded: bool },
    Unappliable(String),
    Skipped(String),
}

/// Runs the grader of each distinct (scenario, patch) once, in a folder of its own, and compares. `progress` is told how
/// many there are, once, and is then called for each that is done.
///
/// # Errors
/// A temporary folder can't be made, or a fixture can't be copied.
pub fn regrade(
    evidence: &[RunEvidence],
    scenarios: &ScenarioSet,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Regraded, Failure> {
    let distinct: BTreeSet<(&str, &str)> = evidence.iter().map(key).collect();
    let patches: BTreeMap<(&str, &str), &str> =
        evidence.iter().map(|run| (key(run), run.patch_text.as_str())).collect();
    let grade = |id: (&str, &str)| -> Result<Option<Again>, Failure> {
        let result = scenarios.get(id.0).map(|scenario| again(scenario, patches[&id])).transpose();
        progress(Progress::Done);
        result
    };
    let distinct: Vec<(&str, &str)> = distinct.into_iter().collect();
    progress(Progress::Planned(distinct.len()));
    let results: Vec<Option<Again>> = distinct.par_iter().map(|id| grade(*id)).collect::<Result<_, _>>()?;
    let results: BTreeMap<(&str, &str), Option<Again>> = distinct.into_iter().zip(results).collect();
    let mut regraded = Regraded::default();
    for run in evidence {
        let Some(result) = &results[&key(run)] else { continue };
        let transcript = run.grader.exit_code == Some(0) && !run.grader.timed_out;
        match result {
            Again::Skipped(programs) => *regraded.skipped.entry(programs.clone()).or_default() += 1,
            Again::Unappliable(message) => {
                regraded.checked += 1;
                let message = format!("the stored patch doesn't apply to the fixture: {message}");
                regraded.faults.push(Fault::of_run(FaultCode::OutcomeMismatch, &run.key, message));
            }
            Again::Ran { succeeded } => {
                regraded.checked += 1;
                if *succeeded != transcript {
                    let told = |success: bool| if success { "accepts" } else { "refuses" };
                    let message = format!(
                        "the grader {} the stored patch, the transcript {}",
                        told(*succeeded),
                        told(transcript)
                    );
                    regraded.faults.push(Fault::of_run(FaultCode::OutcomeMismatch, &run.key, message));
                }
            }
        }
    }
    Ok(regraded)
}

/// Times that a grader is asked the same.
const QUALIFYING: usize = 5;

/// Whether each scenario's grader can tell a right patch from none: it accepts the reference patch and refuses the untouched
/// repository, five times each. One that doesn't decides by chance or not at all; its scenario is in quarantine. A scenario
/// whose programs are missing here is left to the count of skipped runs.
///
/// # Errors
/// As [`regrade`].
pub fn qualify(scenarios: &ScenarioSet, scheduled: &BTreeSet<String>) -> Result<Vec<Fault>, Failure> {
    let asked: Vec<&Scenario> = scheduled.iter().filter_map(|id| scenarios.get(id)).collect();
    let faults: Vec<Option<Fault>> =
        asked.par_iter().map(|scenario| unqualified(scenario)).collect::<Result<_, _>>()?;
    Ok(faults.into_iter().flatten().collect())
}

fn unqualified(scenario: &Scenario) -> Result<Option<Fault>, Failure> {
    for (name, patch, wanted) in [
        ("the reference patch", scenario.reference_patch.as_str(), true),
        ("the untouched repository", "", false),
    ] {
        for time in 1..=QUALIFYING {
            let said = match again(scenario, patch)? {
                Again::Skipped(_) => return Ok(None),
                Again::Ran { succeeded } => succeeded,
                Again::Unappliable(_) => false,
            };
            if said != wanted {
                let told = if said { "accepts" } else { "refuses" };
                let message = format!(
                    "{}: its grader {told} {name} (time {time} of {QUALIFYING}): in quarantine",
                    scenario.id
                );
                let scope = Scope { scenario: Some(scenario.id.clone()), ..Scope::default() };
                return Ok(Some(Fault::new(FaultCode::VerifierUnqualified, scope, message)));
            }
        }
    }
    Ok(None)
}

fn key(run: &RunEvidence) -> (&str, &str) {
    (&run.key.scenario, &run.row.patch_sha256)
}

fn again(scenario: &Scenario, final_patch: &str) -> Result<Again, Failure> {
    let place = tempfile::tempdir().map_err(|error| Failure::io(std::env::temp_dir(), &error))?;
    let (home, root) = (place.path().join("home"), place.path().join(&scenario.repo));
    std::fs::create_dir_all(&home).map_err(|error| Failure::io(&home, &error))?;
    let surroundings = Surroundings::new(&home);
    let missing = runtime::missing(scenario, &surroundings, &home);
    if !missing.is_empty() {
        return Ok(Again::Skipped(missing.join(", ")));
    }
    tree::copy(&scenario.fixture, &root)?;
    if !final_patch.trim().is_empty()
        && let Err(error) = patch::apply(&root, final_patch)
    {
        return Ok(Again::Unappliable(error.to_string()));
    }
    tree::copy(&scenario.grader(), &root)?;
    let ended = surroundings.run(&scenario.grade, &root, scenario.timeout)?;
    Ok(Again::Ran { succeeded: ended.success() })
}

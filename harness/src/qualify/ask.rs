//! Asking graders what is known.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::grade::{Graded, grade_patch, missing_programs};
use crate::corpus::{Fault, FaultCode, Scope};
use crate::scenario::{Scenario, ScenarioError, ScenarioSet};

/// Times that a grader is asked the same.
pub const TIMES: u32 = 5;

/// Answers to one question that was asked several times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Answers {
    /// Times asked: fewer than [`TIMES`] where an answer was wrong, since the rest can't mend it.
    pub asked: u32,
    /// Times accepted.
    pub accepted: u32,
}

/// What a grader showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Qualification {
    /// About the reference patch.
    pub reference: Answers,
    /// About the untouched repository.
    pub untouched: Answers,
    /// Programs that the task needs and that are missing here, if any: nothing was asked.
    pub missing: Option<String>,
}

impl Qualification {
    /// What a grader answers that tells a right patch from none.
    pub fn sound() -> Qualification {
        let reference = Answers { asked: TIMES, accepted: TIMES };
        Qualification { reference, untouched: Answers { asked: TIMES, accepted: 0 }, missing: None }
    }

    /// Why its scenario is in quarantine, if it is. It follows from the answers alone.
    pub fn quarantine(&self) -> Option<String> {
        if let Some(programs) = &self.missing {
            return Some(format!("its grader can't be asked: {programs}"));
        }
        let told = |what: &str, answers: Answers, wanted: &str| {
            let Answers { asked, accepted } = answers;
            format!(
                "its grader accepts {what} {accepted} of {asked} times, it must {wanted} {TIMES} of {TIMES}"
            )
        };
        let Answers { asked, accepted } = self.reference;
        if accepted < asked || asked < TIMES {
            return Some(told("the reference patch", self.reference, "accept it"));
        }
        let Answers { asked, accepted } = self.untouched;
        (accepted > 0 || asked < TIMES).then(|| told("the untouched repository", self.untouched, "refuse it"))
    }
}

/// Asks a scenario's grader.
///
/// # Errors
/// As [`grade_patch`].
pub fn qualification(scenario: &Scenario) -> Result<Qualification, ScenarioError> {
    let missing = missing_programs(scenario)?;
    let mut found = Qualification { reference: Answers::default(), untouched: Answers::default(), missing };
    if found.missing.is_some() {
        return Ok(found);
    }
    for (patch, wanted) in [(scenario.reference_patch.as_str(), true), ("", false)] {
        let answers = if wanted { &mut found.reference } else { &mut found.untouched };
        while answers.asked < TIMES {
            let accepted = match grade_patch(scenario, patch)? {
                Graded::Ran { accepted } => accepted,
                Graded::Unappliable(_) => false,
            };
            answers.asked += 1;
            answers.accepted += u32::from(accepted);
            if accepted != wanted {
                return Ok(found);
            }
        }
    }
    Ok(found)
}

/// Asks the graders of all scheduled scenarios, on the current rayon pool; a fault for each scenario in quarantine. A
/// scenario whose programs are missing here is left to the count of skipped runs.
///
/// # Errors
/// As [`grade_patch`].
pub fn qualify(scenarios: &ScenarioSet, scheduled: &BTreeSet<String>) -> Result<Vec<Fault>, ScenarioError> {
    let asked: Vec<&Scenario> = scheduled.iter().filter_map(|id| scenarios.get(id)).collect();
    let found: Vec<Qualification> =
        asked.par_iter().map(|scenario| qualification(scenario)).collect::<Result<_, _>>()?;
    let quarantined = asked.iter().zip(found).filter(|(_, found)| found.missing.is_none());
    Ok(quarantined
        .filter_map(|(scenario, found)| Some(in_quarantine(&scenario.id, &found.quarantine()?)))
        .collect())
}

/// The fault of a scenario in quarantine.
pub(super) fn in_quarantine(scenario: &str, why: &str) -> Fault {
    let scope = Scope { scenario: Some(scenario.to_owned()), ..Scope::default() };
    Fault::new(FaultCode::VerifierUnqualified, scope, format!("{scenario}: {why}: in quarantine"))
}

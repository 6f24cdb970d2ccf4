//! Differential slices as guards: harm to one language or one kind of task that the whole doesn't show.
//!
//! Each slice of a non-inferiority criterion is tested at twice its margin, on its own scenarios. A slice that is shown to
//! be worse rejects; one that has too little evidence only warns, since slices are small by nature. No correction for their
//! number is made: it would only make harm harder to show.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::assess::assess;
use crate::criterion::{Claim, Criterion, Settings};
use crate::error::DesignError;
use crate::outcome::{CriterionOutcome, Outcome, Reason};
use crate::paired::Unit;
use crate::verdict::Fault;

/// How much wider than the criterion's a slice's margin is.
const WIDER: f64 = 2.0;

/// One slice of a criterion, assessed.
#[derive(Debug, Clone, PartialEq)]
pub struct SliceOutcome {
    /// What the scenarios of the slice share, for instance `python`.
    pub slice: String,
    /// The criterion at twice its margin on the slice's scenarios; its id names the slice.
    pub outcome: CriterionOutcome,
}

impl SliceOutcome {
    /// The fault that a slice shown to be worse is; none for another outcome.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        if self.outcome.outcome() != Outcome::Fail {
            return None;
        }
        let why: Vec<&str> = self.outcome.reasons().iter().map(|reason| reason.message.as_str()).collect();
        Some(Fault::harm("slice-regression", why.join("; ")))
    }

    /// What is worth telling of a slice that is neither shown safe nor shown worse.
    #[must_use]
    pub fn warning(&self) -> Option<Reason> {
        let undecided = self.outcome.outcome() == Outcome::Undecided;
        let why: Vec<&str> = self.outcome.reasons().iter().map(|reason| reason.message.as_str()).collect();
        undecided.then(|| Reason::new("slice-undecided", why.join("; ")))
    }
}

/// Assesses every slice of a non-inferiority criterion, in the order of the slices' names; none for another claim.
/// `labels` holds the slice of every planned scenario, so that a scenario without evidence counts as missing in its own.
///
/// # Errors
/// [`DesignError`] where a unit has no label, or the criterion or its units contradict themselves.
pub fn slice_outcomes(
    criterion: &Criterion,
    units: &[Unit],
    labels: &BTreeMap<String, String>,
    settings: &Settings,
) -> Result<Vec<SliceOutcome>, DesignError> {
    let Claim::NonInferiority { margin } = criterion.claim else { return Ok(Vec::new()) };
    let mut slices: BTreeMap<&str, (usize, Vec<Unit>)> = BTreeMap::new();
    for label in labels.values() {
        slices.entry(label).or_default().0 += 1;
    }
    for unit in units {
        let slice = labels.get(&unit.scenario).and_then(|label| slices.get_mut(label.as_str()));
        let Some((_, members)) = slice else {
            return Err(DesignError::UnlabelledScenario {
                criterion: criterion.id.clone(),
                scenario: unit.scenario.clone(),
            });
        };
        members.push(unit.clone());
    }
    let slices: Vec<(&str, (usize, Vec<Unit>))> = slices.into_iter().collect();
    slices
        .par_iter()
        .map(|(slice, (planned, members))| {
            let guard = Criterion {
                id: format!("{}, slice {slice}", criterion.id),
                claim: Claim::NonInferiority { margin: WIDER * margin },
                scenarios: *planned,
                ..criterion.clone()
            };
            let outcome = assess(&guard, members, settings)?;
            Ok(SliceOutcome { slice: (*slice).to_owned(), outcome })
        })
        .collect()
}

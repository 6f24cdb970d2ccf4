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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::{Better, Estimand, Range};
    use crate::verdict::Severity;

    fn quality(scenarios: usize) -> Criterion {
        Criterion {
            id: "quality".to_owned(),
            claim: Claim::NonInferiority { margin: 0.1 },
            estimand: Estimand::MeanDifference,
            better: Better::Higher,
            alpha: 0.025,
            scenarios,
            range: Some(Range::UNIT),
        }
    }

    /// 60 scenarios: 24 of `a` lose a quarter on average, 24 of `b` lose 0.15, each ± 0.05, and 12 of `c` lose nothing.
    fn evidence() -> (Vec<Unit>, BTreeMap<String, String>) {
        let of = |n: usize| match n {
            0..24 => ("a", 0.25),
            24..48 => ("b", 0.15),
            _ => ("c", 0.0),
        };
        let unit = |n: usize| {
            let (slice, loss) = of(n);
            let wobble = if slice == "c" { 0.0 } else { 0.05 - 0.1 * (n % 2) as f64 };
            Unit::complete(format!("s{n:02}"), format!("s{n:02}"), &[0.75], &[0.75 - loss + wobble])
        };
        let labels = (0..60).map(|n| (format!("s{n:02}"), of(n).0.to_owned())).collect();
        ((0..60).map(unit).collect(), labels)
    }

    fn assessed(
        criterion: &Criterion,
        units: &[Unit],
        labels: &BTreeMap<String, String>,
    ) -> Result<Vec<SliceOutcome>, DesignError> {
        slice_outcomes(criterion, units, labels, &Settings { resamples: 199, flips: 9, ..Settings::new(3) })
    }

    /// At twice the margin of 0.1 a loss of 0.25 is harm and one of 0.15 isn't; twelve silent scenarios show neither.
    #[test]
    fn slices_are_held_to_twice_the_margin() {
        let (units, labels) = evidence();
        let found = assessed(&quality(60), &units, &labels).unwrap();
        let told: Vec<(&str, Outcome)> =
            found.iter().map(|one| (one.slice.as_str(), one.outcome.outcome())).collect();
        assert_eq!(told, [("a", Outcome::Fail), ("b", Outcome::Pass), ("c", Outcome::Undecided)]);
        let guard = found[0].outcome.criterion();
        assert_eq!((guard.claim, guard.scenarios), (Claim::NonInferiority { margin: 0.2 }, 24));
        assert_eq!((guard.id.as_str(), guard.estimand), ("quality, slice a", Estimand::MeanDifference));
        let faults: Vec<Fault> = found.iter().filter_map(SliceOutcome::fault).collect();
        assert_eq!((faults.len(), faults[0].severity), (1, Severity::Harm));
        let reason =
            |code: &str, of: &SliceOutcome| Reason::new(code, of.outcome.reasons()[0].message.clone());
        assert_eq!(faults[0].reason, reason("slice-regression", &found[0]));
        let warnings: Vec<Reason> = found.iter().filter_map(SliceOutcome::warning).collect();
        assert_eq!(warnings, [reason("slice-undecided", &found[2])]);
    }

    #[test]
    fn a_slice_misses_what_was_planned_of_it() {
        let (units, mut labels) = evidence();
        let fewer = assessed(&quality(60), &units[1..], &labels).unwrap();
        assert_eq!(fewer[0].outcome.reasons()[0].code, "missing-runs");
        assert_eq!(fewer[1].outcome.outcome(), Outcome::Pass, "another slice has all of its own");
        let gain = Criterion { claim: Claim::Superiority { at_least: 0.0 }, ..quality(60) };
        assert_eq!(assessed(&gain, &units, &labels), Ok(Vec::new()));
        labels.remove("s07");
        let unlabelled =
            DesignError::UnlabelledScenario { criterion: "quality".to_owned(), scenario: "s07".to_owned() };
        assert_eq!(assessed(&quality(60), &units, &labels), Err(unlabelled));
    }
}

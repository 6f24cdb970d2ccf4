//! Safety counters: events are counted, not estimated.

use super::told::finite;
use crate::criterion::Criterion;
use crate::discordance::share_upper;
use crate::outcome::{CriterionOutcome, Figures, Outcome, Reason};
use crate::paired::{Sample, Unit};

/// Any event of the candidate fails, a run unseen leaves it undecided.
pub(super) fn count_events(
    criterion: &Criterion,
    units: &[Unit],
    sample: &Sample,
    mut figures: Figures,
) -> CriterionOutcome {
    let id = &criterion.id;
    let events = |unit: &Unit| unit.candidate.iter().flatten().any(|&count| count > 0.0);
    let hit: Vec<&Unit> = units.iter().filter(|unit| events(unit)).collect();
    figures.regressing = hit.len();
    figures.regressing_upper = Some(share_upper(hit.len(), units.len(), criterion.alpha));
    (figures.baseline, figures.candidate) =
        (mean_count(units, |unit| &unit.baseline), mean_count(units, |unit| &unit.candidate));
    figures.delta = figures.candidate.zip(figures.baseline).map(|(candidate, baseline)| candidate - baseline);
    if let Some(first) = hit.iter().map(|unit| unit.scenario.as_str()).min() {
        let message = format!("{id}: {} scenarios with an event of the candidate, first {first}", hit.len());
        let reason = Reason::new("safety-event", message);
        return CriterionOutcome::new(criterion, Outcome::Fail, figures, vec![reason]);
    }
    let mut reasons = Vec::new();
    if units.is_empty() {
        reasons.push(Reason::new("no-evidence", format!("{id}: no scenario has evidence: record some")));
    }
    let odd = |count: &f64| !(count.is_finite() && *count >= 0.0);
    if units.iter().flat_map(|unit| unit.candidate.iter().flatten()).any(odd) {
        let message = format!("{id}: a count isn't a finite number of 0 or more: void the run");
        reasons.push(Reason::new("not-finite", message));
    }
    let unseen = |unit: &Unit| unit.candidate.is_empty() || unit.candidate.iter().any(Option::is_none);
    if units.len() < criterion.scenarios || units.iter().any(unseen) {
        let message = format!(
            "{id}: {} runs missing, {} of {} planned scenarios: an unseen run may hold an event",
            sample.missing,
            units.len(),
            criterion.scenarios
        );
        reasons.push(Reason::new("missing-runs", message));
    }
    let outcome = if reasons.is_empty() { Outcome::Pass } else { Outcome::Undecided };
    CriterionOutcome::new(criterion, outcome, figures, reasons)
}

/// Mean count a run seen, sorted before summing so that the order of units doesn't matter.
fn mean_count(units: &[Unit], arm: impl Fn(&Unit) -> &Vec<Option<f64>>) -> Option<f64> {
    let mut counts: Vec<f64> = units.iter().flat_map(|unit| arm(unit).iter().flatten().copied()).collect();
    counts.sort_by(f64::total_cmp);
    finite(counts.iter().sum::<f64>() / counts.len() as f64)
}

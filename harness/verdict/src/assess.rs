//! From units to a three-way outcome: the worse of the methods' bounds against the declared threshold.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::analysis::{Interval, Prepared};
use crate::criterion::{Claim, Criterion, Estimand, Settings};
use crate::error::DesignError;
use crate::outcome::{CriterionOutcome, Figures, Outcome, Reason};
use crate::paired::{Sample, Unit};
use crate::resample::{Statistic, resample};
use crate::tail;

mod counting;
mod events;
#[cfg(test)]
mod tests;
mod told;

use counting::{Discordance, counted};
use events::count_events;
use told::{explain, missing_share, report};

/// Assesses a criterion on its units. The order of units and of runs within a unit doesn't matter.
///
/// * Non-inferiority passes where the gain's lower bound is above −margin and fails where its upper bound is below;
///   superiority likewise with the smallest gain that counts. The worse of paired (clustered) t and bootstrap-t counts.
/// * With fewer differing units than the discordance floor, and for non-inferiority with fewer than
///   [`Settings::fewest_units`], only the Clopper-Pearson bound of regressing units can pass a criterion; the floor guards
///   passes, so harm that t and bootstrap-t both show still fails it.
/// * Missing runs widen the bounds by everything the runs could have been, so that a missing run can turn a pass or a
///   fail into undecided and nothing else. Above [`Settings::max_missing`] nothing passes.
/// * One cluster, a value that isn't finite, fewer scenarios than planned: undecided.
///
/// # Errors
/// [`DesignError`] where the criterion or its units contradict themselves.
pub fn assess(
    criterion: &Criterion,
    units: &[Unit],
    settings: &Settings,
) -> Result<CriterionOutcome, DesignError> {
    assess_all(&[(criterion, units)], settings).map(|mut outcomes| outcomes.remove(0))
}

/// Assesses many criteria as [`assess`] does each, byte for byte, in a fraction of the time: criteria over equally many
/// clusters share one set of resamples. The order of outcomes is that of the criteria.
///
/// # Errors
/// [`DesignError`] of the first criterion that contradicts itself or its units.
pub fn assess_all(
    criteria: &[(&Criterion, &[Unit])],
    settings: &Settings,
) -> Result<Vec<CriterionOutcome>, DesignError> {
    let assessed = Assessed::all(criteria, settings)?;
    Ok(conclude_all(assessed, settings).into_iter().map(|(_, outcome)| outcome).collect())
}

/// Assesses criteria only as far as the verdict on them all depends on it, for simulations: where one is undecided for
/// good, another can still reject but a pass of it changes nothing, so that it is left undecided without resampling. The
/// verdict is that of [`assess_all`], the outcomes may not be.
pub(crate) fn assess_for_verdict(
    criteria: &[(&Criterion, &[Unit])],
    settings: &Settings,
) -> Result<Vec<CriterionOutcome>, DesignError> {
    let settings = &Settings { outcome_only: true, ..settings.clone() };
    let assessed = Assessed::all(criteria, settings)?;
    let (asking, settled): (Vec<_>, Vec<_>) =
        assessed.into_iter().enumerate().partition(|(_, one)| !one.statistics.is_empty());
    let mut outcomes: Vec<(usize, CriterionOutcome)> =
        settled.into_iter().map(|(index, one)| (index, one.conclude(Some(Vec::new()), settings))).collect();
    let stuck = outcomes.iter().any(|(_, outcome)| outcome.outcome() == Outcome::Undecided);
    let (idle, asking): (Vec<_>, Vec<_>) =
        asking.into_iter().partition(|(_, one)| stuck && one.leans_to_pass());
    for (index, one) in idle {
        let reason = Reason::new("not-assessed", "another criterion is undecided");
        outcomes.push((index, CriterionOutcome::undecided(one.criterion, reason)));
    }
    let (indexes, asking): (Vec<usize>, Vec<Assessed<'_>>) = asking.into_iter().unzip();
    let asked = conclude_all(asking, settings);
    outcomes.extend(asked.into_iter().map(|(position, outcome)| (indexes[position], outcome)));
    outcomes.sort_by_key(|&(index, _)| index);
    Ok(outcomes.into_iter().map(|(_, outcome)| outcome).collect())
}

/// Whether [`assess`] lets a criterion pass, for simulations: without resampling where its answer can't be yes.
///
/// # Errors
/// As [`assess`].
pub(crate) fn passes_alone(
    criterion: &Criterion,
    units: &[Unit],
    settings: &Settings,
) -> Result<bool, DesignError> {
    let assessed = Assessed::new(criterion, units, settings)?;
    if assessed.cannot_pass(settings) {
        return Ok(false);
    }
    Ok(conclude_all(vec![assessed], settings).iter().all(|(_, outcome)| outcome.outcome() == Outcome::Pass))
}

/// Resamples for all criteria at once and concludes each; with its position.
fn conclude_all(assessed: Vec<Assessed<'_>>, settings: &Settings) -> Vec<(usize, CriterionOutcome)> {
    let mut wanted: BTreeMap<usize, Vec<Statistic>> = BTreeMap::new();
    for one in assessed.iter().filter(|one| !one.statistics.is_empty()) {
        wanted.entry(one.sample.clusters).or_default().extend(one.statistics.iter().cloned());
    }
    let mut drawn = BTreeMap::new();
    for (clusters, statistics) in wanted {
        let columns = resample(&statistics, clusters, settings.resamples, settings.seed);
        drawn.insert(clusters, columns.map(Vec::into_iter));
    }
    let mut draws_of = |one: &Assessed<'_>| {
        if one.statistics.is_empty() {
            return Some(Vec::new());
        }
        let columns = drawn.get_mut(&one.sample.clusters).and_then(Option::as_mut);
        columns.map(|columns| columns.take(one.statistics.len()).collect::<Vec<_>>())
    };
    let with_draws: Vec<_> = assessed
        .into_iter()
        .map(|one| {
            let draws = draws_of(&one);
            (one, draws)
        })
        .collect();
    let together = at_once(with_draws.iter().map(|(one, _)| one.units.len()));
    with_draws
        .into_par_iter()
        .with_min_len(together)
        .enumerate()
        .map(|(position, (one, draws))| (position, one.conclude(draws, settings)))
        .collect()
}

/// Criteria that one thread takes at a time, by the units of each: one after another where they are small, as in the
/// thousands of campaigns of a simulation.
fn at_once(units: impl Iterator<Item = usize>) -> usize {
    const LARGE: usize = 1_000;
    if units.max().unwrap_or(0) < LARGE { usize::MAX } else { 1 }
}

/// A criterion between its checks and its resamples.
struct Assessed<'a> {
    criterion: &'a Criterion,
    units: &'a [Unit],
    sample: Sample,
    figures: Figures,
    /// Reasons why there is nothing to analyse.
    obstacles: Vec<Reason>,
    /// None where there are obstacles, no interval is asked for, or a figure isn't finite.
    prepared: Option<Prepared>,
    statistics: Vec<Statistic>,
}

impl<'a> Assessed<'a> {
    fn new(criterion: &'a Criterion, units: &'a [Unit], settings: &Settings) -> Result<Self, DesignError> {
        criterion.validate()?;
        let sample = Sample::prepare(criterion, units)?;
        let figures = Figures {
            margin: criterion.margin(),
            scenarios: units.len(),
            clusters: sample.clusters,
            runs: sample.runs,
            runs_per_arm: sample.runs_per_arm,
            missing_runs: sample.missing,
            ..Figures::default()
        };
        let events = criterion.claim == Claim::NoEvents;
        let obstacles = if events { Vec::new() } else { obstacles(criterion, units, &sample) };
        let analysable = !events && obstacles.is_empty();
        let prepared = if analysable { Prepared::new(criterion, &sample) } else { None };
        let asked = prepared.and_then(|prepared| {
            let statistics = prepared.statistics(settings)?;
            Some((prepared, statistics))
        });
        let (prepared, statistics) =
            asked.map_or((None, Vec::new()), |(prepared, asked)| (Some(prepared), asked));
        Ok(Self { criterion, units, sample, figures, obstacles, prepared, statistics })
    }

    fn all(criteria: &[(&'a Criterion, &'a [Unit])], settings: &Settings) -> Result<Vec<Self>, DesignError> {
        let together = at_once(criteria.iter().map(|(_, units)| units.len()));
        let new = |(criterion, units): &(&'a Criterion, &'a [Unit])| Self::new(criterion, units, settings);
        let assessed: Vec<Result<Self, DesignError>> =
            criteria.par_iter().with_min_len(together).map(new).collect();
        assessed.into_iter().collect()
    }

    /// Whether the t bounds leave pass and undecided as the only outcomes.
    fn leans_to_pass(&self) -> bool {
        let t = self.prepared.as_ref().and_then(Prepared::t);
        t.is_some_and(|t| t.high >= self.criterion.threshold())
    }

    /// Whether the t bound alone keeps it from passing: no other method can raise the bound that counts, unless it is
    /// replaced by counting.
    fn cannot_pass(&self, settings: &Settings) -> bool {
        let t = self.prepared.as_ref().and_then(Prepared::t);
        t.is_some_and(|t| t.low <= self.criterion.threshold())
            && !Discordance::count(self.criterion, &self.sample, settings).replaces()
    }

    fn conclude(self, draws: Option<Vec<Vec<f64>>>, settings: &Settings) -> CriterionOutcome {
        let Self { criterion, units, sample, mut figures, obstacles, prepared, .. } = self;
        if criterion.claim == Claim::NoEvents {
            return count_events(criterion, units, &sample, figures);
        }
        if !obstacles.is_empty() {
            return CriterionOutcome::new(criterion, Outcome::Undecided, figures, obstacles);
        }
        let analysis = prepared.zip(draws).and_then(|(prepared, draws)| prepared.conclude(draws, settings));
        let Some(analysis) = analysis else {
            let message = format!("{}: a figure isn't finite: look at the runs' values", criterion.id);
            let reason = Reason::new("not-finite", message);
            return CriterionOutcome::new(criterion, Outcome::Undecided, figures, vec![reason]);
        };
        let discordance = Discordance::count(criterion, &sample, settings);
        let interval = counted(criterion, &analysis, &discordance);
        report(criterion, &sample, &analysis, &discordance, interval, &mut figures);
        let outcome = decide(criterion, interval, &sample, settings);
        let reasons = if outcome == Outcome::Pass {
            Vec::new()
        } else {
            explain(criterion, outcome, &sample, &discordance, &figures, settings)
        };
        CriterionOutcome::new(criterion, outcome, figures, reasons)
    }
}

/// Reasons why there is nothing to analyse.
fn obstacles(criterion: &Criterion, units: &[Unit], sample: &Sample) -> Vec<Reason> {
    let id = &criterion.id;
    let mut reasons = Vec::new();
    if units.is_empty() {
        reasons.push(Reason::new("no-evidence", format!("{id}: no scenario has evidence: record some")));
        return reasons;
    }
    reasons.extend(sample.blocker.clone());
    if units.len() < criterion.scenarios {
        let message =
            format!("{id}: {} of {} planned scenarios: record the others", units.len(), criterion.scenarios);
        reasons.push(Reason::new("missing-runs", message));
    }
    if sample.clusters < 2 {
        let message =
            format!("{id}: one cluster: its error can't be estimated: add repositories or sessions");
        reasons.push(Reason::new("one-cluster", message));
    }
    if let Estimand::TailRatio { quantile } = criterion.estimand {
        let needed = tail::tail_units_needed(quantile, criterion.alpha);
        if sample.clusters < needed {
            let message = format!(
                "{id}: {} independent scenarios: a tail at {quantile} is bounded by {needed} or more",
                sample.clusters
            );
            reasons.push(Reason::new("tail-too-short", message));
        }
    }
    reasons
}

fn decide(criterion: &Criterion, interval: Interval, sample: &Sample, settings: &Settings) -> Outcome {
    let threshold = criterion.threshold();
    if interval.low > threshold && missing_share(sample) <= settings.max_missing {
        Outcome::Pass
    } else if interval.high < threshold {
        Outcome::Fail
    } else {
        Outcome::Undecided
    }
}

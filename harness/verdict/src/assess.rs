//! From units to a three-way outcome: the worse of the methods' bounds against the declared threshold.

use std::collections::BTreeMap;

use rayon::prelude::*;

use crate::analysis::{Analysis, Interval, Prepared};
use crate::criterion::{Better, Claim, Criterion, Estimand, Settings};
use crate::discordance::share_upper;
use crate::error::DesignError;
use crate::outcome::{Bounds, CriterionOutcome, Figures, Outcome, Reason};
use crate::paired::{Completion, Sample, Unit};
use crate::ratio;
use crate::resample::{Statistic, resample};
use crate::tail;

#[cfg(test)]
mod tests;

/// Clusters below which differences don't even count as harm: with two, t has one degree of freedom.
const FEWEST_FOR_HARM: usize = 3;

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

/// How many units differ between the arms, over all completions of missing runs.
#[derive(Debug, Clone, Copy)]
struct Discordance {
    /// Units (clusters, where fewer) that differ whatever the missing runs were.
    surely: usize,
    /// Those that may differ.
    possibly: usize,
    /// Units (clusters, where fewer than units) that may be worse.
    regressing: usize,
    trials: usize,
    regressing_upper: f64,
    /// The largest loss a regressing unit is taken to have, on the analysis scale.
    worst_loss: f64,
    floor: usize,
    fewest: usize,
    /// Whether there are too few units for t and bootstrap to show a non-inferiority.
    few: bool,
}

impl Discordance {
    fn count(criterion: &Criterion, sample: &Sample, settings: &Settings) -> Self {
        let (low, high) = gain_limits(criterion, sample);
        let small = sample.resolution;
        let tally = |holds: &dyn Fn(f64, f64) -> bool| {
            let mut clusters = vec![false; sample.clusters];
            for ((pair, &low), &high) in sample.pairs.iter().zip(&low).zip(&high) {
                clusters[pair.cluster] |= holds(low, high);
            }
            clusters.into_iter().filter(|&hit| hit).count()
        };
        let regressing = tally(&|low, _| low < -small);
        let trials = sample.clusters;
        Self {
            surely: tally(&|low, high| low > small || high < -small),
            possibly: tally(&|low, high| low < -small || high > small),
            regressing,
            trials,
            regressing_upper: share_upper(regressing, trials, criterion.alpha),
            worst_loss: low.iter().fold(1.0, |worst, gain| worst.max(-gain)),
            floor: settings.discordance_floor,
            fewest: settings.fewest_units,
            few: matches!(criterion.claim, Claim::NonInferiority { .. }) && trials < settings.fewest_units,
        }
    }

    /// Whether counting replaces t and bootstrap, whatever the missing runs were.
    fn replaces(&self) -> bool {
        self.few || self.possibly < self.floor
    }

    /// Whether t and bootstrap don't count towards a pass, at least for some completion of missing runs.
    fn binds(&self) -> bool {
        self.few || self.surely < self.floor
    }

    /// The lower bound of the gain by counting alone: at most that share of units, each at its worst.
    fn low(&self, criterion: &Criterion) -> f64 {
        let loss = self.regressing_upper * self.worst_loss;
        match criterion.estimand {
            Estimand::MeanDifference | Estimand::GeometricRatio => -loss,
            // Losses of a total are relative to the mean unit; a tail isn't bounded by a count of units.
            Estimand::TotalRatio => -loss.ln_1p(),
            Estimand::TailRatio { .. } => f64::NEG_INFINITY,
        }
    }
}

/// The lowest and highest gain of each unit; for a ratio of totals relative to the mean unit of the reference arm.
fn gain_limits(criterion: &Criterion, sample: &Sample) -> (Vec<f64>, Vec<f64>) {
    let (low, high) = (sample.gains(criterion, Completion::Low), sample.gains(criterion, Completion::High));
    if criterion.estimand != Estimand::TotalRatio {
        return (low, high);
    }
    // The smallest mean that missing runs allow makes every loss as large as it can be.
    let mean = |completion| {
        let (baseline, _) = sample.arms(criterion, completion);
        baseline.iter().sum::<f64>() / baseline.len() as f64
    };
    let mean = mean(Completion::Low).min(mean(Completion::High));
    let relative = |gains: Vec<f64>| gains.into_iter().map(|gain| gain / mean).collect();
    (relative(low), relative(high))
}

/// The bounds that count towards the outcome.
fn counted(criterion: &Criterion, analysis: &Analysis, discordance: &Discordance) -> Interval {
    let mut interval = analysis.bounds().unwrap_or(Interval { low: f64::NEG_INFINITY, high: f64::INFINITY });
    if discordance.replaces() {
        interval.low = discordance.low(criterion);
    } else if discordance.binds() {
        interval.low = interval.low.min(discordance.low(criterion));
    }
    if discordance.binds() && discordance.trials < FEWEST_FOR_HARM {
        interval.high = f64::INFINITY;
    }
    interval
}

/// Share of scheduled runs without a value.
fn missing_share(sample: &Sample) -> f64 {
    sample.missing as f64 / (sample.runs + sample.missing).max(1) as f64
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

/// Writes the figures in the metric's unit (relative changes for ratios).
fn report(
    criterion: &Criterion,
    sample: &Sample,
    analysis: &Analysis,
    discordance: &Discordance,
    interval: Interval,
    figures: &mut Figures,
) {
    let bounds = |interval| shown(criterion, interval);
    let counted = bounds(interval);
    (figures.baseline, figures.candidate) = levels(criterion, sample);
    figures.delta = finite(delta(criterion, analysis.gain));
    (figures.low, figures.high) = (counted.low, counted.high);
    figures.t = analysis.t.map(bounds);
    figures.bootstrap = analysis.bootstrap.map(bounds);
    figures.p_value = analysis.p_value;
    figures.sign_flip = analysis.sign_flip;
    figures.standard_error = analysis.error;
    figures.differing = discordance.surely;
    figures.regressing = discordance.regressing;
    figures.regressing_upper = Some(discordance.regressing_upper);
    figures.below_floor = discordance.binds();
}

/// A gain as candidate − baseline in the metric's unit, or as relative change.
fn delta(criterion: &Criterion, gain: f64) -> f64 {
    if criterion.estimand.is_ratio() {
        ratio::relative_change(criterion, gain)
    } else {
        // Adding zero turns −0 into 0, which reports would show as a sign.
        criterion.sign() * gain + 0.0
    }
}

fn shown(criterion: &Criterion, interval: Interval) -> Bounds {
    let convert = |gain: f64| if gain.is_finite() { finite(delta(criterion, gain)) } else { None };
    let (low, high) = (convert(interval.low), convert(interval.high));
    match criterion.better {
        Better::Higher => Bounds { low, high },
        Better::Lower => Bounds { low: high, high: low },
    }
}

fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// The level of each arm, as the estimand says, under intention to treat.
fn levels(criterion: &Criterion, sample: &Sample) -> (Option<f64>, Option<f64>) {
    let (baseline, candidate) = sample.arms(criterion, Completion::IntentionToTreat);
    let level = |values: &[f64]| {
        let sum: f64 = values.iter().sum();
        let mean = sum / values.len() as f64;
        match criterion.estimand {
            Estimand::MeanDifference => finite(mean),
            Estimand::GeometricRatio => finite(mean.exp()),
            Estimand::TotalRatio => finite(sum),
            Estimand::TailRatio { quantile } => tail::quantile_of(values, quantile),
        }
    };
    (level(&baseline), level(&candidate))
}

/// Why the outcome isn't a pass; never empty.
fn explain(
    criterion: &Criterion,
    outcome: Outcome,
    sample: &Sample,
    discordance: &Discordance,
    figures: &Figures,
    settings: &Settings,
) -> Vec<Reason> {
    let id = &criterion.id;
    let summary = summary(criterion, figures);
    if outcome == Outcome::Fail {
        let code = match criterion.claim {
            Claim::Superiority { .. } => "no-benefit",
            Claim::NonInferiority { .. } | Claim::NoEvents => "regression",
        };
        return vec![Reason::new(code, format!("{id}: {summary}"))];
    }
    let mut reasons = Vec::new();
    if sample.missing > 0 {
        let scheduled = sample.runs + sample.missing;
        let counts = format!("{id}: {} of {scheduled} runs missing", sample.missing);
        if missing_share(sample) > settings.max_missing {
            let most = 100.0 * settings.max_missing;
            let message = format!("{counts}: with more than {most} % missing nothing passes: record them");
            return vec![Reason::new("missing-runs", message)];
        }
        let message = format!("{counts}: the outcome may depend on what they would have been: record them");
        reasons.push(Reason::new("missing-runs", message));
    }
    if figures.below_floor {
        reasons.push(Reason::new("discordance-floor", floor_message(criterion, discordance)));
    } else {
        reasons.push(Reason::new("undecided", format!("{id}: {summary}")));
    }
    reasons
}

/// Why counting doesn't suffice. How many units would is the concern of [`settle`](crate::settle) alone, so that a reason
/// and what would settle it can't name different numbers.
fn floor_message(criterion: &Criterion, discordance: &Discordance) -> String {
    let Discordance { surely, floor, fewest, regressing, trials, regressing_upper, worst_loss, .. } =
        *discordance;
    let id = &criterion.id;
    let few = if surely < floor {
        format!("{id}: {surely} of {trials} units differ: t and bootstrap need {floor}")
    } else {
        format!("{id}: {trials} units: t and bootstrap need {fewest}")
    };
    let Claim::NonInferiority { margin } = criterion.claim else { return few };
    let loss = if worst_loss > 1.0 { format!(", by up to {worst_loss:.3}") } else { String::new() };
    format!(
        "{few}; counting alone ({regressing} worse) leaves up to {regressing_upper:.3} of all worse{loss}: the margin is {margin}"
    )
}

/// The delta with its bounds beside the declared margin.
fn summary(criterion: &Criterion, figures: &Figures) -> String {
    let show = |value: Option<f64>| value.map_or_else(|| "none".to_owned(), |value| format!("{value:+.4}"));
    let (low, high) = (show(figures.low), show(figures.high));
    let claim = match criterion.claim {
        Claim::NonInferiority { margin } => format!("margin {margin}"),
        Claim::Superiority { at_least } => format!("smallest gain {at_least}"),
        Claim::NoEvents => "no events".to_owned(),
    };
    format!("delta {} [{low}, {high}], {claim}", show(figures.delta))
}

/// Safety counters: any event of the candidate fails, a run unseen leaves it undecided.
fn count_events(
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

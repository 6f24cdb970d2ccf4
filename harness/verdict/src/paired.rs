//! The paired design: one unit a scenario, its runs averaged within each arm, the scenarios grouped in clusters.
//!
//! Runs are never pooled over scenarios: with several runs a scenario, pooling counts the same scenario several times
//! and a nominal 5 % error becomes anything between 2 % and 18 %. A run that was scheduled but has no value could
//! have been anything in its range, so every mean is carried as an interval of all completions.

use crate::criterion::{Better, Criterion, Estimand, Range};
use crate::error::DesignError;
use crate::estimate::ClusterSums;
use crate::outcome::Reason;

/// The evidence of one scenario for one metric.
#[derive(Debug, Clone, PartialEq)]
pub struct Unit {
    /// Scenario id, unique within a criterion.
    pub scenario: String,
    /// Repository or source session the scenario comes from; units of a cluster aren't independent.
    pub cluster: String,
    /// The metric of each scheduled baseline run, in the metric's unit; `None` for a run without a value.
    pub baseline: Vec<Option<f64>>,
    /// The same for the candidate.
    pub candidate: Vec<Option<f64>>,
}

impl Unit {
    /// A unit all of whose scheduled runs have values. A deterministic metric has one run an arm.
    pub fn complete(
        scenario: impl Into<String>,
        cluster: impl Into<String>,
        baseline: &[f64],
        candidate: &[f64],
    ) -> Self {
        let all = |values: &[f64]| values.iter().copied().map(Some).collect();
        Self {
            scenario: scenario.into(),
            cluster: cluster.into(),
            baseline: all(baseline),
            candidate: all(candidate),
        }
    }
}

/// The mean of an arm's runs on the analysis scale: over all completions of missing runs, and with each missing run
/// at the worst value of its arm (intention to treat).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mean {
    pub(crate) low: f64,
    pub(crate) worst: f64,
    pub(crate) high: f64,
}

impl Mean {
    fn middle(self) -> f64 {
        if self.low == self.high { self.low } else { 0.5 * (self.low + self.high) }
    }
}

/// A unit ready for analysis.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pair {
    /// Index of its cluster, in the order of cluster names.
    pub(crate) cluster: usize,
    pub(crate) baseline: Mean,
    pub(crate) candidate: Mean,
}

impl Pair {
    /// Means of baseline and candidate for a completion of the missing runs.
    fn arms(&self, better: Better, completion: Completion) -> (f64, f64) {
        let (baseline, candidate) = (self.baseline, self.candidate);
        match (completion, better) {
            (Completion::Low, Better::Higher) | (Completion::High, Better::Lower) => {
                (baseline.high, candidate.low)
            }
            (Completion::Low, Better::Lower) | (Completion::High, Better::Higher) => {
                (baseline.low, candidate.high)
            }
            (Completion::Middle, _) => (baseline.middle(), candidate.middle()),
            (Completion::IntentionToTreat, _) => (baseline.worst, candidate.worst),
        }
    }
}

/// All units of a criterion, ordered by cluster and scenario so that the caller's order doesn't matter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sample {
    pub(crate) pairs: Vec<Pair>,
    pub(crate) clusters: usize,
    /// Runs with a value, both arms.
    pub(crate) runs: usize,
    /// Scheduled runs without a value, both arms.
    pub(crate) missing: usize,
    pub(crate) runs_per_arm: usize,
    /// Differences up to this size are rounding, on the analysis scale.
    pub(crate) resolution: f64,
    /// Why nothing can be computed from it.
    pub(crate) blocker: Option<Reason>,
}

/// Which completion of the missing runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Completion {
    /// The worst for the candidate.
    Low,
    /// The middle of the range.
    Middle,
    /// The best for the candidate.
    High,
    /// Each missing run at the worst value of its own arm.
    IntentionToTreat,
}

impl Sample {
    /// Orders, checks and averages the units.
    ///
    /// # Errors
    /// [`DesignError`] for a scenario named twice, more scenarios than planned, or a value outside its range.
    pub(crate) fn prepare(criterion: &Criterion, units: &[Unit]) -> Result<Self, DesignError> {
        let mut ordered: Vec<&Unit> = units.iter().collect();
        ordered
            .sort_by(|left, right| (&left.cluster, &left.scenario).cmp(&(&right.cluster, &right.scenario)));
        check_scenarios(criterion, &ordered)?;
        let mut sample = Self::default();
        let mut largest = 0.0_f64;
        for (index, unit) in ordered.iter().enumerate() {
            if index == 0 || ordered[index - 1].cluster != unit.cluster {
                sample.clusters += 1;
            }
            let baseline = sample.average(criterion, unit, &unit.baseline)?;
            let candidate = sample.average(criterion, unit, &unit.candidate)?;
            let (Some(baseline), Some(candidate)) = (baseline, candidate) else { continue };
            for mean in [baseline, candidate] {
                largest = largest.max(mean.low.abs()).max(mean.high.abs());
            }
            let scheduled = unit.baseline.len().min(unit.candidate.len());
            sample.runs_per_arm = if index == 0 { scheduled } else { sample.runs_per_arm.min(scheduled) };
            sample.pairs.push(Pair { cluster: sample.clusters - 1, baseline, candidate });
        }
        sample.resolution = 1e-12 * largest;
        Ok(sample)
    }

    /// The mean of an arm's runs; none (and a blocker) where it has no meaning.
    fn average(
        &mut self,
        criterion: &Criterion,
        unit: &Unit,
        runs: &[Option<f64>],
    ) -> Result<Option<Mean>, DesignError> {
        let mut values: Vec<f64> = runs.iter().copied().flatten().collect();
        values.sort_by(f64::total_cmp);
        let missing = runs.len() - values.len();
        self.runs += values.len();
        self.missing += missing;
        for &value in &values {
            check_range(criterion, unit, value)?;
        }
        let blocker = blocker(criterion, unit, runs.len(), &values, missing);
        if blocker.is_some() {
            self.blocker = self.blocker.take().or(blocker);
            return Ok(None);
        }
        let log = criterion.estimand == Estimand::GeometricRatio;
        let scale = |value: f64| if log { value.ln() } else { value };
        let seen: f64 = values.iter().map(|&value| scale(value)).sum();
        let with = |imputed: f64| (seen + missing as f64 * imputed) / runs.len() as f64;
        let range = criterion.range.filter(|_| missing > 0).unwrap_or(Range { low: 1.0, high: 1.0 });
        let (low, high) = (with(scale(range.low)), with(scale(range.high)));
        let worst = if criterion.better == Better::Higher { low } else { high };
        Ok(Some(Mean { low, worst, high }))
    }

    /// Gains (a rise is good) of each unit on the analysis scale for a completion of the missing runs.
    pub(crate) fn gains(&self, criterion: &Criterion, completion: Completion) -> Vec<f64> {
        let sign = criterion.sign();
        self.pairs
            .iter()
            .map(|pair| {
                let (baseline, candidate) = pair.arms(criterion.better, completion);
                sign * (candidate - baseline)
            })
            .collect()
    }

    /// Run means of both arms, unit by unit, on the analysis scale for a completion of the missing runs.
    pub(crate) fn arms(&self, criterion: &Criterion, completion: Completion) -> (Vec<f64>, Vec<f64>) {
        self.pairs.iter().map(|pair| pair.arms(criterion.better, completion)).unzip()
    }

    /// Sums of `numerator` and `denominator` over the units of each cluster.
    pub(crate) fn cluster_sums(&self, numerator: &[f64], denominator: &[f64], log: bool) -> ClusterSums {
        let mut sums = ClusterSums::zero(self.clusters, log, self.resolution);
        for ((pair, &top), &bottom) in self.pairs.iter().zip(numerator).zip(denominator) {
            sums.numerator[pair.cluster] += top;
            sums.denominator[pair.cluster] += bottom;
        }
        sums
    }
}

fn check_scenarios(criterion: &Criterion, ordered: &[&Unit]) -> Result<(), DesignError> {
    let mut names: Vec<&str> = ordered.iter().map(|unit| unit.scenario.as_str()).collect();
    names.sort_unstable();
    if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(DesignError::DuplicateScenario {
            criterion: criterion.id.clone(),
            scenario: pair[0].to_owned(),
        });
    }
    if names.len() > criterion.scenarios {
        return Err(DesignError::UnplannedScenarios {
            criterion: criterion.id.clone(),
            found: names.len(),
            planned: criterion.scenarios,
        });
    }
    Ok(())
}

fn check_range(criterion: &Criterion, unit: &Unit, value: f64) -> Result<(), DesignError> {
    match criterion.range {
        Some(Range { low, high }) if value < low || value > high => Err(DesignError::OutOfRange {
            criterion: criterion.id.clone(),
            scenario: unit.scenario.clone(),
            value,
            low,
            high,
        }),
        _ => Ok(()),
    }
}

/// Why a unit's runs can't be averaged: the first reason that applies.
fn blocker(
    criterion: &Criterion,
    unit: &Unit,
    scheduled: usize,
    values: &[f64],
    missing: usize,
) -> Option<Reason> {
    let (id, scenario) = (&criterion.id, &unit.scenario);
    if scheduled == 0 {
        let message = format!("{id}: scenario {scenario}: no scheduled run in an arm: record both arms");
        return Some(Reason::new("missing-runs", message));
    }
    if values.iter().any(|value| !value.is_finite()) {
        let message = format!("{id}: scenario {scenario}: a value isn't a finite number: void the run");
        return Some(Reason::new("not-finite", message));
    }
    if criterion.estimand.is_ratio() && values.iter().any(|&value| value <= 0.0) {
        let message = format!("{id}: scenario {scenario}: a value isn't positive: use a difference of means");
        return Some(Reason::new("not-positive", message));
    }
    if missing == 0 {
        return None;
    }
    let bridgeable = criterion.range.is_some_and(|range| !criterion.estimand.is_ratio() || range.low > 0.0);
    (!bridgeable).then(|| {
        let message = format!(
            "{id}: scenario {scenario}: {missing} of {scheduled} runs missing and no range bounds what they could have been"
        );
        Reason::new("missing-runs", message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::Claim;

    fn criterion(estimand: Estimand, range: Option<Range>) -> Criterion {
        Criterion {
            id: "x".to_owned(),
            claim: Claim::Superiority { at_least: 0.0 },
            estimand,
            better: Better::Higher,
            alpha: 0.025,
            scenarios: 3,
            range,
        }
    }

    fn mean(range: Option<Range>) -> Criterion {
        criterion(Estimand::MeanDifference, range)
    }

    /// A unit with as many runs an arm as there are values.
    fn unit(id: &str, baseline: &[f64], candidate: &[f64]) -> Unit {
        Unit::complete(id, id, baseline, candidate)
    }

    #[test]
    fn designs_that_contradict_themselves_are_errors() {
        let told = |criterion: &Criterion, units: &[Unit]| match Sample::prepare(criterion, units) {
            Ok(_) => "fine".to_owned(),
            Err(error) => error.to_string(),
        };
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|id| unit(id, &[0.0, 1.0], &[1.0, 0.0]));
        let unit_range = mean(Some(Range::UNIT));
        assert_eq!(told(&unit_range, &[a.clone(), b.clone(), c.clone()]), "fine");
        assert_eq!(
            told(&unit_range, &[a.clone(), b.clone(), a.clone()]),
            "criterion x: scenario a appears twice: give one unit a scenario"
        );
        assert_eq!(
            told(&unit_range, &[a, b, c, d]),
            "criterion x: 4 scenarios where 3 are planned: judge the planned ones only"
        );
        for odd in [-0.25, 1.25] {
            assert_eq!(
                told(&unit_range, &[unit("a", &[1.0], &[odd])]),
                format!("criterion x: scenario a: value {odd} outside 0..1: correct the range or the run")
            );
            assert_eq!(told(&mean(None), &[unit("a", &[1.0], &[odd])]), "fine");
        }
    }

    #[test]
    fn a_sample_counts_runs_and_clusters() {
        let mut units = [
            unit("a", &[0.5; 3], &[0.5; 3]),
            unit("b", &[0.5; 2], &[0.5; 3]),
            unit("c", &[0.5; 3], &[0.5; 3]),
        ];
        units[1].cluster = "a".to_owned();
        units[0].candidate[1] = None;
        let sample = Sample::prepare(&mean(Some(Range::UNIT)), &units).unwrap();
        assert_eq!((sample.clusters, sample.runs, sample.missing, sample.runs_per_arm), (2, 16, 1, 2));
        let clusters: Vec<usize> = sample.pairs.iter().map(|pair| pair.cluster).collect();
        assert_eq!(clusters, [0, 0, 1]);
        assert!((sample.resolution - 2e-12 / 3.0).abs() < 1e-24);
        let large = Sample::prepare(&mean(None), &[unit("a", &[-4e6], &[1.0])]).unwrap();
        assert_eq!(large.resolution, 4e-6);
    }

    /// Runs 1 and 0 and one missing in 0..1: means from 1/3 to 2/3, 1/2 in the middle, 1/3 if the missing one counts as
    /// the worst.
    #[test]
    fn missing_runs_have_every_value_of_the_range() {
        let mut units = [unit("a", &[1.0, 0.0, 0.0], &[1.0, 1.0, 1.0])];
        units[0].baseline[2] = None;
        units[0].candidate[0] = None;
        let gain = |better, completion| {
            let criterion = Criterion { better, ..mean(Some(Range::UNIT)) };
            Sample::prepare(&criterion, &units).unwrap().gains(&criterion, completion)[0]
        };
        let all = [Completion::Low, Completion::Middle, Completion::High, Completion::IntentionToTreat];
        let close = |better, expected: [f64; 4]| {
            for (completion, expected) in all.into_iter().zip(expected) {
                let found = gain(better, completion);
                assert!((found - expected).abs() < 1e-12, "{completion:?}: {found} is not {expected}");
            }
        };
        close(Better::Higher, [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0]);
        close(Better::Lower, [-2.0 / 3.0, -1.0 / 3.0, 0.0, -1.0 / 3.0]);
    }

    /// Logs of costs 2 and 8 average to that of 4; a range that holds zero bounds no logarithm.
    #[test]
    fn geometric_means_are_means_of_logs() {
        let ratio = criterion(Estimand::GeometricRatio, Some(Range { low: 0.0, high: 9.0 }));
        let mut units = [unit("a", &[2.0, 8.0], &[4.0, 4.0])];
        let sample = Sample::prepare(&ratio, &units).unwrap();
        assert!(sample.blocker.is_none() && (sample.pairs[0].baseline.low - 4.0_f64.ln()).abs() < 1e-12);
        units[0].candidate[0] = None;
        let code = |criterion: &Criterion, units: &[Unit]| {
            let sample = Sample::prepare(criterion, units).unwrap();
            sample.blocker.map_or_else(String::new, |reason| reason.code)
        };
        assert_eq!(code(&ratio, &units), "missing-runs");
        assert_eq!(code(&Criterion { estimand: Estimand::MeanDifference, ..ratio.clone() }, &units), "");
        let positive = Criterion { range: Some(Range { low: 0.5, high: 9.0 }), ..ratio.clone() };
        assert_eq!(code(&positive, &units), "");
        assert_eq!(code(&Criterion { range: None, ..ratio.clone() }, &units), "missing-runs");
        let open = Criterion { range: None, ..ratio };
        assert_eq!(code(&open, &[unit("a", &[0.0], &[1.0])]), "not-positive");
        assert_eq!(code(&open, &[unit("a", &[1.0], &[1.0])]), "");
        assert_eq!(code(&open, &[unit("a", &[f64::INFINITY], &[1.0])]), "not-finite");
        assert_eq!(code(&open, &[unit("a", &[], &[1.0])]), "missing-runs");
        assert_eq!(
            code(&Criterion { estimand: Estimand::MeanDifference, ..open }, &[unit("a", &[0.0], &[1.0])]),
            ""
        );
    }

    #[test]
    fn the_middle_lies_between_or_is_both_ends() {
        let middle = |low, high| Mean { low, worst: low, high }.middle();
        assert_eq!((middle(1.0, 4.0), middle(0.1, 0.1)), (2.5, 0.1));
    }
}

//! Two variants side by side: every metric with its paired difference and interval. Exploratory: no margin, no verdict;
//! what counts is declared before the run, in the gate's policy.

use verdict::{Bounds, Claim, Criterion, Estimand, Settings, assess};

use crate::failure::Failure;
use crate::metric::{Metric, MetricFrame};

/// Error level of each bound; together they make a 95 % interval.
const ALPHA: f64 = 0.025;

/// One metric of both variants.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The metric.
    pub metric: Metric,
    /// Mean over scenarios of the baseline's run means.
    pub baseline: Option<f64>,
    /// The candidate's.
    pub candidate: Option<f64>,
    /// Candidate − baseline.
    pub delta: Option<f64>,
    /// Lower bound of the difference: the lower of t and bootstrap-t, clustered by repository.
    pub low: Option<f64>,
    /// Upper bound, likewise.
    pub high: Option<f64>,
    /// Scenarios with evidence.
    pub scenarios: usize,
    /// Runs with a value, both arms together.
    pub runs: usize,
}

/// Compares two variants in every metric that has values. `scenarios` and `repetitions` are the schedule's.
///
/// # Errors
/// Internal, where the frame contradicts the schedule.
pub fn compare(
    frame: &MetricFrame,
    feature: &str,
    (baseline, candidate): (&str, &str),
    (scenarios, repetitions): (usize, u32),
    seed: u64,
) -> Result<Vec<Comparison>, Failure> {
    let mut comparisons = Vec::new();
    for metric in Metric::ALL.iter().copied() {
        let units = frame.units(feature, metric, baseline, candidate, repetitions);
        if units.is_empty() {
            continue;
        }
        let criterion = Criterion {
            id: metric.id().to_owned(),
            claim: Claim::NonInferiority { margin: 0.0 },
            estimand: Estimand::MeanDifference,
            better: metric.better(),
            alpha: ALPHA,
            scenarios: scenarios.max(units.len()),
            range: None,
        };
        let assessed = assess(&criterion, &units, &Settings::new(seed))
            .map_err(|error| Failure::internal(format!("compare {}: {error}", metric.id())))?;
        let figures = assessed.figures();
        let bounds = [figures.t, figures.bootstrap];
        let side = |of: fn(&Bounds) -> Option<f64>, worse: fn(f64, f64) -> f64| {
            bounds
                .iter()
                .map(|bound| bound.as_ref().and_then(of))
                .reduce(|a, b| Some(worse(a?, b?)))
                .flatten()
        };
        comparisons.push(Comparison {
            metric,
            baseline: figures.baseline,
            candidate: figures.candidate,
            delta: figures.delta,
            low: side(|bounds| bounds.low, f64::min),
            high: side(|bounds| bounds.high, f64::max),
            scenarios: figures.scenarios,
            runs: figures.runs,
        });
    }
    Ok(comparisons)
}

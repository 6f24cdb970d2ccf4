//! All arms at one grid point, compared by the gate's own statistics.

use std::collections::BTreeMap;

use verdict::{
    Better, Case, Claim, Criterion, CriterionOutcome, DesignError, Estimand, Range, Settings, Tier, Unit,
    assess, judge,
};

use crate::policy::Draws;
use crate::record::RecordError;
use crate::scenario::Knowledge;

use super::grid::Point;
use super::run::{EmulatedRun, emulate};
use super::tools::Bench;

/// Loss of acceptance that one would trade.
const ACCEPTANCE_MARGIN: f64 = 0.05;
/// Failed checks a run more that one would trade.
const FAILED_MARGIN: f64 = 0.1;
/// One-sided error level of a release.
const ALPHA: f64 = 0.025;

/// A task and the pack of each arm; an arm without a pack is the agent alone.
pub struct Task {
    /// Its files and checks.
    pub bench: Bench,
    /// What the policy knows.
    pub knowledge: Knowledge,
    /// Packs by arm.
    pub packs: BTreeMap<String, Option<String>>,
}

/// Means of an arm over scenarios of means over runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ArmFigures {
    /// Share of accepted runs.
    pub accepted: f64,
    /// Requests a run.
    pub requests: f64,
    /// Fresh prompt tokens a run.
    pub fresh_tokens: f64,
    /// Failed checks a run.
    pub failed_checks: f64,
}

/// A candidate against the baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// The candidate.
    pub candidate: String,
    /// Geometric mean of the ratio of fresh tokens.
    pub fresh_ratio: Option<f64>,
    /// Criteria and their outcomes, by identifier.
    pub outcomes: Vec<(String, &'static str)>,
    /// The verdict at the tier `synthetic`.
    pub verdict: &'static str,
}

/// A grid point's results.
#[derive(Debug, Clone, PartialEq)]
pub struct PointFigures {
    /// The point's label.
    pub label: String,
    /// Figures by arm.
    pub arms: BTreeMap<String, ArmFigures>,
    /// Each other arm against the baseline.
    pub comparisons: Vec<Comparison>,
}

/// Runs by arm and task.
type Runs = BTreeMap<String, Vec<Vec<EmulatedRun>>>;

/// Runs every task in every arm at one point and compares each arm with `baseline`.
///
/// # Errors
/// A check can't be started.
pub fn measure(
    tasks: &[Task],
    point: &Point,
    baseline: &str,
    repetitions: u32,
    resamples: usize,
) -> Result<PointFigures, RecordError> {
    let runs = run_all(tasks, point, repetitions)?;
    let arms = runs.iter().map(|(arm, runs)| (arm.clone(), figures(runs))).collect();
    let settings = Settings { resamples, flips: resamples, ..Settings::new(point.parameters.seed) };
    let mut comparisons = Vec::new();
    for candidate in runs.keys().filter(|arm| *arm != baseline) {
        let comparison = compare(tasks, &runs, (baseline, candidate), &settings)
            .map_err(|error| RecordError::Data(format!("{}: {error}", point.label)))?;
        comparisons.push(comparison);
    }
    Ok(PointFigures { label: point.label.clone(), arms, comparisons })
}

fn run_all(tasks: &[Task], point: &Point, repetitions: u32) -> Result<Runs, RecordError> {
    let mut runs = Runs::new();
    for task in tasks {
        for (arm, pack) in &task.packs {
            let mut made = Vec::new();
            for repetition in 0..repetitions {
                let scenario = task.bench.scenario.id.clone();
                let draws = Draws { seed: point.parameters.seed, scenario, repetition };
                made.push(emulate(&task.bench, &task.knowledge, &point.parameters, &draws, pack.as_deref())?);
            }
            runs.entry(arm.clone()).or_default().push(made);
        }
    }
    Ok(runs)
}

fn figures(runs: &[Vec<EmulatedRun>]) -> ArmFigures {
    let mean = |value: fn(&EmulatedRun) -> f64| {
        let of_task = |runs: &Vec<EmulatedRun>| runs.iter().map(value).sum::<f64>() / runs.len() as f64;
        runs.iter().map(of_task).sum::<f64>() / runs.len() as f64
    };
    ArmFigures {
        accepted: mean(accepted),
        requests: mean(requests),
        fresh_tokens: mean(fresh_tokens),
        failed_checks: mean(failed_checks),
    }
}

fn accepted(run: &EmulatedRun) -> f64 {
    f64::from(u8::from(run.accepted))
}

fn requests(run: &EmulatedRun) -> f64 {
    run.requests as f64
}

fn fresh_tokens(run: &EmulatedRun) -> f64 {
    run.fresh_tokens as f64
}

fn failed_checks(run: &EmulatedRun) -> f64 {
    run.failed_checks as f64
}

/// What a criterion reads off a run.
type Value = fn(&EmulatedRun) -> f64;

fn criteria(scenarios: usize) -> Vec<(Criterion, Value)> {
    let criterion = |id: &str, claim, estimand, better, range| Criterion {
        id: id.to_owned(),
        claim,
        estimand,
        better,
        alpha: ALPHA,
        scenarios,
        range,
    };
    let worse_by = |margin| Claim::NonInferiority { margin };
    let better = Claim::Superiority { at_least: 0.0 };
    vec![
        (
            criterion(
                "acceptance",
                worse_by(ACCEPTANCE_MARGIN),
                Estimand::MeanDifference,
                Better::Higher,
                Some(Range::UNIT),
            ),
            accepted,
        ),
        (
            criterion(
                "failed-checks",
                worse_by(FAILED_MARGIN),
                Estimand::MeanDifference,
                Better::Lower,
                None,
            ),
            failed_checks,
        ),
        (criterion("fresh-tokens", better, Estimand::GeometricRatio, Better::Lower, None), fresh_tokens),
        (criterion("requests", better, Estimand::GeometricRatio, Better::Lower, None), requests),
    ]
}

fn compare(
    tasks: &[Task],
    runs: &Runs,
    (baseline, candidate): (&str, &str),
    settings: &Settings,
) -> Result<Comparison, DesignError> {
    let declared = criteria(tasks.len());
    let mut outcomes: Vec<CriterionOutcome> = Vec::new();
    for (criterion, value) in &declared {
        let units: Vec<Unit> = tasks
            .iter()
            .enumerate()
            .map(|(number, task)| {
                let of = |arm: &str| runs[arm][number].iter().map(value).collect::<Vec<f64>>();
                let scenario = &task.bench.scenario;
                Unit::complete(&scenario.id, &scenario.repo, &of(baseline), &of(candidate))
            })
            .collect();
        outcomes.push(assess(criterion, &units, settings)?);
    }
    let declared: Vec<Criterion> = declared.into_iter().map(|(criterion, _)| criterion).collect();
    let case = Case { declared: &declared, outcomes: &outcomes, faults: &[], tier: Some(Tier::Synthetic) };
    let fresh = outcomes.iter().find(|outcome| outcome.criterion().id == "fresh-tokens");
    Ok(Comparison {
        candidate: candidate.to_owned(),
        fresh_ratio: fresh.and_then(|outcome| outcome.figures().delta).map(|delta| 1.0 + delta),
        outcomes: outcomes
            .iter()
            .map(|outcome| (outcome.criterion().id.clone(), outcome.outcome().as_str()))
            .collect(),
        verdict: judge(&case).verdict.as_str(),
    })
}

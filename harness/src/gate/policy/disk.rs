//! The policy as it stands on disk, and what it may not say.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use adapters::cli::acts;
use serde::Deserialize;
use verdict::{Better, Claim, Criterion, Estimand, Range, Settings, Spending};

use super::{Declared, Kind};
use crate::failure::Failure;
use crate::gate::plan::LookPlan;
use crate::metric::Metric;

/// Largest one-sided level a policy may ask for.
const LARGEST_ALPHA: f64 = 0.05;
/// Smallest level: below it a bound asks for draws that no number of resamples gives.
const SMALLEST_ALPHA: f64 = 0.000_1;
/// Fewest resamples that give a bound at [`LARGEST_ALPHA`] a stable second digit.
const FEWEST_RESAMPLES: usize = 999;
/// Most resamples: beyond this a gate takes minutes for digits that nobody reads.
const MOST_RESAMPLES: usize = 1_000_000;
/// Fewest resamples beyond a bound.
const FEWEST_BEYOND: f64 = 20.0;
/// Fewest scheduled runs an arm and scenario.
const FEWEST_RUNS: usize = 3;
/// Most scheduled runs an arm and scenario.
const MOST_RUNS: usize = 1_000;
/// Most differing units that a floor may ask for.
const HIGHEST_FLOOR: usize = 10_000;
/// Longest time for which prices or a certificate count, days.
const LONGEST_DAYS: u32 = 366;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Policy {
    pub(super) schema: String,
    #[serde(default)]
    pub(super) feature: BTreeMap<String, Section>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Section {
    alpha: f64,
    seed: u64,
    resamples: usize,
    minimum_runs: usize,
    maximum_missing: f64,
    discordance_floor: usize,
    prices: String,
    prices_days: u32,
    certificate_days: u32,
    safety: Vec<String>,
    benefit: Vec<Benefit>,
    guard: Vec<Guard>,
    assay: Guard,
    looks: Option<Looks>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Looks {
    scenarios: Vec<usize>,
    spending: SpendingName,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum SpendingName {
    ObrienFleming,
    Pocock,
}

impl Looks {
    fn checked(self, place: &str) -> Result<LookPlan, Failure> {
        let ascending = self.scenarios.windows(2).all(|pair| pair[0] < pair[1]);
        if self.scenarios.len() < 2 || !ascending || self.scenarios[0] == 0 {
            return Err(Failure::usage(format!(
                "{place}.looks.scenarios: {:?}: give the scheduled scenarios at each of two or more looks, ascending",
                self.scenarios
            )));
        }
        let spending = match self.spending {
            SpendingName::ObrienFleming => Spending::ObrienFleming,
            SpendingName::Pocock => Spending::Pocock,
        };
        Ok(LookPlan { scenarios: self.scenarios, spending })
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Benefit {
    id: String,
    metric: String,
    estimand: EstimandName,
    at_least: f64,
    quantile: Option<f64>,
    range: Option<[f64; 2]>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Guard {
    id: String,
    metric: String,
    estimand: EstimandName,
    margin: f64,
    quantile: Option<f64>,
    range: Option<[f64; 2]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum EstimandName {
    MeanDifference,
    GeometricRatio,
    TotalRatio,
    TailRatio,
}

impl Section {
    pub(super) fn checked(self, place: &str, sha256: String) -> Result<super::Section, Failure> {
        self.floors(place)?;
        let settings = Settings {
            resamples: self.resamples,
            flips: self.resamples,
            discordance_floor: self.discordance_floor,
            max_missing: self.maximum_missing,
            ..Settings::new(self.seed)
        };
        let mut criteria = Vec::new();
        for benefit in self.benefit {
            criteria.push(benefit.declared(self.alpha, place)?);
        }
        for guard in self.guard {
            criteria.push(guard.declared(self.alpha, place)?);
        }
        for counter in &self.safety {
            criteria.push(safety(counter, self.alpha, place)?);
        }
        let assay = self.assay.declared(self.alpha, place)?;
        let looks = self.looks.map(|looks| looks.checked(place)).transpose()?;
        for (index, declared) in criteria.iter().enumerate() {
            let id = &declared.terms.id;
            if criteria[..index].iter().any(|earlier| earlier.terms.id == *id) {
                return Err(Failure::usage(format!("{place}: criterion {id}: declared twice: rename one")));
            }
        }
        Ok(super::Section {
            sha256,
            alpha: self.alpha,
            settings,
            minimum_runs: self.minimum_runs,
            prices: self.prices,
            prices_days: self.prices_days,
            certificate_days: self.certificate_days,
            criteria,
            assay,
            looks,
        })
    }

    /// A policy may ask for more than the floors, never for less.
    fn floors(&self, place: &str) -> Result<(), Failure> {
        let floors = Settings::new(0);
        let low = |key: &str, limit: String| {
            Err(Failure::usage(format!("{place}.{key}: below the floor: {limit}")))
        };
        let beyond = |key: &str, limit: String| {
            Err(Failure::usage(format!("{place}.{key}: beyond what can count: {limit}")))
        };
        if !(self.alpha > 0.0 && self.alpha <= LARGEST_ALPHA) {
            return low("alpha", format!("choose a level above 0 and at most {LARGEST_ALPHA}"));
        }
        if self.alpha < SMALLEST_ALPHA {
            return beyond("alpha", format!("choose a level of {SMALLEST_ALPHA} or more"));
        }
        if self.resamples < FEWEST_RESAMPLES {
            return low("resamples", format!("choose {FEWEST_RESAMPLES} or more"));
        }
        if (self.resamples as f64) * self.alpha < FEWEST_BEYOND {
            let needed = (FEWEST_BEYOND / self.alpha).ceil();
            return low("resamples", format!("choose {needed} or more for alpha {}", self.alpha));
        }
        if self.resamples > MOST_RESAMPLES {
            return beyond("resamples", format!("choose at most {MOST_RESAMPLES}"));
        }
        if self.minimum_runs < FEWEST_RUNS {
            return low("minimum_runs", format!("choose {FEWEST_RUNS} or more"));
        }
        if self.minimum_runs > MOST_RUNS {
            return beyond("minimum_runs", format!("choose at most {MOST_RUNS}"));
        }
        if self.discordance_floor > HIGHEST_FLOOR {
            return beyond("discordance_floor", format!("choose at most {HIGHEST_FLOOR}"));
        }
        for (key, days) in [("prices_days", self.prices_days), ("certificate_days", self.certificate_days)] {
            if !(1..=LONGEST_DAYS).contains(&days) {
                return beyond(key, format!("choose 1 to {LONGEST_DAYS} days"));
            }
        }
        if !(0.0..=floors.max_missing).contains(&self.maximum_missing) {
            return low("maximum_missing", format!("choose a share of at most {}", floors.max_missing));
        }
        if self.discordance_floor < floors.discordance_floor {
            return low("discordance_floor", format!("choose {} or more", floors.discordance_floor));
        }
        let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
        if self.prices.is_empty() || !self.prices.chars().all(plain) {
            return Err(Failure::usage(format!(
                "{place}.prices: \"{}\": name a file of scenarios/packs without folder or extension",
                self.prices
            )));
        }
        if self.benefit.is_empty() {
            return low("benefit", "declare at least one gain".to_owned());
        }
        let counted = |metric: &Metric| self.safety.iter().any(|counter| counter == metric.id());
        if let Some(left_out) = Metric::SAFETY.iter().find(|metric| !counted(metric)) {
            return low("safety", format!("declare {}", left_out.id()));
        }
        let counter = |id: &String| Metric::SAFETY.iter().any(|metric| metric.id() == id);
        if let Some(other) = self.safety.iter().find(|id| !counter(id)) {
            return beyond("safety", format!("\"{other}\" is no safety counter"));
        }
        let accepted = |metric: &str| metric == Metric::Accepted.id();
        if !self.guard.iter().any(|guard| accepted(&guard.metric))
            && !self.benefit.iter().any(|benefit| accepted(&benefit.metric))
        {
            return low("guard", format!("guard {}, or claim that it rises", Metric::Accepted.id()));
        }
        Ok(())
    }
}

impl Benefit {
    fn declared(self, alpha: f64, place: &str) -> Result<Declared, Failure> {
        let claim = Claim::Superiority { at_least: self.at_least };
        declared((self.id, self.metric), (self.estimand, self.quantile, self.range), (claim, alpha), place)
    }
}

impl Guard {
    fn declared(self, alpha: f64, place: &str) -> Result<Declared, Failure> {
        let claim = Claim::NonInferiority { margin: self.margin };
        declared((self.id, self.metric), (self.estimand, self.quantile, self.range), (claim, alpha), place)
    }
}

type Shape = (EstimandName, Option<f64>, Option<[f64; 2]>);

fn declared(
    (id, metric): (String, String),
    (estimand, quantile, range): Shape,
    (claim, alpha): (Claim, f64),
    place: &str,
) -> Result<Declared, Failure> {
    let metric = known(&metric, &id, place)?;
    let estimand = match (estimand, quantile) {
        (EstimandName::TailRatio, Some(quantile)) => Estimand::TailRatio { quantile },
        (EstimandName::TailRatio, None) => {
            return Err(Failure::usage(format!("{place}: criterion {id}: tail-ratio: state its quantile")));
        }
        (_, Some(_)) => {
            return Err(Failure::usage(format!(
                "{place}: criterion {id}: quantile: only tail-ratio has one: remove it"
            )));
        }
        (EstimandName::MeanDifference, None) => Estimand::MeanDifference,
        (EstimandName::GeometricRatio, None) => Estimand::GeometricRatio,
        (EstimandName::TotalRatio, None) => Estimand::TotalRatio,
    };
    let range = range.map(|[low, high]| Range { low, high });
    if id.is_empty() || id.chars().any(|letter| acts(letter) || letter.is_whitespace()) {
        return Err(Failure::usage(format!(
            "{place}: criterion {id:?}: not a name: use letters, digits and dashes"
        )));
    }
    if let Estimand::TailRatio { quantile } = estimand
        && !bad_side(metric.better()).contains(&quantile)
    {
        return Err(Failure::usage(format!(
            "{place}: criterion {id}: quantile {quantile}: guards no tail: choose one on the side where {} is bad",
            metric.id()
        )));
    }
    let terms = Criterion { id, claim, estimand, better: metric.better(), alpha, scenarios: 0, range };
    terms.validate().map_err(|error| Failure::usage(format!("{place}: {error}")))?;
    if let (Claim::NonInferiority { margin }, widest) = (claim, widest_margin(metric, &terms))
        && margin > widest
    {
        return Err(Failure::usage(format!(
            "{place}: criterion {}: margin {margin}: beyond what can count: choose at most {widest}",
            terms.id
        )));
    }
    let kind = if matches!(claim, Claim::Superiority { .. }) { Kind::Benefit } else { Kind::Guard };
    Ok(Declared { metric, kind, terms })
}

/// Quantiles of the tail in which a metric is bad: the upper half of what should be low.
fn bad_side(better: Better) -> RangeInclusive<f64> {
    match better {
        Better::Lower => 0.5..=1.0,
        Better::Higher => 0.0..=0.5,
    }
}

/// The widest margin that still guards something: a tenth of all runs in acceptance, a quarter of a bill (half of its
/// tail), one event a run, and never the whole range of a metric.
fn widest_margin(metric: Metric, terms: &Criterion) -> f64 {
    let range = terms.range.map_or(f64::INFINITY, |range| 0.99 * (range.high - range.low));
    let own = match (terms.estimand, metric) {
        (Estimand::TailRatio { .. }, _) => 0.5,
        (Estimand::GeometricRatio | Estimand::TotalRatio, _) => 0.25,
        (Estimand::MeanDifference, Metric::Accepted) => 0.1,
        (Estimand::MeanDifference, Metric::Rework | Metric::FailedVerifications) => 1.0,
        (Estimand::MeanDifference, _) => f64::INFINITY,
    };
    own.min(range)
}

fn safety(name: &str, alpha: f64, place: &str) -> Result<Declared, Failure> {
    let metric = known(name, name, place)?;
    let terms = Criterion {
        id: name.to_owned(),
        claim: Claim::NoEvents,
        estimand: Estimand::MeanDifference,
        better: metric.better(),
        alpha,
        scenarios: 0,
        range: None,
    };
    Ok(Declared { metric, kind: Kind::Safety, terms })
}

fn known(metric: &str, criterion: &str, place: &str) -> Result<Metric, Failure> {
    Metric::by_id(metric).ok_or_else(|| {
        Failure::usage(format!(
            "{place}: criterion {criterion}: unknown metric \"{metric}\": choose one that the frame has"
        ))
    })
}

//! Bounds of the gain of a criterion: t and bootstrap-t for mean-like estimands, widened by missing runs.
//!
//! A criterion is prepared (estimates, t bounds), says what it asks of the resamples, and concludes from the answers, so
//! that all criteria of a campaign share one set of resamples.

use crate::bootstrap::{Kernel, Studentised};
use crate::criterion::{Criterion, Estimand, Settings};
use crate::estimate::{ClusterSums, Estimate, error_inflation};
use crate::outcome::SignFlip;
use crate::paired::{Completion, Sample};
use crate::ratio;
use crate::resample::Statistic;
use crate::signflip::sign_flip;
use crate::t;
use crate::tail::Tail;

/// A pair of one-sided bounds on the analysis scale; infinite where there is no bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Interval {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Interval {
    /// The worse bound on each side.
    pub(crate) fn hull(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether the threshold lies strictly outside.
    pub(crate) fn excludes(self, threshold: f64) -> bool {
        self.low > threshold || self.high < threshold
    }
}

/// What the methods say about the gain (a rise is good) on the analysis scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Analysis {
    /// Point estimate under intention to treat.
    pub(crate) gain: f64,
    pub(crate) error: Option<f64>,
    pub(crate) t: Option<Interval>,
    pub(crate) bootstrap: Option<Interval>,
    pub(crate) p_value: Option<f64>,
    pub(crate) sign_flip: Option<SignFlip>,
}

impl Analysis {
    /// The worse bounds of the methods that gave any; none where no method did.
    pub(crate) fn bounds(&self) -> Option<Interval> {
        match (self.t, self.bootstrap) {
            (Some(t), Some(bootstrap)) => Some(t.hull(bootstrap)),
            (only, None) | (None, only) => only,
        }
    }
}

/// A sample ready for resampling.
#[derive(Debug, Clone)]
pub(crate) enum Prepared {
    /// A mean or a ratio of sums.
    Mean(Box<Mean>),
    /// A ratio of tails.
    Tail(Tail),
}

impl Prepared {
    /// Prepares a sample without blocker and with at least two clusters; none where a figure isn't finite.
    pub(crate) fn new(criterion: &Criterion, sample: &Sample) -> Option<Self> {
        match criterion.estimand {
            Estimand::TailRatio { quantile } => Tail::new(criterion, sample, quantile).map(Self::Tail),
            _ => Mean::new(criterion, sample).map(|mean| Self::Mean(Box::new(mean))),
        }
    }

    /// The t bounds; none for a tail.
    pub(crate) fn t(&self) -> Option<Interval> {
        match self {
            Self::Mean(mean) => Some(mean.t),
            Self::Tail(_) => None,
        }
    }

    /// What it asks of the resamples; nothing where the outcome is known without them and only that is wanted.
    pub(crate) fn statistics(&self, settings: &Settings) -> Option<Vec<Statistic>> {
        match self {
            Self::Mean(mean) if settings.outcome_only && !mean.t.excludes(mean.threshold) => Some(Vec::new()),
            Self::Mean(mean) => mean.kernels(),
            Self::Tail(tail) => Some(tail.kernels.iter().cloned().map(Statistic::Tail).collect()),
        }
    }

    /// The analysis, from the sorted values of each statistic.
    pub(crate) fn conclude(&self, draws: Vec<Vec<f64>>, settings: &Settings) -> Option<Analysis> {
        match self {
            Self::Mean(mean) => Some(mean.conclude(draws, settings)),
            Self::Tail(tail) => tail.conclude(&draws),
        }
    }
}

/// Estimates and t bounds of a mean-like estimand.
#[derive(Debug, Clone)]
pub(crate) struct Mean {
    alpha: f64,
    threshold: f64,
    completions: Completions,
    /// The estimate for the completion that is worst for the candidate, with the largest error of any completion.
    worst: Estimate,
    /// The error that t counts: the larger of the delta method's and, for a ratio of totals, the jackknife's.
    t_error: f64,
    /// The gain for the best completion.
    best: f64,
    /// The gain under intention to treat.
    treated: f64,
    t: Interval,
}

impl Mean {
    fn new(criterion: &Criterion, sample: &Sample) -> Option<Self> {
        let completions = Completions::new(criterion, sample);
        let low = completions.low.estimate()?;
        let high = completions.high.estimate()?;
        let treated = completions.treated.estimate()?;
        let error = completions.largest_error()?;
        let t_error = error * completions.jackknife_excess()?;
        let reach = t_error * t::reach(criterion.alpha, sample.clusters);
        Some(Self {
            alpha: criterion.alpha,
            threshold: criterion.threshold(),
            completions,
            worst: Estimate { value: low.value, error },
            t_error,
            best: high.value,
            treated: treated.value,
            t: Interval { low: low.value - reach, high: high.value + reach },
        })
    }

    fn kernels(&self) -> Option<Vec<Statistic>> {
        let kernel = |sums| Kernel::new(sums).map(Statistic::Studentised);
        self.completions.distinct().into_iter().map(kernel).collect()
    }

    fn conclude(&self, draws: Vec<Vec<f64>>, settings: &Settings) -> Analysis {
        let mut analysis = Analysis {
            gain: self.treated,
            error: Some(self.worst.error),
            t: Some(self.t),
            bootstrap: None,
            p_value: None,
            sign_flip: None,
        };
        if draws.is_empty() {
            return analysis;
        }
        let draws: Vec<Studentised> = draws.into_iter().map(|sorted| Studentised { sorted }).collect();
        let upper = draws.iter().map(|draws| draws.upper(self.alpha)).fold(f64::NEG_INFINITY, f64::max);
        let lower = draws.iter().map(|draws| draws.lower(self.alpha)).fold(f64::INFINITY, f64::min);
        let error = self.worst.error;
        analysis.bootstrap = Some(Interval {
            low: self.worst.value - stretch(upper, error),
            high: self.best - stretch(lower, error),
        });
        if settings.outcome_only {
            return analysis;
        }
        let by_bootstrap =
            draws.iter().map(|draws| draws.p_value(self.worst, self.threshold)).fold(0.0, f64::max);
        let worst = Estimate { error: self.t_error, ..self.worst };
        let by_t = t::p_value(worst, self.threshold, self.completions.treated.clusters());
        analysis.p_value = Some(by_bootstrap.max(by_t));
        let sums = &self.completions.treated;
        let null = if sums.log { self.threshold.exp() } else { self.threshold };
        analysis.sign_flip = Some(sign_flip(&sums.residuals(null), settings));
        analysis
    }
}

/// A number of standard errors as a distance; a standard error of zero leaves no distance.
fn stretch(errors: f64, error: f64) -> f64 {
    if error == 0.0 { 0.0 } else { errors * error }
}

/// Cluster sums for the completions of the missing runs. Without missing runs they are all alike.
#[derive(Debug, Clone)]
struct Completions {
    low: ClusterSums,
    middle: ClusterSums,
    high: ClusterSums,
    treated: ClusterSums,
    /// Each cluster as close to the median cluster as its missing runs allow: the least spread, and so the completion in
    /// which resamples without spread are likeliest.
    tight: ClusterSums,
    /// How much larger than that of the middle completion the standard error of a mean can be.
    inflation: f64,
    complete: bool,
}

impl Completions {
    fn new(criterion: &Criterion, sample: &Sample) -> Self {
        let ones = vec![1.0; sample.pairs.len()];
        let sums = |completion| {
            if criterion.estimand == Estimand::TotalRatio {
                ratio::totals(criterion, sample, completion)
            } else {
                sample.cluster_sums(&sample.gains(criterion, completion), &ones, false)
            }
        };
        let treated = sums(Completion::IntentionToTreat);
        if sample.missing == 0 {
            return Self {
                low: treated.clone(),
                middle: treated.clone(),
                high: treated.clone(),
                tight: treated.clone(),
                treated,
                inflation: 0.0,
                complete: true,
            };
        }
        let (low, middle, high) = (sums(Completion::Low), sums(Completion::Middle), sums(Completion::High));
        let gains = |completion| sample.gains(criterion, completion);
        let (worst, best) = (gains(Completion::Low), gains(Completion::High));
        let widths: Vec<f64> = worst.iter().zip(&best).map(|(low, high)| 0.5 * (high - low)).collect();
        Self {
            tight: tight(&low, &middle, &high),
            low,
            middle,
            high,
            treated,
            inflation: error_inflation(&widths, |index| sample.pairs[index].cluster, sample.clusters),
            complete: false,
        }
    }

    /// A bound of the standard error over all completions; none where it isn't finite.
    fn largest_error(&self) -> Option<f64> {
        let middle = self.middle.estimate()?.error;
        let error = if self.complete {
            middle
        } else if self.middle.log {
            ratio::largest_error(&self.low, &self.high)
        } else {
            middle + self.inflation
        };
        error.is_finite().then_some(error)
    }

    /// By which factor the jackknife's error exceeds the delta method's, at least 1; 1 for means. None where it isn't finite.
    fn jackknife_excess(&self) -> Option<f64> {
        let mut excess = 1.0_f64;
        for sums in self.distinct().into_iter().filter(|sums| sums.log) {
            let error = sums.estimate()?.error;
            let jackknife = sums.jackknife_log_error();
            if !jackknife.is_finite() {
                return None;
            }
            if error > 0.0 {
                excess = excess.max(jackknife / error);
            }
        }
        Some(excess)
    }

    fn distinct(&self) -> Vec<&ClusterSums> {
        if self.complete {
            vec![&self.middle]
        } else {
            vec![&self.low, &self.middle, &self.high, &self.treated, &self.tight]
        }
    }
}

/// Cluster sums whose ratios are as close to their median as the limits of the numerators allow.
fn tight(low: &ClusterSums, middle: &ClusterSums, high: &ClusterSums) -> ClusterSums {
    let mut ratios: Vec<f64> =
        middle.numerator.iter().zip(&middle.denominator).map(|(top, bottom)| top / bottom).collect();
    ratios.sort_by(f64::total_cmp);
    let median = ratios.get(ratios.len() / 2).copied().unwrap_or(0.0);
    let mut sums = middle.clone();
    for (index, sum) in sums.numerator.iter_mut().enumerate() {
        let closest = median * middle.denominator[index];
        *sum = closest.max(low.numerator[index]).min(high.numerator[index]);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::{Better, Claim, Range};
    use crate::paired::Unit;

    #[test]
    fn an_interval_excludes_what_lies_strictly_outside() {
        let interval = Interval { low: 0.1, high: 0.2 };
        let excluded = [0.05, 0.1, 0.15, 0.2, 0.25].map(|threshold| interval.excludes(threshold));
        assert_eq!(excluded, [true, false, false, false, true]);
        assert_eq!(interval.hull(Interval { low: 0.0, high: 0.15 }), Interval { low: 0.0, high: 0.2 });
    }

    #[test]
    fn no_error_is_no_distance() {
        assert_eq!((stretch(f64::INFINITY, 0.0), stretch(-3.0, 0.5)), (0.0, -1.5));
    }

    fn sums(numerator: &[f64], denominator: &[f64]) -> ClusterSums {
        ClusterSums {
            numerator: numerator.to_vec(),
            denominator: denominator.to_vec(),
            log: false,
            resolution: 0.0,
        }
    }

    /// Ratios 2, 1, 4, 3 and 5 of the middle have the median 3; numerators go as near to three times their denominator as
    /// their limits allow.
    #[test]
    fn the_tight_completion_goes_to_the_median() {
        let denominator = [1.0, 2.0, 2.0, 1.0, 1.0];
        let middle = sums(&[2.0, 2.0, 8.0, 3.0, 5.0], &denominator);
        let (low, high) =
            (sums(&[1.0, 1.0, 5.0, 3.0, 4.5], &denominator), sums(&[3.5, 4.0, 9.0, 3.0, 6.0], &denominator));
        assert_eq!(tight(&low, &middle, &high).numerator, [3.0, 4.0, 6.0, 3.0, 4.5]);
    }

    fn criterion(estimand: Estimand) -> Criterion {
        Criterion {
            id: "cost".to_owned(),
            claim: Claim::Superiority { at_least: 0.0 },
            estimand,
            better: Better::Lower,
            alpha: 0.025,
            scenarios: 30,
            range: Some(Range { low: 0.5, high: 4.0 }),
        }
    }

    /// 30 costs, the candidate's lower by a share.
    fn prepared(estimand: Estimand, saved: f64) -> Prepared {
        let units: Vec<Unit> = (0..30)
            .map(|index| {
                let cost = 1.0 + f64::from(index % 7) / 5.0;
                let noise = 1.0 + f64::from(index * 11 % 13 - 6) / 30.0;
                let (scenario, after) = (format!("s{index:02}"), cost * noise * (1.0 - saved));
                Unit::complete(scenario.clone(), scenario, &[cost], &[after])
            })
            .collect();
        let criterion = criterion(estimand);
        Prepared::new(&criterion, &Sample::prepare(&criterion, &units).unwrap()).unwrap()
    }

    /// Where only the outcome is wanted, what t leaves undecided needs no resamples.
    #[test]
    fn resamples_are_asked_where_they_can_matter() {
        let (report, outcome) = (Settings::new(1), Settings { outcome_only: true, ..Settings::new(1) });
        let asked =
            |saved, settings| prepared(Estimand::GeometricRatio, saved).statistics(settings).unwrap().len();
        assert_eq!((asked(0.0, &report), asked(0.0, &outcome)), (1, 0));
        assert_eq!((asked(0.3, &report), asked(0.3, &outcome)), (1, 1));
        assert!(prepared(Estimand::GeometricRatio, 0.3).t().unwrap().low > 0.0);
        let tail = prepared(Estimand::TailRatio { quantile: 0.9 }, 0.3);
        assert!(tail.t().is_none() && tail.statistics(&outcome).unwrap().len() == 1);
    }

    /// Equal ratios have no error by either method, and so no excess.
    #[test]
    fn the_jackknife_exceeds_by_a_factor_of_at_least_one() {
        let excess = |numerator: &[f64], denominator: &[f64]| {
            let only = ClusterSums { log: true, ..sums(numerator, denominator) };
            let copy = || only.clone();
            let completions = Completions {
                low: copy(),
                middle: copy(),
                high: copy(),
                treated: copy(),
                tight: copy(),
                inflation: 0.0,
                complete: true,
            };
            completions.jackknife_excess()
        };
        assert_eq!(excess(&[0.1, 0.2, 0.7], &[0.3, 0.6, 2.1]), Some(1.0), "whatever rounding leaves");
        let long = ClusterSums { log: true, ..sums(&[1.0, 2.0, 30.0], &[1.0, 3.0, 2.0]) };
        let expected = long.jackknife_log_error() / long.estimate().unwrap().error;
        assert!(expected > 1.0);
        assert_eq!(excess(&long.numerator, &long.denominator), Some(expected));
        assert_eq!(excess(&[1.0, 0.0], &[1.0, 1.0]), None, "without the first cluster nothing is left");
    }

    /// Gains 1, 2 and 3 have the error 1/√3, and three draws bound a tail of a quarter by their first and last. A
    /// difference of 1.5 is 2.6 errors and beyond every draw; t with 2 degrees has the tail (1 − t/√(2 + t²))/2. With an
    /// error of t four times as large, t is the worse of the two.
    #[test]
    fn bounds_and_p_values_of_hand_worked_draws() {
        let gains = Criterion {
            claim: Claim::Superiority { at_least: 0.5 },
            better: Better::Higher,
            alpha: 0.25,
            scenarios: 3,
            range: None,
            ..criterion(Estimand::MeanDifference)
        };
        let units = [1.0, 2.0, 3.0]
            .map(|gain| Unit::complete(format!("s{gain}"), format!("s{gain}"), &[0.0], &[gain]));
        let mut mean = Mean::new(&gains, &Sample::prepare(&gains, &units).unwrap()).unwrap();
        let error = 1.0 / 3.0_f64.sqrt();
        let conclude = |mean: &Mean| mean.conclude(vec![vec![-4.0, -1.0, 2.0]], &Settings::new(1));
        let close = |found: f64, expected: f64| {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        };
        let found = conclude(&mean);
        let bootstrap = found.bootstrap.unwrap();
        close(bootstrap.low, 2.0 - 2.0 * error);
        close(bootstrap.high, 2.0 + 4.0 * error);
        close(found.p_value.unwrap(), 0.25);
        // Signs of 0.5, 1.5 and 2.5: none but the observed ones reach 4.5.
        assert_eq!(found.sign_flip, Some(SignFlip { p: 0.125, exact: true }));
        mean.t_error = 4.0 * error;
        let t = 1.5 / mean.t_error;
        close(conclude(&mean).p_value.unwrap(), 0.5 * (1.0 - t / (2.0 + t * t).sqrt()));
    }

    /// Differences 1, 2 and 6 in clusters of one, one and two units, as in the module of estimates.
    #[test]
    fn missing_runs_add_their_inflation_to_the_error() {
        let copy = || sums(&[1.0, 2.0, 6.0], &[1.0, 1.0, 2.0]);
        let missing = Completions {
            low: copy(),
            middle: copy(),
            high: copy(),
            treated: copy(),
            tight: copy(),
            inflation: 0.25,
            complete: false,
        };
        let squares = 1.25_f64.powi(2) + 0.25_f64.powi(2) + 1.5_f64.powi(2);
        let expected = (1.5 * squares).sqrt() / 4.0 + 0.25;
        assert!((missing.largest_error().unwrap() - expected).abs() < 1e-12, "{expected}");
    }
}

//! Bounds of the gain of a criterion: t and bootstrap-t for mean-like estimands, widened by missing runs.

use crate::bootstrap::{Studentised, studentise};
use crate::criterion::{Criterion, Estimand, Settings};
use crate::estimate::{ClusterSums, Estimate, error_inflation};
use crate::paired::{Completion, Sample};
use crate::ratio;
use crate::signflip::sign_flip;
use crate::t;

use crate::outcome::SignFlip;

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

/// Analyses a sample without blocker and with at least two clusters; none where a figure isn't finite.
pub(crate) fn analyse(criterion: &Criterion, sample: &Sample, settings: &Settings) -> Option<Analysis> {
    if let Estimand::TailRatio { quantile } = criterion.estimand {
        return ratio::analyse_tail(criterion, sample, quantile, settings);
    }
    let completions = Completions::new(criterion, sample);
    let [low, middle, high, treated] = completions.estimates()?;
    let error = middle.error + completions.inflation;
    let threshold = criterion.threshold();
    let clusters = sample.clusters;
    let reach = error * t::reach(criterion.alpha, clusters);
    let t = Interval { low: low.value - reach, high: high.value + reach };
    let worst = Estimate { value: low.value, error };
    let mut analysis = Analysis {
        gain: treated.value,
        error: Some(error),
        t: Some(t),
        bootstrap: None,
        p_value: None,
        sign_flip: None,
    };
    if settings.outcome_only && !t.excludes(threshold) {
        return Some(analysis);
    }
    let draws = completions.studentise(settings)?;
    let quantile =
        |of: fn(&Studentised, f64) -> f64| draws.iter().map(move |draws| of(draws, criterion.alpha));
    let upper = quantile(Studentised::upper).fold(f64::NEG_INFINITY, f64::max);
    let lower = quantile(Studentised::lower).fold(f64::INFINITY, f64::min);
    analysis.bootstrap =
        Some(Interval { low: low.value - stretch(upper, error), high: high.value - stretch(lower, error) });
    if settings.outcome_only {
        return Some(analysis);
    }
    let p_bootstrap = draws.iter().map(|draws| draws.p_value(worst, threshold)).fold(0.0, f64::max);
    analysis.p_value = Some(p_bootstrap.max(t::p_value(worst, threshold, clusters)));
    let sums = &completions.treated;
    let null = if sums.log { threshold.exp() } else { threshold };
    analysis.sign_flip = Some(sign_flip(&sums.residuals(null), settings));
    Some(analysis)
}

/// A number of standard errors as a distance; a standard error of zero leaves no distance.
fn stretch(errors: f64, error: f64) -> f64 {
    if error == 0.0 { 0.0 } else { errors * error }
}

/// Cluster sums for the completions of the missing runs. Without missing runs they are all alike.
struct Completions {
    low: ClusterSums,
    middle: ClusterSums,
    high: ClusterSums,
    treated: ClusterSums,
    /// Each cluster as close to the median cluster as its missing runs allow: the least spread, and so the completion in
    /// which resamples without spread are likeliest.
    tight: ClusterSums,
    inflation: f64,
    complete: bool,
}

impl Completions {
    fn new(criterion: &Criterion, sample: &Sample) -> Self {
        if criterion.estimand == Estimand::TotalRatio {
            return Self::equal(ratio::totals(criterion, sample));
        }
        let ones = vec![1.0; sample.pairs.len()];
        let sums = |completion| sample.cluster_sums(&sample.gains(criterion, completion), &ones, false);
        if sample.missing == 0 {
            return Self::equal(sums(Completion::IntentionToTreat));
        }
        let (low, high) =
            (sample.gains(criterion, Completion::Low), sample.gains(criterion, Completion::High));
        let widths: Vec<f64> = low.iter().zip(&high).map(|(low, high)| 0.5 * (high - low)).collect();
        let (worst, best) =
            (sample.cluster_sums(&low, &ones, false), sample.cluster_sums(&high, &ones, false));
        let middle = sums(Completion::Middle);
        Self {
            tight: tight(&worst, &middle, &best),
            low: worst,
            middle,
            high: best,
            treated: sums(Completion::IntentionToTreat),
            inflation: error_inflation(&widths, |index| sample.pairs[index].cluster, sample.clusters),
            complete: false,
        }
    }

    fn equal(sums: ClusterSums) -> Self {
        Self {
            low: sums.clone(),
            middle: sums.clone(),
            high: sums.clone(),
            tight: sums.clone(),
            treated: sums,
            inflation: 0.0,
            complete: true,
        }
    }

    fn estimates(&self) -> Option<[Estimate; 4]> {
        Some([self.low.estimate()?, self.middle.estimate()?, self.high.estimate()?, self.treated.estimate()?])
    }

    fn studentise(&self, settings: &Settings) -> Option<Vec<Studentised>> {
        let all = if self.complete {
            vec![&self.middle]
        } else {
            vec![&self.low, &self.middle, &self.high, &self.treated, &self.tight]
        };
        all.into_iter().map(|sums| studentise(sums, settings)).collect()
    }
}

/// Cluster sums as close to the median of the middle completion as the limits allow.
fn tight(low: &ClusterSums, middle: &ClusterSums, high: &ClusterSums) -> ClusterSums {
    let mut means: Vec<f64> =
        middle.numerator.iter().zip(&middle.denominator).map(|(sum, units)| sum / units).collect();
    means.sort_by(f64::total_cmp);
    let median = means.get(means.len() / 2).copied().unwrap_or(0.0);
    let mut sums = middle.clone();
    for (index, sum) in sums.numerator.iter_mut().enumerate() {
        let closest = median * middle.denominator[index];
        *sum = closest.max(low.numerator[index]).min(high.numerator[index]);
    }
    sums
}

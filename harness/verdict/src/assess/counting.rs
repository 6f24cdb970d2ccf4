//! Counting units that differ, which replaces t and bootstrap where they are few.

use crate::analysis::{Analysis, Interval};
use crate::criterion::{Claim, Criterion, Estimand, Settings};
use crate::discordance::share_upper;
use crate::paired::{Completion, Sample};

/// Clusters below which differences don't even count as harm: with two, t has one degree of freedom.
const FEWEST_FOR_HARM: usize = 3;

/// How many units differ between the arms, over all completions of missing runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Discordance {
    /// Units (clusters, where fewer) that differ whatever the missing runs were.
    pub(super) surely: usize,
    /// Those that may differ.
    pub(super) possibly: usize,
    /// Units (clusters, where fewer than units) that may be worse.
    pub(super) regressing: usize,
    pub(super) trials: usize,
    pub(super) regressing_upper: f64,
    /// The largest loss a regressing unit is taken to have, on the analysis scale.
    pub(super) worst_loss: f64,
    pub(super) floor: usize,
    pub(super) fewest: usize,
    /// Whether there are too few units for t and bootstrap to show a non-inferiority.
    pub(super) few: bool,
}

impl Discordance {
    /// Counts them in a sample.
    pub(super) fn count(criterion: &Criterion, sample: &Sample, settings: &Settings) -> Self {
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
    pub(super) fn replaces(&self) -> bool {
        self.few || self.possibly < self.floor
    }

    /// Whether t and bootstrap don't count towards a pass, at least for some completion of missing runs.
    pub(super) fn binds(&self) -> bool {
        self.few || self.surely < self.floor
    }

    /// The lower bound of the gain by counting alone: at most that share of units, each at its worst.
    pub(super) fn low(&self, criterion: &Criterion) -> f64 {
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
pub(super) fn gain_limits(criterion: &Criterion, sample: &Sample) -> (Vec<f64>, Vec<f64>) {
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
pub(super) fn counted(criterion: &Criterion, analysis: &Analysis, discordance: &Discordance) -> Interval {
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

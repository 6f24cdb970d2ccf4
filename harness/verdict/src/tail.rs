//! Ratios of the arms' tails. A tail has no usable standard error: its bounds are the worse of the percentile and the
//! basic bootstrap (Davison and Hinkley 1997, 5.2 and 5.3). A tail rises with each value, so the completions of missing
//! runs that are worst and best for the candidate bound all others, resample by resample.

use crate::analysis::{Analysis, Interval};
use crate::criterion::Criterion;
use crate::paired::{Completion, Sample};

/// The smallest value that at least a share `quantile` of the values doesn't exceed; none for no values.
pub(crate) fn quantile_of(values: &[f64], quantile: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(from_below(quantile, sorted.len()).checked_sub(1)?).copied()
}

/// Fewest independent units whose largest value bounds a quantile from above at level 1 − alpha (Wilks 1941).
pub(crate) fn tail_units_needed(quantile: f64, alpha: f64) -> usize {
    (alpha.ln() / quantile.ln()).ceil() as usize
}

/// The 1-based rank from below of a quantile among `count` values; 0.95 of 20 is 19 in spite of rounding.
fn from_below(quantile: f64, count: usize) -> usize {
    ((quantile * count as f64 - 1e-9).ceil() as usize).clamp(count.min(1), count)
}

/// The gain of a tail as a function of how often each cluster was drawn.
#[derive(Debug, Clone)]
pub(crate) struct TailKernel {
    baseline: Descending,
    candidate: Descending,
    quantile: f64,
    sign: f64,
}

impl TailKernel {
    fn new(criterion: &Criterion, sample: &Sample, quantile: f64, completion: Completion) -> Self {
        let (baseline, candidate) = sample.arms(criterion, completion);
        Self {
            baseline: Descending::new(&baseline, sample),
            candidate: Descending::new(&candidate, sample),
            quantile,
            sign: criterion.sign(),
        }
    }

    /// The gain (log ratio, a rise is good) where cluster g counts `weights[g]` times.
    pub(crate) fn gain(&self, weights: &[f64]) -> f64 {
        let tail = |arm: &Descending| arm.quantile(weights, self.quantile);
        self.sign * (tail(&self.candidate) - tail(&self.baseline))
    }
}

/// A tail criterion ready for resampling.
#[derive(Debug, Clone)]
pub(crate) struct Tail {
    threshold: f64,
    alpha: f64,
    /// Gains for the worst completion, the best, and intention to treat.
    gains: [f64; 3],
    /// Kernels of the worst completion and, where it differs, the best.
    pub(crate) kernels: Vec<TailKernel>,
}

impl Tail {
    /// None where a figure isn't finite.
    pub(crate) fn new(criterion: &Criterion, sample: &Sample, quantile: f64) -> Option<Self> {
        let kernel = |completion| TailKernel::new(criterion, sample, quantile, completion);
        let as_seen = vec![1.0; sample.clusters];
        let gain = |completion| kernel(completion).gain(&as_seen);
        let gains = [Completion::Low, Completion::High, Completion::IntentionToTreat].map(gain);
        let kernels = if sample.missing == 0 {
            vec![kernel(Completion::Low)]
        } else {
            vec![kernel(Completion::Low), kernel(Completion::High)]
        };
        let tail = Self { threshold: criterion.threshold(), alpha: criterion.alpha, gains, kernels };
        gains.iter().all(|gain| gain.is_finite()).then_some(tail)
    }

    /// Bounds and p-value from the sorted gains of each kernel's resamples.
    pub(crate) fn conclude(&self, draws: &[Vec<f64>]) -> Option<Analysis> {
        let (worst, best) = (draws.first()?, draws.last()?);
        let [low, high, treated] = self.gains;
        let places = (worst.len() + 1) as f64;
        let rank = (places * self.alpha + 1e-9).floor() as usize;
        let bounds = if rank == 0 {
            Interval { low: f64::NEG_INFINITY, high: f64::INFINITY }
        } else {
            let percentile = Interval { low: worst[rank - 1], high: best[best.len() - rank] };
            let basic =
                Interval { low: 2.0 * low - worst[worst.len() - rank], high: 2.0 * high - best[rank - 1] };
            percentile.hull(basic)
        };
        let percentile = worst.iter().filter(|&&draw| draw <= self.threshold).count();
        let basic = worst.iter().filter(|&&draw| 2.0 * low - draw <= self.threshold).count();
        Some(Analysis {
            gain: treated,
            error: None,
            t: None,
            bootstrap: Some(bounds),
            p_value: Some((percentile.max(basic) + 1) as f64 / places),
            sign_flip: None,
        })
    }
}

/// An arm's run means from the largest down, as logs, with the cluster and the number of units of each cluster.
#[derive(Debug, Clone)]
struct Descending {
    values: Vec<(f64, usize)>,
    sizes: Vec<f64>,
}

impl Descending {
    fn new(values: &[f64], sample: &Sample) -> Self {
        let mut sizes = vec![0.0; sample.clusters];
        let mut sorted = Vec::with_capacity(values.len());
        for (value, pair) in values.iter().zip(&sample.pairs) {
            sizes[pair.cluster] += 1.0;
            sorted.push((value.ln(), pair.cluster));
        }
        sorted.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        Self { values: sorted, sizes }
    }

    /// The quantile where cluster g counts `weights[g]` times.
    fn quantile(&self, weights: &[f64], quantile: f64) -> f64 {
        let total: f64 = weights.iter().zip(&self.sizes).map(|(weight, size)| weight * size).sum();
        let total = total as usize;
        let mut left = (total - from_below(quantile, total) + 1) as f64;
        for &(value, cluster) in &self.values {
            let weight = weights[cluster];
            if weight >= left {
                return value;
            }
            left -= weight;
        }
        // Weights are counts of the units walked over, so the loop has returned by now.
        f64::NAN
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paired::{Mean, Pair};

    #[test]
    fn quantiles_are_values_that_were_seen() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        for (quantile, expected) in [(0.95, 19.0), (0.951, 20.0), (0.5, 10.0), (0.001, 1.0)] {
            assert_eq!(quantile_of(&values, quantile), Some(expected));
        }
        assert_eq!(quantile_of(&[], 0.5), None);
        assert_eq!((tail_units_needed(0.95, 0.05), tail_units_needed(0.95, 0.025)), (59, 72));
    }

    /// Clusters of two, one and one units with values 1, 2 | 8 | 4: a weight counts for each unit of its cluster.
    #[test]
    fn weighted_quantiles_equal_those_of_the_drawn_values() {
        let exact = |value: f64| Mean { low: value, worst: value, high: value };
        let pair = |cluster, value| Pair { cluster, baseline: exact(value), candidate: exact(value) };
        let sample = Sample {
            pairs: vec![pair(0, 1.0), pair(0, 2.0), pair(1, 8.0), pair(2, 4.0)],
            clusters: 3,
            ..Sample::default()
        };
        let arm = Descending::new(&[1.0, 2.0, 8.0, 4.0], &sample);
        for weights in [[1.0, 1.0, 1.0], [3.0, 0.0, 0.0], [0.0, 1.0, 2.0], [2.0, 0.0, 1.0]] {
            let mut drawn = Vec::new();
            for (cluster, values) in [(0, [1.0, 2.0].as_slice()), (1, &[8.0]), (2, &[4.0])] {
                for _ in 0..weights[cluster] as usize {
                    drawn.extend_from_slice(values);
                }
            }
            for quantile in [0.25, 0.5, 0.75, 0.95] {
                let expected = quantile_of(&drawn, quantile).unwrap().ln();
                assert_eq!(arm.quantile(&weights, quantile), expected, "{weights:?} {quantile}");
            }
        }
    }

    /// Nine draws at alpha 0.2: two of the ten places. Percentile 2 to 8, basic 2·4.5 − 8 to 2·5.5 − 2.
    #[test]
    fn bounds_and_p_value_of_hand_worked_draws() {
        let tail = |alpha, threshold| Tail { threshold, alpha, gains: [4.5, 5.5, 5.0], kernels: Vec::new() };
        let draws = || vec![(1..=9).map(f64::from).collect::<Vec<f64>>()];
        let found = tail(0.2, 2.5).conclude(&draws()).unwrap();
        assert_eq!(found.bootstrap, Some(Interval { low: 1.0, high: 9.0 }));
        assert_eq!(
            (found.gain, found.p_value),
            (5.0, Some(0.4)),
            "9 − 9, 9 − 8 and 9 − 7 reach 2.5 by basic"
        );
        // By percentile 1 to 6 reach 6, by basic all but 9 − 1 and 9 − 2 do.
        assert_eq!(tail(0.2, 6.0).conclude(&draws()).unwrap().p_value, Some(0.8));
        // By percentile 1 to 8 reach 8.5, by basic all nine do.
        assert_eq!(tail(0.2, 8.5).conclude(&draws()).unwrap().p_value, Some(1.0));
        // Basic 2·7 − 8 to 2·3 − 2 lies within the percentiles.
        let within = Tail { gains: [7.0, 3.0, 5.0], ..tail(0.2, 2.5) }.conclude(&draws()).unwrap();
        assert_eq!(within.bootstrap, Some(Interval { low: 2.0, high: 8.0 }));
        let unbounded = tail(0.05, 2.5).conclude(&draws()).unwrap().bootstrap.unwrap();
        assert_eq!((unbounded.low, unbounded.high), (f64::NEG_INFINITY, f64::INFINITY));
        let two = vec![(1..=9).map(f64::from).collect(), (11..=19).map(f64::from).collect::<Vec<f64>>()];
        let wide = tail(0.2, 2.5).conclude(&two).unwrap();
        assert_eq!(
            wide.bootstrap,
            Some(Interval { low: 1.0, high: 18.0 }),
            "the best completion bounds above"
        );
        assert_eq!(tail(0.2, 2.5).conclude(&[]), None);
    }

    /// A missing run asks for a kernel of each completion.
    #[test]
    fn missing_runs_are_resampled_both_ways() {
        let criterion = Criterion {
            id: "tail".to_owned(),
            claim: crate::criterion::Claim::Superiority { at_least: 0.0 },
            estimand: crate::criterion::Estimand::TailRatio { quantile: 0.5 },
            better: crate::criterion::Better::Lower,
            alpha: 0.025,
            scenarios: 3,
            range: Some(crate::criterion::Range { low: 1.0, high: 9.0 }),
        };
        let mut units: Vec<crate::paired::Unit> = [4.0, 2.0, 8.0]
            .iter()
            .map(|&cost| {
                crate::paired::Unit::complete(format!("s{cost}"), format!("s{cost}"), &[cost], &[cost])
            })
            .collect();
        let tail = |units: &[crate::paired::Unit]| {
            Tail::new(&criterion, &Sample::prepare(&criterion, units).unwrap(), 0.5).unwrap()
        };
        let full = tail(&units);
        assert_eq!((full.kernels.len(), full.gains), (1, [0.0; 3]));
        units[0].candidate[0] = None;
        let fewer = tail(&units);
        assert_eq!(fewer.kernels.len(), 2);
        let expected = [(4.0_f64 / 8.0).ln(), (4.0_f64 / 2.0).ln(), (4.0_f64 / 8.0).ln()];
        for (found, expected) in fewer.gains.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
        }
    }
}

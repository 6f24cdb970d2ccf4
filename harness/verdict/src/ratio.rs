//! Ratios: relative changes and the log scale they are analysed on, ratios of totals, ratios of tails.
//!
//! A geometric ratio is a mean of logs and goes the way of every mean. The ratio of totals is a ratio of cluster sums on
//! the log scale. A tail has no usable standard error: its bounds are the worse of the percentile and the basic
//! bootstrap (Davison and Hinkley 1997, 5.2 and 5.3).

use rayon::prelude::*;

use crate::analysis::{Analysis, Interval};
use crate::criterion::{Better, Criterion, Settings};
use crate::estimate::ClusterSums;
use crate::paired::Sample;
use crate::random::{Below, Purpose, stream};

/// The relative change (ratio − 1) of a log gain, in the direction of the metric.
pub(crate) fn relative_change(criterion: &Criterion, gain: f64) -> f64 {
    (criterion.sign() * gain).exp_m1()
}

/// Cluster totals, oriented so that the log of their ratio is a gain.
pub(crate) fn totals(criterion: &Criterion, sample: &Sample) -> ClusterSums {
    let (baseline, candidate) = arms(sample);
    match criterion.better {
        Better::Higher => sample.cluster_sums(&candidate, &baseline, true),
        Better::Lower => sample.cluster_sums(&baseline, &candidate, true),
    }
}

/// Run means of both arms, unit by unit. Ratios of sums admit no missing runs, so all completions are one.
pub(crate) fn arms(sample: &Sample) -> (Vec<f64>, Vec<f64>) {
    sample.pairs.iter().map(|pair| (pair.baseline.worst, pair.candidate.worst)).unzip()
}

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

/// Bounds of the log ratio of the arms' quantiles.
pub(crate) fn analyse_tail(
    criterion: &Criterion,
    sample: &Sample,
    quantile: f64,
    settings: &Settings,
) -> Option<Analysis> {
    let (baseline, candidate) = arms(sample);
    let sign = criterion.sign();
    let gain = sign * (quantile_of(&candidate, quantile)?.ln() - quantile_of(&baseline, quantile)?.ln());
    let (baseline, candidate) = (Descending::new(&baseline, sample), Descending::new(&candidate, sample));
    let below = Below::new(sample.clusters)?;
    let mut draws: Vec<f64> = (0..settings.resamples)
        .into_par_iter()
        .with_min_len(64)
        .map(|index| {
            let mut rng = stream(settings.seed, Purpose::Bootstrap, index as u64);
            let mut weights = vec![0_u32; sample.clusters];
            for _ in 0..sample.clusters {
                weights[below.draw(&mut rng)] += 1;
            }
            sign * (candidate.quantile(&weights, quantile) - baseline.quantile(&weights, quantile))
        })
        .collect();
    draws.sort_unstable_by(f64::total_cmp);
    let rank = ((draws.len() + 1) as f64 * criterion.alpha + 1e-9).floor() as usize;
    let bounds = if rank == 0 {
        Interval { low: f64::NEG_INFINITY, high: f64::INFINITY }
    } else {
        let percentile = Interval { low: draws[rank - 1], high: draws[draws.len() - rank] };
        percentile.hull(Interval { low: 2.0 * gain - percentile.high, high: 2.0 * gain - percentile.low })
    };
    let threshold = criterion.threshold();
    let percentile = draws.iter().filter(|&&draw| draw <= threshold).count();
    let basic = draws.iter().filter(|&&draw| 2.0 * gain - draw <= threshold).count();
    let p_value = (percentile.max(basic) + 1) as f64 / (draws.len() + 1) as f64;
    Some(Analysis {
        gain,
        error: None,
        t: None,
        bootstrap: Some(bounds),
        p_value: Some(p_value),
        sign_flip: None,
    })
}

/// An arm's run means from the largest down, as logs, with the cluster and the number of units of each cluster.
struct Descending {
    values: Vec<(f64, usize)>,
    sizes: Vec<u32>,
}

impl Descending {
    fn new(values: &[f64], sample: &Sample) -> Self {
        let mut sizes = vec![0_u32; sample.clusters];
        let mut sorted = Vec::with_capacity(values.len());
        for (value, pair) in values.iter().zip(&sample.pairs) {
            sizes[pair.cluster] += 1;
            sorted.push((value.ln(), pair.cluster));
        }
        sorted.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
        Self { values: sorted, sizes }
    }

    /// The quantile where cluster g counts `weights[g]` times.
    fn quantile(&self, weights: &[u32], quantile: f64) -> f64 {
        let total: u32 = weights.iter().zip(&self.sizes).map(|(weight, size)| weight * size).sum();
        let total = total as usize;
        let mut left = total - from_below(quantile, total) + 1;
        for &(value, cluster) in &self.values {
            let weight = weights[cluster] as usize;
            if weight >= left {
                return value;
            }
            left -= weight;
        }
        // Weights are counts of the units walked over, so the loop has returned by now.
        f64::NAN
    }
}

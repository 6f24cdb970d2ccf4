//! Ratios: relative changes and the log scale they are analysed on, ratios of totals.
//!
//! A geometric ratio is a mean of logs and goes the way of every mean. The ratio of totals is a ratio of cluster sums on
//! the log scale.

use crate::criterion::{Better, Criterion};
use crate::estimate::ClusterSums;
use crate::paired::{Completion, Sample};

/// The relative change (ratio − 1) of a log gain, in the direction of the metric.
pub(crate) fn relative_change(criterion: &Criterion, gain: f64) -> f64 {
    (criterion.sign() * gain).exp_m1()
}

/// Cluster totals for a completion of the missing runs, oriented so that the log of their ratio is a gain.
pub(crate) fn totals(criterion: &Criterion, sample: &Sample, completion: Completion) -> ClusterSums {
    let (baseline, candidate) = sample.arms(criterion, completion);
    match criterion.better {
        Better::Higher => sample.cluster_sums(&candidate, &baseline, true),
        Better::Lower => sample.cluster_sums(&baseline, &candidate, true),
    }
}

/// An upper bound of the standard error of a log ratio of totals over all completions of missing runs, from the
/// completions that are worst and best for the gain.
///
/// That error is sqrt(G/(G−1) · Σ u_g²) with u_g = num_g/Σnum − den_g/Σden (delta method), and each of the two shares grows
/// with its own cluster's sum and falls with the others', so u_g lies between limits that the limits of the sums give.
pub(crate) fn largest_error(low: &ClusterSums, high: &ClusterSums) -> f64 {
    let clusters = low.clusters() as f64;
    let shares = |least: &[f64], most: &[f64]| -> Vec<(f64, f64)> {
        let (fewest, largest): (f64, f64) = (least.iter().sum(), most.iter().sum());
        let share = |(&least, &most): (&f64, &f64)| {
            (least / (least + (largest - most)), most / (most + (fewest - least)))
        };
        least.iter().zip(most).map(share).collect()
    };
    let tops = shares(&low.numerator, &high.numerator);
    let bottoms = shares(&high.denominator, &low.denominator);
    let squares: f64 = tops
        .iter()
        .zip(&bottoms)
        .map(|(top, bottom)| (top.1 - bottom.0).powi(2).max((top.0 - bottom.1).powi(2)))
        .sum();
    (clusters / (clusters - 1.0) * squares).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(numerator: &[f64], denominator: &[f64]) -> ClusterSums {
        ClusterSums {
            numerator: numerator.to_vec(),
            denominator: denominator.to_vec(),
            log: true,
            resolution: 0.0,
        }
    }

    #[test]
    fn the_largest_error_of_one_completion_is_its_error() {
        let only = sums(&[1.0, 3.0, 2.0, 5.0], &[2.0, 2.5, 2.0, 4.0]);
        let error = only.estimate().unwrap().error;
        assert!((largest_error(&only, &only) - error).abs() < 1e-12, "{error}");
    }

    #[test]
    fn the_largest_error_bounds_every_completion() {
        let (low, high) = (
            sums(&[1.0, 3.0, 2.0, 5.0], &[2.0, 4.5, 2.0, 4.0]),
            sums(&[1.5, 3.0, 2.0, 7.0], &[2.0, 2.5, 1.0, 4.0]),
        );
        let bound = largest_error(&low, &high);
        let mut largest = 0.0_f64;
        for pattern in 0..256_u32 {
            let pick = |bit: usize, low: f64, high: f64| if pattern >> bit & 1 == 0 { low } else { high };
            let numerator: Vec<f64> = (0..4).map(|g| pick(g, low.numerator[g], high.numerator[g])).collect();
            let denominator: Vec<f64> =
                (0..4).map(|g| pick(g + 4, low.denominator[g], high.denominator[g])).collect();
            largest = largest.max(sums(&numerator, &denominator).estimate().unwrap().error);
        }
        assert!(largest <= bound && bound < 1.5 * largest, "{largest} {bound}");
    }

    /// The bound takes each cluster at its own worst completion: numerators sum to 11 to 13.5, denominators to 9 to 12.5, so
    /// that the shares lie within what all completions of one cluster against all of the others give.
    #[test]
    fn the_largest_error_takes_each_cluster_at_its_worst() {
        let (low, high) = (
            sums(&[1.0, 3.0, 2.0, 5.0], &[2.0, 4.5, 2.0, 4.0]),
            sums(&[1.5, 3.0, 2.0, 7.0], &[2.0, 2.5, 1.0, 4.0]),
        );
        let pick = |pattern: u32, bit: usize, one: f64, other: f64| {
            if pattern >> bit & 1 == 0 { one } else { other }
        };
        let mut worst = [0.0_f64; 4];
        for pattern in 0..256_u32 {
            let tops: Vec<f64> =
                (0..4).map(|g| pick(pattern, g, low.numerator[g], high.numerator[g])).collect();
            let bottoms: Vec<f64> =
                (0..4).map(|g| pick(pattern, g + 4, low.denominator[g], high.denominator[g])).collect();
            for g in 0..4 {
                let shares = tops[g] / tops.iter().sum::<f64>() - bottoms[g] / bottoms.iter().sum::<f64>();
                worst[g] = worst[g].max(shares.abs());
            }
        }
        let expected = (4.0 / 3.0 * worst.iter().map(|share| share * share).sum::<f64>()).sqrt();
        let found = largest_error(&low, &high);
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }
}

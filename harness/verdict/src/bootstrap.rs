//! Bootstrap-t: clusters are drawn with replacement, each resample studentised by its own standard error (Efron and
//! Tibshirani 1993, chapter 12; Cameron, Gelbach and Miller 2008 for clusters).
//!
//! All that the studentised ratio needs of a resample are five weighted sums over the clusters.

use crate::estimate::{ClusterSums, Estimate};
use crate::moments::{first_two_moments, mixed_moment};

/// Studentised deviations of the resamples, ascending.
#[derive(Debug, Clone)]
pub(crate) struct Studentised {
    pub(crate) sorted: Vec<f64>,
}

impl Studentised {
    /// How many standard errors below the estimate the lower bound lies; infinite with too few resamples.
    pub(crate) fn upper(&self, alpha: f64) -> f64 {
        let rank = self.tail(alpha);
        if rank == 0 { f64::INFINITY } else { self.sorted[self.sorted.len() - rank] }
    }

    /// How many standard errors (negative) the upper bound lies below the estimate.
    pub(crate) fn lower(&self, alpha: f64) -> f64 {
        let rank = self.tail(alpha);
        if rank == 0 { f64::NEG_INFINITY } else { self.sorted[rank - 1] }
    }

    /// One-sided p-value (count + 1) / (resamples + 1) of a gain at most `threshold` (Davison and Hinkley 1997, 4.2).
    pub(crate) fn p_value(&self, estimate: Estimate, threshold: f64) -> f64 {
        let distance = estimate.value - threshold;
        let beyond = if estimate.error > 0.0 {
            let observed = distance / estimate.error;
            self.sorted.len() - self.sorted.partition_point(|&draw| draw < observed)
        } else if distance > 0.0 {
            0
        } else {
            self.sorted.len()
        };
        (beyond + 1) as f64 / (self.sorted.len() + 1) as f64
    }

    /// Rank of a tail of alpha among resamples + 1 places; the tolerance keeps 10,000 × 0.025 at 250.
    fn tail(&self, alpha: f64) -> usize {
        ((self.sorted.len() + 1) as f64 * alpha + 1e-9).floor() as usize
    }
}

/// What a resample reads: residuals at the estimate, so that all sums stay small.
#[derive(Debug, Clone)]
pub(crate) struct Kernel {
    ratio: f64,
    log: bool,
    residual: Vec<f64>,
    /// Empty where all denominators are equal; then `common` is theirs.
    denominator: Vec<f64>,
    common: f64,
}

impl Kernel {
    /// The kernel of an estimate; none with fewer than two clusters.
    pub(crate) fn new(sums: &ClusterSums) -> Option<Self> {
        if sums.clusters() < 2 {
            return None;
        }
        let ratio = sums.ratio();
        let common = sums.denominator[0];
        let equal = sums.denominator.iter().all(|&value| value == common);
        let denominator = if equal { Vec::new() } else { sums.denominator.clone() };
        Some(Self { ratio, log: sums.log, residual: sums.residuals_at_estimate(), denominator, common })
    }

    /// The studentised deviation of the resample in which cluster g is drawn `weights[g]` times. A resample without
    /// spread says the deviation is infinitely many standard errors, which can only widen a bound.
    pub(crate) fn deviation(&self, weights: &[f64]) -> f64 {
        let count = self.residual.len() as f64;
        let (e, ee) = first_two_moments(weights, &self.residual);
        let (d, dd, ed) = if self.denominator.is_empty() {
            let d = self.common * count;
            (d, self.common * d, self.common * e)
        } else {
            let (d, dd) = first_two_moments(weights, &self.denominator);
            (d, dd, mixed_moment(weights, &self.residual, &self.denominator))
        };
        let shift = e / d;
        let squares = ee - 2.0 * shift * ed + shift * shift * dd;
        let spread = if squares <= 1e-12 * ee { 0.0 } else { squares };
        let error = (count / (count - 1.0) * spread).sqrt() / d;
        let (shift, error) = if self.log {
            let ratio = self.ratio + shift;
            ((ratio / self.ratio).ln(), error / ratio)
        } else {
            (shift, error)
        };
        if error > 0.0 {
            shift / error
        } else if shift == 0.0 {
            0.0
        } else {
            shift.signum() * f64::INFINITY
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The moments give what estimating the drawn clusters afresh gives.
    #[test]
    fn a_resample_equals_estimating_the_drawn_clusters() {
        let numerator = vec![1.0, 4.0, 2.5, 3.0, 0.5, 2.0];
        for (denominator, log) in [
            (vec![1.0; 6], false),
            (vec![1.0, 3.0, 2.0, 1.0, 1.0, 2.0], false),
            (vec![2.0, 3.0, 2.0, 2.5, 1.0, 1.5], true),
        ] {
            let sums = ClusterSums { numerator: numerator.clone(), denominator, log, resolution: 1e-12 };
            let seen = sums.estimate().unwrap();
            let kernel = Kernel::new(&sums).unwrap();
            for drawn in [[0, 1, 2, 3, 4, 5], [0, 0, 1, 2, 2, 5], [4, 4, 4, 4, 1, 3], [5, 1, 5, 1, 0, 0]] {
                let mut weights = [0.0; 6];
                for cluster in drawn {
                    weights[cluster] += 1.0;
                }
                let pick = |values: &[f64]| drawn.iter().map(|&cluster| values[cluster]).collect();
                let resample = ClusterSums {
                    numerator: pick(&sums.numerator),
                    denominator: pick(&sums.denominator),
                    ..sums.clone()
                };
                let again = resample.estimate().unwrap();
                let expected = (again.value - seen.value) / again.error;
                let found = kernel.deviation(&weights);
                assert!(
                    (found - expected).abs() < 1e-9 * (1.0 + expected.abs()),
                    "{found} is not {expected}"
                );
            }
        }
    }

    #[test]
    fn a_resample_without_spread_is_infinitely_far() {
        let sums = ClusterSums {
            numerator: vec![4.0, 0.0, 0.0, 0.0],
            denominator: vec![1.0; 4],
            log: false,
            resolution: 1e-12,
        };
        let kernel = Kernel::new(&sums).unwrap();
        assert_eq!(kernel.deviation(&[4.0, 0.0, 0.0, 0.0]), f64::INFINITY);
        assert_eq!(kernel.deviation(&[0.0, 2.0, 1.0, 1.0]), f64::NEG_INFINITY);
        assert_eq!(kernel.deviation(&[1.0, 1.0, 1.0, 1.0]), 0.0);
        let silent = ClusterSums { numerator: vec![0.0; 4], ..sums };
        assert_eq!(Kernel::new(&silent).unwrap().deviation(&[2.0, 1.0, 1.0, 0.0]), 0.0);
    }

    /// Nine draws: the tail of 0.2 of ten places is two, counted from either end; a tail of none bounds nothing.
    #[test]
    fn quantiles_and_p_values_count_draws() {
        let draws = Studentised { sorted: (1..=9).map(f64::from).collect() };
        assert_eq!((draws.upper(0.2), draws.lower(0.2)), (8.0, 2.0));
        assert_eq!((draws.upper(0.1), draws.lower(0.1)), (9.0, 1.0));
        assert_eq!((draws.upper(0.09), draws.lower(0.09)), (f64::INFINITY, f64::NEG_INFINITY));
        let at = |value: f64, error: f64| draws.p_value(Estimate { value, error }, 0.5);
        assert_eq!(at(8.5, 1.0), 3.0 / 10.0, "8 and 9 reach it");
        assert_eq!(at(5.0, 0.5), 2.0 / 10.0, "9 reaches it");
        assert_eq!((at(1.0, 0.0), at(0.5, 0.0), at(0.0, 0.0)), (0.1, 1.0, 1.0));
    }

    /// Equal denominators are read as one number; a cluster alone has no kernel.
    #[test]
    fn kernels_of_equal_denominators_hold_one() {
        let sums = |numerator: &[f64], denominator: &[f64]| ClusterSums {
            numerator: numerator.to_vec(),
            denominator: denominator.to_vec(),
            log: false,
            resolution: 0.0,
        };
        let equal = Kernel::new(&sums(&[1.0, 2.0], &[3.0, 3.0])).unwrap();
        assert!(equal.denominator.is_empty() && equal.common == 3.0);
        assert_eq!(Kernel::new(&sums(&[1.0, 2.0], &[3.0, 4.0])).unwrap().denominator, [3.0, 4.0]);
        assert!(Kernel::new(&sums(&[1.0], &[3.0])).is_none());
    }

    /// One cluster drawn throughout has no spread, whatever is left of it by rounding at any size of the values.
    #[test]
    fn rounding_is_no_spread() {
        for size in [1e-9, 1e-3, 0.1, 1.0, 1e3, 1e9] {
            let numerator: Vec<f64> =
                (0..7).map(|index| size * (0.1 + f64::from(index * index) / 3.0)).collect();
            for denominator in [vec![1.0; 7], (0..7).map(|index| 1.0 + f64::from(index) / 7.0).collect()] {
                let sums =
                    ClusterSums { numerator: numerator.clone(), denominator, log: false, resolution: 0.0 };
                let kernel = Kernel::new(&sums).unwrap();
                for cluster in 0..7 {
                    let mut weights = [0.0; 7];
                    weights[cluster] = 7.0;
                    assert!(!kernel.deviation(&weights).is_finite(), "{size} {cluster}");
                }
            }
        }
    }
}

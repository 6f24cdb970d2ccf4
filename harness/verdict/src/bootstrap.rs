//! Bootstrap-t: clusters are drawn with replacement, each resample studentised by its own standard error (Efron and
//! Tibshirani 1993, chapter 12; Cameron, Gelbach and Miller 2008 for clusters).
//!
//! Resample number i uses random stream number i, so the result is the same at any number of threads. A resample costs
//! one pass over as many draws as there are clusters: all that the studentised ratio needs are five weighted sums.

use rayon::prelude::*;

use crate::criterion::Settings;
use crate::estimate::{ClusterSums, Estimate};
use crate::random::{Below, Purpose, stream};

/// Resamples a task takes at once.
const CHUNK: usize = 64;

/// Studentised deviations of the resamples, ascending.
#[derive(Debug, Clone)]
pub(crate) struct Studentised {
    sorted: Vec<f64>,
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

/// Draws the studentised deviations of an estimate; none where there is nothing to resample.
pub(crate) fn studentise(sums: &ClusterSums, settings: &Settings) -> Option<Studentised> {
    let kernel = Kernel::new(sums)?;
    let chunks = settings.resamples.div_ceil(CHUNK);
    let mut sorted: Vec<f64> = (0..chunks)
        .into_par_iter()
        .flat_map_iter(|chunk| {
            let end = settings.resamples.min((chunk + 1) * CHUNK);
            let kernel = &kernel;
            (chunk * CHUNK..end).map(move |index| kernel.resample(settings.seed, index as u64))
        })
        .collect();
    sorted.sort_unstable_by(f64::total_cmp);
    Some(Studentised { sorted })
}

/// What a resample reads: residuals at the estimate, so that all sums stay small.
struct Kernel {
    below: Below,
    ratio: f64,
    log: bool,
    residual: Vec<f64>,
    /// Empty where all denominators are equal; then `common` is theirs.
    denominator: Vec<f64>,
    common: f64,
}

/// Weighted sums over one resample: residual, its square, denominator, its square, and the product.
#[derive(Default)]
struct Moments {
    e: f64,
    ee: f64,
    d: f64,
    dd: f64,
    ed: f64,
}

impl Kernel {
    fn new(sums: &ClusterSums) -> Option<Self> {
        if sums.clusters() < 2 {
            return None;
        }
        let ratio = sums.ratio();
        let common = sums.denominator[0];
        let equal = sums.denominator.iter().all(|&value| value == common);
        let denominator = if equal { Vec::new() } else { sums.denominator.clone() };
        let below = Below::new(sums.clusters())?;
        Some(Self { below, ratio, log: sums.log, residual: sums.residuals(ratio), denominator, common })
    }

    fn resample(&self, seed: u64, index: u64) -> f64 {
        let mut rng = stream(seed, Purpose::Bootstrap, index);
        let count = self.residual.len();
        let mut sums = Moments::default();
        if self.denominator.is_empty() {
            for _ in 0..count {
                let e = self.residual[self.below.draw(&mut rng)];
                sums.e += e;
                sums.ee += e * e;
            }
            sums.d = self.common * count as f64;
            sums.dd = self.common * sums.d;
            sums.ed = self.common * sums.e;
        } else {
            for _ in 0..count {
                let drawn = self.below.draw(&mut rng);
                let (e, d) = (self.residual[drawn], self.denominator[drawn]);
                sums.e += e;
                sums.ee += e * e;
                sums.d += d;
                sums.dd += d * d;
                sums.ed += e * d;
            }
        }
        self.deviation(&sums, count as f64)
    }

    /// The studentised deviation of a resample. A resample without spread says the deviation is infinitely many standard
    /// errors, which can only widen a bound.
    fn deviation(&self, sums: &Moments, count: f64) -> f64 {
        let shift = sums.e / sums.d;
        let squares = sums.ee - 2.0 * shift * sums.ed + shift * shift * sums.dd;
        let spread = if squares <= 1e-12 * sums.ee { 0.0 } else { squares };
        let error = (count / (count - 1.0) * spread).sqrt() / sums.d;
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
            for index in 0..50 {
                let mut rng = stream(9, Purpose::Bootstrap, index);
                let drawn: Vec<usize> = (0..6).map(|_| kernel.below.draw(&mut rng)).collect();
                let pick = |values: &[f64]| drawn.iter().map(|&cluster| values[cluster]).collect();
                let resample = ClusterSums {
                    numerator: pick(&sums.numerator),
                    denominator: pick(&sums.denominator),
                    ..sums.clone()
                };
                let again = resample.estimate().unwrap();
                let expected = (again.value - seen.value) / again.error;
                let found = kernel.resample(9, index);
                assert!(
                    (found - expected).abs() < 1e-9 * (1.0 + expected.abs()),
                    "{found} is not {expected}"
                );
            }
        }
    }
}

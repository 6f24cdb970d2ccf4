//! Point estimate and clustered standard error of a ratio of sums, the one form behind all mean-like estimands.
//!
//! A mean over scenarios is the ratio of cluster sums to cluster sizes, a ratio of totals that of two cluster sums. With
//! residuals e_g = num_g − θ·den_g the clustered standard error is sqrt(G/(G−1) · Σ e_g²) / Σ den_g (Liang and Zeger
//! 1986; Cameron, Gelbach and Miller 2008); with one scenario a cluster this is the ordinary s/√T.

/// Sums per cluster.
#[derive(Debug, Clone)]
pub(crate) struct ClusterSums {
    pub(crate) numerator: Vec<f64>,
    pub(crate) denominator: Vec<f64>,
    /// Whether the estimate is the logarithm of the ratio (delta method).
    pub(crate) log: bool,
    /// Standard errors up to this size are rounding.
    pub(crate) resolution: f64,
}

/// An estimate on the analysis scale.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Estimate {
    pub(crate) value: f64,
    pub(crate) error: f64,
}

impl ClusterSums {
    pub(crate) fn zero(clusters: usize, log: bool, resolution: f64) -> Self {
        Self { numerator: vec![0.0; clusters], denominator: vec![0.0; clusters], log, resolution }
    }

    pub(crate) fn clusters(&self) -> usize {
        self.numerator.len()
    }

    /// The ratio itself, before any logarithm.
    pub(crate) fn ratio(&self) -> f64 {
        self.numerator.iter().sum::<f64>() / self.denominator.iter().sum::<f64>()
    }

    /// num_g − θ·den_g for each cluster.
    pub(crate) fn residuals(&self, ratio: f64) -> Vec<f64> {
        self.numerator.iter().zip(&self.denominator).map(|(top, bottom)| top - ratio * bottom).collect()
    }

    /// The same at the estimate itself, with those of the size of rounding taken for the zero that they are.
    pub(crate) fn residuals_at_estimate(&self) -> Vec<f64> {
        let ratio = self.ratio();
        let mut residuals = self.residuals(ratio);
        for (residual, bottom) in residuals.iter_mut().zip(&self.denominator) {
            let rounding = bottom * if self.log { 1e-12 * ratio } else { self.resolution };
            if residual.abs() <= rounding {
                *residual = 0.0;
            }
        }
        residuals
    }

    /// The estimate; none with fewer than two clusters or where a figure isn't finite.
    pub(crate) fn estimate(&self) -> Option<Estimate> {
        let clusters = self.clusters();
        if clusters < 2 {
            return None;
        }
        let ratio = self.ratio();
        let squares: f64 = self.residuals(ratio).iter().map(|residual| residual * residual).sum();
        let total: f64 = self.denominator.iter().sum();
        let correction = clusters as f64 / (clusters as f64 - 1.0);
        let error = (correction * squares).sqrt() / total;
        let (value, error, resolution) =
            if self.log { (ratio.ln(), error / ratio, 1e-12) } else { (ratio, error, self.resolution) };
        let error = if error <= resolution { 0.0 } else { error };
        (value.is_finite() && error.is_finite()).then_some(Estimate { value, error })
    }
}

impl ClusterSums {
    /// The jackknife's standard error of the logarithm of the ratio, deviations taken from the estimate itself (MacKinnon,
    /// Nielsen and Webb 2023, "Fast and reliable jackknife and bootstrap methods for cluster-robust inference": CV3).
    ///
    /// The delta method's error of a ratio is too small for a few clusters with a long tail; of a mean over clusters of one
    /// size both are the same.
    pub(crate) fn jackknife_log_error(&self) -> f64 {
        let clusters = self.clusters() as f64;
        let (top, bottom): (f64, f64) = (self.numerator.iter().sum(), self.denominator.iter().sum());
        let estimate = (top / bottom).ln();
        let squares: f64 = self
            .numerator
            .iter()
            .zip(&self.denominator)
            .map(|(one, other)| (((top - one) / (bottom - other)).ln() - estimate).powi(2))
            .sum();
        ((clusters - 1.0) / clusters * squares).sqrt()
    }
}

/// An upper bound of how far completions of missing runs can raise the clustered standard error of a mean above that of
/// the middle completion. `half_widths` are the half-widths of the units' gains, `cluster` their clusters.
///
/// The standard error is a seminorm of the vector of differences, so the triangle inequality holds: SE(d) ≤ SE(middle) +
/// SE(δ) with |δ_t| ≤ half-width, and SE(δ) ≤ sqrt(G/(G−1)) / T · (‖H‖ + (ΣH/T)·‖n‖) with H_g and n_g the half-widths and
/// the units of a cluster summed.
pub(crate) fn error_inflation(half_widths: &[f64], cluster: impl Fn(usize) -> usize, clusters: usize) -> f64 {
    let units = half_widths.len() as f64;
    let mut widths = vec![0.0; clusters];
    let mut sizes = vec![0.0; clusters];
    for (index, width) in half_widths.iter().enumerate() {
        widths[cluster(index)] += width;
        sizes[cluster(index)] += 1.0;
    }
    let norm = |values: &[f64]| values.iter().map(|value| value * value).sum::<f64>().sqrt();
    let mean: f64 = widths.iter().sum::<f64>() / units;
    let correction = (clusters as f64 / (clusters as f64 - 1.0)).sqrt();
    correction / units * (norm(&widths) + mean * norm(&sizes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sums(numerator: &[f64], denominator: &[f64], log: bool) -> ClusterSums {
        ClusterSums { numerator: numerator.to_vec(), denominator: denominator.to_vec(), log, resolution: 0.0 }
    }

    /// Ratios without a cluster 3/3, 4/4 and 5/3 times 1: one deviation of ln(5/3) − ln(6/5) and two of −ln(6/5).
    #[test]
    fn jackknife_of_a_hand_worked_case() {
        let found = sums(&[3.0, 2.0, 1.0], &[2.0, 1.0, 2.0], true).jackknife_log_error();
        let (whole, without) = ((6.0_f64 / 5.0).ln(), [1.0_f64, 1.0, 5.0 / 3.0]);
        let squares: f64 = without.iter().map(|ratio| (ratio.ln() - whole).powi(2)).sum();
        assert!((found - (2.0 / 3.0 * squares).sqrt()).abs() < 1e-12, "{found}");
    }

    #[test]
    fn a_long_tail_makes_the_jackknife_larger() {
        let numerator: Vec<f64> = (0..20).map(|index| f64::from(index * index % 37) + 1.0).collect();
        let denominator: Vec<f64> = (0..20).map(|index| f64::from(index * 7 % 11) + 2.0).collect();
        let long = sums(&numerator, &denominator, true);
        let delta = long.estimate().unwrap().error;
        let jackknife = long.jackknife_log_error();
        assert!(jackknife > delta && jackknife < 1.2 * delta, "{jackknife} {delta}");
    }

    /// Differences 1, 2 and 6 in clusters of one, one and two units.
    #[test]
    fn estimate_of_a_hand_worked_case() {
        let found = sums(&[1.0, 2.0, 6.0], &[1.0, 1.0, 2.0], false).estimate().unwrap();
        let squares = (1.0_f64 - 2.25).powi(2) + (2.0_f64 - 2.25).powi(2) + (6.0_f64 - 4.5).powi(2);
        assert!((found.value - 2.25).abs() < 1e-12);
        assert!((found.error - (1.5 * squares).sqrt() / 4.0).abs() < 1e-12, "{found:?}");
        assert_eq!(sums(&[1.0], &[1.0], false).estimate(), None);
        assert_eq!(sums(&[1.0, -1.0], &[1.0, 1.0], true).estimate(), None, "no logarithm of zero");
    }

    /// Every completion of half-widths 1 about differences 0, 1, 3, 3 stays below the middle's error plus the inflation.
    #[test]
    fn inflation_bounds_every_completion() {
        let (middle, cluster) = ([0.0, 1.0, 3.0, 3.0], [0_usize, 0, 1, 2]);
        let error = |gains: &[f64]| {
            let mut all = ClusterSums::zero(3, false, 0.0);
            for (gain, &cluster) in gains.iter().zip(&cluster) {
                all.numerator[cluster] += gain;
                all.denominator[cluster] += 1.0;
            }
            all.estimate().unwrap().error
        };
        let widths = [1.0, 0.5, 0.0, 0.25];
        let bound = error(&middle) + error_inflation(&widths, |index| cluster[index], 3);
        let mut largest = 0.0_f64;
        for pattern in 0..16_u32 {
            let side = |index: usize| if pattern >> index & 1 == 0 { widths[index] } else { -widths[index] };
            let gains: Vec<f64> = (0..4).map(|index| middle[index] + side(index)).collect();
            largest = largest.max(error(&gains));
        }
        assert!(largest <= bound && bound < 2.0 * largest, "{largest} {bound}");
    }

    /// Half-widths 1, 0.5, 0 and 0.25 in clusters of two, one and one units: sums 1.5, 0 and 0.25 of sizes 2, 1 and 1.
    #[test]
    fn inflation_of_a_hand_worked_case() {
        let clusters = [0_usize, 0, 1, 2];
        let found = error_inflation(&[1.0, 0.5, 0.0, 0.25], |index| clusters[index], 3);
        let expected = 1.5_f64.sqrt() / 4.0 * (2.3125_f64.sqrt() + 1.75 / 4.0 * 6.0_f64.sqrt());
        assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
    }

    #[test]
    fn an_error_beyond_every_number_is_no_estimate() {
        assert_eq!(sums(&[1e200, 2e200, 3e200], &[1.0; 3], false).estimate(), None);
        assert!(sums(&[1.0, 2.0], &[1.0; 2], false).estimate().is_some());
        let rounding = ClusterSums { resolution: 2.0, ..sums(&[1.0, 2.0], &[1.0; 2], false) };
        assert_eq!(rounding.estimate().unwrap().error, 0.0);
    }

    /// Gains 0.1, 0.2 and 0.3 leave the second cluster nothing but rounding, whatever was added to both arms.
    #[test]
    fn residuals_of_the_size_of_rounding_are_zero() {
        let gains = |shift: f64| [0.1, 0.2, 0.3].map(|gain: f64| (shift + gain) - shift);
        for shift in [0.0_f64, 5.0, 1e3] {
            let mean =
                ClusterSums { resolution: 1e-12 * shift.max(0.3), ..sums(&gains(shift), &[1.0; 3], false) };
            let found = mean.residuals_at_estimate();
            assert!(
                found[1] == 0.0 && (found[0] + 0.1).abs() < 1e-9 && (found[2] - 0.1).abs() < 1e-9,
                "{found:?}"
            );
        }
        let totals = sums(&[0.3, 0.1, 0.5], &[0.9, 0.3, 1.5], true).residuals_at_estimate();
        assert_eq!(totals, [0.0; 3]);
        let steep = sums(&[0.3e6, 0.1e6, 0.7e6], &[0.9, 0.3, 2.1], true).residuals_at_estimate();
        assert_eq!(steep, [0.0; 3]);
        let apart = sums(&[0.3, 0.1 + 1e-10, 0.5], &[0.9, 0.3, 1.5], true).residuals_at_estimate();
        assert!(apart.iter().all(|&residual| residual != 0.0), "{apart:?}");
    }
}

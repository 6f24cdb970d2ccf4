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

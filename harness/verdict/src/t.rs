//! Paired and clustered t bounds with G − 1 degrees of freedom, G the number of clusters.

use crate::distribution::{t_tail, t_upper};
use crate::estimate::Estimate;

/// The distance of a one-sided bound from the estimate, in standard errors.
pub(crate) fn reach(alpha: f64, clusters: usize) -> f64 {
    t_upper(alpha, clusters as f64 - 1.0)
}

/// One-sided p-value of the null hypothesis that the gain is at most `threshold`.
pub(crate) fn p_value(estimate: Estimate, threshold: f64, clusters: usize) -> f64 {
    let distance = estimate.value - threshold;
    if estimate.error == 0.0 {
        return if distance > 0.0 { 0.0 } else { 1.0 };
    }
    t_tail(distance / estimate.error, clusters as f64 - 1.0)
}

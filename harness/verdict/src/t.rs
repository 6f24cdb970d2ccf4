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

#[cfg(test)]
mod tests {
    use super::*;

    /// Without an error the sign decides; with one degree of freedom the tail beyond 1 is a quarter.
    #[test]
    fn p_values_of_hand_worked_cases() {
        let p = |value: f64, error: f64| p_value(Estimate { value, error }, 0.5, 2);
        assert_eq!([p(0.6, 0.0), p(0.5, 0.0), p(0.4, 0.0)], [0.0, 1.0, 1.0]);
        assert!((p(2.5, 2.0) - 0.25).abs() < 1e-12 && (p(-1.5, 2.0) - 0.75).abs() < 1e-12);
        assert!((reach(0.25, 2) - 1.0).abs() < 1e-12);
        assert!((reach(0.05, 3) - 0.9 * (2.0_f64 / 0.19).sqrt()).abs() < 1e-12, "two degrees");
    }
}

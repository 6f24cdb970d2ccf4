//! Looking more than once: the error level is spent over the planned looks, so that all of them together err at most at it.
//!
//! A look gets the *increment* of a spending function (Lan and DeMets 1983) as its nominal level. The increments add up to
//! the level, so the chance that any look errs is at most the level whatever the statistic and however the looks depend on
//! each other (Bonferroni). Boundaries that use the dependence would be a little wider; these hold for every criterion.

use crate::distribution::{normal_tail, z_upper};

/// How much of the level is spent at which share of the information.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spending {
    /// Little at first: α*(t) = 2 − 2Φ(z(α/2)/√t), O'Brien and Fleming's boundary in Lan and DeMets' form.
    ObrienFleming,
    /// Evenly: α*(t) = α·ln(1 + (e − 1)·t), Pocock's.
    Pocock,
}

impl Spending {
    /// The level spent up to an information share of 0..1, of a one-sided level.
    #[must_use]
    pub fn spent(self, alpha: f64, share: f64) -> f64 {
        if share <= 0.0 {
            return 0.0;
        }
        if share >= 1.0 {
            return alpha;
        }
        match self {
            Self::ObrienFleming => 2.0 * normal_tail(z_upper(alpha / 2.0) / share.sqrt()),
            Self::Pocock => alpha * (std::f64::consts::E - 1.0).mul_add(share, 1.0).ln(),
        }
    }

    /// The level of one look: what is spent between the look before and it. `plan` holds the information at each look, in
    /// ascending order; none where there is no such look.
    #[must_use]
    pub fn level(self, alpha: f64, plan: &[usize], look: usize) -> Option<f64> {
        let whole = *plan.last()? as f64;
        let until = |look: usize| plan.get(look).map(|&at| self.spent(alpha, at as f64 / whole));
        let before = look.checked_sub(1).and_then(until).unwrap_or(0.0);
        Some(until(look)? - before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One-sided 0.025 at half the information: 0.00153 (O'Brien-Fleming) and 0.0155 (Pocock), as tables of Lan-DeMets
    /// spending print them.
    #[test]
    fn spending_of_a_textbook_plan() {
        assert!((Spending::ObrienFleming.spent(0.025, 0.5) - 0.001_525).abs() < 2e-6);
        assert!((Spending::Pocock.spent(0.025, 0.5) - 0.015_503).abs() < 2e-6);
    }

    #[test]
    fn levels_add_up_to_the_level_and_each_is_less() {
        for spending in [Spending::ObrienFleming, Spending::Pocock] {
            let plan = [20, 45, 80];
            let levels: Vec<f64> =
                (0..3).map(|look| spending.level(0.025, &plan, look).expect("a planned look")).collect();
            assert!((levels.iter().sum::<f64>() - 0.025).abs() < 1e-12);
            assert!(levels.iter().all(|&level| level > 0.0 && level < 0.025), "{levels:?}");
            assert_eq!(spending.level(0.025, &plan, 3), None);
            assert_eq!(spending.level(0.025, &[80], 0), Some(0.025));
        }
    }
}

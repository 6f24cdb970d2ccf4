//! The discordance floor: what silence can certify.
//!
//! When hardly any unit differs between the arms, the sample variance says nothing (all differences zero give the
//! t interval \[0, 0\], which passes any margin). Then only a count is believed: the exact upper bound of the share of
//! units that regress (Clopper and Pearson 1934), each regressing unit taken at its worst.

use crate::distribution::beta_quantile;

/// One-sided Clopper-Pearson upper bound at level 1 − `alpha` for a share, `hits` of `trials` seen; 1 for no trials.
///
/// ```
/// // Nothing seen in 72 trials bounds the share by 1 − 0.025^(1/72) < 5 %.
/// assert!((verdict::share_upper(0, 72, 0.025) - (1.0 - 0.025_f64.powf(1.0 / 72.0))).abs() < 1e-12);
/// ```
#[must_use]
pub fn share_upper(hits: usize, trials: usize, alpha: f64) -> f64 {
    if hits >= trials {
        return 1.0;
    }
    beta_quantile(hits as f64 + 1.0, (trials - hits) as f64, 1.0 - alpha)
}

/// One-sided Clopper-Pearson lower bound at level 1 − `alpha`; 0 for no trials.
#[must_use]
pub fn share_lower(hits: usize, trials: usize, alpha: f64) -> f64 {
    1.0 - share_upper(trials.saturating_sub(hits), trials, alpha)
}

/// Fewest units without any regression whose upper bound lies below `margin` (72 for 0.05 at alpha 0.025); none for a
/// margin of 0 or less, which no count can certify.
#[must_use]
pub fn silent_units_needed(margin: f64, alpha: f64) -> Option<usize> {
    if margin.is_nan() || margin <= 0.0 || !(alpha > 0.0 && alpha < 1.0) {
        return None;
    }
    if margin >= 1.0 {
        return Some(1);
    }
    // Above 2^40 units a count is no answer any more.
    let start = (alpha.ln() / (-margin).ln_1p()).floor();
    if start > 1e12 {
        return None;
    }
    let bound = |units: usize| -(alpha.ln() / units as f64).exp_m1();
    let mut units = (start as usize).max(1);
    while bound(units) >= margin {
        units += 1;
    }
    Some(units)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Upper limits of two-sided 95 % Clopper-Pearson intervals (one-sided 0.025) as printed in the usual tables, and
    /// the rule of three's exact form at one-sided 0.05.
    #[test]
    fn bounds_match_published_tables() {
        for (hits, trials, alpha, expected) in [
            (0, 10, 0.025, 0.3085),
            (1, 10, 0.025, 0.4450),
            (5, 10, 0.025, 0.8129),
            (0, 20, 0.025, 0.1684),
            (2, 20, 0.025, 0.3170),
            (10, 100, 0.025, 0.1762),
            (0, 10, 0.05, 0.2589),
            (1, 20, 0.05, 0.2161),
        ] {
            let found = share_upper(hits, trials, alpha);
            assert!((found - expected).abs() < 5.1e-5, "{hits} of {trials} at {alpha}: {found}");
        }
        assert!((share_lower(5, 10, 0.025) - 0.1871).abs() < 5.1e-5);
        assert!((share_upper(3, 3, 0.05) - 1.0).abs() < f64::EPSILON);
        assert!((share_upper(0, 0, 0.05) - 1.0).abs() < f64::EPSILON);
        assert!(share_lower(0, 9, 0.05).abs() < f64::EPSILON);
    }

    #[test]
    fn silence_needs_the_planned_numbers_of_units() {
        assert_eq!(silent_units_needed(0.05, 0.025), Some(72));
        assert_eq!(silent_units_needed(0.05, 0.05), Some(59));
        assert_eq!(silent_units_needed(0.03, 0.05), Some(99));
        assert_eq!(silent_units_needed(0.02, 0.025), Some(183));
        assert_eq!(silent_units_needed(0.0, 0.025), None);
        assert_eq!(silent_units_needed(2.0, 0.025), Some(1));
    }

    #[test]
    fn margins_and_levels_that_no_count_certifies() {
        for (margin, alpha) in [
            (f64::NAN, 0.025),
            (-0.1, 0.025),
            (0.05, 0.0),
            (0.05, 1.0),
            (0.05, 2.0),
            (0.05, f64::NAN),
            (1e-14, 0.025),
        ] {
            assert_eq!(silent_units_needed(margin, alpha), None, "{margin} {alpha}");
        }
        assert_eq!((silent_units_needed(1.0, 0.025), silent_units_needed(0.99, 0.025)), (Some(1), Some(1)));
        // Half of the units: 0.5^n must be less than the level.
        assert_eq!((silent_units_needed(0.5, 0.26), silent_units_needed(0.5, 0.24)), (Some(2), Some(3)));
    }
}

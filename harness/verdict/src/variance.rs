//! Variance components: how much of a metric's noise lies between scenarios, between the runs of one, and in how
//! differently scenarios react to the candidate.
//!
//! With T scenarios and R runs an arm, σ² (run) is the mean variance within scenario and arm; ω² (interaction) what of the
//! variance of the scenarios' differences exceeds 2σ²/R (Miller 2024, "Adding error bars to evals"), and τ² (scenario) what
//! of the variance of the baseline's run means exceeds σ²/R. The intraclass correlation is ICC(1) of the baseline with the
//! exact F interval of Shrout and Fleiss (1979).

use crate::distribution::{f_tail, f_upper};
use crate::paired::Unit;

/// A pair of limits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower limit.
    pub low: f64,
    /// Upper limit.
    pub high: f64,
}

/// Variance components of one metric, in its unit squared (log units for ratios).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Components {
    /// Scenarios they were estimated on: those with the full number of runs in both arms.
    pub scenarios: usize,
    /// Runs an arm.
    pub runs: usize,
    /// τ²: between scenarios, in the baseline; 0 where the estimate is negative.
    pub scenario: f64,
    /// σ²: between the runs of a scenario, over both arms.
    pub run: f64,
    /// ω²: between scenarios, of the expected difference between the arms; 0 where the estimate is negative.
    pub interaction: f64,
    /// p-value of no interaction, F = (R/2)·Var(d)/σ² with T − 1 and 2T(R − 1) degrees; none without run variance.
    pub interaction_p: Option<f64>,
    /// Intraclass correlation of the baseline, ICC(1); negative where runs of a scenario differ more than scenarios do,
    /// none where nothing varies.
    pub icc: Option<f64>,
    /// Its two-sided 95 % interval; none without run variance.
    pub icc_interval: Option<Interval>,
}

impl Components {
    /// The components of `units`, with logarithms taken first if `log`; none with fewer than two scenarios or runs, or a
    /// value that isn't finite.
    #[must_use]
    pub fn of(units: &[Unit], log: bool) -> Option<Self> {
        let runs = units.iter().map(|unit| unit.baseline.len().max(unit.candidate.len())).max()?;
        let mut ordered: Vec<&Unit> = units.iter().collect();
        ordered.sort_by(|left, right| left.scenario.cmp(&right.scenario));
        let arms: Vec<(Arm, Arm)> = ordered
            .iter()
            .filter_map(|unit| {
                Some((Arm::of(&unit.baseline, runs, log)?, Arm::of(&unit.candidate, runs, log)?))
            })
            .collect();
        let scenarios = arms.len();
        let (t, r) = (scenarios as f64, runs as f64);
        let within: Vec<f64> = arms.iter().map(|(baseline, _)| baseline.variance).collect();
        let both: Vec<f64> = arms.iter().map(|(one, other)| 0.5 * (one.variance + other.variance)).collect();
        let differences: Vec<f64> = arms.iter().map(|(one, other)| other.mean - one.mean).collect();
        let baseline: Vec<f64> = arms.iter().map(|(one, _)| one.mean).collect();
        let (run, of_difference) = (mean(&both), variance(&differences));
        let (inside, between) = (mean(&within), r * variance(&baseline));
        // With fewer than two scenarios or runs a variance is 0/0.
        if ![run, of_difference, between].iter().all(|value| value.is_finite()) {
            return None;
        }
        let total = between + (r - 1.0) * inside;
        let limits = || {
            let (top, bottom) = (t - 1.0, t * (r - 1.0));
            let ratio = between / inside;
            let low = ratio / f_upper(0.025, top, bottom);
            let high = ratio * f_upper(0.025, bottom, top);
            let icc = |f: f64| (f - 1.0) / (f + r - 1.0);
            Interval { low: icc(low), high: icc(high) }
        };
        Some(Self {
            scenarios,
            runs,
            scenario: ((between - inside) / r).max(0.0),
            run,
            interaction: (of_difference - 2.0 * run / r).max(0.0),
            interaction_p: (run > 0.0)
                .then(|| f_tail(0.5 * r * of_difference / run, t - 1.0, 2.0 * t * (r - 1.0))),
            icc: (total > 0.0).then(|| (between - inside) / total),
            icc_interval: (inside > 0.0).then(limits),
        })
    }
}

/// Mean and variance of the runs of one scenario in one arm.
struct Arm {
    mean: f64,
    variance: f64,
}

impl Arm {
    /// None unless all `runs` have a value.
    fn of(values: &[Option<f64>], runs: usize, log: bool) -> Option<Self> {
        let mut values: Vec<f64> = values.iter().copied().collect::<Option<_>>()?;
        if values.len() != runs {
            return None;
        }
        if log {
            values.iter_mut().for_each(|value| *value = value.ln());
        }
        values.sort_by(f64::total_cmp);
        Some(Self { mean: mean(&values), variance: variance(&values) })
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Unbiased variance of at least two values.
pub(crate) fn variance(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (values.len() as f64 - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Means 1, 3, 5 and variance 2 in each cell of two runs: between 2·4 = 8, so τ² = 3, ICC = 6/10, and differences that
    /// are all 1 leave no interaction.
    #[test]
    fn components_of_a_hand_worked_case() {
        let cell = |centre: f64| [centre - 1.0, centre + 1.0];
        let units: Vec<Unit> = [1.0, 3.0, 5.0]
            .iter()
            .map(|&centre| Unit::complete(format!("s{centre}"), "c", &cell(centre), &cell(centre + 1.0)))
            .collect();
        let found = Components::of(&units, false).unwrap();
        assert_eq!((found.scenarios, found.runs), (3, 2));
        assert!((found.scenario - 3.0).abs() < 1e-12 && (found.run - 2.0).abs() < 1e-12, "{found:?}");
        assert!(found.interaction == 0.0 && found.interaction_p == Some(1.0), "{found:?}");
        assert!((found.icc.unwrap() - 0.6).abs() < 1e-12, "{found:?}");
        let limits = found.icc_interval.unwrap();
        assert!(limits.low < 0.6 && limits.high > 0.6 && limits.high < 1.0, "{limits:?}");
    }

    #[test]
    fn what_cannot_be_estimated_is_none() {
        let unit = |id: &str, runs: &[f64]| Unit::complete(id, id, runs, runs);
        assert_eq!(Components::of(&[], false), None);
        assert_eq!(Components::of(&[unit("a", &[1.0, 2.0])], false), None);
        assert_eq!(Components::of(&[unit("a", &[1.0]), unit("b", &[2.0])], false), None);
        let mut units = vec![unit("a", &[1.0, 2.0]), unit("b", &[2.0, 4.0]), unit("c", &[2.0, 0.0])];
        assert_eq!(Components::of(&units, true), None, "a zero has no logarithm");
        units[2].candidate[1] = None;
        assert_eq!(Components::of(&units, true).map(|found| found.scenarios), Some(2));
        let silent = Components::of(&[unit("a", &[1.0; 2]), unit("b", &[1.0; 2])], false).unwrap();
        assert_eq!((silent.icc, silent.icc_interval, silent.interaction_p), (None, None, None));
    }

    /// Differences 1, 1 and 4 of cells of two runs with variances 2 and 8: σ² = 5, Var(d) = 3 is below 2σ²/R = 5, and
    /// F = 3/5 with 2 and 6 degrees has the tail (1 + 2F/6)⁻³. With variances 2 in both arms F is 3/2 and ω² is 1.
    #[test]
    fn interaction_of_a_hand_worked_case() {
        let cell = |centre: f64, half: f64| [centre - half, centre + half];
        let components = |half: f64| {
            let units: Vec<Unit> = [(1.0, 2.0), (3.0, 4.0), (5.0, 9.0)]
                .iter()
                .map(|&(before, after)| {
                    Unit::complete(format!("s{before}"), "c", &cell(before, 1.0), &cell(after, half))
                })
                .collect();
            Components::of(&units, false).unwrap()
        };
        let noisy = components(2.0);
        assert!((noisy.run - 5.0).abs() < 1e-12 && noisy.interaction == 0.0, "{noisy:?}");
        assert!((noisy.interaction_p.unwrap() - 1.2_f64.powi(-3)).abs() < 1e-12, "{noisy:?}");
        let even = components(1.0);
        assert!((even.run - 2.0).abs() < 1e-12 && (even.interaction - 1.0).abs() < 1e-12, "{even:?}");
        assert!((even.interaction_p.unwrap() - 1.5_f64.powi(-3)).abs() < 1e-12, "{even:?}");
    }

    /// Runs 0 and 2 of both arms in three scenarios with means 1: between 0, so that the correlation is −1.
    #[test]
    fn a_correlation_may_be_negative() {
        let units: Vec<Unit> =
            ["a", "b", "c"].map(|id| Unit::complete(id, id, &[0.0, 2.0], &[0.0, 2.0])).to_vec();
        let found = Components::of(&units, false).unwrap();
        assert_eq!((found.scenario, found.icc), (0.0, Some(-1.0)), "{found:?}");
    }

    /// With T = 3 and R = 2 the limits take F with 2 and 3 degrees, whose tail is (1 + 2f/3)^(−3/2), and its reciprocal:
    /// between 8 and inside 2, so a ratio of 4, and (f − 1)/(f + 1).
    #[test]
    fn limits_of_the_correlation_of_a_hand_worked_case() {
        let units: Vec<Unit> = [1.0, 3.0, 5.0]
            .iter()
            .map(|&centre| {
                let cell = [centre - 1.0, centre + 1.0];
                Unit::complete(format!("s{centre}"), "c", &cell, &cell)
            })
            .collect();
        let found = Components::of(&units, false).unwrap().icc_interval.unwrap();
        let f_with_tail = |tail: f64| 1.5 * (tail.powf(-2.0 / 3.0) - 1.0);
        let icc = |f: f64| (f - 1.0) / (f + 1.0);
        let (low, high) = (icc(4.0 / f_with_tail(0.025)), icc(4.0 / f_with_tail(0.975)));
        assert!((found.low - low).abs() < 1e-9 && (found.high - high).abs() < 1e-9, "{found:?} {low} {high}");
    }

    /// Three runs a scenario: runs 0, 1, 2 | 3, 4, 5 | 3, 4, 11 have means 1, 4, 6 and variances 1, 1, 19: between
    /// 3·19/3, inside 7, so τ² = 4 and ICC 12/33. The candidate's runs vary by 1, 1 and 1 and differ by 0, −2 and −1.
    #[test]
    fn components_of_three_runs() {
        let cells = [
            ([0.0, 1.0, 2.0], [0.0, 1.0, 2.0]),
            ([3.0, 4.0, 5.0], [1.0, 2.0, 3.0]),
            ([3.0, 4.0, 11.0], [4.0, 5.0, 6.0]),
        ];
        let units: Vec<Unit> = cells
            .iter()
            .enumerate()
            .map(|(index, (before, after))| Unit::complete(format!("s{index}"), "c", before, after))
            .collect();
        let found = Components::of(&units, false).unwrap();
        assert!((found.scenario - 4.0).abs() < 1e-12 && (found.run - 4.0).abs() < 1e-12, "{found:?}");
        assert!((found.icc.unwrap() - 12.0 / 33.0).abs() < 1e-12, "{found:?}");
        // F with 2 and 6 degrees has the tail (1 + 2f/6)⁻³; between 19 and inside 7, and (f − 1)/(f + 2).
        let limit = |tail: f64| {
            let f = 19.0 / 7.0 / (3.0 * (tail.cbrt().recip() - 1.0));
            (f - 1.0) / (f + 2.0)
        };
        let limits = found.icc_interval.unwrap();
        assert!((limits.low - limit(0.025)).abs() < 1e-9, "{limits:?}");
        assert!((limits.high - limit(0.975)).abs() < 1e-9, "{limits:?}");
        // Var(d) = 1 is below 2·4/3; F = 3/2·1/4 with 2 and 12 degrees has the tail (1 + 2F/12)⁻⁶.
        assert_eq!(found.interaction, 0.0);
        assert!((found.interaction_p.unwrap() - (1.0_f64 + 0.0625).powi(-6)).abs() < 1e-9, "{found:?}");
    }
}

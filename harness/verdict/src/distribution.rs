//! Quantiles and tails of the reference distributions, to double precision: beta, Student's t, Fisher's F, normal,
//! binomial.
//!
//! Tails come from the regularised incomplete beta function; quantiles are found by bisection on them, because the
//! usual closed-form starting points lose digits far out in the tail and a bound must never be optimistic.

use statrs::distribution::{ContinuousCDF, Normal};
use statrs::function::beta::checked_beta_reg;

/// P(X ≤ x) for Beta(a, b); a, b > 0.
#[must_use]
pub fn beta_cdf(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    checked_beta_reg(a, b, x).unwrap_or(f64::NAN)
}

/// The x with P(X ≤ x) = p for Beta(a, b).
#[must_use]
pub fn beta_quantile(a: f64, b: f64, p: f64) -> f64 {
    // A NaN tail keeps the upper limit, which is the pessimistic side for every caller.
    bisect(0.0, 1.0, |x| beta_cdf(a, b, x) < p)
}

/// The smallest number of `low..=high` that isn't `below`, by halving until none is left between the limits, at most 200
/// times. What is below must come first.
fn bisect(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        if low.next_up() >= high {
            break;
        }
        let middle = f64::midpoint(low, high);
        if below(middle) { low = middle } else { high = middle }
    }
    high
}

/// Degrees from which Student's t is taken through a normal deviate, before the beta function's logarithms lose digits.
const MANY_DEGREES: f64 = 5_000.0;

/// P(T > t) for Student's t with `freedom` > 0 degrees.
#[must_use]
pub fn t_tail(t: f64, freedom: f64) -> f64 {
    if t.is_infinite() {
        return if t.is_sign_positive() { 0.0 } else { 1.0 };
    }
    if freedom > MANY_DEGREES {
        return normal_tail(t_deviate(t, freedom));
    }
    let half = 0.5 * beta_cdf(0.5 * freedom, 0.5, freedom / (freedom + t * t));
    if t >= 0.0 { half } else { 1.0 - half }
}

/// The normal deviate with the tail of t (Hill 1970, CACM algorithm 395), here for thousands of degrees: the terms of the
/// series that are left out change a tail by less than a billionth of it up to t = 12.
fn t_deviate(t: f64, freedom: f64) -> f64 {
    let shifted = freedom - 0.5;
    let y = shifted * (t * t / freedom).ln_1p();
    let correction = (y + 3.0) / (48.0 * shifted * shifted) + 1.0;
    (correction * y.sqrt()).copysign(t)
}

/// The t with P(T > t) = alpha, for alpha in (0, 0.5).
#[must_use]
pub fn t_upper(alpha: f64, freedom: f64) -> f64 {
    let mut high = 1.0_f64;
    while t_tail(high, freedom) > alpha && high < 1e300 {
        high *= 2.0;
    }
    bisect(0.0, high, |t| t_tail(t, freedom) > alpha)
}

/// The z with P(Z > z) = alpha for the standard normal.
#[must_use]
pub fn z_upper(alpha: f64) -> f64 {
    Normal::standard().inverse_cdf(1.0 - alpha)
}

/// P(Z > z) for the standard normal.
#[must_use]
pub fn normal_tail(z: f64) -> f64 {
    Normal::standard().sf(z)
}

/// P(F > f) for Fisher's F with `numerator` and `denominator` > 0 degrees.
#[must_use]
pub fn f_tail(f: f64, numerator: f64, denominator: f64) -> f64 {
    beta_cdf(0.5 * denominator, 0.5 * numerator, denominator / (denominator + numerator * f.max(0.0)))
}

/// The f with P(F > f) = alpha, for alpha in (0, 1).
#[must_use]
pub fn f_upper(alpha: f64, numerator: f64, denominator: f64) -> f64 {
    let share = beta_quantile(0.5 * denominator, 0.5 * numerator, alpha);
    denominator * (1.0 - share) / (numerator * share)
}

/// P(X ≤ k) for a binomial count of `trials` with chance `p` in 0..=1.
#[must_use]
pub fn binomial_cdf(k: u64, trials: u64, p: f64) -> f64 {
    if k >= trials {
        return 1.0;
    }
    1.0 - beta_cdf(k as f64 + 1.0, (trials - k) as f64, p)
}

/// The smallest k with P(X ≤ k) ≥ level for a binomial count of `trials` with chance `p` in 0..=1.
#[must_use]
pub fn binomial_quantile(level: f64, trials: u64, p: f64) -> u64 {
    let (mut low, mut high) = (0, trials);
    while low < high {
        let middle = u64::midpoint(low, high);
        if binomial_cdf(middle, trials, p) >= level { high = middle } else { low = middle + 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() <= tolerance, "{found} is not {expected}");
    }

    /// Critical values as printed in the usual tables of Student's t (three decimals) and, for 1 and 2 degrees,
    /// from the closed forms tan(π(1/2 − α)) and (1 − 2α)·sqrt(2 / (4α(1 − α))).
    #[test]
    fn t_quantiles_match_tables() {
        let pi = std::f64::consts::PI;
        close(t_upper(0.025, 1.0), (pi * 0.475).tan(), 1e-10);
        close(t_upper(0.05, 2.0), 0.9 * (2.0_f64 / (4.0 * 0.05 * 0.95)).sqrt(), 1e-12);
        for (alpha, freedom, expected) in [
            (0.025, 3.0, 3.182),
            (0.025, 10.0, 2.228),
            (0.05, 10.0, 1.812),
            (0.025, 30.0, 2.042),
            (0.05, 60.0, 1.671),
            (0.005, 5.0, 4.032),
            (0.025, 1e7, 1.960),
        ] {
            close(t_upper(alpha, freedom), expected, 5e-4);
        }
    }

    #[test]
    fn tails_and_quantiles_are_inverse() {
        for freedom in [1.0, 4.0, 49.0, 9_999.0] {
            for alpha in [1e-9, 0.001, 0.025, 0.4] {
                close(t_tail(t_upper(alpha, freedom), freedom) / alpha, 1.0, 1e-9);
            }
        }
        close(z_upper(0.025), 1.959_963_984_540_054, 1e-9);
        close(t_tail(-1.0, 7.0) + t_tail(1.0, 7.0), 1.0, 1e-14);
    }

    #[test]
    fn tails_beyond_every_number() {
        assert_eq!((t_tail(f64::INFINITY, 3.0), t_tail(f64::NEG_INFINITY, 3.0)), (0.0, 1.0));
        assert_eq!((beta_cdf(2.0, 3.0, -0.5), beta_cdf(2.0, 3.0, 1.5)), (0.0, 1.0));
        assert_eq!((beta_cdf(2.0, 3.0, 0.0), beta_cdf(2.0, 3.0, 1.0)), (0.0, 1.0));
        // With one degree of freedom the tail is 1/(πt) far out.
        close(t_upper(1e-12, 1.0) * std::f64::consts::PI * 1e-12, 1.0, 1e-9);
    }

    /// Halving ends at neighbours: nothing lies between the result and the last number below.
    #[test]
    fn bisection_ends_at_neighbours() {
        let found = bisect(0.0, 1.0, |x| x < 0.3);
        assert_eq!(found, 0.3);
        assert_eq!(bisect(0.0, 1.0, |x| x <= 0.3), 0.3_f64.next_up());
        assert_eq!(bisect(0.0, 8.0, |_| true), 8.0);
        let mut asked = 0;
        let count = std::cell::Cell::new(0);
        bisect(1.0, 2.0, |x| {
            count.set(count.get() + 1);
            x < 1.7
        });
        asked += count.get();
        assert_eq!(asked, 52, "one halving a bit of the fraction");
    }

    /// Where the beta function gives way to the normal deviate, both give the same tails on either side.
    #[test]
    fn both_ways_to_a_t_tail_meet() {
        for t in [-6.0, -1.0, 0.25, 2.0, 6.0] {
            let deviate = normal_tail(t_deviate(t, MANY_DEGREES));
            close(deviate / t_tail(t, MANY_DEGREES), 1.0, 1e-8);
            close(t_tail(t, MANY_DEGREES + 1e-6) / deviate, 1.0, 1e-8);
            let beyond = 2.0 * MANY_DEGREES;
            assert_eq!(t_tail(t, beyond), normal_tail(t_deviate(t, beyond)));
        }
    }

    /// A share that some number has exactly is the quantile's, or that of a smaller number; the one below it has less.
    #[test]
    fn a_quantile_is_the_smallest_that_reaches_its_share() {
        for x in [0.01, 0.25, 0.5, 0.75, 0.99] {
            let share = beta_cdf(2.0, 3.0, x);
            let found = beta_quantile(2.0, 3.0, share);
            assert!(found <= x && beta_cdf(2.0, 3.0, found) == share, "{found} for {x}");
            assert!(beta_cdf(2.0, 3.0, found.next_down()) < share, "{found} for {x}");
            let tail = t_tail(x, 4.0);
            let found = t_upper(tail, 4.0);
            assert!(found <= x && t_tail(found, 4.0) == tail, "{found} for {x}");
            assert!(t_tail(found.next_down(), 4.0) > tail, "{found} for {x}");
        }
    }

    /// With 2 degrees in the numerator the tail of F is (1 + 2f/d)^(−d/2); it is certain below zero.
    #[test]
    fn f_of_two_degrees_has_a_closed_form() {
        for bottom in [1.0, 6.0, 40.0] {
            for f in [0.1, 1.0, 5.0] {
                let tail = (1.0_f64 + 2.0 * f / bottom).powf(-bottom / 2.0);
                close(f_tail(f, 2.0, bottom), tail, 1e-12);
                close(f_upper(tail, 2.0, bottom), f, 1e-9);
                // The reciprocal has the degrees the other way round.
                close(f_upper(1.0 - tail, bottom, 2.0), 1.0 / f, 1e-9 / f);
            }
            assert_eq!(f_tail(-1.0, 2.0, bottom), 1.0);
        }
    }

    /// Three trials with chance 1/4: 27, 27, 9 and 1 of 64.
    #[test]
    fn binomial_counts_of_three_trials() {
        for (k, ways) in [(0, 27.0), (1, 54.0), (2, 63.0), (3, 64.0), (4, 64.0)] {
            close(binomial_cdf(k, 3, 0.25), ways / 64.0, 1e-12);
        }
        let levels = [0.0, 0.42, 0.43, 0.84, 0.85, 0.98, 0.99, 1.0];
        let found = levels.map(|level| binomial_quantile(level, 3, 0.25));
        assert_eq!(found, [0, 0, 1, 1, 2, 2, 3, 3]);
    }
}

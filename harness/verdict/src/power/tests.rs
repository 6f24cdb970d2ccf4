use super::*;
use crate::assess::assess;
use crate::criterion::{Better, Range};
use crate::outcome::Outcome;
use crate::population::Population;

const NIGHTLY: Target = Target { alpha: 0.05, power: 0.8 };
const NOISY: Variance = Variance { interaction: 0.009, run: 0.135 };

/// A planning table at ICC 0.45, alpha 0.05 and power 0.8, printed with z₁₋ₐ + z_power rounded to 2.49.
#[test]
fn planning_table() {
    let needed = |runs, effect| scenarios_needed(NOISY, runs, effect, NIGHTLY).unwrap();
    for (runs, effect, expected) in [
        (1, 0.05, 692_usize),
        (3, 0.02, 1_535),
        (3, 0.05, 246),
        (3, 0.10, 62),
        (5, 0.05, 157),
        (10, 0.05, 90),
    ] {
        let rounded = (needed(runs, effect) as f64 * (2.49_f64 / 2.486_475).powi(2)).ceil() as usize;
        assert!(rounded.abs_diff(expected) <= 1, "{runs} runs, {effect}: {rounded}");
    }
    let detectable = minimum_detectable_effect(NOISY, 50, 3, NIGHTLY).unwrap();
    assert!((detectable - 0.111).abs() < 5e-4, "{detectable}");
}

#[test]
fn parameters_outside_their_domain_are_refused() {
    let expected = "give a finite effect above 0";
    assert_eq!(scenarios_needed(NOISY, 3, 0.0, NIGHTLY), Err(parameter("effect", 0.0, expected)));
    assert!(scenarios_needed(NOISY, 0, 0.05, NIGHTLY).is_err());
    assert!(minimum_detectable_effect(NOISY, 0, 3, NIGHTLY).is_err());
    let odd = Variance { interaction: f64::NAN, run: 0.0 };
    assert!(minimum_detectable_effect(odd, 5, 3, NIGHTLY).is_err());
    assert!(scenarios_needed(NOISY, 3, 0.05, Target { power: 1.0, ..NIGHTLY }).is_err());
}

/// Limits of the domains: what belongs to one is taken, what lies on its open end isn't.
#[test]
fn domains_end_where_they_say() {
    let target = |alpha, power| Target { alpha, power }.distance().is_ok();
    assert!(target(0.499, 0.5) && target(1e-6, 0.999));
    for (alpha, power) in [
        (0.0, 0.8),
        (-0.1, 0.8),
        (0.5, 0.8),
        (0.7, 0.8),
        (f64::NAN, 0.8),
        (0.05, 0.49),
        (0.05, 1.0),
        (0.05, 1.5),
    ] {
        assert!(!target(alpha, power), "{alpha} {power}");
    }
    let variance = |interaction, run| Variance { interaction, run }.validate().is_ok();
    assert!(variance(0.0, 0.0));
    for odd in [-0.1, f64::INFINITY, f64::NAN] {
        assert!(!variance(odd, 1.0) && !variance(1.0, odd), "{odd}");
    }
    for effect in [-0.1, f64::INFINITY, f64::NAN, 1e-12] {
        assert!(scenarios_needed(NOISY, 3, effect, NIGHTLY).is_err(), "{effect}");
    }
    assert!(minimum_detectable_effect(NOISY, 5, 0, NIGHTLY).is_err());
    let silent = Variance { interaction: 0.0, run: 0.0 };
    assert_eq!(scenarios_needed(silent, 3, 0.1, NIGHTLY), Ok(2));
}

/// z₀.₉₅ + z₀.₈ = 2.486475: 40 scenarios of 5 runs with variance 0.009 + 2·0.135/5 detect 2.486475·√(0.063/40).
#[test]
fn the_detectable_effect_of_a_hand_worked_case() {
    let found = minimum_detectable_effect(NOISY, 40, 5, NIGHTLY).unwrap();
    assert!((found - 2.486_474_9 * (0.063_f64 / 40.0).sqrt()).abs() < 1e-8, "{found}");
    assert_eq!(scenarios_needed(NOISY, 5, found * 1.000_001, NIGHTLY), Ok(40));
    assert_eq!(scenarios_needed(NOISY, 5, found * 0.999, NIGHTLY), Ok(41));
}

/// A design doesn't depend on how many resamples its evidence had.
fn short() -> Settings {
    Settings { resamples: 199, flips: 199, ..Settings::new(5) }
}

fn settlement(criterion: &Criterion, units: &[Unit]) -> (Outcome, Settlement) {
    let settings = short();
    let outcome = assess(criterion, units, &settings).expect("the design is consistent");
    let settlement = settle(&outcome, units, &settings, 0.8).expect("the power is in its domain");
    (outcome.outcome(), settlement)
}

fn acceptance(scenarios: usize) -> Criterion {
    Criterion {
        id: "acceptance".to_owned(),
        claim: Claim::NonInferiority { margin: 0.05 },
        estimand: Estimand::MeanDifference,
        better: Better::Higher,
        alpha: 0.025,
        scenarios,
        range: Some(Range::UNIT),
    }
}

fn cost(scenarios: usize, at_least: f64) -> Criterion {
    Criterion {
        id: "cost".to_owned(),
        claim: Claim::Superiority { at_least },
        estimand: Estimand::GeometricRatio,
        better: Better::Lower,
        range: None,
        ..acceptance(scenarios)
    }
}

#[test]
fn twelve_silent_scenarios_need_seventy_two() {
    let units: Vec<Unit> =
        (0..12).map(|n| Unit::complete(format!("s{n}"), format!("s{n}"), &[1.0; 3], &[1.0; 3])).collect();
    let (outcome, settlement) = settlement(&acceptance(12), &units);
    assert_eq!(outcome, Outcome::Undecided);
    assert_eq!(settlement.designs, [Design { runs: 3, scenarios: 72 }]);
    assert!(settlement.floor_binds);
}

#[test]
fn scenarios_in_few_repositories_need_as_many_more_repositories() {
    let units: Vec<Unit> = (0..12)
        .map(|n| Unit::complete(format!("s{n}"), format!("r{}", n % 4), &[1.0; 3], &[1.0; 3]))
        .collect();
    assert_eq!(settlement(&acceptance(12), &units).1.designs, [Design { runs: 3, scenarios: 216 }]);
}

#[test]
fn a_gain_on_the_wrong_side_is_settled_by_nothing() {
    let units: Vec<Unit> = (0..30)
        .map(|n| {
            let dearer = 1.0 + 0.01 * f64::from(n % 7 - 2);
            Unit::complete(format!("s{n}"), format!("s{n}"), &[1.0], &[dearer])
        })
        .collect();
    assert!(settlement(&cost(30, 0.0), &units).1.designs.is_empty());
}

/// A gain of the size of rounding takes more scenarios than can be counted: no design, and no error.
#[test]
fn a_gain_of_rounding_size_is_no_error() {
    let units: Vec<Unit> = (0..30)
        .map(|n| {
            let odd = f64::from(u8::from(n % 2 == 0));
            Unit::complete(format!("s{n}"), format!("s{n}"), &[0.5], &[0.5 + (odd - 0.5) + 1e-12])
        })
        .collect();
    let gain = Criterion { claim: Claim::Superiority { at_least: 0.0 }, range: None, ..acceptance(30) };
    let (outcome, settlement) = settlement(&gain, &units);
    assert_eq!((outcome, settlement.designs.len()), (Outcome::Undecided, 0));
}

/// Single runs that differ by `differences`, then not at all.
fn differing(scenarios: usize, differences: &[f64]) -> Vec<Unit> {
    (0..scenarios)
        .map(|n| {
            let difference = differences.get(n).copied().unwrap_or(0.0);
            Unit::complete(format!("s{n:02}"), format!("s{n:02}"), &[1.0], &[1.0 + difference])
        })
        .collect()
}

/// With z₀.₉₇₅ + z₀.₈ = 2.8016: three of twelve differ (SS 2.917, s² 0.265), so that ten take 40 while the variance asks for
/// 14; five of twenty gain (s² 0.197), so that ten take 40 while the variance asks for 25; eleven of fifteen differ, which is
/// enough of them but five units short of twenty.
#[test]
fn floors_of_hand_worked_cases() {
    let unbounded = |scenarios, claim| Criterion { claim, range: None, ..acceptance(scenarios) };
    let margin = |margin| Claim::NonInferiority { margin };
    let (_, mixed) = settlement(&unbounded(12, margin(0.4)), &differing(12, &[1.0, 1.0, -1.0]));
    assert_eq!((mixed.designs, mixed.floor_binds), (vec![Design { runs: 1, scenarios: 40 }], true));

    let gain = unbounded(20, Claim::Superiority { at_least: 0.0 });
    let (_, gains) = settlement(&gain, &differing(20, &[1.0; 5]));
    assert_eq!((gains.designs, gains.floor_binds), (vec![Design { runs: 1, scenarios: 40 }], true));
    assert_eq!(gains.detectable, None, "five that differ show no gain, whatever its size");
    let variance = gains.variance.expect("there is a standard error");
    assert!(variance.run == 0.0 && (variance.interaction - 3.75 / 19.0).abs() < 1e-9, "{variance:?}");

    let many = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0];
    let (_, few) = settlement(&unbounded(15, margin(0.9)), &differing(15, &many));
    assert_eq!((few.designs, few.floor_binds), (vec![Design { runs: 1, scenarios: 20 }], true));
    let (outcome, enough) = settlement(&unbounded(40, margin(0.1)), &differing(40, &many));
    assert_eq!(outcome, Outcome::Undecided);
    // SS 11 − 1/40 = 10.975, s² 0.2814: 7.849 · 0.2814 / 0.01 = 220.9.
    assert_eq!((enough.designs, enough.floor_binds), (vec![Design { runs: 1, scenarios: 221 }], false));
    // 2.8016 · √(10.975 / 39 / 40).
    let detectable = enough.detectable.expect("there is a standard error");
    assert!((detectable - 0.23499).abs() < 1e-4, "{detectable}");
}

/// Differences that are all zero have no variance, which once read as "detects an effect of 0". Four repositories without a
/// regression leave a share of 1 − 0.025^(1/4) = 0.602, twelve 1 − 0.025^(1/12) = 0.265; no gain and no tail is detected.
#[test]
fn detectable_of_nothing_that_differs_is_what_counting_certifies() {
    let silent = |clusters: usize| -> Vec<Unit> {
        (0..12)
            .map(|n| Unit::complete(format!("s{n:02}"), format!("r{}", n % clusters), &[1.0; 3], &[1.0; 3]))
            .collect()
    };
    let detectable =
        |criterion: &Criterion, clusters: usize| settlement(criterion, &silent(clusters)).1.detectable;
    let near = |found: Option<f64>, expected: f64| {
        assert!(found.is_some_and(|found| (found - expected).abs() < 1e-4), "{found:?} {expected}");
    };
    near(detectable(&acceptance(12), 4), 0.60236);
    near(detectable(&acceptance(12), 12), 0.26465);
    let of_costs = |claim, estimand| Criterion { claim, estimand, ..cost(12, 0.0) };
    let margin = Claim::NonInferiority { margin: 0.02 };
    near(detectable(&of_costs(margin, Estimand::TotalRatio), 12), 0.26465);
    // A log loss of 0.26465.
    near(detectable(&of_costs(margin, Estimand::GeometricRatio), 12), 0.30298);
    assert_eq!(detectable(&of_costs(margin, Estimand::TailRatio { quantile: 0.5 }), 12), None);
    assert_eq!(detectable(&cost(12, 0.0), 12), None);
}

/// A non-inferiority detects losses: with twenty costs a factor 0.8 and twenty a factor 1.25 (log gains ±ln 1.25, s² 40/39 of
/// its square), a rise by exp(2.8016 · √(s²/40)) − 1.
#[test]
fn detectable_loss_of_a_ratio_is_a_rise() {
    let units: Vec<Unit> = (0..40)
        .map(|n| {
            let factor = if n % 2 == 0 { 0.8 } else { 1.25 };
            Unit::complete(format!("s{n:02}"), format!("s{n:02}"), &[1.0], &[factor])
        })
        .collect();
    let criterion = Criterion { claim: Claim::NonInferiority { margin: 0.02 }, ..cost(40, 0.0) };
    let found = settlement(&criterion, &units).1.detectable.expect("there is a standard error");
    let reach = 2.801_585_2 * 1.25_f64.ln() / 39.0_f64.sqrt();
    assert!((found - reach.exp_m1()).abs() < 1e-7, "{found} {reach}");
}

/// A tail needs as many units as bound it, whatever else is known.
#[test]
fn a_tail_is_settled_by_its_length() {
    let tail = Criterion {
        estimand: Estimand::TailRatio { quantile: 0.95 },
        better: Better::Lower,
        range: None,
        ..acceptance(30)
    };
    let (outcome, settlement) = settlement(&tail, &differing(30, &[0.5, 0.5]));
    assert_eq!((outcome, settlement.detectable), (Outcome::Undecided, None));
    assert_eq!(settlement.designs, [Design { runs: 1, scenarios: 72 }]);
}

/// Half of 40 scenarios cost 0.8, half 0.9 of the baseline's, whose two runs cost 1 and e: log gains g with mean
/// −ln(0.72)/2, SS 40·(ln(9/8)/2)², s² 40/39 of 0.003468, and a run variance of 1/2 that the variance of gains cuts to s².
#[test]
fn designs_of_a_hand_worked_ratio() {
    let e = std::f64::consts::E;
    let units: Vec<Unit> = (0..40)
        .map(|n| {
            let factor = if n % 2 == 0 { 0.8 } else { 0.9 };
            Unit::complete(format!("s{n:02}"), format!("s{n:02}"), &[1.0, e], &[factor, e * factor])
        })
        .collect();
    let half = 0.5 * 1.125_f64.ln();
    let spread = 40.0 / 39.0 * half * half;
    let (outcome, found) = settlement(&cost(40, 0.1), &units);
    assert_eq!(outcome, Outcome::Pass);
    let variance = found.variance.expect("there is a standard error");
    assert!((variance.run - spread).abs() < 1e-12 && variance.interaction.abs() < 1e-12, "{variance:?}");
    // (1.959964 + 0.841621)·√(s²/40) as a fall of costs.
    let reach: f64 = 2.801_585_2 * (spread / 40.0).sqrt();
    assert!(
        (found.detectable.expect("there is a standard error") - (1.0 - (-reach).exp())).abs() < 1e-8,
        "{found:?}"
    );
    // The gain seen beyond the smallest that counts: −ln(0.72)/2 + ln 0.9 = ln(9/8)/2; then 2·run/R instead of 2·run/2.
    let effect = half;
    let needed = |runs: f64| (2.801_585_2_f64 / effect).powi(2) * 2.0 * spread / runs;
    let expected: Vec<Design> = [2_usize, 3, 5, 10]
        .map(|runs| Design { runs, scenarios: (needed(runs as f64).ceil() as usize).max(2) })
        .to_vec();
    assert_eq!((found.designs, found.floor_binds), (expected, false));
}

/// Runs of a known spread: more of them take fewer scenarios, each design is named once.
#[test]
fn designs_name_more_runs_where_runs_differ() {
    let units: Vec<Unit> = (0..60)
        .map(|n| {
            let noise = f64::from(n * 7 % 5 - 2);
            Unit::complete(
                format!("s{n:02}"),
                format!("s{n:02}"),
                &[0.0, 1.0, 2.0],
                &[noise, 1.0 - noise, 2.5 - 0.5 * noise],
            )
        })
        .collect();
    let criterion =
        Criterion { range: None, claim: Claim::NonInferiority { margin: 0.05 }, ..acceptance(60) };
    let (_, found) = settlement(&criterion, &units);
    let variance = found.variance.expect("there is a standard error");
    let runs: Vec<usize> = found.designs.iter().map(|design| design.runs).collect();
    assert_eq!(runs, [3, 5, 10]);
    for design in found.designs {
        let needed = (variance.interaction + 2.0 * variance.run / design.runs as f64)
            * (2.801_585_2_f64 / 0.05).powi(2);
        assert!((design.scenarios as f64 - needed.ceil()).abs() <= 1.0, "{design:?} {needed}");
    }
    // The variance of a baseline's runs is 1; a candidate's depends on its noise.
    let of = |noise: f64| {
        let (a, b, c) = (noise, 1.0 - noise, 2.5 - 0.5 * noise);
        let mean = (a + b + c) / 3.0;
        ((a - mean).powi(2) + (b - mean).powi(2) + (c - mean).powi(2)) / 2.0
    };
    let expected = 0.5 * (1.0 + [-2.0, -1.0, 0.0, 1.0, 2.0].map(of).iter().sum::<f64>() / 5.0);
    let most = (variance.interaction + 2.0 * variance.run / 3.0) * 1.5;
    assert!((variance.run - expected.min(most)).abs() < 1e-9, "{variance:?} {expected} {most}");
}

/// The largest of 368 values bounds a 99th percentile at 0.025: more than any count of differences asks for.
#[test]
fn a_far_tail_takes_more_than_a_margin() {
    let tail = Criterion {
        estimand: Estimand::TailRatio { quantile: 0.99 },
        better: Better::Lower,
        range: None,
        ..acceptance(30)
    };
    let designs = settlement(&tail, &differing(30, &[0.5, 0.5])).1.designs;
    assert_eq!(designs, [Design { runs: 1, scenarios: 368 }]);
}

/// Without floors and without an error nothing says how many scenarios would do.
#[test]
fn no_floor_and_no_error_name_no_design() {
    let settings = Settings { discordance_floor: 0, fewest_units: 0, ..short() };
    let outcome = assess(&acceptance(12), &differing(11, &[]), &settings).expect("the design is consistent");
    let found = settle(&outcome, &differing(11, &[]), &settings, 0.8).expect("the power is in its domain");
    assert_eq!((found.variance, found.detectable, found.designs.len()), (None, None, 0));
    assert!(settle(&outcome, &[], &settings, 1.0).is_ok(), "no error asks for no power");
}

#[test]
fn safety_counters_are_settled_by_nothing() {
    let safety = Criterion { claim: Claim::NoEvents, better: Better::Lower, range: None, ..acceptance(12) };
    let (outcome, found) = settlement(&safety, &differing(11, &[-1.0; 11]));
    assert_eq!((outcome, found.designs.len()), (Outcome::Undecided, 0));
}

/// A variance that asks for exactly the fewest units: 6.130/0.56² = 19.5. Neither asks for more than the other.
#[test]
fn a_floor_that_the_variance_reaches_does_not_bind() {
    let many = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0];
    let guard = Criterion { claim: Claim::NonInferiority { margin: 0.56 }, range: None, ..acceptance(15) };
    let (_, found) = settlement(&guard, &differing(15, &many));
    assert_eq!((found.designs, found.floor_binds), (vec![Design { runs: 1, scenarios: 20 }], false));
}

/// No number of scenarios shows that nothing whatever is lost.
#[test]
fn a_margin_of_zero_is_settled_by_nothing() {
    let tail = Criterion {
        claim: Claim::NonInferiority { margin: 0.0 },
        estimand: Estimand::TailRatio { quantile: 0.9 },
        better: Better::Lower,
        range: None,
        ..acceptance(40)
    };
    assert_eq!(settlement(&tail, &differing(40, &[0.5, 0.5])).1.designs, []);
}

/// Runs 0.3 apart about 1, 0 or 2 have the variance 0.09; differences of 1 and −1 in two scenarios each have 4/3, of which
/// 2·0.09/3 is the runs'.
#[test]
fn components_of_a_hand_worked_case() {
    let cell = |centre: f64| [centre - 0.3, centre, centre + 0.3];
    let units: Vec<Unit> = [2.0, 0.0, 2.0, 0.0]
        .iter()
        .enumerate()
        .map(|(n, &after)| Unit::complete(format!("s{n}"), format!("s{n}"), &cell(1.0), &cell(after)))
        .collect();
    let guard = Criterion { range: None, ..acceptance(4) };
    let variance = settlement(&guard, &units).1.variance.unwrap();
    assert!((variance.run - 0.09).abs() < 1e-12, "{variance:?}");
    assert!((variance.interaction - (4.0 / 3.0 - 0.06)).abs() < 1e-12, "{variance:?}");
}

/// The components of a population come back from a large campaign, and so does the planning formula.
#[test]
fn components_of_a_known_population_are_found() {
    let population = Population::new(2_000, 3, 11);
    let units = population.campaign(0).expect("the defaults are in their domain").acceptance;
    let (_, settlement) = settlement(&acceptance(2_000), &units);
    let variance = settlement.variance.expect("there is a standard error");
    assert!((variance.run - 0.135).abs() < 0.01, "{variance:?}");
    assert!((variance.interaction - 0.009).abs() < 0.009, "{variance:?}");
    let three = settlement.designs[0];
    assert!(three.runs == 3 && three.scenarios.abs_diff(311) < 40, "{three:?}");
}

/// A reason says why and names no number of scenarios that would do; what would settle it names one, from one place.
#[test]
fn why_and_next_name_different_counts() {
    for (scenarios, share) in [(12, 1), (12, 3), (40, 2), (60, 1)] {
        for regressing in [0, 1, 4] {
            let units: Vec<Unit> = (0..scenarios)
                .map(|n| {
                    let candidate = if n < regressing { [1.0, 0.0, 0.0] } else { [1.0; 3] };
                    Unit::complete(format!("s{n}"), format!("r{}", n / share), &[1.0; 3], &candidate)
                })
                .collect();
            let settings = short();
            let outcome =
                assess(&acceptance(scenarios), &units, &settings).expect("the design is consistent");
            assert_eq!(outcome.outcome(), Outcome::Undecided);
            let settlement = settle(&outcome, &units, &settings, 0.8).expect("the power is in its domain");
            let words: Vec<&str> = outcome.reasons()[0].message.split_whitespace().collect();
            for design in settlement.designs {
                let named = design.scenarios.to_string();
                assert!(!words.contains(&named.as_str()), "{words:?} {design:?}");
            }
        }
    }
}

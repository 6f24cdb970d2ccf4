//! Laws that hold for any evidence.

use proptest::prelude::*;
use rayon::ThreadPoolBuilder;
use verdict::{
    Better, Case, Claim, Criterion, CriterionOutcome, Estimand, Fault, Outcome, Range, Settings, Tier, Unit,
    Verdict, assess, judge,
};

/// Small enough for thousands of cases, large enough for alpha 0.05.
fn settings() -> Settings {
    Settings { resamples: 199, flips: 199, ..Settings::new(17) }
}

fn run(criterion: &Criterion, units: &[Unit]) -> CriterionOutcome {
    assess(criterion, units, &settings()).expect("the design is consistent")
}

fn criterion(
    claim: Claim,
    estimand: Estimand,
    better: Better,
    range: Option<Range>,
    units: &[Unit],
) -> Criterion {
    Criterion { id: "law".to_owned(), claim, estimand, better, alpha: 0.05, scenarios: units.len(), range }
}

/// Shares or costs: values on a coarse lattice, so that ties and silent scenarios are common; a common gain, so that
/// passes are.
fn evidence(low: f64) -> impl Strategy<Value = Vec<Unit>> {
    (12_usize..60, 1_usize..4, 1_usize..3, any::<u64>(), 0_u32..4).prop_map(
        move |(scenarios, runs, share, seed, lean)| {
            let mut state = seed | 1;
            let mut draw = move |limit: u64| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) % limit
            };
            (0..scenarios)
                .map(|index| {
                    let mut arm = |shift: u32| -> Vec<f64> {
                        let rung = |draw: u64, shift: u32| (draw as f64 + f64::from(shift)).min(4.0);
                        (0..runs).map(|_| low + (1.0 - low) * rung(draw(3) + 1, shift) / 4.0).collect()
                    };
                    let (baseline, candidate) = (arm(0), arm(lean.saturating_sub(1)));
                    Unit::complete(format!("s{index}"), format!("c{}", index / share), &baseline, &candidate)
                })
                .collect()
        },
    )
}

fn claims() -> impl Strategy<Value = Claim> {
    prop_oneof![
        (0_u32..40).prop_map(|margin| Claim::NonInferiority { margin: f64::from(margin) / 100.0 }),
        (0_u32..3).prop_map(|gain| Claim::Superiority { at_least: f64::from(gain) / 100.0 }),
    ]
}

fn sides() -> impl Strategy<Value = Better> {
    prop_oneof![Just(Better::Higher), Just(Better::Lower)]
}

/// Takes away the runs that `pattern` marks, one bit a run.
fn forget(units: &[Unit], mut pattern: u64) -> Vec<Unit> {
    let mut left = units.to_vec();
    for unit in &mut left {
        for run in unit.baseline.iter_mut().chain(&mut unit.candidate) {
            pattern = pattern.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            if (pattern >> 33).is_multiple_of(40) {
                *run = None;
            }
        }
    }
    left
}

fn swapped(units: &[Unit]) -> Vec<Unit> {
    let swap = |unit: &Unit| Unit {
        baseline: unit.candidate.clone(),
        candidate: unit.baseline.clone(),
        ..unit.clone()
    };
    units.iter().map(swap).collect()
}

fn close(left: Option<f64>, right: Option<f64>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => (left - right).abs() <= 1e-9 * (1.0 + left.abs()),
        (left, right) => left == right,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Losing runs never turns anything but a pass into a pass, nor anything but a fail into a fail.
    #[test]
    fn missing_runs_only_take_outcomes_away(
        units in evidence(0.2),
        claim in claims(),
        better in sides(),
        log in any::<bool>(),
        pattern in any::<u64>(),
    ) {
        let estimand = if log { Estimand::GeometricRatio } else { Estimand::MeanDifference };
        let range = Some(Range { low: 0.2, high: 1.0 });
        let criterion = criterion(claim, estimand, better, range, &units);
        let (full, fewer) = (run(&criterion, &units), run(&criterion, &forget(&units, pattern)));
        prop_assert!(fewer.outcome() == full.outcome() || fewer.outcome() == Outcome::Undecided,
            "{:?} became {:?}", full.figures(), fewer.figures());
        let unbounded = Criterion { range: None, ..criterion };
        let unbounded = run(&unbounded, &forget(&units, pattern));
        prop_assert!(unbounded.figures().missing_runs == 0 || unbounded.outcome() == Outcome::Undecided);
    }

    /// A scenario less than planned, or an outcome less than declared, is never a promotion.
    #[test]
    fn less_evidence_is_never_a_promotion(units in evidence(0.2), drop in any::<prop::sample::Index>()) {
        let claim = Claim::Superiority { at_least: 0.0 };
        let benefit = criterion(claim, Estimand::MeanDifference, Better::Higher, Some(Range::UNIT), &units);
        let guard = Criterion { id: "guard".to_owned(), claim: Claim::NonInferiority { margin: 0.3 }, ..benefit.clone() };
        let declared = [benefit, guard];
        let outcomes: Vec<CriterionOutcome> = declared.iter().map(|criterion| run(criterion, &units)).collect();
        let case = Case { declared: &declared, outcomes: &outcomes, faults: &[], tier: Some(Tier::RecordedModel) };
        let promotes = |case: &Case<'_>| matches!(judge(case).verdict, Verdict::Promote(_));
        let all_pass = outcomes.iter().all(|outcome| outcome.outcome() == Outcome::Pass);
        prop_assert_eq!(promotes(&case), all_pass);

        let mut fewer = units.clone();
        fewer.remove(drop.index(units.len()));
        let short = run(&declared[0], &fewer);
        prop_assert_eq!(short.outcome(), Outcome::Undecided);
        let partial = [outcomes[drop.index(2)].clone()];
        prop_assert!(!promotes(&Case { outcomes: &partial, ..case }), "with an outcome missing");
        prop_assert!(!promotes(&Case { outcomes: &[], ..case }), "without outcomes");
        for tier in [None, Some(Tier::Synthetic), Some(Tier::Replayed), Some(Tier::RecordedScripted)] {
            prop_assert!(!promotes(&Case { tier, ..case }), "at tier {tier:?}");
        }
        for fault in [Fault::invalid("x", "y"), Fault::insufficient("x", "y")] {
            prop_assert!(!promotes(&Case { faults: &[fault], ..case }), "in spite of a fault");
        }
    }

    /// Swapped arms give mirrored bounds by both methods, and no evidence supports a superiority both ways.
    #[test]
    fn swapping_arms_mirrors(units in evidence(0.2), better in sides()) {
        let claim = Claim::Superiority { at_least: 0.0 };
        let criterion = criterion(claim, Estimand::MeanDifference, better, None, &units);
        let (there, back) = (run(&criterion, &units), run(&criterion, &swapped(&units)));
        for (left, right) in [
            (there.figures().t, back.figures().t),
            (there.figures().bootstrap, back.figures().bootstrap),
        ] {
            let (left, right) = (left.expect("bounds exist"), right.expect("bounds exist"));
            prop_assert!(close(left.low, right.high.map(|high| -high)), "{left:?} {right:?}");
            prop_assert!(close(left.high, right.low.map(|low| -low)), "{left:?} {right:?}");
        }
        prop_assert!(!(there.outcome() == Outcome::Pass && back.outcome() == Outcome::Pass));
    }

    /// A constant added to all runs changes no bound; a factor scales them; ratios don't see a factor.
    #[test]
    fn shift_and_scale(units in evidence(0.2)) {
        let mapped = |map: &dyn Fn(f64) -> f64| -> Vec<Unit> {
            let arm = |runs: &[Option<f64>]| runs.iter().map(|run| run.map(map)).collect();
            let unit = |unit: &Unit| Unit {
                baseline: arm(&unit.baseline),
                candidate: arm(&unit.candidate),
                ..unit.clone()
            };
            units.iter().map(unit).collect()
        };
        let claim = Claim::NonInferiority { margin: 0.1 };
        let mean = criterion(claim, Estimand::MeanDifference, Better::Higher, None, &units);
        let bounds = |criterion: &Criterion, units: &[Unit]| {
            let outcome = run(criterion, units);
            let bootstrap = outcome.figures().bootstrap.expect("bounds exist");
            (outcome.figures().delta, bootstrap.low, bootstrap.high)
        };
        let plain = bounds(&mean, &units);
        let shifted = bounds(&mean, &mapped(&|value| value + 5.0));
        let scaled = bounds(&mean, &mapped(&|value| value * 8.0));
        prop_assert!(close(plain.0, shifted.0) && close(plain.1, shifted.1) && close(plain.2, shifted.2));
        let times = |value: Option<f64>| value.map(|value| 8.0 * value);
        prop_assert!(close(times(plain.0), scaled.0) && close(times(plain.1), scaled.1));
        for estimand in [Estimand::GeometricRatio, Estimand::TotalRatio] {
            let ratio = Criterion { estimand, better: Better::Lower, ..mean.clone() };
            let (plain, scaled) = (bounds(&ratio, &units), bounds(&ratio, &mapped(&|value| value * 8.0)));
            prop_assert!(close(plain.0, scaled.0) && close(plain.1, scaled.1) && close(plain.2, scaled.2));
        }
    }

    /// The order of units and of runs changes not a bit.
    #[test]
    fn order_does_not_matter(units in evidence(0.2), turn in any::<prop::sample::Index>(), claim in claims()) {
        let mut turned = units.clone();
        turned.rotate_left(turn.index(units.len()));
        turned.reverse();
        for unit in &mut turned {
            unit.baseline.reverse();
            unit.candidate.rotate_left(1);
        }
        for estimand in [Estimand::MeanDifference, Estimand::GeometricRatio, Estimand::TotalRatio] {
            let criterion = criterion(claim, estimand, Better::Lower, None, &units);
            prop_assert_eq!(format!("{:?}", run(&criterion, &units)), format!("{:?}", run(&criterion, &turned)));
        }
    }

    /// Leaving out figures that can't change an outcome changes none.
    #[test]
    fn outcome_only_is_a_shortcut(units in evidence(0.2), claim in claims(), better in sides(), log in any::<bool>()) {
        let estimand = if log { Estimand::TotalRatio } else { Estimand::MeanDifference };
        let criterion = criterion(claim, estimand, better, None, &units);
        let short = assess(&criterion, &units, &Settings { outcome_only: true, ..settings() });
        prop_assert_eq!(short.map(|outcome| outcome.outcome()), Ok(run(&criterion, &units).outcome()));
    }

    /// The counted bounds lie outside those of each method wherever the floor doesn't replace them.
    #[test]
    fn the_worse_bound_counts(units in evidence(0.2), claim in claims()) {
        let criterion = criterion(claim, Estimand::MeanDifference, Better::Higher, None, &units);
        let outcome = run(&criterion, &units);
        let figures = outcome.figures();
        if !figures.below_floor {
            for bounds in [figures.t, figures.bootstrap].into_iter().flatten() {
                prop_assert!(figures.low.is_none() || figures.low <= bounds.low);
                prop_assert!(figures.high.is_none() || figures.high >= bounds.high);
            }
            prop_assert!(figures.low <= figures.delta);
        }
        if outcome.outcome() == Outcome::Pass && !figures.below_floor {
            prop_assert!(figures.p_value.is_some_and(|p| p <= criterion.alpha + 1e-12), "{figures:?}");
        }
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let units: Vec<Unit> = (0..150)
        .map(|index: u32| {
            let value = |salt: u32| 1.0 + f64::from((index * 37 + salt * 11) % 29) / 10.0;
            Unit::complete(
                format!("s{index}"),
                format!("c{}", index / 2),
                &[value(1), value(2)],
                &[value(3), value(5)],
            )
        })
        .collect();
    let claim = Claim::NonInferiority { margin: 0.1 };
    let all = || {
        [
            Estimand::MeanDifference,
            Estimand::GeometricRatio,
            Estimand::TotalRatio,
            Estimand::TailRatio { quantile: 0.95 },
        ]
        .map(|estimand| {
            let criterion = criterion(claim, estimand, Better::Lower, None, &units);
            format!("{:?}", assess(&criterion, &units, &Settings::new(3)))
        })
    };
    let with = |threads| {
        ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool can be made").install(all)
    };
    assert_eq!(with(1), with(2));
    assert_eq!(with(1), with(5));
}

/// Three of six clusters gain exactly the mean: a resample of these alone has no spread and no deviation. What rounding
/// leaves of their residuals made of it any deviation at all, another one for values five higher.
#[test]
fn clusters_at_the_mean_deviate_by_nothing() {
    let gains = [(0.6, 0.2), (0.0, 0.2), (0.0, 0.6), (0.4, 0.4), (0.0, 0.6), (0.4, 0.2)];
    let bounds = |shift: f64| {
        let units: Vec<Unit> = (0..12)
            .map(|n| {
                let (even, odd) = gains[n / 2];
                let gain = if n % 2 == 0 { even } else { odd };
                let baseline = shift + 0.2 * (n % 3) as f64;
                Unit::complete(format!("s{n:02}"), format!("c{}", n / 2), &[baseline], &[baseline + gain])
            })
            .collect();
        let claim = Claim::NonInferiority { margin: 0.1 };
        let mean = criterion(claim, Estimand::MeanDifference, Better::Higher, None, &units);
        run(&mean, &units).figures().bootstrap.expect("bounds exist")
    };
    let plain = bounds(0.0);
    for shift in [5.0, 0.7, 1e3] {
        let shifted = bounds(shift);
        assert!(close(plain.low, shifted.low) && close(plain.high, shifted.high), "{plain:?} {shifted:?}");
    }
}

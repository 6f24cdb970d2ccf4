use super::counting::gain_limits;
use super::told::{delta, floor_message, levels, shown};
use super::*;
use crate::analysis::Analysis;
use crate::criterion::{Better, Estimand, Range};
use crate::discordance::share_upper;

fn criterion(claim: Claim, estimand: Estimand, better: Better) -> Criterion {
    Criterion {
        id: "x".to_owned(),
        claim,
        estimand,
        better,
        alpha: 0.025,
        scenarios: 400,
        range: Some(Range::UNIT),
    }
}

const MARGIN: Claim = Claim::NonInferiority { margin: 0.05 };
const GAIN: Claim = Claim::Superiority { at_least: 0.0 };

fn acceptance() -> Criterion {
    criterion(MARGIN, Estimand::MeanDifference, Better::Higher)
}

/// Baseline and candidate runs of a scenario.
type Arms = (Vec<Option<f64>>, Vec<Option<f64>>);

/// One unit a pair of arms, `share` of them a cluster.
fn units(arms: &[Arms], share: usize) -> Vec<Unit> {
    let unit = |(index, arms): (usize, &Arms)| Unit {
        scenario: format!("s{index:03}"),
        cluster: format!("c{:03}", index / share),
        baseline: arms.0.clone(),
        candidate: arms.1.clone(),
    };
    arms.iter().enumerate().map(unit).collect()
}

/// Single runs, `share` scenarios a cluster.
fn single(values: &[(f64, f64)], share: usize) -> Vec<Unit> {
    let arms: Vec<_> = values.iter().map(|&(one, other)| (vec![Some(one)], vec![Some(other)])).collect();
    units(&arms, share)
}

fn counted_over(criterion: &Criterion, units: &[Unit]) -> Discordance {
    let sample = Sample::prepare(criterion, units).unwrap();
    Discordance::count(criterion, &sample, &Settings::new(1))
}

#[test]
fn what_surely_and_what_possibly_differs() {
    let (one, lost) = (Some(1.0), None);
    let missing = units(
        &[
            (vec![one, one, one], vec![one, one, lost]),
            (vec![one, one, lost], vec![one, one, one]),
            (vec![Some(0.0); 3], vec![Some(0.0); 3]),
            (vec![one; 3], vec![Some(0.0); 3]),
            (vec![Some(0.0); 3], vec![one; 3]),
        ],
        1,
    );
    let found = counted_over(&acceptance(), &missing);
    assert_eq!((found.surely, found.possibly, found.regressing, found.trials), (2, 4, 2, 5));
    assert_eq!(found.worst_loss, 1.0);
    assert!(found.few && found.binds());
}

#[test]
fn nothing_differs_by_rounding() {
    let silent = counted_over(&acceptance(), &single(&[(0.0, 0.0); 9], 1));
    assert_eq!((silent.surely, silent.possibly, silent.regressing), (0, 0, 0));
    for size in [1.0, 1e6, 1e-6] {
        let values: Vec<(f64, f64)> =
            (0..9).map(|index| (size, size * (1.0 + 1e-13 * f64::from(index - 4)))).collect();
        let criterion = Criterion { range: None, ..acceptance() };
        let found = counted_over(&criterion, &single(&values, 1));
        assert_eq!((found.surely, found.possibly, found.regressing), (0, 0, 0), "{size}");
        let wide: Vec<(f64, f64)> = values.iter().map(|&(value, _)| (value, value * (1.0 - 1e-9))).collect();
        assert_eq!(counted_over(&criterion, &single(&wide, 1)).regressing, 9, "{size}");
    }
}

#[test]
fn clusters_are_counted_where_there_are_fewer() {
    let differs = single(&[(1.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 1.0), (1.0, 1.0)], 2);
    let found = counted_over(&acceptance(), &differs);
    assert_eq!((found.surely, found.possibly, found.regressing, found.trials), (2, 2, 1, 3));
}

#[test]
fn few_units_bind_a_guard_alone() {
    let of = |count: usize, claim| {
        let values: Vec<(f64, f64)> = (0..count).map(|index| (0.5, 0.5 + 0.01 * index as f64)).collect();
        counted_over(&criterion(claim, Estimand::MeanDifference, Better::Higher), &single(&values, 1))
    };
    // All but the first differ.
    assert_eq!([of(19, MARGIN).few, of(20, MARGIN).few, of(19, GAIN).few], [true, false, false]);
    assert_eq!([of(10, GAIN).binds(), of(11, GAIN).binds(), of(12, GAIN).binds()], [true, false, false]);
}

fn interval(low: f64, high: f64) -> Interval {
    Interval { low, high }
}

/// A discordance with the share that counting leaves at 0.1 and losses of up to 2.
fn discordance(surely: usize, possibly: usize, trials: usize) -> Discordance {
    Discordance {
        surely,
        possibly,
        regressing: 1,
        trials,
        regressing_upper: 0.1,
        worst_loss: 2.0,
        floor: 10,
        fewest: 20,
        few: false,
    }
}

#[test]
fn counting_bounds_the_loss_of_each_estimand() {
    let low = |estimand| discordance(0, 0, 5).low(&criterion(MARGIN, estimand, Better::Lower));
    assert_eq!((low(Estimand::MeanDifference), low(Estimand::GeometricRatio)), (-0.2, -0.2));
    assert!((low(Estimand::TotalRatio) + 1.2_f64.ln()).abs() < 1e-12);
    assert_eq!(low(Estimand::TailRatio { quantile: 0.9 }), f64::NEG_INFINITY);
}

#[test]
fn the_floor_replaces_or_widens_the_bounds() {
    let analysis = Analysis {
        gain: 0.0,
        error: None,
        t: Some(interval(-0.1, 0.1)),
        bootstrap: Some(interval(-0.05, 0.3)),
        p_value: None,
        sign_flip: None,
    };
    let bounds = |discordance: Discordance| counted(&acceptance(), &analysis, &discordance);
    assert_eq!(bounds(discordance(10, 10, 50)), interval(-0.1, 0.3), "the hull of both");
    assert_eq!(bounds(discordance(9, 10, 50)), interval(-0.2, 0.3), "counting where it is worse");
    let better = Discordance { regressing_upper: 0.01, ..discordance(9, 10, 50) };
    assert_eq!(bounds(better), interval(-0.1, 0.3), "t where counting is better");
    let silent = Discordance { regressing_upper: 0.01, ..discordance(9, 9, 50) };
    assert_eq!(bounds(silent), interval(-0.02, 0.3), "counting alone");
    let few = Discordance { regressing_upper: 0.01, few: true, ..discordance(10, 10, 15) };
    assert_eq!(bounds(few), interval(-0.02, 0.3), "counting alone");
    assert_eq!(bounds(discordance(3, 3, 3)), interval(-0.2, 0.3));
    assert_eq!(bounds(discordance(2, 2, 2)), interval(-0.2, f64::INFINITY), "two clusters show no harm");
    assert_eq!(bounds(discordance(10, 10, 2)), interval(-0.1, 0.3), "unless enough of their units differ");
    let nothing = Analysis { t: None, bootstrap: None, ..analysis };
    let unbounded = counted(&acceptance(), &nothing, &discordance(10, 10, 50));
    assert_eq!(unbounded, interval(f64::NEG_INFINITY, f64::INFINITY));
}

#[test]
fn outcomes_at_the_threshold_are_undecided() {
    let decided = |low, high, missing| {
        let sample = Sample { runs: 100 - missing, missing, ..Sample::default() };
        decide(&acceptance(), interval(low, high), &sample, &Settings::new(1))
    };
    assert_eq!(decided(-0.05, 0.1, 0), Outcome::Undecided);
    assert_eq!(decided(-0.049, 0.1, 0), Outcome::Pass);
    assert_eq!(decided(-0.3, -0.05, 0), Outcome::Undecided);
    assert_eq!(decided(-0.3, -0.051, 0), Outcome::Fail);
    assert_eq!(decided(-0.049, 0.1, 5), Outcome::Pass, "exactly as many missing as may be");
    assert_eq!(decided(-0.049, 0.1, 6), Outcome::Undecided);
}

#[test]
fn more_missing_than_may_be_is_the_only_reason() {
    let told = |missing: usize| {
        let sample = Sample { runs: 100 - missing, missing, ..Sample::default() };
        let reasons = explain(
            &acceptance(),
            Outcome::Undecided,
            &sample,
            &discordance(12, 12, 50),
            &Figures::default(),
            &Settings::new(1),
        );
        reasons.into_iter().map(|reason| (reason.code, reason.message)).collect::<Vec<_>>()
    };
    let reason = |code: &str, message: &str| (code.to_owned(), message.to_owned());
    let undecided = reason("undecided", "x: delta none [none, none], margin 0.05");
    assert_eq!(told(0), std::slice::from_ref(&undecided));
    let few = "x: 5 of 100 runs missing: the outcome may depend on what they would have been: record them";
    assert_eq!(told(5), [reason("missing-runs", few), undecided]);
    let many = "x: 6 of 100 runs missing: with more than 5 % missing nothing passes: record them";
    assert_eq!(told(6), [reason("missing-runs", many)]);
}

/// Baselines 1, 2 and 4, candidates 1, 4 and 7 with a second run of the second that may have been anything from 1 to 7.
#[test]
fn levels_and_limits_of_a_hand_worked_case() {
    let run = |value: f64| vec![Some(value)];
    let evidence = units(&[(run(1.0), run(1.0)), (run(2.0), vec![Some(4.0), None]), (run(4.0), run(7.0))], 1);
    let of = |estimand| {
        let criterion = Criterion {
            range: Some(Range { low: 1.0, high: 7.0 }),
            ..criterion(MARGIN, estimand, Better::Lower)
        };
        let sample = Sample::prepare(&criterion, &evidence).unwrap();
        (levels(&criterion, &sample), gain_limits(&criterion, &sample))
    };
    let close = |found: Option<f64>, expected: f64| {
        assert!((found.unwrap() - expected).abs() < 1e-12, "{found:?} is not {expected}");
    };
    let ((before, after), (low, high)) = of(Estimand::MeanDifference);
    close(before, 7.0 / 3.0);
    close(after, 13.5 / 3.0);
    assert_eq!((low, high), (vec![0.0, -3.5, -3.0], vec![0.0, -0.5, -3.0]));
    let ((before, after), (low, high)) = of(Estimand::TotalRatio);
    close(before, 7.0);
    close(after, 13.5);
    let relative = |gains: [f64; 3]| gains.map(|gain| gain / (7.0 / 3.0)).to_vec();
    assert_eq!((low, high), (relative([0.0, -3.5, -3.0]), relative([0.0, -0.5, -3.0])));
    let ((before, after), _) = of(Estimand::GeometricRatio);
    close(before, 2.0);
    close(after, (7.0 * 28.0_f64.sqrt()).cbrt());
    let ((before, after), _) = of(Estimand::TailRatio { quantile: 0.5 });
    close(before, 2.0);
    close(after, 5.5);
}

#[test]
fn a_silent_difference_has_no_sign() {
    let lower = criterion(MARGIN, Estimand::MeanDifference, Better::Lower);
    assert!(delta(&lower, 0.0).is_sign_positive());
    assert_eq!((delta(&lower, 0.25), delta(&acceptance(), 0.25)), (-0.25, 0.25));
    let bounds = shown(&lower, interval(-0.5, f64::INFINITY));
    assert_eq!((bounds.low, bounds.high), (None, Some(0.5)));
}

/// 30 single runs about 0.5, better by `gain` with some spread.
fn spread(gain: f64) -> Vec<Unit> {
    let values: Vec<(f64, f64)> =
        (0..30).map(|index| (0.5, 0.5 + gain + 0.02 * f64::from(index * 11 % 13 - 6))).collect();
    single(&values, 1)
}

/// A verdict needs no resamples of a criterion that leans to pass beside one that is undecided; one that leans to fail
/// may still reject.
#[test]
fn passes_beside_an_undecided_criterion_are_not_assessed() {
    let named = |id: &str| Criterion {
        id: id.to_owned(),
        scenarios: 30,
        range: None,
        ..criterion(GAIN, Estimand::MeanDifference, Better::Higher)
    };
    let (passing, open, failing) = (named("passing"), named("open"), named("failing"));
    let (gained, even, lost) = (spread(0.3), spread(0.0), spread(-0.3));
    let settings = Settings { resamples: 199, ..Settings::new(1) };
    let short = |declared: &[(&Criterion, &[Unit])]| -> Vec<(String, Outcome, Vec<String>)> {
        let outcomes = assess_for_verdict(declared, &settings).unwrap();
        let told = |outcome: &CriterionOutcome| {
            let codes = outcome.reasons().iter().map(|reason| reason.code.clone()).collect();
            assert!(outcome.figures().sign_flip.is_none());
            (outcome.criterion().id.clone(), outcome.outcome(), codes)
        };
        outcomes.iter().map(told).collect()
    };
    let code = |code: &str| vec![code.to_owned()];
    assert_eq!(
        short(&[(&passing, &gained), (&open, &even), (&failing, &lost)]),
        [
            ("passing".to_owned(), Outcome::Undecided, code("not-assessed")),
            ("open".to_owned(), Outcome::Undecided, code("undecided")),
            ("failing".to_owned(), Outcome::Fail, code("no-benefit")),
        ]
    );
    assert_eq!(
        short(&[(&passing, &gained), (&failing, &lost)]),
        [
            ("passing".to_owned(), Outcome::Pass, Vec::new()),
            ("failing".to_owned(), Outcome::Fail, code("no-benefit")),
        ]
    );
}

/// What is counted as a pass is a pass, and what t keeps from passing isn't resampled.
#[test]
fn a_pass_alone_is_that_of_an_assessment() {
    let settings = Settings { resamples: 79, flips: 9, ..Settings::new(1) };
    let claims = [GAIN, MARGIN, Claim::NonInferiority { margin: 0.3 }];
    let mut passed = 0;
    for claim in claims {
        let declared = Criterion {
            scenarios: 30,
            range: None,
            ..criterion(claim, Estimand::MeanDifference, Better::Higher)
        };
        let mut evidence: Vec<Vec<Unit>> =
            [-0.3, -0.06, -0.04, -0.001, 0.0, 0.001, 0.01, 0.04, 0.3].map(spread).to_vec();
        // One unit of 30 differs: counting decides, and passes the wide margin where t doesn't.
        for loss in [0.0, -1.0, -40.0] {
            let mut values = vec![(0.5, 0.5); 30];
            values[3].1 += loss;
            evidence.push(single(&values, 1));
        }
        for units in evidence {
            let outcome = assess(&declared, &units, &settings).unwrap().outcome();
            assert_eq!(passes_alone(&declared, &units, &settings), Ok(outcome == Outcome::Pass));
            passed += usize::from(outcome == Outcome::Pass);
        }
    }
    assert!(passed > 8, "{passed}");
    let of = |units: &[Unit]| {
        let declared = Criterion { scenarios: 30, range: None, ..acceptance() };
        Assessed::new(&declared, units, &settings).unwrap().cannot_pass(&settings)
    };
    assert_eq!(
        [of(&spread(-0.3)), of(&spread(0.3)), of(&single(&[(0.5, 0.5); 30], 1))],
        [true, false, false]
    );
}

#[test]
fn counts_that_are_no_counts_leave_safety_undecided() {
    let safety = Criterion {
        scenarios: 3,
        range: None,
        ..criterion(Claim::NoEvents, Estimand::MeanDifference, Better::Lower)
    };
    let told = |values: &[(f64, f64)]| {
        let outcome = assess(&safety, &single(values, 1), &Settings::new(1)).unwrap();
        let codes: Vec<String> = outcome.reasons().iter().map(|reason| reason.code.clone()).collect();
        (outcome.outcome(), codes.join(" "))
    };
    let undecided = |code: &str| (Outcome::Undecided, code.to_owned());
    assert_eq!(told(&[(0.0, 0.0); 3]), (Outcome::Pass, String::new()));
    assert_eq!(told(&[(0.0, 0.0), (0.0, -1.0), (0.0, 0.0)]), undecided("not-finite"));
    assert_eq!(told(&[(0.0, 0.0), (0.0, f64::NAN), (0.0, 0.0)]), undecided("not-finite"));
    assert_eq!(
        told(&[(9.0, 0.0), (0.0, f64::INFINITY), (0.0, 0.0)]),
        (Outcome::Fail, "safety-event".to_owned())
    );
    assert_eq!(told(&[(0.0, 0.0); 2]), undecided("missing-runs"));
    assert_eq!(told(&[]), undecided("no-evidence missing-runs"));

    let counted =
        assess(&safety, &single(&[(1.0, 0.0), (0.0, 2.0), (2.0, 1.0)], 1), &Settings::new(1)).unwrap();
    let figures = counted.figures();
    assert_eq!((figures.baseline, figures.candidate, figures.delta), (Some(1.0), Some(1.0), Some(0.0)));
    assert_eq!((figures.regressing, figures.regressing_upper), (2, Some(share_upper(2, 3, 0.025))));
    let more = assess(&safety, &single(&[(1.0, 0.0), (0.0, 2.0), (2.0, 4.0)], 1), &Settings::new(1)).unwrap();
    assert_eq!(more.figures().delta, Some(1.0));
}

/// Each obstacle by itself, and beside it the least evidence that isn't one: 36 values bound a 90th percentile, as
/// 0.9³⁶ < 0.025 < 0.9³⁵.
#[test]
fn obstacles_of_too_little_evidence() {
    let told = |estimand, scenarios: usize, units: &[Unit]| {
        let declared = Criterion { scenarios, range: None, ..criterion(MARGIN, estimand, Better::Lower) };
        let sample = Sample::prepare(&declared, units).unwrap();
        let codes: Vec<String> =
            obstacles(&declared, units, &sample).into_iter().map(|reason| reason.code).collect();
        codes.join(" ")
    };
    let mean = Estimand::MeanDifference;
    let of = |count: usize, share: usize| single(&vec![(1.0, 2.0); count], share);
    assert_eq!(told(mean, 3, &[]), "no-evidence");
    assert_eq!(told(mean, 3, &of(2, 1)), "missing-runs");
    assert_eq!(told(mean, 3, &of(3, 1)), "");
    assert_eq!(told(mean, 3, &of(3, 3)), "one-cluster");
    assert_eq!(told(mean, 3, &of(3, 2)), "");
    let tail = Estimand::TailRatio { quantile: 0.9 };
    assert_eq!(told(tail, 35, &of(35, 1)), "tail-too-short");
    assert_eq!(told(tail, 36, &of(36, 1)), "");
    assert_eq!(told(tail, 70, &of(70, 2)), "tail-too-short", "35 clusters");
    let mut blocked = of(3, 1);
    blocked[1].candidate.clear();
    assert_eq!(told(mean, 3, &blocked), "missing-runs");
}

/// The shortcut asks nothing of the resamples that the outcome doesn't need: no figure but those of t.
#[test]
fn a_shortcut_leaves_figures_out() {
    let declared = Criterion { scenarios: 30, range: None, ..acceptance() };
    let units = spread(-0.05);
    let of = |settings: &Settings| {
        let assessed = Assessed::new(&declared, &units, settings).unwrap();
        (assessed.statistics.len(), assessed.leans_to_pass(), assessed.cannot_pass(settings))
    };
    let full = Settings { resamples: 79, ..Settings::new(1) };
    assert_eq!(of(&full), (1, true, true));
    assert_eq!(of(&Settings { outcome_only: true, ..full }), (0, true, true));
}

/// What is short of its floor is told first, then what counting leaves of a guard; losses beyond one unit are named.
#[test]
fn floors_are_told_with_what_is_short() {
    let told = |claim, surely, worst_loss| {
        let declared = criterion(claim, Estimand::MeanDifference, Better::Higher);
        floor_message(&declared, &Discordance { worst_loss, ..discordance(surely, surely, 15) })
    };
    let counting = "counting alone (1 worse) leaves up to 0.100 of all worse";
    assert_eq!(
        told(MARGIN, 9, 1.0),
        format!("x: 9 of 15 units differ: t and bootstrap need 10; {counting}: the margin is 0.05")
    );
    assert_eq!(
        told(MARGIN, 10, 2.5),
        format!("x: 15 units: t and bootstrap need 20; {counting}, by up to 2.500: the margin is 0.05")
    );
    assert_eq!(told(GAIN, 9, 2.5), "x: 9 of 15 units differ: t and bootstrap need 10");
}

#[test]
fn an_unseen_run_may_hold_an_event() {
    let safety = Criterion {
        scenarios: 2,
        range: None,
        ..criterion(Claim::NoEvents, Estimand::MeanDifference, Better::Lower)
    };
    let none = Some(0.0);
    let told = |candidate: Vec<Option<f64>>| {
        let evidence = units(&[(vec![none], vec![none]), (vec![none; 2], candidate)], 1);
        let outcome = assess(&safety, &evidence, &Settings::new(1)).unwrap();
        outcome.reasons().iter().map(|reason| reason.message.clone()).collect::<Vec<String>>()
    };
    let unseen = |missing: usize| {
        format!("x: {missing} runs missing, 2 of 2 planned scenarios: an unseen run may hold an event")
    };
    assert_eq!(told(vec![none; 2]), Vec::<String>::new());
    assert_eq!(told(vec![none, None]), [unseen(1)]);
    assert_eq!(told(Vec::new()), [unseen(0)]);
}

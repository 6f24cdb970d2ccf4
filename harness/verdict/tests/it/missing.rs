//! Missing runs, and the wording of reasons.

use verdict::{Better, Claim, Criterion, CriterionOutcome, Outcome, Settings, Unit, assess};

use crate::criteria::acceptance;

fn run(criterion: &Criterion, units: &[Unit]) -> CriterionOutcome {
    assess(criterion, units, &Settings::new(20_261_130)).expect("the design is consistent")
}

/// The candidate accepts one run in three more in every other scenario, and loses one in every tenth.
fn better(scenarios: usize) -> Vec<Unit> {
    (0..scenarios)
        .map(|index| {
            let candidate = match index % 10 {
                0 => [0.0, 0.0, 0.0],
                odd if odd % 2 == 1 => [1.0, 1.0, 0.0],
                _ => [1.0, 0.0, 0.0],
            };
            Unit::complete(format!("s{index:03}"), format!("s{index:03}"), &[1.0, 0.0, 0.0], &candidate)
        })
        .collect()
}

fn reasons(outcome: &CriterionOutcome) -> String {
    let lines: Vec<String> =
        outcome.reasons().iter().map(|reason| format!("{}: {}", reason.code, reason.message)).collect();
    lines.join("\n")
}

#[test]
fn a_missing_run_counts_as_a_failure_of_its_arm_and_widens_the_bounds() {
    let mut units = better(100);
    let full = run(&acceptance(100), &units);
    units[1].candidate[0] = None;
    let fewer = run(&acceptance(100), &units);
    assert_eq!((full.outcome(), fewer.outcome()), (Outcome::Pass, Outcome::Pass));
    let (full, fewer) = (full.figures(), fewer.figures());
    assert_eq!(fewer.missing_runs, 1);
    let lost = full.delta.zip(fewer.delta).map_or(0.0, |(full, fewer)| full - fewer);
    assert!((lost - 1.0 / 300.0).abs() < 1e-12, "{lost}");
    assert!(fewer.low < full.low && fewer.high > full.high, "{full:?} {fewer:?}");
}

#[test]
fn imputation_must_not_change_a_pass() {
    let mut units = better(100);
    let criterion = Criterion { claim: Claim::Superiority { at_least: 0.06 }, ..acceptance(100) };
    assert_eq!(run(&criterion, &units).outcome(), Outcome::Pass);
    for unit in &mut units[20..32] {
        unit.candidate[2] = None;
        unit.baseline[1] = None;
    }
    let outcome = run(&criterion, &units);
    insta::assert_snapshot!(reasons(&outcome), @r"
    missing-runs: acceptance: 24 of 600 runs missing: the outcome may depend on what they would have been: record them
    undecided: acceptance: delta +0.1333 [+0.0118, +0.2484], smallest gain 0.06
    ");
}

#[test]
fn more_than_a_twentieth_missing_passes_nothing() {
    let mut units = better(400);
    for unit in &mut units[..130] {
        unit.baseline[2] = None;
    }
    let criterion = Criterion { claim: Claim::NonInferiority { margin: 0.3 }, ..acceptance(400) };
    let outcome = run(&criterion, &units);
    assert!(outcome.figures().low > Some(-0.3), "the bounds alone would pass: {:?}", outcome.figures());
    insta::assert_snapshot!(reasons(&outcome), @r"missing-runs: acceptance: 130 of 2400 runs missing: with more than 5 % missing nothing passes: record them");
}

#[test]
fn wording_of_reasons() {
    let lose = |scenarios: usize| -> Vec<Unit> {
        let lost = |index: usize| f64::from(u8::from(index.is_multiple_of(4)));
        (0..scenarios)
            .map(|index| {
                Unit::complete(
                    format!("s{index}"),
                    format!("s{index}"),
                    &[1.0; 3],
                    &[1.0, lost(index), lost(index)],
                )
            })
            .collect()
    };
    let silent: Vec<Unit> =
        (0..12).map(|n| Unit::complete(format!("s{n}"), format!("s{n}"), &[1.0; 3], &[1.0; 3])).collect();
    let mut unbounded = better(40);
    unbounded[3].candidate[1] = None;
    let superiority = Claim::Superiority { at_least: 0.0 };
    let few = better(15);
    let mut ten = better(15);
    ten[2].candidate[0] = Some(0.0);
    let reworked: Vec<Unit> = (0..30)
        .map(|n| {
            Unit::complete(format!("s{n}"), format!("s{n}"), &[1.0; 3], &[if n < 2 { 3.5 } else { 1.0 }; 3])
        })
        .collect();
    let rework = Criterion { better: Better::Lower, range: None, ..acceptance(30) };
    let outcomes = [
        run(&acceptance(12), &silent),
        run(&Criterion { claim: superiority, ..acceptance(12) }, &silent),
        run(&acceptance(40), &lose(40)),
        run(&Criterion { claim: superiority, ..acceptance(40) }, &lose(40)),
        run(&Criterion { range: None, ..acceptance(40) }, &unbounded),
        run(&acceptance(13), &silent),
        run(&acceptance(15), &few),
        run(&rework, &reworked),
        run(&acceptance(15), &ten),
    ];
    let all: Vec<String> = outcomes
        .iter()
        .map(|outcome| format!("{}: {}", outcome.outcome().as_str(), reasons(outcome)))
        .collect();
    insta::assert_snapshot!(all.join("\n"), @r"
    undecided: discordance-floor: acceptance: 0 of 12 units differ: t and bootstrap need 10; counting alone (0 worse) leaves up to 0.265 of all worse: the margin is 0.05
    undecided: discordance-floor: acceptance: 0 of 12 units differ: t and bootstrap need 10
    fail: regression: acceptance: delta -0.5000 [-0.5935, -0.3909], margin 0.05
    fail: no-benefit: acceptance: delta -0.5000 [-0.5935, -0.3909], smallest gain 0
    undecided: missing-runs: acceptance: scenario s003: 1 of 3 runs missing and no range bounds what they could have been
    undecided: missing-runs: acceptance: 12 of 13 planned scenarios: record the others
    undecided: discordance-floor: acceptance: 9 of 15 units differ: t and bootstrap need 10; counting alone (2 worse) leaves up to 0.405 of all worse: the margin is 0.05
    undecided: discordance-floor: acceptance: 2 of 30 units differ: t and bootstrap need 10; counting alone (2 worse) leaves up to 0.221 of all worse, by up to 2.500: the margin is 0.05
    undecided: discordance-floor: acceptance: 15 units: t and bootstrap need 20; counting alone (3 worse) leaves up to 0.481 of all worse: the margin is 0.05
    ");
}

//! Criteria and verdicts on small designs whose answer is known.

use verdict::{
    Better, Case, Claim, Criterion, CriterionOutcome, Estimand, Fault, Outcome, Reason, Settings, Tier, Unit,
    Verdict, assess, judge,
};

use crate::criteria::{acceptance, cost};

/// Baseline and candidate runs of a scenario.
type Arms = (Vec<f64>, Vec<f64>);

fn units(count: usize, arms: impl Fn(usize) -> Arms) -> Vec<Unit> {
    (0..count)
        .map(|index| {
            let (baseline, candidate) = arms(index);
            Unit::complete(format!("s{index:03}"), format!("c{index:03}"), &baseline, &candidate)
        })
        .collect()
}

fn run(criterion: &Criterion, units: &[Unit]) -> CriterionOutcome {
    assess(criterion, units, &Settings::new(20_261_130)).expect("the design is consistent")
}

fn codes(outcome: &CriterionOutcome) -> Vec<&str> {
    outcome.reasons().iter().map(|reason| reason.code.as_str()).collect()
}

/// A saving of about a tenth with some spread.
fn saving(index: usize) -> Arms {
    let base = 1.0 + 0.1 * (index % 7) as f64;
    let factor = 0.9 + 0.01 * ((index % 5) as f64 - 2.0);
    (vec![base; 3], vec![base * factor; 3])
}

#[test]
fn silence_certifies_five_points_from_72_units_on() {
    let same = |count| units(count, |_| (vec![1.0; 3], vec![1.0; 3]));
    let short = run(&acceptance(71), &same(71));
    assert_eq!((short.outcome(), codes(&short)), (Outcome::Undecided, vec!["discordance-floor"]));
    assert_eq!(run(&acceptance(72), &same(72)).outcome(), Outcome::Pass);
}

#[test]
fn twelve_scenarios_never_pass_quality_at_five_points() {
    let worlds: [&dyn Fn(usize) -> Arms; 5] = [
        &|_| (vec![0.0; 3], vec![1.0; 3]),
        &|index| (vec![0.0; 3], vec![1.0, 1.0, f64::from(u8::from(index % 2 == 0))]),
        &|_| (vec![1.0; 3], vec![1.0; 3]),
        &|index| (vec![0.0; 3], vec![f64::from(u8::from(index < 9)); 3]),
        &|index| (vec![0.0, 1.0, 1.0], vec![1.0, 1.0, f64::from(u8::from(index < 6))]),
    ];
    for world in worlds {
        let outcome = run(&acceptance(12), &units(12, world));
        assert_eq!(outcome.outcome(), Outcome::Undecided, "{:?}", outcome.figures());
    }
}

#[test]
fn total_loss_in_twelve_scenarios_of_four_repositories_fails() {
    let mut lost = units(12, |_| (vec![1.0], vec![0.0]));
    assert_eq!(run(&acceptance(12), &lost).outcome(), Outcome::Fail);
    for (index, unit) in lost.iter_mut().enumerate() {
        unit.cluster = format!("repository-{}", index % 4);
    }
    let clustered = run(&acceptance(12), &lost);
    assert_eq!((clustered.outcome(), codes(&clustered)), (Outcome::Fail, vec!["regression"]));
}

#[test]
fn one_cluster_and_no_number_are_undecided() {
    let mut single = units(80, |_| (vec![1.0], vec![1.0]));
    for unit in &mut single {
        unit.cluster = "only".to_owned();
    }
    assert_eq!(codes(&run(&acceptance(80), &single)), ["one-cluster"]);
    let mut odd = units(80, |_| (vec![1.0], vec![1.0]));
    odd[3].candidate[0] = Some(f64::NAN);
    let criterion = Criterion { range: None, ..acceptance(80) };
    assert_eq!(codes(&run(&criterion, &odd)), ["not-finite"]);
    assert_eq!(codes(&run(&acceptance(80), &[])), ["no-evidence"]);
    assert_eq!(codes(&run(&acceptance(81), &units(80, |_| (vec![1.0], vec![1.0])))), ["missing-runs"]);
}

#[test]
fn a_steady_saving_is_superior_and_a_zero_cost_is_no_ratio() {
    let outcome = run(&cost(40), &units(40, saving));
    assert_eq!(outcome.outcome(), Outcome::Pass);
    let figures = outcome.figures();
    assert!((figures.delta.unwrap() + 0.1).abs() < 0.005, "{figures:?}");
    assert!(figures.high.unwrap() < 0.0 && figures.low.unwrap() > -0.15);
    let mut free = units(40, saving);
    free[0].candidate[1] = Some(0.0);
    assert_eq!(codes(&run(&cost(40), &free)), ["not-positive"]);
}

#[test]
fn totals_and_tails_have_margins_of_their_own() {
    let total = Criterion {
        claim: Claim::NonInferiority { margin: 0.02 },
        estimand: Estimand::TotalRatio,
        ..cost(100)
    };
    let tail = Criterion {
        claim: Claim::NonInferiority { margin: 0.10 },
        estimand: Estimand::TailRatio { quantile: 0.95 },
        ..cost(100)
    };
    for criterion in [&total, &tail] {
        assert_eq!(run(criterion, &units(100, saving)).outcome(), Outcome::Pass);
        let dearer = units(100, |index| {
            let (cheap, dear) = saving(index);
            (dear.iter().map(|cost| cost * 0.7).collect(), cheap)
        });
        assert_eq!(run(criterion, &dearer).outcome(), Outcome::Fail);
    }
    let long = Criterion { scenarios: 72, ..tail.clone() };
    assert_eq!(codes(&run(&long, &units(72, saving))), Vec::<&str>::new());
    let short = Criterion { scenarios: 71, ..tail };
    assert_eq!(codes(&run(&short, &units(71, saving))), ["tail-too-short"]);
}

#[test]
fn safety_counters_must_be_zero_and_seen() {
    let safety = Criterion { claim: Claim::NoEvents, better: Better::Lower, range: None, ..acceptance(12) };
    let clean = units(12, |_| (vec![0.0; 3], vec![0.0; 3]));
    assert_eq!(run(&safety, &clean).outcome(), Outcome::Pass);
    let mut leaky = clean.clone();
    leaky[5].candidate[2] = Some(1.0);
    assert_eq!(codes(&run(&safety, &leaky)), ["safety-event"]);
    let mut unseen = clean;
    unseen[5].candidate[2] = None;
    assert_eq!(codes(&run(&safety, &unseen)), ["missing-runs"]);
}

#[test]
fn promotion_takes_every_criterion_the_tier_and_no_fault() {
    let declared = [acceptance(100), cost(100)];
    let quality = run(&declared[0], &units(100, |_| (vec![1.0; 3], vec![1.0; 3])));
    let saved = run(&declared[1], &units(100, saving));
    let outcomes = [quality.clone(), saved.clone()];
    let case =
        Case { declared: &declared, outcomes: &outcomes, faults: &[], tier: Some(Tier::RecordedModel) };
    assert!(matches!(judge(&case).verdict, Verdict::Promote(_)));

    let scripted = judge(&Case { tier: Some(Tier::RecordedScripted), ..case });
    assert_eq!((scripted.verdict, scripted.only_tier_missing), (Verdict::Insufficient, true));
    let nothing = judge(&Case { tier: None, ..case });
    assert_eq!((nothing.verdict, nothing.only_tier_missing), (Verdict::Insufficient, false));

    let absent = judge(&Case { outcomes: &outcomes[..1], ..case });
    assert_eq!(
        (absent.verdict, absent.reasons[0].code.as_str()),
        (Verdict::Insufficient, "criterion-missing")
    );
    let voided = [quality, saved.voided(Reason::new("stale-prices", "cost: prices of last year"))];
    assert_eq!(judge(&Case { outcomes: &voided, ..case }).verdict, Verdict::Insufficient);

    let stale = [Fault::insufficient("stale-engine", "engine: recorded with another build")];
    assert_eq!(judge(&Case { faults: &stale, ..case }).verdict, Verdict::Insufficient);
    let broken = [Fault::invalid("hash-mismatch", "runs.jsonl: line 3: hash differs")];
    assert_eq!(judge(&Case { faults: &broken, ..case }).verdict, Verdict::Invalid);
}

#[test]
fn worse_verdicts_win_and_terms_cannot_be_loosened() {
    let declared = [acceptance(100), cost(100)];
    let worse =
        run(&declared[0], &units(100, |index| (vec![1.0; 3], vec![f64::from(u8::from(index % 3 == 0)); 3])));
    assert_eq!(worse.outcome(), Outcome::Fail);
    let outcomes = [worse];
    let case = Case { declared: &declared, outcomes: &outcomes, faults: &[], tier: None };
    let rejected = judge(&case);
    assert_eq!(rejected.verdict, Verdict::Reject);
    assert_eq!(rejected.reasons[0].code, "regression");
    let broken = [Fault::invalid("same-engine", "arms: equal digests")];
    assert_eq!(judge(&Case { faults: &broken, ..case }).verdict, Verdict::Invalid);

    let loose = Criterion { claim: Claim::NonInferiority { margin: 0.9 }, ..acceptance(100) };
    let outcomes =
        [run(&loose, &units(100, |_| (vec![1.0], vec![1.0]))), run(&declared[1], &units(100, saving))];
    let judged = judge(&Case { outcomes: &outcomes, tier: Some(Tier::RecordedModel), ..case });
    assert_eq!((judged.verdict, judged.reasons[0].code.as_str()), (Verdict::Invalid, "criterion-mismatch"));

    let guards = [acceptance(100)];
    let outcomes = [run(&guards[0], &units(100, |_| (vec![1.0], vec![1.0])))];
    let judged =
        judge(&Case { declared: &guards, outcomes: &outcomes, faults: &[], tier: Some(Tier::RecordedModel) });
    assert_eq!(
        (judged.verdict, judged.reasons[0].code.as_str()),
        (Verdict::Insufficient, "no-benefit-declared")
    );
}

/// Student's sleep data (1908), differences of hours gained: mean 1.58, 95 % interval 0.7001 to 2.4599 with 9 degrees of
/// freedom.
#[test]
fn paired_t_bounds_of_students_sleep_data() {
    let first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
    let second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
    let criterion =
        Criterion { claim: Claim::Superiority { at_least: 0.0 }, range: None, ..acceptance(first.len()) };
    let outcome = run(&criterion, &units(10, |index| (vec![first[index]], vec![second[index]])));
    let figures = outcome.figures();
    let t = figures.t.expect("ten clusters have an error");
    assert!((figures.delta.unwrap_or(0.0) - 1.58).abs() < 1e-12);
    assert!((t.low.unwrap_or(0.0) - 0.700_114_2).abs() < 1e-6, "{t:?}");
    assert!((t.high.unwrap_or(0.0) - 2.459_885_8).abs() < 1e-6, "{t:?}");
    assert_eq!(outcome.outcome(), Outcome::Undecided, "nine of ten differ, one short of the floor");
}

/// Two clusters of two: D = 2.5, cluster residuals ∓2, SE = sqrt(2 · 8) / 4 = 1 with one degree of freedom.
#[test]
fn clustered_error_of_a_hand_worked_case() {
    let mut four = units(4, |index| (vec![0.0], vec![1.0 + index as f64]));
    for (index, unit) in four.iter_mut().enumerate() {
        unit.cluster = format!("r{}", index / 2);
    }
    let criterion = Criterion { claim: Claim::Superiority { at_least: 0.0 }, range: None, ..acceptance(4) };
    let figures = run(&criterion, &four).figures().clone();
    assert!((figures.standard_error.unwrap_or(0.0) - 1.0).abs() < 1e-12, "{figures:?}");
    assert_eq!((figures.clusters, figures.differing, figures.below_floor), (2, 2, true));
}

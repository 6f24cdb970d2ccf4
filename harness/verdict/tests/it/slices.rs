//! Slices as guards.

use std::collections::BTreeMap;

use verdict::{
    Case, Claim, Criterion, DesignError, Outcome, Settings, Severity, SliceOutcome, Tier, Unit, Verdict,
    assess, judge, slice_outcomes,
};

use crate::criteria::acceptance;

fn quality(scenarios: usize) -> Criterion {
    Criterion { claim: Claim::NonInferiority { margin: 0.1 }, ..acceptance(scenarios) }
}

/// 160 scenarios in three languages: Rust gains, Python loses two of three runs in three of four scenarios, Go is rare.
fn evidence() -> (Vec<Unit>, BTreeMap<String, String>) {
    let mut labels = BTreeMap::new();
    let units = (0..160)
        .map(|n| {
            let id = format!("s{n:03}");
            let (language, baseline, candidate) = match n {
                0..20 => ("python", [1.0; 3], if n % 4 == 0 { [1.0; 3] } else { [1.0, 0.0, 0.0] }),
                20..24 => ("go", [1.0; 3], [1.0; 3]),
                _ => ("rust", [1.0, 0.0, 0.0], if n % 3 == 0 { [1.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] }),
            };
            labels.insert(id.clone(), language.to_owned());
            Unit::complete(id.clone(), id, &baseline, &candidate)
        })
        .collect();
    (units, labels)
}

fn slices(units: &[Unit], labels: &BTreeMap<String, String>) -> Vec<SliceOutcome> {
    slice_outcomes(&quality(160), units, labels, &Settings::new(3)).expect("every scenario has a label")
}

#[test]
fn a_slice_shown_worse_rejects_what_the_whole_would_promote() {
    let (units, labels) = evidence();
    let settings = Settings::new(3);
    let benefit = Criterion { claim: Claim::Superiority { at_least: 0.0 }, ..quality(160) };
    let declared = [quality(160), Criterion { id: "benefit".to_owned(), ..benefit }];
    // The benefit is measured on a metric of its own, on which every scenario gains.
    let gained: Vec<Unit> = units
        .iter()
        .enumerate()
        .map(|(n, unit)| {
            Unit::complete(
                unit.scenario.clone(),
                unit.cluster.clone(),
                &[0.0],
                &[0.5 + 0.01 * (n % 7) as f64],
            )
        })
        .collect();
    let outcomes = [
        assess(&declared[0], &units, &settings).expect("the design is consistent"),
        assess(&declared[1], &gained, &settings).expect("the design is consistent"),
    ];
    assert_eq!(outcomes[0].outcome(), Outcome::Pass, "{:?}", outcomes[0].figures());
    let case =
        Case { declared: &declared, outcomes: &outcomes, faults: &[], tier: Some(Tier::RecordedModel) };
    assert!(matches!(judge(&case).verdict, Verdict::Promote(_)));

    let found = slices(&units, &labels);
    let names: Vec<(&str, Outcome)> =
        found.iter().map(|slice| (slice.slice.as_str(), slice.outcome.outcome())).collect();
    assert_eq!(
        names,
        [("go", Outcome::Undecided), ("python", Outcome::Fail), ("rust", Outcome::Pass)],
        "{found:?}"
    );
    assert_eq!(found[1].outcome.criterion().claim, Claim::NonInferiority { margin: 0.2 });
    let faults: Vec<_> = found.iter().filter_map(SliceOutcome::fault).collect();
    let warnings: Vec<_> = found.iter().filter_map(SliceOutcome::warning).collect();
    assert_eq!((faults.len(), warnings.len()), (1, 1));
    assert_eq!((faults[0].severity, faults[0].reason.code.as_str()), (Severity::Harm, "slice-regression"));
    assert!(faults[0].reason.message.starts_with("acceptance, slice python: delta -0.5000"), "{faults:?}");
    assert!(warnings[0].message.starts_with("acceptance, slice go: "), "{warnings:?}");
    let judged = judge(&Case { faults: &faults, ..case });
    assert_eq!((judged.verdict, judged.reasons[0].code.as_str()), (Verdict::Reject, "slice-regression"));
}

#[test]
fn slices_need_labels_and_count_what_is_missing() {
    let (mut units, mut labels) = evidence();
    let superior = Criterion { claim: Claim::Superiority { at_least: 0.0 }, ..quality(160) };
    assert_eq!(slice_outcomes(&superior, &units, &labels, &Settings::new(3)), Ok(Vec::new()));
    units.truncate(150);
    let rust = &slices(&units, &labels)[2];
    assert_eq!(rust.outcome.outcome(), Outcome::Undecided, "ten planned scenarios have no evidence");
    assert_eq!(rust.outcome.reasons()[0].code, "missing-runs");
    labels.remove("s003");
    let error = slice_outcomes(&quality(160), &units, &labels, &Settings::new(3));
    let expected =
        DesignError::UnlabelledScenario { criterion: "acceptance".to_owned(), scenario: "s003".to_owned() };
    assert_eq!(error, Err(expected));
}

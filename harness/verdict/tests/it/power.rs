//! What would settle a criterion.

use verdict::{
    Better, Claim, Criterion, Estimand, Outcome, Population, Range, Settings, Settlement, Unit, assess,
    settle,
};

fn settlement(criterion: &Criterion, units: &[Unit]) -> (Outcome, Settlement) {
    let settings = Settings::new(5);
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
            let settings = Settings::new(5);
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

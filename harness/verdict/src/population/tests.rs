use std::fmt::Write;

use super::*;

/// A population with round derived figures: mean acceptance 0.8, chances beta(0.8, 0.2), E(p(1 − p))² 0.0144.
fn round() -> Population {
    Population { icc: 0.5, run_variance: 0.08, interaction_variance: 0.0036, ..Population::new(4, 2, 5) }
}

fn interaction(population: &Population) -> (char, f64) {
    match Model::new(population).unwrap().interaction {
        Interaction::Swing(swing) => ('s', swing),
        Interaction::Redraw(share) => ('r', share),
    }
}

#[test]
fn interactions_of_hand_worked_cases() {
    let near = |population: Population, kind: char, expected: f64| {
        let (found, size) = interaction(&population);
        assert!(found == kind && (size - expected).abs() < 1e-9, "{found} {size} is not {kind} {expected}");
    };
    let with = |interaction_variance| Population { interaction_variance, ..round() };
    near(round(), 's', 0.5);
    near(with(0.014_399_999), 's', 0.999_999_965);
    // Half of the variance over that between scenarios, 0.08.
    near(with(0.04), 'r', 0.25);
    assert_eq!(Model::new(&with(0.16)).map(|_| ()), Ok(()), "every chance drawn afresh");
    assert!(Model::new(&with(0.1601)).is_err());
    // An effect leaves room for a smaller swing: 1 − 0.6/0.8 and 1 − 0.15/0.2.
    near(Population { effect: -0.6, ..round() }, 's', 0.25);
    near(Population { effect: 0.15, ..round() }, 's', 0.25);
    near(Population { effect: -0.1, ..round() }, 's', 0.5);
    assert!(Model::new(&Population { effect: -0.81, ..round() }).is_err());
    assert!(Model::new(&Population { effect: 0.21, ..round() }).is_err());
}

/// What each parameter outside its domain is told; limits that belong to it are none.
#[test]
fn parameters_are_refused_by_name() {
    let sane = round();
    let told = |odd: Population| match check(&odd) {
        Ok(()) => "fine".to_owned(),
        Err(error) => error.to_string(),
    };
    let all = [
        told(Population { scenarios: 0, ..sane.clone() }),
        told(Population { runs: 0, ..sane.clone() }),
        told(Population { effect: 1.0, ..sane.clone() }),
        told(Population { effect: -1.0, ..sane.clone() }),
        told(Population { effect: f64::NAN, ..sane.clone() }),
        told(Population { cost_ratio: 0.0, ..sane.clone() }),
        told(Population { cost_ratio: f64::INFINITY, ..sane.clone() }),
        told(Population { icc: 0.0, ..sane.clone() }),
        told(Population { icc: 1.0, ..sane.clone() }),
        told(Population { run_variance: 0.0, ..sane.clone() }),
        told(Population { interaction_variance: 0.0, ..sane.clone() }),
        told(Population { interaction_variance: -0.1, ..sane.clone() }),
        told(Population { log_cost_sd: 0.0, ..sane.clone() }),
        told(Population { log_cost_sd: -0.1, ..sane.clone() }),
        told(Population { runaway_share: 1.1, ..sane.clone() }),
        told(Population { runaway_factor: 0.0, ..sane.clone() }),
        told(Population { cluster_size: 0, ..sane.clone() }),
        told(Population { cluster_share: -0.1, ..sane.clone() }),
        told(Population { missing_share: 1.1, ..sane.clone() }),
        told(Population { alpha: 0.0, ..sane.clone() }),
        told(Population { alpha: 0.5, ..sane.clone() }),
        told(Population { alpha: 0.499, ..sane.clone() }),
        told(Population { margin: -0.01, ..sane.clone() }),
        told(Population { margin: 0.0, ..sane.clone() }),
        told(Population { margin: f64::INFINITY, ..sane.clone() }),
        told(Population { cost_limit: Some(1.0), ..sane.clone() }),
        told(Population { cost_limit: Some(1.5), ..sane }),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

/// All runs of a campaign as text: acceptances, then costs to seven digits.
fn shown(campaign: &Campaign) -> String {
    let mut text = String::new();
    let runs = |runs: &[Option<f64>]| {
        let run = |run: &Option<f64>| run.map_or_else(|| "-".to_owned(), |value| format!("{value:.6}"));
        runs.iter().map(run).collect::<Vec<String>>().join(" ")
    };
    for (quality, cost) in campaign.acceptance.iter().zip(&campaign.cost) {
        assert_eq!((&quality.scenario, &quality.cluster), (&cost.scenario, &cost.cluster));
        let accepted = |arm: &[Option<f64>]| -> String {
            arm.iter().map(|run| run.map_or('-', |value| if value == 1.0 { '1' } else { '0' })).collect()
        };
        let Unit { scenario, cluster, baseline, candidate } = quality;
        let (before, after) = (accepted(baseline), accepted(candidate));
        let (cheap, dear) = (runs(&cost.baseline), runs(&cost.candidate));
        writeln!(text, "{scenario} {cluster} {before} {after} {cheap} | {dear}").unwrap();
    }
    text
}

/// Campaigns are a function of their population: corpora that were written from a seed can be written again.
#[test]
fn campaigns_of_a_seed_stay_what_they_are() {
    let plain = Population { effect: -0.2, cost_ratio: 0.7, runaway_share: 0.3, ..Population::new(8, 4, 11) };
    let clustered = Population {
        effect: 0.05,
        interaction_variance: 0.05,
        cluster_size: 3,
        cluster_share: 0.6,
        missing_share: 0.2,
        cost_limit: Some(1.5),
        log_cost_sd: 0.4,
        ..Population::new(9, 3, 12)
    };
    let campaigns = [
        plain.campaign(0).unwrap(),
        plain.campaign(1).unwrap(),
        plain.repeat(0).unwrap(),
        clustered.campaign(0).unwrap(),
        clustered.repeat(3).unwrap(),
    ];
    insta::assert_snapshot!(campaigns.each_ref().map(shown).join("\n"));
}

/// An effect leaves every chance a chance, whatever the interaction swings.
#[test]
fn chances_stay_between_zero_and_one() {
    for effect in [-0.7, -0.1, 0.0, 0.1, 0.19] {
        let population = Population { effect, ..round() };
        let model = Model::new(&population).unwrap();
        let mut rng = stream(1, Purpose::Campaign, 0);
        for _ in 0..4_000 {
            let task = model.task(&mut rng);
            assert!((-1e-12..=1.0 + 1e-12).contains(&task.candidate), "{effect}: {task:?}");
        }
    }
}

/// What a yes or no can't have is refused; the most it can have is taken.
#[test]
fn populations_that_cannot_be_are_refused() {
    let told = |odd: Population| match Model::new(&odd) {
        Ok(_) => "fine".to_owned(),
        Err(error) => error.to_string(),
    };
    let half = |run_variance| Population { run_variance, interaction_variance: 0.0, ..round() };
    assert_eq!(told(half(0.125)), "fine", "a mean of one half");
    assert!(told(half(0.13)).starts_with("run variance 0.13: "));
    assert!(told(Population { effect: 0.21, ..round() }).starts_with("effect 0.21: "));
    assert_eq!(told(Population { effect: 0.19, ..round() }), "fine");
    assert_eq!(told(Population { effect: -0.79, ..round() }), "fine");
    assert!(
        told(Population { interaction_variance: 0.17, ..round() }).starts_with("interaction variance 0.17: ")
    );
    // The largest swing is all of p(1 − p).
    let chance = Model::new(&round()).unwrap().chance;
    let largest = Population { interaction_variance: chance.mean_square_of_spread(), ..round() };
    assert_eq!(interaction(&largest), ('s', 1.0));
}

#[test]
fn criteria_are_those_of_the_population() {
    let population =
        Population { alpha: 0.04, margin: 0.07, cost_limit: Some(4.0), ..Population::new(30, 3, 1) };
    let [quality, saving, bill] = population.criteria();
    let costs = Some(Range { low: 0.25, high: 4.0 });
    assert_eq!((quality.claim, quality.range), (Claim::NonInferiority { margin: 0.07 }, Some(Range::UNIT)));
    assert_eq!((saving.claim, saving.range), (Claim::Superiority { at_least: 0.0 }, costs));
    assert_eq!((bill.claim, bill.range), (Claim::NonInferiority { margin: 0.02 }, costs));
    assert!([&quality, &saving, &bill].iter().all(|one| one.alpha == 0.04 && one.scenarios == 30));
    assert_eq!(Population { cost_limit: None, ..population }.criteria()[1].range, None);
}

#[test]
fn attendance_counts_the_runs_of_each_arm() {
    let unit = |baseline: &[Option<f64>], candidate: &[Option<f64>]| Unit {
        scenario: "s".to_owned(),
        cluster: "c".to_owned(),
        baseline: baseline.to_vec(),
        candidate: candidate.to_vec(),
    };
    let one = Some(1.0);
    let campaign = Campaign {
        acceptance: vec![unit(&[one, None], &[one, one, one]), unit(&[one, one], &[None, None, one])],
        cost: Vec::new(),
    };
    let expected = [Attendance { scheduled: 4, missing: 1 }, Attendance { scheduled: 6, missing: 2 }];
    assert_eq!(campaign.attendance(), expected);
}

//! Error rates and power through the real verdict code.

use verdict::{Population, Tally, share_lower, simulate};

fn tally(population: &Population, campaigns: u64) -> Tally {
    let tally = simulate(population, campaigns).expect("the parameters are in their domain");
    assert_eq!(tally.promote + tally.reject + tally.insufficient + tally.invalid, campaigns);
    assert_eq!((tally.campaigns, tally.invalid), (campaigns, 0));
    tally
}

/// False promotions don't contradict a rate of at most alpha (exact binomial band at 99.9 %).
fn at_most_alpha(population: &Population) {
    let tally = tally(population, 2_000);
    let seen = usize::try_from(tally.promote).expect("counts fit");
    assert!(share_lower(seen, 2_000, 0.001) <= population.alpha, "{population:?}: {tally:?}");
}

#[test]
fn false_promotions_of_nothing_at_all() {
    at_most_alpha(&Population { alpha: 0.05, ..Population::new(80, 3, 101) });
}

#[test]
fn false_promotions_with_quality_at_the_margin_and_a_real_saving() {
    let null = Population { effect: -0.05, cost_ratio: 0.7, alpha: 0.05, ..Population::new(100, 3, 102) };
    at_most_alpha(&null);
}

#[test]
fn false_promotions_with_better_quality_and_no_saving() {
    at_most_alpha(&Population { effect: 0.10, alpha: 0.05, ..Population::new(80, 3, 103) });
}

#[test]
fn a_real_saving_without_harm_is_found() {
    let real = Population { cost_ratio: 0.8, alpha: 0.05, ..Population::new(400, 3, 104) };
    let tally = tally(&real, 200);
    assert!(tally.promote > 170, "{tally:?}");
}

#[test]
fn twelve_scenarios_promote_nothing() {
    let splendid = Population { effect: 0.35, cost_ratio: 0.4, alpha: 0.05, ..Population::new(12, 3, 107) };
    assert_eq!(tally(&splendid, 500).promote, 0);
}

#[test]
fn harm_is_rejected_whatever_it_saves() {
    let harmful = Population { effect: -0.2, cost_ratio: 0.5, ..Population::new(200, 3, 105) };
    let tally = tally(&harmful, 200);
    assert_eq!(tally.promote, 0);
    assert!(tally.reject > 190, "{tally:?}");
}

/// The interaction and the effect are what they are declared to be, not what is left after clipping at 0 and 1.
#[test]
fn a_campaign_has_the_declared_effect_and_cost_ratio() {
    let population = Population { effect: -0.05, cost_ratio: 0.9, ..Population::new(40_000, 3, 106) };
    let campaign = population.campaign(0).expect("the parameters are in their domain");
    let mean = |arm: &[Option<f64>]| arm.iter().flatten().sum::<f64>() / arm.len() as f64;
    let count = campaign.acceptance.len() as f64;
    let effect: f64 =
        campaign.acceptance.iter().map(|unit| mean(&unit.candidate) - mean(&unit.baseline)).sum::<f64>()
            / count;
    assert!((effect + 0.05).abs() < 0.006, "{effect}");
    let logs =
        |arm: &[Option<f64>]| arm.iter().flatten().map(|cost| cost.ln()).sum::<f64>() / arm.len() as f64;
    let ratio: f64 =
        campaign.cost.iter().map(|unit| logs(&unit.candidate) - logs(&unit.baseline)).sum::<f64>() / count;
    assert!((ratio - 0.9_f64.ln()).abs() < 0.01, "{ratio}");
}

#[test]
fn parameters_outside_their_domain_are_refused() {
    let sane = Population::new(20, 3, 1);
    for odd in [
        Population { scenarios: 0, ..sane.clone() },
        Population { runs: 0, ..sane.clone() },
        Population { effect: -0.9, ..sane.clone() },
        Population { cost_ratio: 0.0, ..sane.clone() },
        Population { icc: 1.0, ..sane.clone() },
        Population { run_variance: 0.24, ..sane.clone() },
        Population { interaction_variance: 0.2, ..sane.clone() },
        Population { alpha: 0.7, ..sane.clone() },
        Population { runaway_share: f64::NAN, ..sane.clone() },
    ] {
        assert!(simulate(&odd, 1).is_err(), "{odd:?}");
    }
    assert_eq!(simulate(&sane, 0).expect("no campaign is no fault").campaigns, 0);
}

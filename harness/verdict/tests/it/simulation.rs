//! Error rates and power through the real verdict code.

use rayon::ThreadPoolBuilder;
use verdict::{
    Case, Components, Criterion, Population, Promise, Settings, Tally, Tier, Unit, Verdict, assess_all,
    attendance_faults, judge, passes, share_lower, simulate,
};

/// A population whose bootstraps are short enough for a test.
fn population(scenarios: usize, seed: u64) -> Population {
    Population { resamples: 399, ..Population::new(scenarios, 3, seed) }
}

fn tally(population: &Population, campaigns: u64) -> Tally {
    let tally = simulate(population, campaigns).expect("the parameters are in their domain");
    assert_eq!(tally.promote + tally.reject + tally.insufficient + tally.invalid, campaigns);
    assert_eq!((tally.campaigns, tally.invalid), (campaigns, 0));
    tally
}

/// False promotions don't contradict a rate of at most alpha (exact binomial band at 99.9 %).
fn at_most_alpha(population: &Population) {
    let tally = tally(population, 600);
    let seen = usize::try_from(tally.promote).expect("counts fit");
    assert!(share_lower(seen, 600, 0.001) <= population.alpha, "{population:?}: {tally:?}");
}

#[test]
fn false_promotions_of_nothing_at_all() {
    at_most_alpha(&Population { alpha: 0.05, ..population(80, 101) });
}

#[test]
fn false_promotions_with_quality_at_the_margin_and_a_real_saving() {
    let null = Population { effect: -0.05, cost_ratio: 0.7, alpha: 0.05, ..population(100, 102) };
    at_most_alpha(&null);
}

#[test]
fn false_promotions_with_better_quality_and_no_saving() {
    at_most_alpha(&Population { effect: 0.10, alpha: 0.05, ..population(80, 103) });
}

#[test]
fn a_real_saving_without_harm_is_found() {
    let real = Population { cost_ratio: 0.8, alpha: 0.05, ..population(400, 104) };
    let tally = tally(&real, 40);
    assert!(tally.promote > 33, "{tally:?}");
}

#[test]
fn twelve_scenarios_promote_nothing() {
    let splendid = Population { effect: 0.35, cost_ratio: 0.4, alpha: 0.05, ..population(12, 107) };
    assert_eq!(tally(&splendid, 150).promote, 0);
}

#[test]
fn harm_is_rejected_whatever_it_saves() {
    let harmful = Population { effect: -0.2, cost_ratio: 0.5, ..population(200, 105) };
    let tally = tally(&harmful, 40);
    assert_eq!(tally.promote, 0);
    assert!(tally.reject > 36, "{tally:?}");
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
        Population { interaction_variance: 0.3, ..sane.clone() },
        Population { interaction_variance: -0.1, ..sane.clone() },
        Population { cluster_size: 0, ..sane.clone() },
        Population { cluster_share: 1.1, ..sane.clone() },
        Population { missing_share: -0.1, ..sane.clone() },
        Population { cost_limit: Some(1.0), ..sane.clone() },
        Population { log_cost_sd: -1.0, ..sane.clone() },
        Population { runaway_factor: 0.0, ..sane.clone() },
        Population { runaway_share: 1.5, ..sane.clone() },
        Population { run_variance: 0.0, ..sane.clone() },
        Population { cost_ratio: f64::INFINITY, ..sane.clone() },
        Population { alpha: 0.7, ..sane.clone() },
        Population { runaway_share: f64::NAN, ..sane.clone() },
    ] {
        assert!(simulate(&odd, 1).is_err(), "{odd:?}");
    }
    assert_eq!(simulate(&sane, 0).expect("no campaign is no fault").campaigns, 0);
}

/// The truth that a verdict is about, in every direction, with clusters and missing runs.
fn worlds() -> Vec<Population> {
    vec![
        population(75, 201),
        Population { effect: -0.05, cost_ratio: 0.7, ..population(75, 202) },
        Population { effect: -0.2, cost_ratio: 1.2, ..population(60, 203) },
        Population { effect: 0.1, cost_ratio: 0.7, ..population(120, 204) },
        Population {
            effect: 0.2,
            cost_ratio: 0.6,
            cluster_size: 3,
            cluster_share: 0.5,
            ..population(90, 205)
        },
        Population {
            effect: 0.2,
            cost_ratio: 0.5,
            missing_share: 0.01,
            cost_limit: Some(20.0),
            ..population(150, 206)
        },
        Population { missing_share: 0.05, ..population(60, 207) },
    ]
}

/// What the gate would say of a campaign: every criterion assessed in full.
fn verdict_in_full(population: &Population, index: u64) -> Verdict {
    let campaign = population.campaign(index).expect("the parameters are in their domain");
    let criteria = population.criteria();
    let units = [&campaign.acceptance, &campaign.cost, &campaign.cost];
    let declared: Vec<(&Criterion, &[Unit])> =
        criteria.iter().zip(units).map(|(criterion, units)| (criterion, units.as_slice())).collect();
    let settings = Settings {
        resamples: population.resamples,
        flips: 9,
        ..Settings::new(population.seed.wrapping_add(index))
    };
    let outcomes = assess_all(&declared, &settings).expect("the design is consistent");
    let [baseline, candidate] = campaign.attendance();
    let faults = attendance_faults(baseline, candidate, settings.max_missing);
    let case =
        Case { declared: &criteria, outcomes: &outcomes, faults: &faults, tier: Some(Tier::RecordedModel) };
    judge(&case).verdict
}

#[test]
fn simulated_verdicts_are_those_of_a_full_assessment() {
    let campaigns = 12;
    let mut total = Tally::default();
    for world in worlds() {
        let mut expected = Tally { campaigns, ..Tally::default() };
        for index in 0..campaigns {
            match verdict_in_full(&world, index) {
                Verdict::Promote(_) => expected.promote += 1,
                Verdict::Reject => expected.reject += 1,
                Verdict::Insufficient => expected.insufficient += 1,
                Verdict::Invalid => expected.invalid += 1,
            }
        }
        let found = simulate(&world, campaigns).expect("the parameters are in their domain");
        assert_eq!(found, expected, "{world:?}");
        total.promote += found.promote;
        total.reject += found.reject;
        total.insufficient += found.insufficient;
        total.invalid += found.invalid;
    }
    let seen = [total.promote, total.reject, total.insufficient, total.invalid];
    assert!(seen.iter().all(|&count| count > 0), "every verdict is met: {total:?}");
}

#[test]
fn tallies_do_not_depend_on_the_number_of_threads() {
    let world = Population { effect: 0.05, cost_ratio: 0.8, ..population(60, 301) };
    let with = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool can be made");
        pool.install(|| (simulate(&world, 40), passes(&world, Promise::Bill, 40)))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn a_criterion_passes_on_its_own() {
    let world = Population { effect: -0.3, cost_ratio: 0.5, ..population(60, 302) };
    let count = |promise| passes(&world, promise, 20).expect("the parameters are in their domain");
    assert_eq!((count(Promise::Quality), count(Promise::Saving), count(Promise::Bill)), (0, 20, 20));
    let dearer = Population { cost_ratio: 1.5, effect: 0.2, ..world };
    let count = |promise| passes(&dearer, promise, 20).expect("the parameters are in their domain");
    assert_eq!((count(Promise::Saving), count(Promise::Bill)), (0, 0));
    assert!(count(Promise::Quality) > 15);
}

/// Scenarios of a cluster repeat its first task: their differences go together.
#[test]
fn clusters_share_their_tasks() {
    let repeated =
        Population { cluster_size: 2, cluster_share: 1.0, log_cost_sd: 0.5, ..population(4_000, 303) };
    let own = Population { cluster_share: 0.0, ..repeated.clone() };
    let correlation = |population: &Population| {
        let units = population.campaign(0).expect("the parameters are in their domain").cost;
        let level = |unit: &Unit| unit.baseline.iter().flatten().map(|cost| cost.ln()).sum::<f64>();
        let levels: Vec<f64> = units.iter().map(level).collect();
        let mean = levels.iter().sum::<f64>() / levels.len() as f64;
        let variance: f64 = levels.iter().map(|level| (level - mean).powi(2)).sum();
        let shared: f64 = levels.chunks(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
        assert_eq!(units[0].cluster, units[1].cluster);
        assert_ne!(units[1].cluster, units[2].cluster);
        2.0 * shared / variance
    };
    // Between 0.25 and within 0.25 + 0.057 of a run, over three runs.
    assert!((correlation(&repeated) - 0.71).abs() < 0.04, "{}", correlation(&repeated));
    assert!(correlation(&own).abs() < 0.05, "{}", correlation(&own));
}

#[test]
fn missing_runs_and_limits_are_as_declared() {
    let world = Population { missing_share: 0.1, cost_limit: Some(2.0), ..population(2_000, 304) };
    let campaign = world.campaign(0).expect("the parameters are in their domain");
    for arm in campaign.attendance() {
        assert_eq!(arm.scheduled, 6_000);
        assert!((450..750).contains(&arm.missing), "{arm:?}");
    }
    for (quality, cost) in campaign.acceptance.iter().zip(&campaign.cost) {
        for (accepted, cost) in quality.baseline.iter().zip(&cost.baseline) {
            assert_eq!(accepted.is_none(), cost.is_none(), "a run is missing altogether");
        }
    }
    let costs: Vec<f64> =
        campaign.cost.iter().flat_map(|unit| unit.candidate.iter().flatten().copied()).collect();
    assert!(
        costs.iter().all(|cost| (0.5..=2.0).contains(cost)) && costs.contains(&2.0) && costs.contains(&0.5)
    );
}

/// The declared noise comes back, at a small interaction (a swing) and at large ones (chances drawn afresh).
#[test]
fn components_are_those_declared() {
    for interaction in [0.009, 0.05, 0.123] {
        let world = Population { interaction_variance: interaction, ..population(6_000, 305) };
        let campaign = world.campaign(0).expect("the parameters are in their domain");
        let found = Components::of(&campaign.acceptance, false).expect("the runs are complete");
        assert!((found.run - 0.135).abs() < 0.005, "{found:?}");
        assert!((found.interaction - interaction).abs() < 0.008, "{found:?}");
        assert!((found.icc.unwrap_or(0.0) - 0.45).abs() < 0.03, "{found:?}");
        let limits = found.icc_interval.expect("runs vary");
        assert!(Some(limits.low) < found.icc && Some(limits.high) > found.icc, "{limits:?}");
        let costs = Components::of(&campaign.cost, true).expect("the runs are complete");
        assert!((costs.scenario - 0.25).abs() < 0.03 && costs.interaction < 0.01, "{costs:?}");
        assert!((costs.run - 0.307).abs() < 0.02 && costs.interaction_p > Some(0.001), "{costs:?}");
        assert!(found.interaction_p < Some(0.2), "{found:?}");
    }
}

#[test]
fn the_announced_size_has_the_announced_power() {
    let truth = Population { effect: 0.02, cost_ratio: 0.8, ..population(1, 306) };
    let size = truth.scenarios_for(0.9).expect("some size promotes it");
    let sized = Population { scenarios: size, ..truth.clone() };
    let tally = tally(&sized, 80);
    assert!((66..=78).contains(&tally.promote), "{size}: {tally:?}");

    let at = |population: &Population, power| population.scenarios_for(power).expect("some size promotes it");
    assert!(at(&truth, 0.95) > size);
    let many_runs = Population { runs: 10, ..truth.clone() };
    assert!(at(&many_runs, 0.9) < size / 2);
    let clustered = Population { cluster_size: 4, cluster_share: 0.9, ..truth.clone() };
    assert!((size + 1..size * 5 / 4).contains(&at(&clustered, 0.9)));
}

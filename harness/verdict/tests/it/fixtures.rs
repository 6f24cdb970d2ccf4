//! Figures computed a second time by scipy, statsmodels and numpy (`fixtures/*.py`), equal within 1e-9.

use serde_json::Value;
use verdict::distribution::{
    binomial_cdf, binomial_quantile, f_tail, f_upper, normal_tail, t_tail, t_upper, z_upper,
};
use verdict::{
    Attendance, Better, Bounds, Claim, Components, Criterion, Estimand, Population, Settings, Unit, assess,
    benjamini_hochberg, fisher_exact, holm, share_lower, share_upper,
};

fn fixture(text: &str) -> Value {
    serde_json::from_str(text).expect("the fixture is JSON")
}

fn rows<'a>(fixture: &'a Value, group: &str) -> &'a [Value] {
    let rows = fixture[group].as_array().expect("the group is an array");
    assert!(!rows.is_empty(), "{group}");
    rows
}

fn number(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key} is no number in {row}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    let values = value.as_array().expect("an array").iter();
    values.map(|value| value.as_f64().expect("a number")).collect()
}

/// Equal within 1e-9 of the value, or absolutely where it is small; a tail within 1e-9 of itself.
fn close(found: f64, expected: f64, row: &Value) {
    let allowed = 1e-9 * expected.abs().max(1e-30);
    let allowed = if expected.abs() < 1e-12 { 1e-15 } else { allowed };
    assert!((found - expected).abs() <= allowed, "{found} is not {expected}: {row}");
}

fn distributions() -> Value {
    fixture(include_str!("../../fixtures/distributions.json"))
}

fn paired() -> Value {
    fixture(include_str!("../../fixtures/paired.json"))
}

#[test]
fn quantiles_and_tails_equal_scipys() {
    let all = distributions();
    for row in rows(&all, "t_quantiles") {
        close(t_upper(number(row, "alpha"), number(row, "freedom")), number(row, "upper"), row);
    }
    for row in rows(&all, "t_tails") {
        close(t_tail(number(row, "t"), number(row, "freedom")), number(row, "tail"), row);
    }
    for row in rows(&all, "f_quantiles") {
        let found = f_upper(number(row, "alpha"), number(row, "numerator"), number(row, "denominator"));
        close(found, number(row, "upper"), row);
    }
    for row in rows(&all, "f_tails") {
        let found = f_tail(number(row, "f"), number(row, "numerator"), number(row, "denominator"));
        close(found, number(row, "tail"), row);
    }
    for row in rows(&all, "normal_quantiles") {
        close(z_upper(number(row, "alpha")), number(row, "upper"), row);
    }
    for row in rows(&all, "normal_tails") {
        close(normal_tail(number(row, "z")), number(row, "tail"), row);
    }
}

#[test]
fn binomial_counts_and_exact_intervals_equal_scipys() {
    let all = distributions();
    let whole = |row: &Value, key: &str| row[key].as_u64().expect("a count");
    for row in rows(&all, "binomial_quantiles") {
        let found = binomial_quantile(number(row, "level"), whole(row, "trials"), number(row, "p"));
        assert_eq!(found, whole(row, "count"), "{row}");
    }
    for row in rows(&all, "binomial_cdfs") {
        let found = binomial_cdf(whole(row, "count"), whole(row, "trials"), number(row, "p"));
        close(found, number(row, "cdf"), row);
    }
    for row in rows(&all, "clopper_pearson") {
        let (hits, trials) = (whole(row, "hits") as usize, whole(row, "trials") as usize);
        close(share_upper(hits, trials, number(row, "alpha")), number(row, "high"), row);
        close(share_lower(hits, trials, number(row, "alpha")), number(row, "low"), row);
    }
    for row in rows(&all, "fisher") {
        let counts: Vec<usize> = numbers(&row["arms"]).into_iter().map(|count| count as usize).collect();
        let arm = |at: usize| Attendance { scheduled: counts[at], missing: counts[at + 1] };
        close(fisher_exact(arm(0), arm(2)), number(row, "p"), row);
    }
}

#[test]
fn adjusted_p_values_equal_those_of_statsmodels() {
    for row in rows(&distributions(), "adjustments") {
        let p = numbers(&row["p"]);
        let both = [("holm", holm(&p)), ("benjamini_hochberg", benjamini_hochberg(&p))];
        for (method, found) in both {
            let expected = numbers(&row[method]);
            assert_eq!(found.len(), expected.len());
            for (&found, &expected) in found.iter().zip(&expected) {
                close(found, expected, row);
            }
        }
    }
}

#[test]
fn announced_sizes_equal_those_found_by_trying() {
    for row in rows(&distributions(), "sizes") {
        let count = |key: &str| row[key].as_u64().expect("a count") as usize;
        let population = Population {
            effect: number(row, "effect"),
            cost_ratio: number(row, "cost_ratio"),
            alpha: number(row, "alpha"),
            margin: number(row, "margin"),
            run_variance: number(row, "run_variance"),
            interaction_variance: number(row, "interaction_variance"),
            log_cost_sd: number(row, "log_cost_sd"),
            runaway_share: number(row, "runaway_share"),
            runaway_factor: number(row, "runaway_factor"),
            cluster_size: count("cluster_size"),
            cluster_share: number(row, "cluster_share"),
            ..Population::new(1, count("runs"), 1)
        };
        let found = population.scenarios_for(number(row, "power")).expect("some size promotes it");
        assert_eq!(found, count("scenarios"), "{row}");
    }
}

/// The units of a case and the criterion that it was computed for.
fn design(row: &Value) -> (Criterion, Vec<Unit>) {
    let arms =
        |key: &str| -> Vec<Vec<f64>> { row[key].as_array().expect("an array").iter().map(numbers).collect() };
    let (baseline, candidate) = (arms("baseline"), arms("candidate"));
    let clusters = numbers(&row["clusters"]);
    let units: Vec<Unit> = (0..clusters.len())
        .map(|index| {
            let cluster = format!("c{:04}", clusters[index]);
            Unit::complete(format!("s{index:04}"), cluster, &baseline[index], &candidate[index])
        })
        .collect();
    let (estimand, better) = match row["kind"].as_str() {
        Some("difference") => (Estimand::MeanDifference, Better::Higher),
        Some("geometric") => (Estimand::GeometricRatio, Better::Lower),
        Some("total") => (Estimand::TotalRatio, Better::Lower),
        Some("tail") => (Estimand::TailRatio { quantile: 0.95 }, Better::Lower),
        _ => panic!("an unknown kind in {row}"),
    };
    let criterion = Criterion {
        id: "fixture".to_owned(),
        claim: Claim::Superiority { at_least: 0.0 },
        estimand,
        better,
        alpha: number(row, "alpha"),
        scenarios: units.len(),
        range: None,
    };
    (criterion, units)
}

#[test]
fn paired_decisions_equal_a_second_computation_on_the_same_draws() {
    for row in rows(&paired(), "cases") {
        let (criterion, units) = design(row);
        let resamples = row["resamples"].as_u64().expect("a count") as usize;
        let seed = row["seed"].as_u64().expect("a seed");
        let settings = Settings { resamples, flips: resamples, ..Settings::new(seed) };
        let outcome = assess(&criterion, &units, &settings).expect("the design is consistent");
        let figures = outcome.figures();
        close(figures.delta.expect("a delta"), number(row, "delta"), row);
        let same = |found: Option<Bounds>, expected: &Value| {
            let (found, expected) = (found.expect("bounds"), numbers(expected));
            close(found.low.expect("a bound"), expected[0], row);
            close(found.high.expect("a bound"), expected[1], row);
        };
        same(figures.bootstrap, &row["bootstrap"]);
        if criterion.estimand == (Estimand::TailRatio { quantile: 0.95 }) {
            continue;
        }
        same(figures.t, &row["t"]);
        close(figures.standard_error.expect("an error"), number(row, "error"), row);
        close(figures.p_value.expect("a p-value"), number(row, "p"), row);
        if criterion.estimand == Estimand::MeanDifference {
            let flip = figures.sign_flip.expect("a sign flip");
            close(flip.p, number(row, "sign_flip_p"), row);
            assert_eq!(flip.exact, figures.clusters <= 16, "{row}");
        }
    }
}

#[test]
fn correlations_equal_those_of_the_mean_squares() {
    for row in rows(&paired(), "correlations") {
        let baseline: Vec<Vec<f64>> =
            row["baseline"].as_array().expect("an array").iter().map(numbers).collect();
        let units: Vec<Unit> = baseline
            .iter()
            .enumerate()
            .map(|(index, runs)| Unit::complete(format!("s{index:04}"), "c", runs, runs))
            .collect();
        let found = Components::of(&units, false).expect("the runs are complete");
        let limits = found.icc_interval.expect("runs vary");
        close(found.icc.expect("runs vary"), number(row, "icc"), row);
        close(limits.low, number(row, "low"), row);
        close(limits.high, number(row, "high"), row);
    }
}

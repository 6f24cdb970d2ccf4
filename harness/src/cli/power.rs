//! `harness power`: what a campaign can show, or synthetic campaigns through the verdict code.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use jiff::civil::Date;
use serde_json::{Value, json};
use verdict::{Population, simulate};

use super::{Outcome, output};
use crate::failure::{Failure, read_declaration};
use crate::report::folder::Ended;
use crate::synthetic::{Canary, Emission, SessionLength, emit};
use crate::workspace::WorkspaceRoot;

/// Most runs of an arm in a synthetic campaign: with four arms as many as a gate judges at once.
const MOST_RUNS: usize = 250_000;

/// What a campaign can show and what would settle it; with --simulate, error rates of the verdict code
///
/// Example: harness power --simulate 2000 --scenarios 80 --runs 3 --effect -0.05 --cost-ratio 0.9
#[derive(Debug, Args)]
pub struct PowerArguments {
    /// Judge this many synthetic campaigns
    #[arg(long, value_name = "N", group = "campaign", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    simulate: Option<u64>,
    /// Write one synthetic campaign as a project of its own (tier synthetic), for the whole gate: cd DIR && harness gate
    #[arg(long, value_name = "DIR", group = "campaign")]
    emit: Option<PathBuf>,
    /// Print the scenarios with which a campaign of this truth is promoted with this probability
    #[arg(long, value_name = "POWER", group = "campaign")]
    size: Option<f64>,
    /// Policy that an emitted campaign is judged by [default: scenarios/gate.toml]
    #[arg(long, value_name = "FILE", requires = "emit", conflicts_with_all = ["simulate", "size", "reports"])]
    policy: Option<PathBuf>,
    /// Date of an emitted campaign, YYYY-MM-DD [default: today, UTC]
    #[arg(long, value_name = "DATE", requires = "emit", conflicts_with_all = ["simulate", "size", "reports"])]
    as_of: Option<Date>,
    /// Emit sessions of two requests instead of three to five: what the gate costs a run then weighs most
    #[arg(long, requires = "emit", conflicts_with_all = ["simulate", "size", "reports"])]
    brief: bool,
    /// Share of runs that go missing
    #[arg(long, value_name = "P", default_value_t = 0.0, requires = "campaign", conflicts_with = "reports")]
    missing: f64,
    /// Mean variance of acceptance between the runs of a scenario
    #[arg(
        long,
        value_name = "V",
        default_value_t = 0.135,
        requires = "campaign",
        conflicts_with = "reports"
    )]
    run_variance: f64,
    /// Scenarios of a synthetic campaign
    #[arg(long, value_name = "T", default_value_t = 80, requires = "campaign", conflicts_with = "reports")]
    scenarios: usize,
    /// Runs an arm and scenario
    #[arg(long, value_name = "R", default_value_t = 3, requires = "campaign", conflicts_with = "reports")]
    runs: usize,
    /// True difference in acceptance, 0..1 (-0.05 = five points worse)
    #[arg(
        long,
        value_name = "D",
        default_value_t = 0.0,
        allow_negative_numbers = true,
        requires = "campaign",
        conflicts_with = "reports"
    )]
    effect: f64,
    /// True ratio of the candidate's cost to the baseline's
    #[arg(long, value_name = "X", default_value_t = 1.0, requires = "campaign", conflicts_with = "reports")]
    cost_ratio: f64,
    /// One-sided error level
    #[arg(
        long,
        value_name = "A",
        default_value_t = 0.025,
        requires = "campaign",
        conflicts_with = "reports"
    )]
    alpha: f64,
    /// Seed of every draw
    #[arg(long, value_name = "S", default_value_t = 1, requires = "campaign", conflicts_with = "reports")]
    seed: u64,
    /// Threads (0 = all cores); the figures don't depend on it
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// Folder with the gate.json to explain, without --simulate [default: reports/latest]
    #[arg(long, value_name = "DIR", conflicts_with = "campaign")]
    reports: Option<PathBuf>,
    /// Print one JSON value
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
///
/// # Errors
/// 64 for a parameter outside its domain; without `--simulate`, 74 or 65 where no gate.json can be read.
pub fn run(arguments: &PowerArguments) -> Outcome {
    let value = match (arguments.simulate, &arguments.emit, arguments.size) {
        (Some(campaigns), ..) => simulated(arguments, campaigns)?,
        (_, Some(folder), _) => emitted(arguments, folder)?,
        (.., Some(power)) => sized(arguments, power)?,
        (None, None, None) => explained(arguments)?,
    };
    if arguments.json {
        output::json(&value)?;
    } else {
        output::data(&text(&value))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn population(arguments: &PowerArguments) -> Result<Population, Failure> {
    let runs = arguments.scenarios.saturating_mul(arguments.runs);
    if runs > MOST_RUNS {
        return Err(Failure::usage(format!(
            "{} scenarios x {} runs: at most {MOST_RUNS} runs an arm are drawn at once: choose fewer",
            arguments.scenarios, arguments.runs
        )));
    }
    let standard = Population::new(arguments.scenarios, arguments.runs, arguments.seed);
    Ok(Population {
        effect: arguments.effect,
        cost_ratio: arguments.cost_ratio,
        alpha: arguments.alpha,
        missing_share: arguments.missing,
        run_variance: arguments.run_variance,
        // No reaction of a scenario can vary more than its runs do where these hardly do.
        interaction_variance: standard.interaction_variance.min(arguments.run_variance / 4.0),
        ..standard
    })
}

fn emitted(arguments: &PowerArguments, folder: &Path) -> Result<Value, Failure> {
    let policy = match &arguments.policy {
        Some(file) => file.clone(),
        None => WorkspaceRoot::current()?.scenarios().join("gate.toml"),
    };
    let policy = read_declaration(&policy)?;
    let as_of = arguments.as_of.unwrap_or_else(super::gate::today);
    let emission = Emission {
        population: &population(arguments)?,
        index: 0,
        canary: Canary::Sound,
        sessions: if arguments.brief { SessionLength::Brief } else { SessionLength::Usual },
        policy: &policy,
        as_of,
    };
    let emitted = emit(emission, folder)?;
    Ok(json!({
        "schema": "power/1",
        "emitted": {
            "corpus_sha256": emitted.sha256, "tier": "synthetic", "runs": emitted.runs, "missing": emitted.missing,
        },
    }))
}

fn sized(arguments: &PowerArguments, power: f64) -> Result<Value, Failure> {
    let population = population(arguments)?;
    let scenarios = population.scenarios_for(power).map_err(|error| Failure::usage(error.to_string()))?;
    Ok(json!({
        "schema": "power/1",
        "size": { "power": power, "scenarios": scenarios, "runs": population.runs, "effect": population.effect,
            "cost_ratio": population.cost_ratio, "alpha": population.alpha },
    }))
}

fn simulated(arguments: &PowerArguments, campaigns: u64) -> Result<Value, Failure> {
    let population = population(arguments)?;
    let tally = super::pool(arguments.jobs)?
        .install(|| simulate(&population, campaigns))
        .map_err(|error| Failure::usage(error.to_string()))?;
    Ok(json!({
        "schema": "power/1",
        "campaigns": tally.campaigns,
        "promote": tally.promote,
        "reject": tally.reject,
        "insufficient": tally.insufficient,
        "invalid": tally.invalid,
        "parameters": {
            "scenarios": population.scenarios,
            "runs": population.runs,
            "effect": population.effect,
            "cost_ratio": population.cost_ratio,
            "alpha": population.alpha,
            "margin": population.margin,
            "icc": population.icc,
            "run_variance": population.run_variance,
            "interaction_variance": population.interaction_variance,
            "log_cost_sd": population.log_cost_sd,
            "runaway_share": population.runaway_share,
            "runaway_factor": population.runaway_factor,
            "missing_share": population.missing_share,
            "resamples": population.resamples,
            "seed": population.seed,
        },
    }))
}

/// What the last gate could see and what would settle it.
fn explained(arguments: &PowerArguments) -> Result<Value, Failure> {
    let folder = match &arguments.reports {
        Some(folder) => folder.clone(),
        None => WorkspaceRoot::current()?.latest_reports(),
    };
    let path = folder.join("gate.json");
    if let Err(error) = path.symlink_metadata()
        && error.kind() == ErrorKind::NotFound
    {
        let hint = format!("{error}: run `harness gate` first");
        return Err(Failure::io(&path, &std::io::Error::new(ErrorKind::NotFound, hint)));
    }
    let document = Ended::read(&folder)?.document;
    let features: Vec<Value> = document
        .features
        .iter()
        .map(|feature| {
            let criteria: Vec<Value> = feature
                .criteria
                .iter()
                .map(|criterion| {
                    json!({
                        "id": criterion.id,
                        "outcome": criterion.outcome,
                        "detectable": criterion.detectable,
                        "margin": criterion.margin,
                        "scenarios": criterion.scenarios,
                        "designs": criterion.designs,
                    })
                })
                .collect();
            json!({ "id": feature.id, "verdict": feature.verdict, "next": feature.next, "criteria": criteria })
        })
        .collect();
    let corpora: Vec<&str> = document.corpora.iter().map(|corpus| corpus.name.as_str()).collect();
    Ok(json!({ "schema": "power/1", "as_of": document.as_of, "corpora": corpora, "features": features }))
}

fn text(value: &Value) -> String {
    if let Some(features) = value.get("features").and_then(Value::as_array) {
        let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let corpora: Vec<String> = value["corpora"].as_array().into_iter().flatten().map(words).collect();
        let corpora = if corpora.is_empty() { "no corpus".to_owned() } else { corpora.join(", ") };
        let head = format!("the gate as of {} on {corpora}\n", words(&value["as_of"]));
        return std::iter::once(head).chain(features.iter().map(feature_text)).collect();
    }
    let listed = ["emitted", "size"].into_iter().find_map(|name| value.get(name)?.as_object());
    match listed {
        Some(figures) => figures.iter().map(|(name, figure)| format!("{name:<22} {figure}\n")).collect(),
        None => tally_text(value),
    }
}

fn tally_text(value: &Value) -> String {
    let mut out = String::new();
    for (name, parameter) in value["parameters"].as_object().into_iter().flatten() {
        out.push_str(&format!("{name:<22} {parameter}\n"));
    }
    let campaigns = value["campaigns"].as_u64().unwrap_or(0);
    for name in ["campaigns", "promote", "reject", "insufficient", "invalid"] {
        let count = value[name].as_u64().unwrap_or(0);
        let share = if campaigns == 0 { 0.0 } else { 100.0 * count as f64 / campaigns as f64 };
        out.push_str(&format!("{name:<22} {count:>8}  {share:6.2} %\n"));
    }
    out
}

fn feature_text(feature: &Value) -> String {
    let words = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut out = format!("{}  {}\n", words(&feature["id"]), words(&feature["verdict"]));
    for criterion in feature["criteria"].as_array().into_iter().flatten() {
        let figure = |name: &str| {
            criterion[name].as_f64().map_or_else(|| "–".to_owned(), |value| format!("{value:.4}"))
        };
        out.push_str(&format!(
            "  {:<9}  {:<32} detectable {:>9}  margin {:>7}\n",
            words(&criterion["outcome"]),
            words(&criterion["id"]),
            figure("detectable"),
            figure("margin")
        ));
    }
    for next in feature["next"].as_array().into_iter().flatten() {
        out.push_str(&format!("  next  {}\n", words(next)));
    }
    out
}

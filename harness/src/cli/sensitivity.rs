//! `harness sensitivity`: the verdict over a grid of the scripted model's probabilities.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use comfy_table::{Cell, CellAlignment, Table};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::policy::Parameters;
use crate::record::{EnginePacks, PackSource};
use crate::scenario::command::Surroundings;
use crate::scenario::{Scenario, ScenarioSet, runtime};
use crate::sensitivity::{Axis, Bench, PointFigures, Task, measure, points};
use crate::variant::{Arms, FeatureSet, Variant, VariantSet};
use crate::workspace::WorkspaceRoot;

use super::progress::progress;
use super::{Outcome, output};

/// Print how the verdict changes with the scripted model's probabilities
///
/// The policy runs in process against emulated tools, once as shipped and once for each value of each probability; the
/// checks and graders of the scenarios really run. The tier is `synthetic`: nothing here is evidence for a promotion.
///
/// Example: harness sensitivity --grid distractor=0,0.35,0.7 --grid abandon=0,0.2
#[derive(Debug, Args)]
pub struct SensitivityArgs {
    /// A probability of scenarios/policy.toml and the values to try; several may be given
    #[arg(long, value_name = "NAME=V,V")]
    grid: Vec<String>,
    /// Runs of each scenario in each arm
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Scenarios; all that this machine can run if none is named
    #[arg(long, value_name = "ID", num_args = 1..)]
    scenario: Vec<String>,
    /// The feature whose arms are compared
    #[arg(long, value_name = "ID", default_value = "auto-context")]
    feature: String,
    /// Resamples of each interval
    #[arg(long, default_value_t = 1999, value_parser = clap::value_parser!(u64).range(99..=99_999))]
    resamples: u64,
    /// Folder of tasks, repositories, variants and policies
    #[arg(long, value_name = "DIR")]
    scenarios: Option<PathBuf>,
    /// Print one JSON value
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(arguments: &SensitivityArgs) -> Outcome {
    let axes: Result<Vec<Axis>, _> = arguments.grid.iter().map(|given| Axis::parse(given)).collect();
    let mut axes = axes.map_err(|error| Failure::usage(error.to_string()))?;
    if axes.is_empty() {
        axes = Axis::defaults();
    }
    let folder = match &arguments.scenarios {
        Some(folder) => folder.clone(),
        None => WorkspaceRoot::current()?.scenarios(),
    };
    let shipped = Parameters::load(&folder.join("policy.toml"))?;
    let variants = VariantSet::load(&folder.join("variants.toml"))?;
    let features = FeatureSet::load(&folder.join("features.toml"), &variants)?;
    let arms =
        features.get(&arguments.feature).and_then(|feature| feature.arms.clone()).ok_or_else(|| {
            let message = format!(
                "feature `{}`: no such feature with arms: look into features.toml",
                arguments.feature
            );
            Failure::usage(message)
        })?;
    let (tasks, left_out) = tasks(arguments, &ScenarioSet::load(&folder)?, &variants, &arms)?;
    let points = points(&shipped, &axes);
    let bar = progress("points", points.len());
    let mut results = Vec::new();
    for point in &points {
        bar.set_message(point.label.clone());
        let resamples = usize::try_from(arguments.resamples).unwrap_or(usize::MAX);
        results.push(measure(&tasks, point, &arms.baseline, arguments.runs, resamples)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    if arguments.json {
        output::json(&as_json(&results, (tasks.len(), &left_out), arguments.runs))?;
    } else {
        output::data(&as_text(&results, &arms, (tasks.len(), left_out.len()), arguments.runs))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// What can be run here, and the scenarios that can't.
fn tasks(
    arguments: &SensitivityArgs,
    set: &ScenarioSet,
    variants: &VariantSet,
    arms: &Arms,
) -> Result<(Vec<Task>, Vec<String>), Failure> {
    if let Some(unknown) = arguments.scenario.iter().find(|id| set.get(id).is_none()) {
        return Err(Failure::usage(format!(
            "scenario `{unknown}`: no such scenario: look into scenarios/tasks"
        )));
    }
    let wanted =
        |scenario: &&Scenario| arguments.scenario.is_empty() || arguments.scenario.contains(&scenario.id);
    let packs = EnginePacks::new(b"sensitivity");
    let home = tempfile::tempdir().map_err(|error| Failure::io(std::env::temp_dir(), &error))?;
    let (mut tasks, mut left_out) = (Vec::new(), Vec::new());
    for scenario in set.scenarios.iter().filter(wanted) {
        let missing = runtime::missing(scenario, &Surroundings::new(home.path()), home.path());
        if !missing.is_empty() {
            output::note(&format!("{}: left out: {}", scenario.id, missing.join(", ")));
            left_out.push(scenario.id.clone());
            continue;
        }
        let of_arm = |arm: &str| -> Result<(String, Option<String>), Failure> {
            let variant: &Variant =
                variants.get(arm).ok_or_else(|| Failure::internal(format!("arm {arm} isn't declared")))?;
            let pack = packs.pack(scenario, variant)?;
            Ok((arm.to_owned(), pack.map(|pack| pack.text)))
        };
        let of_arms: Result<BTreeMap<_, _>, Failure> =
            [&arms.baseline, &arms.candidate, &arms.known_bad].map(|arm| of_arm(arm)).into_iter().collect();
        let knowledge = scenario.knowledge()?;
        tasks.push(Task { bench: Bench::new(scenario.clone())?, knowledge, packs: of_arms? });
    }
    if tasks.is_empty() {
        return Err(Failure::usage("no scenario can be run here: install what the notes above name"));
    }
    Ok((tasks, left_out))
}

fn as_json(results: &[PointFigures], (scenarios, left_out): (usize, &[String]), runs: u32) -> Value {
    let points: Vec<Value> = results
        .iter()
        .map(|point| {
            let arms: BTreeMap<&String, Value> = point
                .arms
                .iter()
                .map(|(arm, figures)| {
                    let value = json!({
                        "accepted": figures.accepted, "requests": figures.requests,
                        "fresh_tokens": figures.fresh_tokens, "failed_checks": figures.failed_checks,
                    });
                    (arm, value)
                })
                .collect();
            let comparisons: Vec<Value> = point
                .comparisons
                .iter()
                .map(|comparison| {
                    json!({
                        "candidate": comparison.candidate, "fresh_ratio": comparison.fresh_ratio,
                        "criteria": comparison.outcomes.iter().cloned().collect::<BTreeMap<_, _>>(),
                        "verdict": comparison.verdict,
                    })
                })
                .collect();
            json!({ "point": point.label, "arms": arms, "comparisons": comparisons })
        })
        .collect();
    json!({
        "schema": "sensitivity/1", "tier": "synthetic", "scenarios": scenarios, "left_out": left_out, "runs": runs,
        "points": points,
    })
}

fn as_text(
    results: &[PointFigures],
    arms: &Arms,
    (scenarios, left_out): (usize, usize),
    runs: u32,
) -> String {
    let mut table = Table::new();
    table.load_preset(comfy_table::presets::NOTHING);
    table.set_header([
        "policy",
        "arm",
        "accepted",
        "requests",
        "fresh",
        "ratio",
        "acceptance",
        "saving",
        "verdict",
    ]);
    for point in results {
        for arm in [&arms.baseline, &arms.candidate, &arms.known_bad] {
            let Some(figures) = point.arms.get(arm) else { continue };
            let comparison = point.comparisons.iter().find(|comparison| comparison.candidate == *arm);
            let outcome = |id: &str| {
                let outcomes = comparison.map(|comparison| &comparison.outcomes);
                outcomes
                    .and_then(|all| all.iter().find(|(known, _)| known == id))
                    .map_or("", |(_, outcome)| outcome)
            };
            let label = if arm == &arms.baseline { point.label.as_str() } else { "" };
            let ratio = comparison.and_then(|comparison| comparison.fresh_ratio);
            let number = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
            table.add_row([
                Cell::new(label),
                Cell::new(short(arm, arms)),
                number(format!("{:.2}", figures.accepted)),
                number(format!("{:.1}", figures.requests)),
                number(format!("{:.0}", figures.fresh_tokens)),
                number(ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default()),
                Cell::new(outcome("acceptance")),
                Cell::new(outcome("fresh-tokens")),
                Cell::new(comparison.map_or("", |comparison| comparison.verdict)),
            ]);
        }
    }
    let note = format!(
        "{scenarios} scenarios x {runs} runs, {left_out} scenarios left out, emulated: tier synthetic, which promotes nothing. Ratio: fresh tokens against \
         the baseline."
    );
    format!("{table}\n\n{note}\n")
}

fn short<'a>(arm: &'a str, arms: &Arms) -> &'a str {
    if arm == arms.known_bad { "known-bad" } else { arm }
}

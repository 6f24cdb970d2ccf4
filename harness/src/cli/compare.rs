//! `harness compare`: metrics side by side with intervals.

use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use comfy_table::{CellAlignment, Table, presets};
use engine::tokens::{O200k, TokenCounter};
use serde_json::{Value, json};

use super::places::Places;
use super::{Outcome, faults, output};
use crate::compare::{Comparison, compare};
use crate::failure::Failure;
use crate::measure::{Asked, read};
use crate::metric::Plane;

/// Seed of the bootstrap intervals; printed, so that they can be had again.
const SEED: u64 = 20_261_130;

/// Compare two variants of a corpus metric by metric, recorded and replayed; exploratory, the gate gives verdicts
///
/// Example: harness compare --corpus corpora/scripted-pi --baseline native --candidate auto-context
#[derive(Debug, Args)]
pub struct CompareArguments {
    #[command(flatten)]
    places: Places,
    /// Variant compared with
    #[arg(long, value_name = "ID")]
    baseline: String,
    /// Variant compared
    #[arg(long, value_name = "ID")]
    candidate: String,
    /// Print one JSON value
    #[arg(long)]
    json: bool,
}

/// Runs the verb. Exit code 30 where the evidence contradicts itself: what it shows is then printed, but isn't evidence.
pub fn run(arguments: &CompareArguments) -> Outcome {
    let loaded = arguments.places.load()?;
    let pair = (arguments.baseline.as_str(), arguments.candidate.as_str());
    loaded.require_variant(pair.0)?;
    loaded.require_variant(pair.1)?;
    if pair.0 == pair.1 {
        return Err(Failure::usage(format!("variant `{}`: compared with itself: name two", pair.0)));
    }
    let campaign = loaded.campaign(1);
    let counter: Arc<dyn TokenCounter> = Arc::new(O200k);
    let feature = loaded.corpus.manifest.feature.as_str();
    let arms = [pair.0, pair.1];
    let asked = Asked { feature, arms: &arms, replay: Some((pair.0, &arms)), patches: false };
    let readings = arguments.places.pool()?.install(|| read(&campaign, asked, &counter, &mut []))?;
    let named = loaded.load_faults.iter().filter(|fault| fault.scope.concerns(feature, &[pair.0, pair.1]));
    let mut faults: Vec<_> = named.chain(&readings.faults).collect();
    faults.sort();
    let frame = readings.recorded.join(readings.replayed);
    let schedule = &loaded.corpus.manifest.schedule;
    let comparisons = compare(&frame, feature, pair, (schedule.scenarios.len(), schedule.repetitions), SEED)?;
    let tier = loaded.corpus.manifest.tier;
    if arguments.json {
        output::json(&json!({
            "schema": "compare/1",
            "corpus": { "name": loaded.corpus.manifest.name, "sha256": loaded.corpus.sha256, "tier": tier.as_str() },
            "baseline": pair.0,
            "candidate": pair.1,
            "seed": SEED,
            "metrics": comparisons.iter().map(metric_json).collect::<Vec<_>>(),
            "faults": faults::as_json(&faults),
        }))?;
    } else {
        let title = format!(
            "{} against {} in corpus {} (tier {tier}{}), 95 % intervals, exploratory\n\n",
            pair.1,
            pair.0,
            loaded.corpus.manifest.name,
            if tier == verdict::Tier::RecordedModel { "" } else { ": noise is simulated" }
        );
        output::data(&(title + &table(&comparisons)))?;
    }
    faults::tell(&faults);
    let broken = faults.iter().any(|fault| fault.severity() == verdict::Severity::Invalid);
    Ok(if broken { ExitCode::from(30) } else { ExitCode::SUCCESS })
}

fn metric_json(comparison: &Comparison) -> Value {
    json!({
        "metric": comparison.metric.id(),
        "plane": comparison.metric.plane().name(),
        "unit": comparison.metric.unit(),
        "better": match comparison.metric.better() {
            verdict::Better::Higher => "higher",
            verdict::Better::Lower => "lower",
        },
        "baseline": comparison.baseline,
        "candidate": comparison.candidate,
        "delta": comparison.delta,
        "low": comparison.low,
        "high": comparison.high,
        "scenarios": comparison.scenarios,
        "runs": comparison.runs,
    })
}

fn table(comparisons: &[Comparison]) -> String {
    let mut text = String::new();
    for plane in [Plane::Recorded, Plane::Replayed] {
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        table.set_header([plane.name(), "baseline", "candidate", "delta", "low", "high"]);
        for comparison in comparisons.iter().filter(|comparison| comparison.metric.plane() == plane) {
            let mut cells = vec![comparison.metric.id().to_owned()];
            let figures = [
                comparison.baseline,
                comparison.candidate,
                comparison.delta,
                comparison.low,
                comparison.high,
            ];
            cells.extend(figures.map(figure));
            table.add_row(cells);
        }
        for column in 1..6 {
            if let Some(column) = table.column_mut(column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for line in table.lines() {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.push('\n');
    }
    text
}

/// Four significant digits are plenty beside an interval; nothing is a dash.
fn figure(value: Option<f64>) -> String {
    match value {
        None => "-".to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(value) if value.abs() >= 1_000.0 => format!("{value:.0}"),
        Some(value) if value.abs() >= 10.0 => format!("{value:.1}"),
        Some(value) if value.abs() >= 0.1 => format!("{value:.3}"),
        Some(value) => format!("{value:.5}"),
    }
}

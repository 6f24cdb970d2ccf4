//! `harness replay`: plans per request, as Parquet and JSON lines.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use engine::tokens::{O200k, TokenCounter};
use serde_json::json;

use super::places::Places;
use super::{Outcome, faults, output};
use crate::apart::apart_from_evidence;
use crate::failure::Failure;
use crate::hold::Hold;
use crate::measure::{Asked, REPEATS, read};
use crate::publish::publish;
use crate::replay::JsonlWriter;

/// Replay a corpus's baseline sessions by variants, and write plans and metrics
///
/// Example: harness replay --corpus corpora/scripted-pi --variant native --variant auto-context --out replay
#[derive(Debug, Args)]
pub struct ReplayArguments {
    #[command(flatten)]
    places: Places,
    /// Variant that plans; repeat the flag for several
    #[arg(long, value_name = "ID", required = true)]
    variant: Vec<String>,
    /// Variant whose recorded sessions are replayed
    #[arg(long, value_name = "ID", default_value = "native")]
    baseline: String,
    /// Folder for replay.jsonl and metrics.parquet
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How often each request is planned; the plans must agree
    #[arg(long, value_name = "N", default_value_t = REPEATS, value_parser = clap::value_parser!(u32).range(1..=100))]
    repeat: u32,
    /// Print one JSON value
    #[arg(long)]
    json: bool,
}

/// What is written.
const FILES: [&str; 2] = ["replay.jsonl", "metrics.parquet"];

/// Runs the verb. Exit code 30 where repeated plans differ or the evidence is broken.
pub fn run(arguments: &ReplayArguments) -> Outcome {
    apart_from_evidence(&arguments.out)?;
    let loaded = arguments.places.load()?;
    for variant in arguments.variant.iter().chain([&arguments.baseline]) {
        loaded.require_variant(variant)?;
    }
    let campaign = loaded.campaign(arguments.repeat);
    let counter: Arc<dyn TokenCounter> = Arc::new(O200k);
    let feature = loaded.corpus.manifest.feature.as_str();
    let _alone = withdraw(&arguments.out)?;
    let mut writer = JsonlWriter::create(&arguments.out, FILES[0])?;
    let variants: Vec<&str> = arguments.variant.iter().map(String::as_str).collect();
    let baseline = arguments.baseline.as_str();
    let asked = Asked { feature, arms: &[baseline], replay: Some((baseline, &variants)), patches: false };
    let readings =
        arguments.places.pool()?.install(|| read(&campaign, asked, &counter, &mut [&mut writer]))?;
    writer.publish()?;
    publish(&arguments.out, FILES[1], &readings.replayed.to_parquet()?)?;
    let of_baseline = loaded.load_faults.iter().filter(|fault| fault.scope.concerns(feature, &[baseline]));
    let mut faults: Vec<_> = of_baseline.chain(&readings.faults).collect();
    faults.sort();
    let determinism = readings.determinism;
    let sessions: usize = readings.runs.values().sum();
    let broken = faults.iter().any(|fault| fault.severity() == verdict::Severity::Invalid);
    if arguments.json {
        output::json(&json!({
            "schema": "replay-summary/1",
            "corpus": loaded.corpus.manifest.name,
            "sessions": sessions,
            "requests": determinism.requests,
            "plans": determinism.identical,
            "repeats": determinism.repeats,
            "failed": determinism.failed,
            "faults": faults::as_json(&faults),
            "files": FILES,
        }))?;
    } else {
        output::data(&format!(
            "{} sessions, {} requests, {} plans identical over {} repeats, {} failed\n",
            sessions, determinism.requests, determinism.identical, determinism.repeats, determinism.failed
        ))?;
    }
    faults::tell(&faults);
    Ok(if broken { ExitCode::from(30) } else { ExitCode::SUCCESS })
}

/// Holds the folder and withdraws a former replay, so that the two files are never of two.
fn withdraw(out: &Path) -> Result<Hold, Failure> {
    std::fs::create_dir_all(out).map_err(|error| Failure::io(out, &error))?;
    let hold = Hold::now(out)?;
    for file in FILES.map(|name| out.join(name)) {
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(Failure::io(&file, &error)),
            _ => {}
        }
    }
    Ok(hold)
}

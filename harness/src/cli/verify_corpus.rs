//! `harness verify-corpus`: hashes, rows, re-derived outcomes, graders run again.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use engine::tokens::{O200k, TokenCounter};
use serde_json::json;

use super::places::{Loaded, Places};
use super::progress::progress;
use super::{Outcome, faults, output};
use crate::corpus::{Expectation, Fault, check_feature};
use crate::failure::Failure;
use crate::measure::{Asked, Progress, Readings, Regraded, read, regrade};
use crate::scenario::ScenarioSet;
use crate::variant::FeatureSet;

/// Check all that a corpus claims: hashes, rows, outcomes derived again, the graders run again on the stored patches
///
/// Where features.toml beside the scenarios declares its feature, the arms are compared too. Looks and the policy are the
/// gate's matter.
///
/// Example: harness verify-corpus corpora/scripted-pi
#[derive(Debug, Args)]
pub struct VerifyCorpusArguments {
    /// Corpus folder (with corpus.toml and runs.jsonl)
    #[arg(value_name = "DIR")]
    corpus: PathBuf,
    /// Folder of the scenarios [default: the project's]
    #[arg(long, value_name = "DIR")]
    scenarios: Option<PathBuf>,
    /// Don't run the graders again
    #[arg(long)]
    no_graders: bool,
    /// Threads [default: one a core]; no output depends on it
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    jobs: usize,
    /// Print one JSON value
    #[arg(long)]
    json: bool,
}

/// Runs the verb. Exit code 30 on any mismatch.
pub fn run(arguments: &VerifyCorpusArguments) -> Outcome {
    let places = Places {
        corpus: arguments.corpus.clone(),
        scenarios: arguments.scenarios.clone(),
        variants: None,
        prices: None,
        jobs: arguments.jobs,
    };
    let loaded = places.load()?;
    let campaign = loaded.campaign(1);
    let counter: Arc<dyn TokenCounter> = Arc::new(O200k);
    let manifest = &loaded.corpus.manifest;
    let arms: Vec<&str> = manifest.schedule.variants.iter().map(String::as_str).collect();
    let pool = places.pool()?;
    let asked =
        Asked { feature: &manifest.feature, arms: &arms, replay: None, patches: !arguments.no_graders };
    let readings = pool.install(|| read(&campaign, asked, &counter, &mut []))?;
    let runs: usize = readings.runs.values().sum();
    let graded = match arguments.no_graders {
        true => Regraded::default(),
        false => pool.install(|| graded(&readings, &loaded.scenarios))?,
    };
    let of_arms = between_arms(&loaded, places.features(&loaded.variants)?.as_ref());
    let told = loaded.load_faults.iter().chain(&readings.faults);
    let mut faults: Vec<_> = told.chain(&graded.faults).chain(&of_arms).collect();
    faults.sort();
    faults.dedup();
    let missing = loaded.corpus.rows.values().filter(|row| row.result().is_none()).count();
    let (checked, skipped) = (graded.checked, graded.skipped.values().sum::<u32>());
    if arguments.json {
        output::json(&json!({
            "schema": "verify-corpus/1",
            "corpus": { "name": manifest.name, "sha256": loaded.corpus.sha256, "tier": manifest.tier.as_str() },
            "scheduled": manifest.schedule.runs(),
            "runs": runs,
            "missing": missing,
            "graders": { "run_again": checked, "skipped": skipped, "missing_programs": graded.skipped },
            "faults": faults::as_json(&faults),
        }))?;
    } else {
        let graders = if arguments.no_graders {
            "graders not run".to_owned()
        } else {
            format!("{checked} graders run again, {skipped} skipped")
        };
        output::data(&format!(
            "{}: {} of {} scheduled runs read, {missing} missing, {graders}, faults: {}\n",
            manifest.name,
            runs,
            manifest.schedule.runs(),
            faults.len()
        ))?;
    }
    for (programs, runs) in &graded.skipped {
        output::note(&format!("skipped: the graders of {runs} runs: not on PATH: {programs}"));
    }
    faults::tell(&faults);
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(30) })
}

/// What contradicts itself between the arms of the corpus's feature: nothing where that isn't declared, or not all of its arms
/// were scheduled. What is merely too little or too old to promote on is no damage.
fn between_arms(loaded: &Loaded, features: Option<&FeatureSet>) -> Vec<Fault> {
    let manifest = &loaded.corpus.manifest;
    let Some(feature) = features.and_then(|features| features.get(&manifest.feature)) else {
        return Vec::new();
    };
    let Some(arms) = &feature.arms else { return Vec::new() };
    if !arms.all().iter().all(|arm| manifest.schedule.variants.contains(*arm)) {
        return Vec::new();
    }
    let expected = Expectation { variants: &loaded.variants, policy_sha256: None };
    let mut faults = check_feature(&loaded.corpus, feature, arms, &expected);
    faults.retain(|fault| fault.severity() == verdict::Severity::Invalid);
    faults
}

/// The graders run again, with a bar.
fn graded(readings: &Readings, scenarios: &ScenarioSet) -> Result<Regraded, Failure> {
    let bar = progress("graders", 0);
    let tell = |progress| match progress {
        Progress::Planned(graders) => bar.set_length(graders as u64),
        Progress::Done => bar.inc(1),
    };
    let graded = regrade(&readings.patches, scenarios, &tell);
    bar.finish_and_clear();
    graded
}

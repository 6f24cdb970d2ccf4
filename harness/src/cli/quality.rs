//! `harness quality`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use engine::quality::{Comparison, Strategy, compare, wire};

use super::{Outcome, output};
use crate::failure::{Failure, read_bytes};

/// Measure context quality (`context-quality-v1`) of both published strategies over a corpus of metadata fixtures
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  harness quality --corpus corpus-v1.json --json")]
pub struct QualityArguments {
    /// Corpus file, schema version 1.
    #[arg(long)]
    corpus: PathBuf,
    /// Print one JSON value.
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
///
/// # Errors
/// Input or output where the file can't be read, bad data where it is no corpus or holds an invalid fixture.
pub fn run(arguments: &QualityArguments) -> Outcome {
    let bytes = read_bytes(&arguments.corpus)?;
    let bad = |error: &dyn std::fmt::Display| {
        Failure::bad_data(format!(
            "quality corpus: {}: {error}: want a metadata corpus of schema version 1",
            arguments.corpus.display()
        ))
    };
    let mut json = serde_json::Deserializer::from_slice(&bytes);
    let file: wire::CorpusFile = serde_path_to_error::deserialize(&mut json).map_err(|error| bad(&error))?;
    let (version, fixtures) = file.into_fixtures().map_err(|error| bad(&error))?;
    let comparison = compare(&fixtures, &Strategy::ALL).map_err(|error| bad(&error))?;
    if arguments.json {
        output::json(&wire::comparison_json(&version, &comparison))?;
    } else {
        output::data(&table(&version, &comparison))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn table(version: &str, comparison: &Comparison) -> String {
    let mut text = format!("{version}\n");
    for result in &comparison.results {
        let aggregate = &result.aggregate;
        let rates = aggregate.sums.rates();
        let rate = |rate: Option<f64>| rate.map_or("-".to_owned(), |rate| format!("{rate:.6}"));
        text.push_str(&format!(
            "{:<28}  score {:.6}  recall {}  irrelevant {}  selected {}  dropped {}\n",
            result.strategy.id(),
            aggregate.score,
            rate(rates.recall),
            rate(rates.irrelevant),
            aggregate.sums.selected_tokens,
            aggregate.sums.dropped_tokens,
        ));
    }
    text
}

//! `sluice search`: which files matter for a text.

use std::fmt::Write;

use clap::Args;
use engine::retrieve::{SearchResult, search_with};

use super::failure::Failure;
use super::project::{ChangesArguments, ProjectArguments};
use super::{Outcome, output, visible, wire};
use crate::embedding::EmbeddingArguments;

/// Rank the files of the project for a text
///
/// The index is brought up to date first.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  sluice search 'strip control characters from session titles' --limit 5")]
pub(super) struct SearchArguments {
    /// What to look for: a task, an identifier, a path
    query: String,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    changes: ChangesArguments,
    #[command(flatten)]
    embeddings: EmbeddingArguments,
    /// Most results
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// One JSON value on standard output
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &SearchArguments) -> Outcome {
    arguments.embeddings.check().map_err(Failure::usage)?;
    let mut index = arguments.project.open()?;
    arguments.project.refresh(&mut index)?;
    let mut hints = arguments.changes.hints(&arguments.project);
    hints.semantic = arguments.project.hear(&arguments.embeddings, &index, &arguments.query);
    let result = search_with(&index, &arguments.query, &hints, arguments.limit)?;
    if arguments.json {
        return output::json(&wire::Search::new(&result));
    }
    output::data(&text(&result))
}

fn text(result: &SearchResult) -> String {
    let mut out = String::new();
    for hit in &result.hits {
        let reasons: Vec<&str> = hit.reasons.iter().map(|reason| reason.code()).collect();
        // Writing to a string can't fail.
        let _ = writeln!(out, "{:.3}  {}  ({})", hit.score, visible(&hit.path), reasons.join(", "));
        for symbol in &hit.symbols {
            let _ = writeln!(out, "       {}: {}", symbol.start_line, symbol.signature);
        }
    }
    let _ = writeln!(out, "confidence: {}", result.confidence.name());
    if let Some(embeddings) = &result.embeddings {
        let _ = writeln!(out, "{}", output::embeddings(embeddings));
    }
    out
}

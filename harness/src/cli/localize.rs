//! `harness localize`: how well an engine finds the files that a change touched.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use crate::localize::{Localization, Ranker, localize, read_candidates, read_queries};
use crate::metric::{RECALL_DEPTHS, RankingScores};

use super::{Outcome, output};

/// Score how well an engine finds the files that a change touched
///
/// Queries are lines {id, query, gold: [paths]}. The ranker sees the query and the files below the root only. Every query
/// is ranked to full depth, what is no candidate is dropped, the rest is scored as trec_eval does, then cut at --limit.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  harness localize --root ~/src/ripgrep --queries ripgrep.jsonl \
                        --candidates ripgrep.candidates.json")]
pub struct LocalizeArguments {
    /// Root of the checked-out project
    #[arg(long, value_name = "DIR")]
    root: PathBuf,
    /// Queries, one JSON object a line
    #[arg(long, value_name = "FILE")]
    queries: PathBuf,
    /// Paths that a ranking is scored on, a JSON array [default: every indexed file]
    #[arg(long, value_name = "FILE")]
    candidates: Option<PathBuf>,
    /// Ranker that answers
    #[arg(long, value_name = "ID", default_value = "built-in")]
    engine: EngineId,
    /// Also score with each source left out
    #[arg(long)]
    ablate: bool,
    /// Most paths reported for a query
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// One JSON value on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EngineId {
    /// Normalised sums of all sources
    BuiltIn,
    /// Reciprocal ranks, k = 60
    BuiltInRrf,
}

/// Runs the verb.
///
/// # Errors
/// Files that can't be read (74) or aren't what they should be (65).
pub fn run(arguments: &LocalizeArguments) -> Outcome {
    let queries = read_queries(&arguments.queries)?;
    let candidates = arguments.candidates.as_deref().map(read_candidates).transpose()?;
    let ranker = match arguments.engine {
        EngineId::BuiltIn => Ranker::BuiltIn,
        EngineId::BuiltInRrf => Ranker::ReciprocalRank,
    };
    let result =
        localize(&arguments.root, &queries, candidates.as_ref(), ranker, arguments.limit, arguments.ablate)?;
    if arguments.json {
        output::json(&document(&result, ranker))?;
    } else {
        output::data(&text(&result, ranker))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The document `localize/1`. Times are the only values that differ from run to run.
fn document(result: &Localization, ranker: Ranker) -> Value {
    let runs: Vec<Value> =
        result.runs.iter().map(|run| json!({"id": run.id, "ranked": run.ranked})).collect();
    let calibration: Vec<Value> = result
        .calibration
        .iter()
        .map(|row| {
            json!({"confidence": row.confidence.name(), "queries": row.queries, "first_right": row.first_right})
        })
        .collect();
    let mut document = json!({
        "schema": "localize/1",
        "engine": ranker.id(),
        "queries": result.runs.len(),
        "metrics": metrics(&result.scores),
        "index": {
            "files": result.index.files,
            "symbols": result.index.symbols,
            "seconds": result.index_seconds,
            "commits": result.history.unwrap_or(0),
            "no_history": result.history.err(),
        },
        "latency_ms": {"p50": percentile(&result.latency_ms, 50), "p95": percentile(&result.latency_ms, 95)},
        "calibration": calibration,
        "runs": runs,
    });
    if !result.ablation.is_empty() {
        let rows =
            result.ablation.iter().map(|a| json!({"without": a.without, "metrics": metrics(&a.scores)}));
        document["ablation"] = rows.collect();
    }
    document
}

fn metrics(scores: &RankingScores) -> Value {
    let mut out = Map::new();
    for (depth, recall) in RECALL_DEPTHS.iter().zip(scores.recall) {
        out.insert(format!("recall@{depth}"), recall.into());
    }
    out.insert("mrr".to_owned(), scores.mrr.into());
    out.insert("ndcg@10".to_owned(), scores.ndcg_10.into());
    Value::Object(out)
}

/// Nearest-rank percentile.
fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0.0)
}

fn text(result: &Localization, ranker: Ranker) -> String {
    let mut out =
        format!("{}: {} queries over {} files\n", ranker.id(), result.runs.len(), result.index.files);
    out.push_str(&match result.history {
        Ok(commits) => format!("history: {commits} commits\n\n"),
        Err(none) => format!("history: none ({none})\n\n"),
    });
    let row = |out: &mut String, name: &str, scores: &RankingScores| {
        let recall: Vec<String> = scores.recall.iter().map(|value| format!("{value:8.3}")).collect();
        // Writing to a string can't fail.
        let _ = writeln!(out, "{name:24}{}{:8.3}{:8.3}", recall.concat(), scores.mrr, scores.ndcg_10);
    };
    let heads: Vec<String> =
        RECALL_DEPTHS.iter().map(|depth| format!("{:>8}", format!("R@{depth}"))).collect();
    let _ = writeln!(out, "{:24}{}{:>8}{:>8}", "", heads.concat(), "MRR", "nDCG@10");
    row(&mut out, "all sources", &result.scores);
    for ablation in &result.ablation {
        row(&mut out, &format!("without {}", ablation.without), &ablation.scores);
    }
    for calibration in &result.calibration {
        let _ = writeln!(
            out,
            "\nconfidence {}: first file right in {} of {}",
            calibration.confidence.name(),
            calibration.first_right,
            calibration.queries
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(percentile(&values, 50), 10.0);
        assert_eq!(percentile(&values, 95), 19.0);
        assert_eq!(percentile(&[7.0], 95), 7.0);
        assert_eq!(percentile(&[], 50), 0.0);
    }
}

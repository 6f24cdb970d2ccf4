//! Ranks every query and scores the rankings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use adapters::git::learn_history;
use engine::plan::Confidence;
use engine::project::{ExcludePolicy, Index, ProjectError, RefreshReport};
use engine::retrieve::{Fusion, Task, Weights, rank_task};

use crate::failure::Failure;
use crate::metric::RankingScores;

use super::queries::LocalizeQuery;

/// Which ranker answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranker {
    /// The built-in engine's: normalised sums of all its sources.
    BuiltIn,
    /// The same sources joined by reciprocal ranks with k = 60.
    ReciprocalRank,
}

impl Ranker {
    /// Identifier on the command line and in reports.
    pub fn id(self) -> &'static str {
        match self {
            Ranker::BuiltIn => "built-in",
            Ranker::ReciprocalRank => "built-in-rrf",
        }
    }

    fn weights(self) -> Weights {
        match self {
            Ranker::BuiltIn => Weights::default(),
            Ranker::ReciprocalRank => {
                Weights { fusion: Fusion::ReciprocalRank { k: 60.0 }, ..Weights::default() }
            }
        }
    }
}

/// One query's ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryRun {
    /// Identifier of the query.
    pub id: String,
    /// Candidates, best first, cut at the limit.
    pub ranked: Vec<String>,
    /// Scores of the whole ranking, before the cut.
    pub scores: RankingScores,
}

/// How often the first file was right, by what the engine said of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CalibrationRow {
    /// The engine's confidence.
    pub confidence: Confidence,
    /// Queries with it.
    pub queries: u64,
    /// Those whose first file is gold.
    pub first_right: u64,
}

/// Mean scores without one of the sources.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ablation {
    /// The source left out.
    pub without: &'static str,
    /// Mean scores.
    pub scores: RankingScores,
}

/// The answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Localization {
    /// Mean over queries.
    pub scores: RankingScores,
    /// Rows with at least one query, lowest confidence first.
    pub calibration: Vec<CalibrationRow>,
    /// One ranking a query, in the order of the file.
    pub runs: Vec<QueryRun>,
    /// Sources left out one by one; empty unless asked for.
    pub ablation: Vec<Ablation>,
    /// What indexing found.
    pub index: RefreshReport,
    /// Past commits learnt, or why none: the history that the checked-out commit reaches.
    pub history: Result<u64, &'static str>,
    /// Wall seconds of indexing.
    pub index_seconds: f64,
    /// Wall milliseconds of each query, in the order of the file.
    pub latency_ms: Vec<f64>,
}

/// Indexes `root` in memory and ranks every query. Without `candidates` every indexed file is one.
///
/// # Errors
/// What can't be read below the root.
pub fn localize(
    root: &Path,
    queries: &[LocalizeQuery],
    candidates: Option<&BTreeSet<String>>,
    ranker: Ranker,
    limit: usize,
    ablate: bool,
) -> Result<Localization, Failure> {
    let start = Instant::now();
    let mut index = Index::in_memory(ExcludePolicy::built_in_only()).map_err(failed)?;
    let report = index.refresh(root).map_err(failed)?;
    let history = learn_history(&mut index, root).map_err(failed)?;
    let index_seconds = start.elapsed().as_secs_f64();
    let weights = ranker.weights();
    let mut out = Localization {
        scores: RankingScores::default(),
        calibration: Vec::new(),
        runs: Vec::new(),
        ablation: Vec::new(),
        index: report,
        history: history.map_err(|none| none.code()),
        index_seconds,
        latency_ms: Vec::new(),
    };
    let mut calibration: BTreeMap<Confidence, (u64, u64)> = BTreeMap::new();
    for query in queries {
        let start = Instant::now();
        let (ranked, confidence) = answer(&index, &query.query, candidates, &weights)?;
        out.latency_ms.push(start.elapsed().as_secs_f64() * 1e3);
        let scores = score(&ranked, query);
        let row = calibration.entry(confidence).or_default();
        row.0 += 1;
        row.1 += u64::from(scores.mrr == 1.0);
        let ranked = ranked.into_iter().take(limit).map(str::to_owned).collect();
        out.runs.push(QueryRun { id: query.id.clone(), ranked, scores });
    }
    out.scores = RankingScores::mean(&out.runs.iter().map(|run| run.scores).collect::<Vec<_>>());
    out.calibration = calibration
        .into_iter()
        .map(|(confidence, (queries, first_right))| CalibrationRow { confidence, queries, first_right })
        .collect();
    if ablate {
        out.ablation = ablation(&index, queries, candidates, &weights)?;
    }
    Ok(out)
}

/// Ranks one query to full depth and drops what is no candidate.
fn answer<'i>(
    index: &'i Index,
    query: &str,
    candidates: Option<&BTreeSet<String>>,
    weights: &Weights,
) -> Result<(Vec<&'i str>, Confidence), Failure> {
    let ranking = rank_task(index, &Task::new(query), weights).map_err(failed)?;
    let view = index.view().map_err(failed)?;
    let paths = ranking.files.iter().map(|ranked| view.files[ranked.file].path.as_str());
    let ranked = paths.filter(|path| candidates.is_none_or(|c| c.contains(*path))).collect();
    Ok((ranked, ranking.confidence))
}

fn score(ranked: &[&str], query: &LocalizeQuery) -> RankingScores {
    RankingScores::of(ranked, &query.gold.iter().map(String::as_str).collect())
}

fn ablation(
    index: &Index,
    queries: &[LocalizeQuery],
    candidates: Option<&BTreeSet<String>>,
    weights: &Weights,
) -> Result<Vec<Ablation>, Failure> {
    let variants: [(&'static str, Weights); 9] = [
        ("lexical", Weights { lexical: 0.0, ..*weights }),
        ("chunk", Weights { chunk: 0.0, ..*weights }),
        ("exact-symbol", Weights { exact_symbol: 0.0, ..*weights }),
        ("partial-symbol", Weights { partial_symbol: 0.0, ..*weights }),
        ("file-name", Weights { file_name: 0.0, ..*weights }),
        ("area", Weights { area: 0.0, ..*weights }),
        ("history", Weights { history: 0.0, ..*weights }),
        ("test-relation", Weights { partner: 0.0, run_import: 0.0, ..*weights }),
        ("roles", Weights { test: 1.0, document: 1.0, generated: 1.0, ..*weights }),
    ];
    let mut out = Vec::new();
    for (without, weights) in variants {
        let mut scores = Vec::new();
        for query in queries {
            scores.push(score(&answer(index, &query.query, candidates, &weights)?.0, query));
        }
        out.push(Ablation { without, scores: RankingScores::mean(&scores) });
    }
    Ok(out)
}

fn failed(error: ProjectError) -> Failure {
    let message = error.to_string();
    match error {
        ProjectError::Stale { .. } => Failure::internal(message),
        ProjectError::Schema { .. } | ProjectError::NotAnIndex { .. } => Failure::bad_data(message),
        ProjectError::Policy(_) => Failure::usage(message),
        ProjectError::Io { .. }
        | ProjectError::NotAFolder { .. }
        | ProjectError::Symlink { .. }
        | ProjectError::NotWritable { .. }
        | ProjectError::Busy { .. }
        | ProjectError::Database { .. } => Failure { kind: crate::failure::Kind::Io, message },
    }
}

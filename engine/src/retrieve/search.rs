//! Search over an index: fetches what the task needs from the index and ranks it.

use crate::plan::Confidence;
use crate::privacy::mask_secrets;
use crate::project::{Index, ProjectError, Symbol, past_stem};

use super::confidence::confidence;
use super::corpus::Query;
use super::embedding::{EmbeddingFailure, EmbeddingUse, Semantic};
use super::hints::{Hints, NO_HINTS};
use super::past::PastHits;
use super::rank::{Ranking, Source, Weights, rank_signals};
use super::reorder::{Ranker, Reorder, Reordered};
use super::signals::{Asked, Signals};
use super::task::Task;

/// Most symbols named with a result.
const MAX_SYMBOLS: usize = 6;

/// One file found.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchHit {
    /// Path relative to the root.
    pub path: String,
    /// Score, comparable within one answer only.
    pub score: f64,
    /// Sources that speak for the file.
    pub reasons: Vec<Source>,
    /// Definitions in it that the query names, wholly or by parts, best first; at most six.
    pub symbols: Vec<Symbol>,
}

/// The answer to a search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchResult {
    /// How far the head of the list can be trusted.
    pub confidence: Confidence,
    /// Files, best first, equal ones by path.
    pub hits: Vec<SearchHit>,
    /// What embeddings were made for the answer, or why it is one without them; `None` where they weren't asked.
    pub embeddings: Option<Result<EmbeddingUse, EmbeddingFailure>>,
}

/// Ranks the files of an index for a query and returns the first `limit`. The limit cuts; it never changes the order.
///
/// # Errors
/// Where the index can't be read; see [`Index::view`].
pub fn search(index: &Index, query: &str, limit: usize) -> Result<SearchResult, ProjectError> {
    search_with(index, query, &NO_HINTS, limit)
}

/// As [`search`], with what the caller knows beside the query.
///
/// # Errors
/// As [`search`].
pub fn search_with(
    index: &Index,
    query: &str,
    hints: &Hints,
    limit: usize,
) -> Result<SearchResult, ProjectError> {
    search_by(index, query, hints, &Ranker::default(), limit)
}

/// As [`search_with`], by a ranker.
///
/// # Errors
/// As [`search`].
pub fn search_by(
    index: &Index,
    query: &str,
    hints: &Hints,
    ranker: &Ranker<'_>,
    limit: usize,
) -> Result<SearchResult, ProjectError> {
    let task = Task::new(query);
    let (ranking, _) = rank_task_with(index, &task, hints, ranker)?;
    let view = index.view()?;
    let hits = ranking
        .files
        .iter()
        .take(limit)
        .map(|ranked| {
            let file = &view.files[ranked.file];
            SearchHit {
                path: file.path.clone(),
                score: ranked.score,
                reasons: ranked.reasons.clone(),
                symbols: named_symbols(&file.symbols, &task),
            }
        })
        .collect();
    let embeddings = hints.semantic.as_ref().map(Semantic::outcome);
    Ok(SearchResult { confidence: ranking.confidence, hits, embeddings })
}

/// Ranks every file of an index for a task.
///
/// # Errors
/// Where the index can't be read; see [`Index::view`].
pub fn rank_task(index: &Index, task: &Task, weights: &Weights) -> Result<Ranking, ProjectError> {
    Ok(rank_task_by(index, task, &Ranker { weights: *weights, reorder: None })?.0)
}

/// Ranks every file of an index for a task by a ranker. Also tells what became of its second opinion, if it has one.
///
/// # Errors
/// As [`rank_task`].
pub fn rank_task_by(
    index: &Index,
    task: &Task,
    ranker: &Ranker<'_>,
) -> Result<(Ranking, Option<Reordered>), ProjectError> {
    rank_task_with(index, task, &NO_HINTS, ranker)
}

/// As [`rank_task_by`], with what the caller knows beside the task.
///
/// # Errors
/// As [`rank_task`].
pub fn rank_task_with(
    index: &Index,
    task: &Task,
    hints: &Hints,
    ranker: &Ranker<'_>,
) -> Result<(Ranking, Option<Reordered>), ProjectError> {
    let query = ask(index, task)?.with_hints(hints);
    let asked = ranker.reorder.map_or(Asked::Weighed, Reorder::asks);
    let signals = Signals::seeded(&query, task, &ranker.weights, asked);
    let mut ranking = rank_signals(&query, task, &signals, &ranker.weights);
    let Some(reorder) = ranker.reorder else { return Ok((ranking, None)) };
    let by_weights = ranking.files.clone();
    let outcome = reorder.reorder(&query, task, &signals, &mut ranking);
    if ranking.files.first().map(|first| first.file) != by_weights.first().map(|first| first.file) {
        ranking.confidence = confidence(&query, ranking.files.first(), &by_weights, &signals);
    }
    Ok((ranking, outcome))
}

/// Fetches what a task asks for from an index.
///
/// # Errors
/// As [`rank_task`].
pub fn ask<'a>(index: &'a Index, task: &'a Task) -> Result<Query<'a>, ProjectError> {
    let view = index.view()?;
    let terms: Vec<&str> = task.terms.iter().map(|term| term.text.as_str()).collect();
    let hits = index.postings_of(&terms)?;
    Ok(Query::new(view, &task.terms, hits, past_hits(index, task)?))
}

/// The task's own terms in the history, each stem once.
fn past_hits(index: &Index, task: &Task) -> Result<Vec<PastHits>, ProjectError> {
    if index.view()?.commits.is_empty() {
        return Ok(Vec::new());
    }
    let mut stems: Vec<(String, f64)> = Vec::new();
    for term in task.terms.iter().filter(|term| !term.derived) {
        let stem = past_stem(&term.text);
        if !stems.iter().any(|(known, _)| *known == stem) {
            stems.push((stem, term.weight));
        }
    }
    let hits = |(stem, weight): (String, f64)| Ok(PastHits { weight, commits: index.past_postings(&stem)? });
    stems.into_iter().map(hits).collect()
}

/// Definitions whose name shares words with the task: by the number of words shared, then by position; at most six.
pub(super) fn named_symbols(symbols: &[Symbol], task: &Task) -> Vec<Symbol> {
    let shared = |symbol: &Symbol| {
        let terms = crate::project::word_terms(&symbol.name);
        terms.iter().filter(|term| task.terms.iter().any(|t| !t.derived && t.text == **term)).count()
    };
    let mut named: Vec<(usize, &Symbol)> =
        symbols.iter().map(|s| (shared(s), s)).filter(|(shared, _)| *shared > 0).collect();
    named.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.start_line.cmp(&b.1.start_line)));
    let masked = |symbol: &Symbol| Symbol {
        signature: mask_secrets(&symbol.signature).text.into_owned(),
        ..symbol.clone()
    };
    named.into_iter().take(MAX_SYMBOLS).map(|(_, symbol)| masked(symbol)).collect()
}

//! Ranks every query of one repository and scores the rankings.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Instant;

use adapters::git::learn_history;
use engine::plan::Confidence;
use engine::project::{ExcludePolicy, Index, ProjectError, RefreshReport};
use engine::retrieve::{Hints, NAMED, Ranker as Weighted, Reorder, Task, Weights, rank_task_with};

use crate::failure::{Failure, Kind};
use crate::ranking::RankingScores;

use super::base::{Standing, standing};
use super::calibration::Calibration;
use super::embeddings::{Embedded, EmbeddingSource, embed};
use super::queries::LocalizeQuery;
use super::ranker::Ranker;

/// One query's ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryRun {
    /// Identifier of the query.
    pub id: String,
    /// Candidates, best first, cut at the limit.
    pub ranked: Vec<String>,
    /// Scores of the whole ranking, before the cut.
    pub scores: RankingScores,
    /// Scores of the static ranking, where a model re-orders this one.
    pub by_static: Option<RankingScores>,
}

/// Mean scores of some of the queries.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Slice {
    /// Queries in it.
    pub queries: usize,
    /// Their mean scores; zeros where there are none.
    pub scores: RankingScores,
}

/// A checked-out repository with its queries.
#[derive(Clone, Copy)]
pub struct Project<'a> {
    /// Index of its files and of the history that the checked-out commit reaches.
    pub index: &'a Index,
    /// What it is asked.
    pub queries: &'a [LocalizeQuery],
    /// Paths that a ranking is scored on; `None` for every indexed file.
    pub candidates: Option<&'a BTreeSet<String>>,
    /// What embeddings say of the queries and what that counts, where a provider was named.
    pub embedded: Option<(&'a Embedded, f64)>,
}

/// The answer for one repository.
#[derive(Debug, Clone, PartialEq)]
pub struct Localization {
    /// All queries, candidates only.
    pub all: Slice,
    /// All queries over every indexed file; `None` without candidates, where it is `all`.
    pub every_file: Option<Slice>,
    /// Queries that name no identifier of a relevant file; empty where the file of queries doesn't tell.
    pub without_identifier: Slice,
    /// How often the first file was right, by what the engine said of itself.
    pub calibration: Calibration,
    /// Relevant files of the queries, each query's counted by itself.
    pub gold: usize,
    /// Those of them that no ranking can name: not indexed (absent, excluded, too large), or no candidate.
    pub gold_out_of_reach: usize,
    /// One ranking a query, in the order of the file.
    pub runs: Vec<QueryRun>,
    /// What embeddings were made, where a provider was named.
    pub embedded: Option<Embedded>,
    /// What indexing found.
    pub index: RefreshReport,
    /// Past commits learnt, or why none: the history that the checked-out commit reaches.
    pub history: Result<u64, &'static str>,
    /// Whether that history ends where the queries' changes begin.
    pub base: Standing,
    /// Queries whose static order was kept although a model was to re-order it, by reason code.
    pub kept_static: BTreeMap<&'static str, usize>,
    /// Wall seconds of indexing.
    pub index_seconds: f64,
    /// Wall milliseconds of each query, in the order of the file.
    pub latency_ms: Vec<f64>,
}

/// Indexes `root` in memory and ranks every query. Without `candidates` every indexed file is one. `reorder` may re-order the
/// heads of the rankings. `further` is given the indexed project afterwards.
///
/// # Errors
/// What can't be read below the root, or whose history would hold the answers (65); what `further` returns.
pub fn localize<T>(
    root: &Path,
    queries: &[LocalizeQuery],
    candidates: Option<&BTreeSet<String>>,
    (ranker, reorder): (Ranker, Option<&dyn Reorder>),
    embeddings: &EmbeddingSource<'_>,
    limit: usize,
    further: impl FnOnce(&Project<'_>) -> Result<T, Failure>,
) -> Result<(Localization, T), Failure> {
    let base = before_answers(root, queries)?;
    let start = Instant::now();
    let mut index = Index::in_memory(ExcludePolicy::built_in_only()).map_err(failed)?;
    let report = index.refresh(root).map_err(failed)?;
    let history = learn_history(&mut index, root).map_err(failed)?;
    let index_seconds = start.elapsed().as_secs_f64();
    let embedded = embed(&index, queries, embeddings)?;
    let heard = embedded.as_ref().map(|embedded| (embedded, embedded.weight));
    let project = Project { index: &index, queries, candidates, embedded: heard };
    let ranker = Weighted { weights: ranker.weights(), reorder };
    let mut out = answer_all(&project, &ranker, limit)?;
    (out.index, out.history, out.index_seconds) =
        (report, history.map_err(|none| none.code()), index_seconds);
    let more = further(&project)?;
    out.embedded = embedded;
    out.base = base;
    Ok((out, more))
}

/// Refuses a history that holds what the queries ask for.
fn before_answers(root: &Path, queries: &[LocalizeQuery]) -> Result<Standing, Failure> {
    let standing = standing(root, queries.iter().filter_map(|query| query.base_commit.as_deref()))?;
    if standing == Standing::After {
        return Err(Failure::bad_data(format!(
            "{}: the checked-out commit reaches commits behind the queries' base_commit: check that one out, or the history \
             would hold the answers",
            root.display()
        )));
    }
    Ok(standing)
}

fn answer_all(project: &Project<'_>, ranker: &Weighted<'_>, limit: usize) -> Result<Localization, Failure> {
    // What is found once an index (neighbours, names) is no query's cost.
    project.answer_by("warm", &Hints::default(), ranker)?;
    let (mut runs, mut latency_ms, mut every) = (Vec::new(), Vec::new(), Vec::new());
    let mut kept_static = BTreeMap::new();
    let mut calibration = Calibration::default();
    for query in project.queries {
        let start = Instant::now();
        let answer = project.answer_by(&query.query, &Hints::default(), ranker)?;
        latency_ms.push(start.elapsed().as_secs_f64() * 1e3);
        if let Some(code) = answer.fallback {
            *kept_static.entry(code).or_default() += 1;
        }
        let first_right = answer.ranked.first().is_some_and(|path| query.gold.contains(*path));
        calibration.add(answer.confidence, answer.named, first_right);
        every.push(query.score(&answer.ranked));
        let ranked = project.candidates_of(&answer.ranked);
        let scores = query.score(&ranked);
        let ranked = ranked.into_iter().take(limit).map(str::to_owned).collect();
        let by_static = ranker.reorder.is_some().then(|| project.static_scores(query, ranker)).transpose()?;
        runs.push(QueryRun { id: query.id.clone(), ranked, scores, by_static });
    }
    let gold = project.queries.iter().flat_map(|query| &query.gold);
    let reachable = project.reachable()?;
    let plain = runs.iter().zip(project.queries).filter(|(_, query)| query.has_ident == Some(false));
    Ok(Localization {
        all: Slice::of(runs.iter().map(|run| run.scores)),
        every_file: project.candidates.map(|_| Slice::of(every.into_iter())),
        without_identifier: Slice::of(plain.map(|(run, _)| run.scores)),
        calibration,
        gold: gold.clone().count(),
        gold_out_of_reach: gold.filter(|path| !reachable.contains(path.as_str())).count(),
        runs,
        latency_ms,
        kept_static,
        embedded: None,
        index: RefreshReport::default(),
        history: Ok(0),
        base: Standing::Untold,
        index_seconds: 0.0,
    })
}

impl Slice {
    /// The mean of these scores, in their order.
    pub fn of(scores: impl Iterator<Item = RankingScores>) -> Slice {
        let scores: Vec<RankingScores> = scores.collect();
        Slice { queries: scores.len(), scores: RankingScores::mean(&scores) }
    }
}

/// One ranking over every indexed file, best first.
pub(super) struct Answer<'i> {
    pub(super) ranked: Vec<&'i str>,
    pub(super) confidence: Confidence,
    /// Whether a path in the query names the first file.
    pub(super) named: bool,
    /// Why a second opinion wasn't heard, if one was to be.
    pub(super) fallback: Option<&'static str>,
}

impl Project<'_> {
    /// Ranks one query to full depth by weights alone.
    pub(super) fn answer(
        &self,
        query: &str,
        hints: &Hints,
        weights: &Weights,
    ) -> Result<Answer<'_>, Failure> {
        self.answer_by(query, hints, &Weighted { weights: *weights, reorder: None })
    }

    /// Scores of the ranking that a model isn't asked about.
    fn static_scores(&self, query: &LocalizeQuery, ranker: &Weighted<'_>) -> Result<RankingScores, Failure> {
        let answer = self.answer(&query.query, &Hints::default(), &ranker.weights)?;
        Ok(query.score(&self.candidates_of(&answer.ranked)))
    }

    fn answer_by(&self, query: &str, hints: &Hints, ranker: &Weighted<'_>) -> Result<Answer<'_>, Failure> {
        let hints = self.with_embeddings(query, hints);
        let (ranking, reordered) =
            rank_task_with(self.index, &Task::new(query), &hints, ranker).map_err(failed)?;
        let view = self.index.view().map_err(failed)?;
        Ok(Answer {
            ranked: ranking.files.iter().map(|ranked| view.files[ranked.file].path.as_str()).collect(),
            confidence: ranking.confidence,
            named: ranking.files.first().is_some_and(|first| first.explicit >= NAMED),
            fallback: reordered.and_then(|reordered| reordered.fallback),
        })
    }

    /// What the caller knows, and what embeddings say of the query.
    fn with_embeddings<'h>(&self, query: &str, hints: &'h Hints) -> Cow<'h, Hints> {
        match self.embedded.and_then(|(embedded, weight)| embedded.semantic(query, weight)) {
            Some(semantic) => Cow::Owned(Hints { semantic: Some(semantic), ..hints.clone() }),
            None => Cow::Borrowed(hints),
        }
    }

    /// Every path that a ranking can name and that is scored.
    fn reachable(&self) -> Result<BTreeSet<&str>, Failure> {
        let view = self.index.view().map_err(failed)?;
        let indexed: Vec<&str> = view.files.iter().map(|file| file.path.as_str()).collect();
        Ok(self.candidates_of(&indexed).into_iter().collect())
    }

    /// What of a ranking is scored.
    pub(super) fn candidates_of<'p>(&self, ranked: &[&'p str]) -> Vec<&'p str> {
        let scored = |path: &&&str| self.candidates.is_none_or(|c| c.contains(**path));
        ranked.iter().filter(scored).copied().collect()
    }
}

pub(super) fn failed(error: ProjectError) -> Failure {
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
        | ProjectError::Database { .. } => Failure { kind: Kind::Io, message },
    }
}

//! Ranking candidates under a mode; every doubt leaves the static order.

use std::collections::BTreeSet;

use crate::learn::Mode;

use super::feature::Features;
use super::model::{CentroidError, CentroidModel};
use super::round9;

/// One item to rank.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Identifier, unique among the candidates.
    pub id: String,
    /// Static score, any finite number.
    pub static_score: f64,
    /// Its features.
    pub features: Features,
}

/// What ranking needs beside candidates.
#[derive(Debug, Clone, Copy)]
pub struct RankOptions<'m> {
    /// The mode.
    pub mode: Mode,
    /// The artefact, what is wrong with it, or none.
    pub model: Option<&'m Result<CentroidModel, CentroidError>>,
    /// Most milliseconds that active ranking may take.
    pub max_latency_ms: f64,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The mode is off.
    Off,
    /// The model was compared.
    Shadow,
    /// Its order is used.
    Active,
    /// The static order stayed.
    Fallback,
}

/// One candidate's ranks, 1-based.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedCandidate {
    /// Identifier.
    pub id: String,
    /// Rank by static score.
    pub static_rank: usize,
    /// Rank by the model; the static one where it wasn't asked.
    pub learned_rank: usize,
    /// The model's score; the static one where it wasn't asked.
    pub learned_score: f64,
    /// What the order goes by.
    pub effective_score: f64,
}

/// An order with diagnostics that hold counts only.
#[derive(Debug, Clone, PartialEq)]
pub struct CentroidRanking {
    /// Candidates in effective order.
    pub ranked: Vec<RankedCandidate>,
    /// What became of the request.
    pub status: Status,
    /// Why the static order stayed: a code.
    pub fallback: Option<&'static str>,
    /// Whether the model has another candidate first.
    pub top_changed: bool,
    /// Pairs that it orders the other way.
    pub pairwise_disagreements: u64,
    /// Mean change of rank, rounded to 1e-9.
    pub mean_rank_shift: f64,
}

/// Ranks candidates. `clock` gives milliseconds of a monotonic clock; the engine has none of its own.
pub fn rank_candidates(
    candidates: &[Candidate],
    options: RankOptions<'_>,
    clock: &mut dyn FnMut() -> f64,
) -> CentroidRanking {
    let started = clock();
    let mut by_static: Vec<&Candidate> = candidates.iter().collect();
    by_static.sort_by(|a, b| b.static_score.total_cmp(&a.static_score).then(a.id.cmp(&b.id)));
    if options.mode == Mode::Off {
        return unchanged(&by_static, Status::Off, None);
    }
    let model = match usable(candidates, &options) {
        Ok(model) => model,
        Err(code) => return unchanged(&by_static, Status::Fallback, Some(code)),
    };
    let mut ranked: Vec<RankedCandidate> = by_static
        .iter()
        .zip(1..)
        .map(|(candidate, static_rank)| RankedCandidate {
            id: candidate.id.clone(),
            static_rank,
            learned_rank: 0,
            learned_score: model.score(&candidate.features),
            effective_score: candidate.static_score,
        })
        .collect();
    // Static ranks already decide equal scores by static score and identifier.
    ranked
        .sort_by(|a, b| b.learned_score.total_cmp(&a.learned_score).then(a.static_rank.cmp(&b.static_rank)));
    ranked.iter_mut().zip(1..).for_each(|(candidate, rank)| candidate.learned_rank = rank);
    if options.mode == Mode::Active && clock() - started > options.max_latency_ms {
        return unchanged(&by_static, Status::Fallback, Some("latency"));
    }
    let top_changed = ranked.first().is_some_and(|first| first.static_rank != 1);
    let (pairwise_disagreements, mean_rank_shift) = (disagreements(&ranked), mean_shift(&ranked));
    let status = if options.mode == Mode::Active {
        ranked.iter_mut().for_each(|candidate| candidate.effective_score = candidate.learned_score);
        Status::Active
    } else {
        ranked.sort_by_key(|candidate| candidate.static_rank);
        Status::Shadow
    };
    CentroidRanking { ranked, status, fallback: None, top_changed, pairwise_disagreements, mean_rank_shift }
}

/// The model, or the first reason not to ask it.
fn usable<'m>(
    candidates: &[Candidate],
    options: &RankOptions<'m>,
) -> Result<&'m CentroidModel, &'static str> {
    let model = match options.model {
        None => return Err("no-model"),
        Some(Err(CentroidError::TooLarge(_) | CentroidError::Malformed(_))) => return Err("malformed"),
        Some(Err(CentroidError::Altered(_))) => return Err("checksum"),
        Some(Ok(model)) => model,
    };
    if options.mode == Mode::Active {
        let report = model.promotion().filter(|report| report.eligible).ok_or("not-promoted")?;
        let limit = options.max_latency_ms;
        if !limit.is_finite() || limit <= 0.0 || report.measured_p95_latency_ms > limit {
            return Err("latency-budget");
        }
    }
    let ids: BTreeSet<&str> = candidates.iter().map(|candidate| candidate.id.as_str()).collect();
    let sound = candidates.iter().all(|c| !c.id.is_empty() && c.static_score.is_finite());
    if ids.len() != candidates.len() || !sound { Err("candidates") } else { Ok(model) }
}

fn unchanged(by_static: &[&Candidate], status: Status, fallback: Option<&'static str>) -> CentroidRanking {
    let ranked = by_static.iter().zip(1..).map(|(candidate, rank)| RankedCandidate {
        id: candidate.id.clone(),
        static_rank: rank,
        learned_rank: rank,
        learned_score: candidate.static_score,
        effective_score: candidate.static_score,
    });
    CentroidRanking {
        ranked: ranked.collect(),
        status,
        fallback,
        top_changed: false,
        pairwise_disagreements: 0,
        mean_rank_shift: 0.0,
    }
}

/// Pairs whose order differs; `ranked` is in learned order.
fn disagreements(ranked: &[RankedCandidate]) -> u64 {
    let mut pairs = 0;
    for (at, candidate) in ranked.iter().enumerate() {
        pairs += ranked[at + 1..].iter().filter(|c| c.static_rank < candidate.static_rank).count() as u64;
    }
    pairs
}

fn mean_shift(ranked: &[RankedCandidate]) -> f64 {
    let sum: usize = ranked.iter().map(|c| c.static_rank.abs_diff(c.learned_rank)).sum();
    round9(sum as f64 / ranked.len().max(1) as f64)
}

//! The port of a second opinion on a ranking, so that retrieval knows no model.

use super::corpus::Query;
use super::rank::{Ranking, Weights};
use super::signals::{Asked, Signals};
use super::task::Task;

/// What became of one request: counts only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reordered {
    /// Files that the model judged.
    pub candidates: usize,
    /// Whether the model has another file first.
    pub first_changed: bool,
    /// Sum over files of how many places the model moves them.
    pub shift: u64,
    /// Units of work.
    pub work: u64,
    /// Why the static order stayed, if that wasn't the mode: a reason code.
    pub fallback: Option<&'static str>,
}

/// A second opinion on the head of a static ranking: it may move files, not add any.
pub trait Reorder: Send + Sync {
    /// Which sources it must find in the table: beside those that the static ranking weighs it may read any.
    fn asks(&self) -> Asked;

    /// May move files of the ranking. `None` where it wasn't asked to.
    fn reorder(
        &self,
        query: &Query<'_>,
        task: &Task,
        signals: &Signals,
        ranking: &mut Ranking,
    ) -> Option<Reordered>;
}

/// How files are ranked: statically by weights, then perhaps by a second opinion.
#[derive(Clone, Copy, Default)]
pub struct Ranker<'r> {
    /// The static ranking.
    pub weights: Weights,
    /// Who may re-order its head.
    pub reorder: Option<&'r dyn Reorder>,
}

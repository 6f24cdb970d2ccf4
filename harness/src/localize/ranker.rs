//! Which ranker answers.

use engine::retrieve::Weights;

/// Which ranker answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ranker {
    /// The built-in engine's: normalised sums of all its sources.
    BuiltIn,
    /// The same with its head re-ordered by a learned model.
    Learned,
    /// The baseline: reciprocal ranks with k = 60 over fewer sources.
    ReciprocalRank,
}

impl Ranker {
    /// Identifier on the command line and in reports.
    pub fn id(self) -> &'static str {
        match self {
            Ranker::BuiltIn => "built-in",
            Ranker::Learned => "built-in-learned",
            Ranker::ReciprocalRank => "built-in-rrf",
        }
    }

    /// The weights of its sources.
    pub fn weights(self) -> Weights {
        match self {
            Ranker::BuiltIn | Ranker::Learned => Weights::default(),
            Ranker::ReciprocalRank => Weights::reciprocal_rank_baseline(),
        }
    }
}

//! `bounded-linear-centroid-v1`: the linear ranking of labelled context candidates, its labels, artefact and promotion.
//!
//! A format that exists elsewhere, read and written as it is there: names, rounding and hashes are part of it. It ranks
//! items of a session and of a project alike by ten features; the engine's own ranking of files is the boosted one beside it.
//! Ties are by byte order where the origin compares by locale: equal for lower-case ASCII identifiers.

mod feature;
mod label;
mod model;
mod promotion;
mod rank;
mod train;

pub use feature::{FEATURE_NAMES, FEATURE_VERSION, Features, SourceKind};
pub use label::{
    Classification, LABEL_ENTRY_TYPE, Label, LabelFault, LabelSource, Labels, RankingFeedback, identity_hash,
    read_labels, write_label,
};
pub use model::{ALGORITHM, CentroidError, CentroidModel, MAX_CENTROID_BYTES, TrainingCounts, Weights};
pub use promotion::{
    PromotionCandidate, PromotionFixture, PromotionLimits, PromotionReport, evaluate_promotion,
};
pub use rank::{Candidate, CentroidRanking, RankOptions, RankedCandidate, Status, rank_candidates};
pub use train::{TrainingError, train};

/// JavaScript's `Math.round` over a scale of 1e9: halves go up.
fn round9(value: f64) -> f64 {
    let rounded = (value * 1e9 + 0.5).floor() / 1e9;
    // The origin never writes a negative zero.
    if rounded == 0.0 { 0.0 } else { rounded }
}

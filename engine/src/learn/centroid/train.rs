//! Training: the difference of two centroids.

use std::collections::{BTreeMap, BTreeSet};

use super::feature::SourceKind;
use super::label::{Label, RankingFeedback};
use super::model::{CentroidModel, MAX_WEIGHT, TrainingCounts, Weights};
use super::round9;

/// Why there is nothing to train.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TrainingError {
    /// A minimum below two says nothing.
    #[error("ranking labels: minimum {0}: want at least 2")]
    Minimum(usize),
    /// Too few labels.
    #[error("ranking labels: {found} of at least {minimum}: label more")]
    TooFew {
        /// Distinct labels.
        found: usize,
        /// How many are wanted.
        minimum: usize,
    },
    /// Only one kind of label.
    #[error("ranking labels: {useful} useful, {irrelevant} irrelevant: want both")]
    OneSided {
        /// Useful ones.
        useful: usize,
        /// Irrelevant ones.
        irrelevant: usize,
    },
}

/// Trains on labels, in any order: each identifier counts once, the first it has; sums run in the order of identifiers. The
/// time is part of the artefact and given.
///
/// A feature's weight is four times the difference of its means over useful and irrelevant labels, a source's twice the
/// difference of its shares, the bias twice the share of useful labels less one half; each within ±16, rounded to 1e-9.
///
/// # Errors
/// [`TrainingError`].
pub fn train(
    labels: &[RankingFeedback],
    created_at: u64,
    minimum: usize,
) -> Result<CentroidModel, TrainingError> {
    if minimum < 2 {
        return Err(TrainingError::Minimum(minimum));
    }
    let mut by_id: BTreeMap<&str, &RankingFeedback> = BTreeMap::new();
    for label in labels {
        by_id.entry(&label.id).or_insert(label);
    }
    if by_id.len() < minimum {
        return Err(TrainingError::TooFew { found: by_id.len(), minimum });
    }
    let (useful, irrelevant): (Vec<&RankingFeedback>, Vec<&RankingFeedback>) =
        by_id.values().copied().partition(|label| label.label == Label::Useful);
    if useful.is_empty() || irrelevant.is_empty() {
        return Err(TrainingError::OneSided { useful: useful.len(), irrelevant: irrelevant.len() });
    }
    let mean = |labels: &[&RankingFeedback], of: &dyn Fn(&RankingFeedback) -> f64| {
        labels.iter().map(|label| of(label)).sum::<f64>() / labels.len() as f64
    };
    let difference = |of: &dyn Fn(&RankingFeedback) -> f64| mean(&useful, of) - mean(&irrelevant, of);
    let features: [f64; 10] =
        std::array::from_fn(|at| bounded(4.0 * difference(&|label| label.features.values()[at])));
    let source_kinds = SourceKind::ALL.map(|kind| {
        let is = |label: &RankingFeedback| f64::from(u8::from(label.features.source_kind == kind));
        bounded(2.0 * difference(&is))
    });
    let bias = bounded(2.0 * (useful.len() as f64 / by_id.len() as f64 - 0.5));
    let repositories: BTreeSet<&str> = by_id.values().map(|label| label.repository_hash.as_str()).collect();
    let training = TrainingCounts {
        sample_count: by_id.len() as u64,
        positive_samples: useful.len() as u64,
        negative_samples: irrelevant.len() as u64,
        repository_count: repositories.len() as u64,
    };
    Ok(CentroidModel::seal(created_at, training, Weights { bias, features, source_kinds }, None))
}

fn bounded(value: f64) -> f64 {
    round9(value.clamp(-MAX_WEIGHT, MAX_WEIGHT))
}

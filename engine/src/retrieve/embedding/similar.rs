//! What embeddings say of a task, and the column that this is in a ranking.

use std::collections::BTreeMap;

use crate::project::View;
use crate::retrieve::fuse::descending;

use super::failure::EmbeddingFailure;

/// Files that embeddings may speak for: the most similar ones. Similarities fall off slowly, so a list of all files would
/// say a little of everything.
pub const SEMANTIC_POOL: usize = 50;

/// Cosines up to here say nothing.
const MIN_SIMILARITY: f64 = 0.1;

/// Cosine of a task and each embedded file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Similarities {
    /// What the column counts in the ranking; 0 switches it off.
    pub weight: f64,
    /// The cosine of the best piece, -1 to 1, by path.
    pub files: BTreeMap<String, f64>,
    /// What they were made by, and from how much.
    pub usage: EmbeddingUse,
}

/// What was embedded for an answer: counts only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EmbeddingUse {
    /// Identifier of the model.
    pub model: String,
    /// Files whose vectors were compared.
    pub files: u64,
    /// Texts sent for this answer, the task's own among them.
    pub sent: u64,
    /// Files without vectors: for want of room, changed since they were indexed, or not readable.
    pub left_out: u64,
}

/// What embeddings say of a task.
#[derive(Debug, Clone, PartialEq)]
pub enum Semantic {
    /// How similar files are to it.
    Heard(Similarities),
    /// Nothing, for a reason.
    Unheard(EmbeddingFailure),
}

impl Semantic {
    /// What an answer says of it.
    pub fn outcome(&self) -> Result<EmbeddingUse, EmbeddingFailure> {
        match self {
            Semantic::Heard(similarities) => Ok(similarities.usage.clone()),
            Semantic::Unheard(failure) => Err(failure.clone()),
        }
    }
}

/// The column and its weight: by how much each file of the pool is more similar than the best one outside of it. `None`
/// where embeddings have no say.
pub(in crate::retrieve) fn semantic(view: &View, said: Option<&Semantic>) -> Option<(f64, Vec<f64>)> {
    let Some(Semantic::Heard(similarities)) = said else { return None };
    if similarities.weight <= 0.0 || !similarities.weight.is_finite() {
        return None;
    }
    let mut column = vec![0.0; view.files.len()];
    for (path, &cosine) in &similarities.files {
        if let Some(file) = view.position(path) {
            column[file] = cosine;
        }
    }
    let mut sorted = column.clone();
    sorted.sort_by(|a, b| descending(*a, *b));
    let floor = sorted.get(SEMANTIC_POOL).copied().unwrap_or(0.0).max(MIN_SIMILARITY);
    column.iter_mut().for_each(|score| *score = (*score - floor).max(0.0));
    Some((similarities.weight, column))
}

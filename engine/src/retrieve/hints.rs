//! What the caller knows beside the task. Values only: who asks version control or reads labels is the caller.

use crate::project::{View, position};

use super::cochange::co_change;
use super::constants::CONSTANTS;
use super::embedding::Semantic;
use super::past::halved;

/// What the caller knows beside the task; empty by default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hints {
    /// Paths changed in the work tree and not committed.
    pub changed: Vec<String>,
    /// Files that earlier tasks found useful. Only praise counts: what was of no use to one task may be what another needs.
    pub useful: Vec<UsefulFile>,
    /// What embeddings say of this very task; `None` where they weren't asked.
    pub semantic: Option<Semantic>,
}

/// A file that an earlier task found useful.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsefulFile {
    /// Path relative to the root.
    pub path: String,
    /// How long ago, seconds.
    pub age_s: u64,
}

pub(super) static NO_HINTS: Hints = Hints { changed: Vec::new(), useful: Vec::new(), semantic: None };

/// 1 for every file changed in the work tree, and for every other how much the history expects it to change with those.
pub fn working_change(view: &View, hints: &Hints) -> Vec<f64> {
    let changed: Vec<(u32, f64)> = hints
        .changed
        .iter()
        .filter_map(|path| view.position(path))
        .map(|file| (position(file), 1.0))
        .collect();
    let mut scores = co_change(view, &changed);
    let top = scores.iter().copied().fold(0.0, f64::max);
    if top > 0.0 {
        scores.iter_mut().for_each(|score| *score /= top);
    }
    for (file, _) in changed {
        scores[file as usize] = 1.0;
    }
    scores
}

/// How useful each file was, the older the less.
pub fn feedback(view: &View, hints: &Hints) -> Vec<f64> {
    let mut scores = vec![0.0; view.files.len()];
    for useful in &hints.useful {
        if let Some(file) = view.position(&useful.path) {
            scores[file] += halved(useful.age_s as f64 / CONSTANTS.hints.useful_half_life_s);
        }
    }
    scores
}

//! What changed together with the files that the task already points at.
//!
//! From each file of the head, the commits that touched it lead to the other files they touched: an estimate of how likely
//! a change of the one is to take the other along (Zimmermann, Weißgerber, Diehl, Zeller, "Mining Version Histories to Guide
//! Software Changes", ICSE 2004), by commits that count less the older and the larger they are.

use crate::project::{CommitView, View};

use super::constants::CONSTANTS;
use super::past::age_factor;

/// Scores every file by the files of `head`, each with its share of the best one's score.
pub fn co_change(view: &View, head: &[(u32, f64)]) -> Vec<f64> {
    let mut scores = vec![0.0; view.files.len()];
    if view.commits.is_empty() {
        return scores;
    }
    for &(seed, share) in head {
        let commits = &view.commits_by_file()[seed as usize];
        let vote = |&commit: &u32| vote(&view.commits[commit as usize]);
        let all = CONSTANTS.following.prior + commits.iter().map(vote).sum::<f64>();
        for commit in commits {
            let vote = share * vote(commit) / all;
            for &file in view.commits[*commit as usize].files.iter().filter(|&&file| file != seed) {
                scores[file as usize] += vote;
            }
        }
    }
    scores
}

fn vote(commit: &CommitView) -> f64 {
    age_factor(commit) / f64::from(commit.touched.max(1)).sqrt()
}

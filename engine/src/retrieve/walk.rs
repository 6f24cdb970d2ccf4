//! A walk over imports from the files that the task already points at.
//!
//! Personalised PageRank (Page, Brin, Motwani, Winograd, "The PageRank Citation Ranking", 1999; Haveliwala, WWW 2002): from
//! a file of the head along an import, against one, or to its partner in testing, with a fixed chance to go on. What a walk
//! leaves where it began isn't counted: the head already has its score.

use crate::project::View;

use super::constants::CONSTANTS;

/// Scores every file by the files of `head`, each with its share of the best one's score.
pub fn graph_walk(view: &View, head: &[(u32, f64)]) -> Vec<f64> {
    let neighbours = view.neighbours();
    let mut scores = vec![0.0; view.files.len()];
    let mut here = vec![0.0; view.files.len()];
    for &(seed, share) in head {
        here[seed as usize] = share;
    }
    for _ in 0..CONSTANTS.following.steps {
        let mut there = vec![0.0; view.files.len()];
        for (file, mass) in here.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
            let step = CONSTANTS.following.goes_on * mass / neighbours[file].len().max(1) as f64;
            for &next in &neighbours[file] {
                there[next as usize] += step;
            }
        }
        for (score, mass) in scores.iter_mut().zip(&there) {
            *score += mass;
        }
        here = there;
    }
    scores
}

//! What past commits in the words of the task touched.
//!
//! The nearest commits, by BM25 over the stems of messages and file names (Robertson and Zaragoza, "The Probabilistic
//! Relevance Framework: BM25 and Beyond", 2009), vote for the files they touched: a vote counts more the nearer the
//! commit, the fewer files it touched and the younger it is.

use std::sync::Arc;

use crate::project::CommitView;

use super::constants::{CONSTANTS, PastConstants};
use super::corpus::idf;
use super::fuse::descending;

/// A stem of the task in the history.
#[derive(Debug, Clone, PartialEq)]
pub struct PastHits {
    /// Weight of the term in the query.
    pub weight: f64,
    /// Commits with their counts, ascending.
    pub commits: Arc<[(u32, u32)]>,
}

/// What the history says of every file, by position; all zero without history.
pub fn past(files: usize, commits: &[CommitView], hits: &[PastHits]) -> Vec<f64> {
    let PastConstants { nearest: voters, k1, b, .. } = CONSTANTS.past;
    let mut votes = vec![0.0; files];
    let mean = commits.iter().map(|c| f64::from(c.length)).sum::<f64>() / commits.len().max(1) as f64;
    let mut scores = vec![0.0_f64; commits.len()];
    for term in hits {
        let idf = term.weight * idf(commits.len(), term.commits.len());
        for &(commit, count) in term.commits.iter() {
            let relative = f64::from(commits[commit as usize].length) / mean.max(1.0);
            let count = f64::from(count);
            scores[commit as usize] += idf * count * (k1 + 1.0) / (count + k1 * (1.0 - b + b * relative));
        }
    }
    let mut nearest: Vec<usize> = (0..commits.len()).filter(|&commit| scores[commit] > 0.0).collect();
    // Equally near commits: the younger first, as they stand.
    nearest.sort_by(|&a, &b| descending(scores[a], scores[b]).then(a.cmp(&b)));
    for commit in nearest.into_iter().take(voters) {
        let CommitView { touched, files, .. } = &commits[commit];
        let age = age_factor(&commits[commit]);
        let vote = scores[commit] * scores[commit] * age / f64::from((*touched).max(1)).sqrt();
        for &file in files {
            votes[file as usize] += vote;
        }
    }
    votes
}

/// How much a commit's age leaves of its vote.
pub(super) fn age_factor(commit: &CommitView) -> f64 {
    halved(commit.age_s as f64 / CONSTANTS.past.half_life_s)
}

/// What is left after so many half-lives.
pub(crate) fn halved(lives: f64) -> f64 {
    0.5_f64.powf(lives)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(age_days: u64, touched: u32, files: &[u32]) -> CommitView {
        CommitView { age_s: age_days * 86_400, touched, length: 5, files: files.to_vec() }
    }

    #[test]
    fn a_younger_and_a_smaller_commit_votes_more() {
        let commits = [commit(0, 1, &[0]), commit(365, 1, &[1]), commit(0, 4, &[2])];
        let hits = [PastHits { weight: 1.0, commits: [(0, 1), (1, 1), (2, 1)].into() }];
        let votes = past(4, &commits, &hits);
        assert!((votes[1] / votes[0] - 0.5).abs() < 1e-12, "{votes:?}");
        assert!((votes[2] / votes[0] - 0.5).abs() < 1e-12, "{votes:?}");
        assert_eq!(votes[3], 0.0);
    }

    #[test]
    fn without_history_nothing_votes() {
        assert_eq!(past(2, &[], &[]), [0.0, 0.0]);
    }
}

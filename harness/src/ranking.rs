//! Metrics of a ranking against a set of relevant items, as trec_eval defines them.
//!
//! * recall@k (`recall_k`): relevant items among the first k, over all relevant ones.
//! * mrr (`recip_rank`): 1 over the rank of the first relevant item, 0 without one.
//! * ndcg@10 (`ndcg_cut_10`): gains of 1 discounted by log2(rank + 1), over the best possible (Järvelin and Kekäläinen,
//!   "Cumulated gain-based evaluation of IR techniques", TOIS 2002).

use std::collections::BTreeSet;

/// Depths at which recall is taken.
pub const RECALL_DEPTHS: [usize; 4] = [1, 5, 10, 20];

/// Depth of the discounted gain.
const NDCG_DEPTH: usize = 10;

/// Scores of one ranking, or the mean of several.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct RankingScores {
    /// Recall at each of [`RECALL_DEPTHS`].
    pub recall: [f64; 4],
    /// Reciprocal rank of the first relevant item.
    pub mrr: f64,
    /// Normalised discounted cumulated gain at 10.
    pub ndcg_10: f64,
}

impl RankingScores {
    /// Scores one ranking. `relevant` must not be empty: without relevant items recall is undefined. A repeated item counts
    /// at its first rank only, and takes its later ranks' places.
    pub fn of(ranked: &[&str], relevant: &BTreeSet<&str>) -> RankingScores {
        let mut seen = BTreeSet::new();
        let hits: Vec<bool> =
            ranked.iter().map(|item| seen.insert(*item) && relevant.contains(item)).collect();
        let count = relevant.len() as f64;
        let recall = |depth: usize| hits.iter().take(depth).filter(|hit| **hit).count() as f64 / count;
        RankingScores {
            recall: RECALL_DEPTHS.map(recall),
            mrr: hits.iter().position(|hit| *hit).map_or(0.0, |at| 1.0 / (at + 1) as f64),
            ndcg_10: discounted(&hits) / discounted(&vec![true; relevant.len()]),
        }
    }

    /// The mean over queries, in their order; zeros for none. A query without a result is there with zeros.
    pub fn mean(all: &[RankingScores]) -> RankingScores {
        let count = all.len().max(1) as f64;
        let mean = |of: &dyn Fn(&RankingScores) -> f64| all.iter().map(of).sum::<f64>() / count;
        RankingScores {
            recall: std::array::from_fn(|depth| mean(&|s| s.recall[depth])),
            mrr: mean(&|s| s.mrr),
            ndcg_10: mean(&|s| s.ndcg_10),
        }
    }
}

fn discounted(hits: &[bool]) -> f64 {
    let gain = |(at, hit): (usize, &bool)| if *hit { 1.0 / ((at + 2) as f64).log2() } else { 0.0 };
    // An empty sum of floats is minus zero.
    0.0 + hits.iter().take(NDCG_DEPTH).enumerate().map(gain).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(ranked: &[&str], relevant: &[&str]) -> RankingScores {
        RankingScores::of(ranked, &relevant.iter().copied().collect())
    }

    #[test]
    fn values_by_hand() {
        let scores = score(&["x", "a", "y", "b"], &["a", "b", "c"]);
        assert_eq!(scores.recall, [0.0, 2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
        assert_eq!(scores.mrr, 0.5);
        let gain = 1.0 / 3_f64.log2() + 1.0 / 5_f64.log2();
        let best = 1.0 + 1.0 / 3_f64.log2() + 0.5;
        assert!((scores.ndcg_10 - gain / best).abs() < 1e-15);
    }

    #[test]
    fn no_result_scores_zero_and_still_counts() {
        let none = score(&[], &["a"]);
        assert_eq!(none, RankingScores::default());
        assert_eq!(RankingScores::mean(&[none, score(&["a"], &["a"])]).mrr, 0.5);
    }

    #[test]
    fn more_relevant_items_than_the_depth_can_hold() {
        let names: Vec<String> = (0..12).map(|n| format!("f{n:02}")).collect();
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        assert!((score(&all, &all).ndcg_10 - 1.0).abs() < 1e-15);
        assert_eq!(score(&all, &all).recall[2], 10.0 / 12.0);
    }

    #[test]
    fn a_repeated_item_counts_once() {
        assert_eq!(score(&["a", "a", "b"], &["a", "b"]).recall[1], 1.0);
        assert_eq!(score(&["a", "a"], &["a", "b"]).recall[1], 0.5);
    }
}

//! The shadow comparison of a replay, summed over requests: what a variant's order of files changes against the static one.

use std::collections::BTreeMap;

use crate::replay::OrderScore;

/// Sums over the requests of one variant, in the order in which they were replayed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OrderComparison {
    /// Requests in which a second opinion was asked for and something is needed.
    pub requests: usize,
    /// Requests that kept the static order, by reason code (`over-budget` among them).
    pub kept_static: BTreeMap<&'static str, usize>,
    /// Requests with another file first.
    pub first_changed: usize,
    /// Requests whose nDCG@10 rises by the order.
    pub better: usize,
    /// Requests whose nDCG@10 falls.
    pub worse: usize,
    /// Sums of nDCG@10: static, ordered.
    pub ndcg_10: [f64; 2],
    /// Sums of the reciprocal rank of the first needed file: static, ordered.
    pub reciprocal_rank: [f64; 2],
    /// Most units of work of a request.
    pub most_work: u64,
}

impl OrderComparison {
    /// Adds a request. One of a variant without a second opinion is nothing to compare.
    pub fn add(&mut self, score: &OrderScore) {
        let Some(reordered) = score.reordered else { return };
        let (before, after) = (&score.by_weights, &score.ordered);
        self.requests += 1;
        if let Some(code) = reordered.fallback {
            *self.kept_static.entry(code).or_default() += 1;
        }
        self.first_changed += usize::from(reordered.first_changed && reordered.fallback.is_none());
        self.better += usize::from(after.ndcg_10 > before.ndcg_10);
        self.worse += usize::from(after.ndcg_10 < before.ndcg_10);
        for (sums, of) in [
            (&mut self.ndcg_10, [before.ndcg_10, after.ndcg_10]),
            (&mut self.reciprocal_rank, [before.mrr, after.mrr]),
        ] {
            sums.iter_mut().zip(of).for_each(|(sum, value)| *sum += value);
        }
        self.most_work = self.most_work.max(reordered.work);
    }

    /// Adds the sums of other requests.
    pub fn merge(&mut self, other: &OrderComparison) {
        self.requests += other.requests;
        for (code, requests) in &other.kept_static {
            *self.kept_static.entry(code).or_default() += requests;
        }
        self.first_changed += other.first_changed;
        self.better += other.better;
        self.worse += other.worse;
        for at in 0..2 {
            self.ndcg_10[at] += other.ndcg_10[at];
            self.reciprocal_rank[at] += other.reciprocal_rank[at];
        }
        self.most_work = self.most_work.max(other.most_work);
    }
}

#[cfg(test)]
mod tests {
    use engine::retrieve::Reordered;

    use super::*;
    use crate::ranking::RankingScores;

    fn request(before: f64, after: f64, fallback: Option<&'static str>) -> OrderScore {
        let scores = |ndcg_10: f64| RankingScores { ndcg_10, mrr: ndcg_10, ..RankingScores::default() };
        let reordered =
            Reordered { candidates: 3, first_changed: before != after, shift: 1, work: 7, fallback };
        OrderScore { by_weights: scores(before), ordered: scores(after), reordered: Some(reordered) }
    }

    #[test]
    fn requests_add_up_and_fallbacks_are_counted_by_reason() {
        let mut sum = OrderComparison::default();
        sum.add(&request(0.5, 1.0, None));
        sum.add(&request(0.5, 0.25, None));
        let mut other = OrderComparison::default();
        other.add(&request(0.5, 0.5, Some("over-budget")));
        other.add(&OrderScore { reordered: None, ..request(0.0, 1.0, None) });
        sum.merge(&other);
        assert_eq!((sum.requests, sum.better, sum.worse, sum.first_changed), (3, 1, 1, 2));
        assert_eq!(sum.kept_static, BTreeMap::from([("over-budget", 1)]));
        assert_eq!((sum.ndcg_10, sum.most_work), ([1.5, 1.75], 7));
    }
}

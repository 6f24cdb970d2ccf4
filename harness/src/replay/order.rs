//! The order of files that a variant would go by at a request, against the static order: the shadow comparison of a second
//! opinion on the ranking.
//!
//! Both orders are made anew for the text of the request over the scenario's files, what earlier tasks found useful left
//! aside: it says what the model changes and nothing of what a plan holds.

use std::collections::BTreeSet;

use engine::retrieve::{Orders, Reordered};

use crate::ranking::RankingScores;

/// Two orders of one request, judged by the needed files.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrderScore {
    /// Scores of the static order.
    pub by_weights: RankingScores,
    /// Scores of the variant's own order: the same for one that goes by the static order.
    pub ordered: RankingScores,
    /// What became of the second opinion; none for a variant without one.
    pub reordered: Option<Reordered>,
}

/// Judges two orders; none where nothing is needed.
pub(super) fn judge(orders: &Orders, needed: &BTreeSet<String>) -> Option<OrderScore> {
    if needed.is_empty() {
        return None;
    }
    let needed: BTreeSet<&str> = needed.iter().map(String::as_str).collect();
    let scores = |paths: &[String]| {
        let ranked: Vec<&str> = paths.iter().map(String::as_str).collect();
        RankingScores::of(&ranked, &needed)
    };
    let by_weights = scores(&orders.by_weights);
    let same = orders.ordered == orders.by_weights;
    let ordered = if same { by_weights } else { scores(&orders.ordered) };
    Some(OrderScore { by_weights, ordered, reordered: orders.reordered })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_orders_are_judged_by_the_needed_files() {
        let paths = |all: &[&str]| all.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
        let orders =
            Orders { by_weights: paths(&["a", "b", "c"]), ordered: paths(&["b", "a", "c"]), reordered: None };
        let needed: BTreeSet<String> = ["b".to_owned()].into();
        let score = judge(&orders, &needed).unwrap();
        assert_eq!((score.by_weights.mrr, score.ordered.mrr), (0.5, 1.0));
        assert!((score.by_weights.ndcg_10 - 1.0 / 3.0_f64.log2()).abs() < 1e-15);
        assert_eq!(judge(&orders, &BTreeSet::new()), None);
    }
}

//! Several lists of scores into one.

use std::cmp::Ordering;

/// How lists are joined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fusion {
    /// Weighted sum of scores, each list divided by its maximum: keeps how clear a lead is.
    NormalisedSum,
    /// Reciprocal ranks: weight / (k + rank), rank from 1 (Cormack, Clarke, Büttcher, SIGIR 2009, with k = 60). Blind to how
    /// clear a lead is; a small k keeps the head.
    ReciprocalRank {
        /// The constant.
        k: f64,
    },
}

/// Joins lists of scores over the same items. An item with score 0 in a list gets nothing from it.
pub fn fuse(fusion: Fusion, lists: &[(f64, &[f64])]) -> Vec<f64> {
    let items = lists.first().map_or(0, |(_, list)| list.len());
    let mut out = vec![0.0; items];
    for &(weight, list) in lists {
        match fusion {
            Fusion::NormalisedSum => add_normalised(&mut out, weight, list),
            Fusion::ReciprocalRank { k } => add_ranks(&mut out, weight, k, list),
        }
    }
    out
}

fn add_normalised(out: &mut [f64], weight: f64, list: &[f64]) {
    let top = list.iter().copied().fold(0.0, f64::max);
    if top > 0.0 {
        for (total, score) in out.iter_mut().zip(list) {
            *total += weight * score / top;
        }
    }
}

fn add_ranks(out: &mut [f64], weight: f64, k: f64, list: &[f64]) {
    let mut order: Vec<usize> = (0..list.len()).filter(|&i| list[i] > 0.0).collect();
    order.sort_by(|&a, &b| descending(list[a], list[b]).then(a.cmp(&b)));
    let mut rank = 0;
    for (position, &item) in order.iter().enumerate() {
        // Equal scores share a rank: their order within a list is no evidence.
        if position == 0 || list[order[position - 1]] != list[item] {
            rank = position + 1;
        }
        out[item] += weight / (k + rank as f64);
    }
}

/// Higher scores first, in a total order.
pub(super) fn descending(a: f64, b: f64) -> Ordering {
    b.total_cmp(&a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_of_normalised_scores() {
        let fused = fuse(Fusion::NormalisedSum, &[(1.0, &[4.0, 2.0, 0.0]), (0.5, &[0.0, 1.0, 0.0])]);
        assert_eq!(fused, [1.0, 1.0, 0.0]);
    }

    #[test]
    fn reciprocal_ranks_by_the_published_formula() {
        let fused = fuse(Fusion::ReciprocalRank { k: 60.0 }, &[(1.0, &[9.0, 8.0]), (1.0, &[0.0, 1.0])]);
        assert!((fused[0] - 1.0 / 61.0).abs() < 1e-15);
        assert!((fused[1] - (1.0 / 62.0 + 1.0 / 61.0)).abs() < 1e-15);
    }

    #[test]
    fn equal_scores_share_a_rank_and_an_empty_list_adds_nothing() {
        let fused = fuse(Fusion::ReciprocalRank { k: 60.0 }, &[(1.0, &[5.0, 5.0, 0.0])]);
        assert_eq!(fused[0], fused[1]);
        assert_eq!(fuse(Fusion::NormalisedSum, &[(1.0, &[0.0])]), [0.0]);
    }
}

//! Gradients of nDCG: Burges, "From RankNet to LambdaRank to LambdaMART: An Overview", MSR-TR-2010-82, section 7.
//!
//! For a relevant file i and another j of one query, with scores s and the change |ΔnDCG| that swapping them would make,
//! λ = |ΔnDCG| / (1 + exp(s_i − s_j)) pulls i up and j down; its derivative is the weight. As usual in boosting libraries,
//! a query's gradients are scaled by log2(1 + Σλ) / Σλ, so that a query with many pairs doesn't drown the others, and pairs
//! that lie behind the head of the present order count nothing.

/// Gradients are summed as integers of this many parts, so that no order of addition can show.
pub(super) const UNIT: f64 = (1_u64 << 24) as f64;

/// Gradient and weight of a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Pull {
    /// Direction of higher nDCG.
    pub(super) gradient: i64,
    /// Second derivative.
    pub(super) weight: i64,
}

/// Gradients of one query's rows at their present scores, millionths. `head` is the depth up to which a pair counts.
pub(super) fn pulls(scores: &[i64], gold: &[bool], head: usize) -> Vec<Pull> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by_key(|&row| (std::cmp::Reverse(scores[row]), row));
    let relevant = gold.iter().filter(|gold| **gold).count();
    let best: f64 = (0..relevant).map(discount).sum();
    let mut out = vec![(0.0, 0.0); scores.len()];
    let mut total = 0.0;
    for (place, &row) in order.iter().enumerate().filter(|(_, row)| gold[**row]) {
        for (other_place, &other) in order.iter().enumerate().filter(|(_, row)| !gold[**row]) {
            if place.min(other_place) >= head {
                continue;
            }
            let change = (discount(place) - discount(other_place)).abs() / best;
            let lead = (scores[row] - scores[other]) as f64 / 1e6;
            let doubt = 1.0 / (1.0 + lead.exp());
            let (lambda, weight) = (change * doubt, change * doubt * (1.0 - doubt));
            total += 2.0 * lambda;
            out[row].0 += lambda;
            out[other].0 -= lambda;
            out[row].1 += weight;
            out[other].1 += weight;
        }
    }
    let scale = if total > 0.0 { (1.0 + total).log2() / total } else { 0.0 };
    let part = |value: f64| (value * scale * UNIT).round() as i64;
    out.into_iter()
        .map(|(gradient, weight)| Pull { gradient: part(gradient), weight: part(weight) })
        .collect()
}

fn discount(place: usize) -> f64 {
    1.0 / ((place + 2) as f64).log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relevant_file_is_pulled_up_and_what_stands_before_it_down() {
        let pulls = pulls(&[3_000_000, 2_000_000, 1_000_000], &[false, true, false], 10);
        assert!(pulls[1].gradient > 0 && pulls[0].gradient < 0 && pulls[2].gradient < 0);
        assert!(pulls[0].gradient < pulls[2].gradient, "the one before it more: {pulls:?}");
        let sum: i64 = pulls.iter().map(|pull| pull.gradient).sum();
        assert!(sum.abs() <= 2, "a pair's pulls cancel out, rounding aside: {sum}");
    }

    /// One pair, equal scores: λ = |ΔnDCG| / 2 with |ΔnDCG| = 1 − 1/log2(3).
    #[test]
    fn one_pair_by_hand() {
        let change = 1.0 - 1.0 / 3.0_f64.log2();
        let scale = (1.0 + change).log2() / change;
        let pulls = pulls(&[0, 0], &[false, true], 10);
        assert_eq!(pulls[1].gradient, (change / 2.0 * scale * UNIT).round() as i64);
        assert_eq!(pulls[1].weight, (change / 4.0 * scale * UNIT).round() as i64);
    }

    #[test]
    fn pairs_behind_the_head_are_left_alone() {
        let pulls = pulls(&[5, 4, 3, 2], &[false, false, false, true], 0);
        assert!(pulls.iter().all(|pull| *pull == Pull::default()));
    }
}

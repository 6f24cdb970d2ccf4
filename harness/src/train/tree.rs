//! One regression tree, grown leaf by leaf where the gain is largest.

use engine::learn::Node;
use rayon::prelude::*;

use super::dataset::Dataset;
use super::lambda::{Pull, UNIT};

/// Steps of a quantised feature.
const STEPS: usize = 256;

/// Bounds of a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Limits {
    pub(super) leaves: usize,
    pub(super) min_rows: usize,
    pub(super) l2: f64,
    pub(super) rate: f64,
    pub(super) depth: usize,
}

/// What the rows of a node, or of one step of a feature in it, add up to.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    gradient: i64,
    weight: i64,
    rows: u32,
}

impl Sum {
    fn minus(self, other: Sum) -> Sum {
        Sum {
            gradient: self.gradient - other.gradient,
            weight: self.weight - other.weight,
            rows: self.rows - other.rows,
        }
    }

    fn worth(self, l2: f64) -> f64 {
        let (gradient, weight) = (self.gradient as f64 / UNIT, self.weight as f64 / UNIT);
        gradient * gradient / (weight + l2)
    }
}

/// By feature, by step.
type Histogram = Vec<Vec<Sum>>;

struct Split {
    gain: f64,
    feature: usize,
    threshold: u8,
}

struct Leaf {
    node: usize,
    depth: usize,
    rows: Vec<u32>,
    total: Sum,
    histogram: Histogram,
    best: Option<Split>,
}

/// Grows a tree over some rows and some features. Returns its nodes, children behind parents.
pub(super) fn grow(
    data: &Dataset,
    pulls: &[Pull],
    rows: Vec<u32>,
    features: &[usize],
    limits: Limits,
) -> Vec<Node> {
    let grower = Grower { data, pulls, features, limits };
    // Children take the next two places when their parent is split, so they always stand behind it.
    let mut nodes: Vec<Node> = vec![Node::Leaf(0)];
    let histogram = grower.histogram(&rows);
    let mut leaves = vec![grower.leaf(0, 0, rows, histogram)];
    while leaves.len() < limits.leaves {
        let gain = |leaf: &Leaf| leaf.best.as_ref().map_or(0.0, |best| best.gain);
        let mut widest = 0;
        for at in 1..leaves.len() {
            if gain(&leaves[at]) > gain(&leaves[widest]) {
                widest = at;
            }
        }
        let leaf = leaves.swap_remove(widest);
        let Some(split) = &leaf.best else {
            leaves.push(leaf);
            break;
        };
        let (left, right) = (nodes.len(), nodes.len() + 1);
        nodes[leaf.node] = Node::Split {
            feature: u16::try_from(split.feature).expect("a model has few features"),
            threshold: split.threshold,
            left: u8::try_from(left).expect("a tree has few nodes"),
            right: u8::try_from(right).expect("a tree has few nodes"),
        };
        nodes.extend([Node::Leaf(0), Node::Leaf(0)]);
        leaves.extend(grower.split(leaf, left, right));
        // The order of leaves decides between equal gains, so it must be that of their nodes.
        leaves.sort_by_key(|leaf| leaf.node);
    }
    for leaf in leaves {
        let Sum { gradient, weight, .. } = leaf.total;
        let step = limits.rate * (gradient as f64 / UNIT) / (weight as f64 / UNIT + limits.l2);
        nodes[leaf.node] = Node::Leaf((step * 1e6).round() as i64);
    }
    nodes
}

struct Grower<'d> {
    data: &'d Dataset,
    pulls: &'d [Pull],
    features: &'d [usize],
    limits: Limits,
}

impl Grower<'_> {
    fn histogram(&self, rows: &[u32]) -> Histogram {
        self.features
            .par_iter()
            .map(|&feature| {
                let column = &self.data.columns[feature];
                let mut steps = vec![Sum::default(); STEPS];
                for &row in rows {
                    let pull = self.pulls[row as usize];
                    let step = &mut steps[usize::from(column[row as usize])];
                    step.gradient += pull.gradient;
                    step.weight += pull.weight;
                    step.rows += 1;
                }
                steps
            })
            .collect()
    }

    fn leaf(&self, node: usize, depth: usize, rows: Vec<u32>, histogram: Histogram) -> Leaf {
        let mut total = Sum::default();
        for &row in &rows {
            let pull = self.pulls[row as usize];
            total.gradient += pull.gradient;
            total.weight += pull.weight;
            total.rows += 1;
        }
        let best = if depth < self.limits.depth { self.best(&histogram, total) } else { None };
        Leaf { node, depth, rows, total, histogram, best }
    }

    /// The split with the largest gain; of equal ones the first feature, then the lowest threshold.
    fn best(&self, histogram: &Histogram, total: Sum) -> Option<Split> {
        let min_rows = u32::try_from(self.limits.min_rows).unwrap_or(u32::MAX);
        let whole = total.worth(self.limits.l2);
        let mut best: Option<Split> = None;
        for (steps, &feature) in histogram.iter().zip(self.features) {
            let mut left = Sum::default();
            for (threshold, step) in (0..=u8::MAX).zip(steps).take(STEPS - 1).filter(|(_, s)| s.rows > 0) {
                left.gradient += step.gradient;
                left.weight += step.weight;
                left.rows += step.rows;
                let right = total.minus(left);
                if left.rows < min_rows || right.rows < min_rows {
                    continue;
                }
                let gain = left.worth(self.limits.l2) + right.worth(self.limits.l2) - whole;
                if gain > best.as_ref().map_or(1e-9, |best| best.gain) {
                    best = Some(Split { gain, feature, threshold });
                }
            }
        }
        best
    }

    fn split(&self, leaf: Leaf, left: usize, right: usize) -> [Leaf; 2] {
        let split = leaf.best.expect("a leaf is split only where it has a split");
        let column = &self.data.columns[split.feature];
        let (low, high): (Vec<u32>, Vec<u32>) =
            leaf.rows.iter().partition(|&&row| column[row as usize] <= split.threshold);
        // The smaller side is counted, the other is what remains.
        let counted = self.histogram(if low.len() <= high.len() { &low } else { &high });
        let remaining: Histogram = leaf
            .histogram
            .iter()
            .zip(&counted)
            .map(|(all, part)| all.iter().zip(part).map(|(all, part)| all.minus(*part)).collect())
            .collect();
        let (of_low, of_high) =
            if low.len() <= high.len() { (counted, remaining) } else { (remaining, counted) };
        let depth = leaf.depth + 1;
        [self.leaf(left, depth, low, of_low), self.leaf(right, depth, high, of_high)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_splits_where_the_pull_changes_sign() {
        let data = Dataset {
            columns: vec![vec![7; 4], vec![1, 2, 8, 9]],
            gold: vec![],
            groups: vec![],
            sha256: String::new(),
        };
        let pull = |gradient: f64| Pull { gradient: (gradient * UNIT) as i64, weight: UNIT as i64 };
        let pulls = [-1.0, -1.0, 1.0, 1.0].map(pull);
        let limits = Limits { leaves: 4, min_rows: 1, l2: 0.0, rate: 0.5, depth: 3 };
        let nodes = grow(&data, &pulls, vec![0, 1, 2, 3], &[0, 1], limits);
        let split = Node::Split { feature: 1, threshold: 2, left: 1, right: 2 };
        assert_eq!(nodes, [split, Node::Leaf(-500_000), Node::Leaf(500_000)]);
    }
}

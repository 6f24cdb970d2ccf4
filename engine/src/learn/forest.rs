//! Boosted regression trees over quantised features, evaluated in integers.

use super::feature::Feature;

/// Most trees of a model.
pub const MAX_TREES: usize = 512;
/// Most nodes of a tree.
pub const MAX_NODES: usize = 127;
/// Most splits between a tree's root and a leaf.
pub const MAX_DEPTH: usize = 12;
/// Most features of a model.
const MAX_FEATURES: usize = 256;
/// Largest leaf or weight, millionths, either sign: 512 trees of such leaves stay far inside 64 bits.
const MAX_VALUE: i64 = 1_000_000_000;

/// A node of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// A question: at most the threshold goes left.
    Split {
        /// Position among the model's features.
        feature: u16,
        /// Largest quantised value that goes left.
        threshold: u8,
        /// Node for those.
        left: u8,
        /// Node for the others.
        right: u8,
    },
    /// An answer, millionths of a score.
    Leaf(i64),
}

/// One tree. Node 0 is the root; children stand behind their parents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tree {
    nodes: Vec<Node>,
    depth: usize,
}

impl Tree {
    /// A tree of checked nodes over `features` features.
    ///
    /// # Errors
    /// What breaks a bound: no node or too many, a child that doesn't stand behind its parent, a node reached twice or
    /// never, an unknown feature, a depth or a value over the limit.
    pub fn new(nodes: Vec<Node>, features: usize) -> Result<Tree, String> {
        if nodes.is_empty() || nodes.len() > MAX_NODES {
            return Err(format!("{} nodes, want 1 to {MAX_NODES}", nodes.len()));
        }
        // Depth of every node that a parent before it reaches.
        let mut depths: Vec<Option<usize>> = vec![None; nodes.len()];
        depths[0] = Some(0);
        for (at, node) in nodes.iter().enumerate() {
            let depth = depths[at].ok_or_else(|| format!("node {at}: no parent before it"))?;
            match *node {
                Node::Leaf(value) if value.abs() > MAX_VALUE => {
                    return Err(format!("node {at}: value {value} over {MAX_VALUE}"));
                }
                Node::Leaf(_) => {}
                Node::Split { feature, left, right, .. } => {
                    if usize::from(feature) >= features {
                        return Err(format!("node {at}: feature {feature} of {features}"));
                    }
                    if depth >= MAX_DEPTH {
                        return Err(format!("node {at}: deeper than {MAX_DEPTH}"));
                    }
                    for child in [usize::from(left), usize::from(right)] {
                        if child <= at || child >= nodes.len() || depths[child].is_some() {
                            return Err(format!(
                                "node {at}: child {child} isn't a node of its own behind it"
                            ));
                        }
                        depths[child] = Some(depth + 1);
                    }
                }
            }
        }
        let depth = depths.into_iter().flatten().max().unwrap_or(0);
        Ok(Tree { nodes, depth })
    }

    /// Its nodes.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The answer for a row of quantised features.
    pub fn score(&self, row: &[u8]) -> i64 {
        let mut at = 0;
        loop {
            match self.nodes[at] {
                Node::Leaf(value) => return value,
                Node::Split { feature, threshold, left, right } => {
                    at = usize::from(if row[usize::from(feature)] <= threshold { left } else { right });
                }
            }
        }
    }
}

/// A sum of trees upon a weighted sum of features.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Forest {
    features: Vec<Feature>,
    linear: Vec<(u16, i64)>,
    trees: Vec<Tree>,
    cost: u64,
}

impl Forest {
    /// A model of checked parts. `linear` weighs quantised features (0..=255) in millionths.
    ///
    /// # Errors
    /// What breaks a bound; a feature named twice.
    pub fn new(features: Vec<Feature>, linear: Vec<(u16, i64)>, trees: Vec<Tree>) -> Result<Forest, String> {
        if trees.len() > MAX_TREES || features.len() > MAX_FEATURES || linear.len() > features.len() {
            return Err(format!(
                "{} trees, {} features, {} weights: want at most {MAX_TREES}, {MAX_FEATURES} and a weight a feature",
                trees.len(),
                features.len(),
                linear.len()
            ));
        }
        if let Some((_, twice)) = features.iter().enumerate().find(|(at, f)| features[..*at].contains(f)) {
            return Err(format!("feature {} is named twice", twice.name()));
        }
        let weighs = |&(feature, weight): &(u16, i64)| {
            usize::from(feature) < features.len() && weight.abs() <= MAX_VALUE
        };
        if !linear.iter().all(weighs) {
            return Err("a weight of an unknown feature or over the limit".to_owned());
        }
        let cost = trees.iter().map(|tree| tree.depth as u64 + 1).sum::<u64>() + linear.len() as u64;
        Ok(Forest { features, linear, trees, cost })
    }

    /// Features, in the order of rows.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// Weights upon quantised features: position and millionths.
    pub fn linear(&self) -> &[(u16, i64)] {
        &self.linear
    }

    /// Trees.
    pub fn trees(&self) -> &[Tree] {
        &self.trees
    }

    /// Most nodes and weights visited for a row: its cost in units of work.
    pub fn cost(&self) -> u64 {
        self.cost
    }

    /// Score of a row of quantised features, millionths.
    pub fn score(&self, row: &[u8]) -> i64 {
        let linear: i64 =
            self.linear.iter().map(|&(feature, weight)| i64::from(row[usize::from(feature)]) * weight).sum();
        linear + self.trees.iter().map(|tree| tree.score(row)).sum::<i64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(feature: u16, threshold: u8, left: u8, right: u8) -> Node {
        Node::Split { feature, threshold, left, right }
    }

    #[test]
    fn a_tree_asks_its_way_to_a_leaf() {
        let tree = Tree::new(vec![split(1, 9, 1, 2), Node::Leaf(-5), Node::Leaf(7)], 2).unwrap();
        assert_eq!((tree.score(&[0, 9]), tree.score(&[0, 10])), (-5, 7));
    }

    #[test]
    fn trees_that_could_loop_or_leave_are_refused() {
        let refused = |nodes: Vec<Node>| Tree::new(nodes, 1).unwrap_err();
        assert!(refused(vec![]).contains("0 nodes"));
        assert!(refused(vec![split(0, 1, 0, 1), Node::Leaf(1)]).contains("child 0"));
        assert!(refused(vec![split(0, 1, 1, 1), Node::Leaf(1)]).contains("child 1"));
        assert!(refused(vec![split(0, 1, 1, 9), Node::Leaf(1)]).contains("child 9"));
        assert!(refused(vec![split(1, 1, 1, 2), Node::Leaf(1), Node::Leaf(1)]).contains("feature 1"));
        assert!(refused(vec![Node::Leaf(1), Node::Leaf(1)]).contains("node 1: no parent"));
        assert!(refused(vec![Node::Leaf(i64::from(i32::MAX))]).contains("over"));
        let chain: Vec<Node> = (0..14_u8)
            .flat_map(|level| [split(0, 1, 2 * level + 1, 2 * level + 2), Node::Leaf(0)])
            .chain([Node::Leaf(0)])
            .collect();
        assert!(refused(chain).contains("deeper"));
    }

    #[test]
    fn a_forest_adds_weights_and_trees() {
        let tree = Tree::new(vec![split(0, 9, 1, 2), Node::Leaf(-5), Node::Leaf(7)], 1).unwrap();
        let forest =
            Forest::new(vec![Feature::StaticShare], vec![(0, 10)], vec![tree.clone(), tree]).unwrap();
        assert_eq!((forest.score(&[9]), forest.score(&[10])), (80, 114));
        assert_eq!(forest.cost(), 5);
        let twice = vec![Feature::StaticShare, Feature::StaticShare];
        assert!(Forest::new(twice, vec![], vec![]).unwrap_err().contains("twice"));
    }
}

//! Boosting: LambdaMART.

use engine::learn::{Feature, Forest, MAX_DEPTH, MAX_NODES, MAX_TREES, Tree};
use engine::message::sha256_hex;

use super::dataset::Dataset;
use super::lambda::{Pull, pulls};
use super::tree::{Limits, grow};
use crate::failure::Failure;

/// How a model is trained.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// Trees.
    pub trees: usize,
    /// Most leaves of a tree.
    pub leaves: usize,
    /// Most splits between root and leaf.
    pub depth: usize,
    /// Share of a tree's answer that is taken.
    pub rate: f64,
    /// Regularisation of answers.
    pub l2: f64,
    /// Fewest rows of a leaf.
    pub min_rows: usize,
    /// Share of features that a tree may ask.
    pub feature_share: f64,
    /// Share of queries that a tree sees.
    pub query_share: f64,
    /// Score of the first file of the static ranking before any tree: trees correct the static order, they don't invent one.
    pub prior: f64,
    /// Depth of the present order up to which a pair counts.
    pub head: usize,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            trees: 80,
            leaves: 8,
            depth: 6,
            rate: 0.06,
            l2: 1.0,
            min_rows: 150,
            feature_share: 0.6,
            query_share: 0.7,
            prior: 6.0,
            head: 30,
        }
    }
}

impl Parameters {
    /// Refuses what the engine's bounds don't allow.
    fn check(&self) -> Result<(), Failure> {
        let bounded = self.trees <= MAX_TREES
            && (2..=MAX_NODES / 2).contains(&self.leaves)
            && (1..=MAX_DEPTH).contains(&self.depth);
        if bounded {
            return Ok(());
        }
        Err(Failure::usage(format!(
            "training: want at most {MAX_TREES} trees of 2 to {} leaves and a depth of 1 to {MAX_DEPTH}",
            MAX_NODES / 2
        )))
    }

    /// One line for the artefact.
    pub fn recipe(&self) -> String {
        format!(
            "lambdamart trees={} leaves={} depth={} rate={} l2={} min-rows={} feature-share={} query-share={} prior={} head={}",
            self.trees,
            self.leaves,
            self.depth,
            self.rate,
            self.l2,
            self.min_rows,
            self.feature_share,
            self.query_share,
            self.prior,
            self.head
        )
    }
}

/// Trains on some groups of a data set, whose columns are [`Feature::all`]. Which queries and features a tree sees is drawn by
/// hashing their names and the tree's number: no seed, and the same for the same content. Runs on the current rayon
/// pool; the model doesn't depend on its size.
///
/// # Errors
/// Parameters beyond the engine's bounds; nothing to learn from.
pub fn train(data: &Dataset, groups: &[usize], parameters: &Parameters) -> Result<Forest, Failure> {
    parameters.check()?;
    if groups.is_empty() {
        return Err(Failure::bad_data(
            "training: no query with a relevant and another file: nothing to learn from",
        ));
    }
    let mut boosting = Boosting::begin(data, groups, parameters);
    for number in 0..parameters.trees {
        boosting.add_tree(number)?;
    }
    boosting.finish()
}

/// A model on its way.
struct Boosting<'b> {
    data: &'b Dataset,
    groups: &'b [usize],
    parameters: &'b Parameters,
    /// Names of the features.
    names: Vec<String>,
    /// The feature that is there before any tree, and its weight in millionths.
    prior: (usize, i64),
    /// Of every row so far, millionths.
    scores: Vec<i64>,
    trees: Vec<Tree>,
}

impl<'b> Boosting<'b> {
    fn begin(data: &'b Dataset, groups: &'b [usize], parameters: &'b Parameters) -> Boosting<'b> {
        let features = Feature::all();
        let prior = features.iter().position(|f| *f == Feature::StaticShare).expect("it is a feature");
        let weight = (parameters.prior / 255.0 * 1e6).round() as i64;
        let scores = data.columns[prior].iter().map(|value| i64::from(*value) * weight).collect();
        let names = features.iter().map(|feature| feature.name()).collect();
        Boosting { data, groups, parameters, names, prior: (prior, weight), scores, trees: Vec::new() }
    }

    /// Adds a tree, unless nothing is drawn for it to see or to ask.
    fn add_tree(&mut self, number: usize) -> Result<(), Failure> {
        let (seen, asked) = (self.seen(number), self.asked(number));
        if seen.is_empty() || asked.is_empty() {
            return Ok(());
        }
        let (pulls, rows) = self.pulls(&seen);
        let Parameters { leaves, min_rows, l2, rate, depth, .. } = *self.parameters;
        let nodes = grow(self.data, &pulls, rows, &asked, Limits { leaves, min_rows, l2, rate, depth });
        let tree = Tree::new(nodes, self.names.len())
            .map_err(|why| Failure::internal(format!("training: tree {number}: {why}")))?;
        self.correct(&tree);
        self.trees.push(tree);
        Ok(())
    }

    /// The groups that a tree sees.
    fn seen(&self, number: usize) -> Vec<usize> {
        let is_seen = |group: &usize| {
            // Both forms of a query are seen or not seen together.
            let (repository, query, _) = &self.data.groups[*group].key;
            drawn(&format!("query {number} {repository} {query}"), self.parameters.query_share)
        };
        self.groups.iter().copied().filter(is_seen).collect()
    }

    /// The features that a tree may ask.
    fn asked(&self, number: usize) -> Vec<usize> {
        let is_asked = |at: &usize| {
            drawn(&format!("feature {number} {}", self.names[*at]), self.parameters.feature_share)
        };
        (0..self.names.len()).filter(is_asked).collect()
    }

    /// Gradients of all rows, none where they aren't seen, and which are.
    fn pulls(&self, seen: &[usize]) -> (Vec<Pull>, Vec<u32>) {
        let mut all = vec![Pull::default(); self.data.gold.len()];
        let mut rows = Vec::new();
        for &group in seen {
            let range = self.data.groups[group].rows.clone();
            let (scores, gold) = (&self.scores[range.clone()], &self.data.gold[range.clone()]);
            all[range.clone()].copy_from_slice(&pulls(scores, gold, self.parameters.head));
            rows.extend(range.map(|row| u32::try_from(row).expect("a data set has fewer rows")));
        }
        (all, rows)
    }

    /// Adds what a tree answers to the scores.
    fn correct(&mut self, tree: &Tree) {
        let mut row = vec![0; self.names.len()];
        for &group in self.groups {
            for at in self.data.groups[group].rows.clone() {
                row.iter_mut().zip(&self.data.columns).for_each(|(value, column)| *value = column[at]);
                self.scores[at] += tree.score(&row);
            }
        }
    }

    fn finish(self) -> Result<Forest, Failure> {
        let (prior, weight) = self.prior;
        let prior = u16::try_from(prior).expect("a model has few features");
        Forest::new(Feature::all(), vec![(prior, weight)], self.trees)
            .map_err(|why| Failure::internal(format!("training: {why}")))
    }
}

/// Whether a name is drawn with a share: by the first 32 bits of its SHA-256.
fn drawn(name: &str, share: f64) -> bool {
    let digest = sha256_hex(name.as_bytes());
    let value = u32::from_str_radix(&digest[..8], 16).expect("a digest is hexadecimal");
    f64::from(value) < share * f64::from(u32::MAX)
}

//! Boosting: LambdaMART.

use engine::learn::{Feature, Forest, MAX_DEPTH, MAX_NODES, MAX_TREES, Tree};
use engine::message::sha256_hex;

use super::dataset::Dataset;
use super::lambda::pulls;
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
    let bounded = parameters.trees <= MAX_TREES
        && (2..=MAX_NODES / 2).contains(&parameters.leaves)
        && (1..=MAX_DEPTH).contains(&parameters.depth);
    if !bounded {
        return Err(Failure::usage(format!(
            "training: want at most {MAX_TREES} trees of 2 to {} leaves and a depth of 1 to {MAX_DEPTH}",
            MAX_NODES / 2
        )));
    }
    if groups.is_empty() {
        return Err(Failure::bad_data(
            "training: no query with a relevant and another file: nothing to learn from",
        ));
    }
    let features = Feature::all();
    let prior = features.iter().position(|f| *f == Feature::StaticShare).expect("it is a feature");
    let weight = (parameters.prior / 255.0 * 1e6).round() as i64;
    let mut scores: Vec<i64> = data.columns[prior].iter().map(|value| i64::from(*value) * weight).collect();
    let limits = Limits {
        leaves: parameters.leaves,
        min_rows: parameters.min_rows,
        l2: parameters.l2,
        rate: parameters.rate,
        depth: parameters.depth,
    };
    let names: Vec<String> = features.iter().map(|feature| feature.name()).collect();
    let mut trees = Vec::new();
    let mut row = vec![0; features.len()];
    for number in 0..parameters.trees {
        let seen: Vec<usize> = groups
            .iter()
            .copied()
            .filter(|&group| {
                // Both forms of a query are seen or not seen together.
                let (repository, query, _) = &data.groups[group].key;
                drawn(&format!("query {number} {repository} {query}"), parameters.query_share)
            })
            .collect();
        let asked: Vec<usize> = (0..features.len())
            .filter(|&at| drawn(&format!("feature {number} {}", names[at]), parameters.feature_share))
            .collect();
        if seen.is_empty() || asked.is_empty() {
            continue;
        }
        let mut all = vec![super::lambda::Pull::default(); data.gold.len()];
        let mut rows = Vec::new();
        for &group in &seen {
            let range = data.groups[group].rows.clone();
            let of_group = pulls(&scores[range.clone()], &data.gold[range.clone()], parameters.head);
            all[range.clone()].copy_from_slice(&of_group);
            rows.extend(range.map(|row| u32::try_from(row).expect("a data set has fewer rows")));
        }
        let nodes = grow(data, &all, rows, &asked, limits);
        let tree = Tree::new(nodes, features.len())
            .map_err(|why| Failure::internal(format!("training: tree {number}: {why}")))?;
        for &group in groups {
            for at in data.groups[group].rows.clone() {
                row.iter_mut().zip(&data.columns).for_each(|(value, column)| *value = column[at]);
                scores[at] += tree.score(&row);
            }
        }
        trees.push(tree);
    }
    let prior = u16::try_from(prior).expect("a model has few features");
    Forest::new(features, vec![(prior, weight)], trees)
        .map_err(|why| Failure::internal(format!("training: {why}")))
}

/// Whether a name is drawn with a share: by the first 32 bits of its SHA-256.
fn drawn(name: &str, share: f64) -> bool {
    let digest = sha256_hex(name.as_bytes());
    let value = u32::from_str_radix(&digest[..8], 16).expect("a digest is hexadecimal");
    f64::from(value) < share * f64::from(u32::MAX)
}

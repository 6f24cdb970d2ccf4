//! The artefact: a checked, checksummed text, `ranking-model/1`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::message::{sha256_hex, stable_json};
use crate::project::KEPT;
use crate::retrieve::{CONSTANTS, Column, Weights};

use super::constants::FEATURES;
use super::feature::{FEATURE_SET, Feature};
use super::forest::{Forest, Node, Tree};

const SCHEMA: &str = "ranking-model/1";

/// Largest artefact that is read.
pub const MAX_MODEL_BYTES: usize = 1_000_000;

/// Why an artefact isn't used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// Larger than any model we make.
    #[error("ranking model: {0} bytes, over {MAX_MODEL_BYTES}: not a model of this engine")]
    TooLarge(usize),
    /// No artefact of this schema.
    #[error("ranking model: {0}: train it again")]
    Malformed(String),
    /// Changed since it was written.
    #[error("ranking model: checksum {found} isn't that of its content: restore or train it again")]
    Checksum {
        /// What the artefact claims.
        found: String,
    },
    /// Made for other features.
    #[error("ranking model: {0}: train it again with this engine")]
    FeatureSet(String),
    /// Made upon another static ranking.
    #[error("ranking model: made upon another static ranking: train it again with this engine")]
    StaticRanking,
    /// Trees beyond the bounds.
    #[error("ranking model: {0}: not a model of this engine")]
    Bounds(String),
}

impl ModelError {
    /// The stable reason code.
    pub fn code(&self) -> &'static str {
        match self {
            ModelError::TooLarge(_) => "too-large",
            ModelError::Malformed(_) => "malformed",
            ModelError::Checksum { .. } => "checksum",
            ModelError::FeatureSet(_) => "feature-set",
            ModelError::StaticRanking => "static-ranking",
            ModelError::Bounds(_) => "bounds",
        }
    }
}

/// Where a model comes from: figures and public names only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Training {
    /// How it was trained, as the trainer words it.
    pub recipe: String,
    /// Repositories and their numbers of queries, sorted.
    pub repositories: Vec<(String, u64)>,
    /// Queries, every form counted.
    pub queries: u64,
    /// Candidate files over all of them.
    pub rows: u64,
    /// SHA-256 over all rows, sorted.
    pub rows_sha256: String,
}

/// A checked model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    forest: Forest,
    training: Training,
    static_ranking: String,
}

/// Disk form. Nodes are `[feature, threshold, left, right]` or `[leaf]`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelFile {
    schema: String,
    feature_set: String,
    static_ranking: String,
    features: Vec<String>,
    linear: Vec<(u16, i64)>,
    trees: Vec<Vec<NodeFile>>,
    training: Training,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checksum: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum NodeFile {
    Split(u16, u8, u8, u8),
    Leaf([i64; 1]),
}

/// Version of the formulas of the static ranking and of the features: a change of one raises it.
const FORMULAS: u32 = 1;

/// Identity of the static ranking that a model is made upon: the default weights, the columns, every constant and word list
/// that shapes a score or a feature, what the index keeps of text and history. It changes with them, so that a model never
/// re-orders a list of another make. Grammars and their queries aren't in it.
pub fn static_ranking() -> String {
    let columns: Vec<&str> = Column::ALL.iter().map(|column| column.name()).collect();
    let weights = Weights::default();
    let made = format!("{FORMULAS} {weights:?} {columns:?} {CONSTANTS:?} {FEATURES:?} {KEPT:?}");
    sha256_hex(made.as_bytes())
}

impl Model {
    /// A model trained upon this build's static ranking.
    pub fn new(forest: Forest, training: Training) -> Model {
        Model { forest, training, static_ranking: static_ranking() }
    }

    /// Reads an artefact.
    ///
    /// # Errors
    /// [`ModelError`]: whatever is wrong with it; the caller keeps the static order.
    pub fn parse(text: &str) -> Result<Model, ModelError> {
        if text.len() > MAX_MODEL_BYTES {
            return Err(ModelError::TooLarge(text.len()));
        }
        let malformed = |error: serde_json::Error| ModelError::Malformed(error.to_string());
        let mut value: Value = serde_json::from_str(text).map_err(malformed)?;
        let found = value.as_object_mut().and_then(|members| members.remove("checksum"));
        let found = found.and_then(|sum| sum.as_str().map(str::to_owned)).unwrap_or_default();
        if sha256_hex(stable_json(&value).as_bytes()) != found {
            return Err(ModelError::Checksum { found });
        }
        let file: ModelFile = serde_json::from_value(value).map_err(malformed)?;
        if file.schema != SCHEMA {
            return Err(ModelError::Malformed(format!("schema {:?} isn't {SCHEMA:?}", file.schema)));
        }
        if file.feature_set != FEATURE_SET {
            let message = format!("features {:?} aren't {FEATURE_SET:?}", file.feature_set);
            return Err(ModelError::FeatureSet(message));
        }
        if file.static_ranking != static_ranking() {
            return Err(ModelError::StaticRanking);
        }
        let known = |name: &String| {
            Feature::by_name(name).ok_or_else(|| ModelError::FeatureSet(format!("no feature {name:?}")))
        };
        let features = file.features.iter().map(known).collect::<Result<Vec<_>, _>>()?;
        let trees = file.trees.iter().enumerate().map(|(at, nodes)| {
            Tree::new(nodes.iter().map(Node::from).collect(), features.len())
                .map_err(|why| ModelError::Bounds(format!("tree {at}: {why}")))
        });
        let trees = trees.collect::<Result<Vec<_>, _>>()?;
        let forest = Forest::new(features, file.linear, trees).map_err(ModelError::Bounds)?;
        Ok(Model { forest, training: file.training, static_ranking: file.static_ranking })
    }

    /// The artefact's text: canonical JSON with its checksum, and a line feed.
    pub fn to_text(&self) -> String {
        let nodes = |tree: &Tree| tree.nodes().iter().map(NodeFile::from).collect();
        let mut file = ModelFile {
            schema: SCHEMA.to_owned(),
            feature_set: FEATURE_SET.to_owned(),
            static_ranking: self.static_ranking.clone(),
            features: self.forest.features().iter().map(|feature| feature.name()).collect(),
            linear: self.forest.linear().to_vec(),
            trees: self.forest.trees().iter().map(nodes).collect(),
            training: self.training.clone(),
            checksum: None,
        };
        file.checksum = Some(sha256_hex(canonical(&file).as_bytes()));
        canonical(&file) + "\n"
    }

    /// What it computes.
    pub fn forest(&self) -> &Forest {
        &self.forest
    }

    /// Where it comes from.
    pub fn training(&self) -> &Training {
        &self.training
    }
}

fn canonical(file: &ModelFile) -> String {
    stable_json(&serde_json::to_value(file).expect("names and integers are JSON"))
}

impl From<&NodeFile> for Node {
    fn from(node: &NodeFile) -> Node {
        match *node {
            NodeFile::Split(feature, threshold, left, right) => {
                Node::Split { feature, threshold, left, right }
            }
            NodeFile::Leaf([value]) => Node::Leaf(value),
        }
    }
}

impl From<&Node> for NodeFile {
    fn from(node: &Node) -> NodeFile {
        match *node {
            Node::Split { feature, threshold, left, right } => {
                NodeFile::Split(feature, threshold, left, right)
            }
            Node::Leaf(value) => NodeFile::Leaf([value]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model() -> Model {
        let nodes =
            vec![Node::Split { feature: 0, threshold: 3, left: 1, right: 2 }, Node::Leaf(-1), Node::Leaf(1)];
        let tree = Tree::new(nodes, 1).unwrap();
        let forest = Forest::new(vec![Feature::StaticShare], vec![(0, 100)], vec![tree]).unwrap();
        let training = Training {
            recipe: "by hand".to_owned(),
            repositories: vec![("a/b".to_owned(), 1)],
            queries: 1,
            rows: 2,
            rows_sha256: String::new(),
        };
        Model::new(forest, training)
    }

    /// The text with its checksum made right again after a change.
    fn sealed(change: impl FnOnce(&mut Value)) -> String {
        let mut value: Value = serde_json::from_str(&model().to_text()).unwrap();
        value.as_object_mut().unwrap().remove("checksum");
        change(&mut value);
        value["checksum"] = sha256_hex(stable_json(&value).as_bytes()).into();
        value.to_string()
    }

    #[test]
    fn what_is_written_is_read() {
        assert_eq!(Model::parse(&model().to_text()).unwrap(), model());
    }

    #[test]
    fn every_fault_has_its_code() {
        let code = |text: &str| Model::parse(text).unwrap_err().code();
        assert_eq!(code(&" ".repeat(MAX_MODEL_BYTES + 1)), "too-large");
        assert_eq!(code("{"), "malformed");
        assert_eq!(code("[]"), "checksum");
        assert_eq!(code(&model().to_text().replace("[-1]", "[-2]")), "checksum");
        assert_eq!(code(&sealed(|v| v["schema"] = "ranking-model/2".into())), "malformed");
        assert_eq!(code(&sealed(|v| v["extra"] = 1.into())), "malformed");
        assert_eq!(code(&sealed(|v| v["feature_set"] = "ranking-features/0".into())), "feature-set");
        assert_eq!(code(&sealed(|v| v["features"][0] = "static.shard".into())), "feature-set");
        assert_eq!(code(&sealed(|v| v["static_ranking"] = "0".into())), "static-ranking");
        assert_eq!(code(&sealed(|v| v["trees"][0][0][2] = 0.into())), "bounds");
    }
}

//! The artefact of the linear ranking.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::message::{sha256_hex, stable_json};

use super::feature::{FEATURE_NAMES, FEATURE_VERSION, Features, SourceKind};
use super::label::is_hash;
use super::promotion::PromotionReport;
use super::round9;

/// Name of the algorithm.
pub const ALGORITHM: &str = "bounded-linear-centroid-v1";

/// Largest artefact that is read.
pub const MAX_CENTROID_BYTES: usize = 1_000_000;

/// Largest weight, either sign.
pub(super) const MAX_WEIGHT: f64 = 16.0;

const MAX_TIME: u64 = (1 << 53) - 1;

/// Why an artefact isn't used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CentroidError {
    /// Larger than any model.
    #[error("ranking model: {0} bytes, over {MAX_CENTROID_BYTES}: not a model")]
    TooLarge(usize),
    /// Not of this form.
    #[error("ranking model: {0}: train it again")]
    Malformed(String),
    /// Changed since it was written.
    #[error("ranking model: {0} isn't that of its content: restore or train it again")]
    Altered(&'static str),
}

/// What it was trained on, in counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TrainingCounts {
    /// Labels.
    pub sample_count: u64,
    /// Useful ones.
    pub positive_samples: u64,
    /// Irrelevant ones.
    pub negative_samples: u64,
    /// Distinct repositories.
    pub repository_count: u64,
}

/// What the model adds up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Constant.
    pub bias: f64,
    /// By feature, in the order of [`FEATURE_NAMES`].
    pub features: [f64; 10],
    /// By source, in the order of [`SourceKind::ALL`].
    pub source_kinds: [f64; 3],
}

/// A checked model.
#[derive(Debug, Clone, PartialEq)]
pub struct CentroidModel {
    created_at: u64,
    training: TrainingCounts,
    weights: Weights,
    promotion: Option<PromotionReport>,
    id: String,
    checksum: String,
}

/// Disk form.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ModelFile {
    schema_version: u64,
    feature_version: String,
    algorithm: String,
    model_id: String,
    created_at: u64,
    training: TrainingCounts,
    weights: WeightsFile,
    promotion: Option<PromotionReport>,
    checksum: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WeightsFile {
    bias: f64,
    features: serde_json::Map<String, Value>,
    source_kinds: SourceWeightsFile,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SourceWeightsFile {
    memory: f64,
    retrieval: f64,
    project: f64,
}

impl CentroidModel {
    /// Seals weights under an identifier and a checksum. A promotion is part of both.
    pub fn seal(
        created_at: u64,
        training: TrainingCounts,
        weights: Weights,
        promotion: Option<PromotionReport>,
    ) -> CentroidModel {
        let mut model = CentroidModel {
            created_at,
            training,
            weights,
            promotion,
            id: String::new(),
            checksum: String::new(),
        };
        let unnamed = sha256_hex(stable_json(&model.payload()).as_bytes());
        model.id = format!("ranking-{}", &unnamed[..16]);
        model.checksum = sha256_hex(stable_json(&model.payload()).as_bytes());
        model
    }

    /// The same weights with a promotion.
    pub fn promoted(&self, report: PromotionReport) -> CentroidModel {
        CentroidModel::seal(self.created_at, self.training, self.weights, Some(report))
    }

    /// Reads an artefact.
    ///
    /// # Errors
    /// [`CentroidError`]: too large, another form, a weight out of range, an identifier or a checksum of other content, a
    /// promotion that contradicts itself.
    pub fn parse(text: &str) -> Result<CentroidModel, CentroidError> {
        if text.len() > MAX_CENTROID_BYTES {
            return Err(CentroidError::TooLarge(text.len()));
        }
        let malformed = |what: String| Err(CentroidError::Malformed(what));
        let file: ModelFile = match serde_json::from_str(text) {
            Ok(file) => file,
            Err(error) => return malformed(error.to_string()),
        };
        if file.schema_version != 1 || file.feature_version != FEATURE_VERSION || file.algorithm != ALGORITHM
        {
            return malformed("another schema, feature version or algorithm".to_owned());
        }
        if file.created_at > MAX_TIME || !is_hash(&file.checksum) {
            return malformed("createdAt or checksum isn't one".to_owned());
        }
        let weights = match file.weights.checked() {
            Ok(weights) => weights,
            Err(message) => return malformed(message),
        };
        if file.promotion.as_ref().is_some_and(|report| !report.is_consistent()) {
            return malformed("the promotion contradicts itself".to_owned());
        }
        let model = CentroidModel::seal(file.created_at, file.training, weights, file.promotion);
        if model.id != file.model_id {
            return Err(CentroidError::Altered("modelId"));
        }
        if model.checksum != file.checksum {
            return Err(CentroidError::Altered("checksum"));
        }
        Ok(model)
    }

    /// The artefact's text: canonical JSON and a line feed.
    pub fn to_text(&self) -> String {
        let mut value = self.payload();
        value["checksum"] = self.checksum.clone().into();
        stable_json(&value) + "\n"
    }

    /// Identifier, a hash of the content.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Checksum over everything else.
    pub fn checksum(&self) -> &str {
        &self.checksum
    }

    /// What it adds up.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// What it was trained on.
    pub fn training(&self) -> TrainingCounts {
        self.training
    }

    /// Its promotion, if it has one.
    pub fn promotion(&self) -> Option<&PromotionReport> {
        self.promotion.as_ref()
    }

    /// Bias, source weight and weighted features, summed in that order, rounded to 1e-9.
    pub fn score(&self, features: &Features) -> f64 {
        let kind = SourceKind::ALL.iter().position(|kind| *kind == features.source_kind).unwrap_or(0);
        let mut score = self.weights.bias + self.weights.source_kinds[kind];
        for (weight, value) in self.weights.features.iter().zip(features.values()) {
            score += weight * value;
        }
        round9(score)
    }

    fn payload(&self) -> Value {
        let features: serde_json::Map<String, Value> = FEATURE_NAMES
            .iter()
            .zip(self.weights.features)
            .map(|(name, weight)| ((*name).to_owned(), weight.into()))
            .collect();
        let [memory, retrieval, project] = self.weights.source_kinds;
        let mut payload = json!({
            "schemaVersion": 1,
            "featureVersion": FEATURE_VERSION,
            "algorithm": ALGORITHM,
            "modelId": self.id,
            "createdAt": self.created_at,
            "training": self.training,
            "weights": {
                "bias": self.weights.bias,
                "features": features,
                "sourceKinds": {"memory": memory, "retrieval": retrieval, "project": project},
            },
        });
        if let Some(report) = &self.promotion {
            payload["promotion"] = json!(report);
        }
        payload
    }
}

impl WeightsFile {
    fn checked(&self) -> Result<Weights, String> {
        let weight = |name: &str, value: f64| match value.abs() <= MAX_WEIGHT {
            true => Ok(round9(value)),
            false => Err(format!("weight {name} is {value}: want at most {MAX_WEIGHT}")),
        };
        if let Some(unknown) = self.features.keys().find(|key| !FEATURE_NAMES.contains(&key.as_str())) {
            return Err(format!("weight of an unknown feature {unknown}"));
        }
        let mut features = [0.0; 10];
        for (slot, name) in features.iter_mut().zip(FEATURE_NAMES) {
            let value = self.features.get(name).and_then(Value::as_f64);
            *slot = weight(name, value.ok_or_else(|| format!("no weight of feature {name}"))?)?;
        }
        let kinds = &self.source_kinds;
        let source_kinds = [
            weight("memory", kinds.memory)?,
            weight("retrieval", kinds.retrieval)?,
            weight("project", kinds.project)?,
        ];
        Ok(Weights { bias: weight("bias", self.bias)?, features, source_kinds })
    }
}

//! The feature vector `ranking-features-v1`.

use serde::{Deserialize, Serialize};

use super::round9;

/// Version of the vector.
pub const FEATURE_VERSION: &str = "ranking-features-v1";

/// The ten numbers, in the order in which they are summed.
pub const FEATURE_NAMES: [&str; 10] = [
    "staticScore",
    "exactScore",
    "ftsScore",
    "vectorScore",
    "recency",
    "branchRelation",
    "symbolRelation",
    "classificationEligible",
    "tokenCost",
    "priorSelected",
];

/// Where a candidate comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// Memory and pins.
    Memory,
    /// Session history.
    Retrieval,
    /// Project files.
    Project,
}

impl SourceKind {
    /// Every kind, in order.
    pub const ALL: [SourceKind; 3] = [SourceKind::Memory, SourceKind::Retrieval, SourceKind::Project];
}

/// One candidate's features: each in 0..=1, rounded to 1e-9.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Features {
    /// Where it comes from.
    pub source_kind: SourceKind,
    values: [f64; 10],
}

/// Disk form.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct FeaturesFile {
    source_kind: SourceKind,
    static_score: f64,
    exact_score: f64,
    fts_score: f64,
    vector_score: f64,
    recency: f64,
    branch_relation: f64,
    symbol_relation: f64,
    classification_eligible: f64,
    token_cost: f64,
    prior_selected: f64,
}

impl Features {
    /// Features from any numbers: clamped to 0..=1, what is no number counts as 0.
    pub fn clamped(source_kind: SourceKind, values: [f64; 10]) -> Features {
        let clamp = |value: f64| if value.is_finite() { round9(value.clamp(0.0, 1.0)) } else { 0.0 };
        Features { source_kind, values: values.map(clamp) }
    }

    /// The numbers, in the order of [`FEATURE_NAMES`].
    pub fn values(&self) -> &[f64; 10] {
        &self.values
    }
}

impl FeaturesFile {
    /// The features, refused where one is out of range: what was written is never repaired.
    pub(super) fn checked(&self) -> Result<Features, String> {
        let values = [
            self.static_score,
            self.exact_score,
            self.fts_score,
            self.vector_score,
            self.recency,
            self.branch_relation,
            self.symbol_relation,
            self.classification_eligible,
            self.token_cost,
            self.prior_selected,
        ];
        match values.iter().zip(FEATURE_NAMES).find(|(value, _)| !(0.0..=1.0).contains(*value)) {
            Some((value, name)) => Err(format!("feature {name} is {value}: want 0 to 1")),
            None => Ok(Features::clamped(self.source_kind, values)),
        }
    }
}

impl From<&Features> for FeaturesFile {
    fn from(features: &Features) -> FeaturesFile {
        let [
            static_score,
            exact_score,
            fts_score,
            vector_score,
            recency,
            branch_relation,
            symbol_relation,
            classification_eligible,
            token_cost,
            prior_selected,
        ] = features.values;
        FeaturesFile {
            source_kind: features.source_kind,
            static_score,
            exact_score,
            fts_score,
            vector_score,
            recency,
            branch_relation,
            symbol_relation,
            classification_eligible,
            token_cost,
            prior_selected,
        }
    }
}

//! The certificate of a promotion as it is written, `certificate/2`: what was judged, by what, with which bounds. Its file
//! name is its own hash.
//!
//! The gate writes it, the engine reads it. Version 1 named neither the verdict nor what the model was made upon.

use serde::{Deserialize, Serialize};

use crate::message::sha256_hex;

/// Version of the document.
pub const CERTIFICATE_SCHEMA: &str = "certificate/2";

/// A certificate. Hashes are SHA-256, lower-case hex; days are `YYYY-MM-DD`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`CERTIFICATE_SCHEMA`].
    pub schema: String,
    /// Feature judged.
    pub feature: String,
    /// What the gate said: `PROMOTE`, or it is no certificate of a promotion.
    pub verdict: String,
    /// Hash of the sources of the engine that ran, `ENGINE_SOURCES_SHA256`.
    pub engine_sources_sha256: String,
    /// The candidate's configuration, canonical JSON.
    pub configuration: String,
    /// Digest of that engine under that configuration, [`crate::engine_digest`].
    pub engine_digest: String,
    /// Identity of the static ranking under a learned one; `null` for a feature without a model.
    pub static_ranking_sha256: Option<String>,
    /// Hash of the learned model's bytes; `null` for a feature without a model.
    pub model_artifact_sha256: Option<String>,
    /// Hash of the feature's section of the policy.
    pub policy_sha256: String,
    /// Corpora judged.
    pub corpora: Vec<CertifiedCorpus>,
    /// Price packs the costs rest on.
    pub packs: Vec<CertifiedPack>,
    /// Tier of the evidence.
    pub tier: String,
    /// One-sided error level.
    pub alpha: f64,
    /// Seed of every resampling.
    pub seed: u64,
    /// Resamples.
    pub resamples: usize,
    /// Bounds of every criterion.
    pub criteria: Vec<CertifiedBounds>,
    /// Day of issue: the gate's date.
    pub issued: String,
    /// First day on which it doesn't count any more.
    pub expires: String,
}

/// A corpus by name and hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedCorpus {
    /// Name.
    pub name: String,
    /// Hash over its canonical rows.
    pub sha256: String,
}

/// A price pack by name and hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedPack {
    /// Name.
    pub name: String,
    /// Hash of the pack.
    pub sha256: String,
}

/// What a criterion showed, in the unit of its metric; for ratios the relative change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CertifiedBounds {
    /// Criterion.
    pub id: String,
    /// Point estimate.
    pub delta: Option<f64>,
    /// Lower bound.
    pub low: Option<f64>,
    /// Upper bound.
    pub high: Option<f64>,
    /// Declared margin or smallest gain.
    pub margin: Option<f64>,
}

/// Why a text isn't read as a certificate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CertificateError {
    /// The bytes aren't those that the name tells.
    #[error("certificate {name}: its name isn't the hash of its content: it was altered or renamed")]
    Altered {
        /// File name.
        name: String,
    },
    /// Not a certificate of this version.
    #[error("certificate {name}: {message}")]
    Malformed {
        /// File name.
        name: String,
        /// What is wrong.
        message: String,
    },
}

impl Certificate {
    /// Name and text of the file.
    pub fn to_file(&self) -> (String, String) {
        let text = serde_json::to_string_pretty(self).expect("names and numbers are JSON") + "\n";
        (file_name(&text), text)
    }

    /// Reads a certificate whose file name must be the hash of its bytes.
    ///
    /// # Errors
    /// [`CertificateError`]: altered, no certificate, or another version.
    pub fn read(name: &str, text: &str) -> Result<Certificate, CertificateError> {
        if name != file_name(text) {
            return Err(CertificateError::Altered { name: name.to_owned() });
        }
        let malformed = |message: String| CertificateError::Malformed { name: name.to_owned(), message };
        let certificate: Certificate =
            serde_json::from_str(text).map_err(|error| malformed(version_first(text, &error)))?;
        if certificate.schema == CERTIFICATE_SCHEMA {
            Ok(certificate)
        } else {
            Err(malformed(other_version(&certificate.schema)))
        }
    }
}

fn file_name(text: &str) -> String {
    format!("{}.json", sha256_hex(text.as_bytes()))
}

fn other_version(schema: &str) -> String {
    format!("schema \"{schema}\": this build reads \"{CERTIFICATE_SCHEMA}\": promote again")
}

/// A document of another version has other members: its version says more than the first of them.
fn version_first(text: &str, error: &serde_json::Error) -> String {
    #[derive(Deserialize)]
    struct Version {
        schema: String,
    }
    match serde_json::from_str::<Version>(text) {
        Ok(version) if version.schema != CERTIFICATE_SCHEMA => other_version(&version.schema),
        _ => error.to_string(),
    }
}

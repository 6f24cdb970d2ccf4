//! The certificate of a promotion: what was judged, by what, with which bounds. Its name is its own hash, and it is trusted
//! only where the gate can make the same one again from the evidence.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use verdict::Promotion;

use super::document::{Corpus, Criterion, Feature};
use super::policy::Section;
use crate::failure::Failure;
use engine::message::sha256_hex;

/// Version of the document.
pub const SCHEMA: &str = "certificate/1";

/// A certificate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Certificate {
    /// [`SCHEMA`].
    pub schema: String,
    /// Feature promoted.
    pub feature: String,
    /// Digest of the candidate's engine.
    pub engine_digest: String,
    /// SHA-256 of the learned model's artifact; `null` for a feature without one.
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
    /// Date of issue: the gate's date.
    pub issued: String,
    /// First day on which it doesn't count any more.
    pub expires: String,
}

/// A corpus by name and hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertifiedCorpus {
    /// Name.
    pub name: String,
    /// SHA-256 over its canonical rows.
    pub sha256: String,
}

/// A price pack by name and hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CertifiedPack {
    /// Name.
    pub name: String,
    /// SHA-256 of the pack.
    pub sha256: String,
}

/// What a criterion showed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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

/// What a certificate is made from.
#[derive(Debug, Clone, Copy)]
pub struct Grounds<'a> {
    /// The judged feature.
    pub feature: &'a Feature,
    /// Its section of the policy.
    pub section: &'a Section,
    /// Digest of the candidate's engine.
    pub engine_digest: &'a str,
    /// The corpora it was judged on.
    pub corpora: &'a [&'a Corpus],
    /// The price packs.
    pub packs: &'a [CertifiedPack],
    /// The gate's date.
    pub as_of: Date,
}

impl Certificate {
    /// Issues a certificate. The proof of a promotion comes only from the function that saw every criterion pass.
    ///
    /// # Errors
    /// A life that leaves the calendar (64).
    pub fn issue(_: Promotion, grounds: Grounds<'_>) -> Result<Certificate, Failure> {
        let Grounds { feature, section, engine_digest, corpora, packs, as_of } = grounds;
        let life = jiff::Span::new().days(i64::from(section.certificate_days));
        let expires = as_of.checked_add(life).map_err(|error| {
            Failure::usage(format!("certificate_days {}: {error}", section.certificate_days))
        })?;
        let bounds = |criterion: &Criterion| CertifiedBounds {
            id: criterion.id.clone(),
            delta: criterion.delta,
            low: criterion.low,
            high: criterion.high,
            margin: criterion.margin,
        };
        Ok(Certificate {
            schema: SCHEMA.to_owned(),
            feature: feature.id.clone(),
            engine_digest: engine_digest.to_owned(),
            model_artifact_sha256: None,
            policy_sha256: section.sha256.clone(),
            corpora: corpora
                .iter()
                .map(|corpus| CertifiedCorpus { name: corpus.name.clone(), sha256: corpus.sha256.clone() })
                .collect(),
            packs: packs.to_vec(),
            tier: feature.tier.clone().unwrap_or_default(),
            alpha: section.alpha,
            seed: section.settings.seed,
            resamples: section.settings.resamples,
            criteria: feature.criteria.iter().map(bounds).collect(),
            issued: as_of.to_string(),
            expires: expires.to_string(),
        })
    }

    /// The bytes of the certificate and the name they give it.
    ///
    /// # Errors
    /// A bug: a certificate is always JSON.
    pub fn sealed(&self) -> Result<(String, String), Failure> {
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| Failure::internal(format!("certificate: {error}")))?;
        text.push('\n');
        let name = format!("{}.json", sha256_hex(text.as_bytes()));
        Ok((name, text))
    }

    /// Reads a certificate whose name must be the hash of its bytes.
    ///
    /// # Errors
    /// Bad data (65): altered, no certificate, or another version.
    pub fn open(name: &str, text: &str) -> Result<Certificate, Failure> {
        let own = format!("{}.json", sha256_hex(text.as_bytes()));
        if name != own {
            return Err(Failure::bad_data(format!(
                "certificate {name}: its name isn't the hash of its content: it was altered or renamed"
            )));
        }
        let certificate: Certificate = serde_json::from_str(text)
            .map_err(|error| Failure::bad_data(format!("certificate {name}: {error}")))?;
        if certificate.schema != SCHEMA {
            return Err(Failure::bad_data(format!(
                "certificate {name}: schema \"{}\": this harness reads \"{SCHEMA}\"",
                certificate.schema
            )));
        }
        Ok(certificate)
    }

    /// Why it doesn't count for this engine, policy and date before anything is recomputed; none if it may.
    ///
    /// # Errors
    /// Bad data (65): a date that is none.
    pub fn refusal(
        &self,
        section: &Section,
        engine_digest: &str,
        as_of: Date,
    ) -> Result<Option<String>, Failure> {
        let date = |text: &str| {
            text.parse::<Date>().map_err(|error| {
                Failure::bad_data(format!("certificate of {}: date \"{text}\": {error}", self.feature))
            })
        };
        Ok(if as_of < date(&self.issued)? {
            Some(format!("issued on {}, after the gate's date", self.issued))
        } else if as_of >= date(&self.expires)? {
            Some(format!("expired on {}", self.expires))
        } else if self.engine_digest != engine_digest {
            Some("it is of another engine".to_owned())
        } else if self.policy_sha256 != section.sha256 {
            Some("the policy section has changed since".to_owned())
        } else {
            None
        })
    }
}

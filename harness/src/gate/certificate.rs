//! The certificate of a promotion: what was judged, by what, with which bounds. Its name is its own hash, and it is trusted
//! only where the gate can make the same one again from the evidence. The document itself is the engine's
//! ([`engine::learn::seal`]), which seals a learned model with it.

use std::collections::BTreeSet;

use engine::learn::seal::{CERTIFICATE_SCHEMA, CertifiedBounds, Day};
pub use engine::learn::seal::{Certificate, CertifiedCorpus, CertifiedPack};
use engine::learn::static_ranking;
use jiff::civil::Date;
use verdict::Promotion;

use super::document::{Corpus, Criterion, Feature};
use super::policy::Section;
use crate::failure::Failure;
use crate::variant::Variant;

/// The verdict that a certificate is of.
const PROMOTED: &str = "PROMOTE";

/// An arm's engine as certificates name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArmEngine {
    /// Its canonical configuration.
    pub configuration: String,
    /// Digest of this build's engine under that configuration.
    pub digest: String,
    /// SHA-256 of the learned model that it orders files by; none for an arm without one.
    pub model_artifact_sha256: Option<String>,
}

impl ArmEngine {
    /// The engine that this build runs in an arm.
    pub fn of(variant: &Variant) -> ArmEngine {
        ArmEngine {
            configuration: variant.canonical_config(),
            digest: variant.engine_digest(),
            model_artifact_sha256: variant.model_artifact_sha256(),
        }
    }

    /// Identity of the static ranking below the model, if there is a model.
    fn static_ranking_sha256(&self) -> Option<String> {
        self.model_artifact_sha256.as_ref().map(|_| static_ranking())
    }
}

/// What a certificate is made from.
#[derive(Debug, Clone, Copy)]
pub struct Grounds<'a> {
    /// The judged feature.
    pub feature: &'a Feature,
    /// Its section of the policy.
    pub section: &'a Section,
    /// The candidate's engine.
    pub engine: &'a ArmEngine,
    /// Learned models that the candidate's runs name: one, or none for a feature without a model.
    pub models: &'a BTreeSet<String>,
    /// The corpora it was judged on.
    pub corpora: &'a [&'a Corpus],
    /// The price packs.
    pub packs: &'a [CertifiedPack],
    /// The gate's date.
    pub as_of: Date,
}

/// Issues a certificate. The proof of a promotion comes only from the function that saw every criterion pass.
///
/// # Errors
/// A life that leaves the calendar (64); runs of another model than the candidate's, which no promotion rests on (70).
pub fn issue(_: Promotion, grounds: Grounds<'_>) -> Result<Certificate, Failure> {
    let Grounds { feature, section, engine, models, corpora, packs, as_of } = grounds;
    let life = jiff::Span::new().days(i64::from(section.certificate_days));
    let expires = as_of
        .checked_add(life)
        .map_err(|error| Failure::usage(format!("certificate_days {}: {error}", section.certificate_days)))?;
    let model = recorded_model(&feature.id, engine, models)?;
    let bounds = |criterion: &Criterion| CertifiedBounds {
        id: criterion.id.clone(),
        delta: criterion.delta,
        low: criterion.low,
        high: criterion.high,
        margin: criterion.margin,
    };
    Ok(Certificate {
        schema: CERTIFICATE_SCHEMA.to_owned(),
        feature: feature.id.clone(),
        verdict: feature.verdict.clone(),
        engine_sources_sha256: engine::ENGINE_SOURCES_SHA256.to_owned(),
        configuration: engine.configuration.clone(),
        engine_digest: engine.digest.clone(),
        static_ranking_sha256: engine.static_ranking_sha256(),
        model_artifact_sha256: model,
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

/// The model that the evidence is about. Rows of another one are a fault of the evidence, so a promotion has none.
fn recorded_model(
    feature: &str,
    engine: &ArmEngine,
    models: &BTreeSet<String>,
) -> Result<Option<String>, Failure> {
    let recorded = models.iter().next();
    if models.len() > 1 || recorded != engine.model_artifact_sha256.as_ref() {
        let message = format!("certificate of {feature}: promoted on runs of another model than its arm's");
        return Err(Failure::internal(message));
    }
    Ok(recorded.cloned())
}

/// Reads a certificate whose file name must be the hash of its bytes.
///
/// # Errors
/// Bad data (65): altered, no certificate, or another version.
pub fn open(name: &str, text: &str) -> Result<Certificate, Failure> {
    Certificate::read(name, text).map_err(|error| Failure::bad_data(error.to_string()))
}

/// Why a certificate doesn't count for this engine, policy and date before anything is recomputed; none if it may.
///
/// # Errors
/// Bad data (65): a date that is none.
pub fn refusal(
    certificate: &Certificate,
    section: &Section,
    engine: &ArmEngine,
    as_of: Date,
) -> Result<Option<String>, Failure> {
    let feature = &certificate.feature;
    let day = |text: &str| {
        text.parse::<Day>().map_err(|error| Failure::bad_data(format!("certificate of {feature}: {error}")))
    };
    let as_of = today(as_of)?;
    let told = |why: &str| Ok(Some(why.to_owned()));
    if certificate.verdict != PROMOTED {
        return Ok(Some(format!("its verdict is {}", certificate.verdict)));
    }
    if as_of < day(&certificate.issued)? {
        return Ok(Some(format!("issued on {}, after the gate's date", certificate.issued)));
    }
    if as_of >= day(&certificate.expires)? {
        return Ok(Some(format!("expired on {}", certificate.expires)));
    }
    if certificate.engine_sources_sha256 != engine::ENGINE_SOURCES_SHA256 {
        return told("it is of another engine");
    }
    if certificate.configuration != engine.configuration || certificate.engine_digest != engine.digest {
        return told("it is of another configuration of this engine");
    }
    if certificate.model_artifact_sha256 != engine.model_artifact_sha256
        || certificate.static_ranking_sha256 != engine.static_ranking_sha256()
    {
        return told("it is of another model");
    }
    if certificate.policy_sha256 != section.sha256 {
        return told("the policy section has changed since");
    }
    Ok(None)
}

/// A date of the gate as the engine writes days.
///
/// # Errors
/// A date beyond the years 0 to 9999 (64).
pub fn today(date: Date) -> Result<Day, Failure> {
    date.to_string().parse().map_err(|error| Failure::usage(format!("as-of: {error}")))
}

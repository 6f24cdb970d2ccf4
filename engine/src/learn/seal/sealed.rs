//! A model with the certificate of its promotion, checked.

use crate::digest::{ENGINE_SOURCES_SHA256, engine_digest};
use crate::learn::model::{Model, ModelError, static_ranking};
use crate::message::sha256_hex;

use super::certificate::{Certificate, CertificateError};
use super::day::{Day, DayError};
use super::revocation::Revocations;

/// The feature that a learned ranking is promoted as.
pub const LEARNED_RANKER: &str = "learned-ranker";

/// The verdict that a certificate must name.
const PROMOTED: &str = "PROMOTE";
/// The tier of evidence that a promotion needs: runs of a real agent with a real model.
const TIER: &str = "recorded-model";

/// What a certificate is held against.
#[derive(Debug, Clone, Copy)]
pub struct Ground<'a> {
    /// Configuration of the engine that will serve, canonical JSON (`Settings::canonical_config`).
    pub configuration: &'a str,
    /// The day on which it is to count: the engine knows no clock.
    pub as_of: Day,
    /// What was revoked.
    pub revocations: &'a Revocations,
}

/// Why a model isn't sealed: its order doesn't count.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// There is no certificate.
    #[error("no certificate: promote the feature and give its certificate")]
    NoCertificate,
    /// The list of revocations can't be read, so it isn't known what is revoked.
    #[error("revocations can't be read: {0}")]
    RevocationsUnreadable(String),
    /// The certificate's bytes aren't those that its name tells.
    #[error("{0}")]
    Damaged(CertificateError),
    /// The certificate isn't one, or says what none says.
    #[error("{0}")]
    Malformed(String),
    /// It is of a judgement that promoted nothing.
    #[error("certificate of verdict {0}: only PROMOTE seals")]
    NotPromoted(String),
    /// The evidence is of a tier that promotes nothing.
    #[error("certificate on evidence of tier {0}: only {TIER} seals")]
    TierNotAllowed(String),
    /// It is of another feature.
    #[error("certificate of feature {0}: a ranking needs one of {LEARNED_RANKER}")]
    OtherFeature(String),
    /// It is of another build of the engine.
    #[error("certificate of another engine: record and promote with this one")]
    OtherEngine,
    /// It is of another configuration of this engine.
    #[error("certificate of configuration {0}: serve that one, or record and promote this one")]
    OtherConfiguration(String),
    /// The model is made upon another static ranking than the certificate tells, or than this engine has.
    #[error("certificate upon another static ranking: record and promote with this one")]
    OtherStaticRanking,
    /// It is of another model.
    #[error("certificate of another model: record and promote this one")]
    OtherModel,
    /// It was revoked.
    #[error("certificate revoked on {date}: {reason}")]
    Revoked {
        /// When.
        date: Day,
        /// Why.
        reason: String,
    },
    /// It doesn't count yet.
    #[error("certificate issued on {0}: it doesn't count before")]
    NotYetIssued(Day),
    /// It doesn't count any more.
    #[error("certificate expired on {0}: verify the evidence and promote again")]
    Expired(Day),
    /// The model itself can't be used.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl SealError {
    /// The stable reason code.
    pub fn code(&self) -> &'static str {
        match self {
            SealError::NoCertificate => "no-certificate",
            SealError::RevocationsUnreadable(_) => "revocations-unreadable",
            SealError::Damaged(_) => "damaged",
            SealError::Malformed(_) => "certificate-malformed",
            SealError::NotPromoted(_) => "not-promoted",
            SealError::TierNotAllowed(_) => "tier-not-allowed",
            SealError::OtherFeature(_) => "other-feature",
            SealError::OtherEngine => "other-engine",
            SealError::OtherConfiguration(_) => "other-configuration",
            SealError::OtherStaticRanking => "other-static-ranking",
            SealError::OtherModel => "other-model",
            SealError::Revoked { .. } => "revoked",
            SealError::NotYetIssued(_) => "not-yet-issued",
            SealError::Expired(_) => "certificate-expired",
            SealError::Model(error) => error.code(),
        }
    }
}

impl From<CertificateError> for SealError {
    fn from(error: CertificateError) -> SealError {
        match error {
            CertificateError::Altered { .. } => SealError::Damaged(error),
            CertificateError::Malformed { .. } => SealError::Malformed(error.to_string()),
        }
    }
}

impl From<DayError> for SealError {
    fn from(error: DayError) -> SealError {
        SealError::Malformed(format!("certificate: {error}"))
    }
}

/// A model whose order may count. Only [`Sealed::verify`] makes one.
///
/// ```compile_fail
/// # use engine::learn::{Model, seal::Sealed};
/// fn under_the_seal_of_another(sealed: Sealed, model: Model) -> Sealed {
///     Sealed { model, ..sealed }
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    model: Model,
    certificate: String,
    configuration: String,
    expires: Day,
}

impl Sealed {
    /// Checks a model's text against a certificate (file name and text) on a ground. Reasons are looked for in a fixed
    /// order: the documents themselves, what was judged, whether the judgement still counts.
    ///
    /// # Errors
    /// [`SealError`]: the first reason against it; the caller keeps the static order.
    pub fn verify(
        artifact: &str,
        (name, text): (&str, &str),
        ground: &Ground<'_>,
    ) -> Result<Sealed, SealError> {
        let certificate = Certificate::read(name, text)?;
        let model = Model::parse(artifact)?;
        well_formed(&certificate)?;
        promoted(&certificate)?;
        same_engine(&certificate, ground.configuration)?;
        if certificate.static_ranking_sha256.as_deref() != Some(&static_ranking()) {
            return Err(SealError::OtherStaticRanking);
        }
        if certificate.model_artifact_sha256.as_deref() != Some(&sha256_hex(artifact.as_bytes())) {
            return Err(SealError::OtherModel);
        }
        if let Some(revocation) = ground.revocations.of(name) {
            let (date, reason) = (revocation.date, revocation.reason.clone());
            return Err(SealError::Revoked { date, reason });
        }
        let expires = in_force(&certificate, ground.as_of)?;
        let configuration = certificate.configuration;
        Ok(Sealed { model, certificate: name.to_owned(), configuration, expires })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// File name of the certificate.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// The configuration that it may serve in.
    pub fn configuration(&self) -> &str {
        &self.configuration
    }

    /// First day on which it doesn't count any more: whoever serves across days verifies again.
    pub fn expires(&self) -> Day {
        self.expires
    }
}

/// A certificate that names no evidence, no policy or no criterion is of nothing.
fn well_formed(certificate: &Certificate) -> Result<(), SealError> {
    let hex =
        |text: &str| text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let lacks = if !hex(&certificate.policy_sha256) {
        "policy"
    } else if certificate.corpora.is_empty() || !certificate.corpora.iter().all(|one| hex(&one.sha256)) {
        "evidence"
    } else if certificate.criteria.is_empty() {
        "criterion"
    } else {
        return Ok(());
    };
    Err(SealError::Malformed(format!("certificate: it names no {lacks}: promote again")))
}

fn promoted(certificate: &Certificate) -> Result<(), SealError> {
    if certificate.verdict != PROMOTED {
        return Err(SealError::NotPromoted(certificate.verdict.clone()));
    }
    if certificate.tier != TIER {
        return Err(SealError::TierNotAllowed(certificate.tier.clone()));
    }
    if certificate.feature != LEARNED_RANKER {
        return Err(SealError::OtherFeature(certificate.feature.clone()));
    }
    Ok(())
}

fn same_engine(certificate: &Certificate, configuration: &str) -> Result<(), SealError> {
    if certificate.engine_sources_sha256 != ENGINE_SOURCES_SHA256
        || certificate.engine_digest != engine_digest(&certificate.configuration)
    {
        return Err(SealError::OtherEngine);
    }
    if certificate.configuration != configuration {
        return Err(SealError::OtherConfiguration(certificate.configuration.clone()));
    }
    Ok(())
}

/// The day from which it doesn't count any more, if it counts on `as_of`.
fn in_force(certificate: &Certificate, as_of: Day) -> Result<Day, SealError> {
    let (issued, expires): (Day, Day) = (certificate.issued.parse()?, certificate.expires.parse()?);
    if as_of < issued {
        return Err(SealError::NotYetIssued(issued));
    }
    if as_of >= expires {
        return Err(SealError::Expired(expires));
    }
    Ok(expires)
}

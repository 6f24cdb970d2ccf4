//! Certificates made again from the evidence that they name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use engine::learn::SHIPPED_ARTIFACT;
use engine::learn::seal::{Ground, Revocations, SealError, Sealed};
use jiff::civil::Date;

use super::campaign::Session;
use super::certificate::{self, ArmEngine, Certificate};
use super::paths::{json_files, subfolders};
use super::progress::Progress;
use super::revocation;
use super::run::Request;
use crate::corpus::Corpus;
use crate::failure::{Failure, read_text};

/// What became of a certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CertificateState {
    /// The evidence gives the same certificate.
    Valid,
    /// It doesn't count (any more): expired, of another engine or policy, or without its evidence at hand.
    Void(String),
    /// The evidence is at hand and doesn't give it.
    Refuted(String),
}

/// A certificate that was looked into.
#[derive(Debug, Clone, PartialEq)]
pub struct Verified {
    /// What it says.
    pub certificate: Certificate,
    /// What became of it.
    pub state: CertificateState,
    /// Whether it seals the shipped model, or why not; none for a certificate without a model, and for one that doesn't count.
    pub seal: Option<Result<(), SealError>>,
}

impl CertificateState {
    /// `valid`, `void` or `refuted`.
    pub fn word(&self) -> &'static str {
        match self {
            CertificateState::Valid => "valid",
            CertificateState::Void(_) => "void",
            CertificateState::Refuted(_) => "refuted",
        }
    }

    /// Why, in one line.
    pub fn why(&self) -> &str {
        match self {
            CertificateState::Valid => "the evidence gives the same certificate",
            CertificateState::Void(why) | CertificateState::Refuted(why) => why,
        }
    }
}

impl Session {
    /// Makes a certificate again from the evidence it names and compares; where it counts and is of a learned model, the
    /// model that ships is sealed with it.
    ///
    /// # Errors
    /// 65 for an altered certificate, 74 for what can't be read.
    pub fn verify(&self, file: &Path, progress: &Progress) -> Result<Verified, Failure> {
        let text = read_text(file)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let certificate = certificate::open(&name, &text)?;
        let beside = file.parent().unwrap_or(Path::new(""));
        let mut revoked = None;
        for folder in [beside, self.paths.certificates.as_path()] {
            revoked = revoked.or(revocation::told(&revocation::load(folder)?, &name));
        }
        let state = match revoked {
            Some(why) => CertificateState::Void(why),
            None => self.recompute(&certificate, &name, progress)?,
        };
        let of_a_model = state == CertificateState::Valid && certificate.model_artifact_sha256.is_some();
        let seal = if of_a_model { Some(self.seal(&certificate, (&name, &text))?) } else { None };
        Ok(Verified { certificate, state, seal })
    }

    /// Seals the shipped model with a certificate that counts, in the candidate's own configuration.
    fn seal(&self, certificate: &Certificate, file: (&str, &str)) -> Result<Result<(), SealError>, Failure> {
        let ground = Ground {
            configuration: &certificate.configuration,
            as_of: certificate::today(self.as_of)?,
            revocations: &Revocations::default(),
        };
        Ok(Sealed::verify(SHIPPED_ARTIFACT, file, &ground).map(|_| ()))
    }

    fn recompute(
        &self,
        certificate: &Certificate,
        name: &str,
        progress: &Progress,
    ) -> Result<CertificateState, Failure> {
        let void = |why: &str| Ok(CertificateState::Void(why.to_owned()));
        let feature = self.features.get(&certificate.feature);
        let section = self.policy.sections.get(&certificate.feature);
        let (Some(feature), Some(section)) = (feature, section) else {
            return void("its feature isn't declared any more");
        };
        let Some(arms) = &feature.arms else { return void("its feature has no arms any more") };
        let Some(candidate) = self.variants.get(&arms.candidate) else {
            return void("its candidate isn't declared any more");
        };
        let engine = ArmEngine::of(candidate);
        if let Some(why) = certificate::refusal(certificate, section, &engine, self.as_of)? {
            return void(&why);
        }
        let mut evidence = Vec::new();
        for certified in &certificate.corpora {
            let Some(folder) = self.corpus_by_hash(&certified.sha256)? else {
                return Ok(CertificateState::Void(format!(
                    "corpus {} ({}) isn't at hand",
                    certified.name, certified.sha256
                )));
            };
            evidence.push(self.evidence(&folder, feature, true, progress)?);
        }
        let issued = certificate.issued.parse::<Date>().map_err(|error| {
            Failure::bad_data(format!("certificate {name}: issued \"{}\": {error}", certificate.issued))
        })?;
        let request =
            Request { selected: Some(feature.id.clone()), promoting: true, certified: BTreeMap::new() };
        let answer = self.judge(&evidence, &request, issued)?;
        Ok(match answer.certificate {
            None => CertificateState::Refuted(format!("its evidence gives {}", answer.document.result)),
            Some(again) if again.to_file().0 == name => CertificateState::Valid,
            Some(_) => CertificateState::Refuted("its evidence gives another certificate".to_owned()),
        })
    }

    /// The name of a certificate that counts for a feature, the first by name.
    pub(super) fn certified(&self, feature: &str, progress: &Progress) -> Result<Option<String>, Failure> {
        let revoked = revocation::load(&self.paths.certificates)?;
        for file in json_files(&self.paths.certificates)? {
            let text = read_text(&file)?;
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let Ok(certificate) = certificate::open(&name, &text) else { continue };
            if certificate.feature == feature
                && revoked.of(&name).is_none()
                && self.recompute(&certificate, &name, progress)? == CertificateState::Valid
            {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    fn corpus_by_hash(&self, sha256: &str) -> Result<Option<PathBuf>, Failure> {
        let mut folders: BTreeSet<PathBuf> = self.paths.named.iter().cloned().collect();
        folders.extend(subfolders(&self.paths.corpora)?);
        for folder in folders.into_iter().filter(|folder| folder.join("corpus.toml").is_file()) {
            if Corpus::load(&folder)?.0.sha256 == sha256 {
                return Ok(Some(folder));
            }
        }
        Ok(None)
    }
}

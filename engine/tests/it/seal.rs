//! What seals a learned model, and what keeps the static order instead.

use engine::builtin::Settings;
use engine::learn::seal::{
    CERTIFICATE_SCHEMA, Certificate, CertifiedBounds, CertifiedCorpus, Day, Ground, LEARNED_RANKER,
    Revocation, Revocations, SealError, Sealed,
};
use engine::learn::{Direction, SHIPPED_ARTIFACT, Trial, static_ranking};
use engine::message::sha256_hex;
use engine::plan::{FileOrder, ProjectQuery, ProjectSource, ProjectText};
use engine::project::Index;
use engine::retrieve::IndexedProject;
use engine::tokens::ByteClass;
use engine::{ENGINE_SOURCES_SHA256, engine_digest};
use proptest::prelude::*;

use crate::fixture::Project;

const TASK: &str = "cart total with an expired coupon";

fn settings() -> Settings {
    Settings { pack_tokens: 1_400, order: FileOrder::Learned, ..Settings::default() }
}

fn day(text: &str) -> Day {
    text.parse().unwrap()
}

/// A certificate of the shipped model as the gate would issue one.
fn certificate() -> Certificate {
    let configuration = settings().canonical_config();
    Certificate {
        schema: CERTIFICATE_SCHEMA.to_owned(),
        feature: LEARNED_RANKER.to_owned(),
        verdict: "PROMOTE".to_owned(),
        engine_sources_sha256: ENGINE_SOURCES_SHA256.to_owned(),
        engine_digest: engine_digest(&configuration),
        configuration,
        static_ranking_sha256: Some(static_ranking()),
        model_artifact_sha256: Some(sha256_hex(SHIPPED_ARTIFACT.as_bytes())),
        policy_sha256: "1".repeat(64),
        corpora: vec![CertifiedCorpus { name: "recorded".to_owned(), sha256: "2".repeat(64) }],
        packs: Vec::new(),
        tier: "recorded-model".to_owned(),
        alpha: 0.025,
        seed: 1,
        resamples: 9_999,
        criteria: vec![CertifiedBounds {
            id: "gold-recall".to_owned(),
            delta: Some(0.1),
            low: Some(0.05),
            high: Some(0.15),
            margin: Some(0.0),
        }],
        issued: "2026-11-01".to_owned(),
        expires: "2027-01-30".to_owned(),
    }
}

fn seal_on(
    artifact: &str,
    file: &(String, String),
    as_of: &str,
    revocations: &Revocations,
) -> Result<Sealed, SealError> {
    let configuration = settings().canonical_config();
    let ground = Ground { configuration: &configuration, as_of: day(as_of), revocations };
    Sealed::verify(artifact, (&file.0, &file.1), &ground)
}

fn seal(artifact: &str, file: &(String, String)) -> Result<Sealed, SealError> {
    seal_on(artifact, file, "2026-11-30", &Revocations::default())
}

fn code_of(change: impl FnOnce(&mut Certificate)) -> &'static str {
    let mut certificate = certificate();
    change(&mut certificate);
    seal(SHIPPED_ARTIFACT, &certificate.to_file()).unwrap_err().code()
}

#[test]
fn a_promotion_of_this_model_by_this_engine_seals() {
    let file = certificate().to_file();
    let sealed = seal(SHIPPED_ARTIFACT, &file).unwrap();
    assert_eq!(sealed.certificate(), file.0);
    assert_eq!(sealed.configuration(), settings().canonical_config());
    assert_eq!(sealed.expires(), day("2027-01-30"));
    assert_eq!(Certificate::read(&file.0, &file.1), Ok(certificate()), "what is written is read");
}

#[test]
fn every_reason_against_a_certificate_has_its_code() {
    let zeros = || "0".repeat(64);
    assert_eq!(code_of(|c| c.schema = "certificate/1".to_owned()), "certificate-malformed");
    assert_eq!(code_of(|c| c.policy_sha256 = "unknown".to_owned()), "certificate-malformed");
    assert_eq!(code_of(|c| c.corpora.clear()), "certificate-malformed");
    assert_eq!(code_of(|c| c.corpora[0].sha256.clear()), "certificate-malformed");
    assert_eq!(code_of(|c| c.criteria.clear()), "certificate-malformed");
    assert_eq!(code_of(|c| c.issued = "yesterday".to_owned()), "certificate-malformed");
    assert_eq!(code_of(|c| c.expires = "2026-11-31".to_owned()), "certificate-malformed");
    for verdict in ["REJECT", "INSUFFICIENT", "INVALID", "promote", ""] {
        assert_eq!(code_of(|c| c.verdict = verdict.to_owned()), "not-promoted");
    }
    for tier in ["recorded-scripted", "synthetic", "replayed", ""] {
        assert_eq!(code_of(|c| c.tier = tier.to_owned()), "tier-not-allowed");
    }
    assert_eq!(code_of(|c| c.feature = "auto-context".to_owned()), "other-feature");
    assert_eq!(code_of(|c| c.engine_sources_sha256 = zeros()), "other-engine");
    assert_eq!(code_of(|c| c.engine_digest = zeros()), "other-engine");
    let larger = Settings { pack_tokens: 8_000, ..settings() }.canonical_config();
    let of_larger = |c: &mut Certificate| {
        c.engine_digest = engine_digest(&larger);
        c.configuration.clone_from(&larger);
    };
    assert_eq!(code_of(of_larger), "other-configuration");
    assert_eq!(code_of(|c| c.static_ranking_sha256 = Some(zeros())), "other-static-ranking");
    assert_eq!(code_of(|c| c.static_ranking_sha256 = None), "other-static-ranking");
    assert_eq!(code_of(|c| c.model_artifact_sha256 = Some(zeros())), "other-model");
    assert_eq!(code_of(|c| c.model_artifact_sha256 = None), "other-model", "of a feature without a model");
}

#[test]
fn an_older_certificate_is_told_by_its_version() {
    let text = "{\"schema\":\"certificate/1\",\"feature\":\"learned-ranker\"}\n".to_owned();
    let error = seal(SHIPPED_ARTIFACT, &(format!("{}.json", sha256_hex(text.as_bytes())), text)).unwrap_err();
    assert!(error.to_string().contains("schema \"certificate/1\": this build reads"), "{error}");
}

#[test]
fn a_certificate_counts_from_its_issue_until_its_end() {
    let file = certificate().to_file();
    let on = |as_of: &str| seal_on(SHIPPED_ARTIFACT, &file, as_of, &Revocations::default());
    assert!(on("2026-11-01").is_ok() && on("2027-01-29").is_ok());
    assert_eq!(on("2026-10-31").unwrap_err().code(), "not-yet-issued");
    for late in ["2027-01-30", "2027-01-31", "2100-01-01"] {
        assert_eq!(on(late).unwrap_err().code(), "certificate-expired");
    }
}

#[test]
fn a_revoked_certificate_seals_nothing_and_a_broken_list_is_told() {
    let file = certificate().to_file();
    let revocation = Revocation { date: day("2026-11-20"), reason: "the nightly canary failed".to_owned() };
    let list = |name: &str| Revocations::parse(&(Revocations::line(name, &revocation) + "\n\n")).unwrap();
    let error = seal_on(SHIPPED_ARTIFACT, &file, "2026-11-30", &list(&file.0)).unwrap_err();
    assert_eq!(error.code(), "revoked");
    assert_eq!(error.to_string(), "certificate revoked on 2026-11-20: the nightly canary failed");
    assert!(seal_on(SHIPPED_ARTIFACT, &file, "2026-11-30", &list("another.json")).is_ok());
    let twice = format!("{}\nnot json\n", Revocations::line("a.json", &revocation));
    assert_eq!(Revocations::parse(&twice).unwrap_err().line, 2);
    assert!(Revocations::parse(&twice.replace("revocation/1", "revocation/2")).is_err());
    assert!(Revocations::parse(&twice.replace("2026-11-20", "2026-11-32")).is_err());
}

#[test]
fn a_model_is_checked_before_its_certificate_counts() {
    let file = certificate().to_file();
    let code = |artifact: &str| seal(artifact, &file).unwrap_err().code();
    assert_eq!(code(""), "malformed");
    assert_eq!(code(&SHIPPED_ARTIFACT.replacen("\"trees\"", "\"treez\"", 1)), "checksum");
    assert_eq!(code(&format!("{SHIPPED_ARTIFACT} ")), "other-model", "the same model in other bytes");
}

fn project() -> (Project, Index) {
    let project = Project::new(include_str!("shop.txt"));
    let index = project.index();
    (project, index)
}

fn quoted(sealed: Result<Sealed, SealError>, order: FileOrder) -> ProjectText {
    let (_project, index) = project();
    let indexed = IndexedProject::new(index, Box::new(ByteClass)).with_seal(sealed);
    let query = ProjectQuery { task: TASK, tokens: 300, withhold: &[], useful: &[], order };
    indexed.quote(&query).unwrap()
}

#[test]
fn a_seal_serves_the_order_that_was_on_trial() {
    let on_trial = FileOrder::Trial(Trial::for_evidence(Direction::Forward));
    let sealed = seal(SHIPPED_ARTIFACT, &certificate().to_file());
    let served = quoted(sealed, FileOrder::Learned);
    let tried = quoted(Err(SealError::NoCertificate), on_trial);
    assert_eq!((&served.text, &served.items), (&tried.text, &tried.items));
    assert_eq!((served.notes, tried.notes), (Vec::new(), vec![Trial::NOTE.to_owned()]));
    assert_eq!(
        FileOrder::Learned.name(),
        on_trial.name(),
        "evidence bears the configuration that it is about"
    );
}

#[test]
fn without_a_seal_the_static_order_stays_and_says_why() {
    let fixed = quoted(Err(SealError::NoCertificate), FileOrder::Static);
    let expired = seal_on(SHIPPED_ARTIFACT, &certificate().to_file(), "2027-02-01", &Revocations::default());
    for (sealed, note) in [
        (Err(SealError::NoCertificate), "static order kept: no-certificate"),
        (expired, "static order kept: certificate-expired"),
    ] {
        let kept = quoted(sealed, FileOrder::Learned);
        assert_eq!((&kept.text, &kept.items), (&fixed.text, &fixed.items));
        assert_eq!(kept.notes, [note]);
    }
    assert_eq!(FileOrder::default(), FileOrder::Static, "no default is on trial");
    assert_eq!(Settings::default().order, FileOrder::Static);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    /// One changed byte, of the model, of the certificate or of its name: nothing is sealed.
    #[test]
    fn a_changed_byte_seals_nothing(part in 0..3_u8, at in any::<prop::sample::Index>(), to in 0..128_u8) {
        let file = certificate().to_file();
        let mut parts = [SHIPPED_ARTIFACT.to_owned(), file.1, file.0].map(String::into_bytes);
        let bytes = &mut parts[usize::from(part)];
        let place = at.index(bytes.len());
        prop_assume!(bytes[place] != to);
        bytes[place] = to;
        let [artifact, text, name] = parts.map(|bytes| String::from_utf8(bytes).unwrap());
        prop_assert!(seal(&artifact, &(name, text)).is_err());
    }
}

//! All features judged, one document. A function of values: files are read before and written after.

use std::collections::BTreeMap;

use engine::learn::WORK_BUDGET;
use jiff::civil::Date;
use verdict::{Tier, Verdict};

use super::advice;
use super::certificate::{ArmEngine, Certificate, CertifiedPack, Grounds, issue};
use super::conclude;
use super::document::{self, Determinism, Document};
use super::evidence::{CorpusEvidence, Evidence};
use super::judge::{Judged, Rigour, judge_feature, reasons};
use super::policy::{Policy, Section};
use crate::failure::Failure;
use crate::metric::OrderComparison;
use crate::variant::{Arms, Feature, FeatureSet};

/// What is asked of the gate.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// One feature instead of all.
    pub selected: Option<String>,
    /// Whether that feature is to be promoted.
    pub promoting: bool,
    /// File names of certificates that were re-verified, by feature.
    pub certified: BTreeMap<String, String>,
}

/// What the gate judges.
#[derive(Debug, Clone, Copy)]
pub struct Matter<'a> {
    /// Declared features.
    pub features: &'a FeatureSet,
    /// The pre-registered policy.
    pub policy: &'a Policy,
    /// Evidence, a value a corpus.
    pub corpora: &'a [CorpusEvidence],
    /// Digest of this build's engine.
    pub engine_digest: &'a str,
    /// The engine of each variant: this build's with the variant's configuration.
    pub engines: &'a BTreeMap<String, ArmEngine>,
    /// The gate's date.
    pub as_of: Date,
}

/// The gate's answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// `gate.json`.
    pub document: Document,
    /// The certificate of the feature to promote, if it may be.
    pub certificate: Option<Certificate>,
    /// Features declared `default-on` that lack nothing but recorded evidence, so that a certificate may stand in.
    pub certifiable: Vec<String>,
}

/// Judges the selected features.
///
/// # Errors
/// An unknown feature, a feature with arms and no section (64).
pub fn answer(matter: Matter<'_>, request: &Request) -> Result<Answer, Failure> {
    let mut entries = Vec::new();
    let mut canaries = Vec::new();
    let mut certificate = None;
    let mut certifiable = Vec::new();
    for feature in selected(matter.features, request)? {
        let one = one(matter, feature, request)?;
        canaries.extend(one.canaries);
        if one.lacks_only_evidence {
            certifiable.push(feature.id.clone());
        }
        certificate = certificate.or(one.certificate);
        entries.push(one.entry);
    }
    let result = conclude::answer(request.selected.is_some(), &entries).to_owned();
    let mut corpora: Vec<document::Corpus> =
        matter.corpora.iter().map(|corpus| corpus.facts.clone()).collect();
    corpora.sort_by(|one, other| (&one.name, &one.sha256).cmp(&(&other.name, &other.sha256)));
    // One campaign may be evidence for several features.
    corpora.dedup();
    let document = Document {
        schema: document::SCHEMA.to_owned(),
        exit_code: conclude::exit_code(&result),
        result,
        as_of: matter.as_of.to_string(),
        selected: request.selected.clone(),
        engine_digest: matter.engine_digest.to_owned(),
        corpora,
        features: entries,
        canaries,
        determinism: determinism(matter.corpora),
    };
    Ok(Answer { document, certificate, certifiable })
}

/// The features asked for.
///
/// # Errors
/// A feature that isn't declared (64).
pub fn selected<'a>(features: &'a FeatureSet, request: &Request) -> Result<Vec<&'a Feature>, Failure> {
    let Some(id) = &request.selected else { return Ok(features.features.iter().collect()) };
    let known = || features.features.iter().map(|feature| feature.id.as_str()).collect::<Vec<_>>().join(", ");
    match features.get(id) {
        Some(feature) => Ok(vec![feature]),
        None => Err(Failure::usage(format!("feature {id}: not declared: choose one of {}", known()))),
    }
}

/// One feature's part of the answer.
struct One {
    entry: document::Feature,
    canaries: Vec<document::Canary>,
    certificate: Option<Certificate>,
    lacks_only_evidence: bool,
}

fn one(matter: Matter<'_>, feature: &Feature, request: &Request) -> Result<One, Failure> {
    let corpora: Vec<&CorpusEvidence> =
        matter.corpora.iter().filter(|corpus| corpus.feature == feature.id).collect();
    let section = matter.policy.sections.get(&feature.id);
    let certificate = request.certified.get(&feature.id).cloned();
    let Some(arms) = feature.arms.as_ref().filter(|_| !corpora.is_empty()) else {
        return Ok(not_implemented(feature, section, certificate));
    };
    let section = section.ok_or_else(|| {
        Failure::usage(format!("policy: feature.{}: no section: pre-register what it must show", feature.id))
    })?;
    let evidence = Evidence { corpora };
    let rigour = Rigour::of(feature.state, request.promoting);
    let judged = judge_feature(feature, arms, section, &evidence, rigour)?;
    let lacks_only_evidence = certifiable(feature) && judged.judgement.only_tier_missing;
    let entry = entry(feature, arms, section, &evidence, &judged, certificate);
    let certificate = match (judged.judgement.verdict, request.promoting) {
        (Verdict::Promote(promotion), true) => {
            let engine = matter.engines.get(&arms.candidate).ok_or_else(|| {
                Failure::internal(format!("variant {}: its engine isn't known", arms.candidate))
            })?;
            let models = evidence.corpora.iter().flat_map(|corpus| corpus.models.iter().cloned()).collect();
            let corpora: Vec<&document::Corpus> =
                evidence.corpora.iter().map(|corpus| &corpus.facts).collect();
            let mut packs: Vec<CertifiedPack> =
                evidence.corpora.iter().flat_map(|corpus| corpus.packs.clone()).collect();
            packs.sort_by(|one, other| (&one.name, &one.sha256).cmp(&(&other.name, &other.sha256)));
            packs.dedup();
            let grounds = Grounds {
                feature: &entry,
                section: &section.at_level(judged.look.alpha),
                engine,
                models: &models,
                corpora: &corpora,
                packs: &packs,
                as_of: matter.as_of,
            };
            Some(issue(promotion, grounds)?)
        }
        _ => None,
    };
    let canaries = judged.canaries.iter().map(|canary| canary.to_document(&feature.id)).collect();
    Ok(One { entry, canaries, certificate, lacks_only_evidence })
}

fn certifiable(feature: &Feature) -> bool {
    feature.state == crate::variant::State::DefaultOn
}

fn not_implemented(feature: &Feature, section: Option<&Section>, certificate: Option<String>) -> One {
    let has_arms = feature.arms.is_some();
    let message = if has_arms {
        format!("{}: its arms have no evidence", feature.id)
    } else {
        format!("{}: no variants are declared for it", feature.id)
    };
    let verdict = Verdict::Insufficient.as_str();
    let entry = document::Feature {
        id: feature.id.clone(),
        state: feature.state.name().to_owned(),
        supported: conclude::supported(feature.state.name(), verdict, certificate.is_some()),
        baseline: feature.arms.as_ref().map(|arms| arms.baseline.clone()),
        candidate: feature.arms.as_ref().map(|arms| arms.candidate.clone()),
        verdict: verdict.to_owned(),
        tier: None,
        needs_tier: Tier::PROMOTION.as_str().to_owned(),
        noise: "nothing was measured".to_owned(),
        policy_sha256: section.map(|section| section.sha256.clone()),
        alpha: section.map(|section| section.alpha),
        seed: section.map(|section| section.settings.seed),
        corpora: Vec::new(),
        reasons: vec![document::Reason { code: "not-implemented".to_owned(), message }],
        next: advice::next_not_implemented(has_arms),
        criteria: Vec::new(),
        looks: None,
        quantities: Vec::new(),
        slices: Vec::new(),
        file_orders: Vec::new(),
        attendance: Vec::new(),
        rerolls: None,
        certificate,
    };
    One {
        entry,
        canaries: Vec::new(),
        certificate: None,
        lacks_only_evidence: has_arms && certifiable(feature),
    }
}

fn entry(
    feature: &Feature,
    arms: &Arms,
    section: &Section,
    evidence: &Evidence<'_>,
    judged: &Judged,
    certificate: Option<String>,
) -> document::Feature {
    let verdict = judged.judgement.verdict.as_str();
    let certificate = certificate.filter(|_| judged.judgement.only_tier_missing);
    document::Feature {
        id: feature.id.clone(),
        state: feature.state.name().to_owned(),
        supported: conclude::supported(feature.state.name(), verdict, certificate.is_some()),
        baseline: Some(arms.baseline.clone()),
        candidate: Some(arms.candidate.clone()),
        verdict: verdict.to_owned(),
        tier: judged.tier.map(|tier| tier.as_str().to_owned()),
        needs_tier: Tier::PROMOTION.as_str().to_owned(),
        noise: noise(judged.tier).to_owned(),
        policy_sha256: Some(section.sha256.clone()),
        alpha: Some(judged.look.alpha),
        looks: Some(document::Looks {
            taken: judged.look.taken,
            planned: judged.look.planned,
            number: judged.look.number,
        }),
        seed: Some(section.settings.seed),
        corpora: evidence.corpora.iter().map(|corpus| corpus.facts.name.clone()).collect(),
        reasons: reasons(&judged.judgement.reasons),
        next: advice::next(judged),
        criteria: judged.findings.iter().map(|finding| finding.to_document()).collect(),
        quantities: judged.quantities.clone(),
        slices: judged.slices.iter().map(|slice| slice.to_document()).collect(),
        file_orders: file_orders(evidence),
        attendance: attendance(evidence),
        rerolls: Some(rerolls(evidence)),
        certificate,
    }
}

/// Shadow comparisons over all corpora, by arm.
fn file_orders(evidence: &Evidence<'_>) -> Vec<document::FileOrder> {
    let mut sums: BTreeMap<&String, OrderComparison> = BTreeMap::new();
    for (arm, one) in evidence.corpora.iter().flat_map(|corpus| &corpus.orders) {
        sums.entry(arm).or_default().merge(one);
    }
    let row = |(arm, sum): (&String, OrderComparison)| {
        let mean = |sums: f64| sums / sum.requests.max(1) as f64;
        let kept = |(code, requests): (&&str, &usize)| document::Kept {
            code: (*code).to_owned(),
            requests: *requests,
        };
        document::FileOrder {
            arm: arm.clone(),
            requests: sum.requests,
            kept_static: sum.kept_static.iter().map(kept).collect(),
            first_changed: sum.first_changed,
            better: sum.better,
            worse: sum.worse,
            static_ndcg: mean(sum.ndcg_10[0]),
            ordered_ndcg: mean(sum.ndcg_10[1]),
            static_reciprocal_rank: mean(sum.reciprocal_rank[0]),
            ordered_reciprocal_rank: mean(sum.reciprocal_rank[1]),
            most_work: sum.most_work,
            work_budget: WORK_BUDGET,
        }
    };
    sums.into_iter().map(row).collect()
}

/// Runs of each arm over all corpora, in the order of the arms.
fn attendance(evidence: &Evidence<'_>) -> Vec<document::Attendance> {
    let mut arms: Vec<document::Attendance> = Vec::new();
    for one in evidence.corpora.iter().flat_map(|corpus| &corpus.attendance) {
        match arms.iter_mut().find(|arm| arm.arm == one.arm) {
            Some(arm) => {
                arm.scheduled += one.scheduled;
                arm.missing += one.missing;
            }
            None => arms.push(one.clone()),
        }
    }
    arms
}

fn rerolls(evidence: &Evidence<'_>) -> document::Rerolls {
    let mut sum = document::Rerolls::default();
    for account in evidence.corpora.iter().map(|corpus| &corpus.rerolls) {
        sum.pairs += account.pairs;
        sum.rerolled += account.rerolled;
        sum.attempts += account.attempts;
        sum.baseline_failures += account.baseline_failures;
        sum.candidate_failures += account.candidate_failures;
    }
    sum
}

/// What the intervals cover.
fn noise(tier: Option<Tier>) -> &'static str {
    match tier {
        Some(Tier::RecordedModel) => "noise is that of recorded runs",
        Some(Tier::Replayed) => "no run was made: replay is off-policy",
        Some(Tier::RecordedScripted | Tier::Synthetic) => "noise is simulated",
        None => "nothing was measured",
    }
}

fn determinism(corpora: &[CorpusEvidence]) -> Determinism {
    let mut sum = Determinism::default();
    for corpus in corpora {
        let one = &corpus.determinism;
        sum.repeats = if sum.plans == 0 { one.repeats } else { sum.repeats.min(one.repeats) };
        sum.requests += one.requests;
        sum.plans += one.plans;
        sum.identical += one.identical;
    }
    sum
}

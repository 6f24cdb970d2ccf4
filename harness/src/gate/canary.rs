//! Canary arms: what a campaign must and must not see. A suite that promotes an engine against itself is broken; one that
//! doesn't reject a declared degradation can't see harm.

use verdict::{Fault, Outcome};

use super::document;
use super::judge::{Finding, Pairing};
use super::policy::{Declared, Section};
use crate::variant::Arms;

/// What a canary arm showed.
#[derive(Debug, Clone)]
pub struct CanaryFinding {
    /// `a-a` or `known-bad`.
    pub kind: &'static str,
    /// The canary's arm.
    pub arm: String,
    /// The arm it was compared with.
    pub against: String,
    /// `ok`, `broken` or `undecided`.
    pub outcome: &'static str,
    /// What was seen.
    pub message: String,
    /// What it does to the verdict, if anything.
    pub fault: Option<Fault>,
    /// The criteria computed for it.
    pub findings: Vec<Finding>,
}

/// What the canaries ask: every criterion of the baseline against itself, then the assay of the candidate against its
/// declared degradation.
pub(super) fn asked<'a>(
    arms: &'a Arms,
    section: &'a Section,
) -> impl Iterator<Item = (&'a Declared, Pairing<'a>)> {
    let repeated: Pairing<'_> = (&arms.baseline, &arms.aa);
    let degraded: Pairing<'_> = (&arms.candidate, &arms.known_bad);
    let criteria = section.criteria.iter().map(move |declared| (declared, repeated));
    criteria.chain([(&section.assay, degraded)])
}

/// Both canaries, from the findings that [`asked`] asks for.
pub(super) fn canaries(arms: &Arms, mut findings: Vec<Finding>) -> Vec<CanaryFinding> {
    let assay = findings.pop();
    let known_bad = assay.map(|assay| known_bad(arms, assay));
    [a_a(arms, findings)].into_iter().chain(known_bad).collect()
}

/// The baseline against itself: if every criterion of a promotion passes there, chance alone promotes.
fn a_a(arms: &Arms, findings: Vec<Finding>) -> CanaryFinding {
    let passing = findings.iter().filter(|finding| finding.outcome.outcome() == Outcome::Pass).count();
    let total = findings.len();
    let (outcome, message, fault) = if passing == total {
        let message = format!("all {total} criteria pass on the baseline against itself");
        let why = format!("{message}: chance alone would promote: record a new campaign");
        ("broken", message, Some(Fault::invalid("canary-aa", why)))
    } else if incomplete(&findings) {
        // A run taken away could be the one on which it would have passed.
        let message = format!("{passing} of {total} criteria pass, but runs of these arms are missing");
        let why = format!("{}: {message}: record the missing runs", arms.aa);
        ("undecided", message, Some(Fault::insufficient("canary-aa-incomplete", why)))
    } else {
        ("ok", format!("{passing} of {total} criteria pass on the baseline against itself"), None)
    };
    CanaryFinding {
        kind: "a-a",
        arm: arms.aa.clone(),
        against: arms.baseline.clone(),
        outcome,
        message,
        fault,
        findings,
    }
}

/// Whether a scheduled run of these arms has no value.
fn incomplete(findings: &[Finding]) -> bool {
    findings.iter().any(|finding| {
        finding.outcome.criterion().scenarios > finding.units.len()
            || finding
                .units
                .iter()
                .any(|unit| unit.baseline.iter().chain(&unit.candidate).any(Option::is_none))
    })
}

/// The declared degradation against the candidate, on the feature's deterministic metric.
fn known_bad(arms: &Arms, finding: Finding) -> CanaryFinding {
    let rejected = finding.outcome.outcome() == Outcome::Fail;
    let metric = finding.declared.metric.id();
    let message = if rejected {
        format!("rejected on {metric}, as it must be")
    } else {
        format!("not rejected on {metric}: this suite can't see the harm it was built to see")
    };
    let fault = (!rejected).then(|| {
        Fault::insufficient("no-assay-sensitivity", format!("{}: {message}: add scenarios", arms.known_bad))
    });
    let outcome = if rejected { "ok" } else { "broken" };
    CanaryFinding {
        kind: "known-bad",
        arm: arms.known_bad.clone(),
        against: arms.candidate.clone(),
        outcome,
        message,
        fault,
        findings: vec![finding],
    }
}

impl CanaryFinding {
    /// The canary as the document shows it.
    pub fn to_document(&self, feature: &str) -> document::Canary {
        document::Canary {
            feature: feature.to_owned(),
            kind: self.kind.to_owned(),
            arm: self.arm.clone(),
            against: self.against.clone(),
            outcome: self.outcome.to_owned(),
            message: self.message.clone(),
            criteria: self.findings.iter().map(Finding::to_document).collect(),
        }
    }
}

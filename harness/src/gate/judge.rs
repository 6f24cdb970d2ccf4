//! The verdict on one feature.

use verdict::{
    Case, Claim, CriterionOutcome, Design, Estimand, Fault, Figures, Judgement, Outcome, Reason, Settlement,
    Severity, Tier, Unit, assess, judge, settle,
};

use super::canary::{self, CanaryFinding};
use super::document;
use super::evidence::Evidence;
use super::policy::{Declared, Section};
use crate::failure::Failure;
use crate::metric::{Metric, Plane};
use crate::variant::{Arms, Feature, State};

/// Probability with which a design that is named settles its criterion, if what it assumes is true.
const POWER: f64 = 0.8;

/// A criterion as declared, its units and what they say.
#[derive(Debug, Clone)]
pub struct Finding {
    /// As declared.
    pub declared: Declared,
    /// The paired units it was assessed on.
    pub units: Vec<Unit>,
    /// The outcome.
    pub outcome: CriterionOutcome,
    /// What the design can show, and what would settle it.
    pub settlement: Settlement,
}

/// A judged feature.
#[derive(Debug, Clone)]
pub struct Judged {
    /// The verdict and its reasons.
    pub judgement: Judgement,
    /// Every declared criterion, in the order of the policy.
    pub findings: Vec<Finding>,
    /// Canary arms.
    pub canaries: Vec<CanaryFinding>,
    /// The tier that counted.
    pub tier: Option<Tier>,
}

/// How strictly a fault counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rigour {
    /// Whether evidence that wasn't recorded under this policy is invalid rather than insufficient: for `default-on` and
    /// for a promotion.
    pub preregistered: bool,
}

impl Rigour {
    /// What a declared state demands.
    pub fn of(state: State, promoting: bool) -> Rigour {
        Rigour { preregistered: promoting || state == State::DefaultOn }
    }
}

/// Judges a feature whose arms are declared.
///
/// # Errors
/// A policy whose criteria contradict the evidence's design (64).
pub fn judge_feature(
    feature: &Feature,
    arms: &Arms,
    section: &Section,
    evidence: &Evidence<'_>,
    rigour: Rigour,
) -> Result<Judged, Failure> {
    let scenarios = evidence.scenarios();
    let findings: Vec<Finding> = section
        .criteria
        .iter()
        .map(|declared| find(declared, section, evidence, &feature.id, (&arms.baseline, &arms.candidate)))
        .collect::<Result<_, _>>()?;
    let canaries = canary::canaries(feature, arms, section, evidence)?;
    let mut faults = evidence_faults(&feature.id, arms, section, evidence, rigour);
    faults.extend(canaries.iter().filter_map(|canary| canary.fault.clone()));
    let declared: Vec<_> = section.criteria.iter().map(|declared| declared.criterion(scenarios)).collect();
    let outcomes: Vec<CriterionOutcome> = findings.iter().map(|finding| finding.outcome.clone()).collect();
    let tier = counted_tier(section, evidence);
    let case = Case { declared: &declared, outcomes: &outcomes, faults: &faults, tier };
    Ok(Judged { judgement: judge(&case), findings, canaries, tier })
}

/// Assesses one criterion between two arms.
pub(super) fn find(
    declared: &Declared,
    section: &Section,
    evidence: &Evidence<'_>,
    feature: &str,
    (baseline, candidate): (&str, &str),
) -> Result<Finding, Failure> {
    let criterion = declared.criterion(evidence.scenarios());
    let units = evidence.units(feature, declared.metric, baseline, candidate);
    let mut outcome = assess(&criterion, &units, &section.settings)
        .map_err(|error| Failure::usage(format!("feature {feature}: {error}")))?;
    if let Some(why) = evidence.stale_prices().filter(|_| declared.metric == Metric::CostUsd) {
        outcome = outcome.voided(Reason::new("stale-prices", format!("{}: {why}", criterion.id)));
    }
    let settlement = settle(&outcome, &units, &section.settings, POWER)
        .map_err(|error| Failure::usage(format!("feature {feature}: {error}")))?;
    Ok(Finding { declared: declared.clone(), units, outcome, settlement })
}

/// Faults that concern the feature's arms, one a code: the first message and how many more there are.
fn evidence_faults(
    feature: &str,
    arms: &Arms,
    section: &Section,
    evidence: &Evidence<'_>,
    rigour: Rigour,
) -> Vec<Fault> {
    let names = arms.all();
    let mut faults: Vec<Fault> = Vec::new();
    for corpus in &evidence.corpora {
        let mut concerning: Vec<_> =
            corpus.faults.iter().filter(|fault| fault.scope.concerns(feature, &names)).collect();
        concerning.sort();
        for same in concerning.chunk_by(|one, other| one.code == other.code) {
            let mut fault = Fault::from(same[0]);
            if same.len() > 1 {
                fault.reason.message.push_str(&format!(" (and {} more)", same.len() - 1));
            }
            fault.reason.message = format!("{}: {}", corpus.facts.name, fault.reason.message);
            if fault.reason.code == "not-preregistered" && rigour.preregistered {
                fault.severity = Severity::Invalid;
            }
            faults.push(fault);
        }
    }
    faults.extend(evidence.repeated_scenarios());
    if !faults.iter().any(|fault| fault.reason.code == "too-few-runs") {
        faults.extend(too_few_runs(section, evidence));
    }
    faults
}

/// The policy may ask for more runs than the floor.
fn too_few_runs(section: &Section, evidence: &Evidence<'_>) -> Option<Fault> {
    let runs = evidence.repetitions() as usize;
    (runs < section.minimum_runs).then(|| {
        let message = format!(
            "{runs} scheduled runs of a scenario in an arm: the policy asks for {}: schedule more",
            section.minimum_runs
        );
        Fault::insufficient("too-few-runs", message)
    })
}

/// The weakest tier among the evidence. Where the benefits or the guards all come from replay, replay is what the verdict
/// rests on, and replay alone promotes nothing.
fn counted_tier(section: &Section, evidence: &Evidence<'_>) -> Option<Tier> {
    use super::policy::Kind;
    let recorded = |kind: Kind| {
        section
            .criteria
            .iter()
            .any(|declared| declared.kind == kind && declared.metric.plane() == Plane::Recorded)
    };
    let tier = evidence.tier()?;
    let both = recorded(Kind::Benefit) && recorded(Kind::Guard);
    Some(if both { tier } else { tier.min(Tier::Replayed) })
}

impl Finding {
    fn designs(&self) -> Vec<document::Design> {
        let shown = |design: &Design| document::Design { scenarios: design.scenarios, runs: design.runs };
        self.settlement.designs.iter().map(shown).collect()
    }

    /// The criterion as the document shows it.
    pub fn to_document(&self) -> document::Criterion {
        let criterion = self.outcome.criterion();
        let figures: &Figures = self.outcome.figures();
        let estimand = match criterion.estimand {
            Estimand::MeanDifference => "mean-difference",
            Estimand::GeometricRatio => "geometric-ratio",
            Estimand::TotalRatio => "total-ratio",
            Estimand::TailRatio { .. } => "tail-ratio",
        };
        let margin = if criterion.claim == Claim::NoEvents { Some(0.0) } else { figures.margin };
        document::Criterion {
            id: criterion.id.clone(),
            plane: self.declared.metric.plane().name().to_owned(),
            kind: self.declared.kind.as_str().to_owned(),
            outcome: self.outcome.outcome().as_str().to_owned(),
            metric: self.declared.metric.id().to_owned(),
            estimand: estimand.to_owned(),
            better: match criterion.better {
                verdict::Better::Higher => "higher".to_owned(),
                verdict::Better::Lower => "lower".to_owned(),
            },
            baseline: figures.baseline,
            candidate: figures.candidate,
            delta: figures.delta,
            low: figures.low,
            high: figures.high,
            margin,
            scenarios: figures.scenarios,
            runs: figures.runs,
            clusters: figures.clusters,
            missing_runs: figures.missing_runs,
            differing: figures.differing,
            regressing: figures.regressing,
            below_floor: figures.below_floor,
            p_value: figures.p_value,
            sign_flip_p: figures.sign_flip.map(|flip| flip.p),
            detectable: self.settlement.detectable,
            designs: if self.outcome.outcome() == Outcome::Undecided { self.designs() } else { Vec::new() },
            reasons: reasons(self.outcome.reasons()),
            units: self.units.iter().map(unit).collect(),
        }
    }
}

/// Reasons as the document shows them.
pub(super) fn reasons(reasons: &[Reason]) -> Vec<document::Reason> {
    let shown =
        |reason: &Reason| document::Reason { code: reason.code.clone(), message: reason.message.clone() };
    reasons.iter().map(shown).collect()
}

fn unit(unit: &Unit) -> document::Unit {
    let mean = |runs: &[Option<f64>]| {
        let values: Vec<f64> = runs.iter().copied().flatten().collect();
        (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
    };
    let seen = |runs: &[Option<f64>]| runs.iter().flatten().count();
    document::Unit {
        scenario: unit.scenario.clone(),
        cluster: unit.cluster.clone(),
        baseline: mean(&unit.baseline),
        candidate: mean(&unit.candidate),
        runs: seen(&unit.baseline) + seen(&unit.candidate),
    }
}

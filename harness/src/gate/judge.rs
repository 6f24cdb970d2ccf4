//! The verdict on one feature.

use rayon::prelude::*;
use verdict::{
    Case, Claim, Criterion, CriterionOutcome, Design, Estimand, Fault, Figures, Judgement, Outcome, Reason,
    Settlement, Severity, Tier, Unit, assess_all, judge, settle,
};

use super::canary::{self, CanaryFinding};
use super::document;
use super::evidence::Evidence;
use super::plan::{PresentLook, present_look};
use super::policy::{Declared, Section};
use super::quantity;
use super::slice::{SliceFinding, slices};
use crate::failure::Failure;
use crate::metric::{Metric, Plane};
use crate::variant::{Arms, Feature, State};

/// Probability with which a design that is named settles its criterion, if what it assumes is true.
pub const SETTLING_POWER: f64 = 0.8;

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
    /// Whether the values don't count: the prices behind them aren't in force.
    pub void: bool,
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
    /// Guards on slices of the scenarios.
    pub slices: Vec<SliceFinding>,
    /// The six promised quantities.
    pub quantities: Vec<document::Quantity>,
    /// Which look this is, and what it may spend.
    pub look: PresentLook,
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
    let (look, unplanned) = present_look(section, evidence, rigour);
    let section = &section.at_level(look.alpha);
    let scenarios = evidence.scenarios();
    let tier = counted_tier(section, evidence);
    let comparisons = quantity::undeclared(section, evidence.tier());
    let promised: Pairing<'_> = (&arms.baseline, &arms.candidate);
    let asked = canary::asked(arms, section);
    let mut found = find_all(
        section
            .criteria
            .iter()
            .map(|declared| (declared, promised))
            .chain(asked)
            .chain(comparisons.iter().map(|declared| (declared, promised))),
        section,
        evidence,
        &feature.id,
    )?;
    let comparisons = found.split_off(2 * section.criteria.len() + 1);
    let canaries = canary::canaries(arms, found.split_off(section.criteria.len()));
    let findings = found;
    let slices = slices(section, evidence, &findings, &feature.id)?;
    let quantities = quantity::quantities(evidence.tier(), &findings, &comparisons);
    let mut faults = evidence_faults(&feature.id, arms, section, evidence, rigour);
    faults.extend(unplanned);
    faults.extend(canaries.iter().filter_map(|canary| canary.fault.clone()));
    faults.extend(slices.iter().filter_map(SliceFinding::fault));
    faults.extend(quantity::missing(&quantities));
    faults.extend(believed_graders(tier, evidence));
    faults.extend(unasked_graders(tier, evidence));
    let declared: Vec<_> = section.criteria.iter().map(|declared| declared.criterion(scenarios)).collect();
    let outcomes: Vec<CriterionOutcome> = findings.iter().map(|finding| finding.outcome.clone()).collect();
    let case = Case { declared: &declared, outcomes: &outcomes, faults: &faults, tier };
    Ok(Judged { judgement: judge(&case), findings, canaries, slices, quantities, look, tier })
}

/// Baseline and candidate of a comparison.
pub(super) type Pairing<'a> = (&'a str, &'a str);

/// Assesses criteria, each between two arms; all share one set of resamples.
fn find_all<'a>(
    asked: impl Iterator<Item = (&'a Declared, Pairing<'a>)>,
    section: &Section,
    evidence: &Evidence<'_>,
    feature: &str,
) -> Result<Vec<Finding>, Failure> {
    let refused = |error| Failure::usage(format!("feature {feature}: {error}"));
    let planned = evidence.scenarios();
    let asked: Vec<(&Declared, Pairing<'a>)> = asked.collect();
    let prepared: Vec<(&Declared, Criterion, Vec<Unit>)> = asked
        .into_par_iter()
        .map(|(declared, (baseline, candidate))| {
            let units = evidence.units(feature, declared.metric, baseline, candidate);
            (declared, declared.criterion(planned), units)
        })
        .collect();
    let criteria: Vec<(&Criterion, &[Unit])> =
        prepared.iter().map(|(_, criterion, units)| (criterion, units.as_slice())).collect();
    let outcomes = assess_all(&criteria, &section.settings).map_err(refused)?;
    let findings: Vec<Result<Finding, Failure>> = prepared
        .into_par_iter()
        .zip(outcomes)
        .map(|((declared, criterion, units), mut outcome)| {
            let stale = evidence.stale_prices().filter(|_| declared.metric == Metric::CostUsd);
            if let Some(why) = stale {
                outcome = outcome.voided(Reason::new("stale-prices", format!("{}: {why}", criterion.id)));
            }
            let settlement = settle(&outcome, &units, &section.settings, SETTLING_POWER).map_err(refused)?;
            Ok(Finding { declared: declared.clone(), units, outcome, settlement, void: stale.is_some() })
        })
        .collect();
    // The first that is refused, in the order of criteria.
    findings.into_iter().collect()
}

/// Acceptance rests on transcripts until the graders are run again; a transcript can be written by hand, so nothing is
/// promoted on it.
fn believed_graders(tier: Option<Tier>, evidence: &Evidence<'_>) -> Option<Fault> {
    if tier != Some(Tier::PROMOTION) {
        return None;
    }
    let believed = evidence.corpora.iter().find(|corpus| {
        let graders = &corpus.facts.graders;
        !graders.run_again || graders.skipped > 0
    })?;
    let graders = &believed.facts.graders;
    let what = if graders.run_again {
        format!("{} graders can't be run here", graders.skipped)
    } else {
        "the graders' transcripts are believed".to_owned()
    };
    let message = format!("{}: {what}: run the graders again with --verify", believed.facts.name);
    Some(Fault::insufficient("graders-not-run", message))
}

/// Answers that a grader gave before the first run can't be given afterwards: a grader that failed then may pass today. So
/// nothing is promoted without them, and taking them away helps nobody.
fn unasked_graders(tier: Option<Tier>, evidence: &Evidence<'_>) -> Option<Fault> {
    if tier != Some(Tier::PROMOTION) {
        return None;
    }
    let unasked =
        evidence.corpora.iter().find(|corpus| corpus.facts.graders.asked < corpus.scenarios.len())?;
    let (asked, scenarios) = (unasked.facts.graders.asked, unasked.scenarios.len());
    let message = format!(
        "{}: {asked} of {scenarios} graders were asked before the first run whether they tell a right patch from none",
        unasked.facts.name
    );
    Some(Fault::insufficient("graders-not-asked", message))
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
    faults.extend(evidence.repeated_runs());
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

    /// Name of the estimand, as policies spell it.
    pub fn estimand(&self) -> &'static str {
        match self.outcome.criterion().estimand {
            Estimand::MeanDifference => "mean-difference",
            Estimand::GeometricRatio => "geometric-ratio",
            Estimand::TotalRatio => "total-ratio",
            Estimand::TailRatio { .. } => "tail-ratio",
        }
    }

    /// The criterion as the document shows it.
    pub fn to_document(&self) -> document::Criterion {
        let criterion = self.outcome.criterion();
        let figures: &Figures = self.outcome.figures();
        let estimand = self.estimand();
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

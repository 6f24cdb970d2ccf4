//! The document prepared for people: figures as text, coordinates of bars, words for codes. Shared by all renderers, so
//! that they can't tell different stories.

use serde::Serialize;

use super::bar::{self, Bar};
use crate::figure::{counted, difference, level, p_value, percent};
use crate::gate::document::{Canary, Corpus, Criterion, Document, Feature, FileOrder, Graders};

/// A criterion as a row.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// Identifier.
    pub id: String,
    /// Plane.
    pub plane: String,
    /// `superiority`, `non-inferiority`, `no-events`.
    pub kind: String,
    /// `pass`, `fail`, `undecided`.
    pub outcome: String,
    /// Metric and estimand, in words.
    pub measures: String,
    /// Level of the baseline.
    pub baseline: String,
    /// Level of the candidate.
    pub candidate: String,
    /// Point estimate.
    pub delta: String,
    /// Bounds.
    pub interval: String,
    /// What a pass needs.
    pub needs: String,
    /// The smallest effect that the design detects, in the margin's unit; a dash where it detects none.
    pub detects: String,
    /// Scenarios with evidence.
    pub scenarios: usize,
    /// Runs with a value.
    pub runs: usize,
    /// Further figures, in one line.
    pub detail: String,
    /// Sentences of the reasons.
    pub reasons: Vec<String>,
    /// Coordinates of the bar.
    pub bar: Option<Bar>,
    /// The bar in words.
    pub bar_text: String,
    /// Arm means by scenario; none beyond [`SHOWN_UNITS`] of them.
    pub units: Vec<UnitRow>,
}

/// Most scenarios whose arm means are drawn. A person doesn't read more of them, and `gate.json` has them all.
pub const SHOWN_UNITS: usize = 1_000;

/// Arm means of a scenario as text.
#[derive(Debug, Clone, Serialize)]
pub struct UnitRow {
    /// Scenario.
    pub scenario: String,
    /// Cluster.
    pub cluster: String,
    /// Baseline mean.
    pub baseline: String,
    /// Candidate mean.
    pub candidate: String,
    /// Runs with a value.
    pub runs: usize,
}

/// A feature as a section.
#[derive(Debug, Clone, Serialize)]
pub struct Section {
    /// The feature as it stands in the document, without its criteria: the rows show them.
    pub feature: Feature,
    /// The verdict in a sentence.
    pub headline: String,
    /// Pass, fail and undecided in a few words.
    pub tally: String,
    /// Rows of its criteria.
    pub rows: Vec<Row>,
    /// What its arms' orders of files change in replay.
    pub orders: Vec<OrderRow>,
    /// Its canaries.
    pub canaries: Vec<CanaryRow>,
    /// Whether it has arms at all.
    pub implemented: bool,
}

/// A shadow comparison as text.
#[derive(Debug, Clone, Serialize)]
pub struct OrderRow {
    /// The arm.
    pub arm: String,
    /// Requests compared.
    pub requests: usize,
    /// Requests with another file first.
    pub first_changed: usize,
    /// Requests whose nDCG@10 rises.
    pub better: usize,
    /// Requests whose nDCG@10 falls.
    pub worse: usize,
    /// Mean nDCG@10 in the static order.
    pub static_ndcg: String,
    /// The same in the arm's order.
    pub ordered_ndcg: String,
    /// Their difference.
    pub difference: String,
    /// Mean reciprocal rank of the first needed file in the static order.
    pub static_rank: String,
    /// The same in the arm's order.
    pub ordered_rank: String,
    /// Requests that kept the static order, by reason.
    pub kept_static: String,
    /// Most units of work of a request, and the limit.
    pub work: String,
}

/// A canary with its rows.
#[derive(Debug, Clone, Serialize)]
pub struct CanaryRow {
    /// The canary as it stands in the document, without its criteria: the rows show them.
    pub canary: Canary,
    /// Rows of its criteria.
    pub rows: Vec<Row>,
}

/// The whole document as sections.
#[derive(Debug, Clone, Serialize)]
pub struct View {
    /// Sections in the order of the document.
    pub sections: Vec<Section>,
    /// The result in a sentence.
    pub result: String,
    /// What the evidence is, in a sentence; the first line of every report.
    pub banner: String,
    /// Replay in a sentence.
    pub determinism: String,
    /// Whether the graders were run again, in a sentence.
    pub graders: String,
}

/// Prepares a document.
pub fn view(document: &Document) -> View {
    View {
        sections: document.features.iter().map(|feature| section(document, feature)).collect(),
        result: result(document),
        banner: banner(document),
        determinism: determinism(document),
        graders: graders(document),
    }
}

fn section(document: &Document, feature: &Feature) -> Section {
    let own = document.canaries.iter().filter(|canary| canary.feature == feature.id);
    let canaries = own
        .map(|canary| CanaryRow {
            canary: bare_canary(canary),
            rows: canary.criteria.iter().map(row).collect(),
        })
        .collect();
    let count = |word: &str| feature.criteria.iter().filter(|c| c.outcome == word).count();
    let (pass, fail, open) = (count("pass"), count("fail"), count("undecided"));
    Section {
        headline: headline(feature),
        tally: format!(
            "{pass} pass, {fail} fail, {open} undecided of {}",
            counted_criteria(feature.criteria.len())
        ),
        rows: feature.criteria.iter().map(row).collect(),
        orders: feature.file_orders.iter().map(order_row).collect(),
        canaries,
        implemented: feature.candidate.is_some(),
        feature: bare_feature(feature),
    }
}

fn bare_feature(feature: &Feature) -> Feature {
    let Feature {
        reasons, next, quantities, slices, attendance, rerolls, looks, corpora, file_orders, ..
    } = feature;
    Feature {
        id: feature.id.clone(),
        state: feature.state.clone(),
        supported: feature.supported,
        baseline: feature.baseline.clone(),
        candidate: feature.candidate.clone(),
        verdict: feature.verdict.clone(),
        tier: feature.tier.clone(),
        needs_tier: feature.needs_tier.clone(),
        noise: feature.noise.clone(),
        policy_sha256: feature.policy_sha256.clone(),
        alpha: feature.alpha,
        looks: looks.clone(),
        seed: feature.seed,
        corpora: corpora.clone(),
        reasons: reasons.clone(),
        next: next.clone(),
        criteria: Vec::new(),
        quantities: quantities.clone(),
        slices: slices.clone(),
        attendance: attendance.clone(),
        file_orders: file_orders.clone(),
        rerolls: rerolls.clone(),
        certificate: feature.certificate.clone(),
    }
}

fn bare_canary(canary: &Canary) -> Canary {
    Canary {
        feature: canary.feature.clone(),
        kind: canary.kind.clone(),
        arm: canary.arm.clone(),
        against: canary.against.clone(),
        outcome: canary.outcome.clone(),
        message: canary.message.clone(),
        criteria: Vec::new(),
    }
}

fn counted_criteria(count: usize) -> String {
    if count == 1 { "1 criterion".to_owned() } else { format!("{count} criteria") }
}

fn headline(feature: &Feature) -> String {
    if feature.candidate.is_none() {
        return "not implemented: nothing was measured, nothing is claimed".to_owned();
    }
    let words = match feature.verdict.as_str() {
        "PROMOTE" => "every criterion passes at the tier that default-on needs",
        "REJECT" => "a criterion fails: the feature does harm, or lacks its claimed gain",
        "INSUFFICIENT" if settled(feature) => {
            "every criterion passes, but on evidence that isn't enough for a promotion"
        }
        "INSUFFICIENT" => "the evidence can't settle it",
        _ => {
            "the evidence is broken, mismatched or nondeterministic: nothing else counts until that is mended"
        }
    };
    words.to_owned()
}

/// Whether nothing is left open by the criteria themselves.
fn settled(feature: &Feature) -> bool {
    !feature.criteria.is_empty() && feature.criteria.iter().all(|criterion| criterion.outcome == "pass")
}

fn result(document: &Document) -> String {
    let code = document.exit_code;
    match (&document.selected, document.result.as_str()) {
        (Some(feature), verdict) => format!("{feature}: {verdict}, exit {code}"),
        (None, "SUPPORTED") => {
            format!("every declared state is supported by the evidence, exit {code}")
        }
        (None, worst) => {
            let names: Vec<&str> =
                document.features.iter().filter(|f| !f.supported).map(|f| f.id.as_str()).collect();
            format!("not supported: {} ({worst}), exit {code}", names.join(", "))
        }
    }
}

/// The weakest tier over the features that have evidence rules the banner.
fn banner(document: &Document) -> String {
    let tiers: Vec<&str> = document.features.iter().filter_map(|f| f.tier.as_deref()).collect();
    if tiers.is_empty() {
        return "No evidence was judged.".to_owned();
    }
    if tiers.iter().all(|tier| *tier == "recorded-model") {
        return "Tier recorded-model: recorded with a real model.".to_owned();
    }
    if tiers.contains(&"synthetic") {
        return "Tier synthetic: generated evidence. It tests the gate and says nothing about a feature."
            .to_owned();
    }
    "Tier recorded-scripted: a real agent driven by a scripted model. It proves the plumbing and may veto; it can't \
     promote, and its intervals show simulated noise."
        .to_owned()
}

/// Acceptance rests on stored transcripts unless the graders of every corpus were run again; whether they can tell a right
/// patch from none was asked before the first run, or wasn't.
fn graders(document: &Document) -> String {
    if document.corpora.is_empty() {
        return "nothing was graded".to_owned();
    }
    let asked = {
        let of = |count: fn(&Corpus) -> usize| document.corpora.iter().map(count).sum::<usize>();
        let (asked, scenarios) = (of(|corpus| corpus.graders.asked), of(|corpus| corpus.scenarios));
        format!("asked before the first run in {asked} of {}", counted(scenarios, "scenario"))
    };
    if document.corpora.iter().any(|corpus| !corpus.graders.run_again) {
        return format!(
            "{asked}; not run again: acceptance rests on their stored transcripts (--verify runs them)"
        );
    }
    let sum =
        |of: fn(&Graders) -> u64| document.corpora.iter().map(|corpus| of(&corpus.graders)).sum::<u64>();
    let (checked, skipped) = (sum(|graders| graders.checked), sum(|graders| graders.skipped));
    format!("{asked}; run again on {checked} runs, {skipped} skipped")
}

/// The shadow comparison of an arm.
fn order_row(order: &FileOrder) -> OrderRow {
    let kept: Vec<String> =
        order.kept_static.iter().map(|kept| format!("{} {}", kept.code, kept.requests)).collect();
    OrderRow {
        arm: order.arm.clone(),
        requests: order.requests,
        first_changed: order.first_changed,
        better: order.better,
        worse: order.worse,
        static_ndcg: level(Some(order.static_ndcg)),
        ordered_ndcg: level(Some(order.ordered_ndcg)),
        difference: difference(Some(order.ordered_ndcg - order.static_ndcg)),
        static_rank: level(Some(order.static_reciprocal_rank)),
        ordered_rank: level(Some(order.ordered_reciprocal_rank)),
        kept_static: if kept.is_empty() { "none".to_owned() } else { kept.join(", ") },
        work: format!("{} of {}", order.most_work, order.work_budget),
    }
}

fn determinism(document: &Document) -> String {
    let d = &document.determinism;
    if d.plans == 0 {
        return "nothing was replayed".to_owned();
    }
    format!(
        "{} replayed {} times by every variant: {} of {} plans identical, byte for byte",
        counted(d.requests, "request"),
        d.repeats,
        d.identical,
        d.plans
    )
}

/// A criterion as a row.
pub fn row(criterion: &Criterion) -> Row {
    let relative = criterion.estimand != "mean-difference";
    let show = |value| if relative { percent(value) } else { difference(value) };
    let events = criterion.kind == "no-events";
    let (delta, interval) = if events {
        (difference(criterion.delta), "counts, no interval".to_owned())
    } else if criterion.low.is_none() && criterion.high.is_none() {
        (show(criterion.delta), "no bounds".to_owned())
    } else {
        (show(criterion.delta), interval(criterion, show))
    };
    let margin = size(criterion, criterion.margin);
    let needs = match criterion.kind.as_str() {
        "no-events" => "no event".to_owned(),
        "superiority" if criterion.margin == Some(0.0) => format!("{} than baseline", criterion.better),
        "superiority" => format!("{} by more than {margin}", criterion.better),
        _ if criterion.better == "higher" => format!("at most {margin} lower"),
        _ => format!("at most {margin} higher"),
    };
    let bar_text = format!(
        "{}: change {delta}, bounds {interval}; a pass needs {needs}: {}",
        criterion.id, criterion.outcome
    );
    Row {
        id: criterion.id.clone(),
        plane: criterion.plane.clone(),
        kind: criterion.kind.clone(),
        outcome: criterion.outcome.clone(),
        measures: format!("{}, {}, {} is better", criterion.metric, criterion.estimand, criterion.better),
        baseline: level(criterion.baseline),
        candidate: level(criterion.candidate),
        delta,
        interval,
        needs,
        detects: size(criterion, criterion.detectable),
        scenarios: criterion.scenarios,
        runs: criterion.runs,
        detail: detail(criterion),
        reasons: criterion.reasons.iter().map(|reason| reason.message.clone()).collect(),
        bar: bar::bar(criterion),
        bar_text,
        units: shown_units(criterion),
    }
}

/// An amount without a direction, in the margin's unit.
fn size(criterion: &Criterion, value: Option<f64>) -> String {
    let shown = if criterion.estimand == "mean-difference" { difference(value) } else { percent(value) };
    shown.trim_start_matches('+').to_owned()
}

fn interval(criterion: &Criterion, show: impl Fn(Option<f64>) -> String) -> String {
    let low = criterion.low.map_or_else(|| "no bound".to_owned(), |low| show(Some(low)));
    let high = criterion.high.map_or_else(|| "no bound".to_owned(), |high| show(Some(high)));
    format!("{low} to {high}")
}

fn detail(criterion: &Criterion) -> String {
    let mut parts = vec![
        format!("{} in {}", counted(criterion.scenarios, "scenario"), counted(criterion.clusters, "cluster")),
        counted(criterion.runs, "run"),
    ];
    if criterion.missing_runs > 0 {
        parts.push(format!("{} missing", criterion.missing_runs));
    }
    parts.push(format!("{} differ, {} worse", criterion.differing, criterion.regressing));
    if criterion.p_value.is_some() {
        parts.push(format!("p {}", p_value(criterion.p_value)));
    }
    if criterion.sign_flip_p.is_some() {
        parts.push(format!("sign-flip p {}", p_value(criterion.sign_flip_p)));
    }
    if criterion.detectable.is_some() {
        parts.push(format!("detects {}", size(criterion, criterion.detectable)));
    }
    if criterion.below_floor {
        parts.push("below the discordance floor".to_owned());
    }
    parts.join(" · ")
}

fn shown_units(criterion: &Criterion) -> Vec<UnitRow> {
    if criterion.units.len() > SHOWN_UNITS {
        return Vec::new();
    }
    criterion.units.iter().map(unit_row).collect()
}

fn unit_row(unit: &crate::gate::document::Unit) -> UnitRow {
    UnitRow {
        scenario: unit.scenario.clone(),
        cluster: unit.cluster.clone(),
        baseline: level(unit.baseline),
        candidate: level(unit.candidate),
        runs: unit.runs,
    }
}

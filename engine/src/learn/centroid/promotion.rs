//! The promotion report `ranking-promotion-v1`: what a model must show on held-out fixtures before it may be active.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::learn::Mode;

use super::model::CentroidModel;
use super::rank::{Candidate, RankOptions, rank_candidates};
use super::round9;

/// Longest reason kept, characters.
const MAX_REASON: usize = 300;

/// What was found. A model that holds one must agree with [`PromotionReport::is_consistent`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PromotionReport {
    /// `ranking-promotion-v1`.
    pub report_version: String,
    /// Fixtures.
    pub fixture_count: u64,
    /// Distinct repositories among them.
    pub held_out_repositories: u64,
    /// How many are wanted.
    pub minimum_held_out_repositories: u64,
    /// Mean quality of the static order.
    pub baseline_quality_score: f64,
    /// Mean quality of the learned order.
    pub learned_quality_score: f64,
    /// Learned minus static.
    pub quality_score_delta: f64,
    /// Recall of relevant exact identifiers, static.
    pub baseline_exact_identifier_recall: f64,
    /// The same, learned.
    pub learned_exact_identifier_recall: f64,
    /// Learned minus static.
    pub exact_identifier_recall_delta: f64,
    /// Selected candidates that may not be sent, learned minus static.
    pub privacy_violation_delta: f64,
    /// Torn groups, learned minus static.
    pub atomicity_failure_delta: f64,
    /// Overflows, learned minus static.
    pub overflow_delta: f64,
    /// 95th percentile of the caller's latency measurement, milliseconds.
    #[serde(rename = "measuredP95LatencyMs")]
    pub measured_p95_latency_ms: f64,
    /// Its limit.
    pub latency_budget_ms: f64,
    /// Whether two runs selected alike.
    pub deterministic: bool,
    /// The verdict.
    pub eligible: bool,
    /// Why not.
    pub reasons: Vec<String>,
}

/// One candidate of a fixture.
#[derive(Debug, Clone, PartialEq)]
pub struct PromotionCandidate {
    /// As it is ranked.
    pub candidate: Candidate,
    /// Candidates of one group are taken together.
    pub group: String,
    /// Cost.
    pub tokens: u64,
    /// Whether it should be selected.
    pub relevant: bool,
    /// Whether it answers to an exact identifier.
    pub exact_identifier: bool,
}

/// One held-out request.
#[derive(Debug, Clone, PartialEq)]
pub struct PromotionFixture {
    /// Hash of its repository's identity.
    pub repository_hash: String,
    /// Most candidates selected, at least 1.
    pub max_results: usize,
    /// Most tokens selected, at least 1.
    pub max_tokens: u64,
    /// Candidates.
    pub candidates: Vec<PromotionCandidate>,
}

/// What isn't read off the fixtures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PromotionLimits {
    /// Measured by the caller, milliseconds.
    pub measured_p95_latency_ms: f64,
    /// Its limit.
    pub latency_budget_ms: f64,
    /// Distinct repositories wanted.
    pub minimum_held_out_repositories: u64,
}

impl PromotionReport {
    /// Whether the verdict follows from the figures.
    pub fn is_consistent(&self) -> bool {
        let finite = [
            self.baseline_quality_score,
            self.learned_quality_score,
            self.measured_p95_latency_ms,
            self.latency_budget_ms,
        ];
        let difference = |later: f64, earlier: f64, told: f64| (round9(later - earlier) - told).abs() <= 1e-9;
        self.report_version == "ranking-promotion-v1"
            && finite.iter().all(|value| value.is_finite() && *value >= 0.0)
            && difference(self.learned_quality_score, self.baseline_quality_score, self.quality_score_delta)
            && difference(
                self.learned_exact_identifier_recall,
                self.baseline_exact_identifier_recall,
                self.exact_identifier_recall_delta,
            )
            && self.reasons.iter().all(|reason| reason.chars().count() <= MAX_REASON)
            && self.eligible == (self.failings().is_empty() && self.reasons.is_empty())
    }

    /// What the figures fail.
    fn failings(&self) -> Vec<&'static str> {
        let clauses = [
            (self.fixture_count > 0, "no held-out fixture"),
            (self.quality_score_delta > 0.0, "quality isn't better"),
            (self.exact_identifier_recall_delta >= 0.0, "exact identifiers are lost"),
            (self.privacy_violation_delta <= 0.0, "more private candidates are selected"),
            (self.atomicity_failure_delta <= 0.0, "more groups are torn"),
            (self.overflow_delta <= 0.0, "more selections overflow"),
            (self.measured_p95_latency_ms <= self.latency_budget_ms, "latency is over its budget"),
            (self.deterministic, "two runs selected differently"),
            (
                self.held_out_repositories >= self.minimum_held_out_repositories,
                "too few held-out repositories",
            ),
        ];
        clauses.into_iter().filter(|(holds, _)| !holds).map(|(_, why)| why).collect()
    }
}

/// Judges a model on fixtures of repositories that it wasn't trained on.
pub fn evaluate_promotion(
    model: &CentroidModel,
    fixtures: &[PromotionFixture],
    limits: PromotionLimits,
) -> PromotionReport {
    let learned = || fixtures.iter().map(|f| selected(f, &learned_order(model, f))).collect::<Vec<_>>();
    let (first, second) = (learned(), learned());
    let fixed: Vec<Vec<usize>> = fixtures.iter().map(|f| selected(f, &static_order(f))).collect();
    let (baseline, candidate) = (Tally::of(fixtures, &fixed), Tally::of(fixtures, &first));
    let repositories: BTreeSet<&str> = fixtures.iter().map(|f| f.repository_hash.as_str()).collect();
    let mut report = PromotionReport {
        report_version: "ranking-promotion-v1".to_owned(),
        fixture_count: fixtures.len() as u64,
        held_out_repositories: repositories.len() as u64,
        minimum_held_out_repositories: limits.minimum_held_out_repositories,
        baseline_quality_score: baseline.quality,
        learned_quality_score: candidate.quality,
        quality_score_delta: round9(candidate.quality - baseline.quality),
        baseline_exact_identifier_recall: baseline.exact_recall,
        learned_exact_identifier_recall: candidate.exact_recall,
        exact_identifier_recall_delta: round9(candidate.exact_recall - baseline.exact_recall),
        privacy_violation_delta: candidate.private - baseline.private,
        atomicity_failure_delta: candidate.torn - baseline.torn,
        overflow_delta: candidate.overflows - baseline.overflows,
        measured_p95_latency_ms: limits.measured_p95_latency_ms,
        latency_budget_ms: limits.latency_budget_ms,
        deterministic: first == second,
        eligible: false,
        reasons: Vec::new(),
    };
    report.reasons = report.failings().into_iter().map(str::to_owned).collect();
    report.eligible = report.reasons.is_empty();
    report
}

fn static_order(fixture: &PromotionFixture) -> Vec<usize> {
    let mut order: Vec<usize> = (0..fixture.candidates.len()).collect();
    let of = |at: usize| &fixture.candidates[at].candidate;
    order.sort_by(|&a, &b| {
        of(b).static_score.total_cmp(&of(a).static_score).then_with(|| of(a).id.cmp(&of(b).id))
    });
    order
}

/// The learned order, by way of the same code that serves requests.
fn learned_order(model: &CentroidModel, fixture: &PromotionFixture) -> Vec<usize> {
    let candidates: Vec<Candidate> = fixture.candidates.iter().map(|c| c.candidate.clone()).collect();
    let model = Ok(model.clone());
    let options = RankOptions { mode: Mode::Shadow, model: Some(&model), max_latency_ms: f64::INFINITY };
    let mut ranked = rank_candidates(&candidates, options, &mut || 0.0).ranked;
    ranked.sort_by_key(|candidate| candidate.learned_rank);
    let position = |id: &str| candidates.iter().position(|candidate| candidate.id == id);
    ranked.iter().filter_map(|candidate| position(&candidate.id)).collect()
}

/// Takes whole groups in the order of their first member while they fit; a group that doesn't fit is passed over.
fn selected(fixture: &PromotionFixture, order: &[usize]) -> Vec<usize> {
    let mut taken: Vec<usize> = Vec::new();
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut tokens = 0;
    for &at in order {
        let group = fixture.candidates[at].group.as_str();
        if !seen.insert(group) {
            continue;
        }
        let members: Vec<usize> =
            order.iter().copied().filter(|&other| fixture.candidates[other].group == group).collect();
        let cost: u64 = members.iter().map(|&member| fixture.candidates[member].tokens).sum();
        if taken.len() + members.len() <= fixture.max_results && tokens + cost <= fixture.max_tokens {
            tokens += cost;
            taken.extend(members);
        }
    }
    taken
}

/// Figures over all fixtures.
struct Tally {
    quality: f64,
    exact_recall: f64,
    private: f64,
    torn: f64,
    overflows: f64,
}

impl Tally {
    fn of(fixtures: &[PromotionFixture], selections: &[Vec<usize>]) -> Tally {
        let share = |part: f64, whole: f64, without: f64| if whole > 0.0 { part / whole } else { without };
        let (mut quality, mut private, mut torn, mut overflows) = (0.0, 0.0, 0.0, 0.0);
        let (mut exact, mut exact_found) = (0.0, 0.0);
        for (fixture, selection) in fixtures.iter().zip(selections) {
            let all = &fixture.candidates;
            let chosen: Vec<&PromotionCandidate> = selection.iter().map(|&at| &all[at]).collect();
            let count = |of: &dyn Fn(&PromotionCandidate) -> bool| {
                chosen.iter().filter(|candidate| of(candidate)).count() as f64
            };
            let relevant = all.iter().filter(|candidate| candidate.relevant).count() as f64;
            let tokens: u64 = chosen.iter().map(|candidate| candidate.tokens).sum();
            let wasted: u64 = chosen.iter().filter(|c| !c.relevant).map(|c| c.tokens).sum();
            let is_torn = all.iter().any(|candidate| {
                let members = all.iter().filter(|other| other.group == candidate.group).count();
                let taken = chosen.iter().filter(|other| other.group == candidate.group).count();
                taken > 0 && taken < members
            });
            let overflow = chosen.len() > fixture.max_results || tokens > fixture.max_tokens;
            quality += 0.6 * share(count(&|c| c.relevant), relevant, 1.0)
                + 0.2 * share((tokens - wasted) as f64, tokens as f64, 1.0)
                + 0.1 * f64::from(u8::from(!is_torn))
                + 0.1 * f64::from(u8::from(!overflow));
            exact += all.iter().filter(|c| c.relevant && c.exact_identifier).count() as f64;
            exact_found += count(&|c| c.relevant && c.exact_identifier);
            // The eighth feature says whether a candidate may be sent.
            private += count(&|c| c.candidate.features.values()[7] < 1.0);
            torn += f64::from(u8::from(is_torn));
            overflows += f64::from(u8::from(overflow));
        }
        Tally {
            quality: round9(share(quality, fixtures.len() as f64, 0.0)),
            exact_recall: round9(share(exact_found, exact, 1.0)),
            private,
            torn,
            overflows,
        }
    }
}

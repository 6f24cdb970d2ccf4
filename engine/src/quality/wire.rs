//! Disk forms: the published corpus (schema version 1) and the comparison.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

use super::measure::Count;
use super::{Aggregate, Candidate, Comparison, Fixture, QualityError, is_safe_id, round6};

/// A corpus file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CorpusFile {
    schema_version: u64,
    corpus_version: String,
    fixtures: Vec<FixtureFile>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FixtureFile {
    schema_version: u64,
    corpus_version: String,
    sample_id: String,
    planner_version: String,
    profile_key: String,
    task: TaskFile,
    expected_evidence_source_ids: Vec<String>,
    candidates: Vec<CandidateFile>,
    total_budget_tokens: u64,
    category_budgets: BTreeMap<String, u64>,
    #[serde(default)]
    outcome_labels: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskFile {
    task_id: String,
    task_type: String,
    #[serde(default)]
    query_tags: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CandidateFile {
    id: String,
    kind: String,
    tokens: u64,
    group_id: String,
    source_ids: Vec<String>,
    static_score: f64,
    candidate_score: Option<f64>,
    #[serde(default)]
    current_request: bool,
    provenance_required: Option<bool>,
}

impl CorpusFile {
    /// The fixtures of the file, with the corpus version.
    ///
    /// # Errors
    /// Where the schema is unknown or a fixture belongs to another corpus.
    pub fn into_fixtures(self) -> Result<(String, Vec<Fixture>), QualityError> {
        let versions = self.fixtures.iter().map(|fixture| fixture.schema_version);
        if let Some(found) = versions.chain([self.schema_version]).find(|version| *version != 1) {
            return Err(QualityError::UnknownSchema { found });
        }
        if !is_safe_id(&self.corpus_version) {
            return Err(QualityError::UnsafeId { place: "corpus version".to_owned() });
        }
        let corpus_version = self.corpus_version;
        let fixtures: Vec<Fixture> = self.fixtures.into_iter().map(fixture).collect();
        match fixtures.iter().find(|fixture| fixture.corpus_version != corpus_version) {
            Some(foreign) => Err(QualityError::ForeignFixture { sample: foreign.sample.clone() }),
            None => Ok((corpus_version, fixtures)),
        }
    }
}

fn fixture(file: FixtureFile) -> Fixture {
    let mut task_ids = vec![file.task.task_id, file.task.task_type];
    task_ids.extend(file.task.query_tags);
    Fixture {
        sample: file.sample_id,
        corpus_version: file.corpus_version,
        planner_version: file.planner_version,
        profile: file.profile_key,
        task_ids,
        expected: file.expected_evidence_source_ids,
        candidates: file.candidates.into_iter().map(candidate).collect(),
        total_budget: file.total_budget_tokens,
        category_budgets: file.category_budgets,
        labels: file.outcome_labels,
    }
}

fn candidate(file: CandidateFile) -> Candidate {
    Candidate {
        id: file.id,
        kind: file.kind,
        tokens: file.tokens,
        group: file.group_id,
        sources: file.source_ids,
        static_score: file.static_score,
        candidate_score: file.candidate_score,
        current_request: file.current_request,
        provenance_required: file.provenance_required.unwrap_or(true),
    }
}

/// The comparison in the published shape (schema version 1, metrics `context-quality-v1`), plus the project's own
/// `schema` name.
pub fn comparison_json(corpus_version: &str, comparison: &Comparison) -> Value {
    let strategies = comparison.results.iter().map(
        |result| json!({"strategyId": result.strategy.id(), "aggregate": aggregate_json(&result.aggregate, result.strategy.id())}),
    );
    let baseline = comparison.results.first();
    let deltas = comparison.results.iter().skip(1).filter_map(|result| {
        let baseline = &baseline?.aggregate;
        let candidate = &result.aggregate;
        let (ours, theirs) = (candidate.sums.rates(), baseline.sums.rates());
        let delta = |a: Option<f64>, b: Option<f64>| a.zip(b).map(|(a, b)| number(round6(a - b)));
        Some(json!({
            "strategyId": result.strategy.id(),
            "qualityScore": number(round6(candidate.score - baseline.score)),
            "evidenceRecall": delta(ours.recall, theirs.recall),
            "irrelevantTokenRatio": delta(ours.irrelevant, theirs.irrelevant),
            "fallbackRate": number(round6(ours.fallback - theirs.fallback)),
        }))
    });
    json!({
        "schema": "quality/1",
        "schemaVersion": 1,
        "metricsVersion": "context-quality-v1",
        "corpusVersion": corpus_version,
        "fixtureCount": baseline.map_or(0, |result| result.aggregate.samples),
        "strategies": strategies.collect::<Vec<_>>(),
        "deltasFromBaseline": deltas.collect::<Vec<_>>(),
    })
}

fn aggregate_json(aggregate: &Aggregate, strategy: &str) -> Value {
    let sums = &aggregate.sums;
    let kinds: Map<String, Value> = sums
        .kinds
        .iter()
        .map(|(kind, (available, selected))| {
            let counts =
                json!({"available": available, "selected": selected, "dropped": available - selected});
            (kind.clone(), counts)
        })
        .collect();
    let categories: Map<String, Value> = aggregate
        .categories()
        .into_iter()
        .map(|(kind, used)| {
            let tokens = json!({
                "limitTokens": used.limit,
                "selectedTokens": used.selected,
                "droppedTokens": used.dropped,
                "utilization": number(used.utilization),
            });
            (kind.to_owned(), tokens)
        })
        .collect();
    json!({
        "schemaVersion": 1,
        "metricsVersion": "context-quality-v1",
        "sampleCount": aggregate.samples,
        "labeledSampleCount": aggregate.labelled,
        "strategyIds": [strategy],
        "plannerVersions": aggregate.planners,
        "profileKeys": aggregate.profiles,
        "outcomeLabels": aggregate.labels,
        "evidenceRecall": rate(sums.evidence_recall),
        "irrelevantTokenRatio": rate(sums.irrelevant_tokens),
        "duplicateEvidence": {
            "duplicateReferences": sums.duplicate_references.numerator,
            "selectedReferences": sums.duplicate_references.denominator,
        },
        "provenanceCoverage": rate(sums.provenance),
        "currentRequestRetention": rate(sums.current_request),
        "atomicGroupValidity": rate(sums.atomic_groups),
        "overflowRate": rate(sums.overflow),
        "fallbackRate": rate(sums.fallback),
        "qualityScore": number(aggregate.score),
        "selectedTokens": sums.selected_tokens,
        "droppedTokens": sums.dropped_tokens,
        "sourceKindCounts": kinds,
        "budgetUtilization": categories,
        "selectionReasons": sums.selection_reasons,
        "dropReasons": sums.drop_reasons,
    })
}

fn rate(count: Count) -> Value {
    json!({
        "numerator": count.numerator,
        "denominator": count.denominator,
        "rate": count.rate().map(number),
    })
}

/// A whole number without a fraction, as the published files write it.
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 { json!(value as i64) } else { json!(value) }
}

//! The JSON of `harness localize`. Times are the only values that differ from run to run.

use serde_json::{Map, Value, json};

use crate::localize::{Ablation, Calibration, Found, ImpactShare, PackShare, Ranker, Slice, gain, mean};
use crate::ranking::{RECALL_DEPTHS, RankingScores};

use super::super::gained;
use super::percentile;

/// `localize/1` for one repository, `localize-macro/1` for several.
pub(super) fn document(found: &[Found], ranker: Ranker) -> Value {
    if let [only] = found {
        return repository(only, ranker);
    }
    let mean = mean(found);
    let mut document = json!({
        "schema": "localize-macro/1",
        "engine": ranker.id(),
        "queries": mean.all.queries,
        "metrics": metrics(&mean.all.scores),
        "without_identifier": slice(&mean.without_identifier),
        "latency_ms": latency(&mean.latency_ms),
        "calibration": calibration(&mean.calibration),
        "named_first": named_first(&mean.calibration),
        "repositories": found.iter().map(|f| repository(f, ranker)).collect::<Vec<_>>(),
    });
    add_optional(&mut document, mean.every_file.as_ref(), &mean.ablation, &mean.packs);
    add_impact(&mut document, &mean.impact);
    add_gain(&mut document, found);
    document
}

/// What re-ordering gains, where a model re-orders.
fn add_gain(document: &mut Value, found: &[Found]) {
    if let Some(gain) = gain(found) {
        document["over_static"] = gained::document(&gain);
    }
}

fn repository(found: &Found, ranker: Ranker) -> Value {
    let result = &found.localization;
    let runs: Vec<Value> =
        result.runs.iter().map(|run| json!({"id": run.id, "ranked": run.ranked})).collect();
    let mut document = json!({
        "schema": "localize/1",
        "engine": ranker.id(),
        "repository": found.name,
        "queries": result.runs.len(),
        "metrics": metrics(&result.all.scores),
        "without_identifier": slice(&result.without_identifier),
        "gold": {"files": result.gold, "out_of_reach": result.gold_out_of_reach},
        "index": {
            "files": result.index.files,
            "symbols": result.index.symbols,
            "seconds": result.index_seconds,
            "commits": result.history.unwrap_or(0),
            "no_history": result.history.err(),
            "base": result.base.code(),
        },
        "latency_ms": latency(&result.latency_ms),
        "calibration": calibration(&result.calibration),
        "named_first": named_first(&result.calibration),
        "runs": runs,
    });
    if ranker == Ranker::Learned {
        document["kept_static"] = json!(result.kept_static);
    }
    if let Some(embedded) = &result.embedded {
        document["embeddings"] = json!({
            "model": embedded.model,
            "weight": embedded.weight,
            "files": embedded.synced.files,
            "left_out": embedded.synced.left_out,
            "sent_files": embedded.synced.sent_files,
            "sent": embedded.synced.sent,
            "seconds": embedded.seconds,
            "query_ms": latency(&embedded.query_ms),
        });
    }
    add_optional(&mut document, result.every_file.as_ref(), &found.ablation, &found.packs);
    add_impact(&mut document, &found.impact);
    add_gain(&mut document, std::slice::from_ref(found));
    document
}

fn add_optional(
    document: &mut Value,
    every_file: Option<&Slice>,
    ablation: &[Ablation],
    packs: &[PackShare],
) {
    if let Some(every) = every_file {
        document["every_file"] = slice(every);
    }
    if !ablation.is_empty() {
        let row = |a: &Ablation| json!({"variant": a.variant, "queries": a.slice.queries, "metrics": metrics(&a.slice.scores)});
        document["ablation"] = ablation.iter().map(row).collect();
    }
    if !packs.is_empty() {
        document["packs"] = packs.iter().map(pack).collect();
    }
}

fn add_impact(document: &mut Value, impact: &[ImpactShare]) {
    if impact.is_empty() {
        return;
    }
    let row = |share: &ImpactShare| {
        json!({
            "over": share.over,
            "depth": share.depth,
            "queries": share.queries,
            "found": share.found,
            "precise": share.precise,
            "named": share.named,
            "tests": share.tests,
        })
    };
    document["impact"] = impact.iter().map(row).collect();
}

fn slice(slice: &Slice) -> Value {
    json!({"queries": slice.queries, "metrics": metrics(&slice.scores)})
}

fn metrics(scores: &RankingScores) -> Value {
    let mut out = Map::new();
    for (depth, recall) in RECALL_DEPTHS.iter().zip(scores.recall) {
        out.insert(format!("recall@{depth}"), recall.into());
    }
    out.insert("mrr".to_owned(), scores.mrr.into());
    out.insert("ndcg@10".to_owned(), scores.ndcg_10.into());
    Value::Object(out)
}

fn latency(values: &[f64]) -> Value {
    json!({"p50": percentile(values, 50), "p95": percentile(values, 95)})
}

fn calibration(calibration: &Calibration) -> Value {
    let row = |row: &crate::localize::CalibrationRow| {
        json!({
            "confidence": row.confidence.name(),
            "queries": row.queries,
            "first_right": row.first_right,
            "share": row.share(),
            "interval": row.interval(),
        })
    };
    calibration.rows().iter().map(row).collect()
}

fn named_first(calibration: &Calibration) -> Value {
    let (queries, first_right) = calibration.named();
    json!({"queries": queries, "first_right": first_right})
}

fn pack(share: &PackShare) -> Value {
    json!({
        "budget": share.budget,
        "packs": share.packs,
        "exceeded": share.exceeded,
        "largest": share.largest,
        "mean_tokens": share.mean_tokens,
        "gold_quoted": share.quoted,
        "gold_inside": share.inside,
    })
}

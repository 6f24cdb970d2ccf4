//! The published quality corpus and the figures it locks.

use engine::quality::{Strategy, compare, wire};
use serde_json::{Value, json};

use crate::support::shared;

fn comparison(corpus: &[u8]) -> Value {
    let file: wire::CorpusFile = serde_json::from_slice(corpus).unwrap();
    let (version, fixtures) = file.into_fixtures().unwrap();
    wire::comparison_json(&version, &compare(&fixtures, &Strategy::ALL).unwrap())
}

#[test]
fn both_published_strategies_have_the_published_figures() {
    let Some(folder) = shared("conformance/ds4") else { return };
    let mut ours = comparison(&std::fs::read(folder.join("corpus-v1.json")).unwrap());
    let published: Value =
        serde_json::from_slice(&std::fs::read(folder.join("context-quality-comparison.json")).unwrap())
            .unwrap();
    assert_eq!(ours.as_object_mut().unwrap().remove("schema"), Some(json!("quality/1")));
    assert_eq!(ours, published);
}

fn candidate(id: &str, kind: &str, tokens: u64, group: &str, sources: &[&str], score: f64) -> Value {
    json!({"id": id, "kind": kind, "tokens": tokens, "groupId": group, "sourceIds": sources, "staticScore": score})
}

fn corpus(candidates: &[Value], expected: &[&str], budget: u64) -> Vec<u8> {
    let fixture = json!({
        "schemaVersion": 1, "corpusVersion": "own-v1", "sampleId": "s", "plannerVersion": "p", "profileKey": "k",
        "task": {"taskId": "t", "taskType": "d", "queryTags": []},
        "expectedEvidenceSourceIds": expected, "candidates": candidates,
        "totalBudgetTokens": budget, "categoryBudgets": {},
    });
    serde_json::to_vec(&json!({"schemaVersion": 1, "corpusVersion": "own-v1", "fixtures": [fixture]}))
        .unwrap()
}

#[test]
fn a_group_is_taken_whole_or_not_at_all() {
    let group = [
        candidate("a", "history", 60, "pair", &["e:a"], 9.0),
        candidate("b", "history", 60, "pair", &["e:b"], 1.0),
        candidate("c", "history", 50, "lone", &["e:c"], 5.0),
    ];
    let result = comparison(&corpus(&group, &["e:a", "e:c"], 100));
    let aggregate = &result["strategies"][0]["aggregate"];
    assert_eq!(aggregate["evidenceRecall"], json!({"numerator": 1, "denominator": 2, "rate": 0.5}));
    assert_eq!(aggregate["atomicGroupValidity"]["rate"], json!(1));
    assert_eq!(aggregate["selectedTokens"], json!(50));
}

#[test]
fn a_corpus_without_labels_scores_nothing() {
    let result = comparison(&corpus(&[candidate("a", "history", 1, "g", &["e:a"], 1.0)], &[], 10));
    assert_eq!(result["strategies"][0]["aggregate"]["qualityScore"], json!(0));
    assert_eq!(result["strategies"][0]["aggregate"]["evidenceRecall"]["rate"], Value::Null);
}

#[test]
fn bad_fixtures_are_refused_with_their_place() {
    let refusal = |candidates: &[Value], expected: &[&str]| {
        let file: wire::CorpusFile = serde_json::from_slice(&corpus(candidates, expected, 10)).unwrap();
        compare(&file.into_fixtures().unwrap().1, &Strategy::ALL).unwrap_err().to_string()
    };
    let twice = [candidate("a", "k", 1, "g", &[], 1.0), candidate("a", "k", 1, "g", &[], 1.0)];
    insta::assert_snapshot!(
        [
            refusal(&twice, &[]),
            refusal(&[candidate("a b", "k", 1, "g", &[], 1.0)], &[]),
            refusal(&[], &["../etc\n"]),
        ]
        .join("\n")
    );
}

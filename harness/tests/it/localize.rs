//! `harness localize`: metrics, order and failures on a project of four files; metrics against trec_eval.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use harness::metric::{RECALL_DEPTHS, RankingScores};
use serde_json::Value;

fn localize(folder: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
    command.current_dir(folder).args(["localize", "--root", "root", "--queries", "queries.jsonl"]).args(more);
    command
}

fn project(queries: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    write("root/src/coupon.py", "def apply_coupon(cart, coupon):\n    return cart\n");
    write("root/src/cart.py", "def total(cart):\n    return 0\n");
    write("root/src/tax.py", "def tax(total):\n    return total / 5\n");
    write("root/notes.md", "coupon coupon coupon\n");
    write("queries.jsonl", queries);
    folder
}

fn json(folder: &Path, more: &[&str]) -> Value {
    let output =
        localize(folder, &[&["--json"], more].concat()).assert().success().get_output().stdout.clone();
    serde_json::from_slice(&output).unwrap()
}

const QUERIES: &str = r#"{"id": "a", "query": "coupon is applied twice", "gold": ["src/coupon.py"], "commit": "x"}
{"id": "b", "query": "zebra", "gold": ["src/tax.py"]}
"#;

#[test]
fn a_query_without_result_scores_zero_and_counts() {
    let project = project(QUERIES);
    let document = json(project.path(), &[]);
    assert_eq!(document["schema"], "localize/1");
    assert_eq!(document["queries"], 2);
    assert_eq!(document["metrics"]["mrr"], 0.5);
    assert_eq!(document["metrics"]["recall@1"], 0.5);
    assert_eq!(document["metrics"]["ndcg@10"], 0.5);
    assert_eq!(document["index"]["files"], 4);
    assert_eq!(document["runs"][0]["ranked"][0], "src/coupon.py");
    assert_eq!(document["runs"][1]["ranked"], Value::Array(Vec::new()));
}

#[test]
fn candidates_drop_other_paths_and_the_limit_cuts_after_scoring() {
    let project = project(r#"{"id": "a", "query": "coupon total of the cart", "gold": ["src/tax.py"]}"#);
    fs::write(project.path().join("candidates.json"), r#"["src/coupon.py", "src/tax.py"]"#).unwrap();
    let all = json(project.path(), &["--candidates", "candidates.json"]);
    assert_eq!(all["runs"][0]["ranked"], serde_json::json!(["src/coupon.py", "src/tax.py"]));
    let cut = json(project.path(), &["--candidates", "candidates.json", "--limit", "1"]);
    assert_eq!(cut["runs"][0]["ranked"], serde_json::json!(["src/coupon.py"]));
    assert_eq!(all["metrics"], cut["metrics"]);
    assert_eq!(cut["metrics"]["mrr"], 0.5);
}

#[test]
fn only_times_differ_between_runs() {
    let project = project(QUERIES);
    let without_times = || {
        let mut document = json(project.path(), &["--ablate"]);
        document["index"]["seconds"] = Value::Null;
        document["latency_ms"] = Value::Null;
        document
    };
    assert_eq!(without_times(), without_times());
}

#[test]
fn nothing_is_written_below_the_root() {
    let project = project(QUERIES);
    json(project.path(), &[]);
    assert!(!project.path().join("root/.sluice").exists());
}

#[test]
fn bad_input_has_its_code_and_line() {
    let fails = |queries: &str, code: i32, said: &str| {
        let project = project(queries);
        let output = localize(project.path(), &[]).assert().code(code).get_output().stderr.clone();
        let stderr = String::from_utf8(output).unwrap();
        assert!(stderr.contains(said), "{stderr}");
    };
    fails("", 65, "queries.jsonl: no queries");
    fails("{\"id\": \"a\"}\n", 65, "queries.jsonl:1: no query");
    fails("\n{\"id\": \"a\", \"query\": \"x\", \"gold\": []}\n", 65, "queries.jsonl:2: a query without gold");
    fails(&format!("{QUERIES}{QUERIES}"), 65, "queries.jsonl:3: id \"a\" stands twice");
    let project = project(QUERIES);
    localize(project.path(), &["--candidates", "absent.json"]).assert().code(74);
    localize(project.path(), &["--engine", "unknown"]).assert().code(64);
}

/// `benches/peers/trec_fixture.py` wrote the cases and asked trec_eval.
#[test]
fn scores_are_those_of_trec_eval() {
    let text = include_str!("../../fixtures/ranking.json");
    let document: Value = serde_json::from_str(text).unwrap();
    let cases = document["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 60);
    for case in cases {
        let names = |member: &str| -> Vec<String> {
            case[member].as_array().unwrap().iter().map(|item| format!("item{item}")).collect()
        };
        let (ranked, relevant) = (names("ranked"), names("relevant"));
        let ranked: Vec<&str> = ranked.iter().map(String::as_str).collect();
        let scores = RankingScores::of(&ranked, &relevant.iter().map(String::as_str).collect());
        let same = |metric: &str, ours: f64| {
            let theirs = case["scores"][metric].as_f64().unwrap();
            assert!((ours - theirs).abs() < 1e-12, "{metric}: {ours} for {theirs}: {case}");
        };
        for (depth, recall) in RECALL_DEPTHS.iter().zip(scores.recall) {
            same(&format!("recall@{depth}"), recall);
        }
        same("mrr", scores.mrr);
        same("ndcg@10", scores.ndcg_10);
    }
}

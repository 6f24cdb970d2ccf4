//! `harness localize`: metrics, order and failures on a project of four files; metrics against trec_eval.

use std::fs;
use std::path::Path;
use std::process::Command as Process;

use assert_cmd::Command;
use engine::learn::{Feature, Forest, Model, Training};
use harness::ranking::{RECALL_DEPTHS, RankingScores};
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

/// A ranker reads the history that the checked-out commit reaches: where that goes beyond the queries' base, it holds them.
#[test]
fn a_checkout_whose_history_holds_the_answers_is_refused() {
    let project = project(QUERIES);
    let git = |arguments: &[&str]| {
        let identity =
            ["-c", "user.name=n", "-c", "user.email=n@example.invalid", "-c", "commit.gpgsign=false"];
        let root = project.path().join("root");
        let done = Process::new("git").args(identity).args(arguments).current_dir(root).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };
    let commit = |message: &str| {
        git(&["commit", "-q", "--allow-empty", "-m", message]);
        git(&["rev-parse", "HEAD"])
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    let (first, base, last) =
        (commit("shop: begin"), commit("shop: go on"), commit("coupon is applied twice"));
    let query = r#"{"id": "a", "query": "coupon is applied twice", "gold": ["src/coupon.py"], "base_commit": "BASE"}"#;
    let ask =
        |base: &str| fs::write(project.path().join("queries.jsonl"), query.replace("BASE", base)).unwrap();
    let standing = || json(project.path(), &[])["index"]["base"].clone();
    let text = |end: &str| {
        let output = localize(project.path(), &[]).assert().success().get_output().stdout.clone();
        let text = String::from_utf8(output).unwrap();
        assert!(text.contains(&format!("commits{end}\n")), "{text}");
    };

    assert_eq!(standing(), "untold");
    text("");
    for named in [&base, &base[..10]] {
        ask(named);
        let refused = "harness: root: the checked-out commit reaches commits behind the queries' base_commit: \
                       check that one out, or the history would hold the answers\n";
        localize(project.path(), &[]).assert().code(65).stdout("").stderr(refused);
    }
    // A branch's name may move: it says nothing about then.
    for unknown in ["0123456789012345678901234567890123456789", "HEAD", "deadbeef"] {
        ask(unknown);
        assert_eq!(standing(), "unknown-base");
        text("; the repository doesn't hold the queries' base_commit: it may hold the answers");
    }
    ask(&last);
    assert_eq!(standing(), "at-base");
    text(", ends at the queries' base");
    git(&["checkout", "-q", &first]);
    assert_eq!(standing(), "before-base");
    text(", ends before the queries' base");
    fs::remove_dir_all(project.path().join("root/.git")).unwrap();
    assert_eq!(standing(), "untold");
}

/// A relevant file that isn't below the root, or no candidate, lowers every score whatever the engine does: it is told.
#[test]
fn gold_that_no_ranking_can_name_is_told() {
    let queries = r#"{"id": "a", "query": "coupon is applied", "gold": ["src/coupon.py", "src/gone.py"]}
{"id": "b", "query": "tax of the total", "gold": ["src/tax.py"]}"#;
    let project = project(queries);
    let told = |more: &[&str]| json(project.path(), more)["gold"].clone();
    assert_eq!(told(&[]), serde_json::json!({"files": 3, "out_of_reach": 1}));
    fs::write(project.path().join("candidates.json"), r#"["src/coupon.py", "src/gone.py"]"#).unwrap();
    let more = ["--candidates", "candidates.json"];
    assert_eq!(told(&more), serde_json::json!({"files": 3, "out_of_reach": 2}));
    let output = localize(project.path(), &more).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    assert!(text.contains("\nout of reach: 2 of 3 relevant files "), "{text}");
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

/// The arguments that score the project of `project` twice, as two repositories.
const TWICE: [&str; 4] = ["--root", "root", "--queries", "queries.jsonl"];

#[test]
fn several_repositories_are_scored_one_by_one_and_as_a_mean() {
    let project = project(QUERIES);
    let document = json(project.path(), &[&TWICE[..], &["--ablate", "--pack", "60,400"]].concat());
    assert_eq!(document["schema"], "localize-macro/1");
    assert_eq!(document["queries"], 4);
    assert_eq!(document["metrics"], document["repositories"][0]["metrics"]);
    assert_eq!(document["repositories"].as_array().unwrap().len(), 2);
    let packs = document["packs"].as_array().unwrap();
    let budgets: Vec<_> = packs.iter().map(|p| (&p["budget"], &p["packs"], &p["exceeded"])).collect();
    let number = serde_json::Number::from;
    let expected = |budget: u64| [budget, 4, 0].map(|n| Value::Number(number(n)));
    assert_eq!(budgets.len(), 2);
    for (found, budget) in budgets.into_iter().zip([60, 400]) {
        assert_eq!([found.0.clone(), found.1.clone(), found.2.clone()], expected(budget));
    }
    assert_eq!(packs[1]["gold_quoted"], 0.5);
    let named = |variant: &str| {
        document["ablation"].as_array().unwrap().iter().find(|row| row["variant"] == variant).unwrap().clone()
    };
    assert_eq!(named("without lexical")["queries"], 4);
    assert_eq!(named("only area")["metrics"]["mrr"], 0.0);
    assert_eq!(named("rest, change told")["queries"], 0, "no query has several relevant files");
}

#[test]
fn the_text_has_slices_calibration_and_packs() {
    let queries = r#"{"id": "a", "query": "coupon is applied twice", "gold": ["src/coupon.py"], "has_ident": false}
{"id": "b", "query": "look at src/cart.py", "gold": ["src/cart.py"], "has_ident": true}"#;
    let project = project(queries);
    fs::write(project.path().join("candidates.json"), r#"["src/coupon.py", "src/cart.py"]"#).unwrap();
    let more = ["--candidates", "candidates.json", "--pack", "200"];
    let output = localize(project.path(), &more).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    // The last line has times.
    let (steady, _) = text.rsplit_once("\nmilliseconds a query: ").unwrap();
    insta::assert_snapshot!(steady);
}

#[test]
fn files_must_be_as_many_as_roots() {
    let project = project(QUERIES);
    let refused = |more: &[&str], said: &str| {
        let output = localize(project.path(), more).assert().code(64).get_output().stderr.clone();
        let stderr = String::from_utf8(output).unwrap();
        assert!(stderr.contains(said), "{stderr}");
    };
    refused(&["--root", "root"], "--queries: 1 files for 2 roots");
    refused(&[&TWICE[..], &["--candidates", "x.json"]].concat(), "--candidates: 1 files for 2 roots");
}

/// A provider of one text a request: `taxes` are what query b means.
const PROVIDER: &str = r#"
    read -r hello
    echo '{"protocol":"sluice-embeddings/1","model":"words","dimensions":2,"max_batch":1}'
    n=0
    while read -r line; do
        n=$((n + 1))
        case "$line" in *tax.py*|*zebra*) v='[1,0.01]' ;; *) v='[0.01,1]' ;; esac
        echo "{\"id\":$n,\"vectors\":[$v]}"
    done"#;

fn with_provider<'a>(script: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let provider = ["--embeddings", "sh", "--embeddings-argument", "-c", "--embeddings-argument", script];
    provider.into_iter().chain(["--embeddings-consent"]).chain(more.iter().copied()).collect()
}

#[test]
fn embeddings_are_rows_where_a_provider_is_named_and_nowhere_else() {
    let project = project(QUERIES);
    let variants = |document: &Value| -> Vec<String> {
        let rows = document["ablation"].as_array().unwrap().iter();
        rows.map(|row| row["variant"].as_str().unwrap().to_owned()).collect()
    };
    let plain = json(project.path(), &["--ablate"]);
    assert!(variants(&plain).iter().all(|variant| !variant.contains("embeddings")));
    assert_eq!(plain["embeddings"], Value::Null);
    let more = with_provider(PROVIDER, &["--ablate", "--embeddings-state", "vectors"]);
    let document = json(project.path(), &more);
    let mrr = |name: &str| {
        let rows = document["ablation"].as_array().unwrap();
        rows.iter().find(|row| row["variant"] == name).unwrap()["metrics"]["mrr"].as_f64().unwrap()
    };
    assert_eq!((mrr("without embeddings"), mrr("with embeddings at 0.25")), (0.5, 1.0));
    assert_eq!(document["metrics"]["mrr"], 1.0);
    assert_eq!((&document["embeddings"]["sent"], &document["embeddings"]["files"]), (&4.into(), &4.into()));
    assert_eq!(json(project.path(), &more)["embeddings"]["sent"], 0, "vectors are kept");
}

#[test]
fn what_embeddings_cannot_be_measured_is_no_measurement() {
    let project = project(QUERIES);
    let refused = |more: &[&str], code: i32, said: &str| {
        let output = localize(project.path(), more).assert().code(code).get_output().stderr.clone();
        let stderr = String::from_utf8(output).unwrap();
        assert!(stderr.contains(said), "{stderr}");
    };
    refused(&with_provider("exit 1", &[]), 74, "embeddings (ended): it ended before its handshake");
    refused(&with_provider("echo no; cat", &[]), 65, "embeddings (bad-handshake)");
    refused(&with_provider(PROVIDER, &["--pack", "500"]), 64, "leave out --embeddings");
    refused(&["--embeddings", "sh"], 64, "add --embeddings-consent");
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

/// A model of one weight that turns the static order round.
fn turning() -> String {
    let forest = Forest::new(vec![Feature::StaticShare], vec![(0, -1)], Vec::new()).unwrap();
    let training = Training {
        recipe: "by hand".to_owned(),
        repositories: Vec::new(),
        queries: 0,
        rows: 0,
        rows_sha256: String::new(),
    };
    Model::new(forest, training).to_text()
}

#[test]
fn a_learned_model_re_orders_and_one_of_another_make_is_refused() {
    let project = project(r#"{"id": "a", "query": "coupon total of the cart", "gold": ["src/tax.py"]}"#);
    let program = |more: &[&str]| -> Vec<String> {
        let ranked = json(project.path(), more)["runs"][0]["ranked"].clone();
        let paths: Vec<String> = serde_json::from_value(ranked).unwrap();
        paths.into_iter().filter(|path| path.ends_with(".py")).collect()
    };
    fs::write(project.path().join("model.json"), turning()).unwrap();
    let learned = ["--engine", "built-in-learned", "--model", "model.json"];
    let mut turned = program(&[]);
    assert_eq!(turned.len(), 3);
    turned.reverse();
    assert_eq!(program(&learned), turned);
    assert_eq!(program(&learned[2..]), turned, "a model names its engine");
    let shipped = json(project.path(), &["--engine", "built-in-learned"]);
    assert_eq!(
        (&shipped["engine"], &shipped["kept_static"]),
        (&"built-in-learned".into(), &serde_json::json!({}))
    );
    // The relevant file goes from the last place among the programs to the first, or the other way.
    let gained = &json(project.path(), &learned)["over_static"];
    let figure = |of: &str| gained["mrr"][of].as_f64().unwrap();
    let rank =
        |order: &[String]| 1.0 / (1 + order.iter().position(|path| path == "src/tax.py").unwrap()) as f64;
    let mut before = turned.clone();
    before.reverse();
    assert_eq!((figure("mean") > 0.0, figure("queries")), (rank(&turned) > rank(&before), 1.0), "{gained}");
    assert_eq!(
        (figure("low"), figure("high")),
        (figure("mean"), figure("mean")),
        "one query leaves no choice"
    );
    assert_eq!(json(project.path(), &[])["over_static"], Value::Null, "nothing re-orders");
    let refused = |more: &[&str], code: i32, said: &str| {
        let output = localize(project.path(), more).assert().code(code).get_output().stderr.clone();
        let stderr = String::from_utf8(output).unwrap();
        assert!(stderr.contains(said), "{stderr}");
    };
    let deaf = ["--engine", "built-in-rrf", "--model", "model.json"];
    refused(&deaf, 64, "--model: this engine hears no model: leave out --engine");
    refused(&[&learned[..], &["--ablate"]].concat(), 64, "measure the static ranking");
    fs::write(project.path().join("model.json"), turning().replacen("-1", "-2", 1)).unwrap();
    refused(&learned, 65, "model.json: ranking model: checksum");
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

#[test]
fn impact_is_asked_for_the_tests_that_changed_with_their_sources() {
    let queries = r#"{"id": "a", "query": "x", "gold": ["kv/page.go", "kv/tree_test.go"]}
{"id": "b", "query": "x", "gold": ["kv/page.go"]}
"#;
    let project = project(queries);
    let write = |path: &str, text: &str| {
        fs::create_dir_all(project.path().join(path).parent().unwrap()).unwrap();
        fs::write(project.path().join(path), text).unwrap();
    };
    write("root/kv/page.go", "package kv\n\nfunc NewPage() int { return 1 }\n");
    write("root/kv/tree.go", "package kv\n\nfunc Grow() int { return NewPage() }\n");
    write(
        "root/kv/tree_test.go",
        "package kv\n\nimport \"testing\"\n\nfunc TestGrow(t *testing.T) { Grow() }\n",
    );
    let document = json(project.path(), &["--impact"]);
    let shown = |over: &str, depth: u64| {
        let rows = document["impact"].as_array().unwrap();
        let row = rows.iter().find(|row| row["over"] == over && row["depth"] == depth).unwrap();
        (row["queries"].as_u64().unwrap(), row["found"].as_f64().unwrap(), row["named"].as_f64().unwrap())
    };
    assert_eq!(shown("and imports", 4), (1, 0.0, 0.0));
    assert_eq!(shown("and uses", 1), (1, 0.0, 0.0));
    assert_eq!(shown("and uses", 2), (1, 1.0, 1.0));
    let mean = json(project.path(), &[&TWICE[..], &["--impact"]].concat());
    assert_eq!(mean["impact"].as_array().unwrap().len(), 12);
    assert_eq!((&mean["impact"][9]["queries"], &mean["impact"][9]["found"]), (&2.into(), &1.0.into()));
    let output = localize(project.path(), &["--impact"]).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    assert!(text.contains("and uses within 2                 1    1.000    1.000      1.0"), "{text}");
}

//! `harness train`: the same bytes whatever the threads and the order of rows, and what it refuses.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command as Process;

use assert_cmd::Command;
use engine::learn::{Feature, Model};
use harness::train::{Entry, Example, Form, write_rows};
use serde_json::{Value, json};

fn train(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
    command.current_dir(folder).arg("train").args(arguments);
    command
}

/// Queries whose relevant file stands low in the static order and is told by one feature.
fn examples(repositories: usize) -> Vec<Example> {
    let features = Feature::all();
    let place = |feature: Feature| features.iter().position(|f| *f == feature).unwrap();
    let (share, telling) = (place(Feature::StaticShare), place(Feature::Agreement));
    let mut out = Vec::new();
    for repository in 0..repositories {
        for query in 0..24_usize {
            let gold = 1 + (query * 7 + repository) % 5;
            let entry = |at: usize| {
                let mut row = vec![0; features.len()];
                row[share] = 250 - 20 * at as u8;
                row[telling] = if at == gold { 200 } else { (at * 13 + query) as u8 % 90 };
                Entry { path: format!("src/f{at}.rs"), row: Some(row), candidate: true, gold: at == gold }
            };
            out.push(Example {
                repository: format!("owner/r{repository}"),
                query: format!("q{query:02}"),
                form: Form::Whole,
                has_area: false,
                has_ident: query % 2 == 0,
                time: query as i64,
                head: (0..8).map(entry).collect(),
                tail_gold: Vec::new(),
                relevant: 1,
            });
        }
    }
    out
}

const SMALL: [&str; 6] = ["--trees", "20", "--min-rows", "5", "--leaves", "4"];

#[test]
fn threads_and_the_order_of_rows_change_no_byte_of_the_model() {
    let folder = tempfile::tempdir().unwrap();
    let rows = write_rows(&examples(3));
    fs::write(folder.path().join("rows"), &rows).unwrap();
    let (head, lines) = rows.split_once('\n').unwrap();
    let mut lines: Vec<&str> = lines.lines().collect();
    // A fixed shuffle: every fifth line, then every fifth of the next, and files of a query turned round.
    lines =
        (0..5).flat_map(|start| lines.iter().copied().skip(start).step_by(5).collect::<Vec<_>>()).collect();
    let mut shuffled = head.to_owned() + "\n";
    for line in lines {
        let mut value: Value = serde_json::from_str(line).unwrap();
        value["head"].as_array_mut().unwrap().reverse();
        writeln!(shuffled, "{value}").unwrap();
    }
    fs::write(folder.path().join("shuffled"), shuffled).unwrap();
    for (rows, jobs, out) in [("rows", "1", "a"), ("rows", "2", "b"), ("shuffled", "2", "c")] {
        let arguments = [&["--rows", rows, "--jobs", jobs, "--out", out], &SMALL[..]].concat();
        train(folder.path(), &arguments).assert().success();
    }
    let bytes = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(bytes("a"), bytes("b"));
    assert_eq!(bytes("a"), bytes("c"));
    let model = Model::parse(&bytes("a")).unwrap();
    assert!(model.forest().trees().len() > 10, "{}", model.forest().trees().len());
    assert_eq!(model.training().queries, 72);
}

#[test]
fn what_one_feature_tells_is_learnt_for_repositories_not_seen() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("rows"), write_rows(&examples(4))).unwrap();
    for split in ["repository", "time"] {
        let arguments =
            [&["--rows", "rows", "--cross-validate", "--split", split, "--json"], &SMALL[..]].concat();
        let output = train(folder.path(), &arguments).assert().success().get_output().stdout.clone();
        let document: Value = serde_json::from_slice(&output).unwrap();
        assert_eq!(document["schema"], "train/1");
        let whole = &document["cross_validation"][0];
        let low = whole["difference"]["ndcg@10"]["low"].as_f64().unwrap();
        assert!(low > 0.1, "{split}: {whole:#}");
        let queries = if split == "time" { 32 } else { 96 };
        assert_eq!(whole["all"]["queries"], queries);
        assert_eq!(whole["folds"].as_array().unwrap().len(), 4);
        let before = whole["all"]["static"]["mrr"].as_f64().unwrap();
        assert!(before < whole["all"]["learned"]["mrr"].as_f64().unwrap());
    }
}

/// Labels that say nothing: what is learnt from them must not look like a gain on what is held out.
#[test]
fn labels_without_sense_promise_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut examples = examples(4);
    for (number, example) in examples.iter_mut().enumerate() {
        let gold = ((number * 2_654_435_761) >> 7) % example.head.len();
        for (at, entry) in example.head.iter_mut().enumerate() {
            entry.gold = at == gold;
        }
    }
    fs::write(folder.path().join("rows"), write_rows(&examples)).unwrap();
    let arguments = [&["--rows", "rows", "--cross-validate", "--json"], &SMALL[..]].concat();
    let output = train(folder.path(), &arguments).assert().success().get_output().stdout.clone();
    let document: Value = serde_json::from_slice(&output).unwrap();
    let difference = &document["cross_validation"][0]["difference"]["ndcg@10"];
    assert!(difference["low"].as_f64().unwrap() < 0.0, "{difference}");
}

#[test]
fn rows_of_another_make_and_bad_arguments_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let rows = write_rows(&examples(1));
    fs::write(folder.path().join("rows"), &rows).unwrap();
    fs::write(folder.path().join("other"), rows.replacen("static.share", "static.shard", 1)).unwrap();
    fs::write(folder.path().join("torn"), &rows[..rows.len() - 20]).unwrap();
    let fails = |arguments: &[&str], code: i32, said: &str| {
        let output = train(folder.path(), arguments).assert().code(code).get_output().stderr.clone();
        let stderr = String::from_utf8(output).unwrap();
        assert!(stderr.contains(said), "{stderr}");
    };
    fails(&["--rows", "other"], 65, "other:1: rows of other features");
    fails(&["--rows", "torn"], 65, "torn:25: ");
    fails(&["--rows", "absent"], 74, "absent");
    fails(&["--rows", "rows", "--cross-validate"], 64, "one repository");
    fails(&["--rows", "rows", "--out", "m", "--trees", "513"], 64, "at most 512 trees");
    fails(&["--rows", "rows", "--rate", "0"], 64, "rate");
    fails(&["--from", "."], 65, "no checkouts");
    fails(&[], 64, "--from");
}

/// A repository of one commit, with queries about a later one.
fn checkout(folder: &Path, queries: &str) {
    let root = folder.join("shop");
    fs::create_dir_all(root.join("src")).unwrap();
    fs::write(root.join("src/cart.rs"), "pub fn total_of_cart() -> u32 {\n    0\n}\n").unwrap();
    fs::write(root.join("src/coupon.rs"), "pub fn apply_coupon() {}\n").unwrap();
    fs::write(root.join("README.md"), "The cart and the coupon.\n").unwrap();
    let git = |arguments: &[&str]| {
        let identity = ["-c", "user.name=n", "-c", "user.email=n@example.invalid"];
        let done = Process::new("git").args(identity).args(arguments).current_dir(&root).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "-q"]);
    git(&["add", "-A"]);
    git(&["commit", "-q", "-m", "cart: begin"]);
    let base = git(&["rev-parse", "HEAD"]);
    fs::write(folder.join("shop.jsonl"), queries.replace("BASE", &base)).unwrap();
}

const QUERY: &str = r#"{"id": "1", "query": "cart: the total is wrong", "gold": ["src/cart.rs"], "base_commit": "BASE"}
{"id": "2", "query": "apply the coupon once", "gold": ["src/coupon.rs"], "base_commit": "BASE", "time": 5, "has_ident": true}
"#;

#[test]
fn checkouts_become_rows_without_a_word_of_their_text() {
    let folder = tempfile::tempdir().unwrap();
    checkout(folder.path(), QUERY);
    train(folder.path(), &["--from", ".", "--save-rows", "rows"]).assert().success().stdout("4 examples\n");
    let rows = fs::read_to_string(folder.path().join("rows")).unwrap();
    assert!(!rows.contains("total is wrong") && !rows.contains("apply_coupon"));
    let examples: Vec<Value> = rows.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    let forms: BTreeSet<&str> = examples.iter().map(|example| example["form"].as_str().unwrap()).collect();
    assert_eq!(forms, BTreeSet::from(["whole", "without-area"]));
    let head = examples[0]["head"].as_array().unwrap();
    assert_eq!(head[0][0], "src/cart.rs");
    let document = head.iter().find(|entry| entry[0] == "README.md").unwrap();
    assert!(document[1].is_null(), "documents aren't judged: {document}");
    train(folder.path(), &["--from", ".", "--save-rows", "again"]).assert().success();
    assert_eq!(fs::read_to_string(folder.path().join("again")).unwrap(), rows);
}

#[test]
fn a_checkout_beyond_its_base_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    checkout(folder.path(), &QUERY.replace("BASE", "0123456789012345678901234567890123456789"));
    let output = train(folder.path(), &["--from", "."]).assert().code(65).get_output().stderr.clone();
    assert!(String::from_utf8(output).unwrap().contains("its history would hold the answers"));
}

/// A label as a session keeps it.
fn label(id: &str, label: &str, static_score: f64, exact: f64) -> String {
    let hash = |text: &str| engine::learn::centroid::identity_hash(text);
    let repository = if id.ends_with('1') { "one" } else { "two" };
    json!({
        "type": "custom", "customType": "ds4-context-ranking-feedback-v1", "id": id,
        "data": {
            "schemaVersion": 1, "feedbackId": id, "createdAt": 1_000, "repositoryHash": hash(repository),
            "candidateKeyHash": hash(id), "labelSource": "feedback", "label": label, "classification": "normal",
            "features": {
                "sourceKind": "project", "staticScore": static_score, "exactScore": exact, "ftsScore": 0.5,
                "vectorScore": 0.5, "recency": 0.5, "branchRelation": 0.5, "symbolRelation": 0.5,
                "classificationEligible": 1.0, "tokenCost": 0.5, "priorSelected": 0.5,
            },
        },
    })
    .to_string()
}

/// Exit code, both outputs.
fn told(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    format!(
        "code {}\n--- stdout\n{}--- stderr\n{}",
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr)
    )
}

/// The four labels of the published vector: identifier and checksum are those of the format.
#[test]
fn labels_become_the_linear_model() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines = vec![
        label("useful:1", "useful", 0.2, 1.0),
        json!({"type": "message", "id": "m"}).to_string(),
        label("useful:2", "useful", 0.25, 1.0),
        label("irrelevant:1", "irrelevant", 0.9, 0.0),
        label("irrelevant:2", "irrelevant", 0.85, 0.0),
    ];
    fs::write(folder.path().join("labels.jsonl"), lines.join("\n")).unwrap();
    let labels = ["--labels", "labels.jsonl", "--minimum", "4"];
    let run = |more: &[&str]| told(&mut train(folder.path(), &[&labels, more].concat()));
    insta::assert_snapshot!("train_labels_text", run(&["--out", "model.json"]));
    insta::assert_snapshot!("train_labels_json", run(&["--json"]));
    let artefact = fs::read_to_string(folder.path().join("model.json")).unwrap();
    let model = engine::learn::centroid::CentroidModel::parse(&artefact).unwrap();
    assert_eq!(model.id(), "ranking-3f2d0fee67843ba6");
    insta::assert_snapshot!("train_labels_few", told(&mut train(folder.path(), &labels[..2])));
    let least = ["--labels", "labels.jsonl", "--minimum", "1"];
    insta::assert_snapshot!("train_labels_minimum", told(&mut train(folder.path(), &least)));
    insta::assert_snapshot!("train_labels_mixed", run(&["--cross-validate"]));
    lines[0] = lines[0].replace("\"useful\"", "\"splendid\"");
    lines.push(lines[2].clone());
    fs::write(folder.path().join("labels.jsonl"), lines.join("\n")).unwrap();
    insta::assert_snapshot!("train_labels_malformed", run(&[]));
    let labels = ["--labels", "labels.jsonl", "--minimum", "3", "--skip-malformed"];
    insta::assert_snapshot!("train_labels_skipped", told(&mut train(folder.path(), &labels)));
}

/// Labels and rows were written over by the model that was trained on them.
#[test]
fn nothing_that_is_read_is_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let rows = write_rows(&examples(1));
    fs::write(folder.path().join("rows"), &rows).unwrap();
    fs::create_dir(folder.path().join("below")).unwrap();
    for arguments in [
        &["--rows", "rows", "--out", "below/../rows"][..],
        &["--rows", "rows", "--save-rows", "./rows"],
        &["--rows", "rows", "--save-rows", "new", "--out", "below/../new"],
        &["--labels", "rows", "--out", "rows"],
    ] {
        let output = train(folder.path(), arguments).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(64) && told.contains("is named twice"), "{arguments:?}: {told}");
        assert_eq!(fs::read_to_string(folder.path().join("rows")).unwrap(), rows);
        assert!(!folder.path().join("new").exists());
    }
}

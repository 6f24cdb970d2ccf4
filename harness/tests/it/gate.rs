//! The gate through the binary: planted faults, exit codes, files, and the same bytes whatever computed them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use harness::corpus::Corpus;
use harness::gate::look::Look;
use harness::gate::policy::Policy;
use serde_json::{Value, json};

use crate::tiny::Tiny;

const POLICY: &str = include_str!("../../../scenarios/gate.toml");
const AS_OF: &str = "2026-11-30";

/// A campaign recorded under the policy that lies beside it.
fn campaign() -> Tiny {
    let tiny = Tiny::new();
    // Repositories of two files: what a pack quotes beside the gold file is half of it, not a tenth.
    let policy = POLICY
        .replace("resamples = 9999", "resamples = 999")
        .replace("margin = 0.10\nrange", "margin = 0.9\nrange");
    tiny.write("scenarios/gate.toml", &policy);
    let hash = Policy::parse(&policy, "gate.toml").unwrap().sections["auto-context"].sha256.clone();
    tiny.edit_rows(|_| true, |row| row["policy_sha256"] = hash.clone().into());
    let (corpus, _) = Corpus::load(&tiny.corpus_folder()).unwrap();
    Look::at(&corpus, &hash, "auto-context", AS_OF).record(&tiny.corpus_folder()).unwrap();
    tiny
}

fn root(tiny: &Tiny) -> PathBuf {
    tiny.scenarios_folder().parent().unwrap().to_path_buf()
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&target).unwrap();
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn harness() -> Command {
    Command::new(env!("CARGO_BIN_EXE_harness"))
}

fn gate(tiny: &Tiny, arguments: &[&str]) -> Output {
    let mut command = harness();
    command.current_dir(root(tiny));
    command.args(["gate", "--as-of", AS_OF, "--out", "out"]).args(arguments);
    if !arguments.contains(&"--corpus") {
        command.args(["--corpus", "corpus"]);
    }
    command.output().unwrap()
}

fn document(tiny: &Tiny) -> Value {
    serde_json::from_str(&tiny.read("out/gate.json")).unwrap()
}

fn codes(document: &Value) -> Vec<String> {
    let reasons = document["features"][0]["reasons"].as_array().unwrap();
    reasons.iter().map(|reason| reason["code"].as_str().unwrap().to_owned()).collect()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Plants a fault and expects 30 from the plain gate and for the feature, with the code among the reasons.
fn planted(code: &str, plant: impl FnOnce(&Tiny)) {
    let tiny = campaign();
    plant(&tiny);
    for arguments in [&[][..], &["--feature", "auto-context"]] {
        let output = gate(&tiny, arguments);
        assert_eq!(output.status.code(), Some(30), "{code}: {}", stderr(&output));
        let document = document(&tiny);
        assert!(codes(&document).iter().any(|found| found == code), "{code}: {:?}", codes(&document));
        assert_eq!(document["result"], "INVALID");
        assert_eq!(tiny.read("out/verdict"), "INVALID\n");
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    }
}

#[test]
fn a_sound_campaign_is_insufficient_and_supported() {
    let tiny = campaign();
    let output = gate(&tiny, &[]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let document = document(&tiny);
    assert_eq!(document["schema"], "gate/1");
    assert_eq!(document["result"], "SUPPORTED");
    assert_eq!(document["features"][0]["verdict"], "INSUFFICIENT");
    assert_eq!(document["features"][0]["tier"], "synthetic");
    assert_eq!(document["determinism"]["repeats"], 3);
    assert_eq!(document["determinism"]["plans"], document["determinism"]["identical"]);
    for name in ["gate.json", "report.html", "report.md", "junit.xml", "metrics.parquet", "verdict"] {
        assert!(root(&tiny).join("out").join(name).is_file(), "{name}");
    }
    assert_eq!(fs::read_dir(root(&tiny).join("out")).unwrap().count(), 6, "no temporary file stays behind");
    assert_eq!(gate(&tiny, &["--feature", "auto-context"]).status.code(), Some(20));
}

#[test]
fn row_missing() {
    planted("row-missing", |tiny| {
        let mut rows = tiny.rows();
        rows.remove(5);
        tiny.write_rows(&rows);
    });
}

#[test]
fn session_byte_changed() {
    planted("hash-mismatch", |tiny| {
        let name = format!("corpus/{}", tiny.rows()[0]["session"].as_str().unwrap());
        let changed = tiny.read(&name).replacen("2026", "2025", 1);
        tiny.write(&name, &changed);
    });
}

#[test]
fn accepted_flipped() {
    planted("outcome-mismatch", |tiny| {
        let first = tiny.rows()[0].clone();
        let same = |row: &Value| row["session"] == first["session"];
        tiny.edit_rows(same, |row| row["outcome"]["accepted"] = false.into());
    });
}

#[test]
fn both_arms_recorded_with_one_engine() {
    planted("same-engine", |tiny| {
        let native = tiny.rows().into_iter().find(|row| row["variant"] == "native").unwrap();
        let digest = native["engine_digest"].clone();
        tiny.edit_rows(|row| row["variant"] == "auto-context", |row| row["engine_digest"] = digest.clone());
    });
}

#[test]
fn both_arms_declared_with_one_engine() {
    planted("same-engine", |tiny| {
        let variants = tiny.read("scenarios/variants.toml");
        let settings = "engine = \"built-in\"\n[variant.config]\npack_tokens = 1400\n";
        tiny.write("scenarios/variants.toml", &variants.replacen(settings, "engine = \"pass-through\"\n", 1));
    });
}

#[test]
fn model_changed_in_one_arm() {
    planted("model-mismatch", |tiny| {
        tiny.edit_rows(|row| row["variant"] == "auto-context", |row| row["model"] = "other".into());
    });
}

#[test]
fn a_run_marked_missing_is_insufficient_and_nothing_worse() {
    let tiny = campaign();
    let first = tiny.rows()[0].clone();
    tiny.edit_rows(|row| row["session"] == first["session"], |row| row["session"] = Value::Null);
    let plain = gate(&tiny, &[]);
    assert_eq!(plain.status.code(), Some(0), "{}", stderr(&plain));
    assert_eq!(document(&tiny)["features"][0]["verdict"], "INSUFFICIENT");
    assert!(codes(&document(&tiny)).iter().any(|code| code == "missing-runs"));
    assert_eq!(document(&tiny)["corpora"][0]["missing"], 1);
    assert_eq!(gate(&tiny, &["--feature", "auto-context"]).status.code(), Some(20));
}

#[test]
fn another_policy_than_the_one_recorded_under_is_not_preregistered() {
    let tiny = campaign();
    let widened = tiny.read("scenarios/gate.toml").replacen("margin = 0.05", "margin = 0.06", 1);
    tiny.write("scenarios/gate.toml", &widened);
    assert_eq!(gate(&tiny, &[]).status.code(), Some(0));
    assert!(codes(&document(&tiny)).iter().any(|code| code == "not-preregistered"));
    assert_eq!(gate(&tiny, &["--promote", "auto-context"]).status.code(), Some(30));
}

#[test]
fn a_promotion_is_refused_without_a_promote() {
    let tiny = campaign();
    let output = gate(&tiny, &["--promote", "auto-context"]);
    assert_eq!(output.status.code(), Some(20));
    assert!(stderr(&output).contains("refused"), "{}", stderr(&output));
    assert!(!root(&tiny).join("certificates").exists());
    gate(&tiny, &["--promote", "auto-context"]);
    assert_eq!(tiny.read("corpus/looks.jsonl").lines().count(), 1, "one corpus under one policy is one look");
}

/// Exit code and standard error.
fn refusal(tiny: &Tiny, arguments: &[&str]) -> String {
    let output = gate(tiny, arguments);
    let text = stderr(&output).replace(&root(tiny).display().to_string(), "ROOT");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(output.stdout.is_empty());
    format!("{} {text}", output.status.code().unwrap())
}

#[test]
fn bad_input_is_one_clear_line() {
    let tiny = campaign();
    let good = tiny.read("scenarios/gate.toml");
    tiny.write("bad.toml", &good.replace("resamples", "resample"));
    tiny.write("other/corpus.toml", "schema = \"corpus/1\"\n");
    tiny.write("empty/readme", "");
    let all = [
        refusal(&tiny, &["--policy", "bad.toml"]),
        refusal(&tiny, &["--policy", "absent.toml"]),
        refusal(&tiny, &["--feature", "nothing"]),
        refusal(&tiny, &["--corpus", "absent"]),
        refusal(&tiny, &["--corpus", "empty"]),
        refusal(&tiny, &["--corpus", "other"]),
    ]
    .concat();
    insta::assert_snapshot!(all, @r"
    64 harness: bad.toml:9: unknown field `resample`, expected one of `alpha`, `seed`, `resamples`, `minimum_runs`, `maximum_missing`, `discordance_floor`, `prices`, `prices_days`, `certificate_days`, `safety`, `benefit`, `guard`, `assay`, `looks`: correct or remove it
    74 harness: absent.toml: No such file or directory (os error 2): check the path and its permissions
    64 harness: feature nothing: not declared: choose one of auto-context
    74 harness: absent/corpus.toml: No such file or directory (os error 2): check the path and its permissions
    65 harness: empty/corpus.toml: missing: choose a folder with corpus.toml and runs.jsonl
    65 harness: other/corpus.toml: line 1: missing field `name`
    ");
    assert_eq!(gate(&tiny, &["--as-of", "tomorrow"]).status.code(), Some(64));
    assert_eq!(gate(&tiny, &["--no-such-flag"]).status.code(), Some(64));
}

/// The files that must not depend on threads, order or place.
fn outputs(tiny: &Tiny) -> Vec<Vec<u8>> {
    ["gate.json", "report.md", "metrics.parquet"]
        .iter()
        .map(|name| fs::read(root(tiny).join("out").join(name)).unwrap())
        .collect()
}

#[test]
fn the_same_bytes_at_any_thread_count_order_and_place() {
    let tiny = campaign();
    gate(&tiny, &["--jobs", "1"]);
    let one = outputs(&tiny);
    gate(&tiny, &["--jobs", "2"]);
    assert_eq!(one, outputs(&tiny), "two threads");
    let mut rows = tiny.rows();
    rows.reverse();
    rows.swap(3, 20);
    tiny.write_rows(&rows);
    gate(&tiny, &[]);
    assert_eq!(one, outputs(&tiny), "shuffled rows");
    let mut command = harness();
    command.current_dir(root(&tiny).join("scenarios/tasks"));
    command
        .args(["gate", "--corpus", "../../corpus", "--as-of", AS_OF, "--out", "../../out"])
        .assert()
        .code(0);
    assert_eq!(one, outputs(&tiny), "another current folder");
    let elsewhere = Tiny::new();
    copy_folder(&root(&tiny), &root(&elsewhere));
    gate(&elsewhere, &[]);
    assert_eq!(one, outputs(&elsewhere), "another place");
}

/// It judged the project that the command was built in, and said that all was supported.
#[test]
fn outside_any_project_no_other_is_judged() {
    let tiny = campaign();
    fs::remove_file(root(&tiny).join("scenarios/gate.toml")).unwrap();
    let told = gate(&tiny, &[]);
    let error = String::from_utf8(told.stderr).unwrap();
    assert_eq!(told.status.code(), Some(64), "{error}");
    assert!(error.starts_with("harness: scenarios/gate.toml: not found from "), "{error}");
    assert!(!root(&tiny).join("out").exists());
}

/// The gate waited for a writer that never came.
#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_is_refused() {
    for name in [
        "scenarios/gate.toml",
        "scenarios/features.toml",
        "scenarios/variants.toml",
        "scenarios/tasks/alpha/scenario.toml",
        "scenarios/tasks/alpha/prompt.md",
        "corpus/corpus.toml",
        "corpus/runs.jsonl",
    ] {
        let tiny = campaign();
        let file = root(&tiny).join(name);
        fs::remove_file(&file).unwrap();
        assert!(Command::new("mkfifo").arg(&file).output().unwrap().status.success());
        let told = gate(&tiny, &[]);
        let error = String::from_utf8(told.stderr).unwrap();
        assert!(matches!(told.status.code(), Some(64 | 65 | 74)), "{name}: {error}");
        assert!(error.contains("not a regular file"), "{name}: {error}");
        assert!(!root(&tiny).join("out/verdict").exists(), "{name}");
    }
}

#[test]
fn json_on_standard_output_is_the_document() {
    let tiny = campaign();
    let output = gate(&tiny, &["--json"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), tiny.read("out/gate.json"));
}

#[test]
fn the_terminal_summary_fits_and_needs_no_colour() {
    let tiny = campaign();
    let text = String::from_utf8(gate(&tiny, &[]).stdout).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(!text.contains('\u{1b}'));
    assert!(text.contains("INSUFFICIENT") && text.contains("next"));
}

#[test]
fn nothing_private_reaches_a_report() {
    let tiny = campaign();
    gate(&tiny, &[]);
    let place = root(&tiny).display().to_string();
    for name in ["gate.json", "report.html", "report.md", "junit.xml", "metrics.parquet"] {
        let bytes = fs::read(root(&tiny).join("out").join(name)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for private in [place.as_str(), "/home/user", "FAKE-TOKEN-0001", "it subtracts", "return a - b"] {
            assert!(!text.contains(private), "{name} holds {private}");
        }
    }
}

#[test]
fn a_stored_document_is_drawn_again_as_it_was() {
    let tiny = campaign();
    gate(&tiny, &[]);
    let names = ["report.html", "report.md", "junit.xml"];
    let drawn = |tiny: &Tiny| names.map(|name| tiny.read(&format!("out/{name}")));
    let before = drawn(&tiny);
    for name in names {
        fs::remove_file(root(&tiny).join("out").join(name)).unwrap();
    }
    harness().current_dir(root(&tiny)).args(["report", "out"]).assert().code(0);
    assert_eq!(before, drawn(&tiny));
    tiny.write("out/gate.json", "{\"schema\":\"gate/9\"}");
    harness().current_dir(root(&tiny)).args(["report", "out"]).assert().code(65);
    harness().current_dir(root(&tiny)).args(["report", "absent"]).assert().code(74);
}

#[test]
fn power_counts_campaigns_through_the_verdict_code() {
    let arguments =
        ["--simulate", "40", "--scenarios", "80", "--effect", "-0.15", "--cost-ratio", "0.8", "--json"];
    let output = harness().arg("power").args(arguments).output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&value["schema"], &value["campaigns"]), (&json!("power/1"), &json!(40)));
    assert_eq!(value["promote"], 0, "fifteen points worse is never promoted");
    let words = ["promote", "reject", "insufficient", "invalid"];
    assert_eq!(words.iter().map(|word| value[*word].as_u64().unwrap()).sum::<u64>(), 40);
}

/// A size for an acceptance of five hundred percent, or a rate over no campaigns, was a number all the same.
#[test]
fn power_answers_no_question_about_what_cannot_be() {
    let size =
        |odd: &[&'static str]| [&["--size", "0.9", "--effect", "0.02", "--cost-ratio", "0.8"], odd].concat();
    let told: Vec<String> = [
        vec!["--size", "0.9", "--effect", "5", "--cost-ratio", "0.8"],
        vec!["--size", "0.9", "--effect", "0.02", "--cost-ratio", "0"],
        size(&["--alpha", "2"]),
        size(&["--runs", "0"]),
        size(&["--run-variance", "0"]),
        size(&["--missing", "0.1"]),
        vec!["--simulate", "0"],
        vec!["--simulate", "5", "--alpha", "0.5"],
    ]
    .into_iter()
    .map(|arguments| {
        let output = harness().arg("power").args(arguments).output().unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(64), Vec::new()));
        String::from_utf8(output.stderr).unwrap()
    })
    .collect();
    insta::assert_snapshot!("power_refused", told.concat());
}

#[test]
fn doctor_names_the_engine_and_fails_for_nothing() {
    let output = harness().args(["doctor", "--json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["engine_digest"].as_str().unwrap().len(), 64);
}

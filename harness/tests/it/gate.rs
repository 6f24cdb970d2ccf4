//! The gate through the binary: planted faults, exit codes, files, and the same bytes whatever computed them.

use std::fs;
use std::process::Output;

use assert_cmd::Command;
use serde_json::{Value, json};

use crate::emitted::Project;

const AS_OF: &str = "2026-11-30";

/// A campaign whose feature is declared to run in shadow.
fn campaign() -> Project {
    let project = Project::small();
    project.edit("scenarios/features.toml", "default-on", "shadow");
    project
}

fn harness() -> Command {
    Command::new(env!("CARGO_BIN_EXE_harness"))
}

fn gate(project: &Project, arguments: &[&str]) -> Output {
    let mut command = harness();
    command.current_dir(project.root());
    command.args(["gate", "--as-of", AS_OF, "--out", "out"]).args(arguments);
    command.output().unwrap()
}

fn document(project: &Project) -> Value {
    serde_json::from_str(&project.read("out/gate.json")).unwrap()
}

fn codes(document: &Value) -> Vec<String> {
    let reasons = document["features"][0]["reasons"].as_array().unwrap();
    reasons.iter().map(|reason| reason["code"].as_str().unwrap().to_owned()).collect()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Plants a fault and expects 30 from the plain gate and for the feature, with the code among the reasons.
fn planted(code: &str, plant: impl FnOnce(&Project)) {
    let project = campaign();
    plant(&project);
    for arguments in [&[][..], &["--feature", "auto-context"]] {
        let output = gate(&project, arguments);
        assert_eq!(output.status.code(), Some(30), "{code}: {}", stderr(&output));
        let document = document(&project);
        assert!(codes(&document).iter().any(|found| found == code), "{code}: {:?}", codes(&document));
        assert_eq!(document["result"], "INVALID");
        assert_eq!(project.read("out/verdict"), "INVALID\n");
        assert_eq!(stderr(&output).lines().count(), 1, "{}", stderr(&output));
    }
}

#[test]
fn a_sound_campaign_is_insufficient_and_supported() {
    let project = campaign();
    let output = gate(&project, &[]);
    assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""));
    let document = document(&project);
    assert_eq!(document["schema"], "gate/1");
    assert_eq!(document["result"], "SUPPORTED");
    assert_eq!(document["features"][0]["verdict"], "INSUFFICIENT");
    assert_eq!(document["features"][0]["tier"], "synthetic");
    assert_eq!(document["determinism"]["repeats"], 3);
    assert_eq!(document["determinism"]["plans"], document["determinism"]["identical"]);
    for name in ["gate.json", "report.html", "report.md", "junit.xml", "metrics.parquet", "verdict"] {
        assert!(project.root().join("out").join(name).is_file(), "{name}");
    }
    assert_eq!(
        fs::read_dir(project.root().join("out")).unwrap().count(),
        6,
        "no temporary file stays behind"
    );
    assert_eq!(gate(&project, &["--feature", "auto-context"]).status.code(), Some(20));
}

#[test]
fn row_missing() {
    planted("row-missing", |project| {
        let mut rows = project.rows();
        rows.remove(5);
        project.write_rows(&rows);
    });
}

#[test]
fn session_byte_changed() {
    planted("hash-mismatch", |project| {
        let name = format!("corpora/synthetic/{}", project.rows()[0]["session"].as_str().unwrap());
        project.edit(&name, "2026", "2025");
    });
}

#[test]
fn accepted_flipped() {
    planted("outcome-mismatch", |project| {
        let first = project.rows()[0].clone();
        let same = |row: &Value| row["session"] == first["session"];
        project.edit_rows(same, |row| row["outcome"]["accepted"] = false.into());
    });
}

#[test]
fn both_arms_recorded_with_one_engine() {
    planted("same-engine", |project| {
        let native = project.rows().into_iter().find(|row| row["variant"] == "native").unwrap();
        let digest = native["engine_digest"].clone();
        project
            .edit_rows(|row| row["variant"] == "auto-context", |row| row["engine_digest"] = digest.clone());
    });
}

#[test]
fn both_arms_declared_with_one_engine() {
    planted("same-engine", |project| {
        let settings = "engine = \"built-in\"\n[variant.config]\npack_tokens = 1400\n";
        project.edit("scenarios/variants.toml", settings, "engine = \"pass-through\"\n");
    });
}

#[test]
fn model_changed_in_one_arm() {
    planted("model-mismatch", |project| {
        project.edit_rows(|row| row["variant"] == "auto-context", |row| row["model"] = "other".into());
    });
}

#[test]
fn a_run_marked_missing_is_insufficient_and_nothing_worse() {
    let project = campaign();
    let first = project.rows()[0].clone();
    project.edit_rows(|row| row["session"] == first["session"], |row| row["session"] = Value::Null);
    let plain = gate(&project, &[]);
    assert_eq!(plain.status.code(), Some(0), "{}", stderr(&plain));
    assert_eq!(document(&project)["features"][0]["verdict"], "INSUFFICIENT");
    assert!(codes(&document(&project)).iter().any(|code| code == "missing-runs"));
    assert_eq!(document(&project)["corpora"][0]["missing"], 1);
    assert_eq!(gate(&project, &["--feature", "auto-context"]).status.code(), Some(20));
}

#[test]
fn another_policy_than_the_one_recorded_under_is_not_preregistered() {
    let project = campaign();
    project.edit("scenarios/gate.toml", "margin = 0.1", "margin = 0.09");
    assert_eq!(gate(&project, &[]).status.code(), Some(0));
    assert!(codes(&document(&project)).iter().any(|code| code == "not-preregistered"));
    assert_eq!(gate(&project, &["--promote", "auto-context"]).status.code(), Some(30));
}

#[test]
fn a_promotion_is_refused_without_a_promote() {
    let project = campaign();
    let output = gate(&project, &["--promote", "auto-context"]);
    assert_eq!(output.status.code(), Some(20));
    assert!(stderr(&output).contains("refused"), "{}", stderr(&output));
    assert!(!project.root().join("certificates").exists());
    gate(&project, &["--promote", "auto-context"]);
    assert_eq!(
        project.read("corpora/synthetic/looks.jsonl").lines().count(),
        1,
        "one corpus under one policy is one look"
    );
}

/// Exit code and standard error.
fn refusal(project: &Project, arguments: &[&str]) -> String {
    let output = gate(project, arguments);
    let text = stderr(&output).replace(&project.root().display().to_string(), "ROOT");
    assert_eq!(text.lines().count(), 1, "{text}");
    assert!(output.stdout.is_empty());
    format!("{} {text}", output.status.code().unwrap())
}

#[test]
fn bad_input_is_one_clear_line() {
    let project = campaign();
    let good = project.read("scenarios/gate.toml");
    project.write("bad.toml", &good.replace("resamples", "resample"));
    project.write("other/corpus.toml", "schema = \"corpus/1\"\n");
    project.write("empty/readme", "");
    let all = [
        refusal(&project, &["--policy", "bad.toml"]),
        refusal(&project, &["--policy", "absent.toml"]),
        refusal(&project, &["--feature", "nothing"]),
        refusal(&project, &["--corpus", "absent"]),
        refusal(&project, &["--corpus", "empty"]),
        refusal(&project, &["--corpus", "other"]),
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
    assert_eq!(gate(&project, &["--as-of", "tomorrow"]).status.code(), Some(64));
    assert_eq!(gate(&project, &["--no-such-flag"]).status.code(), Some(64));
}

/// The files that must not depend on threads, order or place.
fn outputs(project: &Project) -> Vec<Vec<u8>> {
    ["gate.json", "report.md", "metrics.parquet"]
        .iter()
        .map(|name| fs::read(project.root().join("out").join(name)).unwrap())
        .collect()
}

#[test]
fn the_same_bytes_at_any_thread_count_order_and_place() {
    let project = campaign();
    gate(&project, &["--jobs", "1"]);
    let one = outputs(&project);
    gate(&project, &["--jobs", "2"]);
    assert_eq!(one, outputs(&project), "two threads");
    let mut rows = project.rows();
    rows.reverse();
    rows.swap(3, 20);
    project.write_rows(&rows);
    gate(&project, &[]);
    assert_eq!(one, outputs(&project), "shuffled rows");
    let mut command = harness();
    command.current_dir(project.root().join("scenarios/tasks"));
    command.args(["gate", "--as-of", AS_OF, "--out", "../../out"]).assert().code(0);
    assert_eq!(one, outputs(&project), "another current folder");
    let elsewhere = project.elsewhere();
    gate(&elsewhere, &[]);
    assert_eq!(one, outputs(&elsewhere), "another place");
}

/// It judged the project that the command was built in, and said that all was supported.
#[test]
fn outside_any_project_no_other_is_judged() {
    let project = campaign();
    fs::remove_file(project.root().join("scenarios/gate.toml")).unwrap();
    let told = gate(&project, &[]);
    let error = String::from_utf8(told.stderr).unwrap();
    assert_eq!(told.status.code(), Some(64), "{error}");
    assert!(error.starts_with("harness: scenarios/gate.toml: not found from "), "{error}");
    assert!(!project.root().join("out").exists());
}

/// The gate waited for a writer that never came.
#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_file_is_refused() {
    for name in [
        "scenarios/gate.toml",
        "scenarios/features.toml",
        "scenarios/variants.toml",
        "scenarios/tasks/s000000/scenario.toml",
        "scenarios/tasks/s000000/prompt.md",
        "corpora/synthetic/corpus.toml",
        "corpora/synthetic/runs.jsonl",
    ] {
        let project = campaign();
        let file = project.root().join(name);
        fs::remove_file(&file).unwrap();
        assert!(Command::new("mkfifo").arg(&file).output().unwrap().status.success());
        let told = gate(&project, &[]);
        let error = String::from_utf8(told.stderr).unwrap();
        assert!(matches!(told.status.code(), Some(64 | 65 | 74)), "{name}: {error}");
        assert!(error.contains("not a regular file"), "{name}: {error}");
        assert!(!project.root().join("out/verdict").exists(), "{name}");
    }
}

#[test]
fn json_on_standard_output_is_the_document() {
    let project = campaign();
    let output = gate(&project, &["--json"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), project.read("out/gate.json"));
}

#[test]
fn the_terminal_summary_fits_and_needs_no_colour() {
    let project = campaign();
    let text = String::from_utf8(gate(&project, &[]).stdout).unwrap();
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(!text.contains('\u{1b}'));
    assert!(text.contains("INSUFFICIENT") && text.contains("next"));
}

#[test]
fn nothing_private_reaches_a_report() {
    let project = campaign();
    gate(&project, &[]);
    let place = project.root().display().to_string();
    for name in ["gate.json", "report.html", "report.md", "junit.xml", "metrics.parquet"] {
        let bytes = fs::read(project.root().join("out").join(name)).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for private in [place.as_str(), "/home/user", "FAKE-TOKEN-0001", "it subtracts", "return a - b"] {
            assert!(!text.contains(private), "{name} holds {private}");
        }
    }
}

/// Names from files once coloured the terminal and turned lines of the page, and one that XML doesn't know broke `junit.xml`.
#[test]
fn names_from_files_do_nothing_in_reports() {
    let project = campaign();
    let hostile = r#"name = "syn\u001b[2J\u202e\uffff\n# SUPPORTED<script>""#;
    project.edit("corpora/synthetic/corpus.toml", "name = \"synthetic\"", hostile);
    project.edit_rows(|row| row["repetition"] == 0, |row| row["scenario"] = "s\u{1b}[2J\u{ffff}\n".into());
    let output = gate(&project, &[]);
    assert_eq!((output.status.code(), stderr(&output).lines().count()), (Some(30), 1));
    let mut told = vec![("terminal", output.stdout), ("errors", output.stderr)];
    for name in ["report.html", "report.md", "junit.xml"] {
        told.push((name, fs::read(project.root().join("out").join(name)).unwrap()));
    }
    for (name, bytes) in told {
        let text = String::from_utf8(bytes).unwrap();
        let acts = |letter: &char| adapters::cli::acts(*letter) && *letter != '\n';
        assert_eq!(text.chars().find(acts), None, "{name}");
        assert!(!name.contains('.') || !text.contains("<script>"), "{name}");
        assert!(name != "report.md" || !text.contains("\n# SUPPORTED"), "{name}");
    }
}

/// JUnit was green where the gate was asked about a feature in shadow and refused it, and where there was no feature.
#[test]
fn junit_is_red_wherever_the_gate_fails() {
    let project = campaign();
    let red = |arguments: &[&str]| {
        let code = gate(&project, arguments).status.code().unwrap();
        (code, project.read("out/junit.xml").contains("<failure"))
    };
    assert_eq!(red(&[]), (0, false));
    assert_eq!(red(&["--feature", "auto-context"]), (20, true));
    project.write("scenarios/features.toml", "schema = \"features/1\"\n");
    assert_eq!(red(&[]), (30, true));
}

/// `harness report` drew whatever a document said of itself.
#[test]
fn a_document_that_contradicts_itself_is_not_drawn() {
    let project = campaign();
    let changes: [fn(&mut Value); 4] = [
        |document| document["result"] = "INSUFFICIENT".into(),
        |document| document["exit_code"] = 20.into(),
        |document| document["features"][0]["supported"] = false.into(),
        |document| document["features"] = json!([]),
    ];
    gate(&project, &[]);
    let sound = document(&project);
    for change in changes {
        let mut altered = sound.clone();
        change(&mut altered);
        project.write("out/gate.json", &altered.to_string());
        let told = harness().current_dir(project.root()).args(["report", "out"]).output().unwrap();
        assert_eq!(told.status.code(), Some(65));
        assert!(stderr(&told).contains("altered: run `harness gate` again"), "{}", stderr(&told));
    }
}

#[test]
fn a_stored_document_is_drawn_again_as_it_was() {
    let project = campaign();
    gate(&project, &[]);
    let names = ["report.html", "report.md", "junit.xml"];
    let drawn = |project: &Project| names.map(|name| project.read(&format!("out/{name}")));
    let before = drawn(&project);
    for name in names {
        fs::remove_file(project.root().join("out").join(name)).unwrap();
    }
    harness().current_dir(project.root()).args(["report", "out"]).assert().code(0);
    assert_eq!(before, drawn(&project));
    project.write("out/gate.json", "{\"schema\":\"gate/9\"}");
    harness().current_dir(project.root()).args(["report", "out"]).assert().code(65);
    harness().current_dir(project.root()).args(["report", "absent"]).assert().code(74);
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
        vec!["--simulate", "18446744073709551615"],
        vec!["--simulate", "1", "--scenarios", "4000000000"],
        vec!["--emit", "nowhere", "--scenarios", "100000"],
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

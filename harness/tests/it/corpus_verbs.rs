//! `replay`, `compare` and `verify-corpus` as a person calls them.

use std::fs;

use assert_cmd::Command;
use insta::assert_snapshot;
use serde_json::Value;

use crate::emitted::{Project, drawn_of_baseline, is_run, of_arm, requests};

fn harness(project: &Project, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
    command.args(arguments).args(["--scenarios"]).arg(project.path("scenarios")).env("NO_COLOR", "1");
    command
}

/// Exit code, standard output and standard error, without the temporary folder's name.
fn shown(project: &Project, mut command: Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes).replace(&project.root().display().to_string(), "[ROOT]")
    };
    format!(
        "exit {}\n--- stdout\n{}--- stderr\n{}",
        output.status.code().unwrap_or(-1),
        text(&output.stdout),
        text(&output.stderr)
    )
}

/// Requests of the baseline's runs.
fn baseline_requests() -> usize {
    drawn_of_baseline().iter().map(requests).sum()
}

fn corpus(project: &Project) -> String {
    project.corpus("").display().to_string()
}

#[test]
fn a_sound_corpus_is_verified_with_its_graders() {
    let project = Project::small();
    assert_snapshot!(shown(&project, harness(&project, &["verify-corpus", &corpus(&project)])), @r#"
    exit 0
    --- stdout
    synthetic: 36 of 36 scheduled runs read, 0 missing, 36 graders run again, 0 skipped, faults: 0
    --- stderr
    "#);
}

#[test]
fn a_patch_that_its_grader_refuses_is_a_mismatch() {
    let project = Project::small();
    // The transcript and the row agree that the run was accepted; only the grader itself knows better.
    project.edit_file("s000000", "native", "patch", |text| {
        text.replace("+    return a + b", "+    return a * b")
    });
    let hash = project.told("s000000", "native", "patch_sha256");
    project.edit_file("s000000", "native", "grader_log", |text| {
        let mut log: Value = serde_json::from_str(text).unwrap();
        log["patch_sha256"] = hash.clone();
        log.to_string()
    });
    assert_snapshot!(shown(&project, harness(&project, &["verify-corpus", &corpus(&project)])), @r#"
    exit 30
    --- stdout
    synthetic: 36 of 36 scheduled runs read, 0 missing, 36 graders run again, 0 skipped, faults: 1
    --- stderr
    outcome-mismatch: s000000/native-0: the grader refuses the stored patch, the transcript accepts
    "#);
}

#[test]
fn a_flipped_outcome_is_a_mismatch() {
    let project = Project::small();
    let first =
        |row: &Value| row["scenario"] == "s000001" && row["variant"] == "native" && row["repetition"] == 0;
    project.edit_rows(first, |row| row["outcome"]["accepted"] = false.into());
    let command = harness(&project, &["verify-corpus", &corpus(&project), "--no-graders"]);
    assert_snapshot!(shown(&project, command), @r#"
    exit 30
    --- stdout
    synthetic: 36 of 36 scheduled runs read, 0 missing, graders not run, faults: 1
    --- stderr
    outcome-mismatch: s000001/native-0: accepted: the row says false, the transcript true, patch and exit code show true
    "#);
}

#[test]
fn what_is_no_corpus_is_bad_data_and_what_is_not_there_an_input_error() {
    let project = Project::small();
    let scenarios = project.path("scenarios").display().to_string();
    assert_snapshot!(shown(&project, harness(&project, &["verify-corpus", &scenarios])), @r#"
    exit 65
    --- stdout
    --- stderr
    harness: [ROOT]/scenarios/corpus.toml: missing: choose a folder with corpus.toml and runs.jsonl
    "#);
    assert_snapshot!(shown(&project, harness(&project, &["verify-corpus", "/nowhere/at/all"])), @r#"
    exit 74
    --- stdout
    --- stderr
    harness: /nowhere/at/all/corpus.toml: No such file or directory (os error 2): check the path and its permissions
    "#);
}

#[test]
fn an_unknown_variant_and_an_unknown_key_are_usage_errors() {
    let project = Project::small();
    let place = corpus(&project);
    let arguments = ["compare", "--corpus", &place, "--baseline", "native", "--candidate", "natif"];
    assert_snapshot!(shown(&project, harness(&project, &arguments)), @r#"
    exit 64
    --- stdout
    --- stderr
    harness: variant `natif`: not declared: use one of auto-context, auto-context-known-bad, native, native-again
    "#);
    let text = project.read("scenarios/variants.toml").replace("pack_tokens", "pack_tokenz");
    project.write("scenarios/variants.toml", &text);
    assert_snapshot!(shown(&project, harness(&project, &arguments)), @r#"
    exit 64
    --- stdout
    --- stderr
    harness: [ROOT]/scenarios/variants.toml: line 16: unknown field `pack_tokenz`, expected one of `pack_tokens`, `recall_tokens`, `ranker`
    "#);
}

#[test]
fn replay_writes_the_same_bytes_at_any_number_of_threads() {
    let project = Project::small();
    let place = corpus(&project);
    let replay = |jobs: &str| {
        let out = project.path(&format!("out-{jobs}"));
        let target = out.display().to_string();
        let arguments = [
            "replay",
            "--corpus",
            &place,
            "--variant",
            "native",
            "--variant",
            "auto-context",
            "--out",
            &target,
            "--jobs",
            jobs,
            "--json",
        ];
        let output = harness(&project, &arguments).assert().success().get_output().stdout.clone();
        (output, fs::read(out.join("replay.jsonl")).unwrap(), fs::read(out.join("metrics.parquet")).unwrap())
    };
    let one = replay("1");
    assert_eq!(one, replay("2"));
    let summary: Value = serde_json::from_slice(&one.0).unwrap();
    assert_eq!(summary["plans"], 2 * baseline_requests());
    let lines = String::from_utf8(one.1).unwrap();
    let planned: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(planned.len(), 2 * baseline_requests());
    let first =
        |variant: &str| planned.iter().find(|line| line["variant"] == variant).unwrap()["score"].clone();
    // At the first request only the engine's pack can show the gold file.
    assert_eq!(
        (&first("native")["gold_recall"], &first("auto-context")["gold_recall"]),
        (&0.into(), &1.into())
    );
}

#[test]
fn an_arm_that_recalls_plans_alike_where_the_agent_still_holds_everything() {
    let project = Project::small();
    let place = corpus(&project);
    let recalling = "[[variant]]\nid = \"recalling\"\nengine = \"built-in\"\n[variant.config]\n\
                     pack_tokens = 1400\nrecall_tokens = 800\n";
    let variants = project.read("scenarios/variants.toml") + recalling;
    project.write("scenarios/variants.toml", &variants);
    let out = project.path("out");
    let target = out.display().to_string();
    let arguments = ["replay", "--corpus", &place, "--variant", "auto-context", "--variant", "recalling"];
    harness(&project, &[&arguments[..], &["--out", &target]].concat()).assert().success();
    let lines = fs::read_to_string(out.join("replay.jsonl")).unwrap();
    let scores = |variant: &str| -> Vec<Value> {
        let planned = lines.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        planned.filter(|line| line["variant"] == variant).map(|line| line["score"].clone()).collect()
    };
    assert_eq!(scores("recalling").len(), baseline_requests());
    assert_eq!(scores("recalling"), scores("auto-context"));
}

#[test]
fn compare_names_every_metric_with_its_plane_and_interval() {
    let project = Project::small();
    let place = corpus(&project);
    let arguments =
        ["compare", "--corpus", &place, "--baseline", "native", "--candidate", "auto-context", "--json"];
    let output = harness(&project, &arguments).assert().success().get_output().stdout.clone();
    let report: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!((&report["schema"], &report["corpus"]["tier"]), (&"compare/1".into(), &"synthetic".into()));
    let metrics = report["metrics"].as_array().unwrap();
    // Seconds to the first correct edit are of a real model's runs only.
    assert_eq!(metrics.len(), harness::metric::Metric::ALL.len() - 1);
    let requests = metrics.iter().find(|metric| metric["metric"] == "requests").unwrap();
    assert_eq!(requests["plane"], "recorded");
    // The candidate's runs needn't read.
    let reads: usize = drawn_of_baseline().iter().map(|run| run.reads).sum();
    let saved = reads as f64 / 9.0;
    assert!((requests["delta"].as_f64().unwrap() + saved).abs() < 1e-9, "{requests}");
}

/// `verify-corpus` looked at each run alone and passed a corpus whose arms can't be compared, which the gate calls INVALID.
#[test]
fn arms_that_cannot_be_compared_are_a_mismatch() {
    let candidate = "auto-context";
    type Spoil = fn(&mut Value);
    let spoilt: [(&str, Spoil); 5] = [
        ("model-mismatch", |row| row["model"] = "drawn-2".into()),
        ("thinking-mismatch", |row| row["thinking_level"] = "high".into()),
        ("agent-mismatch", |row| row["agent_version"] = "9.0.0".into()),
        ("tools-mismatch", |row| row["tools_sha256"] = "0".repeat(64).into()),
        ("model-artifact-mismatch", |row| row["model_artifact_sha256"] = "0".repeat(64).into()),
    ];
    for (code, spoil) in spoilt {
        let project = Project::small();
        project.edit_rows(of_arm(candidate), spoil);
        let told = shown(&project, harness(&project, &["verify-corpus", &corpus(&project), "--no-graders"]));
        assert!(
            told.starts_with("exit 30") && told.contains(&format!("\n{code}: auto-context: ")),
            "{code}: {told}"
        );
    }
    let project = Project::small();
    let engine = project.told("s000000", "native", "engine_digest");
    project.edit_rows(of_arm(candidate), |row| row["engine_digest"] = engine.clone());
    let told = shown(&project, harness(&project, &["verify-corpus", &corpus(&project), "--no-graders"]));
    assert!(told.starts_with("exit 30") && told.contains("\nsame-engine: "), "{told}");
    fs::remove_file(project.path("scenarios/features.toml")).unwrap();
    let told = shown(&project, harness(&project, &["verify-corpus", &corpus(&project), "--no-graders"]));
    assert!(!told.contains("same-engine"), "nobody says what its arms are: {told}");
}

/// `replay` exited with 0 where rows of the baseline were torn or stood twice.
#[test]
fn a_replay_of_broken_rows_is_no_success() {
    let project = Project::small();
    let twice = project.rows().into_iter().find(|row| is_run("s000000", "native", 0)(row)).unwrap();
    project.write_rows(&[project.rows(), vec![twice]].concat());
    let out = project.path("out").display().to_string();
    let place = corpus(&project);
    let arguments = ["replay", "--corpus", &place, "--variant", "native", "--out", &out];
    let told = shown(&project, harness(&project, &arguments));
    assert!(told.starts_with("exit 30") && told.contains("\nrow-duplicate: "), "{told}");
}

/// `replay` wrote among the evidence; the gate's reports did so one folder further down, or behind a link.
#[cfg(unix)]
#[test]
fn nothing_is_written_into_a_corpus() {
    let project = Project::small();
    let place = corpus(&project);
    std::os::unix::fs::symlink(project.corpus("sessions"), project.path("link")).unwrap();
    let outs =
        [place.clone(), format!("{place}/sessions"), format!("{place}/new/deep"), "link/new".to_owned()];
    for out in &outs {
        for verb in [&["replay", "--corpus", &place, "--variant", "native"][..], &["gate"]] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
            let output =
                command.current_dir(project.path("")).args(verb).args(["--out", out]).output().unwrap();
            let told = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(64), "{verb:?} {out}: {told}");
            assert!(told.contains("its evidence is kept apart from reports"), "{told}");
        }
    }
    for left in ["replay.jsonl", "new", "sessions/new", "sessions/replay.jsonl", "sessions/verdict"] {
        assert!(!project.corpus(left).exists(), "{left}");
    }
}

/// A replay that failed or was killed left a file of its own beside one of the former.
#[test]
fn a_replay_that_fails_leaves_nothing_of_the_former_one() {
    let project = Project::small();
    let out = project.path("out");
    let replay = || {
        let (place, out) = (corpus(&project), out.display().to_string());
        shown(
            &project,
            harness(&project, &["replay", "--corpus", &place, "--variant", "native", "--out", &out]),
        )
    };
    assert!(replay().starts_with("exit 0"));
    let held = fs::File::open(&out).unwrap();
    held.lock().unwrap();
    assert!(replay().contains("another command writes there"));
    assert_eq!(fs::read_dir(&out).unwrap().count(), 2, "the other one's files are left alone");
    drop(held);
    fs::remove_file(out.join("metrics.parquet")).unwrap();
    fs::create_dir(out.join("metrics.parquet")).unwrap();
    assert!(replay().starts_with("exit 74"));
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1, "only what can't be removed");
}

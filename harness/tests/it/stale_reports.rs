//! What a script finds in the folder of reports when a gate fails, is refused, is killed, or isn't alone: the files of one
//! run that ended, or no verdict.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::emitted::{Project, is_run};

const REPORTS: [&str; 6] =
    ["gate.json", "junit.xml", "metrics.parquet", "report.html", "report.md", "verdict"];

fn command(project: &Project, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
    command.current_dir(project.path("")).args(arguments).env("NO_COLOR", "1");
    command
}

fn gate(project: &Project, more: &[&str]) -> Output {
    let all = [&["gate", "--as-of", "2026-11-30", "--out", "out"], more].concat();
    command(project, &all).output().unwrap()
}

/// Names in the folder of reports, hidden ones too.
fn found(project: &Project) -> Vec<String> {
    let Ok(entries) = fs::read_dir(project.path("out")) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// A project in shadow, with the reports of a gate that supported it.
fn supported() -> Project {
    let project = Project::small();
    project.edit("scenarios/features.toml", "default-on", "shadow");
    assert_eq!(gate(&project, &[]).status.code(), Some(0));
    assert_eq!(project.read("out/verdict"), "SUPPORTED\n");
    assert_eq!(found(&project), REPORTS);
    project
}

/// What is wrong, the exit code, how a project comes to it, and the arguments.
type Spoilt = (&'static str, i32, fn(&Project), &'static [&'static str]);

/// Only `verdict` was withdrawn, and not where the arguments were wrong or there was no project: a script that looked into
/// `gate.json`, `junit.xml` or the folder of a mistyped command found the former run's.
#[test]
fn a_gate_that_fails_leaves_nothing_of_the_former_one() {
    let spoil: [Spoilt; 8] = [
        ("a date that is none", 64, |_| (), &["--as-of", "tomorrow"]),
        ("a flag that is none", 64, |_| (), &["--no-such-flag"]),
        ("a feature that isn't declared", 64, |_| (), &["--feature", "other"]),
        ("too many threads", 64, |_| (), &["--jobs", "100000"]),
        ("a broken policy", 64, |project| project.write("scenarios/gate.toml", "alpha = nan"), &[]),
        ("a broken corpus", 65, |project| project.write("corpora/synthetic/corpus.toml", "x"), &[]),
        ("no corpus", 74, |project| fs::remove_dir_all(project.corpus("")).unwrap(), &[]),
        ("no project", 64, |project| fs::remove_file(project.path("scenarios/gate.toml")).unwrap(), &[]),
    ];
    for (what, code, make, arguments) in spoil {
        let project = supported();
        make(&project);
        let output = gate(&project, arguments);
        assert_eq!(output.status.code(), Some(code), "{what}");
        assert_eq!(String::from_utf8(output.stderr).unwrap().lines().count(), 1, "{what}");
        assert_eq!(found(&project), [""; 0], "{what}");
    }
    let project = supported();
    command(&project, &["gate", "--help"]).output().unwrap();
    assert_eq!(found(&project), REPORTS, "help judges nothing");
}

/// The verdict stood in its file although the command had failed with 74: what it was asked to print was lost.
#[cfg(target_os = "linux")]
#[test]
fn an_answer_that_cannot_be_printed_leaves_no_verdict() {
    let project = supported();
    for more in [&[][..], &["--json"]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let all = [&["gate", "--as-of", "2026-11-30", "--out", "out"], more].concat();
        let status = command(&project, &all).stdout(full).stderr(Stdio::null()).status().unwrap();
        assert_eq!((status.code(), project.path("out/verdict").exists()), (Some(74), false), "{more:?}");
    }
}

/// A pipe that is closed is success, and the verdict stands.
#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let project = supported();
    let mut child = command(&project, &["gate", "--as-of", "2026-11-30", "--out", "out", "--json"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(found(&project), REPORTS);
}

#[test]
fn a_folder_that_cannot_take_reports_is_told_before_anything_is_judged() {
    let project = Project::small();
    project.write("file", "");
    let out = |name: &str| {
        let output = command(&project, &["gate", "--as-of", "2026-11-30", "--out", name]).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let told = ["file", "file/below", "", "corpora/synthetic", &"x".repeat(300)].map(out);
    insta::assert_debug_snapshot!(told.map(|(code, text)| (code, text.replace(&"x".repeat(300), "[long]"))));
    let pipe = project.path("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(out("pipe").0, Some(74), "a pipe is refused, not waited for");
}

#[test]
fn two_gates_never_write_into_one_folder_at_once() {
    let project = supported();
    let folder = File::open(project.path("out")).unwrap();
    folder.lock().unwrap();
    let output = gate(&project, &[]);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(74), "{told}");
    assert!(told.contains("another command writes there"), "{told}");
    assert_eq!(found(&project), REPORTS, "the other one's reports are left alone");
    drop(folder);
    assert_eq!(gate(&project, &[]).status.code(), Some(0));
}

/// Kills a gate after a while. Whether it was still running.
fn kill_after(project: &Project, pause: Duration) -> bool {
    let mut child = command(project, &["gate", "--as-of", "2026-11-30", "--out", "out"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    sleep(pause);
    let killed = child.try_wait().unwrap().is_none();
    child.kill().unwrap();
    child.wait().unwrap();
    killed
}

/// Kills gates of evidence that is no longer sound over the reports of one that was: wherever it ends, a script finds no
/// verdict or the new one, and no file of the former run beside it. What was staged is cleared away by the next.
#[test]
fn a_gate_that_is_killed_leaves_no_verdict_of_another_run() {
    let project = supported();
    let kept: Vec<(PathBuf, Vec<u8>)> = REPORTS
        .iter()
        .map(|name| (project.path("out").join(name), fs::read(project.path("out").join(name)).unwrap()))
        .collect();
    project.edit_rows(is_run("s000000", "native", 0), |row| row["outcome"]["accepted"] = false.into());
    let begun = Instant::now();
    assert_eq!(gate(&project, &[]).status.code(), Some(30));
    let whole = begun.elapsed();
    let mut killed = 0;
    for step in 0..=24 {
        for (path, bytes) in &kept {
            fs::write(path, bytes).unwrap();
        }
        fs::write(project.path("out/.new-left"), "half").unwrap();
        // Most of the steps lie at the end, where the files are written.
        let share = 1.0 - (1.0 - f64::from(step) / 24.0).powi(2);
        killed += u32::from(kill_after(&project, whole.mul_f64(share)));
        let names = found(&project);
        if names.iter().any(|name| name == "verdict") {
            let untouched = kept.iter().all(|(path, bytes)| fs::read(path).is_ok_and(|now| now == *bytes));
            let ended = project.read("out/verdict") == "INVALID\n";
            assert!(untouched || ended, "step {step}: {names:?}");
            if ended {
                assert_eq!(names, REPORTS, "step {step}");
            }
        }
        if let Ok(text) = fs::read_to_string(project.path("out/gate.json")) {
            let document: Value = serde_json::from_str(&text).expect("a published file is whole");
            let former = project.path("out/verdict").exists() && project.read("out/verdict") == "SUPPORTED\n";
            assert_eq!(document["result"] == "SUPPORTED", former, "step {step}: {names:?}");
        }
    }
    assert!(killed > 0, "none was killed in time");
    assert_eq!(gate(&project, &[]).status.code(), Some(30));
    assert_eq!(found(&project), REPORTS, "nothing that was staged is left");
}

/// `harness report` took no lock and looked for no verdict: while a gate wrote it drew pages of the former run beside the new
/// run's document, and pages for a gate that had been killed. `harness power` explained such a document.
#[test]
fn reports_are_drawn_again_only_of_a_gate_that_ended() {
    let project = supported();
    let drawn = || {
        let told = [&["report", "out"][..], &["report", "out", "--json"], &["power", "--reports", "out"]];
        told.map(|arguments| {
            let output = command(&project, arguments).output().unwrap();
            (output.status.code(), String::from_utf8(output.stderr).unwrap())
        })
    };
    let all = |code: i32, message: &str| {
        for (told, text) in drawn() {
            assert_eq!(told, Some(code), "{text}");
            assert!(text.contains(message) && text.lines().count() <= 1, "{text}");
        }
    };
    all(0, "");
    let folder = File::open(project.path("out")).unwrap();
    folder.lock().unwrap();
    all(74, "another command writes there");
    drop(folder);
    fs::remove_file(project.path("out/report.html")).unwrap();
    project.write("out/verdict", "INVALID\n");
    all(65, "isn't SUPPORTED as in gate.json: run `harness gate` again");
    fs::remove_file(project.path("out/verdict")).unwrap();
    all(65, "didn't end: run `harness gate` again");
    assert!(!project.path("out/report.html").exists(), "a page was drawn");
}

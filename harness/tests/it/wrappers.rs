//! What `make`, `sh -e` and `cargo run` do to the gate's exit codes. The one-word file `verdict` agrees whatever they do.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::emitted::{Project, is_run, of_arm};

const GATE: &str = "gate --as-of 2026-11-30 --out out --feature auto-context";

/// A verdict, its exit code, and how a project comes to it.
type Case = (&'static str, i32, fn(&Project));

const VERDICTS: [Case; 3] = [
    ("INSUFFICIENT", 20, |_| ()),
    ("REJECT", 10, |project| {
        project.smuggle_everywhere("s000000", "auto-context", "token = FAKE-TOKEN-0001");
        project.look_anew();
    }),
    ("INVALID", 30, |project| {
        project.edit_rows(is_run("s000000", "native", 0), |row| row["outcome"]["accepted"] = false.into());
    }),
];

fn there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        eprintln!("skipped: {program} isn't installed");
    }
    found
}

/// The exit code of a wrapper in the project's folder, and the word in `verdict`.
fn wrapped(project: &Project, program: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let status = Command::new(program)
        .args(arguments)
        .current_dir(project.path(""))
        .env_remove("MAKEFLAGS")
        .env_remove("MAKELEVEL")
        .output()
        .unwrap()
        .status;
    (status.code(), fs::read_to_string(project.path("out/verdict")).unwrap().trim().to_owned())
}

fn binary() -> &'static str {
    env!("CARGO_BIN_EXE_harness")
}

#[test]
fn a_shell_hands_every_code_on_and_stops() {
    for (word, code, make) in VERDICTS {
        let project = Project::new();
        make(&project);
        let script = format!("'{}' {GATE}; echo went on > went-on", binary());
        assert_eq!(wrapped(&project, "sh", &["-e", "-c", &script]), (Some(code), word.to_owned()));
        assert!(!project.path("went-on").exists(), "sh -e goes on after {word}");
    }
}

#[test]
fn make_turns_every_code_into_two_and_the_file_still_tells() {
    if !there("make") {
        return;
    }
    for (word, code, make) in VERDICTS {
        let project = Project::new();
        make(&project);
        let recipe = format!("plain:\n\t@'{0}' {GATE}\nkept:\n\t@'{0}' {GATE}; echo $$? > code\n", binary());
        project.write("Makefile", &recipe);
        assert_eq!(wrapped(&project, "make", &["plain"]), (Some(2), word.to_owned()));
        // A recipe that goes on must read the file, or keep the code itself.
        assert_eq!(wrapped(&project, "make", &["kept"]), (Some(0), word.to_owned()));
        assert_eq!(project.read("code").trim(), code.to_string());
    }
}

#[test]
fn cargo_run_hands_every_code_on() {
    if !there("cargo") {
        return;
    }
    let package = tempfile::tempdir().unwrap();
    runner(package.path());
    let manifest = package.path().join("Cargo.toml").display().to_string();
    for (word, code, make) in VERDICTS {
        let project = Project::new();
        make(&project);
        let mut arguments = vec!["run", "--quiet", "--offline", "--manifest-path", &manifest, "--"];
        arguments.extend(GATE.split(' '));
        assert_eq!(wrapped(&project, "cargo", &arguments), (Some(code), word.to_owned()));
    }
}

/// A package whose program is the harness: `cargo run` of it is `cargo run` around the gate, without building that again.
fn runner(folder: &Path) {
    fs::create_dir_all(folder.join("src")).unwrap();
    let manifest = "[package]\nname = \"runner\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n";
    fs::write(folder.join("Cargo.toml"), manifest).unwrap();
    let program = format!(
        "fn main() {{\n    let arguments = std::env::args_os().skip(1);\n    let status = \
         std::process::Command::new({:?}).args(arguments).status().unwrap();\n    \
         std::process::exit(status.code().unwrap())\n}}\n",
        binary()
    );
    fs::write(folder.join("src/main.rs"), program).unwrap();
    // Its build goes where it is removed with it, not among this build's files.
    fs::create_dir_all(folder.join(".cargo")).unwrap();
    let target = folder.join("target").display().to_string();
    fs::write(folder.join(".cargo/config.toml"), format!("[build]\ntarget-dir = {target:?}\n")).unwrap();
}

#[test]
fn a_campaign_without_the_canary_is_never_a_success() {
    let project = Project::new();
    let rows: Vec<Value> = project.rows().into_iter().filter(|row| !of_arm("native-again")(row)).collect();
    project.write_rows(&rows);
    let script = format!("'{}' gate --as-of 2026-11-30 --out out", binary());
    assert_eq!(wrapped(&project, "sh", &["-e", "-c", &script]), (Some(30), "INVALID".to_owned()));
}

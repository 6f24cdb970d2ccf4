//! `context`, `export` and `quality` through the binary.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use assert_cmd::Command;
use serde_json::Value;

use crate::logs::{Ran, harness, shared, specimen, write};

#[test]
fn context_shows_what_the_agent_holds() {
    let folder = tempfile::tempdir().unwrap();
    let session = write(folder.path(), "s.jsonl", specimen().join("\n"));
    let run = |flags: &[&str]| {
        let mut arguments = vec!["context", session.to_str().unwrap()];
        arguments.extend(flags);
        harness(arguments)
    };
    let shown = [run(&["--leaf", "4", "--json"]), run(&[]), run(&["--leaf", "1"]), run(&["--leaf", "99"])];
    insta::assert_snapshot!(shown.map(|ran| ran.shown(folder.path())).join("\n====\n"));
    let raw = run(&["--leaf", "3", "--raw"]).stdout;
    assert_eq!(raw.strip_suffix('\n'), Some(specimen()[2].as_str()));
    assert_eq!(harness(["context", folder.path().join("missing").to_str().unwrap()]).code, 74);
    assert_eq!(harness(["context", write(folder.path(), "x", "hello\n").to_str().unwrap()]).code, 65);
}

#[test]
fn context_selects_what_pi_selects() {
    let Some(corpora) = shared("corpora") else { return };
    for entry in fs::read_dir(corpora.join("pi-oracle")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let oracle: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let name = oracle["file"].as_str().unwrap();
        let places = ["pi", "pi-recorded"].map(|folder| corpora.join(folder).join(name));
        let session = places.into_iter().find(|place| place.exists()).unwrap();
        let leaf = oracle["leaves"].as_array().unwrap().last().unwrap();
        let line = leaf["leafLine"].to_string();
        let ran = harness(["context", session.to_str().unwrap(), "--leaf", &line, "--json"]).json();
        assert_eq!(ran["selected"], leaf["selected"], "{name} at line {line}");
        assert_eq!(ran["leaf_line"], leaf["leafLine"]);
    }
}

#[test]
fn quality_has_the_published_figures() {
    let Some(folder) = shared("conformance/ds4") else { return };
    let ran = harness(["quality", "--corpus", folder.join("corpus-v1.json").to_str().unwrap(), "--json"]);
    let published: Value =
        serde_json::from_slice(&fs::read(folder.join("context-quality-comparison.json")).unwrap()).unwrap();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["strategies"], published["strategies"]);
    assert_eq!(ran.json()["deltasFromBaseline"], published["deltasFromBaseline"]);
}

#[test]
fn quality_refuses_what_is_no_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let bad = write(
        folder.path(),
        "bad.json",
        r#"{"schemaVersion":1,"corpusVersion":"c","fixtures":[{"schemaVersion":1}]}"#,
    );
    let shown = harness(["quality", "--corpus", bad.to_str().unwrap()]).shown(folder.path());
    insta::assert_snapshot!(shown);
    assert_eq!(harness(["quality", "--corpus", folder.path().join("none").to_str().unwrap()]).code, 74);
}

#[cfg(unix)]
#[test]
fn what_could_block_or_never_end_is_refused_before_it_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").display().to_string();
    for arguments in [
        vec!["context", "/dev/zero"],
        vec!["quality", "--corpus", "/dev/zero"],
        vec!["import", "/dev/zero", "--out", &out],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_harness")).args(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(74), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("not a regular file"), "{arguments:?}");
    }
}

fn export(session: &Path, out: &Path, flags: &[&str]) -> Ran {
    let mut arguments = vec!["export".into(), session.as_os_str().to_owned()];
    arguments.extend(["--out".into(), out.as_os_str().to_owned()]);
    arguments.extend(flags.iter().map(Into::into));
    harness(arguments)
}

#[test]
fn export_writes_a_private_session_and_tells_the_losses() {
    let folder = tempfile::tempdir().unwrap();
    let session = write(folder.path(), "s.jsonl", specimen().join("\n") + "\n");
    let out = folder.path().join("exported.jsonl");
    insta::assert_snapshot!("export_json", export(&session, &out, &["--json"]).shown(folder.path()));
    let mode = fs::metadata(&out).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    let hashes = |path: &Path| {
        let shown = harness(["context".as_ref(), path.as_os_str(), "--json".as_ref()]);
        let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
        let messages = shown["messages"].as_array().unwrap().clone();
        messages
            .into_iter()
            .map(|message| (message["role"].clone(), message["sha256"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(hashes(&out), hashes(&session));
    let written = fs::read(&out).unwrap();
    insta::assert_snapshot!("export_never_overwrites", export(&session, &out, &[]).shown(folder.path()));
    assert_eq!(fs::read(&out).unwrap(), written);
    insta::assert_snapshot!(
        "export_text",
        export(&session, &folder.path().join("b.jsonl"), &[]).shown(folder.path())
    );
    let notes = write(folder.path(), "notes.txt", "hello\n");
    insta::assert_snapshot!(
        "export_no_session",
        export(&notes, &folder.path().join("c.jsonl"), &[]).shown(folder.path())
    );
    let header = write(folder.path(), "header.jsonl", format!("{}\n", specimen()[0]));
    insta::assert_snapshot!(
        "export_of_nothing",
        export(&header, &folder.path().join("d.jsonl"), &[]).shown(folder.path())
    );
    assert!(!folder.path().join("c.jsonl").exists() && !folder.path().join("d.jsonl").exists());
}

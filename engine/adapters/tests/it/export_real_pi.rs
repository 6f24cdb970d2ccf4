//! Exported files opened by the real Pi: it holds the same messages at the same entries.
//!
//! `SLUICE_PI_DIR` names a folder whose `node_modules` has Pi, and a Node that runs it as `node` or on the path.

use std::fs::{self, File};
use std::io::{BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use adapters::export::{Source, pi_v3, telling_entries};
use adapters::log::{self, Format, ReadOptions, View};
use engine::message::Role;
use engine::session::{TreeIndex, select};
use serde_json::Value;

use crate::reading::read;
use crate::support::{session_files, shared};

const PACKAGE: &str = "node_modules/@earendil-works/pi-coding-agent";

/// Node and Pi's package, or `None` (said on standard error) where they aren't named.
fn real_pi() -> Option<(PathBuf, PathBuf)> {
    let Some(folder) = std::env::var_os("SLUICE_PI_DIR").map(PathBuf::from) else {
        // Past the capture of test output: a skipped test must be seen.
        writeln!(std::io::stderr(), "skipped: SLUICE_PI_DIR names no folder with the real Pi")
            .expect("standard error is open");
        return None;
    };
    let own = folder.join("node_modules/node/bin/node");
    let node = if own.exists() { own } else { PathBuf::from("node") };
    Some((node, folder.join(PACKAGE)))
}

/// What Pi holds in a session file at entries.
fn held_by_pi((node, package): &(PathBuf, PathBuf), session: &Path, leaves: &[String]) -> Value {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pi/open-session.mjs");
    let home = session.parent().unwrap();
    let output = Command::new(node)
        .arg(script)
        .args([package.as_path(), session])
        .args(leaves)
        .env("HOME", home)
        .env("PI_CODING_AGENT_DIR", home.join("pi"))
        .env("PI_OFFLINE", "1")
        .env("PI_TELEMETRY", "0")
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn check(pi: &(PathBuf, PathBuf), file: &Path) -> Option<String> {
    let log = log::read(BufReader::new(File::open(file).unwrap()), &ReadOptions::default()).ok()?;
    let tree = log.view(View::Agent);
    if tree.entries.is_empty() {
        return None;
    }
    let source = Source::of_file(File::open(file).unwrap()).unwrap();
    let exported = pi_v3(&log, View::Agent, source).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let session = folder.path().join("session.jsonl");
    fs::write(&session, &exported.bytes).unwrap();

    let again = read(&exported.bytes);
    let index = TreeIndex::new(&again.tree);
    let at: Vec<usize> = telling_entries(tree, 24)
        .into_iter()
        .filter_map(|entry| exported.states[entry].as_ref().and_then(|state| index.find(state)))
        .collect();
    let names: Vec<String> = at.iter().map(|entry| again.tree.entries[*entry].id.0.to_string()).collect();
    let held = held_by_pi(pi, &session, &names);
    let name = file.file_name().unwrap().to_string_lossy();
    assert_eq!(fs::read(&session).unwrap(), exported.bytes, "{name}: opening changes nothing");
    assert_eq!(held["entries"].as_u64(), Some(exported.entries), "{name}");
    assert_eq!(held["messages"].as_u64(), Some(select(&again.tree, None).messages.len() as u64), "{name}");
    let mut messages = 0;
    for (entry, id) in at.iter().zip(&names) {
        let ours: Vec<(&str, String)> = index
            .select(&again.tree, *entry)
            .messages
            .iter()
            .map(|item| match item.message.role {
                Role::ToolResult => ("toolResult", item.message.text_sha256()),
                role => (role.name(), item.message.text_sha256()),
            })
            .collect();
        let theirs: Vec<(&str, String)> = held["leaves"][id]
            .as_array()
            .unwrap()
            .iter()
            .map(|message| {
                (message["role"].as_str().unwrap(), message["sha256"].as_str().unwrap().to_owned())
            })
            .collect();
        assert_eq!(ours, theirs, "{name} at {id}");
        messages += ours.len();
    }
    let format = log.format.map_or("", Format::name);
    Some(format!(
        "{format}: {name}: {} entries, {} leaves, {messages} messages equal",
        exported.entries,
        at.len()
    ))
}

#[test]
fn the_real_pi_holds_the_same_messages() {
    let (Some(pi), Some(corpora)) = (real_pi(), shared("corpora")) else { return };
    let mut told = Vec::new();
    for file in session_files(&corpora) {
        told.extend(check(&pi, &file));
    }
    for line in &told {
        writeln!(std::io::stderr(), "real pi: {line}").unwrap();
    }
    assert!(told.len() >= 35, "only {} files", told.len());
}

#[test]
fn the_real_pi_opens_the_written_corpus_of_faults() {
    let Some(pi) = real_pi() else { return };
    let faults = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/faults");
    // One process a file: the sound ones, compactions, edits and rings tell the most.
    let telling = ["00-", "03-", "17-", "18-", "27-", "43-"];
    let mut opened = 0;
    for file in session_files(&faults) {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if telling.iter().any(|number| name.starts_with(number)) {
            opened += usize::from(check(&pi, &file).is_some());
        }
    }
    assert!(opened >= 5, "only {opened} files");
}

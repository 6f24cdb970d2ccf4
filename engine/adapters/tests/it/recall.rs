//! Recall over real logs of every format, and the verb `sluice recall`.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use adapters::log::{self, Format, ReadOptions};
use assert_cmd::Command;
use engine::recall::{DocumentKind, Query, Quoting, Scope, documents};
use engine::session::{SessionTree, TreeIndex};
use engine::store::SessionIndex;
use engine::tokens::{ByteClass, TokenCounter};

use crate::support::{session_files, shared};

/// Documents asked for in one log at most, spread over it.
const SAMPLES: usize = 12;

/// Phrases for a sample of the documents on a path, each held by its document alone: where, and what.
fn known_items(tree: &SessionTree, path: &[usize]) -> Vec<(usize, u32, String)> {
    let texts: Vec<(usize, u32, String)> = path
        .iter()
        .flat_map(|entry| {
            documents(&tree.entries[*entry]).into_iter().map(move |document| (*entry, document))
        })
        .filter(|(_, document)| document.kind != DocumentKind::Summary)
        .map(|(entry, document)| (entry, document.part, document.text))
        .collect();
    let telling = |line: &&str| {
        line.split_whitespace().count() >= 4 && !line.contains(['"', '`', '\'', '“', '”', '«', '„'])
    };
    let phrase = |text: &str| {
        let line = text.lines().map(str::trim).find(telling)?;
        let words: Vec<&str> = line.split(' ').take(8).collect();
        Some(words.join(" ").chars().take(100).collect::<String>().trim().to_owned())
    };
    let phrases: Vec<(usize, u32, String)> =
        texts.iter().filter_map(|(entry, part, text)| Some((*entry, *part, phrase(text)?))).collect();
    let lower: Vec<String> = texts.iter().map(|(_, _, text)| text.to_ascii_lowercase()).collect();
    let alone = |(_, _, phrase): &(usize, u32, String)| {
        let phrase = phrase.to_ascii_lowercase();
        lower.iter().filter(|text| text.contains(&phrase)).count() == 1
    };
    let step = phrases.len().div_ceil(SAMPLES).max(1);
    phrases.into_iter().step_by(step).filter(alone).collect()
}

/// Known items in every real log of the shared corpora and of every fault: the entry that alone holds a phrase comes first, no
/// other branch ever does, and no budget is exceeded.
#[test]
fn a_phrase_leads_to_the_entry_that_holds_it_in_logs_of_every_format() {
    let Some(corpora) = shared("corpora") else { return };
    let mut formats: BTreeSet<Format> = BTreeSet::new();
    let (mut asked, mut first) = (0, 0);
    for path in session_files(&corpora) {
        if fs::metadata(&path).unwrap().len() > 1 << 20 {
            continue;
        }
        let Ok(log) = log::read(BufReader::new(File::open(&path).unwrap()), &ReadOptions::default()) else {
            continue;
        };
        formats.extend(log.format);
        let tree = &log.tree;
        let resolved = TreeIndex::new(tree);
        let Some(leaf) = resolved.leaf(tree) else { continue };
        let mut index = SessionIndex::in_memory().unwrap();
        index.sync(&tree.entries).unwrap();
        let scope = Scope::whole_path(tree, &resolved, leaf);
        let on_path: BTreeSet<_> = scope.path.iter().cloned().collect();
        for (entry, part, phrase) in known_items(tree, &resolved.path(leaf)) {
            let query = Query::new(&format!("where was \"{phrase}\" said"));
            let recalled = index.recall(&query, &scope, false, Quoting::tokens(700), &ByteClass).unwrap();
            assert!(recalled.tokens <= 700 && recalled.tokens == ByteClass.text(&recalled.text));
            assert!(recalled.excerpts.iter().all(|excerpt| on_path.contains(&excerpt.entry)));
            asked += 1;
            let wanted = (tree.entries[entry].id.clone(), tree.entries[entry].line);
            let is_first = recalled.excerpts.first().is_some_and(|e| e.entry == wanted && e.part == part);
            first += usize::from(is_first);
        }
    }
    assert!(formats.len() >= 3, "{formats:?}");
    eprintln!("recall: {first} of {asked} phrases lead to their entry");
    assert!(asked >= 100, "{asked}");
    assert_eq!(first, asked);
}

fn sluice(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_sluice"))
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap();
    format!("code {code}\n--- stdout\n{}--- stderr\n{}", text(output.stdout), text(output.stderr))
}

/// A Pi session with a compaction, and a branch that was left.
fn session(folder: &Path) {
    let message = |id: &str, parent: &str, role: &str, text: &str| {
        let parent = if parent.is_empty() { "null".to_owned() } else { format!("\"{parent}\"") };
        format!(
            r#"{{"type":"message","id":"{id}","parentId":{parent},"timestamp":"2026-11-01T10:00:01.000Z","message":{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let lines = [
        r#"{"type":"session","version":3,"id":"s","timestamp":"2026-11-01T10:00:00.000Z"}"#.to_owned(),
        message("a", "", "user", "Close the ledger of 2025.\\nThe opening balance must stay."),
        message("b", "a", "user", "Never round the balance: use integers."),
        message("x", "a", "user", "A balance on a branch that was left."),
        message("c", "b", "user", "Now the report."),
        r#"{"type":"compaction","id":"d","parentId":"c","timestamp":"2026-11-01T10:00:02.000Z","summary":"The ledger was closed.","firstKeptEntryId":"c","tokensBefore":100}"#.to_owned(),
        message("e", "d", "user", "How do we treat the balance?"),
    ];
    fs::write(folder.join("session.jsonl"), lines.join("\n") + "\n").unwrap();
}

#[test]
fn recall_quotes_what_the_agent_no_longer_holds() {
    let folder = tempfile::tempdir().unwrap();
    session(folder.path());
    let run = |arguments: &[&str]| sluice(folder.path(), &[&["recall", "session.jsonl"], arguments].concat());
    insta::assert_snapshot!("recall_text", run(&["rounding the balance"]));
    insta::assert_snapshot!("recall_json", run(&["\"use integers\"", "--json", "--budget", "60"]));
    insta::assert_snapshot!("recall_branch", run(&["balance", "--leaf", "x", "--all"]));
    insta::assert_snapshot!("recall_nothing", run(&["the of and"]));
    insta::assert_snapshot!("recall_unknown_leaf", run(&["balance", "--leaf", "zz"]));
    insta::assert_snapshot!("recall_no_budget", run(&["balance", "--budget", "0"]));
    insta::assert_snapshot!("recall_absent", sluice(folder.path(), &["recall", "absent.jsonl", "x"]));
    fs::write(folder.path().join("notes.txt"), "{\"a\":1}\n").unwrap();
    insta::assert_snapshot!("recall_no_session", sluice(folder.path(), &["recall", "notes.txt", "x"]));
    fs::create_dir(folder.path().join("bad")).unwrap();
    fs::write(folder.path().join("bad/sessions.sqlite"), "not a database at all".repeat(100)).unwrap();
    insta::assert_snapshot!("recall_not_an_index", run(&["balance", "--state", "bad"]));
    let help = run(&["--help"]);
    assert!(help.contains("Example:\n  sluice recall "), "{help}");
    assert_eq!(run(&["rounding the balance"]), run(&["rounding the balance", "--state", "state"]));
    assert_eq!(run(&["rounding the balance"]), run(&["rounding the balance", "--state", "state"]), "kept");
}

#[test]
fn a_kill_at_any_moment_leaves_a_state_from_which_recall_answers_alike() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    session(root);
    let mut text = fs::read_to_string(root.join("session.jsonl")).unwrap();
    let mut parent = "e".to_owned();
    for n in 0..800 {
        let words: String = (0..60).map(|k| format!("balance{} ", (n * 7 + k) % 500)).collect();
        text.push_str(&format!(
            r#"{{"type":"message","id":"n{n}","parentId":"{parent}","timestamp":"2026-11-01T10:00:03.000Z","message":{{"role":"user","content":"{words}"}}}}"#
        ));
        text.push('\n');
        parent = format!("n{n}");
    }
    fs::write(root.join("session.jsonl"), text).unwrap();
    let arguments = ["recall", "session.jsonl", "balance499", "--all", "--json"];
    let expected = sluice(root, &arguments);
    let mut killed = 0;
    for round in 0..6_u64 {
        let mut child = Process::new(env!("CARGO_BIN_EXE_sluice"))
            .current_dir(root)
            .args(arguments)
            .args(["--state", "state"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(20 * round * round));
        killed += u32::from(child.try_wait().unwrap().is_none());
        let _ = child.kill();
        child.wait().unwrap();
        assert_eq!(
            sluice(root, &[&arguments[..], &["--state", "state"]].concat()),
            expected,
            "round {round}"
        );
        if round % 2 == 0 {
            fs::remove_dir_all(root.join("state")).unwrap();
        }
    }
    assert!(killed > 0, "at least the first runs must be hit");
}

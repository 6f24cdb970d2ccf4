//! Every file of the shared corpora against the table that came with them, through `harness import` as people call it.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::logs::{import, shared};

/// What one row of `PROVENANCE.md` says. Sums are uncached input, output, read from and written to a cache.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Row {
    entries: u64,
    turns: u64,
    calls: u64,
    /// Requests with known usage, where the row counts them.
    known: Option<u64>,
    sums: [u64; 4],
    /// Totals told again, in Codex's rollouts.
    repeats: u64,
}

/// The rows of the folders that hold third-party sessions, by path below the corpora.
fn rows(table: &str) -> BTreeMap<String, Row> {
    let mut rows = BTreeMap::new();
    let mut folder = "";
    for line in table.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            folder = if title.ends_with('/') { title } else { "" };
        }
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if folder.is_empty() || cells.len() != 11 || !cells[1].starts_with('`') {
            continue;
        }
        let number = |cell: &str| cell.parse().unwrap_or_else(|_| panic!("no number: {cell} in {line}"));
        let (entries, turns, calls) = (number(cells[3]), number(cells[4]), number(cells[5]));
        let row = Row { entries, turns, calls, ..with_usage(folder, cells[6], cells[7]) };
        rows.insert(format!("{folder}{}", cells[1].trim_matches('`')), row);
    }
    rows
}

fn with_usage(folder: &str, model: &str, usage: &str) -> Row {
    let words: Vec<&str> = usage.split([' ', ';']).filter(|word| !word.is_empty()).collect();
    let place = |name: &str| words.iter().position(|word| *word == name);
    let number = |at: usize| words.get(at)?.parse::<u64>().ok();
    let told = |name: &str| place(name).and_then(|at| number(at + 1)).unwrap_or(0);
    let (read, known) = match folder {
        // "N of M assistants".
        "pi/" => (told("read"), number(0)),
        // Replies that Claude Code made up itself are no requests; the table's identifiers hold one of them.
        "claude/" => {
            let ids = place("ids").and_then(|at| number(at - 1)).unwrap_or(0);
            (told("read"), Some(ids - u64::from(model.contains("<synthetic>"))))
        }
        // Codex's input contains what was read from a cache.
        _ => (told("cached"), None),
    };
    let input = told("in") - if folder == "codex/" { read } else { 0 };
    Row { known, sums: [input, told("out"), read, told("write")], repeats: told("repeats"), ..Row::default() }
}

fn sums(usage: &Value) -> [u64; 4] {
    ["input", "output", "cache_read", "cache_write"].map(|name| usage[name].as_u64().unwrap())
}

fn figures(session: &Value, folder: &str) -> Row {
    let count = |name: &str| session[name].as_u64().unwrap();
    let repeats = session["deduplicated"].as_array().unwrap().iter();
    let repeats = repeats.filter(|row| row["what"] == "token totals told again");
    Row {
        entries: count("entries"),
        turns: count("user_turns"),
        calls: count("tool_calls"),
        known: (folder != "codex").then(|| session["usage"]["known_requests"].as_u64().unwrap()),
        // Of Codex the table gives the totals as the rollout last states them.
        sums: match &session["stated_totals"] {
            Value::Null => sums(&session["usage"]),
            stated => sums(stated),
        },
        repeats: repeats.map(|row| row["count"].as_u64().unwrap()).sum(),
    }
}

#[test]
fn every_file_of_the_provenance_table_has_its_figures() {
    let Some(corpora) = shared("corpora") else { return };
    let table = rows(&fs::read_to_string(corpora.join("PROVENANCE.md")).unwrap());
    assert_eq!(table.len(), 32);
    let folder = tempfile::tempdir().unwrap();
    let roots = ["pi", "claude", "codex"].map(|name| corpora.join(name));
    let ran = import(&roots.each_ref().map(PathBuf::as_path), &folder.path().join("out"), &["--json"]);
    let json = ran.json();
    assert_eq!((ran.code, &json["failed"]), (0, &json!([])), "{}", ran.stderr);
    let sessions = json["sessions"].as_array().unwrap();
    let mut read = BTreeMap::new();
    for session in sessions {
        let path = session["path"].as_str().unwrap();
        let name = path.strip_prefix(corpora.to_str().unwrap()).unwrap().trim_start_matches('/');
        read.insert(name.to_owned(), figures(session, name.split('/').next().unwrap()));
        // What was billed is what the log last states, unless the log itself says why not.
        let (usage, stated) = (sums(&session["usage"]), &session["stated_totals"]);
        let told = session["warning_counts"]["usage_mismatch"] == 1;
        assert!(stated.is_null() || told || usage == sums(stated), "{name}: {usage:?} {stated}");
    }
    assert_eq!(read.keys().collect::<Vec<_>>(), table.keys().collect::<Vec<_>>());
    for (name, row) in &table {
        assert_eq!(&read[name], row, "{name}");
    }

    // Two files are of one sub-agent: the longer one continues the shorter one, and its session is elsewhere.
    let agents = sessions.iter().filter(|s| s["path"].as_str().unwrap().ends_with("agent-a485154.jsonl"));
    let own: Vec<_> = agents.map(|s| (&s["requests_own"], &s["duplicate_requests"])).collect();
    assert_eq!(own, [(&json!(6), &json!(0)), (&json!(0), &json!(6))]);
    let sum = |name: &str| sessions.iter().map(|session| session[name].as_u64().unwrap()).sum::<u64>();
    let totals = &json["totals"];
    assert_eq!(totals["requests"].as_u64().unwrap(), sum("requests_own"));
    assert_eq!(sum("requests"), sum("requests_own") + sum("duplicate_requests"));
    assert_eq!(totals["user_turns"].as_u64().unwrap(), table.values().map(|row| row.turns).sum::<u64>());

    // The manifest of the folder has the same figures.
    let manifest = fs::read(folder.path().join("out/import.json")).unwrap();
    assert_eq!(&serde_json::from_slice::<Value>(&manifest).unwrap()["totals"], totals);
}

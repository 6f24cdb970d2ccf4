//! Whatever is changed in a stored request of a real session shows against the session, though every hash agrees.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use engine::message::sha256_hex;
use harness::corpus::{Activity, Corpus, EvidenceStore, Task, check_run};
use harness::scenario::{ScenarioSet, tree};
use harness::variant::VariantSet;
use serde_json::{Value, json};

use crate::emitted::{is_run, put};

const SCENARIO: &str = "notes-ghost-links";
const ARM: &str = "auto-context";

/// One run of the shipped corpus in a folder of its own.
struct Run {
    folder: tempfile::TempDir,
    row: Value,
    wire: String,
    /// Text by hash.
    blocks: BTreeMap<String, String>,
    tasks: ScenarioSet,
    variants: VariantSet,
}

impl Run {
    fn copied() -> Run {
        let root: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf();
        let from = root.join("corpora/scripted-pi");
        let folder = tempfile::tempdir().unwrap();
        let read = |name: &str| fs::read_to_string(from.join(name)).unwrap();
        let lines = |text: String| -> Vec<Value> {
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let row = lines(read("runs.jsonl")).into_iter().find(is_run(SCENARIO, ARM, 0)).unwrap();
        for field in ["session", "patch", "grader_log"] {
            let name = row[field].as_str().unwrap();
            put(&folder.path().join(name), read(name));
        }
        put(&folder.path().join("corpus.toml"), read("corpus.toml"));
        let wire = read(row["wire"].as_str().unwrap());
        let text = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
        let blocks = lines(read(&format!("blocks/{SCENARIO}.jsonl"))).into_iter();
        let blocks = blocks.map(|line| (text(&line, "sha256"), text(&line, "json")));
        let blocks = blocks.filter(|(hash, _)| wire.contains(hash)).collect();
        let scenarios = root.join("scenarios");
        let tasks = ScenarioSet::load(&scenarios).unwrap();
        let variants = VariantSet::load(&scenarios.join("variants.toml")).unwrap();
        Run { folder, row, wire, blocks, tasks, variants }
    }

    /// Codes of what is wrong with the run where its requests are these, with one block in the place of another.
    fn faults(&self, wire: &str, changed: Option<(&str, &Value)>) -> Vec<&'static str> {
        let folder = self.folder.path();
        let (mut wire, mut blocks) = (wire.to_owned(), String::new());
        for (hash, text) in &self.blocks {
            let text = match changed.filter(|(of, _)| of == hash) {
                Some((_, block)) => block.to_string(),
                None => text.clone(),
            };
            let renamed = sha256_hex(text.as_bytes());
            wire = wire.replace(hash, &renamed);
            blocks.push_str(&format!("{}\n", json!({ "sha256": renamed, "json": text })));
        }
        let mut row = self.row.clone();
        row["wire_sha256"] = sha256_hex(wire.as_bytes()).into();
        put(&folder.join(format!("blocks/{SCENARIO}.jsonl")), blocks);
        put(&folder.join(row["wire"].as_str().unwrap()), wire);
        put(&folder.join("runs.jsonl"), format!("{row}\n"));
        let (corpus, _) = Corpus::load(folder).unwrap();
        let row = corpus.rows.values().next().unwrap();
        let found = match EvidenceStore::new(&corpus, [SCENARIO].into_iter()).load(row) {
            Err(faults) => faults,
            Ok(evidence) => {
                let evidence = evidence.unwrap();
                let scenario = self.tasks.get(SCENARIO).unwrap();
                let fixture = tree::files(&scenario.fixture).unwrap();
                let task = Task::of(scenario, Task::tree(scenario, &fixture));
                let activity = Activity::of(&evidence.session.tree);
                check_run(&evidence, &activity, &task, self.variants.get(ARM))
            }
        };
        found.iter().map(|fault| fault.code.code()).collect()
    }
}

/// Every value that differs from this one in one place: a text, a number or a flag that is another, a member or an element
/// more, an element less.
fn changes(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => vec![json!("x")],
        Value::Bool(flag) => vec![json!(!flag)],
        Value::Number(number) => match number.as_u64() {
            Some(count) => vec![json!(count + 1), json!(count as f64)],
            None => vec![json!(number.as_f64().unwrap() + 1.0)],
        },
        Value::String(text) => vec![json!(format!("x{text}")), json!(format!("{text}x"))],
        Value::Array(items) => {
            let mut changed = vec![json!([items.as_slice(), &[json!("x")]].concat())];
            for (at, item) in items.iter().enumerate() {
                let without = [&items[..at], &items[at + 1..]].concat();
                changed.push(json!(without));
                let with = |item: Value| json!([&items[..at], &[item], &items[at + 1..]].concat());
                changed.extend(changes(item).into_iter().map(with));
            }
            changed
        }
        Value::Object(members) => {
            let with = |name: &str, member: Value| {
                let mut members = members.clone();
                members.insert(name.to_owned(), member);
                Value::Object(members)
            };
            let mut changed = vec![with("added", json!("x"))];
            for (name, member) in members {
                changed.extend(changes(member).into_iter().map(|member| with(name, member)));
            }
            changed
        }
    }
}

#[test]
fn every_change_of_a_block_shows() {
    let run = Run::copied();
    assert_eq!(run.faults(&run.wire, None), [""; 0], "the run itself is sound");
    assert!(run.blocks.len() > 15, "{}", run.blocks.len());
    let mut tried = 0;
    for (hash, text) in &run.blocks {
        for changed in changes(&serde_json::from_str(text).unwrap()) {
            tried += 1;
            let found = run.faults(&run.wire, Some((hash, &changed)));
            assert!(!found.is_empty(), "nobody sees {changed} instead of {text}");
        }
    }
    assert!(tried > 150, "{tried}");
}

#[test]
fn every_change_of_a_request_shows() {
    let run = Run::copied();
    let lines: Vec<Value> = run.wire.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut tried = 0;
    for (at, line) in lines.iter().enumerate() {
        for changed in changes(line) {
            // A provider may tell more of what it billed than is read, and stand behind any name.
            let usage = changed["usage"].get("added").is_some();
            if usage || changed["path"].as_str().is_some_and(|path| path.starts_with('x')) {
                continue;
            }
            tried += 1;
            let wire: String = lines
                .iter()
                .enumerate()
                .map(|(number, line)| format!("{}\n", if number == at { &changed } else { line }))
                .collect();
            assert!(!run.faults(&wire, None).is_empty(), "nobody sees request {at} as {changed}");
        }
    }
    assert!(tried > 100, "{tried}");
}

//! The table `corpora/faults/expected.toml`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use adapters::log::{Format, Stats};
use serde::Deserialize;

/// What is expected of the whole corpus.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    pub schema: String,
    pub file: Vec<Expected>,
    pub folder: Vec<Folder>,
}

/// What is expected of one file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    pub kind: u32,
    pub file: String,
    pub format: String,
    pub handling: String,
    pub warnings: Vec<String>,
    pub refused: Option<String>,
    pub limit: Option<usize>,
    pub session: Option<String>,
    pub cwd: Option<String>,
    pub agent: Option<Figures>,
    pub salvaged: Option<Figures>,
    pub context: Option<Vec<u64>>,
    pub salvaged_context: Option<Vec<u64>>,
    pub sent: Option<Vec<u64>>,
    pub changed: Option<Vec<u64>>,
    pub times: Option<Vec<i64>>,
    pub lost: Option<u64>,
}

/// Files that hold copies of one history: each request counted once.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Folder {
    pub kind: u32,
    pub folder: String,
    pub handling: String,
    pub once: Figures,
}

/// Figures by name.
pub type Figures = BTreeMap<String, u64>;

/// The folder of the corpus.
pub fn corpus() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpora/faults")
}

/// Reads the table.
pub fn table() -> Table {
    let path = corpus().join("expected.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let table: Table = toml::from_str(&text).unwrap();
    assert_eq!(table.schema, "faults/1");
    table
}

/// The format that the table names.
pub fn format(name: &str) -> Option<Format> {
    let formats = [Format::Pi, Format::Claude, Format::Codex, Format::Dsh];
    let found = formats.into_iter().find(|format| format.name() == name);
    assert!(found.is_some() || name == "none", "no format `{name}`");
    found
}

/// The figures of a view by the names of the table.
pub fn figure(stats: &Stats, name: &str) -> u64 {
    match name {
        "entries" => stats.tree_entries,
        "user_turns" => stats.user_turns,
        "requests" => stats.requests,
        "known" => stats.known_requests,
        "inherited" => stats.inherited_requests,
        "tool_calls" => stats.tool_calls,
        "unanswered" => stats.unanswered_calls,
        "input" => stats.usage.input,
        "output" => stats.usage.output,
        "cache_read" => stats.usage.cache_read,
        "cache_write" => stats.usage.cache_write,
        "reasoning" => stats.usage.reasoning,
        other => panic!("no figure `{other}`"),
    }
}

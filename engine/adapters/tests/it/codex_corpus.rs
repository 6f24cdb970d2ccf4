//! The real and hand-made rollouts of the shared corpus against its table.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;

use adapters::log::{self, Content, Format, ReadOptions, View};
use engine::session::TreeIndex;

use crate::support::shared;

/// One row of the table. `input` is what the log's last totals say: it contains what was read from a cache. `restarted` is
/// what was billed before the totals began anew, which the last totals don't contain.
struct Row {
    file: &'static str,
    entries: usize,
    turns: u64,
    calls: u64,
    input: u64,
    cached: u64,
    output: u64,
    repeats: u64,
    nulls: u64,
    requests: u64,
    restarted: [u64; 3],
}

const NOTHING: Row = Row {
    file: "",
    entries: 0,
    turns: 0,
    calls: 0,
    input: 0,
    cached: 0,
    output: 0,
    repeats: 0,
    nulls: 0,
    requests: 0,
    restarted: [0; 3],
};

const TABLE: [Row; 11] = [
    Row { file: "agentsessions-codex_050_legacy.jsonl", entries: 5, nulls: 1, ..NOTHING },
    Row { file: "agentsessions-codex_051_usage.jsonl", entries: 3, ..NOTHING },
    Row { file: "agentsessions-codex_052_raw.jsonl", entries: 6, ..NOTHING },
    Row {
        file: "agentsessions-codex_053_rate_limit.jsonl",
        entries: 5,
        input: 12091,
        cached: 10880,
        output: 182,
        nulls: 1,
        requests: 1,
        ..NOTHING
    },
    Row {
        file: "agentsessions-large.jsonl",
        entries: 20,
        turns: 1,
        input: 12091,
        cached: 10880,
        output: 182,
        requests: 1,
        ..NOTHING
    },
    // Its one message that could be a prompt has a shape that no Codex wrote.
    Row { file: "agentsessions-schema_drift.jsonl", entries: 5, ..NOTHING },
    // Spliced from many sessions: the totals of the first stand before zeros of another.
    Row {
        file: "agentsessions-small.jsonl",
        entries: 118,
        turns: 3,
        calls: 5,
        nulls: 1,
        requests: 1,
        restarted: [16341, 3584, 81],
        ..NOTHING
    },
    Row {
        file: "codemie-rollout-2026-01-02T18-39-45-019b7f94-51b4-7593-922e-ba12b5b73b52.jsonl",
        entries: 26,
        turns: 1,
        calls: 3,
        input: 22474,
        cached: 14848,
        output: 300,
        repeats: 2,
        nulls: 1,
        requests: 3,
        ..NOTHING
    },
    Row {
        file: "codemie-rollout-2026-01-02T19-00-00-019b7f95-0000-7000-0000-000000000001.jsonl",
        entries: 11,
        calls: 3,
        input: 5300,
        output: 180,
        requests: 3,
        ..NOTHING
    },
    Row {
        file: "codemie-turn-2.jsonl",
        entries: 25,
        turns: 2,
        input: 1100,
        cached: 512,
        output: 20,
        nulls: 2,
        requests: 2,
        ..NOTHING
    },
    Row {
        file: "codemie-turn-spawn-skill.jsonl",
        entries: 12,
        turns: 1,
        calls: 3,
        input: 5000,
        cached: 1000,
        output: 200,
        requests: 1,
        ..NOTHING
    },
];

#[test]
fn every_row_of_the_corpus_is_reproduced() {
    let Some(folder) = shared("corpora/codex") else { return };
    for row in TABLE {
        for content in [Content::Full, Content::Outline] {
            check(&row, &folder.join(row.file), content);
        }
    }
}

fn check(row: &Row, path: &std::path::Path, content: Content) {
    let options = ReadOptions { content, ..ReadOptions::default() };
    let session = log::read(BufReader::new(File::open(path).unwrap()), &options).unwrap();
    let name = row.file;
    assert_eq!(session.format, Some(Format::Codex), "{name}");
    let tree = session.view(View::Salvaged);
    let stats = session.stats(View::Salvaged);
    // A turn that changes the model and how hard it thinks is one line and two entries.
    let lines: BTreeSet<(u64, u64)> =
        tree.entries.iter().map(|entry| (entry.bytes.start, entry.bytes.end)).collect();
    let usage = stats.usage;
    let [input, cached, output] = row.restarted;
    assert_eq!(
        (lines.len(), stats.user_turns, stats.tool_calls, stats.known_requests),
        (row.entries, row.turns, row.calls, row.requests),
        "{name}"
    );
    assert_eq!(
        (usage.input + usage.cache_read + usage.cache_write, usage.cache_read, usage.output),
        (row.input + input, row.cached + cached, row.output + output),
        "{name}"
    );
    // The table gives what the log states last.
    let stated = session.stated.unwrap_or_default();
    assert_eq!(
        (stated.prompt(), stated.cache_read, stated.output),
        (row.input, row.cached, row.output),
        "{name}"
    );
    let repeats = session.deduplicated.get("token totals told again").copied().unwrap_or(0);
    assert_eq!(repeats, row.repeats, "{name}");
    let text = std::fs::read_to_string(path).unwrap();
    let nulls = text.lines().filter(|line| line.contains(r#""token_count","info":null"#)).count() as u64;
    assert_eq!(nulls, row.nulls, "{name}");
    let index = TreeIndex::new(tree);
    for leaf in 0..tree.entries.len() {
        let selection = index.select(tree, leaf);
        assert!(selection.sent().len() <= selection.messages.len(), "{name} at {leaf}");
    }
}

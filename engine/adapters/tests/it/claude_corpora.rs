//! Real transcripts: figures, faults, and what walking from the last line reaches.

use std::collections::BTreeMap;
use std::path::Path;

use adapters::log::{self, Content, Format, ReadOptions, SessionLog, View};
use engine::message::Role;
use engine::session::{EntryKind, Groups, TreeIndex, select};

use crate::support::shared;

/// A file with the figures of the folder's `PROVENANCE.md`.
struct Expected {
    file: &'static str,
    /// Lines.
    entries: u64,
    turns: u64,
    calls: u64,
    /// Lines with billed tokens.
    lines: u64,
    /// Replies with billed tokens, and how many of them Claude Code made up itself.
    replies: u64,
    made_up: u64,
    /// Uncached, generated, read from and written to a cache.
    tokens: [u64; 4],
}

const FILES: [Expected; 18] = [
    row("agentsessions-schema-large.jsonl", 10, 4, 1, (0, 0), [0; 4]),
    row("agentsessions-schema-schema_drift.jsonl", 10, 2, 0, (0, 0), [0; 4]),
    Expected { made_up: 1, ..row("agentsessions-schema-small.jsonl", 89, 7, 3, (7, 3), [10, 5, 0, 0]) },
    row("codemie-incremental-subagents/turn-1.jsonl", 25, 1, 7, (16, 7), [82, 1244, 154_285, 61_416]),
    row(
        "codemie-incremental-subagents/turn-1/agent-a485154.jsonl",
        44,
        1,
        20,
        (23, 6),
        [5233, 1845, 91_980, 115_531],
    ),
    row("codemie-incremental-subagents/turn-2.jsonl", 50, 1, 14, (30, 11), [537, 10_099, 223_343, 157_962]),
    row(
        "codemie-incremental-subagents/turn-2/agent-a485154.jsonl",
        45,
        1,
        20,
        (23, 6),
        [5233, 1845, 91_980, 115_531],
    ),
    row(
        "codemie-private/4c2ddfdc-b619-4525-8d03-1950fb1b0257.jsonl",
        25,
        3,
        6,
        (10, 7),
        [33, 806, 214_627, 37_172],
    ),
    row("codemie-private/agent-36541525.jsonl", 2, 1, 0, (1, 1), [3, 3, 0, 16_976]),
    row("codemie-private/agent-50243ee8.jsonl", 2, 1, 0, (1, 1), [16_878, 237, 0, 0]),
    row("codemie-session-3fe1b6bc.jsonl", 275, 10, 76, (172, 67), [15_377, 34_781, 5_157_884, 1_707_033]),
    row("codemie-session-624a4a58.jsonl", 222, 20, 48, (132, 55), [642, 69_127, 4_277_174, 1_629_516]),
    row(
        "spotter-258c7280-ae70-4798-800f-63464d01a85d.jsonl",
        1863,
        6,
        186,
        (299, 152),
        [180, 38_899, 14_771_617, 349_474],
    ),
    row("spotter-258c7280-subagents/agent-a881341.jsonl", 10, 1, 2, (5, 3), [15, 3, 34_159, 42_176]),
    row("spotter-258c7280-subagents/agent-acompact-fffbd0.jsonl", 4, 1, 0, (1, 1), [3, 6, 166_758, 2487]),
    row("spotter-short.jsonl", 15, 2, 2, (5, 1), [3, 13, 11_515, 13_835]),
    row("spotter-subagent.jsonl", 96, 3, 16, (28, 12), [1576, 1586, 427_286, 25_842]),
    row("spotter-tool_heavy.jsonl", 39, 6, 6, (9, 4), [54, 212, 88_231, 17_696]),
];

const fn row(
    file: &'static str,
    entries: u64,
    turns: u64,
    calls: u64,
    (lines, replies): (u64, u64),
    tokens: [u64; 4],
) -> Expected {
    Expected { file, entries, turns, calls, lines, replies, made_up: 0, tokens }
}

fn read(path: &Path, content: Content) -> SessionLog {
    let options = ReadOptions { content, ..ReadOptions::default() };
    log::read(&std::fs::read(path).unwrap()[..], &options).unwrap()
}

#[test]
fn figures_of_every_file_are_those_of_the_provenance() {
    let Some(folder) = shared("corpora/claude") else { return };
    for expected in &FILES {
        let session = read(&folder.join(expected.file), Content::Full);
        let stats = session.stats(View::Salvaged);
        let figures = (stats.tree_entries, stats.user_turns, stats.tool_calls, stats.known_requests);
        let known = expected.replies - expected.made_up;
        assert_eq!(
            figures,
            (expected.entries, expected.turns, expected.calls, known),
            "{}: entries, turns, calls, requests",
            expected.file
        );
        let repeated: u64 = session.deduplicated.values().sum();
        assert_eq!(
            repeated,
            expected.lines - expected.replies,
            "{}: lines beyond the first of a reply",
            expected.file
        );
        let usage = stats.usage;
        let tokens = [usage.input, usage.output, usage.cache_read, usage.cache_write];
        assert_eq!(tokens, expected.tokens, "{}: tokens", expected.file);
        assert_eq!(session.format, Some(Format::Claude), "{}", expected.file);
        assert_eq!(session.content_lines, expected.entries, "{}", expected.file);
    }
}

/// Of the lines of the main conversation, those that a leaf's path holds.
struct Reached {
    lines: usize,
    reached: usize,
    /// Lines that aren't, by whether the file calls for it.
    missed: Vec<u64>,
}

fn reached(session: &SessionLog) -> Reached {
    let tree = session.view(View::Agent);
    let index = TreeIndex::new(tree);
    let leaf = index.leaf(tree).unwrap();
    let path: std::collections::BTreeSet<usize> = index.path(leaf).into_iter().collect();
    let talk = tree.entries.iter().enumerate().filter(|(_, entry)| {
        matches!(
            entry.kind,
            EntryKind::Message(_) | EntryKind::Injected { .. } | EntryKind::Compaction { .. }
        )
    });
    let (on, off): (Vec<_>, Vec<_>) = talk.partition(|(at, _)| path.contains(at));
    Reached {
        lines: on.len() + off.len(),
        reached: on.len(),
        missed: off.iter().map(|(_, entry)| entry.line).collect(),
    }
}

#[test]
fn the_last_line_reaches_the_whole_conversation() {
    let Some(folder) = shared("corpora/claude") else { return };
    let mut table = String::new();
    for expected in &FILES {
        let session = read(&folder.join(expected.file), Content::Full);
        let reached = reached(&session);
        let sent = select(session.view(View::Agent), None).sent().len();
        let line = format!(
            "{}: {} of {} lines, {sent} messages sent, missed {:?}\n",
            expected.file, reached.reached, reached.lines, reached.missed
        );
        table.push_str(&line);
    }
    insta::assert_snapshot!(table);
}

/// What a provider would refuse: a call without its result, a result without its call.
#[test]
fn every_request_of_a_real_session_was_asked_with_all_results() {
    let Some(folder) = shared("corpora/claude") else { return };
    let spliced = ["agentsessions-schema-small.jsonl", "agentsessions-schema-schema_drift.jsonl"];
    let mut asked = 0;
    for expected in FILES.iter().filter(|expected| !spliced.contains(&expected.file)) {
        let session = read(&folder.join(expected.file), Content::Outline);
        let tree = session.view(View::Agent);
        let index = TreeIndex::new(tree);
        let begins = |kind: &EntryKind| match kind {
            EntryKind::Message(message) => message.reply.as_ref().is_some_and(|reply| !reply.continues),
            _ => false,
        };
        for (at, entry) in tree.entries.iter().enumerate().filter(|(_, entry)| begins(&entry.kind)) {
            let Some(head) = index.parent(at) else { continue };
            let selection = index.select(tree, head);
            let place = format!("{} line {}", expected.file, entry.line);
            assert_eq!(selection.sent().len(), selection.messages.len(), "{place}: orphans");
            let groups = Groups::bind(selection.messages.iter().map(|item| item.message.as_ref()));
            assert!(groups.groups.iter().all(|group| group.complete), "{place}: unanswered calls");
            let last = selection.messages.last().unwrap();
            assert_ne!(last.message.role, Role::Assistant, "{place}: asked after a reply");
            asked += 1;
        }
    }
    assert_eq!(asked, 339);
}

#[test]
fn faults_of_the_real_files() {
    let Some(folder) = shared("corpora/claude") else { return };
    let mut table = String::new();
    for expected in &FILES {
        let session = read(&folder.join(expected.file), Content::Full);
        let codes: BTreeMap<&str, u64> =
            session.warning_counts.iter().map(|(code, count)| (code.code(), *count)).collect();
        let lost: Vec<String> =
            session.lost.iter().map(|(what, count)| format!("\n    {count} {what}")).collect();
        table.push_str(&format!("{}: {codes:?}{}\n", expected.file, lost.concat()));
    }
    insta::assert_snapshot!(table);
}

#[test]
fn the_outline_of_real_files_has_the_structure_of_the_whole() {
    let Some(folder) = shared("corpora/claude") else { return };
    for expected in &FILES {
        let path = folder.join(expected.file);
        let (full, outline) = (read(&path, Content::Full), read(&path, Content::Outline));
        crate::reading::assert_same_structure(&full, &outline, expected.file);
    }
}

#[test]
fn a_cut_anywhere_near_the_end_never_invents_tokens() {
    let Some(folder) = shared("corpora/claude") else { return };
    let bytes = std::fs::read(folder.join("spotter-tool_heavy.jsonl")).unwrap();
    let whole = log::read(&bytes[..], &ReadOptions::default()).unwrap();
    let sum = |session: &SessionLog| {
        let usage = session.stats(View::Salvaged).usage;
        [usage.input, usage.output, usage.cache_read, usage.cache_write]
    };
    let most = sum(&whole);
    for end in bytes.len() - 2000..bytes.len() {
        let part = log::read(&bytes[..end], &ReadOptions::default()).unwrap();
        let told = sum(&part);
        assert!(told.iter().zip(most).all(|(part, whole)| *part <= whole), "{end} bytes: {told:?}");
        let torn = !part.warnings.is_empty() || bytes[end - 1] == b'\n' || bytes[end] == b'\n';
        assert!(torn, "{end} bytes: a cut line without a warning");
    }
}

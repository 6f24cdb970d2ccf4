//! Logs of DeepSeek Harness. No real one was at hand: every log here is synthetic, made by the rules that
//! `docs/formats/dsh.md` states.

use std::io::Write as _;

use adapters::log::{self, Format, ReadOptions, SessionLog, View};
use engine::session::{EntryKind, TreeIndex, select};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::reading::{assert_same_structure, assert_selects, changed, changes, faults, outline, read, sent};

/// A synthetic log that numbers its events.
struct Log {
    header: Value,
    events: Vec<Value>,
}

impl Log {
    fn new() -> Log {
        let header = json!({ "type": "session", "version": 0, "id": "s-01", "createdAt": 1_000_000, "cwd": "/home/user",
            "delegationDepth": 0 });
        Log { header, events: Vec::new() }
    }

    fn add(&mut self, kind: &str, data: Value) -> &mut Value {
        let seq = self.events.len();
        self.events.push(json!({ "type": kind, "seq": seq, "time": 1_000_001 + seq, "data": data }));
        self.events.last_mut().unwrap()
    }

    fn surface(&mut self, kind: &str, data: Value) {
        self.add(kind, data)["surfaceOp"] = json!("append");
    }

    fn replace(&mut self, kind: &str, data: Value, (start, end): (u64, u64), sources: &[u64]) {
        let event = self.add(kind, data);
        event["surfaceOp"] = json!({ "op": "replace", "start": start, "end": end });
        event["sourceEventSeqs"] = json!(sources);
    }

    fn user(&mut self, text: &str) {
        self.surface("user/message", user(text, json!({ "kind": "user" })));
    }

    fn assistant(&mut self, content: Value) {
        let data = assistant(self.events.len(), content);
        self.surface("assistant/message", data);
    }

    fn result(&mut self, call: &str, text: &str) {
        self.surface("tool/result", result(call, text));
    }

    fn turn(&mut self, turn: u64) {
        self.add("turn/start", json!({ "turn": turn }));
        self.add("step/start", json!({ "turn": turn, "step": 1 }));
    }

    fn end(&mut self, turn: u64) {
        self.add("step/end", json!({ "turn": turn, "step": 1 }));
        self.add("turn/end", json!({ "turn": turn, "reason": { "kind": "completed" } }));
    }

    fn lines(&self) -> Vec<String> {
        std::iter::once(&self.header).chain(&self.events).map(Value::to_string).collect()
    }

    fn text(&self) -> String {
        self.lines().join("\n") + "\n"
    }

    fn read(&self) -> SessionLog {
        read(self.text().as_bytes())
    }
}

fn user(text: &str, source: Value) -> Value {
    json!({ "id": "m", "role": "user", "source": source, "content": [{ "type": "text", "text": text }] })
}

fn assistant(id: usize, content: Value) -> Value {
    json!({ "turn": 1, "step": 1, "usage": { "inputTokens": 24, "outputTokens": 6, "cacheReadTokens": 100 },
        "message": { "id": format!("m{id}"), "role": "assistant", "content": content,
            "source": { "kind": "model", "provider": "p", "model": "m" } } })
}

fn result(call: &str, text: &str) -> Value {
    json!({ "turn": 1, "step": 1, "message": { "id": "r", "role": "user", "source": { "kind": "tool", "callId": call },
        "content": [{ "type": "tool-result", "toolCallId": call, "content": [{ "type": "text", "text": text }],
            "isError": false }] } })
}

fn call(id: &str) -> Value {
    json!([{ "type": "reasoning", "text": "hm" },
        { "type": "tool-call", "id": id, "name": "bash", "arguments": "{\"command\": \"ls\"}" }])
}

fn text(text: &str) -> Value {
    json!([{ "type": "text", "text": text }])
}

fn held(session: &SessionLog, view: View) -> Vec<String> {
    sent(&select(session.view(view), None))
}

/// A synthetic log with everything that moves the reader: two turns, a replaced header, a compaction, a pruned result, a
/// reply dropped without a trace.
fn specimen() -> Log {
    let mut log = Log::new();
    log.turn(1);
    log.user("Q1 é");
    log.add(
        "request/header",
        json!({ "reason": "initial", "header": { "config": { "provider": "p", "model": "m" },
        "system": "be brief", "tools": [{ "name": "bash", "description": "d" }] } }),
    );
    log.add("request/context", json!({ "provider": "p", "model": "m", "contextWindow": 1000 }));
    log.assistant(call("c1"));
    log.add("tool/call", json!({ "turn": 1, "step": 1, "callId": "c1", "name": "bash", "arguments": "{}" }));
    log.result("c1", "long output");
    log.end(1);
    log.turn(2);
    log.user("Q2");
    log.assistant(text("A2"));
    log.add("request/header", json!({ "reason": "change", "header": { "system": "be very brief" } }));
    log.add(
        "compaction/prune",
        json!({ "shadowedRange": { "start": 7, "end": 7 }, "shadowedSeqs": [7], "shadowedTokenCount": 9 }),
    );
    log.replace("tool/result", result("c1", "cut"), (7, 7), &[7]);
    log.add("compaction/start", json!({ "compactionId": "k1", "turn": 2 }));
    log.add(
        "compaction/summary",
        json!({ "compactionId": "k1", "summary": text("S1"), "provider": "p", "model": "m",
        "shadowedRange": { "start": 5, "end": 16 }, "shadowedSeqs": [5, 16], "shadowedTokenCount": 40,
        "usage": { "inputTokens": 500, "outputTokens": 50 } }),
    );
    log.replace(
        "user/message",
        user("S1", json!({ "kind": "plugin", "plugin": "compact", "compactionId": "k1" })),
        (5, 16),
        &[17, 18, 5, 16],
    );
    log.add("compaction/end", json!({ "compactionId": "k1", "turn": 2 }));
    log.end(2);
    log
}

#[test]
fn a_synthetic_log_reads_as_the_model_saw_it() {
    let log = specimen();
    let session = log.read();
    assert_eq!(faults(&session), []);
    assert_eq!((session.format, &session.salvaged), (Some(Format::Dsh), &None));
    assert_eq!(
        held(&session, View::Agent),
        ["system: be very brief", "user: Q1 é", "user: S1", "user: Q2", "assistant: A2"]
    );
    let tree = session.view(View::Agent);
    let index = TreeIndex::new(tree);
    let leaves: Vec<String> = (0..tree.entries.len())
        .map(|leaf| {
            let texts: Vec<String> = index
                .select(tree, leaf)
                .sent()
                .iter()
                .map(|item| item.message.text().replace('\n', " | "))
                .collect();
            format!("{}: {}", tree.entries[leaf].id.0, texts.join(" / "))
        })
        .collect();
    insta::assert_snapshot!(leaves.join("\n"));
    let stats = session.stats(View::Agent);
    assert_eq!((stats.user_turns, stats.requests, stats.tool_calls, stats.unanswered_calls), (2, 2, 1, 0));
    assert_eq!((stats.usage.input, stats.usage.cache_read, stats.usage.output), (48, 200, 12));
    assert_eq!((stats.extra_usage.input, stats.extra_usage.output), (500, 50));
}

#[test]
fn a_synthetic_range_is_named_by_position_and_a_drop_leaves_nothing() {
    let mut log = Log::new();
    for said in ["a", "b", "c"] {
        log.user(said);
    }
    log.replace("user/message", user("ab", json!({ "kind": "plugin", "plugin": "x" })), (0, 1), &[0, 1]);
    log.replace("user/message", user("abc", json!({ "kind": "plugin", "plugin": "x" })), (3, 2), &[3, 2]);
    log.user("d");
    log.replace("assistant/message", assistant(9, json!([])), (4, 4), &[4]);
    let session = log.read();
    assert_eq!(faults(&session), []);
    assert_eq!(held(&session, View::Agent), ["user: d"]);
    assert_eq!(session.requests, []);
    // What was dropped still holds its place.
    log.replace("user/message", user("all", json!({ "kind": "plugin", "plugin": "x" })), (6, 5), &[5, 6]);
    assert_eq!(held(&log.read(), View::Agent), ["user: all"]);
}

#[test]
fn a_synthetic_log_that_contradicts_itself_is_refused_and_salvaged() {
    type Break = fn(&mut Log);
    let broken: [(&str, Break); 16] = [
        ("a gap", |log| log.events[1]["seq"] = json!(2)),
        ("an unknown type", |log| _ = log.add("hologram/shown", json!({}))),
        ("no place", |log| _ = log.add("user/message", user("x", json!({ "kind": "user" })))),
        ("a place for what isn't seen", |log| log.surface("todo/write", json!({}))),
        ("missing start", |log| log.replace("user/message", user("x", json!({})), (9, 1), &[1])),
        ("missing end", |log| log.replace("user/message", user("x", json!({})), (0, 9), &[0])),
        ("reversed", |log| log.replace("user/message", user("x", json!({})), (1, 0), &[0, 1])),
        ("unnamed sources", |log| log.replace("user/message", user("x", json!({})), (0, 1), &[0])),
        ("a later source", |log| log.replace("user/message", user("x", json!({})), (0, 0), &[0, 7])),
        ("a source twice", |log| log.replace("user/message", user("x", json!({})), (0, 0), &[0, 0])),
        ("a result for a message", |log| log.replace("tool/result", result("c", "x"), (0, 0), &[0])),
        ("a turn within a turn", |log| {
            log.turn(1);
            log.add("step/end", json!({}));
            log.add("turn/start", json!({ "turn": 2 }));
        }),
        ("a turn's end with its step open", |log| {
            log.turn(1);
            log.add("turn/end", json!({ "turn": 1 }));
        }),
        ("a compaction of no turn", |log| {
            log.add("compaction/start", json!({ "compactionId": "k", "turn": 4 }));
        }),
        ("a success without summary", |log| {
            log.add("compaction/start", json!({ "compactionId": "k", "turn": null }));
            log.add("compaction/end", json!({ "compactionId": "k", "turn": null }));
        }),
        ("another range than announced", |log| {
            log.add("compaction/prune", json!({ "shadowedRange": { "start": 0, "end": 0 }, "shadowedSeqs": [0], "shadowedTokenCount": 1 }));
            log.replace("user/message", user("x", json!({})), (0, 1), &[0, 1]);
        }),
    ];
    let mut shown = Vec::new();
    for (name, breaks) in broken {
        let mut log = Log::new();
        log.user("a");
        log.user("b");
        breaks(&mut log);
        let session = log.read();
        let told: Vec<String> = session
            .warnings
            .iter()
            .map(|warning| format!("{} line {}: {}", warning.code.code(), warning.line, warning.message))
            .collect();
        assert_eq!(session.tree.entries, [], "{name}");
        assert_eq!(session.view(View::Salvaged).entries.len(), log.events.len() + 1, "{name}");
        shown.push(format!("{name}: {}", told.join("; ")));
    }
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn a_synthetic_compaction_that_fails_or_is_stale_is_no_fault() {
    let mut log = Log::new();
    log.add("compaction/start", json!({ "compactionId": "k", "turn": null }));
    log.add("compaction/end", json!({ "compactionId": "k", "turn": null, "error": { "code": "x" } }));
    log.add("compaction/start", json!({ "compactionId": "stale", "turn": null }));
    log.add("session/end-seed", json!({}));
    log.turn(1);
    log.add("hologram/shown", json!({}))["ignorable"] = json!(true);
    let session = log.read();
    assert_eq!(faults(&session), []);
    assert_eq!(session.lost["event type `hologram/shown`: kept in the tree, not interpreted"], 1);
}

#[test]
fn a_synthetic_seed_belongs_to_the_parent_and_a_resumed_session_to_itself() {
    let inherited =
        |log: &Log| -> Vec<bool> { log.read().requests.iter().map(|request| request.inherited).collect() };
    let mut log = Log::new();
    log.assistant(text("1"));
    log.add("session/end-seed", json!({}));
    log.assistant(text("2"));
    log.add("session/end-seed", json!({}));
    log.assistant(text("3"));
    assert_eq!(inherited(&log), [false, false, false]);
    log.header["parentSession"] = json!("s-00");
    assert_eq!(inherited(&log), [true, true, false]);
    log.header["seedLength"] = json!(1);
    assert_eq!(inherited(&log), [true, false, false]);
    assert_eq!(faults(&log.read()), [(2, "duplicate_history")]);
}

#[test]
fn a_synthetic_open_turn_is_shown_as_recorded() {
    let mut log = Log::new();
    log.turn(1);
    log.user("Q");
    log.assistant(call("c1"));
    let session = log.read();
    assert_eq!(faults(&session), []);
    assert_eq!(session.stats(View::Agent).unanswered_calls, 1);
    assert_eq!(session.tree.entries.len(), 5);
}

#[test]
fn a_synthetic_reply_without_content_is_a_request_and_no_message() {
    let mut log = Log::new();
    log.user("Q");
    log.assistant(json!([]));
    let session = log.read();
    assert_eq!(held(&session, View::Agent), ["user: Q"]);
    assert_eq!(session.stats(View::Agent).usage.input, 24);
    assert!(matches!(session.tree.entries[2].kind, EntryKind::Other { .. }));
}

#[test]
fn a_synthetic_version_that_is_not_known_is_refused_by_the_agent() {
    let codes = |change: fn(&mut Log)| {
        let mut log = Log::new();
        log.user("Q");
        change(&mut log);
        let session = log.read();
        assert_eq!((session.tree.entries.len(), session.view(View::Salvaged).entries.len()), (0, 2));
        faults(&session)
    };
    assert_eq!(codes(|log| log.header["version"] = json!(1)), [(1, "newer_version")]);
    assert_eq!(
        codes(|log| drop(log.header.as_object_mut().unwrap().remove("version"))),
        [(1, "missing_version")]
    );
}

#[test]
fn a_synthetic_log_without_header_or_with_damaged_counts_is_told() {
    let log = specimen();
    let session = read(log.lines()[1..].join("\n").as_bytes());
    assert_eq!(faults(&session), [(1, "missing_header")]);
    assert_eq!(session.tree.entries, []);
    let mut log = Log::new();
    log.assistant(
        json!([{ "type": "tool-call", "id": "c", "name": "bash", "arguments": "{\"a" }, { "type": "video" }]),
    );
    log.events[0]["data"]["usage"] = json!({ "inputTokens": -1 });
    let session = log.read();
    assert_eq!(faults(&session), [(2, "bad_arguments"), (2, "bad_usage")]);
    assert_eq!(session.requests[0].usage, None);
    assert_eq!(session.lost["content block `video`: left out"], 1);
}

#[test]
fn a_synthetic_log_packed_in_several_frames_reads_the_same() {
    let log = specimen();
    let mut packed = Vec::new();
    for batch in log.lines().chunks(3) {
        let text: String = batch.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        let mut frame = zstd::Encoder::new(Vec::new(), 3).unwrap();
        frame.include_checksum(true).unwrap();
        frame.write_all(text.as_bytes()).unwrap();
        packed.extend(frame.finish().unwrap());
    }
    assert_eq!(read(&packed), log.read());
    let cut = read(&packed[..packed.len() - 3]);
    assert_eq!(faults(&cut).last().map(|(_, code)| *code), Some("torn_tail"));
}

#[test]
fn a_synthetic_outline_has_the_structure_of_the_whole() {
    let text = specimen().text();
    assert_same_structure(&read(&text), &outline(&text), "specimen");
}

#[test]
fn every_byte_prefix_of_a_synthetic_log_reads_as_a_prefix_of_the_whole() {
    let text = specimen().text();
    let whole = read(text.as_bytes());
    for end in 0..=text.len() {
        let part = read(&text.as_bytes()[..end]);
        let entries = &part.view(View::Agent).entries;
        assert!(whole.tree.entries.starts_with(entries), "prefix of {end} bytes");
    }
}

proptest! {
    #[test]
    fn a_synthetic_log_with_bytes_changed_never_panics_and_never_bills_otherwise_in_silence(changes in changes()) {
        let text = specimen().text();
        let whole = read(&text);
        let bytes = changed(text, changes);
        if let Ok(session) = log::read(&bytes[..], &ReadOptions::default()) {
            assert_selects(&session);
            let requests = |session: &SessionLog| session.stats(View::Salvaged).requests;
            let told = !session.warnings.is_empty() || !session.lost.is_empty();
            prop_assert!(requests(&session) == requests(&whole) || told);
        }
    }
}

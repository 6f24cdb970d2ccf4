//! Transcripts of Claude Code: chains, replies over several lines, compactions, and what damage costs.

use adapters::log::{self, FaultCode, Format, ReadOptions, SessionLog, Version, View};
use engine::message::{Role, StopReason};
use engine::session::{EntryKind, TreeIndex, select};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::reading::{
    self, VIEWS, assert_same_structure, assert_selects, changed, changes, faults, outline, read,
};

/// A transcript under construction: every line names the one before it unless told otherwise.
struct Transcript {
    lines: Vec<Value>,
    last: Option<String>,
}

impl Transcript {
    fn new() -> Transcript {
        Transcript { lines: Vec::new(), last: None }
    }

    /// Adds a line of the main conversation; members given replace those of the envelope.
    fn line(&mut self, uuid: &str, members: Value) -> &mut Transcript {
        let second = self.lines.len();
        let mut line = json!({
            "parentUuid": self.last, "isSidechain": false, "cwd": "/home/user/pond", "sessionId": "s-1",
            "version": "2.1.42", "uuid": uuid, "timestamp": format!("2026-03-02T09:{:02}:{:02}Z", second / 60, second % 60),
        });
        for (name, value) in members.as_object().unwrap() {
            line[name] = value.clone();
        }
        self.lines.push(line);
        self.last = Some(uuid.to_owned());
        self
    }

    /// A line without the envelope.
    fn bare(&mut self, line: Value) -> &mut Transcript {
        self.lines.push(line);
        self
    }

    fn says(&mut self, uuid: &str, text: &str) -> &mut Transcript {
        self.line(uuid, json!({"type": "user", "message": {"role": "user", "content": text}}))
    }

    fn piece(&mut self, uuid: &str, id: &str, block: Value) -> &mut Transcript {
        self.piece_of(uuid, id, block, json!({}))
    }

    fn piece_of(&mut self, uuid: &str, id: &str, block: Value, members: Value) -> &mut Transcript {
        let mut line = json!({
            "type": "assistant", "requestId": format!("req-{id}"),
            "message": {
                "id": id, "role": "assistant", "model": "m-1", "content": [block], "stop_reason": null,
                "usage": usage(10, 1),
            },
        });
        for (name, value) in members.as_object().unwrap() {
            line[name] = value.clone();
        }
        self.line(uuid, line)
    }

    fn result(&mut self, uuid: &str, parent: &str, call: &str, text: &str) -> &mut Transcript {
        self.line(uuid, json!({"type": "user", "parentUuid": parent, "message": result_of(call, text)}))
    }

    fn text(&self) -> String {
        self.lines.iter().map(|line| format!("{line}\n")).collect()
    }

    fn read(&self) -> SessionLog {
        read(self.text())
    }
}

fn usage(input: u64, output: u64) -> Value {
    json!({
        "input_tokens": input, "output_tokens": output, "cache_read_input_tokens": 100,
        "cache_creation_input_tokens": 7,
        "cache_creation": {"ephemeral_5m_input_tokens": 5, "ephemeral_1h_input_tokens": 2},
        "server_tool_use": {"web_search_requests": 3},
    })
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "Read", "input": {"a": [2], "z": 1}})
}

fn result_of(call: &str, text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": call, "content": text}]})
}

/// What is sent where the session stands, or at the last entry of a line.
fn sent(session: &SessionLog, view: View, line: Option<u64>) -> Vec<String> {
    let tree = session.view(view);
    let at = line.map(|line| tree.entries.iter().rposition(|entry| entry.line == line).unwrap());
    reading::sent(&select(tree, at))
}

fn now(session: &SessionLog) -> Vec<String> {
    sent(session, View::Agent, None)
}

#[test]
fn pieces_of_a_reply_are_one_message_billed_once() {
    let mut log = Transcript::new();
    log.says("u1", "hello")
        .piece("a1", "msg-1", json!({"type": "thinking", "thinking": "hm", "signature": "c2ln"}))
        .piece("a2", "msg-1", text("first"));
    log.lines[2]["message"]["usage"]["output_tokens"] = json!(40);
    log.lines[2]["message"]["stop_reason"] = json!("end_turn");
    let session = log.read();
    assert_eq!(faults(&session), []);
    assert_eq!(now(&session), ["user: hello", "assistant: hm | first"]);
    let stats = session.stats(View::Agent);
    assert_eq!((stats.requests, stats.known_requests, stats.tree_entries), (1, 1, 3));
    let billed = stats.usage;
    assert_eq!((billed.input, billed.output, billed.cache_read, billed.cache_write), (10, 40, 100, 7));
    assert_eq!((billed.cache_write_1h, billed.cost), (2, None));
    let selection = select(&session.tree, None);
    let reply = selection.messages[1].message.reply.clone().unwrap();
    assert_eq!((reply.stop, reply.usage.unwrap().output), (StopReason::Stop, 40));
    assert_eq!((reply.model.as_str(), reply.api.as_str()), ("m-1", "anthropic-messages"));
    assert_eq!(session.requests[0].key.as_deref(), Some("msg-1:req-msg-1"));
}

#[test]
fn all_results_of_parallel_calls_are_in_the_context() {
    let mut log = Transcript::new();
    log.says("u1", "look")
        .piece("a1", "msg-1", call("t1"))
        .piece("a2", "msg-1", call("t2"))
        .piece("a3", "msg-1", call("t3"))
        .result("r1", "a1", "t1", "one")
        .result("r3", "a3", "t3", "three")
        .result("r2", "a2", "t2", "two")
        .piece_of("b1", "msg-2", text("seen"), json!({"parentUuid": "r3"}))
        .says("u2", "thanks");
    let session = log.read();
    assert_eq!(faults(&session), []);
    let whole = [
        "user: look",
        "assistant: Read{\"a\":[2],\"z\":1} | Read{\"a\":[2],\"z\":1} | Read{\"a\":[2],\"z\":1}",
        "tool_result: one",
        "tool_result: three",
        "tool_result: two",
        "assistant: seen",
        "user: thanks",
    ];
    assert_eq!(now(&session), whole);
    assert_eq!(sent(&session, View::Agent, Some(6)), whole[..4]);
    assert_eq!(session.stats(View::Agent).unanswered_calls, 0);
}

/// Tools start while the reply still streams: results stand between its pieces, hooks between them all.
#[test]
fn results_between_the_pieces_follow_the_merged_reply() {
    let mut log = Transcript::new();
    log.says("u1", "look")
        .piece("a1", "msg-1", call("t1"))
        .line("p1", json!({"type": "progress", "data": {"type": "hook_progress"}}))
        .result("r1", "a1", "t1", "one")
        .line("p2", json!({"type": "progress", "parentUuid": "p1", "data": {"type": "hook_progress"}}))
        .piece_of("a2", "msg-1", call("t2"), json!({"parentUuid": "a1"}))
        .result("r2", "a2", "t2", "two")
        .piece_of("b1", "msg-2", text("seen"), json!({"parentUuid": "p2"}));
    let session = log.read();
    assert_eq!(faults(&session), []);
    assert_eq!(
        now(&session),
        [
            "user: look",
            "assistant: Read{\"a\":[2],\"z\":1} | Read{\"a\":[2],\"z\":1}",
            "tool_result: one",
            "tool_result: two",
            "assistant: seen"
        ]
    );
}

#[test]
fn a_rewind_is_a_branch() {
    let mut log = Transcript::new();
    log.says("u1", "one")
        .piece("a1", "msg-1", text("first"))
        .says("u2", "two")
        .piece("a2", "msg-2", text("second"))
        .line(
            "u3",
            json!({"type": "user", "parentUuid": "a1", "message": {"role": "user", "content": "other"}}),
        )
        .piece("a3", "msg-3", text("third"));
    let session = log.read();
    assert_eq!(faults(&session), []);
    assert_eq!(now(&session), ["user: one", "assistant: first", "user: other", "assistant: third"]);
    assert_eq!(
        sent(&session, View::Agent, Some(4)),
        ["user: one", "assistant: first", "user: two", "assistant: second"]
    );
    assert_eq!(session.stats(View::Agent).requests, 3);
}

#[test]
fn lines_outside_of_the_chain_are_no_leaf_and_no_context() {
    let mut log = Transcript::new();
    log.bare(json!({"type": "summary", "summary": "A pond", "leafUuid": "elsewhere"}))
        .says("u1", "one")
        .bare(
            json!({"type": "queue-operation", "operation": "enqueue", "content": "two", "sessionId": "s-1"}),
        )
        .piece("a1", "msg-1", text("first"))
        .line("y1", json!({"type": "system", "subtype": "turn_duration", "durationMs": 9}))
        .line(
            "side",
            json!({"type": "user", "parentUuid": null, "isSidechain": true, "agentId": "b7",
                "message": {"role": "user", "content": "search"}}),
        )
        .bare(json!({"type": "file-history-snapshot", "messageId": "u1", "snapshot": {}}));
    let session = log.read();
    assert_eq!(faults(&session), []);
    assert_eq!(now(&session), ["user: one", "assistant: first"]);
    let leaf = session.tree.leaf.as_ref().unwrap();
    assert_eq!(leaf.as_str(), "a1");
    assert_eq!(session.tree.entries.len(), 7);
    assert_eq!(sent(&session, View::Agent, Some(6)), ["user: search"]);
}

#[test]
fn the_context_ends_at_a_compaction_and_the_history_stays() {
    let mut log = Transcript::new();
    log.says("u1", "one")
        .piece("a1", "msg-1", text("first"))
        .line(
            "b1",
            json!({"type": "system", "subtype": "compact_boundary", "parentUuid": null, "logicalParentUuid": "a1",
                "compactMetadata": {"trigger": "auto", "preTokens": 155_979}}),
        )
        .line("p1", json!({"type": "progress", "data": {"type": "hook_progress"}}))
        .line("s1", json!({"type": "user", "isCompactSummary": true,
            "message": {"role": "user", "content": "so far"}}))
        .piece("a2", "msg-2", text("on"));
    let session = log.read();
    assert_eq!(faults(&session), []);
    assert_eq!(now(&session), ["user: so far", "assistant: on"]);
    assert_eq!(sent(&session, View::Agent, Some(2)), ["user: one", "assistant: first"]);
    let index = TreeIndex::new(&session.tree);
    assert_eq!(index.path(5).len(), 6, "the earlier history is on the path");
    let EntryKind::Compaction { tokens_before, first_kept, .. } = &session.tree.entries[2].kind else {
        panic!()
    };
    assert_eq!((*tokens_before, first_kept), (Some(155_979), &None));
}

/// `(anchor, what is sent)`: the tail stands behind the summary, or before it where the boundary is the anchor.
#[test]
fn a_preserved_segment_is_kept_in_its_place() {
    let with_anchor = |anchor: &str, next_parent: &str| {
        let mut log = Transcript::new();
        log.says("u1", "one")
            .piece("a1", "msg-1", text("first"))
            .says("u2", "two")
            .piece("a2", "msg-2", text("second"))
            .line(
                "b1",
                json!({"type": "system", "subtype": "compact_boundary", "parentUuid": null,
                    "logicalParentUuid": "a2", "compactMetadata": {"trigger": "auto", "preTokens": 9,
                    "preservedSegment": {"headUuid": "u2", "anchorUuid": anchor, "tailUuid": "a2"}}}),
            )
            .line(
                "s1",
                json!({"type": "user", "isCompactSummary": true,
                "message": {"role": "user", "content": "so far"}}),
            )
            .line(
                "u3",
                json!({"type": "user", "parentUuid": next_parent,
                "message": {"role": "user", "content": "three"}}),
            );
        let session = log.read();
        assert_eq!(faults(&session), []);
        assert_eq!(sent(&session, View::Agent, Some(4)).len(), 4);
        now(&session)
    };
    let behind = ["user: so far", "user: two", "assistant: second", "user: three"];
    assert_eq!(with_anchor("s1", "s1"), behind);
    assert_eq!(with_anchor("s1", "a2"), behind, "the next line may follow the tail");
    assert_eq!(with_anchor("b1", "s1"), ["user: two", "assistant: second", "user: so far", "user: three"]);
}

#[test]
fn a_preserved_segment_that_is_nowhere_keeps_nothing() {
    let mut log = Transcript::new();
    log.says("u1", "one")
        .line(
            "b1",
            json!({"type": "system", "subtype": "compact_boundary", "parentUuid": null, "logicalParentUuid": "u1",
                "compactMetadata": {"preservedSegment": {"headUuid": "x", "anchorUuid": "s1", "tailUuid": "u1"}}}),
        )
        .line("s1", json!({"type": "user", "isCompactSummary": true,
            "message": {"role": "user", "content": "so far"}}));
    let session = log.read();
    assert_eq!(faults(&session), [(2, "bad_first_kept")]);
    assert_eq!(now(&session), ["user: so far"]);
}

#[test]
fn a_microcompaction_clears_results_from_there_on() {
    let mut log = Transcript::new();
    log.says("u1", "look")
        .piece("a1", "msg-1", call("t1"))
        .piece("a2", "msg-1", call("t2"))
        .result("r1", "a1", "t1", "one")
        .result("r2", "a2", "t2", "two")
        .piece("b1", "msg-2", text("seen"))
        .line(
            "m1",
            json!({"type": "system", "subtype": "microcompact_boundary", "microcompactMetadata": {
                "trigger": "auto", "preTokens": 9, "tokensSaved": 5, "compactedToolIds": ["t1", "t2", "gone"]}}),
        )
        .says("u2", "more");
    let session = log.read();
    assert_eq!(faults(&session), []);
    let results = |at: Option<u64>| {
        let mut sent = sent(&session, View::Agent, at);
        sent.retain(|message| message.starts_with("tool_result"));
        sent
    };
    assert_eq!(results(Some(6)), ["tool_result: one", "tool_result: two"]);
    assert_eq!(results(None), ["tool_result: [Old tool result content cleared]"; 2]);
    assert_eq!(session.tree.entries.len(), 9, "one entry a cleared result");
    assert_eq!(session.lost.values().sum::<u64>(), 1);
}

#[test]
fn a_new_root_begins_an_empty_context() {
    let mut log = Transcript::new();
    log.line("p1", json!({"type": "progress", "data": {"type": "hook_progress"}}))
        .says("u1", "one")
        .piece("a1", "msg-1", text("first"))
        .line(
            "u2",
            json!({"type": "user", "parentUuid": null, "message": {"role": "user", "content": "anew"}}),
        )
        .line("x1", json!({"type": "progress", "parentUuid": null, "data": {"type": "hook_progress"}}));
    let session = log.read();
    assert_eq!(faults(&session), [(4, "context_reset")]);
    assert_eq!(now(&session), ["user: anew"]);
}

#[test]
fn parents_come_before_session_identifiers() {
    let mut log = Transcript::new();
    log.says("u1", "one")
        .piece("a1", "msg-1", text("first"))
        .line("p1", json!({"type": "progress", "sessionId": "s-0", "data": {"type": "hook_progress"}}))
        .says("u2", "two");
    assert_eq!(faults(&log.read()), []);
    log.line(
        "f1",
        json!({"type": "user", "parentUuid": null, "sessionId": "s-9",
        "message": {"role": "user", "content": "elsewhere"}}),
    );
    let session = log.read();
    assert_eq!(faults(&session), [(5, "foreign_session")]);
    assert_eq!(session.header.as_ref().unwrap().id, "s-1");
}

#[test]
fn two_writers_are_named_and_a_change_of_mind_is_not() {
    let mut log = Transcript::new();
    let says = |parent: &str| json!({"type": "user", "parentUuid": parent, "message": {"role": "user", "content": "x"}});
    log.says("u1", "one").says("a", "a").line("b", says("u1")).line("a2", says("a"));
    assert_eq!(faults(&log.read()), []);
    log.line("b2", says("b"));
    assert_eq!(faults(&log.read()), [(4, "interleaved")]);
}

#[test]
fn a_sub_agents_file_has_its_own_conversation() {
    let mut log = Transcript::new();
    log.says("u1", "search").piece("a1", "msg-1", text("found"));
    for line in &mut log.lines {
        line["isSidechain"] = json!(true);
        line["agentId"] = json!("b7");
    }
    let session = log.read();
    assert_eq!(faults(&session), []);
    assert_eq!(now(&session), ["user: search", "assistant: found"]);
    let header = session.header.unwrap();
    assert_eq!((header.id.as_str(), header.parent_session.as_deref()), ("agent-b7", Some("s-1")));
    assert_eq!(header.version, Some(Version::Release("2.1.42".to_owned())));
    assert_eq!(header.cwd.as_deref(), Some("/home/user/pond"));
}

/// A side run over the session's own context follows lines of the session's file.
#[test]
fn parents_of_a_side_run_are_elsewhere_by_design() {
    let run = |agent: &str| {
        let mut log = Transcript::new();
        log.line(
            "u1",
            json!({"type": "user", "parentUuid": "elsewhere", "isSidechain": true, "agentId": agent,
            "message": {"role": "user", "content": "summarize"}}),
        );
        log.read()
    };
    let session = run("acompact-f0");
    assert_eq!((faults(&session), session.lost.len()), (vec![], 1));
    assert_eq!(faults(&run("b7")), [(1, "missing_parent")]);
}

#[test]
fn a_user_line_of_several_results_is_an_entry_each() {
    let mut log = Transcript::new();
    log.says("u1", "look").piece("a1", "msg-1", call("t1")).piece("a2", "msg-1", call("t2")).line(
        "r",
        json!({"type": "user", "toolUseResult": {"stdout": "one"}, "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": [
                text("one"), {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
                {"type": "tool_reference", "tool_name": "Grep"}]},
            {"type": "tool_result", "tool_use_id": "t2", "is_error": true},
            text("[Request interrupted by user]"),
        ]}}),
    );
    log.says("u2", "on");
    let session = log.read();
    assert_eq!(faults(&session), []);
    let ids: Vec<&str> = session.tree.entries[3..].iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(ids, ["r/1", "r/2", "r", "u2"]);
    assert_eq!(
        now(&session)[2..],
        [
            "tool_result: one | image:image/png:4",
            "tool_result: ",
            "user: [Request interrupted by user]",
            "user: on"
        ]
    );
    let EntryKind::Message(second) = &session.tree.entries[4].kind else { panic!() };
    let answer = second.answers.as_ref().unwrap();
    assert_eq!((answer.tool.as_str(), answer.is_error), ("Read", true));
    assert_eq!(session.stats(View::Agent).user_turns, 2);
    assert_eq!(session.lost.len(), 2, "{:?}", session.lost);
}

#[test]
fn only_what_the_person_typed_is_a_turn() {
    let mut log = Transcript::new();
    log.says("u1", "one")
        .line("m1", json!({"type": "user", "isMeta": true, "message": {"role": "user", "content": "caveat"}}))
        .line("c1", json!({"type": "system", "subtype": "local_command", "content": "<command-name>/model</command-name>"}))
        .line("q1", json!({"type": "attachment", "attachment": {"type": "queued_command", "prompt": "also this"}}))
        .line("n1", json!({"type": "attachment", "attachment": {"type": "nested_memory", "path": "x"}}))
        .says("u2", "two");
    let session = log.read();
    assert_eq!(faults(&session), []);
    assert_eq!(session.stats(View::Agent).user_turns, 2);
    assert_eq!(
        now(&session),
        [
            "user: one",
            "user: caveat",
            "user: <command-name>/model</command-name>",
            "user: also this",
            "user: two"
        ]
    );
    assert_eq!(
        session.lost.keys().map(String::as_str).collect::<Vec<_>>(),
        ["attachment `nested_memory`: kept in the tree, left out of the prompt"]
    );
}

#[test]
fn what_claude_code_made_up_itself_is_no_request() {
    let mut log = Transcript::new();
    log.says("u1", "one").piece("e1", "made-up", text("API Error")).piece(
        "n1",
        "made-up-2",
        text("No response"),
    );
    for line in &mut log.lines[1..] {
        line["message"]["model"] = json!("<synthetic>");
        line["message"]["usage"] = usage(0, 0);
    }
    log.lines[1]["isApiErrorMessage"] = json!(true);
    let session = log.read();
    assert_eq!(faults(&session), []);
    assert_eq!(session.requests, []);
    assert_eq!(now(&session), ["user: one", "assistant: No response"]);
}

#[test]
fn usage_that_contradicts_itself_is_named() {
    let billed = |first: Value, second: Value| {
        let mut log = Transcript::new();
        log.says("u1", "one").piece("a1", "msg-1", text("a")).piece("a2", "msg-1", text("b"));
        log.lines[1]["message"]["usage"] = first;
        log.lines[2]["message"]["usage"] = second;
        let session = log.read();
        (faults(&session), session.requests[0].usage.map(|usage| (usage.input, usage.output)))
    };
    assert_eq!(billed(usage(10, 1), usage(10, 5)), (vec![], Some((10, 5))));
    assert_eq!(billed(usage(10, 5), usage(30, 1)), (vec![(3, "usage_mismatch")], Some((30, 5))));
    assert_eq!(
        billed(json!({"input_tokens": -3, "output_tokens": 1}), usage(10, 5)),
        (vec![(2, "bad_usage")], Some((10, 5)))
    );
    assert_eq!(billed(Value::Null, Value::Null), (vec![], None));
    let mut split = usage(10, 1);
    split["cache_creation"]["ephemeral_5m_input_tokens"] = json!(6);
    assert_eq!(
        billed(split.clone(), split),
        (vec![(2, "usage_mismatch"), (3, "usage_mismatch")], Some((10, 1)))
    );
    let mut part = usage(10, 1);
    part["cache_creation"]["ephemeral_1h_input_tokens"] = json!(8);
    assert_eq!(billed(part, Value::Null), (vec![(2, "bad_usage")], None));
    assert_eq!(billed(json!({"input_tokens": 1}), Value::Null), (vec![(2, "bad_usage")], None));
}

#[test]
fn identifiers_of_reply_and_request_belong_together() {
    let mut log = Transcript::new();
    log.says("u1", "one").piece("a1", "msg-1", text("a")).piece("a2", "msg-2", text("b"));
    log.lines[2]["requestId"] = json!("req-msg-1");
    let session = log.read();
    assert_eq!((faults(&session), session.requests.len()), (vec![(3, "usage_mismatch")], 2));
    log.lines[2]["requestId"] = json!("req-9");
    log.lines[2]["message"]["id"] = json!("msg-1");
    let session = log.read();
    assert_eq!((faults(&session), session.requests.len()), (vec![(3, "usage_mismatch")], 2));
    log.lines[2].as_object_mut().unwrap().remove("requestId");
    let session = log.read();
    assert_eq!((faults(&session), session.requests.len()), (vec![], 1));
}

#[test]
fn shapes_that_the_format_does_not_have_are_named() {
    let mut log = Transcript::new();
    log.says("u1", "one")
        .line("u2", json!({"type": "user", "message": {"role": "user", "content": {"0": text("numbered")}}}))
        .line("u3", json!({"type": "user"}))
        .piece("a1", "msg-1", json!({"type": "tool_use", "id": "t1", "name": "Read", "input": "x"}))
        .line("n1", json!({"type": "reply", "message": {"usage": usage(1, 1)}}))
        .bare(json!({"kind": "foreign"}))
        .line(
            "t1",
            json!({"type": "user", "timestamp": "soon", "message": {"role": "user", "content": null}}),
        );
    let session = log.read();
    assert_eq!(
        faults(&session),
        [
            (2, "unknown_shape"),
            (3, "unknown_shape"),
            (4, "bad_arguments"),
            (5, "unknown_shape"),
            (6, "unknown_shape"),
            (7, "bad_time")
        ]
    );
    assert_eq!(session.tree.entries.len(), 7);
}

#[test]
fn times_and_folders_that_move_are_observed_once() {
    let mut log = Transcript::new();
    log.says("u1", "one").says("u2", "two").says("u3", "three").says("u4", "four");
    log.lines[1]["timestamp"] = json!("2026-03-02T08:59:00Z");
    log.lines[2]["cwd"] = json!("/home/user/sea");
    log.lines[3]["cwd"] = json!("/home/user/sky");
    let session = log.read();
    assert_eq!(faults(&session), [(2, "clock_skew"), (3, "several_cwds")]);
    assert_eq!(session.tree.cwd.as_deref(), Some("/home/user/pond"));
}

#[test]
fn a_repeated_identifier_is_two_entries_when_salvaged() {
    let mut log = Transcript::new();
    log.says("u1", "one")
        .says("u2", "two")
        .line("u1", json!({"type": "user", "message": {"role": "user", "content": "again"}}));
    log.says("u3", "three");
    let session = log.read();
    assert_eq!(faults(&session), [(2, "forward_parent"), (2, "cycle"), (3, "duplicate_id")]);
    assert_eq!(now(&session), ["user: two", "user: again", "user: three"]);
    assert_eq!(
        sent(&session, View::Salvaged, None),
        ["user: one", "user: two", "user: again", "user: three"]
    );
}

#[test]
fn a_fused_line_is_lost_to_the_agent_and_salvaged() {
    let mut log = Transcript::new();
    log.says("u1", "one").piece("a1", "msg-1", text("first")).says("u2", "two").piece(
        "a2",
        "msg-2",
        text("second"),
    );
    let lines: Vec<String> = log.lines.iter().map(Value::to_string).collect();
    let session = read(format!("{}\n{}{}\n{}\n", lines[0], lines[1], lines[2], lines[3]));
    assert_eq!(faults(&session), [(2, "fused_line"), (3, "missing_parent")]);
    assert_eq!(now(&session), ["assistant: second"]);
    assert_eq!(sent(&session, View::Salvaged, None).len(), 4);
    assert_eq!(session.stats(View::Agent).requests, 1);
    assert_eq!(session.stats(View::Salvaged).requests, 2);
}

#[test]
fn a_lost_line_cuts_the_agents_history_and_is_bridged_when_salvaged() {
    let mut log = Transcript::new();
    log.says("u1", "one").piece("a1", "msg-1", text("first")).says("u2", "two");
    log.lines[2]["parentUuid"] = json!("lost");
    let session = log.read();
    assert_eq!(faults(&session), [(3, "missing_parent")]);
    assert_eq!(now(&session), ["user: two"]);
    assert_eq!(sent(&session, View::Salvaged, None), ["user: one", "assistant: first", "user: two"]);
}

#[test]
fn lines_without_links_are_bridged_when_salvaged() {
    let mut log = Transcript::new();
    log.says("u1", "one").says("u2", "two");
    for line in &mut log.lines {
        line.as_object_mut().unwrap().remove("parentUuid");
    }
    log.lines[1].as_object_mut().unwrap().remove("uuid");
    let session = log.read();
    assert_eq!(faults(&session), [(2, "missing_id")]);
    log.lines[1]["uuid"] = json!("u2");
    let session = log.read();
    assert_eq!(faults(&session), [(2, "missing_parent")]);
    assert_eq!(now(&session), ["user: two"]);
    assert_eq!(sent(&session, View::Salvaged, None), ["user: one", "user: two"]);
}

/// A transcript with everything that moves the reader.
fn specimen() -> String {
    let mut log = Transcript::new();
    log.bare(json!({"type": "summary", "summary": "é", "leafUuid": "x"}))
        .says("u1", "look \u{2028} \u{0}")
        .piece("a1", "msg-1", json!({"type": "thinking", "thinking": "hm", "signature": "s"}))
        .piece("a2", "msg-1", call("t1"))
        .piece("a3", "msg-1", call("t2"))
        .result("r1", "a2", "t1", "one")
        .line("p1", json!({"type": "progress", "data": {"type": "hook_progress"}}))
        .line(
            "r2",
            json!({"type": "user", "parentUuid": "a3", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t2", "content": [text("two")]}, text("beside")]}}),
        )
        .line(
            "m1",
            json!({"type": "system", "subtype": "microcompact_boundary",
            "microcompactMetadata": {"compactedToolIds": ["t1", "t2"]}}),
        )
        .piece("b1", "msg-2", text("seen"))
        .line(
            "k1",
            json!({"type": "system", "subtype": "compact_boundary", "parentUuid": null,
            "logicalParentUuid": "b1", "compactMetadata": {"preTokens": 9,
            "preservedSegment": {"headUuid": "b1", "anchorUuid": "s1", "tailUuid": "b1"}}}),
        )
        .line(
            "s1",
            json!({"type": "user", "isCompactSummary": true,
            "message": {"role": "user", "content": "so far"}}),
        )
        .says("u1", "the same name")
        .line(
            "z1",
            json!({"type": "user", "parentUuid": "lost", "isMeta": true,
            "message": {"role": "user", "content": "end"}}),
        );
    log.text()
}

#[test]
fn the_outline_has_the_structure_of_the_whole() {
    let text = specimen();
    assert_same_structure(&read(&text), &outline(&text), "specimen");
}

#[test]
fn every_byte_prefix_reads_as_a_prefix_of_the_whole() {
    let text = specimen().into_bytes();
    let whole = read(&text);
    assert_eq!(whole.format, Some(Format::Claude));
    for end in 0..=text.len() {
        let part = read(&text[..end]);
        for view in VIEWS {
            let (part, whole) = (&part.view(view).entries, &whole.view(view).entries);
            // Names apart: whether a later line bears the same one decides how this one is told apart.
            let same = part.iter().zip(whole).all(|(a, b)| a.line == b.line && a.bytes == b.bytes);
            let lines = || part.iter().zip(whole).map(|(a, b)| (a.line, b.line)).collect::<Vec<_>>();
            assert!(same && part.len() <= whole.len(), "prefix of {end} bytes, {view:?}: {:?}", lines());
        }
    }
}

#[test]
fn arguments_keep_the_models_own_order() {
    let mut log = Transcript::new();
    log.says("u1", "look").piece("a1", "msg-1", call("t1"));
    let text = log.text().replace(r#"{"a":[2],"z":1}"#, r#"{"z":1,"a":[2]}"#);
    assert_eq!(now(&read(text))[1], r#"assistant: Read{"z":1,"a":[2]}"#);
}

/// A line whose identifier is lost still tells its session and its place.
#[test]
fn a_line_beyond_the_limit_keeps_the_chain() {
    let mut log = Transcript::new();
    log.says("u1", "one").says("u2", &"long ".repeat(1000)).says("u3", "three");
    let options = ReadOptions {
        limits: log::Limits { line_bytes: 2000, ..log::Limits::default() },
        ..ReadOptions::default()
    };
    let session = log::read(log.text().as_bytes(), &options).unwrap();
    assert_eq!(faults(&session), [(2, "line_too_long")]);
    assert_eq!(now(&session), ["user: one", "user: three"]);
    assert!(session.warnings.iter().all(|warning| warning.code == FaultCode::LineTooLong));
}

proptest! {
    #[test]
    fn a_log_with_bytes_changed_never_panics_and_selects(changes in changes()) {
        let bytes = changed(specimen(), changes);
        if let Ok(session) = log::read(&bytes[..], &ReadOptions::default()) {
            assert_selects(&session);
            assert_same_structure(&session, &outline(&bytes), "changed");
        }
    }

    /// Any tree of lines links into a tree that every walk leaves, with one entry a line.
    #[test]
    fn any_parents_link(parents in proptest::collection::vec((0_usize..12, 0_u8..5), 1..12)) {
        let mut log = Transcript::new();
        for (at, (parent, kind)) in parents.iter().enumerate() {
            let (uuid, parent) = (format!("l{at}"), json!({"parentUuid": format!("l{parent}")}));
            match kind {
                0 => log.says(&uuid, "x"),
                1 => log.result(&uuid, "l0", "t1", "one"),
                2 => log.line(&uuid, json!({"type": "progress"})),
                _ => log.piece(&uuid, &format!("msg-{}", kind % 2), call("t1")),
            };
            log.lines.last_mut().unwrap()["parentUuid"] = parent["parentUuid"].clone();
        }
        let session = log.read();
        for view in VIEWS {
            let tree = session.view(view);
            prop_assert_eq!(tree.entries.len(), parents.len());
            let index = TreeIndex::new(tree);
            for leaf in 0..tree.entries.len() {
                prop_assert!(index.path(leaf).len() <= parents.len());
                let messages = index.select(tree, leaf).messages;
                prop_assert!(messages.iter().all(|item| item.message.role != Role::System));
            }
        }
    }
}

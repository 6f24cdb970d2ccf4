//! Codex rollouts: what the model is sent, who said it, and what it cost.

use adapters::log::{self, Format, ReadOptions, SessionLog, Version, View};
use engine::message::{Block, Role};
use engine::session::{EntryKind, TreeIndex, select};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::reading::{self, assert_same_structure, assert_selects, changed, changes, faults, outline, sent};

/// Threads and turns in the order they were made: version 7 identifiers carry their time.
const PARENT: &str = "01900000-0000-7000-8000-000000000001";
const PARENT_TURN: &str = "01900000-0001-7000-8000-000000000001";
const OWN: &str = "01900000-0002-7000-8000-000000000001";
const OWN_TURN: &str = "01900000-0003-7000-8000-000000000001";

fn line(kind: &str, payload: Value) -> String {
    json!({ "timestamp": "2026-05-12T10:00:00.000Z", "type": kind, "payload": payload }).to_string()
}

fn meta(id: &str) -> String {
    line(
        "session_meta",
        json!({ "id": id, "cwd": "/home/user", "cli_version": "0.129.0", "model_provider": "openai" }),
    )
}

fn item(payload: Value) -> String {
    line("response_item", payload)
}

fn event(kind: &str, mut payload: Value) -> String {
    payload["type"] = json!(kind);
    line("event_msg", payload)
}

fn said(role: &str, text: &str) -> String {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    item(json!({ "type": "message", "role": role, "content": [{ "type": kind, "text": text }] }))
}

/// A prompt as Codex writes it: the item, then the event.
fn prompt(text: &str) -> [String; 2] {
    [said("user", text), event("user_message", json!({ "message": text }))]
}

fn call(id: &str) -> String {
    item(
        json!({ "type": "function_call", "name": "shell", "arguments": "{\"command\": [\"ls\"]}", "call_id": id }),
    )
}

fn output(id: &str) -> String {
    item(json!({ "type": "function_call_output", "call_id": id, "output": "out" }))
}

fn counts(input: u64, cached: u64, output: u64) -> Value {
    json!({ "input_tokens": input, "cached_input_tokens": cached, "output_tokens": output,
        "reasoning_output_tokens": 0, "total_tokens": input + output })
}

fn tokens(total: [u64; 3], last: Option<[u64; 3]>) -> String {
    let [input, cached, output] = total;
    let last = last.map_or(Value::Null, |[input, cached, output]| counts(input, cached, output));
    let info = json!({ "total_token_usage": counts(input, cached, output), "last_token_usage": last });
    event("token_count", json!({ "info": info }))
}

fn text<L: AsRef<str>>(lines: &[L]) -> String {
    lines.iter().flat_map(|line| [line.as_ref(), "\n"]).collect()
}

fn read<L: AsRef<str>>(lines: &[L]) -> SessionLog {
    reading::read(text(lines))
}

fn at_end(session: &SessionLog, view: View) -> Vec<String> {
    sent(&select(session.view(view), None))
}

/// Billed tokens of each request: line, uncached, read, output.
fn billed(session: &SessionLog) -> Vec<(u64, Option<[u64; 3]>)> {
    let usage =
        |request: &log::Request| request.usage.map(|usage| [usage.input, usage.cache_read, usage.output]);
    session.requests.iter().map(|request| (request.line, usage(request))).collect()
}

#[test]
fn a_turn_is_a_prompt_a_reply_of_several_items_and_results() {
    let [asked, event_of_it] = prompt("list the files");
    let session = read(&[
        line(
            "session_meta",
            json!({ "id": OWN, "cwd": "/home/user", "cli_version": "0.129.0", "model_provider": "openai",
                "base_instructions": { "text": "be brief" },
                "dynamic_tools": [{ "name": "lookup", "description": "d" }] }),
        ),
        said("developer", "sandboxed"),
        said("user", "<environment_context>"),
        asked,
        event_of_it,
        line("turn_context", json!({ "turn_id": OWN_TURN, "model": "gpt-5", "effort": "high" })),
        item(
            json!({ "type": "reasoning", "summary": [{ "type": "summary_text", "text": "hm" }], "encrypted_content": "gAAA" }),
        ),
        event("agent_reasoning", json!({ "text": "hm" })),
        call("a"),
        call("b"),
        tokens([100, 40, 9], Some([100, 40, 9])),
        event("exec_command_end", json!({ "call_id": "b", "exit_code": 1 })),
        output("a"),
        item(
            json!({ "type": "function_call_output", "call_id": "b", "output": { "content": "no", "success": true } }),
        ),
        said("assistant", "one file"),
        event("agent_message", json!({ "message": "one file" })),
        tokens([250, 140, 19], Some([150, 100, 10])),
        tokens([250, 140, 19], Some([150, 100, 10])),
    ]);
    assert_eq!(faults(&session), []);
    assert_eq!(session.format, Some(Format::Codex));
    let header = session.header.as_ref().unwrap();
    assert_eq!((header.id.as_str(), &header.version), (OWN, &Some(Version::Release("0.129.0".to_owned()))));
    insta::assert_snapshot!(at_end(&session, View::Agent).join("\n"), @r#"
    system: be brief | {"description":"d","name":"lookup"}
    system: sandboxed
    user: <environment_context>
    user: list the files
    assistant: hm | shell{"command": ["ls"]} | shell{"command": ["ls"]}
    tool_result: out
    tool_result: no
    assistant: one file
    "#);
    assert_eq!(billed(&session), [(7, Some([60, 40, 9])), (15, Some([50, 100, 10]))]);
    assert_eq!(session.requests[1].model, "gpt-5");
    assert_eq!(session.deduplicated["token totals told again"], 1);
    let stats = session.stats(View::Agent);
    assert_eq!((stats.user_turns, stats.requests, stats.tool_calls, stats.unanswered_calls), (1, 2, 2, 0));
    let errors: Vec<bool> = session
        .tree
        .entries
        .iter()
        .filter_map(|entry| match &entry.kind {
            EntryKind::Message(message) => message.answers.as_ref().map(|answer| answer.is_error),
            _ => None,
        })
        .collect();
    assert_eq!(errors, [false, true]);
    let changes: Vec<&EntryKind> = session
        .tree
        .entries
        .iter()
        .map(|entry| &entry.kind)
        .filter(|kind| matches!(kind, EntryKind::ModelChange { .. } | EntryKind::ThinkingChange { .. }))
        .collect();
    assert_eq!(changes.len(), 2);
}

#[test]
fn every_leaf_holds_what_stood_before_it() {
    let lines = specimen();
    let session = read(&lines);
    let tree = session.view(View::Agent);
    let index = TreeIndex::new(tree);
    let held: Vec<String> = (0..tree.entries.len())
        .map(|leaf| {
            let selection = index.select(tree, leaf);
            format!("{}: {}", tree.entries[leaf].id.0, sent(&selection).join(" / "))
        })
        .collect();
    insta::assert_snapshot!(held.join("\n"));
}

#[test]
fn arguments_that_are_no_json_are_kept_as_text() {
    let broken =
        item(json!({ "type": "function_call", "name": "shell", "arguments": "{\"comm", "call_id": "a" }));
    let patch = item(
        json!({ "type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin", "call_id": "b" }),
    );
    let session = read(&[meta(OWN), broken, patch]);
    assert_eq!(faults(&session), [(2, "bad_arguments")]);
    let blocks: Vec<Block> =
        select(&session.tree, None).messages.iter().flat_map(|item| item.message.blocks.clone()).collect();
    let [Block::ToolCall { arguments, json, .. }, Block::ToolCall { arguments: input, .. }] = &blocks[..]
    else {
        panic!("{blocks:?}");
    };
    assert_eq!((arguments, json.as_str()), (&json!({}), "{\"comm"));
    assert_eq!(input, &json!("*** Begin"));
}

#[test]
fn an_image_is_kept_by_hash() {
    let session = read(&[
        meta(OWN),
        item(json!({ "type": "message", "role": "user", "content": [
            { "type": "input_text", "text": "see" }, { "type": "input_image", "image_url": "data:image/png;base64,AAAA" },
            { "type": "input_image", "image_url": null }] })),
    ]);
    assert_eq!(at_end(&session, View::Agent), ["user: see | image:image/png:4"]);
    assert_eq!(session.lost["image without data: left out"], 1);
}

#[test]
fn a_compaction_with_a_history_starts_from_it() {
    let mut lines = vec![meta(OWN)];
    lines.extend(prompt("old"));
    lines.push(said("assistant", "answer"));
    lines.push(line(
        "compacted",
        json!({ "message": "", "replacement_history": [
            { "type": "message", "role": "user", "content": [{ "type": "input_text", "text": "old" }] },
            { "type": "reasoning", "summary": [], "encrypted_content": "x" },
            { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "so far" }] },
            { "type": "compaction", "encrypted_content": "y" }] }),
    ));
    lines.extend(prompt("new"));
    let session = read(&lines);
    assert_eq!(at_end(&session, View::Agent), ["user: old", "assistant:  | so far | ", "user: new"]);
}

#[test]
fn a_compaction_without_one_keeps_prompts_that_fit_beside_the_summary() {
    let long = "x".repeat(60_000);
    let mut lines =
        vec![line("session_meta", json!({ "id": OWN, "base_instructions": { "text": "be brief" } }))];
    lines.push(said("user", "<environment_context>"));
    lines.extend(prompt("first, cut by Codex to what is left: here left out".repeat(500).as_str()));
    lines.extend(prompt(&long));
    lines.push(said("assistant", "answer"));
    lines.extend(prompt("last"));
    lines.push(line("compacted", json!({ "message": "summary" })));
    lines.push(said("assistant", "on"));
    let session = read(&lines);
    assert_eq!(
        at_end(&session, View::Agent),
        ["system: be brief", &format!("user: {long}"), "user: last", "user: summary", "assistant: on"]
    );
    let cut = "prompt that was cut to fit beside a summary: left out of what the compaction keeps";
    assert_eq!(session.lost[cut], 1);
}

#[test]
fn a_rollback_is_a_branch_and_takes_the_context_of_its_turn_along() {
    let mut lines = vec![meta(OWN), said("user", "<environment_context>")];
    lines.extend(prompt("one"));
    lines.push(said("assistant", "1"));
    lines.push(said("developer", "now read-only"));
    lines.extend(prompt("two"));
    lines.push(said("assistant", "2"));
    lines.extend(prompt("three"));
    lines.push(event("thread_rolled_back", json!({ "num_turns": 2 })));
    let before = lines.len() - 2;
    lines.extend(prompt("four"));
    let session = read(&lines);
    assert_eq!(
        at_end(&session, View::Agent),
        ["user: <environment_context>", "user: one", "assistant: 1", "user: four"]
    );
    let tree = session.view(View::Agent);
    assert_eq!(sent(&select(tree, Some(before))).len(), 7);
    assert_eq!(session.stats(View::Agent).user_turns, 4);
}

#[test]
fn a_rollback_of_everything_keeps_what_stood_before_the_first_turn() {
    let mut lines = vec![meta(OWN), said("user", "<environment_context>")];
    lines.extend(prompt("one"));
    lines.push(event("thread_rolled_back", json!({ "num_turns": 9 })));
    lines.push(event("thread_rolled_back", json!({ "num_turns": 1 })));
    assert_eq!(at_end(&read(&lines), View::Agent), ["user: <environment_context>"]);
}

#[test]
fn a_rollback_reaches_into_the_history_of_a_compaction() {
    let history = ["a", "b"].map(|text| json!({ "type": "message", "role": "user", "content": text }));
    let mut lines =
        vec![meta(OWN), line("compacted", json!({ "message": "", "replacement_history": history }))];
    lines.extend(prompt("c"));
    lines.push(event("thread_rolled_back", json!({ "num_turns": 2 })));
    lines.extend(prompt("d"));
    assert_eq!(at_end(&read(&lines), View::Agent), ["user: a", "user: d"]);
}

#[test]
fn a_rollback_of_no_number_of_turns_takes_nothing_back_and_is_told() {
    for turns in [json!(null), json!(-1), json!(1.0), json!(1.5), json!("1"), json!(4_294_967_296_u64)] {
        let mut lines = vec![meta(OWN)];
        lines.extend(prompt("one"));
        lines.push(event("thread_rolled_back", json!({ "num_turns": turns })));
        let session = read(&lines);
        assert_eq!(at_end(&session, View::Agent), ["user: one"], "{turns}");
        let told =
            session.warnings.iter().any(|warning| warning.message.starts_with("a rollback of no number"));
        assert!(told, "{turns}: {:?}", session.warnings);
    }
}

#[test]
fn an_aborted_turn_leaves_its_call_open_and_gets_no_figures_of_the_next() {
    let mut lines = vec![meta(OWN)];
    lines.extend(prompt("one"));
    lines.extend([call("a"), event("turn_aborted", json!({ "reason": "interrupted" }))]);
    lines.extend(prompt("two"));
    lines.extend([said("assistant", "2"), tokens([10, 0, 1], Some([10, 0, 1]))]);
    let session = read(&lines);
    assert_eq!(session.stats(View::Agent).unanswered_calls, 1);
    assert_eq!(billed(&session), [(4, None), (8, Some([10, 0, 1]))]);
}

#[test]
fn figures_behind_the_end_of_a_turn_are_those_of_its_reply() {
    let mut lines = vec![meta(OWN)];
    lines.extend(prompt("one"));
    lines.extend([
        said("assistant", "1"),
        event("turn_aborted", json!({})),
        tokens([10, 0, 1], Some([10, 0, 1])),
    ]);
    let session = read(&lines);
    assert_eq!(billed(&session), [(6, Some([10, 0, 1]))]);
    assert_eq!(session.stated.map(|stated| (stated.input, stated.output)), Some((10, 1)));
}

#[test]
fn totals_without_last_differ_and_totals_that_fall_begin_anew() {
    let session = read(&[
        meta(OWN),
        event("token_count", json!({ "info": null })),
        tokens([10, 4, 1], None),
        tokens([25, 9, 3], None),
        tokens([7, 0, 1], Some([7, 0, 1])),
    ]);
    assert_eq!(faults(&session), [(5, "usage_mismatch")]);
    assert_eq!(billed(&session), [(3, Some([6, 4, 1])), (4, Some([10, 5, 2])), (5, Some([7, 0, 1]))]);
    assert_eq!(session.stated.map(|stated| (stated.input, stated.output)), Some((7, 1)));
}

#[test]
fn totals_that_contradict_the_requests_are_told() {
    let session = read(&[
        meta(OWN),
        tokens([90, 0, 1], Some([10, 0, 1])),
        tokens([120, 0, 2], Some([20, 0, 1])),
        tokens([5, 0, 1], Some([4, 0, 1])),
    ]);
    assert_eq!(faults(&session), [(2, "usage_mismatch"), (3, "usage_mismatch"), (4, "usage_mismatch")]);
}

#[test]
fn counts_that_cannot_be_are_unknown() {
    let cached_above_input = tokens([10, 11, 1], Some([10, 11, 1]));
    let negative = cached_above_input.replace(":11", ":-1");
    let huge = cached_above_input.replace(":11", ":1").replace(":10,", ":99999999999999,");
    let session = read(&[meta(OWN), cached_above_input, negative, huge, tokens([7, 0, 1], Some([7, 0, 1]))]);
    assert_eq!(faults(&session), [(2, "bad_usage"), (3, "bad_usage"), (4, "bad_usage")]);
    let stats = session.stats(View::Agent);
    assert_eq!((stats.requests, stats.known_requests, stats.usage.input), (4, 1, 7));
}

fn record(response_id: &str, input: u64, cached: u64, written: u64, output: u64) -> String {
    let mut usage = counts(input, cached, output);
    usage["cache_write_input_tokens"] = json!(written);
    line("token_usage_record", json!({ "thread_id": OWN, "response_id": response_id, "usage": usage }))
}

#[test]
fn a_usage_record_beside_a_token_count_is_one_request_in_either_order() {
    let session = read(&[
        meta(OWN),
        record("r1", 10, 4, 2, 1),
        tokens([10, 4, 1], Some([10, 4, 1])),
        tokens([30, 14, 3], Some([20, 10, 2])),
        record("r2", 20, 10, 5, 2),
        record("r3", 5, 0, 0, 1),
    ]);
    assert_eq!(faults(&session), []);
    assert_eq!(billed(&session), [(2, Some([4, 4, 1])), (4, Some([5, 10, 2])), (6, Some([5, 0, 1]))]);
    assert_eq!(session.stats(View::Agent).usage.cache_write, 7);
    assert_eq!(session.deduplicated["requests told by a token count and by a usage record"], 2);
}

#[test]
fn a_compaction_makes_totals_a_lower_bound_unless_its_own_record_tells() {
    let compacted = |id: &str| line("compacted", json!({ "message": "s", "compaction_response_id": id }));
    let count = tokens([10, 4, 1], Some([10, 4, 1]));
    let untold = read(&[meta(OWN), count.clone(), compacted("c")]);
    assert_eq!(faults(&untold), [(3, "usage_lower_bound")]);
    for lines in [
        [meta(OWN), count.clone(), compacted("c"), record("c", 50, 0, 0, 5)],
        [meta(OWN), count.clone(), record("c", 50, 0, 0, 5), compacted("c")],
    ] {
        let told = read(&lines);
        assert_eq!(faults(&told), []);
        let stats = told.stats(View::Agent);
        assert_eq!((stats.requests, stats.usage.input, stats.extra_usage.input), (1, 6, 50));
    }
}

/// The parent's history and, in a fork, a copy of it stamped anew.
fn family() -> (Vec<String>, Vec<String>) {
    let history = [
        event("task_started", json!({ "turn_id": PARENT_TURN })),
        said("user", "one"),
        said("assistant", "1"),
        tokens([10, 0, 1], Some([10, 0, 1])),
    ];
    let mut parent = vec![meta(PARENT)];
    parent.extend(history.clone());
    let own = line("session_meta", json!({ "id": OWN, "forked_from_id": PARENT }));
    let mut fork = vec![own, meta(PARENT)];
    fork.extend(history);
    fork.extend([
        event("task_started", json!({ "turn_id": OWN_TURN })),
        said("user", "two"),
        said("assistant", "2"),
        tokens([30, 10, 3], Some([20, 10, 2])),
    ]);
    (parent, fork)
}

#[test]
fn a_fork_inherits_its_parents_requests_until_its_first_own_turn() {
    let (parent, fork) = family();
    let (parent, fork) = (read(&parent), read(&fork));
    assert_eq!(faults(&parent), []);
    assert_eq!(faults(&fork), [(5, "duplicate_history")]);
    assert_eq!(fork.header.as_ref().unwrap().parent_session.as_deref(), Some(PARENT));
    let inherited: Vec<bool> = fork.requests.iter().map(|request| request.inherited).collect();
    assert_eq!(inherited, [true, false]);
    assert_eq!(fork.requests[0].key, parent.requests[0].key);
    assert_ne!(fork.requests[1].key, parent.requests[0].key);
    assert_eq!(at_end(&fork, View::Agent).len(), 4);
}

#[test]
fn a_sub_agent_with_its_parents_header_and_no_history_counts_for_itself() {
    let session = read(&[
        line(
            "session_meta",
            json!({ "id": OWN, "source": { "subagent": { "thread_spawn": { "parent_thread_id": PARENT } } } }),
        ),
        meta(PARENT),
        event("task_started", json!({ "turn_id": OWN_TURN })),
        said("assistant", "1"),
        tokens([90, 0, 9], Some([10, 0, 1])),
    ]);
    assert_eq!(faults(&session), []);
    assert!(!session.requests[0].inherited);
}

#[test]
fn a_header_of_another_session_behind_own_turns_is_ignored() {
    let session = read(&[meta(OWN), event("task_started", json!({ "turn_id": OWN_TURN })), meta(PARENT)]);
    assert_eq!(faults(&session), [(3, "extra_header")]);
    assert_eq!(session.header.unwrap().id, OWN);
}

#[test]
fn a_line_that_had_to_be_repaired_is_salvaged_only() {
    let surrogate = said("assistant", "SMILE").replace("SMILE", "\\ud83d");
    let fused = format!("{}{}", said("user", "two"), said("assistant", "2"));
    let session = read(&[meta(OWN), said("user", "one"), surrogate, fused, said("user", "three")]);
    assert_eq!(faults(&session), [(3, "lone_surrogate"), (4, "fused_line")]);
    assert_eq!(at_end(&session, View::Agent), ["user: one", "user: three"]);
    assert_eq!(at_end(&session, View::Salvaged).len(), 5);
}

#[test]
fn a_prompt_that_only_an_event_holds_is_salvaged() {
    let session =
        read(&[meta(OWN), event("user_message", json!({ "message": "review" })), said("assistant", "done")]);
    assert_eq!(at_end(&session, View::Agent), ["assistant: done"]);
    assert_eq!(at_end(&session, View::Salvaged), ["user: review", "assistant: done"]);
    assert_eq!(session.lost["prompt that only an event holds: in the salvaged view alone"], 1);
}

#[test]
fn a_lost_header_is_salvaged() {
    let session = read(&[said("user", "one"), said("assistant", "1"), tokens([10, 0, 1], None)]);
    assert_eq!(faults(&session), [(1, "missing_header")]);
    assert_eq!(session.tree.entries.len(), 0);
    assert_eq!(at_end(&session, View::Salvaged).len(), 2);
    assert!(session.requests.len() == 1 && session.requests[0].salvaged_only);
}

#[test]
fn the_oldest_rollouts_have_no_envelope() {
    let session = read(&[
        r#"{"id":"s","timestamp":"2025-06-01T10:00:00Z","instructions":null,"git":{}}"#,
        r#"{"record_type":"state"}"#,
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}"#,
        r#"{"type":"function_call","name":"shell","arguments":"{}","call_id":"a"}"#,
        r#"{"type":"function_call_output","call_id":"a","output":"{}"}"#,
        r#"{"created_at":"2025-06-01T10:00:03Z","role":"assistant","content":"bye"}"#,
    ]);
    assert_eq!(faults(&session), []);
    assert_eq!(session.salvaged, None);
    assert_eq!(
        at_end(&session, View::Agent),
        ["user: hi", "assistant: shell{}", "tool_result: {}", "assistant: bye"]
    );
    assert_eq!(billed(&session), [(4, None), (6, None)]);
    assert_eq!(session.stated, None);
}

#[test]
fn ordinals_times_and_shapes_are_told() {
    let numbered = |ordinal: u64| said("user", "x").replacen('{', &format!("{{\"ordinal\":{ordinal},"), 1);
    let session = read(&[
        meta(OWN),
        numbered(1),
        numbered(2),
        numbered(4),
        said("user", "x").replace("2026-05-12T10", "2026-05-12T09"),
        said("user", "x").replace("2026-05-12T10:00:00.000Z", "soon"),
        item(json!({ "type": "function_call", "arguments": "{}" })),
        item(json!({ "type": "hologram" })),
        "42".to_owned(),
    ]);
    assert_eq!(
        faults(&session),
        [(4, "ordinal_gap"), (5, "clock_skew"), (6, "bad_time"), (7, "unknown_shape"), (9, "not_an_entry")]
    );
    assert_eq!(session.lost["item type `hologram`: kept in the tree, not interpreted"], 1);
}

/// A small log with everything that moves the reader.
fn specimen() -> Vec<String> {
    let mut lines = vec![
        line(
            "session_meta",
            json!({ "id": OWN, "cli_version": "0.151.0", "model_provider": "openai",
            "base_instructions": { "text": "be brief" }, "dynamic_tools": [{ "name": "lookup" }] }),
        ),
        line("turn_context", json!({ "turn_id": OWN_TURN, "model": "m", "effort": "low" })),
        said("user", "<environment_context>"),
    ];
    lines.extend(prompt("é one"));
    lines.extend([
        item(json!({ "type": "reasoning", "summary": [{ "type": "summary_text", "text": "t" }], "encrypted_content": "e" })),
        call("a"),
        tokens([10, 4, 1], Some([10, 4, 1])),
        output("a"),
        said("assistant", "1"),
        tokens([20, 8, 2], Some([10, 4, 1])),
    ]);
    lines.extend(prompt("two"));
    lines.extend([
        item(json!({ "type": "custom_tool_call", "name": "apply_patch", "input": "p", "call_id": "b" })),
        event("turn_aborted", json!({})),
        event("thread_rolled_back", json!({ "num_turns": 1 })),
    ]);
    lines.extend(prompt("three"));
    lines.extend([
        item(json!({ "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "3" }] })),
        line("compacted", json!({ "message": "summary" })),
    ]);
    lines.extend(prompt("four"));
    lines.extend([
        item(json!({ "type": "web_search_call", "id": "w", "action": { "query": "q" } })),
        said("assistant", "4"),
    ]);
    lines
}

#[test]
fn an_outline_has_the_structure_of_the_whole() {
    let lines = specimen();
    assert_same_structure(&read(&lines), &outline(text(&lines)), "specimen");
}

#[test]
fn every_byte_prefix_reads_as_a_prefix_of_the_whole() {
    let lines = specimen();
    let whole = read(&lines);
    let text = lines.join("\n");
    for end in 0..=text.len() {
        let part = log::read(&text.as_bytes()[..end], &ReadOptions::default()).unwrap();
        let entries = &part.view(View::Agent).entries;
        let same = entries.iter().zip(&whole.tree.entries).all(|(a, b)| a.id == b.id && a.parent == b.parent);
        assert!(same && entries.len() <= whole.tree.entries.len(), "prefix of {end} bytes");
    }
}

proptest! {
    #[test]
    fn a_log_with_bytes_changed_never_panics_and_never_bills_otherwise_in_silence(changes in changes()) {
        let total = |session: &SessionLog| session.stats(View::Salvaged).usage;
        let right = total(&read(&specimen()));
        let bytes = changed(specimen().join("\n"), changes);
        if let Ok(session) = log::read(&bytes[..], &ReadOptions::default()) {
            assert_selects(&session);
            let told = !session.warnings.is_empty() || !session.lost.is_empty();
            prop_assert!(total(&session) == right || told, "{:?}", session.requests);
        }
    }
}

#[test]
fn a_developer_and_an_agent_message_are_neither_prompts_nor_replies() {
    let agent = item(
        json!({ "type": "agent_message", "author": "a", "content": [{ "type": "input_text", "text": "hi" }] }),
    );
    let session = read(&[meta(OWN), said("developer", "d"), agent]);
    let roles: Vec<Role> =
        select(&session.tree, None).messages.iter().map(|item| item.message.role).collect();
    assert_eq!(roles, [Role::System, Role::User]);
    assert_eq!(session.stats(View::Agent).user_turns, 0);
}

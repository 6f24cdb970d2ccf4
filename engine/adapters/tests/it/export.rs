//! Import, export as Pi's version 3, import again: the same session, or a loss that says what isn't.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, Write as _};
use std::path::Path;

use adapters::export::{Exported, LossCode, Source, equal_model, pi_v3, telling_entries};
use adapters::log::{self, ReadOptions, SessionLog, View};
use engine::message::{Block, Message, Reply, Role, StopReason, ToolAnswer, Usage};
use engine::session::{Entry, EntryId, EntryKind, SessionTree};
use proptest::prelude::*;

use crate::reading::read;
use crate::support::{Random, session_files, shared};

/// Exports a view twice and imports it.
fn round_trip(log: &SessionLog, view: View, path: Option<&Path>) -> (Exported, SessionLog) {
    let export = || {
        let source = match path.map(|path| File::open(path).unwrap()) {
            None => Source::Absent,
            Some(file) => Source::of_file(file).unwrap(),
        };
        pi_v3(log, view, source).unwrap()
    };
    let exported = export();
    assert_eq!(exported, export(), "the same bytes each time");
    let again = read(&exported.bytes);
    assert!(again.warnings.iter().all(|warning| !is_of_the_form(warning.code)), "{:?}", again.warnings);
    assert_eq!(again.tree.entries.len() as u64, exported.entries);
    (exported, again)
}

/// Faults that an export makes itself: those of lines, identifiers and parents. The others may stem from the log.
fn is_of_the_form(code: log::FaultCode) -> bool {
    use log::FaultCode as Code;
    matches!(
        code,
        Code::UnparsableLine
            | Code::FusedLine
            | Code::TornTail
            | Code::MissingId
            | Code::DuplicateId
            | Code::MissingParent
            | Code::Cycle
            | Code::MissingHeader
            | Code::BadUsage
            | Code::UsageMismatch
            | Code::UnknownShape
            | Code::BadArguments
    )
}

fn changes_messages(exported: &Exported) -> bool {
    exported.losses.iter().any(|loss| loss.code.changes_messages())
}

#[test]
fn every_real_log_is_the_same_after_export() {
    let Some(corpora) = shared("corpora") else { return };
    let (mut equal, mut told) = (0, BTreeMap::<&str, u64>::new());
    for file in session_files(&corpora) {
        let opened = BufReader::new(File::open(&file).unwrap());
        let Ok(log) = log::read(opened, &ReadOptions::default()) else { continue };
        for view in [View::Agent, View::Salvaged] {
            let tree = log.view(view);
            if tree.entries.is_empty() || (view == View::Salvaged && log.salvaged.is_none()) {
                continue;
            }
            let (exported, again) = round_trip(&log, view, Some(&file));
            for loss in &exported.losses {
                *told.entry(loss.code.code()).or_default() += loss.count;
            }
            match equal_model(tree, &again.tree, &exported.states, telling_entries(tree, 48)) {
                Ok(()) => equal += 1,
                Err(difference) if changes_messages(&exported) => {
                    let losses: Vec<_> =
                        exported.losses.iter().filter(|loss| loss.code.changes_messages()).collect();
                    writeln!(std::io::stderr(), "export: {}: {difference:?} ({losses:?})", file.display())
                        .unwrap();
                }
                Err(difference) => panic!("{} ({}): {difference:?}", file.display(), view.name()),
            }
        }
    }
    writeln!(std::io::stderr(), "export: {equal} views equal; losses told: {told:?}").unwrap();
    assert!(equal >= 38, "only {equal}");
}

#[test]
fn every_written_fault_can_be_exported() {
    let faults = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpora/faults");
    let mut equal = 0;
    for file in session_files(&faults) {
        let Ok(log) = log::read(BufReader::new(File::open(&file).unwrap()), &ReadOptions::default()) else {
            continue;
        };
        for view in [View::Agent, View::Salvaged] {
            let tree = log.view(view);
            if tree.entries.is_empty() {
                continue;
            }
            let (exported, again) = round_trip(&log, view, Some(&file));
            let all = 0..tree.entries.len();
            let result = equal_model(tree, &again.tree, &exported.states, all);
            assert!(
                result.is_ok() || changes_messages(&exported),
                "{} ({}): {result:?}",
                file.display(),
                view.name()
            );
            equal += usize::from(result.is_ok());
        }
    }
    assert!(equal >= 40, "only {equal}");
}

fn text(role: Role, words: &str) -> Message {
    Message::from_text(role, words)
}

/// A log of one tree.
fn log_of(entries: Vec<Entry>) -> SessionLog {
    let mut log = read(
        b"{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-11-01T10:00:00.000Z\"}\n",
    );
    log.tree = SessionTree { session_id: "s".to_owned(), entries, ..SessionTree::default() };
    log
}

fn entry(at: usize, parent: Option<usize>, kind: EntryKind) -> Entry {
    let id = |at: usize| EntryId(format!("line:{at}").into());
    Entry {
        id: id(at),
        parent: parent.map(id),
        line: at as u64 + 2,
        bytes: 0..0,
        time_ms: (!at.is_multiple_of(5)).then_some(1_795_000_000_000 + at as i64 * 1000),
        kind,
    }
}

fn reply(at: usize, random: &mut Random, blocks: Vec<Block>, response: String, continues: bool) -> Message {
    let stops =
        [StopReason::Stop, StopReason::ToolUse, StopReason::Aborted, StopReason::Other("pause".to_owned())];
    let usage = Usage { input: at as u64, output: 7, cache_read: 3, reasoning: 2, ..Usage::default() };
    let reply = Reply {
        provider: "p".to_owned(),
        model: "m".to_owned(),
        api: "a".to_owned(),
        stop: if continues { StopReason::Stop } else { stops[random.below(4)].clone() },
        usage: (!continues && random.below(4) > 0).then_some(usage),
        response_id: Some(response),
        started_ms: None,
        continues,
    };
    Message { role: Role::Assistant, blocks, answers: None, reply: Some(Box::new(reply)) }
}

fn call(id: &str) -> Block {
    let json = r#"{"path":"ä.rs","deep":{"n":[1,0.5,null]}}"#;
    Block::ToolCall {
        id: id.to_owned(),
        name: "read".to_owned(),
        arguments: serde_json::from_str(json).unwrap(),
        json: json.to_owned(),
    }
}

fn result(call: &str, words: String) -> Message {
    let answers = ToolAnswer {
        call_id: call.to_owned(),
        tool: "read".to_owned(),
        is_error: words.len().is_multiple_of(2),
    };
    Message { answers: Some(answers), ..text(Role::ToolResult, &words) }
}

/// A tree with everything that the model has, drawn from a seed.
fn generated(seed: u64, size: usize) -> SessionLog {
    let mut random = Random::new(seed);
    let mut entries: Vec<Entry> = Vec::new();
    while entries.len() < size {
        let at = entries.len();
        let parent = match random.below(12) {
            0 => at.checked_sub(1 + random.below(4)),
            1 => None,
            _ => at.checked_sub(1),
        };
        let words = format!("words {at}\u{2028}\n\"{}\"", random.below(1000));
        let some_before = |random: &mut Random| EntryId(format!("line:{}", random.below(at.max(1))).into());
        let kind = match random.below(17) {
            0..=2 => EntryKind::Message(text(Role::User, &words)),
            3..=5 => {
                // A reply in two pieces with the results behind them, or one in between.
                let response = format!("r{at}");
                let calls = [format!("c{at}a"), format!("c{at}b")];
                let first = vec![
                    Block::Thinking { text: words.clone(), signature: Some("sig".to_owned()) },
                    call(&calls[0]),
                ];
                entries.push(entry(
                    at,
                    parent,
                    EntryKind::Message(reply(at, &mut random, first, response.clone(), false)),
                ));
                let answered = random.below(2) == 0;
                let mut next = at + 1;
                if answered {
                    entries.push(entry(next, Some(at), EntryKind::Message(result(&calls[0], words.clone()))));
                    next += 1;
                }
                let second = reply(next, &mut random, vec![call(&calls[1])], response, true);
                entries.push(entry(next, Some(next - 1), EntryKind::Message(second)));
                entries.push(entry(next + 1, Some(next), EntryKind::Message(result(&calls[1], words))));
                continue;
            }
            6 => EntryKind::Message(Message {
                blocks: vec![
                    Block::Text(words),
                    Block::ToolDeclaration {
                        name: "read".to_owned(),
                        json: r#"{"name":"read","b":1,"a":2}"#.to_owned(),
                    },
                ],
                ..text(Role::System, "")
            }),
            7 => EntryKind::Injected { source: "ext".to_owned(), message: text(Role::User, &words) },
            8 => EntryKind::UserShell {
                message: text(
                    Role::User,
                    &format!("Ran `ls`\n```\n{words}\n```\n\nCommand exited with code 3"),
                ),
                excluded: random.below(2) == 0,
            },
            9 => EntryKind::Compaction {
                messages: (0..1 + random.below(3))
                    .map(|n| text(Role::User, &format!("{words} {n}")))
                    .collect(),
                system: (random.below(2) == 0).then(|| Box::new(text(Role::System, "rules"))),
                first_kept: (random.below(3) == 0).then(|| some_before(&mut random)),
                tokens_before: Some(100),
                usage: Some(Usage { input: 9, output: 1, ..Usage::default() }),
            },
            10 => EntryKind::Compaction {
                messages: vec![text(
                    Role::User,
                    &format!(
                        "The conversation history before this point was compacted into the following summary:\n\n<summary>\n{words}\n</summary>"
                    ),
                )],
                system: None,
                first_kept: Some(some_before(&mut random)),
                tokens_before: None,
                usage: None,
            },
            11 => EntryKind::BranchSummary {
                summary: (random.below(2) == 0).then(|| text(Role::User, &words)),
                usage: Some(Usage { input: 5, ..Usage::default() }),
            },
            12 => EntryKind::ContextEdit {
                target: some_before(&mut random),
                replacement: (random.below(2) == 0).then(|| vec![Block::Text(words)]),
            },
            13 => EntryKind::ModelChange { provider: "p".to_owned(), model: "m".to_owned() },
            14 => EntryKind::ThinkingChange { level: "low".to_owned() },
            15 => EntryKind::ExtraUsage(Usage { output: 4, ..Usage::default() }),
            _ => EntryKind::Other { name: "progress".to_owned() },
        };
        entries.push(entry(at, parent, kind));
    }
    log_of(entries)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn generated_trees_are_the_same_or_the_loss_is_told(seed in any::<u64>(), size in 1_usize..40) {
        let log = generated(seed, size);
        let (exported, again) = round_trip(&log, View::Agent, None);
        let result = equal_model(&log.tree, &again.tree, &exported.states, 0..log.tree.entries.len());
        prop_assert!(result.is_ok() || changes_messages(&exported), "{:?}\n{:?}", result, exported.losses);
    }
}

#[test]
fn most_generated_trees_are_compared_to_the_end() {
    let equal = (0..200).filter(|seed| {
        let log = generated(*seed, 30);
        let (exported, again) = round_trip(&log, View::Agent, None);
        !changes_messages(&exported)
            && equal_model(&log.tree, &again.tree, &exported.states, 0..log.tree.entries.len()).is_ok()
    });
    let equal = equal.count();
    assert!(equal >= 40, "only {equal} of 200 without a loss");
}

#[test]
fn a_comparison_sees_what_differs() {
    let lossless = (0..).map(|seed| generated(seed, 30)).find_map(|log| {
        let (exported, again) = round_trip(&log, View::Agent, None);
        (!changes_messages(&exported)).then_some((log, exported, again))
    });
    let (log, exported, mut again) = lossless.unwrap();
    let all = || 0..log.tree.entries.len();
    assert_eq!(equal_model(&log.tree, &again.tree, &exported.states, all()), Ok(()));
    let changed = again.tree.entries.iter_mut().find_map(|entry| match &mut entry.kind {
        EntryKind::Message(message) if message.role == Role::User => Some(message),
        _ => None,
    });
    changed.unwrap().blocks = vec![Block::Text("other words".to_owned())];
    let difference = equal_model(&log.tree, &again.tree, &exported.states, all()).unwrap_err();
    assert!(difference.what.ends_with("text"), "{difference:?}");
}

#[test]
fn an_export_of_each_kind_of_entry_and_its_losses() {
    let image = "iVBORw0KGgo=";
    let log = format!(
        "{}\n",
        [
            r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/home/user/p"}"#,
            r#"{"type":"session_info","id":"a1","parentId":null,"timestamp":"2026-11-01T10:00:00.100Z","name":"trip"}"#,
            &format!(
                r#"{{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-11-01T10:00:01.000Z","message":{{"role":"user","content":[{{"type":"text","text":"look"}},{{"type":"image","data":"{image}","mimeType":"image/png"}}],"timestamp":1}}}}"#
            ),
            r#"{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-11-01T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"thinking","thinking":"","thinkingSignature":"xyz","redacted":true},{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"ls","timeout":1.50}}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"input":0.1,"output":0.2,"cacheRead":0,"cacheWrite":0,"total":0.30000000000000004}},"stopReason":"toolUse","responseId":"r1","timestamp":1700000000000}}"#,
            r#"{"type":"message","id":"a4","parentId":"a3","timestamp":"2026-11-01T10:00:03.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"out"}],"details":{"diff":"-"},"isError":false}}"#,
            r#"{"type":"label","id":"a5","parentId":"a4","timestamp":"2026-11-01T10:00:04.000Z","targetId":"a2","label":"here"}"#,
            r#"{"type":"message","id":"a6","parentId":"a5","timestamp":"2026-11-01T10:00:05.000Z","message":{"role":"bashExecution","command":"ls","output":"a","exitCode":1,"cancelled":false,"truncated":false}}"#,
            r#"{"type":"context_edit","id":"a7","parentId":"a6","timestamp":"2026-11-01T10:00:06.000Z","targetId":"a4","replacement":{"content":[{"type":"text","text":"short"}]}}"#,
            r#"{"type":"compaction","id":"a8","parentId":"a7","timestamp":"2026-11-01T10:00:07.000Z","summary":"so far","firstKeptEntryId":"a6","tokensBefore":12,"details":{"readFiles":[]}}"#,
            r#"{"type":"usage","id":"a9","parentId":"a8","timestamp":"2026-11-01T10:00:08.000Z","kind":"cache_warm","provider":"p","model":"m","usage":{"input":1,"output":0,"cacheRead":0,"cacheWrite":0}}"#,
        ]
        .join("\n")
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s1.jsonl");
    fs::write(&path, &log).unwrap();
    let log = read(log.as_bytes());
    let (exported, again) = round_trip(&log, View::Agent, Some(&path));
    let all = 0..log.tree.entries.len();
    assert_eq!(equal_model(&log.tree, &again.tree, &exported.states, all), Ok(()));
    insta::assert_snapshot!("export_bytes", String::from_utf8(exported.bytes).unwrap());
    insta::assert_debug_snapshot!("export_losses", exported.losses);
    // Without the log's bytes the image is a note, and that is told.
    let (exported, _) = round_trip(&log, View::Agent, None);
    assert!(exported.losses.iter().any(|loss| loss.code == LossCode::Image && loss.count == 1));
    assert!(exported.losses.iter().any(|loss| loss.code == LossCode::SourceAbsent));
}

#[test]
fn a_replacement_is_said_by_edits_in_its_place() {
    let message = |role, words: &str| EntryKind::Message(text(role, words));
    let replaced = EntryKind::Replacement {
        first: EntryId("line:1".into()),
        last: EntryId("line:2".into()),
        message: Some(text(Role::User, "both")),
    };
    let log = log_of(vec![
        entry(0, None, message(Role::User, "zero")),
        entry(1, Some(0), message(Role::User, "one")),
        entry(2, Some(1), message(Role::User, "two")),
        entry(3, Some(2), message(Role::User, "three")),
        entry(4, Some(3), replaced),
        entry(5, Some(4), message(Role::User, "five")),
        // Another branch, which the replacement doesn't touch.
        entry(6, Some(3), message(Role::User, "six")),
    ]);
    let (exported, again) = round_trip(&log, View::Agent, None);
    assert_eq!(equal_model(&log.tree, &again.tree, &exported.states, 0..7), Ok(()));
    assert!(!changes_messages(&exported), "{:?}", exported.losses);
}

#[test]
fn loss_codes_are_distinct() {
    let mut codes: Vec<&str> = LossCode::ALL.iter().map(|code| code.code()).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), LossCode::ALL.len());
}

/// A transcript of Claude Code in which identifiers recur and boundaries keep segments.
fn ambiguous_transcript(seed: u64) -> String {
    let mut random = Random::new(seed);
    let mut text = String::new();
    let mut last = None::<String>;
    for at in 0..6 + random.below(18) {
        let uuid = format!("u{}", random.below(9));
        let other = |random: &mut Random| format!("u{}", random.below(9));
        let parent = match (random.below(6), &last) {
            (0, _) => Some(other(&mut random)),
            (1, _) | (_, None) => None,
            (_, Some(last)) => Some(last.clone()),
        };
        let mut line = serde_json::json!({
            "uuid": uuid, "parentUuid": parent, "isSidechain": false, "cwd": "/home/user/p", "sessionId": "s",
            "version": "2.1.42", "timestamp": format!("2026-03-02T09:00:{at:02}Z"),
        });
        let kind = random.below(8);
        let members = match kind {
            0 => serde_json::json!({"type": "system", "subtype": "compact_boundary", "parentUuid": null,
                "logicalParentUuid": last, "compactMetadata": {"preTokens": 9, "preservedSegment": {
                    "headUuid": other(&mut random), "tailUuid": other(&mut random), "anchorUuid": other(&mut random)}}}),
            1 => serde_json::json!({"type": "system", "subtype": "compact_boundary", "parentUuid": null,
                "logicalParentUuid": last, "compactMetadata": {"preTokens": 9}}),
            2 => serde_json::json!({"type": "user", "isCompactSummary": true,
                "message": {"role": "user", "content": format!("summary {at}")}}),
            3 | 4 => {
                serde_json::json!({"type": "assistant", "message": {"id": format!("m{}", random.below(4)),
                "role": "assistant", "model": "m", "content": [{"type": "text", "text": format!("reply {at}")}],
                "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}}})
            }
            _ => {
                serde_json::json!({"type": "user", "message": {"role": "user", "content": format!("text {at}")}})
            }
        };
        for (name, value) in members.as_object().unwrap() {
            line[name] = value.clone();
        }
        text += &format!("{line}\n");
        last = Some(uuid);
    }
    text
}

/// Where identifiers recur, around a compaction that keeps a segment too, the export holds the same messages or says that it
/// doesn't.
#[test]
fn a_transcript_with_ambiguous_identifiers_loses_no_message_untold() {
    let mut unequal = Vec::new();
    for seed in 0..3000 {
        let text = ambiguous_transcript(seed);
        let log = read(text.as_bytes());
        for view in [View::Agent, View::Salvaged] {
            let tree = log.view(view);
            let (exported, again) = round_trip(&log, view, None);
            let result = equal_model(tree, &again.tree, &exported.states, 0..tree.entries.len());
            if let (Err(difference), false) = (result, changes_messages(&exported)) {
                unequal.push((seed, view.name(), difference));
            }
        }
    }
    assert!(unequal.is_empty(), "{}: {:?}", unequal.len(), &unequal[..unequal.len().min(5)]);
}

/// Pi's own session totals hold what a tool's model work was billed.
#[test]
fn billed_tokens_of_a_tools_own_model_work_count_beside_the_requests_and_survive() {
    let log = [
        r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/home/user/p"}"#,
        r#"{"type":"message","id":"a1","parentId":null,"timestamp":"2026-11-01T10:00:01.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"agent","arguments":{}},{"type":"toolCall","id":"c2","name":"agent","arguments":{}}],"api":"a","provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3},"stopReason":"toolUse","timestamp":1}}"#,
        r#"{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-11-01T10:00:02.000Z","message":{"role":"toolResult","toolCallId":"c1","toolName":"agent","content":[],"usage":{"input":10,"output":20,"cacheRead":30,"cacheWrite":0,"totalTokens":60},"isError":false}}"#,
        r#"{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-11-01T10:00:03.000Z","message":{"role":"toolResult","toolCallId":"c2","toolName":"agent","content":[],"usage":{"input":-1,"output":20},"isError":false}}"#,
    ];
    let log = log.map(|line| format!("{line}\n")).concat();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s1.jsonl");
    fs::write(&path, &log).unwrap();
    let log = read(log.as_bytes());
    let figures = |log: &SessionLog| {
        let stats = log.stats(View::Agent);
        let sums = |usage: log::UsageTotals| (usage.input, usage.output, usage.cache_read);
        (stats.requests, sums(stats.usage), sums(stats.tool_usage), sums(stats.extra_usage))
    };
    assert_eq!(figures(&log), (1, (1, 2, 0), (10, 20, 30), (10, 20, 30)));
    assert_eq!(log.warnings.iter().map(|w| (w.line, w.code.code())).collect::<Vec<_>>(), [(4, "bad_usage")]);
    let exported = pi_v3(&log, View::Agent, Source::of_file(File::open(&path).unwrap()).unwrap()).unwrap();
    assert_eq!(figures(&read(&exported.bytes)), figures(&log));
}

//! Damaged logs: each fault is a warning with its line, and the two views are told apart.

use adapters::log::{self, FaultCode, ReadError, ReadOptions, SessionLog, View};
use engine::session::{TreeIndex, select};
use proptest::prelude::*;

use crate::reading::{assert_selects, changed, changes, faults, read};

const HEADER: &str =
    r#"{"type":"session","version":3,"id":"s","timestamp":"2026-11-29T23:45:24.928Z","cwd":"/home/user"}"#;

fn user(id: &str, parent: Option<&str>) -> String {
    let parent = parent.map_or("null".to_owned(), |parent| format!("\"{parent}\""));
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{{"role":"user","content":"say {id}"}}}}"#
    )
}

fn lines(session: &SessionLog, view: View) -> Vec<u64> {
    let tree = session.view(view);
    select(tree, None).entries.iter().map(|entry| tree.entries[*entry].line).collect()
}

#[test]
fn a_fused_line_is_lost_to_the_agent_and_salvaged() {
    let text = format!(
        "{HEADER}\n{}\n{}{}\n{}\n",
        user("a", None),
        user("b", Some("a")),
        user("c", Some("b")),
        user("d", Some("c"))
    );
    let session = read(&text);
    assert_eq!(faults(&session), [(3, "fused_line"), (4, "missing_parent")]);
    assert_eq!(lines(&session, View::Agent), [4]);
    assert_eq!(lines(&session, View::Salvaged), [2, 3, 3, 4]);
    let salvaged = session.view(View::Salvaged);
    let third = &salvaged.entries[2];
    let range = third.bytes.start as usize..third.bytes.end as usize;
    assert_eq!(&text[range], user("c", Some("b")));
}

#[test]
fn a_torn_last_line_is_dropped() {
    let last = user("b", Some("a"));
    let session = read(format!("{HEADER}\n{}\n{}", user("a", None), &last[..last.len() - 9]));
    assert_eq!(faults(&session), [(3, "torn_tail")]);
    assert_eq!(lines(&session, View::Agent), [2]);
    assert_eq!(session.salvaged, None);
}

#[test]
fn an_unended_but_complete_last_line_counts() {
    let session = read(format!("{HEADER}\n{}", user("a", None)));
    assert_eq!(faults(&session), []);
    assert_eq!(lines(&session, View::Agent), [2]);
}

#[test]
fn an_unparsable_line_shifts_the_agents_v1_index() {
    let v1 = |n: u32| format!(r#"{{"type":"message","message":{{"role":"user","content":"say {n}"}}}}"#);
    let header = r#"{"type":"session","id":"s"}"#;
    let compaction = r#"{"type":"compaction","summary":"so far","firstKeptEntryIndex":3}"#;
    let fused = format!("{}{}", v1(2), v1(3));
    let session = read(format!("{header}\n{}\n{fused}\n{}\n{}\n{compaction}\n", v1(1), v1(4), v1(5)));
    // Pi counts header 0, line 2 = 1, line 4 = 2, line 5 = 3; all objects: line 3 holds 2 and 3.
    assert_eq!(lines(&session, View::Agent), [6, 5]);
    assert_eq!(lines(&session, View::Salvaged), [6, 3, 4, 5]);
}

#[test]
fn crlf_bom_blank_lines_and_line_separators_are_no_faults_of_content() {
    let odd = r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"x y z"}}"#;
    let odd = odd.replace("x y z", "x\u{2028}y\u{85}z");
    let session = read(format!("\u{feff}{HEADER}\r\n\r\n{odd}\r\n\n"));
    assert_eq!(faults(&session), [(1, "bom")]);
    assert_eq!((session.lines, session.content_lines), (4, 2));
    assert_eq!(lines(&session, View::Agent), [3]);
}

#[test]
fn damaged_bytes_cost_one_line_at_most() {
    let mut text = format!("{HEADER}\n").into_bytes();
    text.extend(b"{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{\"role\":\"user\",\"content\":\"\xe6\x87\"}}\n");
    text.extend(b"\0\0{\"type\":\"label\",\"id\":\"b\",\"parentId\":\"a\"}\n");
    text.extend(b"{\"type\":\"message\",\"id\":\"c\",\"parentId\":\"a\",\"message\":{\"role\":\"user\",\"content\":\"\\ud83d\"}}\n");
    text.extend(b"not json\n42\n");
    let session = read(text);
    assert_eq!(
        faults(&session),
        [
            (2, "invalid_utf8"),
            (3, "nul_padding"),
            (4, "lone_surrogate"),
            (5, "unparsable_line"),
            (6, "not_an_entry")
        ]
    );
    assert_eq!(lines(&session, View::Agent), [2, 4]);
}

#[test]
fn identity_faults_are_named_and_never_hang() {
    let text = [
        HEADER.to_owned(),
        user("a", Some("b")),
        user("b", Some("a")),
        user("c", Some("c")),
        user("d", Some("nowhere")),
        user("d", Some("d")),
        HEADER.to_owned(),
        user("late", Some("z")),
        user("z", None),
    ]
    .join("\n");
    let session = read(text);
    assert_eq!(
        faults(&session),
        [
            (2, "forward_parent"),
            (2, "cycle"),
            (4, "cycle"),
            (5, "missing_parent"),
            (6, "duplicate_id"),
            (6, "cycle"),
            (7, "extra_header"),
            (8, "forward_parent"),
        ]
    );
    let tree = session.view(View::Agent);
    let index = TreeIndex::new(tree);
    let paths: Vec<usize> = (0..tree.entries.len()).map(|leaf| index.path(leaf).len()).collect();
    assert_eq!(paths, [2, 2, 1, 1, 1, 2, 1]);
}

#[test]
fn a_repeated_identifier_is_two_entries_when_salvaged() {
    let text = [
        HEADER.to_owned(),
        user("a", None),
        user("b", Some("a")),
        user("a", Some("b")),
        user("c", Some("a")),
    ];
    let session = read(text.join("\n"));
    assert_eq!(lines(&session, View::Agent), [3, 4, 5]);
    assert_eq!(lines(&session, View::Salvaged), [2, 3, 4, 5]);
}

#[test]
fn an_empty_file_and_a_newer_version_are_warnings() {
    assert_eq!(faults(&read("")), [(1, "empty_file")]);
    assert_eq!(faults(&read("\n \n")), [(2, "empty_file")]);
    let session = read(HEADER.replace("\"version\":3", "\"version\":9"));
    assert_eq!(faults(&session), [(1, "newer_version")]);
}

#[test]
fn a_lost_header_is_salvaged() {
    let session = read(format!("{}\n{}\n", user("a", None), user("b", Some("a"))));
    assert_eq!(faults(&session), [(1, "missing_header")]);
    assert_eq!(session.tree.entries.len(), 0);
    assert_eq!(lines(&session, View::Salvaged), [1, 2]);
}

#[test]
fn what_is_no_session_is_refused_with_a_reason() {
    let reason = |text: &[u8]| match log::read(text, &ReadOptions::default()) {
        Err(ReadError::NotASession { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    let events = format!("{HEADER}\n{{\"type\":\"agent_start\"}}\n");
    insta::assert_snapshot!(
        [
            reason(b"hello\nworld\n"),
            reason(b"{\"a\":1}\n"),
            reason(b"[1,2]"),
            reason(b"{\n  \"type\": \"session\"\n}\n"),
            reason(b"\xff\xfe{\0"),
            reason(b"\x28\xb5\x2f\xfd0"),
            reason(b"{\"v\":4,\"kind\":\"header\",\"id\":\"x\"}\n"),
            reason(events.as_bytes()),
            reason(b"{\"type\":\"session\"}\n"),
        ]
        .join("\n")
    );
}

#[test]
fn fault_codes_are_distinct() {
    let names: std::collections::BTreeSet<_> = FaultCode::ALL.iter().map(|code| code.code()).collect();
    assert_eq!(names.len(), FaultCode::ALL.len());
}

/// A small log with everything that moves the reader.
fn specimen() -> String {
    [
        HEADER.to_owned(),
        user("a", None),
        r#"{"type":"message","id":"b","parentId":"a","timestamp":"2026-11-29T23:45:25.336Z","message":{"role":"assistant","content":[{"type":"text","text":"é\u0000"},{"type":"toolCall","id":"t","name":"read","arguments":{"path":"x"}}],"stopReason":"toolUse","usage":{"input":1,"output":2}}}"#.to_owned(),
        r#"{"type":"message","id":"c","parentId":"b","message":{"role":"toolResult","toolCallId":"t","toolName":"read","content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}}"#.to_owned(),
        r#"{"type":"compaction","id":"d","parentId":"c","summary":"s","firstKeptEntryId":"b","tokensBefore":9}"#.to_owned(),
        r#"{"type":"context_edit","id":"e","parentId":"d","targetId":"c","replacement":{"content":"cut"}}"#.to_owned(),
        String::new(),
    ]
    .join("\n")
}

#[test]
fn every_byte_prefix_reads_as_a_prefix_of_the_whole() {
    let text = specimen().into_bytes();
    let whole = read(&text);
    for end in 0..=text.len() {
        let part = read(&text[..end]);
        let entries = &part.view(View::Agent).entries;
        let same = entries.iter().zip(&whole.tree.entries).all(|(a, b)| a.id == b.id && a.line == b.line);
        assert!(same && entries.len() <= whole.tree.entries.len(), "prefix of {end} bytes");
    }
}

proptest! {
    #[test]
    fn any_bytes_read_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = log::read(&bytes[..], &ReadOptions::default());
    }

    #[test]
    fn a_log_with_bytes_changed_never_panics_and_selects(changes in changes()) {
        let bytes = changed(specimen(), changes);
        if let Ok(session) = log::read(&bytes[..], &ReadOptions::default()) {
            assert_selects(&session);
        }
    }
}

#[test]
fn a_count_beyond_any_request_is_impossible_usage_and_never_overflows_a_sum() {
    let reply = |id: &str, parent: &str, input: u64| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","message":{{"role":"assistant","content":[],"provider":"p","model":"m","api":"a","stopReason":"stop","usage":{{"input":{input},"output":1,"cacheRead":0,"cacheWrite":0}}}}}}"#
        )
    };
    let huge = 1_u64 << 63;
    let text = format!(
        "{HEADER}\n{}\n{}\n{}\n{}\n",
        user("a", None),
        reply("b", "a", huge),
        reply("c", "b", huge),
        reply("d", "c", 7)
    );
    let session = read(&text);
    assert_eq!(faults(&session), [(3, "bad_usage"), (4, "bad_usage")]);
    let stats = session.stats(View::Agent);
    assert_eq!((stats.requests, stats.known_requests, stats.usage.input), (3, 1, 7));
}

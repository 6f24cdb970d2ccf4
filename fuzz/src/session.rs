//! Session logs.

use std::io::BufReader;
use std::ops::Range;

use adapters::log::{self, Content, FaultCode, Format, Limits, ReadError, ReadOptions, SessionLog, View};
use engine::message::Json;
use engine::session::{Entry, SessionTree, TreeIndex};

/// A log whose format its content tells.
///
/// # Panics
/// Where a reader breaks one of its promises.
pub fn session(bytes: &[u8]) {
    check(bytes, None);
}

/// A log of Pi.
///
/// # Panics
/// Where a reader breaks one of its promises.
pub fn pi(bytes: &[u8]) {
    check(bytes, Some(Format::Pi));
}

/// A log of Claude Code.
///
/// # Panics
/// Where a reader breaks one of its promises.
pub fn claude(bytes: &[u8]) {
    check(bytes, Some(Format::Claude));
}

/// A log of Codex.
///
/// # Panics
/// Where a reader breaks one of its promises.
pub fn codex(bytes: &[u8]) {
    check(bytes, Some(Format::Codex));
}

/// A log of the DeepSeek Harness.
///
/// # Panics
/// Where a reader breaks one of its promises.
pub fn dsh(bytes: &[u8]) {
    check(bytes, Some(Format::Dsh));
}

/// Bytes that a log may unpack to, so that a pack of zeros ends.
const MOST_BYTES: u64 = 1 << 20;

fn options(format: Option<Format>) -> ReadOptions {
    let limits = Limits { log_bytes: MOST_BYTES, ..Limits::default() };
    ReadOptions { format, limits, ..ReadOptions::default() }
}

fn check(bytes: &[u8], format: Option<Format>) {
    let options = options(format);
    let short = Limits { line_bytes: 200, ..options.limits };
    let _ = log::read(bytes, &ReadOptions { limits: short, ..options });
    let Ok(log) = log::read(bytes, &options) else { return };
    assert!(format.is_none() || log.format.is_none() || log.format == format);

    check_pieces(bytes, &options, &log);
    check_outline(bytes, &options, &log);
    let packed = bytes.starts_with(b"\x28\xb5\x2f\xfd");
    check_report(&log, packed);
    for view in [View::Agent, View::Salvaged] {
        check_selection(log.view(view));
        if !packed {
            check_places(bytes, log.view(view));
        }
    }
    if !packed {
        check_views(&log);
        check_prefixes(bytes, &options, &log);
    }
}

/// The same bytes in small pieces are the same log.
fn check_pieces(bytes: &[u8], options: &ReadOptions, log: &SessionLog) {
    let again = log::read(BufReader::with_capacity(16, bytes), options).expect("it was read before");
    assert_eq!(again, *log, "pieces change nothing");
}

/// Without content the figures are the same.
fn check_outline(bytes: &[u8], options: &ReadOptions, log: &SessionLog) {
    let outline = ReadOptions { content: Content::Outline, ..*options };
    let outline = log::read(bytes, &outline).expect("it was read with its content");
    assert_eq!(outline.requests, log.requests, "the outline has the same requests");
    assert_eq!(outline.warnings, log.warnings, "the outline has the same warnings");
    for view in [View::Agent, View::Salvaged] {
        assert_eq!(outline.stats(view), log.stats(view), "the outline has the same figures");
    }
}

fn check_report(log: &SessionLog, packed: bool) {
    // A pack that breaks off does so in a line that can't be read any more.
    let last = log.lines.max(1) + u64::from(packed);
    assert!(log.warnings.is_sorted(), "warnings are in the order of lines");
    assert!(log.warnings.iter().all(|warning| (1..=last).contains(&warning.line)), "warnings stand on lines");
    assert!(log.requests.is_sorted_by_key(|request| request.line), "requests are in the order of lines");
    for request in &log.requests {
        assert!((1..=last).contains(&request.line), "requests stand on lines");
        if let Some(usage) = &request.usage {
            assert!(usage.reasoning <= usage.output && usage.cache_write_1h <= usage.cache_write);
        }
    }
    for view in [View::Agent, View::Salvaged] {
        let stats = log.stats(view);
        assert!(stats.known_requests <= stats.requests);
        assert!(stats.unanswered_calls <= stats.tool_calls);
    }
    let counted: u64 = log.warning_counts.values().sum();
    assert!(counted >= log.warnings.len() as u64);
}

/// What an agent holds at any entry is found without hanging, and a prompt is part of it.
fn check_selection(tree: &SessionTree) {
    let index = TreeIndex::new(tree);
    let step = tree.entries.len() / 8 + 1;
    for leaf in (0..tree.entries.len()).rev().step_by(step) {
        let selection = index.select(tree, leaf);
        assert!(selection.sent().len() <= selection.messages.len());
        assert!(selection.entries.iter().all(|entry| *entry < tree.entries.len()));
    }
}

/// Entries lie in the file one behind another, and the bytes of each are its object.
fn check_places(bytes: &[u8], tree: &SessionTree) {
    let mut end = 0;
    let mut line = 0;
    let mut before = 0..0;
    for entry in &tree.entries {
        let Range { start, end: next } = entry.bytes;
        // An object of several contributions is an entry each.
        let is_same = std::mem::replace(&mut before, entry.bytes.clone()) == entry.bytes;
        assert!(
            (is_same || end <= start) && start < next && next <= bytes.len() as u64,
            "{:?} overlaps or lies outside",
            entry.bytes
        );
        assert!(line <= entry.line, "lines ascend");
        (end, line) = (next, entry.line);
        let own = &bytes[start as usize..next as usize];
        let feeds = bytes[..start as usize].iter().filter(|byte| **byte == b'\n').count() as u64;
        assert_eq!(feeds + 1, entry.line, "the line is the one its bytes stand on");
        assert!(is_object(own), "the bytes of an entry are one object");
    }
}

/// Whether bytes are one object, read as leniently as logs are: broken UTF-8 and lone surrogates are replaced.
fn is_object(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_matches(['\0', '\u{feff}', ' ', '\r']);
    let reads =
        |text: &str| serde_json::from_str::<Json>(text).is_ok_and(|value| value.as_object().is_some());
    reads(text) || reads(&without_surrogates(text))
}

/// Every `\uD800`–`\uDFFF` escape replaced: pairs too, which is enough to tell whether the rest is JSON.
fn without_surrogates(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let escape = text.as_bytes().get(at..at + 6).filter(|escape| escape.starts_with(b"\\u"));
        let unit = escape
            .and_then(|escape| std::str::from_utf8(&escape[2..]).ok())
            .and_then(|hex| u32::from_str_radix(hex, 16).ok());
        if matches!(unit, Some(0xD800..=0xDFFF)) {
            out.push_str("\\ufffd");
            chars.nth(4);
        } else {
            out.push(c);
            if c == '\\'
                && let Some((_, escaped)) = chars.next()
            {
                out.push(escaped);
            }
        }
    }
    out
}

/// The agent's own reading holds nothing that the salvaged one lacks.
fn check_views(log: &SessionLog) {
    let place = |entry: &Entry| (entry.line, entry.bytes.start, entry.bytes.end);
    let salvaged: std::collections::BTreeSet<_> =
        log.view(View::Salvaged).entries.iter().map(place).collect();
    assert!(
        log.tree.entries.iter().all(|entry| salvaged.contains(&place(entry))),
        "an entry is missing when salvaged"
    );
}

/// Faults of lines, not of what stands on them: cutting such a line can uncover an object.
const FRAMING: [FaultCode; 10] = [
    FaultCode::TornTail,
    FaultCode::FusedLine,
    FaultCode::UnparsableLine,
    FaultCode::TooDeep,
    FaultCode::Bom,
    FaultCode::InvalidUtf8,
    FaultCode::LoneSurrogate,
    FaultCode::NulPadding,
    FaultCode::NotAnEntry,
    FaultCode::SizeLimit,
];

/// The entries of the beginning of a log are the beginning of its entries.
fn check_prefixes(bytes: &[u8], options: &ReadOptions, log: &SessionLog) {
    let framed = |code: &FaultCode| log.warning_counts.contains_key(code);
    if FRAMING.iter().any(framed) || bytes.is_empty() {
        return;
    }
    let mut mixed = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        mixed = (mixed ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    for cut in [mixed, mixed.rotate_left(21), mixed.rotate_left(42)] {
        let end = (cut % bytes.len() as u64) as usize;
        let part = match log::read(&bytes[..end], options) {
            Ok(part) => part,
            Err(ReadError::NotASession { .. }) if !log.warnings.is_empty() => continue,
            Err(error) => panic!("the first {end} bytes of a sound log are refused: {error}"),
        };
        for view in [View::Agent, View::Salvaged] {
            let (part, whole) = (&part.view(view).entries, &log.view(view).entries);
            // Some agents take a log as a whole or not at all: what follows decides then.
            if view == View::Agent && whole.is_empty() {
                continue;
            }
            assert!(part.len() <= whole.len(), "{end} bytes hold more entries than all");
            let same = |(a, b): (&Entry, &Entry)| (a.line, a.bytes.start) == (b.line, b.bytes.start);
            assert!(part.iter().zip(whole).all(same), "the entries of {end} bytes aren't those of the whole");
        }
    }
}

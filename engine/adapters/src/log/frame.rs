//! One line's bytes to the objects in it, with what had to be repaired.

use std::borrow::Cow;
use std::ops::Range;

use engine::message::Json;

use super::fault::FaultCode;

/// An object of a line.
#[derive(Debug)]
pub(crate) struct Part<'l> {
    /// The value: an object unless the line is some other JSON.
    pub(crate) json: Json<'l>,
    /// Its bytes within the line.
    pub(crate) bytes: Range<usize>,
}

/// What a line holds.
#[derive(Debug, Default)]
pub(crate) struct Framed<'l> {
    /// Objects in order; empty where nothing could be recovered.
    pub(crate) parts: Vec<Part<'l>>,
    /// Whether an agent's own loader parses the line.
    pub(crate) agent_reads: bool,
    /// Repairs that were needed, and what is wrong with the line.
    pub(crate) faults: Vec<FaultCode>,
    /// Whether a part of the line was cut and couldn't be recovered.
    pub(crate) cut: bool,
}

/// Reads one line, without its line feed. The caller has skipped blank lines.
pub(crate) fn frame(line: &[u8]) -> Framed<'_> {
    // Checking a whole line at once is cheaper than checking each of its strings.
    if let Ok(text) = std::str::from_utf8(line)
        && let Ok(json) = serde_json::from_str(text)
    {
        let parts = vec![Part { json, bytes: 0..line.len() }];
        return Framed { parts, agent_reads: true, ..Framed::default() };
    }
    repair(line)
}

fn repair(line: &[u8]) -> Framed<'static> {
    let mut framed = Framed::default();
    let mut bytes = Cow::Borrowed(line);
    if std::str::from_utf8(line).is_err() {
        bytes = Cow::Owned(String::from_utf8_lossy(line).into_owned().into_bytes());
        framed.faults.push(FaultCode::InvalidUtf8);
    }
    if let Some(fixed) = without_lone_surrogates(&bytes) {
        bytes = Cow::Owned(fixed);
        framed.faults.push(FaultCode::LoneSurrogate);
    }
    let replaced = framed.faults.contains(&FaultCode::InvalidUtf8);
    let place = |at: usize| if replaced { place_before_replacing(line, at) } else { at };
    match serde_json::from_slice::<Json<'_>>(&bytes) {
        Ok(json) => {
            framed.parts.push(Part { json: json.into_owned(), bytes: 0..line.len() });
            framed.agent_reads = true;
            return framed;
        }
        // serde_json stops at 128 levels; there is no object to recover in such a line.
        Err(error) if error.to_string().starts_with("recursion limit") => {
            framed.faults.push(FaultCode::TooDeep);
            return framed;
        }
        Err(_) => {}
    }
    let (padding, core) = core(&bytes);
    framed.faults.extend(padding);
    let found = objects(&bytes[core.clone()]);
    let alone = found.parts.len() == 1 && !found.cut;
    if found.parts.is_empty() {
        framed.faults.push(FaultCode::UnparsableLine);
    } else if !alone {
        framed.faults.push(FaultCode::FusedLine);
    }
    framed.cut = found.cut;
    let shifted = |part: Part<'_>| Part {
        bytes: place(part.bytes.start + core.start)..place(part.bytes.end + core.start),
        json: part.json.into_owned(),
    };
    framed.parts = found.parts.into_iter().map(shifted).collect();
    framed
}

/// Where a place of the text with U+FFFD for every broken sequence lies in the bytes of the line.
fn place_before_replacing(line: &[u8], at: usize) -> usize {
    const REPLACED: usize = '\u{fffd}'.len_utf8();
    let (mut text, mut raw) = (0, 0);
    for chunk in line.utf8_chunks() {
        if at <= text + chunk.valid().len() {
            break;
        }
        raw += chunk.valid().len() + chunk.invalid().len();
        text += chunk.valid().len() + if chunk.invalid().is_empty() { 0 } else { REPLACED };
    }
    (raw + at.saturating_sub(text)).min(line.len())
}

/// The line without NULs and byte order marks around it.
fn core(bytes: &[u8]) -> (Vec<FaultCode>, Range<usize>) {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    let (mut start, mut end) = (0, bytes.len());
    let mut faults = Vec::new();
    while start < end && bytes[start] == 0 {
        start += 1;
    }
    while end > start && matches!(bytes[end - 1], 0 | b'\r' | b' ') {
        end -= 1;
    }
    if start > 0 || bytes[end..].contains(&0) {
        faults.push(FaultCode::NulPadding);
    }
    if bytes[start..end].starts_with(MARK) {
        start += MARK.len();
        faults.push(FaultCode::Bom);
    }
    (faults, start..end)
}

struct Found<'l> {
    parts: Vec<Part<'l>>,
    cut: bool,
}

/// Objects that stand on one line one after another. Where one is cut, the next place from which complete objects
/// reach the end of the line is taken.
///
/// A failed attempt that began at one place has parsed everything up to the cut, so the next attempt begins behind it:
/// the work stays linear in the length of the line, up to the depth of nesting.
fn objects(bytes: &[u8]) -> Found<'_> {
    let first = run(bytes, 0);
    if first.end == bytes.len() {
        return Found { parts: first.parts, cut: false };
    }
    let mut parts = first.parts;
    let mut behind = first.end + 1;
    while let Some(at) = next_beginning(bytes, behind) {
        let attempt = run(bytes, at);
        if attempt.end == bytes.len() && attempt.parts.iter().all(|part| stands_alone(&part.json)) {
            parts.extend(attempt.parts);
            return Found { parts, cut: true };
        }
        behind = attempt.end.max(at) + 1;
    }
    Found { parts, cut: true }
}

/// Where the next object of a log may begin: with a member that agents write first.
fn next_beginning(bytes: &[u8], from: usize) -> Option<usize> {
    const FIRST: [&[u8]; 5] = [b"type\":", b"parentUuid\":", b"timestamp\":", b"uuid\":", b"sessionId\":"];
    let rest = bytes.get(from..)?;
    memchr::memmem::find_iter(rest, b"{\"")
        .find(|at| FIRST.iter().any(|name| rest[at + 2..].starts_with(name)))
        .map(|at| at + from)
}

/// Whether an object found behind a cut is one of a log, not an inner part of the cut one: those have no time and no place
/// in a tree.
fn stands_alone(json: &Json<'_>) -> bool {
    const OWN: [&str; 6] = ["timestamp", "time", "parentId", "parentUuid", "uuid", "sessionId"];
    OWN.iter().any(|name| json.get(name).is_some())
}

struct Run<'l> {
    parts: Vec<Part<'l>>,
    /// End of the last complete object, or of the line where all of it was read.
    end: usize,
}

/// Reads objects from `from` on, as many as are complete.
fn run(bytes: &[u8], from: usize) -> Run<'_> {
    let mut stream = serde_json::Deserializer::from_slice(&bytes[from..]).into_iter::<Json<'_>>();
    let mut parts = Vec::new();
    let mut end = from;
    loop {
        let start = from + stream.byte_offset();
        match stream.next() {
            None => return Run { parts, end: bytes.len() },
            Some(Ok(json @ Json::Object(_))) => {
                end = from + stream.byte_offset();
                parts.push(Part { json, bytes: start..end });
            }
            Some(_) => return Run { parts, end },
        }
    }
}

/// Replaces every `\uD800`–`\uDFFF` escape that isn't half of a pair by `\ufffd`, which has the same length. `None`
/// where there is none.
fn without_lone_surrogates(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut fixed: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &bytes[at..]) {
        let here = at + found;
        match escape(bytes, here) {
            Some(0xD800..=0xDBFF) if matches!(escape(bytes, here + 6), Some(0xDC00..=0xDFFF)) => {
                at = here + 12
            }
            Some(0xD800..=0xDFFF) => {
                fixed.get_or_insert_with(|| bytes.to_vec())[here + 2..here + 6].copy_from_slice(b"fffd");
                at = here + 6;
            }
            _ => at = here + 2,
        }
        if at >= bytes.len() {
            break;
        }
    }
    fixed
}

/// Code unit of a `\uXXXX` escape at a place.
fn escape(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types<'f>(framed: &'f Framed<'_>) -> Vec<&'f str> {
        framed.parts.iter().filter_map(|part| part.json.str_at("type")).collect()
    }

    #[test]
    fn two_complete_objects_are_both_found_and_placed() {
        let line = br#"{"type":"a"} {"type":"b","x":{"type":"c"}}"#;
        let framed = frame(line);
        assert_eq!(types(&framed), ["a", "b"]);
        assert_eq!(framed.parts[1].bytes, 12..line.len());
        assert_eq!(framed.faults, [FaultCode::FusedLine]);
        assert!(!framed.agent_reads && !framed.cut);
    }

    #[test]
    fn the_object_behind_a_cut_one_is_found() {
        let framed = frame(
            br#"{"type":"a","content":[{"type":"text","te{"type":"b","time":1,"content":[{"type":"text"}]}"#,
        );
        assert_eq!(types(&framed), ["b"]);
        assert!(framed.cut);
    }

    #[test]
    fn an_inner_object_at_the_end_of_a_cut_line_is_no_entry() {
        let framed = frame(br#"{"type":"a","content":[{"type":"text","text":"x"}"#);
        assert_eq!(types(&framed), Vec::<&str>::new());
        assert!(framed.cut);
    }

    #[test]
    fn objects_on_a_line_with_broken_bytes_keep_places_of_their_own() {
        let line = b"{\"type\":\"\xff\xff\"}{\"type\":\"b\xe6\x87\"}{\"type\":\"c\"}";
        let framed = frame(line);
        let own: Vec<&[u8]> = framed.parts.iter().map(|part| &line[part.bytes.clone()]).collect();
        assert_eq!(own, [&line[..13], &line[13..27], &line[27..]]);
    }

    #[test]
    fn a_cut_object_behind_a_complete_one_is_reported() {
        let framed = frame(br#"{"type":"a"}{"type":"b","cont"#);
        assert_eq!(types(&framed), ["a"]);
        assert!(framed.cut);
    }

    #[test]
    fn lone_surrogates_are_replaced_and_pairs_stay() {
        let framed = frame(br#"{"type":"\ud83d \ud83d\ude00 \\ud83d \ude00"}"#);
        assert_eq!(types(&framed), ["\u{fffd} \u{1f600} \\ud83d \u{fffd}"]);
        assert_eq!(framed.faults, [FaultCode::LoneSurrogate]);
        assert!(framed.agent_reads);
    }

    #[test]
    fn nul_padding_is_salvaged_only() {
        let framed = frame(b"\0\0\0{\"type\":\"a\"}\0");
        assert_eq!(types(&framed), ["a"]);
        assert_eq!(framed.faults, [FaultCode::NulPadding]);
        assert!(!framed.agent_reads);
    }

    #[test]
    fn invalid_utf8_is_read_as_the_agent_reads_it() {
        let framed = frame(b"{\"type\":\"a\xe6\x87\"}");
        assert_eq!(types(&framed), ["a\u{fffd}"]);
        assert_eq!(framed.faults, [FaultCode::InvalidUtf8]);
        assert!(framed.agent_reads);
    }

    #[test]
    fn garbage_is_one_fault() {
        assert_eq!(frame(b"}{").faults, [FaultCode::UnparsableLine]);
        assert_eq!(frame("[".repeat(1000).as_bytes()).faults, [FaultCode::TooDeep]);
    }
}

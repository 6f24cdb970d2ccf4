//! Cutting a document into passages, and the words of one as the index holds them.

use std::collections::BTreeMap;

use crate::project::{for_each_term, past_stem, words};

/// Lines of a passage at most.
const MAX_LINES: u32 = 24;

/// Bytes of a passage at most: a longer line is cut, at a blank where there is one.
const MAX_BYTES: usize = 1_600;

/// A stretch of a document: the unit that words are counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Passage {
    /// First byte.
    pub start: usize,
    /// Byte behind the last.
    pub end: usize,
}

/// The passages of a text: in order, adjoining, together the whole text.
pub fn passages(text: &str) -> Vec<Passage> {
    let mut out: Vec<Passage> = Vec::new();
    let mut start = 0;
    let mut lines = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if lines > 0 && (lines >= MAX_LINES || at + line.len() - start > MAX_BYTES) {
            out.push(Passage { start, end: at });
            (start, lines) = (at, 0);
        }
        at += line.len();
        lines += 1;
        while at - start > MAX_BYTES {
            let end = cut(text, start, at);
            out.push(Passage { start, end });
            start = end;
        }
    }
    if start < at {
        out.push(Passage { start, end: at });
    }
    out
}

/// Where a piece that starts at `start` and may not reach `limit` ends: behind a blank, else between two characters.
fn cut(text: &str, start: usize, limit: usize) -> usize {
    let mut end = (start + MAX_BYTES).min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    match text[start..end].rfind(char::is_whitespace) {
        Some(blank) if blank > MAX_BYTES / 2 => {
            let blank = start + blank;
            blank + text[blank..].chars().next().map_or(1, char::len_utf8)
        }
        _ => end,
    }
}

/// How often each word occurs in a text, as queries spell words: identifiers split at their borders and kept whole, English
/// stems, pairs of neighbouring characters where a script writes no blanks. Words are lower-case and hold letters and digits
/// only.
pub fn word_counts(text: &str) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for_each_term(text, &mut |term| *counts.entry(stem(term)).or_default() += 1);
    for pair in pairs(text) {
        *counts.entry(pair).or_default() += 1;
    }
    counts
}

/// The stem under which a word stands; itself where it isn't plain English letters.
pub(super) fn stem(term: &str) -> String {
    if term.bytes().all(|b| b.is_ascii_lowercase()) { past_stem(term) } else { term.to_owned() }
}

/// Pairs of neighbouring characters of scripts without blanks, which no splitting into words finds.
pub(super) fn pairs(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    if text.is_ascii() {
        return out;
    }
    for word in words(text) {
        let mut previous: Option<char> = None;
        for c in word.written.chars() {
            let unspaced = is_unspaced(c);
            if let (Some(before), true) = (previous, unspaced) {
                out.push([before, c].iter().collect());
            }
            previous = unspaced.then_some(c);
        }
    }
    out
}

/// Thai, Lao, Khmer, Burmese, kana, ideographs (Unicode blocks).
fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c),
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF | 0x3040..=0x30FF | 0x3400..=0x4DBF
        | 0x4E00..=0x9FFF | 0xF900..=0xFAFF | 0x20000..=0x3FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn passages_end_at_lines_and_long_lines_are_cut_at_blanks() {
        let lines = "line\n".repeat(50);
        assert_eq!(passages(&lines).len(), 3);
        let long = "word ".repeat(1_000);
        assert!(passages(&long).iter().all(|p| long[p.start..p.end].ends_with("word ")));
        assert_eq!(passages(""), []);
    }

    #[test]
    fn words_are_stemmed_identifiers_split_and_unspaced_scripts_paired() {
        let words: Vec<String> = word_counts("parsing getUserName 設定").into_keys().collect();
        assert_eq!(words, ["get", "getusernam", "name", "pars", "user", "設定"]);
    }

    proptest! {
        #[test]
        fn passages_are_the_text(text in "\\PC{0,80}(\n|x{0,1700}|é{0,900}|\\PC{0,30}){0,8}") {
            let cut = passages(&text);
            let whole: String = cut.iter().map(|p| &text[p.start..p.end]).collect();
            prop_assert_eq!(&whole, &text);
            prop_assert!(cut.iter().all(|p| p.start < p.end && p.end - p.start <= MAX_BYTES));
        }
    }
}

//! Words of source text as the index stores them: identifiers split at their borders, the whole kept beside its parts.
//!
//! `getHTTPServer2` gives `get`, `http`, `server` and `gethttpserver2`; `model_registry` and `modelRegistry` give the same
//! whole, `modelregistry`. A term is lower-case, holds letters and digits only, and is 2 to 64 bytes long.

use std::mem;

use super::kept::KEPT;

/// A word of the text with its parts: the unit that [`words`] yields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word<'a> {
    /// The word as written.
    pub written: &'a str,
    /// Byte offset of the word in the text.
    pub start: usize,
}

/// Calls `sink` with every term of `text`, in order: the parts of each word, then the whole where it has several parts.
pub fn for_each_term(text: &str, sink: &mut impl FnMut(&str)) {
    let mut buffer = String::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        let start = at + gap(&bytes[at..]);
        let (length, seen) = word_run(&bytes[start..]);
        at = start + length;
        let run = &text[start..at];
        match seen {
            0 => return,
            // Most words by far are one part and written as their term.
            LOWER | DIGIT if is_term(run) => sink(run),
            LOWER | DIGIT => {}
            // Letters, and what parts words.
            OTHER.. => words(run).for_each(|word| split_word(word.written, &mut buffer, sink)),
            _ => split_ascii(run, seen, &mut buffer, sink),
        }
    }
}

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const UNDERSCORE: u8 = 8;
/// Of a character beyond ASCII.
const OTHER: u8 = 16;

/// What a byte is within a word; 0 where it ends one.
const MARKS: [u8; 256] = {
    let mut marks = [OTHER; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        marks[byte as usize] = match byte {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE,
            _ => 0,
        };
        byte += 1;
    }
    marks
};

/// Bytes before the first that may be of a word.
fn gap(bytes: &[u8]) -> usize {
    bytes.iter().position(|&byte| MARKS[byte as usize] != 0).unwrap_or(bytes.len())
}

/// Bytes before the first that ends a word, and what they are. A function of its own, which needs few registers: this loop
/// sees every byte of every file.
#[inline(never)]
fn word_run(bytes: &[u8]) -> (usize, u8) {
    let mut seen = 0;
    for (at, &byte) in bytes.iter().enumerate() {
        let mark = MARKS[byte as usize];
        if mark == 0 {
            return (at, seen);
        }
        seen |= mark;
    }
    (bytes.len(), seen)
}

/// The terms of `text`, in order, repeats included.
pub fn terms(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for_each_term(text, &mut |term| out.push(term.to_owned()));
    out
}

/// The words of `text`: runs of letters, digits and underscores.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = skip(text, at, |c| !is_word(c));
        let end = skip(text, start, is_word);
        at = end;
        (start < end).then(|| Word { written: &text[start..end], start })
    })
}

/// Where the characters that are `wanted` end, from `at` on.
fn skip(text: &str, mut at: usize, wanted: impl Fn(char) -> bool) -> usize {
    let bytes = text.as_bytes();
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii() {
            if !wanted(char::from(byte)) {
                break;
            }
            at += 1;
        } else {
            match text[at..].chars().next().filter(|&c| wanted(c)) {
                Some(c) => at += c.len_utf8(),
                None => break,
            }
        }
    }
    at
}

/// The parts of one word and, where there are several, the whole without underscores.
pub fn word_terms(word: &str) -> Vec<String> {
    let mut out = Vec::new();
    split_word(word, &mut String::new(), &mut |term| out.push(term.to_owned()));
    out
}

/// The whole word without underscores, lower-case: the form under which a symbol's name is compared.
pub fn whole(word: &str) -> String {
    word.chars().filter(|&c| c != '_').flat_map(char::to_lowercase).collect()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii() && c.is_alphanumeric()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Underscore,
}

fn class(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        '_' => Class::Underscore,
        c if c.is_numeric() => Class::Digit,
        c if c.is_uppercase() => Class::Upper,
        _ => Class::Lower,
    }
}

/// [`split_word`] of letters, digits and underscores of ASCII, of which `seen` tells what there are: parts are parts of the
/// word in small letters.
fn split_ascii(word: &str, seen: u8, buffer: &mut String, sink: &mut impl FnMut(&str)) {
    let bytes = word.as_bytes();
    buffer.clear();
    buffer.push_str(word);
    buffer.make_ascii_lowercase();
    let mut emit = |part: &str| {
        if is_term(part) && !part.starts_with('_') {
            sink(part);
        }
    };
    let mark = |at: usize| bytes.get(at).map_or(0, |&byte| MARKS[byte as usize]);
    let (mut start, mut now) = (0, mark(0));
    for at in 1..bytes.len() {
        let previous = mem::replace(&mut now, mark(at));
        let is_border = if previous == now {
            // The last capital of several begins the word behind them.
            now == UPPER && mark(at + 1) == LOWER
        } else {
            (previous, now) != (UPPER, LOWER)
        };
        if is_border {
            emit(&buffer[start..at]);
            start = at;
        }
    }
    emit(&buffer[start..]);
    if start > 0 {
        if seen & UNDERSCORE != 0 {
            buffer.retain(|c| c != '_');
        }
        emit(buffer);
    }
}

fn split_word(word: &str, buffer: &mut String, sink: &mut impl FnMut(&str)) {
    let mut parts = 0;
    let mut start = 0;
    let mut previous: Option<Class> = None;
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let now = class(c);
        let next = chars.peek().map(|&(_, c)| class(c));
        if previous.is_some_and(|previous| is_border(previous, now, next)) {
            parts += usize::from(emit(&word[start..at], buffer, sink));
            start = at;
        }
        previous = Some(now);
    }
    let last = &word[start..];
    let single = start == 0;
    parts += usize::from(emit(last, buffer, sink));
    if !single && (parts > 1 || last.len() < word.len()) {
        emit(word, buffer, sink);
    }
}

fn is_border(previous: Class, now: Class, next: Option<Class>) -> bool {
    use Class::{Digit, Lower, Underscore, Upper};
    match (previous, now) {
        (Underscore, Underscore) => false,
        (Underscore, _) | (_, Underscore) => true,
        (Lower, Upper) | (Digit, Lower | Upper) | (Lower | Upper, Digit) => true,
        (Upper, Upper) => next == Some(Lower),
        _ => false,
    }
}

/// Emits one term; tells whether it was a term at all.
fn emit(part: &str, buffer: &mut String, sink: &mut impl FnMut(&str)) -> bool {
    buffer.clear();
    if part.is_ascii() {
        buffer.push_str(part);
        buffer.make_ascii_lowercase();
        if part.contains('_') {
            buffer.retain(|c| c != '_');
        }
    } else {
        buffer.extend(part.chars().filter(|&c| c != '_').flat_map(char::to_lowercase));
    }
    let kept = is_term(buffer);
    if kept {
        sink(buffer);
    }
    kept
}

/// One ASCII letter or digit says nothing; one letter of a script without spaces may be a word.
fn is_term(text: &str) -> bool {
    (2..=KEPT.term_bytes).contains(&text.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(terms(text), expected, "{text}");
    }

    #[test]
    fn splits_at_every_kind_of_border() {
        check("getHTTPServer", &["get", "http", "server", "gethttpserver"]);
        check("model_registry", &["model", "registry", "modelregistry"]);
        check("modelRegistry", &["model", "registry", "modelregistry"]);
        check("sha256 utf8", &["sha", "256", "sha256", "utf", "utf8"]);
        check("error 404 at x", &["error", "404", "at"]);
        check("__init__", &["init", "init"]);
        check("snake_", &["snake", "snake"]);
        check("Größe_日本", &["größe", "日本", "größe日本"]);
        check("", &[]);
    }

    proptest! {
        #[test]
        fn words_of_ascii_are_split_as_all_others_are(text in "[a-cA-C0-2_ .é日]{0,24}") {
            let mut expected = Vec::new();
            let mut buffer = String::new();
            for word in words(&text) {
                split_word(word.written, &mut buffer, &mut |term| expected.push(term.to_owned()));
            }
            prop_assert_eq!(terms(&text), expected);
        }
    }

    #[test]
    fn a_run_too_long_to_be_a_word_is_dropped() {
        assert!(terms(&"a".repeat(65)).is_empty());
        assert_eq!(terms(&"a".repeat(64)).len(), 1);
    }

    #[test]
    fn a_word_knows_where_it_stands() {
        let found: Vec<_> = words("fix a_b, c").map(|w| (w.written, w.start)).collect();
        assert_eq!(found, [("fix", 0), ("a_b", 4), ("c", 9)]);
    }
}

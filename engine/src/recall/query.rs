//! Reading a query: what to find verbatim, and which words.

use std::collections::BTreeMap;

use crate::retrieve::Task;

use super::passage::{pairs, stem};

/// Bytes of a query that are read; a pasted log adds noise, not focus.
const MAX_QUERY_BYTES: usize = 16 << 10;

/// Most verbatim texts and words looked for.
const MAX_NEEDLES: usize = 24;
const MAX_WORDS: usize = 96;

/// Longest verbatim text, characters: a longer one is a document, not a name.
const MAX_NEEDLE_CHARS: usize = 200;

/// Marks that open and close a quotation.
const QUOTES: &[(char, char)] = &[('"', '"'), ('`', '`'), ('“', '”'), ('«', '»'), ('„', '“'), ('\'', '\'')];

/// What kind of text is looked for verbatim. The order is the order of their worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NeedleKind {
    /// Words in quotation marks, or a short query as a whole; the case of ASCII letters doesn't count.
    Phrase,
    /// A path or the name of a file.
    Path,
    /// A code or the line of an error.
    Error,
    /// A name of code.
    Identifier,
}

impl NeedleKind {
    /// The reason code of what it finds.
    pub fn reason(self) -> &'static str {
        match self {
            NeedleKind::Phrase => "exact-phrase",
            NeedleKind::Path => "exact-path",
            NeedleKind::Error => "exact-error",
            NeedleKind::Identifier => "exact-identifier",
        }
    }

    /// Its worth beside another's that is as rare.
    pub(super) fn weight(self) -> f64 {
        match self {
            NeedleKind::Phrase | NeedleKind::Error => 1.0,
            NeedleKind::Path | NeedleKind::Identifier => 0.8,
        }
    }
}

/// A text to find verbatim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needle {
    /// The text, not empty.
    pub text: String,
    /// What it is.
    pub kind: NeedleKind,
}

/// A word to look up.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// The word as the index spells it: lower-case letters and digits alone, so it can't be taken for syntax.
    pub text: String,
    /// How much it counts: 1 for a word of the query, less for what is derived from one.
    pub weight: f64,
    /// Whether it is derived: its absence says nothing.
    pub derived: bool,
}

/// A query, understood without a model. Any text is one: of a text without words comes a query that finds nothing.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// Verbatim texts, each once, in the order of their kinds.
    pub needles: Vec<Needle>,
    /// Words, each once.
    pub words: Vec<Word>,
}

impl Query {
    /// Reads a query.
    pub fn new(text: &str) -> Query {
        let text = prefix(text, MAX_QUERY_BYTES);
        let task = Task::new(text);
        Query { needles: needles(text, &task), words: query_words(text, &task) }
    }

    /// Whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.needles.is_empty() && self.words.is_empty()
    }
}

fn prefix(text: &str, bytes: usize) -> &str {
    let mut end = text.len().min(bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn query_words(text: &str, task: &Task) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut at: BTreeMap<String, usize> = BTreeMap::new();
    let terms = task.terms.iter().map(|term| (stem(&term.text), term.weight, term.derived));
    let pairs = pairs(text).into_iter().map(|pair| (pair, 1.0, false));
    for (text, weight, derived) in terms.chain(pairs) {
        if let Some(&known) = at.get(&text) {
            let known: &mut Word = &mut words[known];
            known.weight = known.weight.max(weight);
            known.derived &= derived;
        } else if words.len() < MAX_WORDS {
            at.insert(text.clone(), words.len());
            words.push(Word { text, weight, derived });
        }
    }
    words
}

fn needles(text: &str, task: &Task) -> Vec<Needle> {
    let mut found: Vec<Needle> = Vec::new();
    let mut add = |text: &str, kind: NeedleKind| {
        let text = text.trim();
        let fits = text.chars().nth(1).is_some() && text.chars().nth(MAX_NEEDLE_CHARS).is_none();
        let telling = text.chars().any(char::is_alphanumeric);
        if fits && telling && !found.iter().any(|needle| needle.text == text) {
            found.push(Needle { text: text.to_owned(), kind });
        }
    };
    for path in &task.paths {
        add(path, NeedleKind::Path);
    }
    for token in text.split(is_edge).map(|token| token.trim_end_matches(['.', ',', ':', ';', '!', '?'])) {
        if is_error_code(token) {
            add(token, NeedleKind::Error);
        } else if is_qualified(token) || is_flag(token) {
            add(token, NeedleKind::Identifier);
        }
    }
    for line in error_lines(text) {
        add(line, NeedleKind::Error);
    }
    for identifier in &task.identifiers {
        add(identifier, NeedleKind::Identifier);
    }
    let quoted = quotations(text);
    for phrase in &quoted {
        // A quoted name was met above as what it is.
        add(
            phrase,
            if phrase.contains(char::is_whitespace) { NeedleKind::Phrase } else { NeedleKind::Identifier },
        );
    }
    // A short query may itself be what is looked for; one without a word that tells something isn't.
    if quoted.is_empty() && !text.trim().contains('\n') && !task.plain_words.is_empty() {
        let single = !text.trim().contains(char::is_whitespace);
        add(text, if single { NeedleKind::Identifier } else { NeedleKind::Phrase });
    }
    found.sort_by_key(|needle| needle.kind);
    found.truncate(MAX_NEEDLES);
    found
}

fn is_edge(c: char) -> bool {
    c.is_whitespace() || QUOTES.iter().any(|&(open, close)| c == open || c == close) || "()[]{}<>".contains(c)
}

/// What stands between quotation marks on one line. An apostrophe opens none: its mark follows a letter.
fn quotations(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    for line in text.lines() {
        let mut rest = line;
        let mut before: Option<char> = None;
        while let Some(c) = rest.chars().next() {
            let after = &rest[c.len_utf8()..];
            let opens = QUOTES.iter().find(|(open, _)| *open == c);
            let free = before.is_none_or(|b| !b.is_alphanumeric());
            let closed = opens.filter(|_| free).and_then(|(_, close)| closing(after, *close));
            match closed {
                Some(end) if end > 0 => {
                    out.push(&after[..end]);
                    before = after[end..].chars().next();
                    rest = &after[end + before.map_or(0, char::len_utf8)..];
                }
                _ => {
                    before = Some(c);
                    rest = after;
                }
            }
        }
    }
    out
}

/// Where a quotation ends: at a closing mark that no letter follows (`don't` goes on).
fn closing(text: &str, close: char) -> Option<usize> {
    let ends = |(at, _): &(usize, &str)| {
        !text[at + close.len_utf8()..].starts_with(char::is_alphanumeric) || close != '\''
    };
    text.match_indices(close).find(ends).map(|(at, _)| at)
}

/// `E0308`, `TS2345`, `ENOENT`, `SIGSEGV`, `ERR_MODULE_NOT_FOUND`, `HTTP_502`.
fn is_error_code(token: &str) -> bool {
    let shaped = token.len() >= 4
        && token.starts_with(|c: char| c.is_ascii_uppercase())
        && token.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_' || b == b'-');
    let digits = token.bytes().filter(u8::is_ascii_digit).count();
    shaped && (digits >= 3 || (digits == 0 && ["E", "SIG", "ERR"].iter().any(|head| token.starts_with(head))))
}

/// `Parser::next`, `Engine.plan`: names joined, of which one looks like code or `::` joins them.
fn is_qualified(token: &str) -> bool {
    let token = token.trim_end_matches("()");
    let named = |part: &str| {
        part.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_alphanumeric() || c == '_')
    };
    token.contains("::") && token.split("::").all(named)
}

/// `--no-verify`.
fn is_flag(token: &str) -> bool {
    token.strip_prefix("--").is_some_and(|name| {
        name.len() >= 2
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    })
}

/// What follows `error: `, `TypeError: `, `error[E0308]: ` and the like on its line, with it.
fn error_lines(text: &str) -> Vec<&str> {
    let line = |line: &'_ str| -> Option<usize> {
        line.match_indices(": ").find_map(|(at, _)| {
            let head = &line[..at];
            let start = head
                .rfind(char::is_whitespace)
                .map_or(0, |blank| blank + head[blank..].chars().next().map_or(1, char::len_utf8));
            let word = head[start..].split('[').next().unwrap_or_default();
            let names = ["error", "Error", "Exception", "panic", "fatal"].iter().any(|e| word.ends_with(e));
            names.then_some(start)
        })
    };
    text.lines().filter_map(|l| line(l).map(|start| &l[start..])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn needles_of(text: &str) -> Vec<(NeedleKind, String)> {
        Query::new(text).needles.into_iter().map(|n| (n.kind, n.text)).collect()
    }

    fn check(text: &str, expected: &[(NeedleKind, &str)]) {
        let expected: Vec<(NeedleKind, String)> =
            expected.iter().map(|(k, t)| (*k, (*t).to_owned())).collect();
        assert_eq!(needles_of(text), expected, "{text}");
    }

    #[test]
    fn each_kind_of_verbatim_text() {
        use NeedleKind::{Error, Identifier, Path, Phrase};
        check(
            "why \"connection refused\" in src/net.rs",
            &[(Phrase, "connection refused"), (Path, "src/net.rs")],
        );
        check("what of 'E0308'?", &[(Error, "E0308")]);
        check("`retry` with --no-verify,", &[(Identifier, "--no-verify"), (Identifier, "retry")]);
        check("\"ENOENT\" in \"Parser::next\"", &[(Error, "ENOENT"), (Identifier, "Parser::next")]);
        check("we don't 'stop here' and can't", &[(Phrase, "stop here")]);
        check(
            "got TypeError: x is not a function\nagain",
            &[(Error, "TypeError: x is not a function"), (Identifier, "TypeError")],
        );
        check("ledger", &[(Identifier, "ledger")]);
        check("closing the ledger", &[(Phrase, "closing the ledger")]);
    }

    #[test]
    fn a_query_of_stop_words_or_marks_alone_asks_for_nothing() {
        for text in ["", "  ", "the and of", "\"\"", "''''", "\u{0}", "***", "()[]{}", "AND OR NOT"] {
            let query = Query::new(text);
            assert!(query.is_empty(), "{text:?}: {query:?}");
        }
    }

    #[test]
    fn words_are_stems_each_once() {
        let words: Vec<String> =
            Query::new("parsing the parsed files").words.into_iter().map(|w| w.text).collect();
        assert!(words.starts_with(&["pars".to_owned()]) && words.contains(&"file".to_owned()), "{words:?}");
        assert_eq!(words.iter().filter(|w| *w == "pars").count(), 1);
    }

    #[test]
    fn a_letter_whose_small_form_is_two_characters_is_a_word() {
        let words: Vec<String> = Query::new("İ").words.into_iter().map(|w| w.text).collect();
        assert_eq!(words, ["i\u{307}"]);
    }

    proptest! {
        #[test]
        fn any_text_is_a_query_within_bounds(text in any::<String>()) {
            let query = Query::new(&text);
            prop_assert!(query.needles.len() <= MAX_NEEDLES && query.words.len() <= MAX_WORDS);
            // One letter in small is two characters, of which the second is a mark: İ.
            let part = |c: char| c.is_alphanumeric() || c == '\u{307}';
            let plain = |w: &Word| !w.text.is_empty() && w.text.chars().all(part);
            prop_assert!(query.words.iter().all(plain), "{:?}", query.words);
        }
    }
}

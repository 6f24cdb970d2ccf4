//! A commit's message as a query: without what only the commit's own place in history explains, and without the answer.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// Characters of a query.
pub(super) const MAX_QUERY_CHARS: usize = 600;

/// A message made into a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cleaned {
    /// Subject and body on one line.
    pub(super) query: String,
    /// The query without a leading area hint such as `fix(parser): `.
    pub(super) noscope: String,
    /// The subject alone.
    pub(super) subject: String,
}

/// Cleans a message of trailers, links, references by number, hashes and of the names of the `gold` files.
pub(super) fn clean(message: &str, gold: &[&str]) -> Cleaned {
    let message = masked(message);
    let mut lines = message.trim().lines();
    let subject = clean_text(lines.next().unwrap_or_default(), gold);
    let body: Vec<&str> = lines.filter(|line| !is_trailer(line)).collect();
    let body = clean_text(&body.join("\n"), gold);
    let query = cut(format!("{subject} {body}").trim());
    let noscope = without_hint(&query).to_owned();
    Cleaned { query, noscope, subject }
}

/// Whether a message holds control characters that no query should.
pub(super) fn has_controls(message: &str) -> bool {
    message.contains(is_control)
}

/// A message with blanks for its control characters, ends of lines and tabs aside.
fn masked(message: &str) -> Cow<'_, str> {
    if has_controls(message) { message.replace(is_control, " ").into() } else { message.into() }
}

fn is_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\n' | '\r' | '\t')
}

/// The text after a leading area hint: one word and a colon (`parser: `, `fix(ui)!: `, `complete/fish: `) or a word in
/// brackets (`[docs] `).
pub(super) fn without_hint(text: &str) -> &str {
    let rest = HINT.find(text).map_or(text, |hint| &text[hint.end()..]);
    if rest.is_empty() { text } else { rest }
}

/// Distinct words that say something: two letters or more, no function word, letter case aside.
pub(super) fn content_words(text: &str) -> usize {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_lowercase);
    let telling =
        words.filter(|w| w.chars().count() > 1 && w.chars().any(char::is_alphabetic) && !is_function_word(w));
    telling.collect::<BTreeSet<_>>().len()
}

/// Words of the text that may be identifiers: three characters or more, no function word.
pub(super) fn identifiers(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    words.filter(|w| w.chars().count() > 2 && !is_function_word(&w.to_lowercase())).collect()
}

/// Sorted.
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "because", "been",
    "before", "being", "both", "but", "by", "can", "could", "did", "do", "does", "doesn", "don", "during",
    "each", "for", "from", "had", "has", "have", "how", "if", "in", "into", "is", "isn", "it", "its", "just",
    "may", "more", "most", "no", "not", "now", "of", "on", "only", "or", "other", "our", "out", "over",
    "should", "so", "some", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "to", "too", "under", "up", "use", "used", "using", "very", "via", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "why", "will", "with", "without", "would", "you",
    "your",
];

fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.binary_search(&word).is_ok()
}

static HINT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:\[[^\]\n]{1,40}\]\s+|[A-Za-z0-9_./,*+-]{1,40}(?:\([^)\n]{1,40}\))?!?:\s+)")
});
/// `Signed-off-by: x`: hyphenated keys, and the few without a hyphen.
static TRAILER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^\s*(?:[A-Z][A-Za-z]*(?:-[A-Za-z]+)+|(?i:cc|pr|bug|issue|link|test plan|reviewers?|ticket|backport)) ?: ?\S",
    )
});
/// `Closes`, with whatever numbers and links stood after it.
static CLOSING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix)^\s*[-*]?\s*(?:partially\s+)?
          (?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?|references?|see(?:\s+also)?|related(?:\s+to)?|
             follow-?up(?:\s+(?:to|of))?|part\s+of|issues?|prs?)\b
          (?:(?:[\w.-]+/[\w.-]+)?\#\d+|gh-\d+|https?://\S+|
             \b(?:and|close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?|issues?|prs?)\b|[\s:,.&()])*$",
    )
});
static LINK: LazyLock<Regex> = LazyLock::new(|| pattern(r"\[([^\]\n]*)\]\([^)\s]+\)"));
static URL: LazyLock<Regex> = LazyLock::new(|| pattern(r"<?\bhttps?://[^\s>)]+>?"));
static MAIL: LazyLock<Regex> = LazyLock::new(|| pattern(r"<?[\w.+-]+@[\w-]+\.[\w.-]*\w>?"));
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?:\b[\w.-]+/[\w.-]+)?#\d+\b|\b(?i:gh-\d+)\b|\b(?i:pr|issue|pull request)s? \d+\b")
});
static HASH: LazyLock<Regex> = LazyLock::new(|| pattern(r"\b[0-9a-f]{7,40}\b"));
/// Brackets that held nothing but references.
static EMPTY: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)(^|\s)[(\[]\s*(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|refs?|see|issues?|prs?|and|[,;:.&\s])*\s*[)\]]",
    )
});

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of ours is valid")
}

fn is_trailer(line: &str) -> bool {
    let is_rule = line.trim().len() > 2 && line.trim().bytes().all(|b| b == b'-');
    is_rule || TRAILER.is_match(line) || CLOSING.is_match(line)
}

fn clean_text(text: &str, gold: &[&str]) -> String {
    let text = LINK.replace_all(text, "$1");
    let text = URL.replace_all(&text, " ");
    let text = MAIL.replace_all(&text, " ");
    let text = NUMBER.replace_all(&text, " ");
    let text = HASH.replace_all(&text, |found: &Captures<'_>| {
        let mixed =
            found[0].bytes().any(|b| b.is_ascii_digit()) && found[0].bytes().any(|b| b.is_ascii_alphabetic());
        if mixed { " ".to_owned() } else { found[0].to_owned() }
    });
    let text = without_names(&text, gold);
    let text = EMPTY.replace_all(&text, "$1");
    // A file's name before a colon was a hint.
    let text = text.trim_start_matches(|c: char| c == ':' || c.is_whitespace());
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text without every word that is the file name of a gold path, whatever folders stand before it.
fn without_names(text: &str, gold: &[&str]) -> String {
    let names: BTreeSet<&str> = gold.iter().map(|path| base_name(path)).collect();
    let of_path = |c: char| c.is_alphanumeric() || "_./\\@+-".contains(c);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c| !of_path(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        let bare = word.trim_end_matches(['.', '-', '/', '\\']);
        if !names.contains(base_name(bare)) {
            out.push_str(word);
        }
        let next = after.chars().next().map_or(0, char::len_utf8);
        out.push_str(&after[..next]);
        rest = &after[next..];
    }
    out
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// At most [`MAX_QUERY_CHARS`], cut between words.
fn cut(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(MAX_QUERY_CHARS) else { return text.to_owned() };
    let end = text[..end].rfind(' ').filter(|&at| at > 0).unwrap_or(end);
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(message: &str, gold: &[&str]) -> String {
        clean(message, gold).query
    }

    #[test]
    fn function_words_are_sorted() {
        assert!(FUNCTION_WORDS.is_sorted());
    }

    #[test]
    fn references_and_trailers_go() {
        let message = "Fix a crash in the parser (#12)\n\nIt fell over empty input, see https://example.org/x and\n[the report](https://example.org/y).\n\n\
                       Fixes #3, closes o/r#4\nReviewed-by: A. B. <a@b.org>\nCo-authored-by: C <c@d.org>\n";
        assert_eq!(
            query(message, &[]),
            "Fix a crash in the parser It fell over empty input, see and the report."
        );
        assert_eq!(query("Undo deadbeef1 as of GH-7 (closes #9)", &[]), "Undo as of");
        assert_eq!(query("facade decade 1234567", &[]), "facade decade 1234567");
    }

    #[test]
    fn a_line_that_says_something_is_no_trailer() {
        assert_eq!(query("a b\n\nFixes the lexer when it stops.", &[]), "a b Fixes the lexer when it stops.");
        assert_eq!(query("a b\n\nCloses: #8\n\n---------\n", &[]), "a b");
        assert_eq!(query("call f() now (see the docs)", &[]), "call f() now (see the docs)");
    }

    #[test]
    fn the_answer_is_taken_out() {
        let gold = ["crates/core/flags.rs", "Makefile"];
        assert_eq!(query("move core/flags.rs and `flags.rs`.", &gold), "move and ``.");
        assert_eq!(
            query("flags.rs: tidy, as in my_flags.rs and the Makefile", &gold),
            "tidy, as in my_flags.rs and the"
        );
        assert_eq!(query("a\\flags.rs, flags.rst", &gold), ", flags.rst");
    }

    #[test]
    fn hints_are_one_word() {
        assert_eq!(without_hint("fix(ai,agent)!: do it"), "do it");
        assert_eq!(without_hint("complete/fish: do it"), "do it");
        assert_eq!(without_hint("[docs] do it"), "do it");
        assert_eq!(without_hint("in the parser: do it"), "in the parser: do it");
        assert_eq!(without_hint("std::fmt is used"), "std::fmt is used");
    }

    #[test]
    fn a_long_message_is_cut_between_words() {
        let cleaned = clean(&"wörd ".repeat(300), &[]);
        assert_eq!(cleaned.query.chars().count(), 599);
        assert!(cleaned.query.ends_with("wörd"));
    }

    #[test]
    fn content_words_are_distinct_and_say_something() {
        assert_eq!(content_words("Fix the fix of a lexer_error in 2024"), 2);
        assert_eq!(content_words("Größe der Datei prüfen"), 4);
    }
}

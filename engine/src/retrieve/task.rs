//! What a task text asks for: terms, identifiers, paths and the area it names.

use std::collections::{BTreeMap, BTreeSet};

use crate::project::{whole, word_terms, words};

use super::command;
use super::constants::CONSTANTS;
use super::stop::is_stop_word;

pub(super) const TEST_WORDS: &[&str] = &["test", "tests", "testing", "spec", "specs", "fixture", "fixtures"];
pub(super) const DOCUMENT_WORDS: &[&str] = &["doc", "docs", "documentation", "readme", "changelog", "guide"];

/// Words that ask for work on what follows.
pub(super) const WORK_WORDS: &[&str] = &[
    "add",
    "adds",
    "correct",
    "cover",
    "covers",
    "extend",
    "failing",
    "fix",
    "fixes",
    "flaky",
    "improve",
    "missing",
    "more",
    "move",
    "new",
    "regression",
    "remove",
    "rename",
    "rewrite",
    "unit",
    "update",
    "updates",
    "write",
];

/// One term to look up.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// The term, as the index stores it.
    pub text: String,
    /// How much it counts: 1 for a word of the task, less for what is derived from one.
    pub weight: f64,
    /// Whether it is derived: its absence from a project says nothing.
    pub derived: bool,
}

/// A task text, understood without a model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Task {
    /// Terms in order of first appearance, each once.
    pub terms: Vec<QueryTerm>,
    /// Words that look like code (`getUser`, `model_registry`, `Parser::next`, or anything in backticks), as written.
    pub identifiers: Vec<String>,
    /// Words of the text that are no stop words, as written and in order: a definition may bear such a name.
    pub plain_words: Vec<String>,
    /// Paths and file names in the text, as written, forward slashes, without `./`.
    pub paths: Vec<String>,
    /// Files that a command in the text runs, as paths that may exist: what `node --test test/a.js`, `python -m pkg.mod` and
    /// `cargo test --test name` name. They tell how the work is checked, which isn't where it is done.
    pub run_targets: Vec<String>,
    /// Area named before the text (`fix(parser): …`, `ui/table: …`), split at slashes and commas, lower-case.
    pub areas: Vec<String>,
    /// Whether the text asks for work on tests, rather than names a test to run.
    pub about_tests: bool,
    /// Whether the text asks for work on documents, rather than refers to one.
    pub about_documents: bool,
}

impl Task {
    /// Reads a task text. Never fails: a text without words is a task without terms.
    pub fn new(text: &str) -> Task {
        let (prose, commands) = command::split(cut(text));
        let text = prose.as_str();
        let mut task = Task { paths: paths(text), areas: areas(text), ..Task::default() };
        task.run_targets = command::run_targets(&commands);
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let mut previous: Option<(&str, usize)> = None;
        for word in words(text) {
            let quoted = in_backticks(text, word.start);
            if looks_like_code(word.written) || quoted {
                push_once(&mut task.identifiers, word.written);
            }
            if is_stop_word(word.written) && !quoted {
                previous = None;
                continue;
            }
            push_once(&mut task.plain_words, word.written);
            for term in word_terms(word.written).into_iter().filter(|t| !is_stop_word(t)) {
                task.add(&mut seen, term, 1.0, false);
            }
            let end = word.start + word.written.len();
            if let Some((before, before_end)) = previous
                && text[before_end..word.start].chars().all(|c| matches!(c, ' ' | '-'))
            {
                task.add(&mut seen, whole(before) + &whole(word.written), CONSTANTS.task.compound, true);
            }
            previous = Some((word.written, end));
        }
        for term in task.terms.clone().iter().filter(|t| !t.derived) {
            for other in other_number(&term.text) {
                task.add(&mut seen, other, CONSTANTS.task.other_number, true);
            }
        }
        task.about_tests = asks_for(text, &task.areas, CONSTANTS.task.test_words);
        task.about_documents = asks_for(text, &task.areas, CONSTANTS.task.document_words);
        task
    }

    /// Whether there is nothing to search for.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.paths.is_empty()
    }

    fn add(&mut self, seen: &mut BTreeMap<String, usize>, text: String, weight: f64, derived: bool) {
        if let Some(&at) = seen.get(&text) {
            let known = &mut self.terms[at];
            known.weight = known.weight.max(weight);
            known.derived &= derived;
        } else if self.terms.len() < CONSTANTS.task.terms {
            seen.insert(text.clone(), self.terms.len());
            self.terms.push(QueryTerm { text, weight, derived });
        }
    }
}

/// Whether one of `things` is the text's area or stands shortly after a word that asks for work.
fn asks_for(text: &str, areas: &[String], things: &[&str]) -> bool {
    let lower: Vec<String> = words(text).map(|w| w.written.to_lowercase()).collect();
    let near_work = |at: usize| {
        lower[at.saturating_sub(CONSTANTS.task.work_distance)..at]
            .iter()
            .any(|w| CONSTANTS.task.work_words.contains(&w.as_str()))
    };
    let named = |w: &str| things.contains(&w);
    areas.iter().any(|area| named(area)) || (0..lower.len()).any(|at| named(&lower[at]) && near_work(at))
}

fn cut(text: &str) -> &str {
    let mut end = text.len().min(CONSTANTS.task.bytes);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn push_once(list: &mut Vec<String>, word: &str) {
    if !list.iter().any(|known| known == word) {
        list.push(word.to_owned());
    }
}

/// An inner capital, an underscore between letters, or a digit after a letter.
fn looks_like_code(word: &str) -> bool {
    let inner_capital =
        word.chars().zip(word.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let trimmed = word.trim_matches('_');
    inner_capital
        || (trimmed.contains('_') && trimmed.chars().any(char::is_alphabetic))
        || word.starts_with("__")
}

/// Whether the byte stands between backticks on its line.
fn in_backticks(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |n| n + 1);
    text[line..at].matches('`').count() % 2 == 1 && text[at..].lines().next().unwrap_or("").contains('`')
}

/// The word in its other grammatical number, by the commonest rules of English.
fn other_number(term: &str) -> Vec<String> {
    if !term.is_ascii()
        || term.len() < CONSTANTS.task.numbered_bytes
        || term.bytes().any(|b| b.is_ascii_digit())
    {
        return Vec::new();
    }
    if let Some(stem) = term.strip_suffix("ies") {
        vec![format!("{stem}y")]
    } else if let Some(stem) = ["ches", "shes", "xes", "sses"].iter().find_map(|e| term.strip_suffix(e)) {
        vec![term[..stem.len() + term.len() - stem.len() - 2].to_owned()]
    } else if term.ends_with("ss") || term.ends_with("us") || term.ends_with("is") {
        Vec::new()
    } else if let Some(stem) = term.strip_suffix('s') {
        vec![stem.to_owned()]
    } else {
        vec![format!("{term}s")]
    }
}

/// Paths in the text: tokens with a slash between names or with a telling extension. Version numbers, domain-like words and
/// pairs such as `and/or` are not.
pub(super) fn paths(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let is_edge = |c: char| {
        c.is_whitespace()
            || matches!(c, '`' | '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | ',' | ';')
    };
    for token in text.split(is_edge) {
        let token = token.trim_end_matches(['.', ':', '!', '?']);
        // `src/a.rs:12` and `src/a.rs:12:3` name a place in a file.
        let token = token.split(':').next().unwrap_or(token);
        let token = token.strip_prefix("./").unwrap_or(token).replace('\\', "/");
        if is_path(&token) {
            push_once(&mut out, &token);
        }
    }
    out
}

fn is_path(token: &str) -> bool {
    if token.len() > CONSTANTS.task.path_bytes || token.starts_with('/') || token.contains("//") {
        return false;
    }
    let (folders, name) = token.rsplit_once('/').unwrap_or(("", token));
    if !token.chars().all(|c| c.is_alphanumeric() || "/._-@+".contains(c)) {
        return false;
    }
    let telling = name.rsplit_once('.').is_some_and(|(stem, extension)| {
        (1..=CONSTANTS.task.extension_chars).contains(&extension.len())
            && extension.chars().all(char::is_alphanumeric)
            && extension.starts_with(|c: char| c.is_ascii_lowercase())
            && stem.chars().any(char::is_alphabetic)
            // `e.g` and `i.e` are no files.
            && stem.len() + extension.len() > 2
            && !is_version(token)
    });
    let dot_file = name.len() > 2
        && name.starts_with('.')
        && name[1..].chars().all(|c| c.is_alphanumeric() || "._-".contains(c));
    telling || dot_file || folders.matches('/').count() >= 1
}

/// `1.2.3`, `v1.2`, `v0.8.0-rc.1`.
fn is_version(token: &str) -> bool {
    let digits = token.strip_prefix(['v', 'V']).unwrap_or(token);
    digits.starts_with(|c: char| c.is_ascii_digit()) && digits.contains('.')
}

/// The area of a text that begins as commits and tickets do: `area: …`, `kind(area): …`, `a/b,c: …`.
fn areas(text: &str) -> Vec<String> {
    let Some((head, _)) = text
        .split_once(':')
        .filter(|(head, rest)| head.len() <= CONSTANTS.task.area_bytes && rest.starts_with([' ', '\n']))
    else {
        return Vec::new();
    };
    let inner = head.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map(|(inner, _)| inner);
    let named = inner.unwrap_or(head);
    let parts: BTreeSet<String> = named
        .split(['/', ','])
        .map(|part| part.trim().trim_end_matches('!').to_lowercase())
        .filter(|part| !part.is_empty())
        .collect();
    // A head of several words is a sentence, not an area.
    match parts.iter().any(|part| part.contains(char::is_whitespace)) {
        true => Vec::new(),
        false => parts.into_iter().filter(|part| !is_stop_word(part)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explicit_paths_are_found_and_versions_are_not() {
        let check = |text: &str, expected: &[&str]| assert_eq!(paths(text), expected, "{text}");
        check("Fix src/session.ts.", &["src/session.ts"]);
        check("see `./a/b.rs:12:3`, and README.md!", &["a/b.rs", "README.md"]);
        check("bump to v1.2.3 or 0.8.0-rc.1", &[]);
        check("source/test and crash/resume", &[]);
        check("e.g. this, i.e. that", &[]);
        check("the .gitignore file", &[".gitignore"]);
        check("packages/ai/providers is wrong", &["packages/ai/providers"]);
        check("GET /etc/passwd", &[]);
    }

    #[test]
    fn identifiers_split_and_stop_words_go() {
        let task = Task::new("Fix the getUserName error 404 in `parse`");
        let terms: Vec<_> = task.terms.iter().filter(|t| !t.derived).map(|t| t.text.as_str()).collect();
        assert_eq!(terms, ["get", "user", "name", "getusername", "error", "404", "parse"]);
        assert_eq!(task.identifiers, ["getUserName", "parse"]);
    }

    #[test]
    fn neighbours_are_also_tried_as_one_word() {
        let task = Task::new("reload model registry, and state");
        let derived: Vec<_> = task.terms.iter().filter(|t| t.derived).map(|t| t.text.as_str()).collect();
        assert!(derived.contains(&"modelregistry"), "{derived:?}");
        assert!(!derived.contains(&"registrystate"), "{derived:?}");
        assert!(derived.contains(&"models"), "{derived:?}");
    }

    #[test]
    fn the_area_stands_before_the_colon() {
        assert_eq!(Task::new("fix(coding-agent): x").areas, ["coding-agent"]);
        assert_eq!(Task::new("ui/table: x").areas, ["table", "ui"]);
        assert_eq!(Task::new("When I run it: x").areas, Vec::<String>::new());
        assert_eq!(Task::new("http://a.b").areas, Vec::<String>::new());
    }

    #[test]
    fn a_command_names_what_it_runs_and_adds_no_words() {
        let task = Task::new(
            "Wrong sum.\n\nCheck: `python3 -m unittest tests.test_sum`, `cargo test --test braces`, `node --test t/a.js`",
        );
        assert_eq!(task.run_targets, ["tests/test_sum.py", "tests/braces.rs", "t/a.js"]);
        assert!(task.terms.iter().all(|t| !t.text.contains("unittest")), "{:?}", task.terms);
        assert!(task.paths.is_empty() && !task.about_tests);
        assert!(Task::new("add a regression test for x").about_tests);
        assert!(!Task::new("see `notes missing` and the tests").about_tests);
    }

    #[test]
    fn an_empty_text_is_an_empty_task() {
        assert!(Task::new("").is_empty());
        assert!(Task::new("the of and").is_empty());
    }
}

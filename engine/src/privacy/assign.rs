//! Where the value of a name stands: assignments in shell, JSON, YAML, code, addresses, command lines, markup and sentences.
//!
//! The parser goes from the end of a name to its value without looking back further than the name's line, and reads a value
//! once: linear in what it covers, and what it covers is bounded.

use std::ops::Range;
use std::sync::LazyLock;

use super::pattern::Pattern;

use super::name::Meaning;
use super::value;

/// Longest value read. What is longer is a document, not a secret.
const MAX_VALUE: usize = 4096;
/// Most bytes looked at between a name and its value.
const MAX_GAP: usize = 160;

/// How a value is tied to its name, which decides how much must be seen in the value itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    /// In quotes after `=`, `:`, `=>` or `,`.
    Quoted,
    /// `NAME=value` with a capitalised name, as in a shell or an environment file.
    Environment,
    /// `name=value` in a query, a form, a connection string.
    Query,
    /// `--name value`, `set name value`.
    Argument,
    /// `<name>value</name>`.
    Markup,
    /// `name: value` to the end of the line.
    Line,
    /// `name = value` without quotes: a properties file, or code.
    Bare,
    /// `name=value` of a small name without quotes: an option, or an argument in code.
    Keyword,
}

/// A value and how it is tied to its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assigned {
    pub(super) syntax: Syntax,
    pub(super) value: Range<usize>,
}

static ANNOTATION: LazyLock<Pattern> =
    LazyLock::new(|| compile(r#"\A[&A-Za-z_][A-Za-z0-9_<>\[\]|?' ,.:]{0,60}=\s{0,4}[brfu]{0,2}["'`]"#));
static PAIR: LazyLock<Pattern> = LazyLock::new(|| {
    compile(
        r#"\A(?:\\*["'])?\s{0,3},?(?:\s|\\+[nrt]){0,40}(?:\\*["'])?(?:[vV]alue|VALUE|default|content)(?:\\*["'])?\s{0,4}[:=]\s{0,4}"#,
    )
});
static CALL: LazyLock<Pattern> =
    LazyLock::new(|| compile(r#"\A(?:new )?[A-Za-z_][A-Za-z0-9_.:]{0,40}\(\s{0,4}["'`]"#));
static BLOCK: LazyLock<Pattern> = LazyLock::new(|| compile(r"\A[|>][+-]?(?:[ \t]*(?:\r?\n|\\n)\s{1,40})"));
static TAG: LazyLock<Pattern> = LazyLock::new(|| compile(r"\A![a-z]{1,10} "));
static SENTENCE: LazyLock<Pattern> = LazyLock::new(|| compile(&sentence(&format!("{{1,{SENTENCE_WORD}}}"))));
/// With words of any length, which is far less to compile.
static SENTENCE_LOOSE: LazyLock<Pattern> = LazyLock::new(|| compile(&sentence("+")));
static ADJACENT: LazyLock<Pattern> = LazyLock::new(|| compile(r#"\A["'*_]{0,2}[ \t]{1,2}["'`(*“]{0,3}"#));
static REVERSED: LazyLock<Pattern> = LazyLock::new(|| compile(&reversed(&format!("{{1,{REVERSED_WORD}}}"))));
static REVERSED_LOOSE: LazyLock<Pattern> = LazyLock::new(|| compile(&reversed("+")));

/// Longest word that stands in a sentence between a name and the verb behind it, characters.
const SENTENCE_WORD: usize = 40;
/// Longest word between a verb and the name behind it, characters.
const REVERSED_WORD: usize = 20;

/// What stands between a name and the value that it is told to have; `times` says how long words are.
fn sentence(times: &str) -> String {
    [
        r#"(?i)\A["'`*_)]{0,4}(?:[ \t]{1,3}\([^)\n]{0,40}\))?(?:[ \t]{1,3}(?:for|of|to|in|on|at|from|you need|we use)[ \t]{1,3}(?:the |our |my |your |this |a )?[\w./@-]"#,
        times,
        r#"(?: (?:account|user|server|database|db|api|service|project|environment|env|instance|login|host|box|cluster|app|repo))?){0,2}[ \t]{0,3}(?:(?:[ \t](?:is|was|are|were|be|reads|now|set to|changed to|equals|as|called|to|will be|should be|being|remains|stays|still|currently))+[ \t]*[:=]?|->|[:=→—-])(?:[ \t]|\\n|\n){1,3}["'`(<*“]{0,3}"#,
    ]
    .concat()
}

/// A value and what stands between it and the name behind it, in at most [`MAX_GAP`] bytes.
fn reversed(times: &str) -> String {
    [
        r#"(?i)(?:^|[\s"'`(“])(?<s>[^\s"'`()“”]{8,}?)["'`),”]{0,3}\s{1,3}(?<verb>is|was|as|for|will be|should be|(?:in|with) [a-z]{1,12})\s{1,3}(?:(?:the|my|our|your|its|their|this|a|an|new|old|current)\s{1,3})?(?:[\w'/-]"#,
        times,
        r#"\s{1,3}){0,3}\z"#,
    ]
    .concat()
}

/// Where a sentence from a name on comes to its value.
fn told_at(rest: &str) -> Option<usize> {
    let find = |pattern: &Pattern| pattern.of(rest).find(rest).map(|found| found.end());
    if rest.is_ascii() {
        return find(&SENTENCE);
    }
    // What the strict pattern matches the loose one does too; and what that matches first, without a word too long, is what
    // the strict one matches first.
    let end = find(&SENTENCE_LOOSE)?;
    if has_word_beyond(&rest[..end], SENTENCE_WORD) { find(&SENTENCE) } else { Some(end) }
}

/// Value and verb of a sentence that ends at a name.
fn reversed_in(head: &str) -> Option<(Range<usize>, Range<usize>)> {
    let find = |pattern: &Pattern| {
        let captures = pattern.of(head).captures(head)?;
        Some((captures.name("s")?.range(), captures.name("verb")?.range()))
    };
    if head.is_ascii() {
        return find(&REVERSED);
    }
    // As above.
    let (value, verb) = find(&REVERSED_LOOSE)?;
    if has_word_beyond(&head[verb.end..], REVERSED_WORD) { find(&REVERSED) } else { Some((value, verb)) }
}

/// Whether more than so many characters stand between two blanks: no word of a pattern holds a blank.
fn has_word_beyond(text: &str, most: usize) -> bool {
    text.split_whitespace().any(|word| word.chars().count() > most)
}

fn compile(pattern: &str) -> Pattern {
    Pattern::new(pattern.to_owned())
}

/// Where the values of the name at `name` stand. Mostly none or one.
pub(super) fn values(text: &str, name: &Range<usize>) -> Option<Assigned> {
    let before = &text[..name.start];
    let rest = clip(text, name.end, MAX_GAP);
    let bytes = rest.as_bytes();
    let mut at = 0;
    while at < bytes.len() && bytes[at] == b'\\' {
        at += 1;
    }
    let quoted_name = at < bytes.len() && matches!(bytes[at], b'"' | b'\'' | b'`');
    at = if quoted_name { at + 1 } else { 0 };
    if at < bytes.len() && bytes[at] == b']' {
        at += 1;
    }
    while at < bytes.len() && matches!(bytes[at], b'*' | b'?' | b'!') && at < 8 {
        at += 1;
    }
    let spaced = at;
    while at < bytes.len() && matches!(bytes[at], b' ' | b'\t') {
        at += 1;
    }
    let spaces_before = at > spaced;
    let absolute = |offset: usize| name.end + offset;
    if let Some(length) = separator(&bytes[at..]) {
        let mark = bytes[at];
        let after = at + length;
        return assigned(text, name, absolute(after), mark, spaces_before);
    }
    if let Some(found) = PAIR.of(rest).find(rest) {
        return explicit(text, absolute(found.end()), Syntax::Quoted);
    }
    if quoted_name && bytes.get(at) == Some(&b',') {
        let next = absolute(skip_spaces(bytes, at + 1));
        if let Some(found) = quoted(text, next) {
            // A call (`setenv("TOKEN", "…")`) or a list of words.
            return Some(Assigned { syntax: Syntax::Keyword, value: found });
        }
    }
    if before.ends_with('<') && bytes.first() == Some(&b'>') {
        let value = until(text, name.end + 1, |b| b == b'<' || b == b'\n');
        return text[value.end..].starts_with("</").then_some(Assigned { syntax: Syntax::Markup, value });
    }
    if spaces_before && is_argument(before) {
        return explicit(text, absolute(at), Syntax::Argument);
    }
    None
}

/// How a sentence ties a value to a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    /// `the token is VALUE`.
    Told,
    /// `VALUE as the token`.
    Used,
    /// `the token VALUE`, `VALUE is the token`.
    Beside,
}

/// The values that a sentence ties to the name at `name`: after it, or before it.
pub(super) fn sentences(text: &str, name: &Range<usize>) -> impl Iterator<Item = (Tie, Range<usize>)> {
    let rest = clip(text, name.end, MAX_GAP);
    let told = told_at(rest).map(|end| (Tie::Told, word(text, name.end + end)));
    let next = || ADJACENT.of(rest).find(rest).map(|m| (Tie::Beside, word(text, name.end + m.end())));
    let after = told.or_else(next);
    let from = text.floor_char_boundary(name.start.saturating_sub(MAX_GAP));
    let line = text[from..name.start].rfind('\n').map_or(from, |at| from + at + 1);
    let head = &text[line..name.start];
    // Cheaper than the pattern, and mostly false.
    let tail = &head[head.floor_char_boundary(head.len().saturating_sub(100))..];
    let tied =
        [" is ", " was ", " as ", " for ", " be ", " in ", " with "].iter().any(|verb| tail.contains(verb));
    let before = tied.then(|| reversed_in(head)).flatten().map(|(value, verb)| {
        let tie = if &head[verb] == "as" { Tie::Used } else { Tie::Beside };
        (tie, line + value.start..line + value.end)
    });
    after.into_iter().chain(before)
}

/// Whether the value is a secret, given what its name means and how it is tied to it.
pub(super) fn accepts(text: &str, meaning: Meaning, assigned: &Assigned) -> bool {
    let value = &text[assigned.value.clone()];
    if !value::is_password(value) || value.contains(char::is_whitespace) {
        return false;
    }
    match meaning {
        Meaning::SomeKey => accepts_some_key(value, assigned.syntax),
        Meaning::Signature => {
            assigned.syntax == Syntax::Query && value.len() >= 16 && value::looks_random(value)
        }
        Meaning::Password => accepts_password(text, value, assigned),
        _ => accepts_secret(text, value, assigned),
    }
}

fn accepts_some_key(value: &str, syntax: Syntax) -> bool {
    match syntax {
        Syntax::Query => value.len() >= 16 && value::looks_random(value) && !value::is_digest(value),
        Syntax::Environment => value.len() >= 16 && value::looks_random(value) && !value::is_code(value),
        _ => value::is_high_entropy(value) && !value::is_code(value),
    }
}

fn accepts_password(text: &str, value: &str, assigned: &Assigned) -> bool {
    let mixed = value::has_letter_and_other(value) && value.len() >= 5;
    let random = value::looks_random(value);
    match assigned.syntax {
        Syntax::Environment | Syntax::Query | Syntax::Argument => {
            !value.starts_with('-')
                && (mixed || random || value.len() >= 6 && value.bytes().all(|b| b.is_ascii_alphanumeric()))
        }
        Syntax::Quoted | Syntax::Markup => {
            mixed
                || random
                || (value.len() >= 8 && value.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
        }
        Syntax::Line => mixed && ends_line(text, assigned.value.end) && !value::is_syntax(value),
        Syntax::Keyword => {
            (mixed && value.len() >= 6 || random || value::is_mixed_case_run(value)) && !value::is_code(value)
        }
        Syntax::Bare => {
            (random || mixed && value.contains(['!', '@', '#', '%', '^'])) && !value::is_code(value)
                || mixed && value.len() >= 6 && ends_line(text, assigned.value.end) && !value::is_code(value)
        }
    }
}

fn accepts_secret(text: &str, value: &str, assigned: &Assigned) -> bool {
    let random = value::looks_random(value);
    let mixed = value::has_letter_and_other(value) && value.len() >= 8;
    let worded = value.contains(['-', '_', '.', ':', '/', ' ']) && !random;
    match assigned.syntax {
        Syntax::Environment | Syntax::Query | Syntax::Argument => random || mixed && !worded,
        Syntax::Quoted | Syntax::Markup => random || mixed && !worded && value.len() >= 10,
        Syntax::Line => {
            (random || mixed && !worded) && ends_line(text, assigned.value.end) && !value::is_code(value)
        }
        Syntax::Keyword | Syntax::Bare => random && !value::is_code(value),
    }
}

/// A sentence ties loosely: a value must show that it is no word of it.
pub(super) fn accepts_told(value: &str, password: bool) -> bool {
    if !value::is_password(value) || value::is_number(value) || value::is_code(value) || value.len() < 6 {
        return false;
    }
    let marked =
        value.contains(['!', '#', '$', '%', '^', '&', '@', '+', '=']) && value::has_letter_and_other(value);
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let plain = password
        && digits > 0
        && !value.contains(['/', '.', ':', '\''])
        && (!value.contains('-') || is_word_and_number(value))
        && value::has_letter_and_other(value);
    let random = value::looks_random(value) && value.len() >= 10;
    random || (password && marked) || plain
}

/// `bridge-10`, not `8-character` or `base64-encoded`.
fn is_word_and_number(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_alphabetic())
        && !value.ends_with(|c: char| c.is_ascii_alphabetic())
}

/// Values after a separator.
fn assigned(text: &str, name: &Range<usize>, at: usize, mark: u8, spaced: bool) -> Option<Assigned> {
    let rest = clip(text, at, MAX_GAP);
    let gap = skip_spaces(rest.as_bytes(), 0);
    let start = at + gap;
    if let Some(found) = quoted(text, start) {
        let shell = mark == b'=' && gap == 0 && !spaced && is_capitals(&text[name.clone()]);
        let syntax = if shell { Syntax::Environment } else { Syntax::Quoted };
        return Some(Assigned { syntax, value: found });
    }
    let rest = &rest[gap..];
    if mark == b':'
        && let Some(typed) = ANNOTATION.of(rest).find(rest)
    {
        return quoted(text, start + typed.end() - 1).map(|value| Assigned { syntax: Syntax::Quoted, value });
    }
    if let Some(call) = CALL.of(rest).find(rest) {
        return quoted(text, start + call.end() - 1).map(|value| Assigned { syntax: Syntax::Quoted, value });
    }
    if mark == b':'
        && let Some(tag) = TAG.of(rest).find(rest)
    {
        return quoted(text, start + tag.end()).map(|value| Assigned { syntax: Syntax::Quoted, value });
    }
    if mark == b':'
        && let Some(block) = BLOCK.of(rest).find(rest)
    {
        return Some(Assigned { syntax: Syntax::Line, value: bare(text, start + block.end()) });
    }
    if mark == b':' && gap == 0 && text[..name.start].ends_with("//") {
        // The user and the password of an address.
        return None;
    }
    let syntax = bare_syntax(text, name, mark, spaced || gap > 0);
    let value = match syntax {
        Syntax::Query if text[..name.start].ends_with([';', '"', '\\', ' ']) => {
            until(text, start, |b| b.is_ascii_whitespace() || b"\"'`\\;".contains(&b))
        }
        Syntax::Query => until(text, start, |b| b.is_ascii_whitespace() || b"&#\"'<>`\\;)]}".contains(&b)),
        _ => bare(text, start),
    };
    Some(Assigned { syntax, value })
}

/// A value that a command or a pair introduces: in quotes or bare.
fn explicit(text: &str, start: usize, syntax: Syntax) -> Option<Assigned> {
    let value = quoted(text, start).unwrap_or_else(|| bare(text, start));
    Some(Assigned { syntax, value })
}

fn bare_syntax(text: &str, name: &Range<usize>, mark: u8, spaced: bool) -> Syntax {
    let start = name.start;
    let before = text.as_bytes()[..start].last().copied();
    let name = &text[name.clone()];
    let capitals = is_capitals(name);
    match mark {
        b':' => Syntax::Line,
        _ if !spaced && matches!(before, Some(b'?' | b'&' | b';' | b'#')) => Syntax::Query,
        _ if !spaced && before == Some(b'-') => Syntax::Argument,
        _ if !spaced && capitals => Syntax::Environment,
        // `Server=x;Password=y`, where the separator is followed by a space, and `name=value` at the beginning of a line.
        _ if !spaced && (matches!(before, None | Some(b'\n' | b'"' | b'\'')) || name.starts_with('_')) => {
            Syntax::Query
        }
        _ if !spaced && before == Some(b' ') && follows_pair(&text[..start]) => Syntax::Query,
        _ if !spaced
            && before == Some(b' ')
            && name.as_bytes().first().is_some_and(u8::is_ascii_uppercase) =>
        {
            Syntax::Query
        }
        _ if !spaced => Syntax::Keyword,
        _ => Syntax::Bare,
    }
}

/// Whether the word before is `name=value` too, without a comma: a list of settings and not of arguments.
fn follows_pair(before: &str) -> bool {
    let before = &before[before.floor_char_boundary(before.len().saturating_sub(80))..];
    let word = before.trim_end_matches(' ').rsplit([' ', '\n', '"', '\'']).next().unwrap_or("");
    word.contains('=') && !word.ends_with([',', '(', '=']) && !word.contains(['(', '<'])
}

fn is_capitals(name: &str) -> bool {
    !name.bytes().any(|b| b.is_ascii_lowercase())
}

/// Length of an assignment's mark.
fn separator(bytes: &[u8]) -> Option<usize> {
    const MARKS: &[&[u8]] = &[b":=", b"=>", b"===", b"==", b"!==", b"!=", b"?=", b"+=", b"=", b":"];
    let mark = MARKS.iter().find(|mark| bytes.starts_with(mark))?;
    (!bytes.starts_with(b"::")).then_some(mark.len())
}

/// Whether the text before a name makes what follows its argument: `--name`, `set name`, `ENV NAME`.
fn is_argument(before: &str) -> bool {
    if before.ends_with('-') {
        return true;
    }
    const COMMANDS: &[&str] =
        &["ENV ", "ARG ", " set ", "setx ", "setenv ", "--env ", "-e ", "config ", "put ", "SetEnv "];
    COMMANDS.iter().any(|command| before.ends_with(command)) || ends_with_configure_set(before)
}

fn ends_with_configure_set(before: &str) -> bool {
    let line = &before[before.floor_char_boundary(before.len().saturating_sub(60))..];
    line.contains("configure set ") || line.contains("config set ")
}

/// The inside of the quotes that open at `start`, or `None` where none do. Quotes may be escaped, as in JSON inside JSON: the
/// closing one is as often escaped as the opening one. An unclosed quote ends with its line.
fn quoted(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = start;
    // Prefixes of literals: `b"…"`, `r'…'`, `f"…"`, `@"…"`, `$'…'`.
    if at + 1 < bytes.len()
        && matches!(bytes[at], b'b' | b'r' | b'f' | b'u' | b'@' | b'$')
        && matches!(bytes[at + 1], b'"' | b'\'')
    {
        at += 1;
    }
    let escapes = bytes[at..].iter().take(16).take_while(|b| **b == b'\\').count();
    at += escapes;
    let quote = *bytes.get(at).filter(|b| matches!(b, b'"' | b'\'' | b'`'))?;
    let from = at + 1;
    let mut run = 0;
    for (offset, byte) in bytes[from..].iter().take(MAX_VALUE).enumerate() {
        let here = from + offset;
        if *byte == b'\n' {
            return Some(bare(text, from));
        }
        if *byte == quote && run <= escapes {
            return Some(trimmed(text, from..here - run));
        }
        run = if *byte == b'\\' { run + 1 } else { 0 };
    }
    Some(bare(text, from))
}

/// Without blanks at its ends and without a break that is written out at its end.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let inner = &text[range.clone()];
    let start = range.start + (inner.len() - inner.trim_start().len());
    let mut inner = inner.trim();
    while let Some(shorter) = inner.strip_suffix(['n', 'r']).filter(|rest| rest.ends_with('\\')) {
        inner = shorter.trim_end_matches('\\');
    }
    start..start + inner.len()
}

/// A value without quotes: to a blank or to what can't be a part of it, without the marks that end a sentence or a list.
fn bare(text: &str, start: usize) -> Range<usize> {
    let stop = |b: u8| b.is_ascii_whitespace() || b"\"'`\\<>|;".contains(&b);
    let mut range = until(text, start, stop);
    let found = &text[range.clone()];
    // Another member follows in the same list: `a=1&b=2`, `a: 1,b: 2`.
    if let Some(at) = found.find('&').filter(|at| found[*at..].contains('=')) {
        range.end = range.start + at;
    }
    let opened = text[range.clone()].contains(['(', '[', '{']);
    while let Some(last) = text[range.clone()].chars().next_back() {
        if last == ',' || (matches!(last, ')' | ']' | '}') && !opened) {
            range.end -= last.len_utf8();
        } else {
            break;
        }
    }
    range
}

/// A word of a sentence.
fn word(text: &str, start: usize) -> Range<usize> {
    let mut range = bare(text, start);
    if text[..start].ends_with(['"', '\'', '`']) && text[range.end..].starts_with(['"', '\'', '`']) {
        return range;
    }
    while let Some(last) = text[range.clone()].chars().next_back() {
        let emphasis = matches!(last, '*' | '_') && text[..start].ends_with(last);
        if emphasis || matches!(last, ',' | '.' | ':' | '?' | ')' | '”' | ']') {
            range.end -= last.len_utf8();
        } else {
            break;
        }
    }
    range
}

fn until(text: &str, start: usize, stop: impl Fn(u8) -> bool) -> Range<usize> {
    let bytes = text.as_bytes();
    let length = bytes[start.min(bytes.len())..].iter().take(MAX_VALUE).take_while(|b| !stop(**b)).count();
    start..text.floor_char_boundary(start + length)
}

/// Whether nothing but blanks, a comment, or a closing bracket of a flow mapping follows on the line.
fn ends_line(text: &str, at: usize) -> bool {
    let rest = clip(text, at, 40).trim_start_matches([' ', '\t', '\r']);
    rest.is_empty()
        || rest.starts_with(['\n', '#', '"', '\'', '`', '}'])
        || rest.starts_with("</")
        || rest.starts_with("\\n")
        || rest.starts_with("\\r")
        || rest.starts_with(", ")
}

fn skip_spaces(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() && matches!(bytes[at], b' ' | b'\t') {
        at += 1;
    }
    at
}

/// At most `length` bytes from `start`, cut where a character begins.
pub(super) fn clip(text: &str, start: usize, length: usize) -> &str {
    &text[start..text.floor_char_boundary(start.saturating_add(length))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_words_without_bound_say_the_same_where_no_word_is_too_long() {
        let long = "l\u{f6}ng".repeat(11);
        for between in [
            "",
            " for the d\u{e4}tabase",
            " of a-b- of \u{e4}-",
            &format!(" for {long}-"),
            &format!(" of {long}"),
        ] {
            for tie in [" is ", " - ", ": ", " -> ", "\u{2014} ", " is now set to: ", "- ", " "] {
                let rest = format!("{between}{tie}hunter2\u{fc} and more");
                let strict = SENTENCE.of(&rest).find(&rest).map(|found| found.end());
                assert_eq!(told_at(&rest), strict, "{rest:?}");
            }
        }
        for between in ["", "the \u{fc}ber ", &format!("{long} "), &format!("our {long} b "), "a b c d "] {
            for verb in [" is ", " as ", " in gr\u{fc}n ", " with x ", "  was  "] {
                let head = format!("say (hunter2\u{fc}){verb}{between}");
                let strict = REVERSED.of(&head).captures(&head);
                let strict = strict
                    .map(|found| (found.name("s").unwrap().range(), found.name("verb").unwrap().range()));
                assert_eq!(reversed_in(&head), strict, "{head:?}");
            }
        }
    }
}

//! The search: one pass of an automaton over the literals of all kinds, and a closer look only where one occurs.
//!
//! Linear in the text. Each look is bounded: patterns are linear-time and see at most a window; a run of token characters is
//! looked at a bounded number of times a kind, so text made of nothing but openings costs a constant factor more.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::automaton::{Automaton as _, StateID};
use aho_corasick::dfa::DFA;
use aho_corasick::{Anchored, PatternID};

use super::assign::{self, Syntax, Tie};
use super::catalogue::{Check, Class, Kind, Left, Shape, kinds};
use super::name::{self, Meaning};
use super::pattern::Pattern;
use super::{cookie, person, value};

/// What a pattern sees of the text, from the place where it may begin.
const WINDOW: usize = 4096;
/// What the pattern of a key block sees.
const BLOCK_WINDOW: usize = 65_536;
/// How often one kind is looked for within one run of token characters.
const LOOKS_A_RUN: u8 = 16;

/// Parts of names that mean a secret. Each is looked for as it is, in capitals, and with a capital.
const NAME_PARTS: &[&str] =
    &["pass", "pwd", "secret", "token", "key", "cred", "auth", "signature", "sig", "jwt"];

/// Something private: which kind (its place in the catalogue) and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) kind: usize,
    pub(super) range: Range<usize>,
}

/// What the occurrence of a literal calls for.
#[derive(Debug, Clone, Copy)]
enum Look {
    Pattern(usize),
    Name,
    Cookie,
    Address,
    Home(&'static str),
}

struct Compiled {
    /// `None` for a kind that is told by its name or by code alone.
    pattern: Option<Pattern>,
    kind: &'static Kind,
}

/// A kind's pattern, anchored where it is tried.
fn source(kind: &Kind) -> Option<String> {
    match &kind.shape {
        Shape::Pattern { pattern, .. } => Some(format!(r"\A(?:{pattern})")),
        Shape::Named { value, .. } if !value.is_empty() => Some(format!(r"\A(?:{value})\z")),
        Shape::Named { .. } | Shape::Own => None,
    }
}

/// The catalogue, made ready.
struct Scanner {
    automaton: DFA,
    /// By literal.
    looks: Vec<Vec<Look>>,
    /// By kind.
    compiled: Vec<Compiled>,
}

static SCANNER: LazyLock<Scanner> = LazyLock::new(Scanner::new);

impl Scanner {
    fn new() -> Scanner {
        let mut literals: Vec<String> = Vec::new();
        let mut looks: Vec<Vec<Look>> = Vec::new();
        let mut add = |literal: &str, look: Look| match literals.iter().position(|l| l == literal) {
            Some(at) => looks[at].push(look),
            None => {
                literals.push(literal.to_owned());
                looks.push(vec![look]);
            }
        };
        let mut compiled = Vec::new();
        for (at, kind) in kinds().iter().enumerate() {
            if let Shape::Pattern { literals, .. } = &kind.shape {
                for literal in *literals {
                    add(literal, Look::Pattern(at));
                }
            }
            compiled.push(Compiled { pattern: source(kind).map(Pattern::new), kind });
        }
        for part in NAME_PARTS {
            let (first, rest) = part.split_at(1);
            for literal in [(*part).to_owned(), part.to_uppercase(), first.to_uppercase() + rest] {
                add(&literal, Look::Name);
            }
        }
        add("_PAT", Look::Name);
        for literal in ["ookie", "COOKIE"] {
            add(literal, Look::Cookie);
        }
        add("@", Look::Address);
        for opening in person::HOME_OPENINGS {
            add(opening, Look::Home(opening));
        }
        let automaton = DFA::new(&literals).expect("a few hundred short literals fit in an automaton");
        Scanner { automaton, looks, compiled }
    }

    fn kind_named(&self, name: &str) -> usize {
        self.compiled
            .iter()
            .position(|c| c.kind.name == name)
            .expect("the catalogue holds the kinds that code names")
    }
}

/// Every occurrence of a literal in a text, by where it ends: which, and where. The library's own search for such keeps its
/// place in memory, and takes twice as long; every byte of every file goes through this.
struct Hits<'t> {
    text: &'t [u8],
    automaton: &'static DFA,
    at: usize,
    state: StateID,
    /// Literals that end here and were told.
    told: usize,
}

impl<'t> Hits<'t> {
    fn new(text: &'t str) -> Hits<'t> {
        let automaton = &SCANNER.automaton;
        let state = automaton.start_state(Anchored::No).expect("the automaton searches everywhere");
        Hits { text: text.as_bytes(), automaton, at: 0, state, told: usize::MAX }
    }
}

impl Iterator for Hits<'_> {
    type Item = (PatternID, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let automaton = self.automaton;
        if !(automaton.is_match(self.state) && self.told < automaton.match_len(self.state)) {
            let mut state = self.state;
            let rest = self.text.get(self.at..)?;
            let found = rest.iter().position(|&byte| {
                state = automaton.next_state(Anchored::No, state, byte);
                automaton.is_special(state) && automaton.is_match(state)
            });
            let Some(found) = found else {
                (self.at, self.told) = (self.text.len(), usize::MAX);
                return None;
            };
            (self.state, self.at, self.told) = (state, self.at + found + 1, 0);
        }
        let literal = automaton.match_pattern(self.state, self.told);
        self.told += 1;
        Some((literal, self.at - automaton.pattern_len(literal)..self.at))
    }
}

/// The places in the catalogue of the kinds that code finds by structure.
struct OwnKinds {
    cookie: usize,
    entropy: usize,
    user: usize,
    mail: usize,
    person: usize,
}

static OWN: LazyLock<OwnKinds> = LazyLock::new(|| OwnKinds {
    cookie: SCANNER.kind_named("cookie"),
    entropy: SCANNER.kind_named("high-entropy"),
    user: SCANNER.kind_named("user-name"),
    mail: SCANNER.kind_named("e-mail"),
    person: SCANNER.kind_named("person-name"),
});

/// Place in the catalogue of the kind of user names.
pub(super) fn user_kind() -> usize {
    OWN.user
}

/// Everything private in `text`, in order, disjoint; `wanted` says which classes are looked for.
pub(super) fn scan(text: &str, wanted: impl Fn(Class) -> bool) -> Vec<Found> {
    let mut hits = Hits::new(text).peekable();
    // Most texts are heads of definitions, and most of those hold no literal.
    if hits.peek().is_none() {
        return Vec::new();
    }
    let mut pass = Pass::new(text);
    let (secrets, personal) = (wanted(Class::Secret), wanted(Class::Personal));
    for (literal, hit) in hits {
        for look in &SCANNER.looks[literal.as_usize()] {
            match look {
                Look::Pattern(kind) if secrets => pass.pattern(*kind, hit.start, hit.end),
                Look::Name if secrets => pass.name(hit.start, hit.end),
                Look::Cookie if secrets => pass.cookie(hit.end),
                Look::Address if personal => pass.address(hit.start),
                Look::Home(opening) if personal => pass.home(hit.start, opening),
                _ => {}
            }
        }
    }
    resolve(pass.found)
}

/// The secret kind of the value of a member called `name`, if it is one as a whole.
pub(super) fn scan_value(name: &str, value: &str) -> Option<usize> {
    let meaning = name::meaning(name)?;
    let whole = assign::Assigned { syntax: Syntax::Quoted, value: 0..value.len() };
    assign::accepts(value, meaning, &whole).then(|| named_kind(name, meaning, value))
}

/// Orders and joins: where two overlap, their union is private, and the earlier kind of the catalogue names it.
pub(super) fn resolve(mut found: Vec<Found>) -> Vec<Found> {
    found.retain(|f| !f.range.is_empty());
    found.sort_by_key(|f| (f.range.start, f.kind, f.range.end));
    let mut joined: Vec<Found> = Vec::with_capacity(found.len());
    for next in found {
        match joined.last_mut() {
            Some(last) if next.range.start < last.range.end => {
                last.range.end = last.range.end.max(next.range.end);
                last.kind = last.kind.min(next.kind);
            }
            _ => joined.push(next),
        }
    }
    joined
}

/// One pass over one text.
struct Pass<'t> {
    text: &'t str,
    found: Vec<Found>,
    /// End of the last name looked at: its other parts are not looked at again.
    name_end: usize,
    /// The run of token characters looked at last.
    run: Range<usize>,
    /// How often each kind was looked for in that run; the last is for names. Few kinds are.
    looks: Vec<(usize, u8)>,
    /// By kind: the end of the last match. What lies before it belongs to that match.
    covered: Vec<(usize, usize)>,
}

impl<'t> Pass<'t> {
    fn new(text: &'t str) -> Pass<'t> {
        Pass { text, found: Vec::new(), name_end: 0, run: 0..0, looks: Vec::new(), covered: Vec::new() }
    }

    fn covered(&self, kind: usize) -> usize {
        self.covered.iter().find(|(of, _)| *of == kind).map_or(0, |&(_, end)| end)
    }

    fn cover(&mut self, kind: usize, end: usize) {
        match self.covered.iter_mut().find(|(of, _)| *of == kind) {
            Some((_, covered)) => *covered = end,
            None => self.covered.push((kind, end)),
        }
    }

    fn push(&mut self, kind: usize, range: Range<usize>) {
        self.found.push(Found { kind, range: whole_escapes(self.text, range) });
    }

    fn pattern(&mut self, at: usize, start: usize, end: usize) {
        let compiled = &SCANNER.compiled[at];
        let Shape::Pattern { left, check, needs, .. } = &compiled.kind.shape else { return };
        if start < self.covered(at) || !self.may_begin(*left, start) || !self.may_look(at, start) {
            return;
        }
        let line = || self.text[end..].split('\n').next().unwrap_or("");
        if !needs.is_empty() && !needs.iter().any(|needed| line().contains(needed)) {
            return;
        }
        let begin = match left {
            Left::Back(most) => back(self.text, start, *most, self.covered(at)),
            _ => start,
        };
        let block = *check == Check::KeyBlock;
        let window = assign::clip(self.text, begin, if block { BLOCK_WINDOW } else { WINDOW });
        let pattern = compiled.pattern.as_ref().expect("this kind is of the shape that has a pattern");
        // The plain search fails sooner than the one that tells groups.
        let pattern = pattern.of(window);
        let Some(whole) = pattern.find(window) else { return };
        self.cover(at, begin + whole.end());
        let secret =
            pattern.captures(window).and_then(|c| c.name("s")).expect("every pattern names its secret");
        let mut range = begin + secret.start()..begin + secret.end();
        if secret.end() == window.len() && !block {
            range.end = run_end(self.text, range.end);
        }
        // A sentence's full stop is no part of a token; of a password it may be.
        while !block && *check != Check::Password && self.text[range.clone()].ends_with('.') {
            range.end -= 1;
        }
        let body = body(&self.text[range.clone()], &self.text[start..end]);
        if passes(*check, body) {
            self.push(at, range);
        }
    }

    fn may_begin(&self, left: Left, start: usize) -> bool {
        match left {
            Left::Any | Left::Back(_) => true,
            Left::Edge => is_edge(self.text, start),
            Left::After(words) => {
                let from = self.text.floor_char_boundary(start.saturating_sub(200));
                is_edge(self.text, start) && words.iter().any(|w| self.text[from..start].contains(w))
            }
        }
    }

    fn may_look(&mut self, kind: usize, start: usize) -> bool {
        if start >= self.run.end {
            self.run = start..run_end(self.text, start);
            self.looks.clear();
        }
        match self.looks.iter_mut().find(|(of, _)| *of == kind) {
            Some((_, looks)) => {
                *looks = looks.saturating_add(1);
                *looks <= LOOKS_A_RUN
            }
            None => {
                self.looks.push((kind, 1));
                true
            }
        }
    }

    fn name(&mut self, start: usize, end: usize) {
        if start < self.name_end || goes_on(self.text, start, end) {
            return;
        }
        let Some(range) = name::around(self.text, start, end) else { return };
        self.name_end = range.end;
        if self.text[..range.start].ends_with("[redacted:") {
            return;
        }
        let Some(meaning) = self.meaning(&range) else { return };
        if !self.may_look(SCANNER.compiled.len(), start) {
            return;
        }
        if let Some(assigned) = assign::values(self.text, &range) {
            let value = &self.text[assigned.value.clone()];
            if value::is_replaced(value) || self.is_hash_of(&range, value) {
                return;
            }
            let vendor = vendor_kind(&self.text[range.clone()], value);
            let whole = !value::is_placeholder(value) && vendor.is_some();
            if whole || assign::accepts(self.text, meaning, &assigned) {
                let kind = vendor.unwrap_or_else(|| SCANNER.kind_named(meaning.kind()));
                self.name_end = assigned.value.end;
                self.push(kind, assigned.value);
                return;
            }
        }
        self.sentence(meaning, &range);
    }

    fn meaning(&self, range: &Range<usize>) -> Option<Meaning> {
        let name = &self.text[range.clone()];
        let meaning = name::meaning(name)?;
        if meaning != Meaning::SomeKey || name.len() != 3 {
            return Some(meaning);
        }
        // Two words of a sentence: an API key.
        let before = self.text[..range.start].strip_suffix(' ').unwrap_or("");
        let from = before.rfind(|c: char| !c.is_ascii_alphabetic()).map_or(0, |at| at + 1);
        let from = before.ceil_char_boundary(from);
        name::meaning(&format!("{}_key", &before[from..])).filter(|_| from < before.len()).or(Some(meaning))
    }

    /// `checksum/secret: 9f86…` is the hash of a secret.
    fn is_hash_of(&self, name: &Range<usize>, value: &str) -> bool {
        let before = &self.text[..name.start];
        ["checksum/", "sha256/", "hash/"].iter().any(|word| before.ends_with(word)) && value::is_digest(value)
    }

    fn sentence(&mut self, meaning: Meaning, range: &Range<usize>) {
        // In a sentence, `pass` is mostly what one does with an argument.
        if self.text[range.clone()].eq_ignore_ascii_case("pass") {
            return;
        }
        let next = self.text.as_bytes().get(range.end).copied().unwrap_or(b'\n');
        if !b" \t\"'`*_):=-,".contains(&next) && !self.text[..range.start].ends_with(' ') {
            return;
        }
        let mut accepted: Vec<Found> = Vec::new();
        let mut replaced = false;
        for (tie, found) in assign::sentences(self.text, range) {
            let word = &self.text[found.clone()];
            let told = tie == Tie::Told;
            replaced |= value::is_replaced(word);
            let accepts = match meaning {
                Meaning::Signature => false,
                Meaning::SomeKey => {
                    told && value::is_high_entropy(word) && value::is_password(word) && !value::is_code(word)
                }
                Meaning::Password if told => assign::accepts_told(word, true),
                _ if told => assign::accepts_told(word, false),
                _ if tie == Tie::Used => is_used_secret(meaning, word),
                _ => is_loose_secret(word),
            };
            if accepts {
                accepted
                    .push(Found { kind: named_kind(&self.text[range.clone()], meaning, word), range: found });
            }
        }
        if accepted.is_empty() && !replaced && !matches!(meaning, Meaning::SomeKey | Meaning::Signature) {
            accepted.extend(near(self.text, range).map(|found| Found { kind: OWN.entropy, range: found }));
        }
        for found in accepted {
            self.push(found.kind, found.range);
        }
    }

    fn cookie(&mut self, end: usize) {
        let kind = OWN.cookie;
        if end <= self.covered(kind) {
            return;
        }
        let (stop, values) = cookie::values(self.text, end);
        self.cover(kind, stop);
        for range in values {
            self.push(kind, range);
        }
    }

    fn address(&mut self, at: usize) {
        if let Some(range) = person::address(self.text, at) {
            if let Some(name) = person::name_before(self.text, &range) {
                self.push(OWN.person, name);
            }
            self.push(OWN.mail, range);
        }
    }

    fn home(&mut self, at: usize, opening: &str) {
        if let Some(range) = person::home_name(self.text, at, opening) {
            // Not through `push`: what stands before a name in a path is a separator, even where it looks like an escape.
            self.found.push(Found { kind: OWN.user, range });
        }
    }
}

/// The vendor's kind where name and value fit one, else the kind of what the name means.
fn named_kind(name: &str, meaning: Meaning, value: &str) -> usize {
    vendor_kind(name, value).unwrap_or_else(|| SCANNER.kind_named(meaning.kind()))
}

/// The kind of a vendor whose words the name holds and whose pattern the value matches.
fn vendor_kind(name: &str, value: &str) -> Option<usize> {
    let words = name::words(name);
    SCANNER.compiled.iter().position(|compiled| match &compiled.kind.shape {
        Shape::Named { words: needed, .. } if !needed.is_empty() => {
            needed.iter().all(|n| words.iter().any(|w| w == n))
                && compiled.pattern.as_ref().is_some_and(|p| p.of(value).is_match(value))
        }
        _ => false,
    })
}

/// `VALUE as the token`: a value that is no word of the sentence.
fn is_used_secret(meaning: Meaning, word: &str) -> bool {
    let password = meaning == Meaning::Password && word.len() >= 6 && value::has_letter_and_other(word);
    let long_digest = value::is_digest(word) && word.len() >= 32;
    let varied = value::looks_random(word) && !value::is_digest(word);
    value::is_password(word)
        && !value::is_number(word)
        && !value::is_code(word)
        && (password || long_digest || varied)
}

/// A secret that stands beside its name without a word that ties them.
fn is_loose_secret(word: &str) -> bool {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    word.len() >= 14
        && digits >= 2
        && !word.trim_end_matches('=').contains(['=', '@'])
        && value::is_password(word)
        && !value::is_number(word)
        && !value::is_code(word)
        && !value::is_digest(word)
        && value::looks_random(word)
}

/// Strings on the same line that can't be anything else than a secret, with nothing but words between them and the name.
fn near(text: &str, name: &Range<usize>) -> Option<Range<usize>> {
    let rest = assign::clip(text, name.end, 160);
    let line = rest.split('\n').next().unwrap_or("");
    let from = text.floor_char_boundary(name.start.saturating_sub(160));
    let head = &text[from..name.start];
    let head_start = head.rfind('\n').map_or(from, |at| from + at + 1);
    let after = words_of(line, name.end);
    let before = words_of(&text[head_start..name.start], head_start);
    let plain =
        |a: usize, b: usize| text[a..b].chars().all(|c| c.is_alphabetic() || " ,.:'\"`*-()“”’".contains(c));
    let secret = |range: &Range<usize>| {
        let word = &text[range.clone()];
        let token = |b: u8| b.is_ascii_alphanumeric() || b"+/=_.~-".contains(&b);
        word.len() <= 200
            && word.bytes().all(token)
            && value::is_high_entropy(word)
            && value::is_password(word)
            && !value::is_code(word)
    };
    after
        .into_iter()
        .filter(|r| secret(r) && r.end < name.end + rest.len().max(1) + 1)
        .find(|r| plain(name.end, r.start))
        .or_else(|| before.into_iter().rev().filter(secret).find(|r| plain(r.end, name.start)))
}

/// Words between blanks, without quotes and marks at their ends, as ranges of the text whose part at `offset` this is.
fn words_of(line: &str, offset: usize) -> Vec<Range<usize>> {
    let edge = |c: char| "\"'`,.:;()[]*“”".contains(c);
    let mut words = Vec::new();
    let mut at = 0;
    for piece in line.split([' ', '\t']) {
        let trimmed = piece.trim_start_matches(edge);
        let start = at + piece.len() - trimmed.len();
        let word = trimmed.trim_end_matches(edge);
        words.push(offset + start..offset + start + word.len());
        at += piece.len() + 1;
    }
    words
}

/// Whether the literal is the beginning of another word: `tokens`, `keyboard`, `secretary`.
fn goes_on(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let may_go_on = matches!(bytes[start], b'p' | b'P' | b'c' | b'C' | b'a' | b'A')
        && !text[start..end].eq_ignore_ascii_case("auth");
    !may_go_on && bytes.get(end).is_some_and(u8::is_ascii_lowercase) && !text[end..].starts_with("ature")
}

/// The range without a part of an escape at its ends, so that a replacement can't tear one.
fn whole_escapes(text: &str, mut range: Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let backslashes = |at: usize| bytes[..at].iter().rev().take(64).take_while(|b| **b == b'\\').count();
    if backslashes(range.start) % 2 == 1 && range.len() > 5 {
        range.start += match bytes[range.start] {
            b'n' | b'r' | b't' | b'b' | b'f' | b'/' | b'"' | b'\\' => 1,
            b'u' if bytes[range.start + 1..range.start + 5].iter().all(u8::is_ascii_hexdigit) => 5,
            _ => 0,
        };
    }
    range.end -= backslashes(range.end).min(range.len());
    range
}

/// No letter, digit or underscore before; the end of an escape (`\n`, `%3D`, a colour of a terminal) is none.
fn is_edge(text: &str, start: usize) -> bool {
    let before = &text.as_bytes()[..start];
    let Some(last) = before.last() else { return true };
    let part = last.is_ascii_alphanumeric() || *last == b'_';
    if !part {
        return true;
    }
    match before {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', high, low] => high.is_ascii_hexdigit() && low.is_ascii_hexdigit(),
        [.., b'[', b'm'] => true,
        [.., b'[', a, b'm'] => a.is_ascii_digit(),
        [.., b'[' | b';', a, b, b'm'] => a.is_ascii_digit() && b.is_ascii_digit(),
        [.., b';', a, b'm'] => a.is_ascii_digit(),
        _ => false,
    }
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.~+/=%:$@".contains(&byte)
}

fn run_end(text: &str, start: usize) -> usize {
    start + text.as_bytes()[start..].iter().take_while(|b| is_token_byte(**b)).count()
}

/// Where a secret begins whose literal stands at `start`: at most `most` bytes back, not before `floor`.
fn back(text: &str, start: usize, most: usize, floor: usize) -> usize {
    let bytes = text.as_bytes();
    let part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'~' | b'.' | b'-');
    let mut at = start;
    while at > floor && start - at < most && part(bytes[at - 1]) {
        at -= 1;
    }
    at
}

/// A token without the literal that every token of its kind begins with.
fn body<'t>(secret: &'t str, literal: &str) -> &'t str {
    secret.strip_prefix(literal).filter(|rest| !rest.is_empty()).unwrap_or(secret)
}

fn passes(check: Check, body: &str) -> bool {
    let varied = || {
        body.bytes().any(|b| b.is_ascii_digit())
            || value::is_mixed_case_run(body)
            || value::looks_random(body)
    };
    let solid = || !value::is_placeholder(body) && !body.contains("${") && varied();
    match check {
        Check::Any => true,
        Check::Token => solid(),
        Check::Random => {
            !value::is_placeholder(body)
                && !value::is_reference(body)
                && !value::is_number(body)
                && value::looks_random(body)
        }
        Check::Password => value::is_password(body) && !value::has_brackets(body),
        Check::BasicCredential => is_basic_credential(body),
        Check::KeyBlock => longest_base64(body) >= 16,
    }
}

/// Base64 of printable text with a colon that is no placeholder.
fn is_basic_credential(text: &str) -> bool {
    let decoded = super::base64::decode(text).and_then(|bytes| String::from_utf8(bytes).ok());
    decoded.is_some_and(|plain| {
        plain.split_once(':').is_some_and(|(user, password)| {
            !plain.contains(char::is_control) && user.len() + password.len() >= 3
        })
    })
}

fn longest_base64(block: &str) -> usize {
    let inner = block.split(|c: char| !(c.is_ascii_alphanumeric() || c == '+' || c == '/'));
    inner.map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use aho_corasick::Input;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn literals_are_hit_as_the_library_hits_them(
            text in "(sk-|ant|TOKEN|_PAT|passw|api|Key|key|secret|://|@|/home/|gh[pousr]_|xox|ä|[a-zA-Z_ -]){0,24}"
        ) {
            let library = SCANNER.automaton.try_find_overlapping_iter(Input::new(&text)).unwrap();
            let expected: Vec<_> = library.map(|hit| (hit.pattern(), hit.range())).collect();
            prop_assert_eq!(Hits::new(&text).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn every_pattern_compiles_and_names_its_secret() {
        for compiled in &SCANNER.compiled {
            let names_secret = compiled.pattern.as_ref().is_none_or(|pattern| {
                let pattern = ["a", "\u{e4}"].map(|text| pattern.of(text));
                matches!(compiled.kind.shape, Shape::Named { .. })
                    || pattern.iter().all(|form| form.capture_names().any(|n| n == Some("s")))
            });
            assert!(names_secret, "{}", compiled.kind.name);
        }
    }
}

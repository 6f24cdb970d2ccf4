//! Patterns of syntax: what a query file says, read into steps that a flat list of nodes is compared with.
//!
//! The files are queries of tree-sitter, of whose language this reads the part that they use: nodes by kind, `(_)` and
//! anonymous tokens, fields and absent fields (`!field`), anchors (`.`), alternatives, optional parts, captures, and the
//! predicates `#eq?` and `#any-of?` with strings. A test holds every language's patterns against tree-sitter's own walk.
//! Reading them takes some microseconds, where tree-sitter analyses each query against the whole grammar for a tenth of a
//! second a process, and a walk of our own over the nodes costs half of a walk of its cursor.

use std::num::NonZeroU16;

use tree_sitter::Language as Grammar;

use super::query::{Label, label};

/// A pattern: the first part is one node, the others are siblings behind it.
#[derive(Debug)]
pub(in super::super) struct Pattern {
    pub(in super::super) parts: Vec<Part>,
    /// What each capture means, in order of appearance; several may bear one name.
    pub(in super::super) labels: Vec<Label>,
    pub(in super::super) predicates: Vec<Predicate>,
    /// The capture of a pattern that is one node of which nothing more is asked.
    pub(in super::super) only: Option<u16>,
}

/// A place among siblings.
#[derive(Debug, Default)]
pub(in super::super) struct Part {
    /// Any of them; the earlier comes first.
    pub(in super::super) alternatives: Vec<Step>,
    pub(in super::super) optional: bool,
    /// No named sibling stands between it and the part before it, or the beginning.
    pub(in super::super) adjacent: bool,
    /// No named sibling stands behind it.
    pub(in super::super) last: bool,
}

/// What one node must be.
#[derive(Debug)]
pub(in super::super) struct Step {
    pub(in super::super) kind: Kind,
    pub(in super::super) field: Option<NonZeroU16>,
    /// Fields that it must not have.
    pub(in super::super) without: Vec<NonZeroU16>,
    /// Places in [`Pattern::labels`].
    pub(in super::super) captures: Vec<u16>,
    pub(in super::super) children: Vec<Part>,
}

/// A kind of node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Kind {
    /// By the grammar's number, which tells named and anonymous kinds apart.
    Id(u16),
    /// Any named node but an error.
    AnyNamed,
}

/// The text of every node of a capture is one of these.
#[derive(Debug)]
pub(in super::super) struct Predicate {
    pub(in super::super) captures: Vec<u16>,
    pub(in super::super) texts: Vec<String>,
}

/// Why a query file can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("query: line {line}: {fault}")]
pub(in super::super) struct PatternError {
    line: usize,
    fault: Fault,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Fault {
    #[error("{0:?}: no visible kind of node of this grammar")]
    Kind(String),
    #[error("{0:?}: no field of this grammar")]
    Field(String),
    #[error("{0:?}: no such label")]
    Label(String),
    #[error("{0:?}: no predicate that is read here")]
    Predicate(String),
    #[error("{0:?} is captured nowhere in the pattern")]
    Uncaptured(String),
    #[error("a pattern must begin with a node of a stated kind")]
    Root,
    #[error("{0} is expected")]
    Expected(&'static str),
}

/// Reads query files, joined.
pub(super) fn read(grammar: &Grammar, texts: &[&str]) -> Result<Vec<Pattern>, PatternError> {
    let mut patterns = Vec::new();
    for text in texts {
        let tokens = tokens(text)?;
        let mut reader =
            Reader { grammar, tokens: &tokens, at: 0, names: Vec::new(), predicates: Vec::new() };
        while reader.at < tokens.len() {
            patterns.push(reader.pattern()?);
        }
    }
    Ok(patterns)
}

/// The number of a named kind of node.
pub(super) fn named_kind(grammar: &Grammar, name: &str) -> Result<u16, PatternError> {
    let id = grammar.id_for_node_kind(name, true);
    let is_seen = id != 0 && grammar.node_kind_is_visible(id);
    if is_seen { Ok(id) } else { Err(PatternError { line: 0, fault: Fault::Kind(name.to_owned()) }) }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token<'t> {
    /// One of `( ) [ ] . : ! ?`.
    Mark(u8),
    Word(&'t str),
    /// Without the `@`.
    Capture(&'t str),
    /// Without the `#`.
    Predicate(&'t str),
    Text(&'t str),
}

fn tokens(text: &str) -> Result<Vec<(usize, Token<'_>)>, PatternError> {
    let mut out = Vec::new();
    for (index, whole) in text.lines().enumerate() {
        let line = index + 1;
        let mut rest = whole.trim_start();
        while let Some(first) = rest.bytes().next().filter(|first| *first != b';') {
            let word_end = |from: usize| {
                let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '?');
                rest[from..].find(|c| !part(c)).map_or(rest.len(), |end| from + end)
            };
            let (token, length) = match first {
                b'(' | b')' | b'[' | b']' | b'.' | b':' | b'!' | b'?' => (Token::Mark(first), 1),
                b'@' => (Token::Capture(&rest[1..word_end(1)]), word_end(1)),
                b'#' => (Token::Predicate(&rest[1..word_end(1)]), word_end(1)),
                b'"' => {
                    let end = rest[1..].find('"').map(|end| end + 1);
                    let end = end.ok_or(PatternError { line, fault: Fault::Expected("a closing quote") })?;
                    (Token::Text(&rest[1..end]), end + 1)
                }
                _ => {
                    let end =
                        rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
                    if end == 0 {
                        return Err(PatternError {
                            line,
                            fault: Fault::Expected("a node, a field or a mark"),
                        });
                    }
                    (Token::Word(&rest[..end]), end)
                }
            };
            out.push((line, token));
            rest = rest[length..].trim_start();
        }
    }
    Ok(out)
}

struct Reader<'r, 't> {
    grammar: &'r Grammar,
    tokens: &'r [(usize, Token<'t>)],
    at: usize,
    /// Names of the captures of the pattern under way.
    names: Vec<&'t str>,
    predicates: Vec<(&'t str, Vec<String>)>,
}

impl<'t> Reader<'_, 't> {
    fn pattern(&mut self) -> Result<Pattern, PatternError> {
        self.names.clear();
        let is_group = self.tokens.get(self.at + 1).is_some_and(|(_, token)| *token == Token::Mark(b'('));
        let parts = if is_group {
            self.mark(b'(', "a pattern")?;
            let (parts, _) = self.parts()?;
            parts
        } else {
            vec![self.part()?]
        };
        let first =
            parts.first().filter(|part| !part.optional).map_or(&[][..], |part| &part.alternatives[..]);
        if !matches!(first, [Step { kind: Kind::Id(_), .. }]) {
            return Err(self.error(Fault::Root));
        }
        let mut labels = Vec::new();
        for name in &self.names {
            labels.push(label(name).ok_or_else(|| self.error(Fault::Label((*name).to_owned())))?);
        }
        let mut predicates = Vec::new();
        for (name, texts) in std::mem::take(&mut self.predicates) {
            let of_name = self.names.iter().enumerate().filter(|(_, other)| **other == name);
            let captures: Vec<u16> = of_name.map(|(at, _)| small(at)).collect();
            if captures.is_empty() {
                return Err(self.error(Fault::Uncaptured(name.to_owned())));
            }
            predicates.push(Predicate { captures, texts });
        }
        let only = if predicates.is_empty() { only(&parts) } else { None };
        Ok(Pattern { parts, labels, predicates, only })
    }

    /// Parts up to the closing parenthesis, and fields that must be absent.
    fn parts(&mut self) -> Result<(Vec<Part>, Vec<NonZeroU16>), PatternError> {
        let (mut parts, mut without): (Vec<Part>, Vec<NonZeroU16>) = (Vec::new(), Vec::new());
        let mut adjacent = false;
        loop {
            match self.peek() {
                Some(Token::Mark(b')')) => break,
                Some(Token::Mark(b'.')) => {
                    self.at += 1;
                    adjacent = true;
                }
                Some(Token::Mark(b'!')) => {
                    self.at += 1;
                    without.push(self.field()?);
                }
                Some(Token::Mark(b'('))
                    if matches!(self.tokens.get(self.at + 1), Some((_, Token::Predicate(_)))) =>
                {
                    self.predicate()?;
                }
                Some(_) => {
                    let part = self.part()?;
                    parts.push(Part { adjacent: std::mem::take(&mut adjacent), ..part });
                }
                None => return Err(self.error(Fault::Expected("a closing parenthesis"))),
            }
        }
        self.at += 1;
        if let (true, Some(last)) = (adjacent, parts.last_mut()) {
            last.last = true;
        }
        Ok((parts, without))
    }

    /// `field: (node)`, `(node)`, `[…]`, `"token"`, with what stands behind it.
    fn part(&mut self) -> Result<Part, PatternError> {
        let field = match (self.peek(), self.tokens.get(self.at + 1)) {
            (Some(Token::Word(_)), Some((_, Token::Mark(b':')))) => {
                let field = self.field()?;
                self.at += 1;
                Some(field)
            }
            _ => None,
        };
        let mut part = Part::default();
        match self.peek() {
            Some(Token::Mark(b'[')) => {
                self.at += 1;
                while self.peek() != Some(&Token::Mark(b']')) {
                    part.alternatives.extend(self.part()?.alternatives);
                }
                self.at += 1;
            }
            Some(Token::Text(text)) => {
                let kind = self.kind(text, false)?;
                self.at += 1;
                part.alternatives.push(step(kind));
            }
            _ => part.alternatives.push(self.node()?),
        }
        if self.peek() == Some(&Token::Mark(b'?')) {
            self.at += 1;
            part.optional = true;
        }
        while let Some(&Token::Capture(name)) = self.peek() {
            self.at += 1;
            let capture = small(self.names.len());
            self.names.push(name);
            part.alternatives.iter_mut().for_each(|step| step.captures.push(capture));
        }
        if field.is_some() {
            part.alternatives.iter_mut().for_each(|step| step.field = field);
        }
        Ok(part)
    }

    fn node(&mut self) -> Result<Step, PatternError> {
        self.mark(b'(', "a node")?;
        let Some(&Token::Word(name)) = self.peek() else {
            return Err(self.error(Fault::Expected("a kind of node")));
        };
        let kind = self.kind(name, true)?;
        self.at += 1;
        let (children, without) = self.parts()?;
        Ok(Step { without, children, ..step(kind) })
    }

    fn predicate(&mut self) -> Result<(), PatternError> {
        self.at += 1;
        match self.peek() {
            Some(Token::Predicate("eq?" | "any-of?")) => self.at += 1,
            Some(Token::Predicate(other)) => return Err(self.error(Fault::Predicate((*other).to_owned()))),
            _ => return Err(self.error(Fault::Expected("a predicate"))),
        }
        let Some(&Token::Capture(name)) = self.peek() else {
            return Err(self.error(Fault::Expected("a capture")));
        };
        self.at += 1;
        let mut texts = Vec::new();
        while let Some(&Token::Text(text)) = self.peek() {
            self.at += 1;
            texts.push(text.to_owned());
        }
        self.mark(b')', "a string or a closing parenthesis")?;
        self.predicates.push((name, texts));
        Ok(())
    }

    fn kind(&self, name: &str, named: bool) -> Result<Kind, PatternError> {
        if named && name == "_" {
            return Ok(Kind::AnyNamed);
        }
        let id = self.grammar.id_for_node_kind(name, named);
        let is_seen = id != 0 && self.grammar.node_kind_is_visible(id);
        if is_seen { Ok(Kind::Id(id)) } else { Err(self.error(Fault::Kind(name.to_owned()))) }
    }

    fn field(&mut self) -> Result<NonZeroU16, PatternError> {
        let Some(&Token::Word(name)) = self.peek() else {
            return Err(self.error(Fault::Expected("a field")));
        };
        let field = self.grammar.field_id_for_name(name);
        let field = field.ok_or_else(|| self.error(Fault::Field(name.to_owned())))?;
        self.at += 1;
        Ok(field)
    }

    fn mark(&mut self, mark: u8, expected: &'static str) -> Result<(), PatternError> {
        if self.peek() != Some(&Token::Mark(mark)) {
            return Err(self.error(Fault::Expected(expected)));
        }
        self.at += 1;
        Ok(())
    }

    fn peek(&self) -> Option<&Token<'t>> {
        self.tokens.get(self.at).map(|(_, token)| token)
    }

    fn error(&self, fault: Fault) -> PatternError {
        let line = self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |(line, _)| *line);
        PatternError { line, fault }
    }
}

fn only(parts: &[Part]) -> Option<u16> {
    let [Part { alternatives, .. }] = parts else { return None };
    let [Step { captures, children, without, field: None, .. }] = &alternatives[..] else { return None };
    let [capture] = captures[..] else { return None };
    (children.is_empty() && without.is_empty()).then_some(capture)
}

fn step(kind: Kind) -> Step {
    Step { kind, field: None, without: Vec::new(), captures: Vec::new(), children: Vec::new() }
}

fn small(at: usize) -> u16 {
    u16::try_from(at).expect("a pattern has few captures")
}

//! What the patterns of a language ask of each kind of node.

use tree_sitter::Language as Grammar;

use super::inert::{Inert, Plain};
use super::pattern::{self, Kind, Part, Pattern, PatternError, Step};

/// What the patterns ask of each kind of node, by its number.
pub(in super::super) struct Kinds {
    facts: Vec<Facts>,
    of: Vec<OfKind>,
    plain: Plain,
    asks_tokens: bool,
}

/// Whether there can be something below a node that a pattern begins with.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Inside {
    #[default]
    Open,
    Closed,
    /// Not where its text is plain.
    Plain,
}

/// What the walk over a tree asks of the kind of every node: a byte each, for all of them to stay at hand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in super::super) struct Facts(u8);

impl Facts {
    const NAMED: Facts = Facts(1);
    const ASKED: Facts = Facts(2);
    const FIELDS: Facts = Facts(4);
    const BEGINS: Facts = Facts(8);
    const INERT: Facts = Facts(16);

    fn has(self, fact: Facts) -> bool {
        self.0 & fact.0 != 0
    }

    fn add(&mut self, fact: Facts) {
        self.0 |= fact.0;
    }

    /// Whether such a node is named.
    pub(in super::super) fn is_named(self) -> bool {
        self.has(Facts::NAMED)
    }

    /// Whether a pattern names the kind.
    pub(in super::super) fn is_asked(self) -> bool {
        self.has(Facts::ASKED)
    }

    /// Whether patterns ask for the fields of such a node's children.
    pub(in super::super) fn has_fields(self) -> bool {
        self.has(Facts::FIELDS)
    }

    /// Whether a pattern begins with such a node.
    pub(in super::super) fn begins(self) -> bool {
        self.has(Facts::BEGINS)
    }

    /// Whether [`Kinds::is_inert`] may be true of such a node.
    pub(in super::super) fn may_be_inert(self) -> bool {
        self.has(Facts::INERT)
    }
}

#[derive(Clone, Default)]
struct OfKind {
    inside: Inside,
    /// Kinds of parent in which a pattern asks for what is below such a node.
    asked_below: Vec<u16>,
    /// Whether one does so whatever the parent is.
    is_asked_below: bool,
    /// Patterns that begin with such a node.
    begins: Vec<u16>,
}

impl Kinds {
    pub(super) fn new(grammar: &Grammar, patterns: &[Pattern], inert: &Inert) -> Result<Kinds, PatternError> {
        let count = u16::try_from(grammar.node_kind_count()).expect("numbers of kinds have 16 bits");
        let named = |kind| if grammar.node_kind_is_named(kind) { Facts::NAMED } else { Facts::default() };
        let mut kinds = Kinds {
            facts: (0..count).map(named).collect(),
            of: vec![OfKind::default(); count as usize],
            plain: Plain::new(inert.marks),
            asks_tokens: false,
        };
        for (at, pattern) in patterns.iter().enumerate() {
            if let Some(Kind::Id(kind)) = pattern.parts.first().map(|part| part.alternatives[0].kind) {
                kinds.of[kind as usize].begins.push(u16::try_from(at).expect("a language has few patterns"));
                kinds.facts[kind as usize].add(Facts::BEGINS);
            }
            kinds.note(&pattern.parts);
            // The first is where it begins; there it is known that nothing fits.
            for step in pattern.parts.iter().skip(1).flat_map(|part| &part.alternatives) {
                kinds.note_below(None, step);
            }
            for step in pattern.parts.iter().flat_map(|part| &part.alternatives) {
                kinds.note_inner(step);
            }
        }
        kinds.asks_tokens = kinds.facts.iter().any(|facts| facts.is_asked() && !facts.is_named());
        for (names, inside) in [(inert.closed, Inside::Closed), (inert.plain, Inside::Plain)] {
            for name in names {
                let kind = pattern::named_kind(grammar, name)? as usize;
                kinds.of[kind].inside = inside;
                if !kinds.of[kind].is_asked_below {
                    kinds.facts[kind].add(Facts::INERT);
                }
            }
        }
        Ok(kinds)
    }

    fn note(&mut self, parts: &[Part]) {
        for step in parts.iter().flat_map(|part| &part.alternatives) {
            let asks = |child: &Step| child.field.is_some();
            let has_fields = !step.without.is_empty()
                || step.children.iter().flat_map(|part| &part.alternatives).any(asks);
            match step.kind {
                Kind::Id(kind) => {
                    let facts = &mut self.facts[kind as usize];
                    facts.add(Facts::ASKED);
                    if has_fields {
                        facts.add(Facts::FIELDS);
                    }
                }
                Kind::AnyNamed if has_fields => self.facts.iter_mut().for_each(|of| of.add(Facts::FIELDS)),
                Kind::AnyNamed => {}
            }
            self.note(&step.children);
        }
    }

    /// Notes which nodes within a step have something below them that the step asks for.
    fn note_inner(&mut self, step: &Step) {
        for child in step.children.iter().flat_map(|part| &part.alternatives) {
            let parent = match step.kind {
                Kind::Id(kind) => Some(kind),
                Kind::AnyNamed => None,
            };
            self.note_below(parent, child);
            self.note_inner(child);
        }
    }

    fn note_below(&mut self, parent: Option<u16>, step: &Step) {
        if step.children.is_empty() && step.without.is_empty() {
            return;
        }
        match (step.kind, parent) {
            (Kind::Id(kind), Some(parent)) => self.of[kind as usize].asked_below.push(parent),
            (Kind::Id(kind), None) => self.of[kind as usize].is_asked_below = true,
            (Kind::AnyNamed, _) => self.of.iter_mut().for_each(|kind| kind.is_asked_below = true),
        }
    }

    /// Whether no pattern finds anything below a node of this kind, in a parent of that kind, whose text this is. What is
    /// damaged may hold anything.
    pub(in super::super) fn is_inert<'t>(
        &self,
        kind: u16,
        parent: impl FnOnce() -> u16,
        has_error: impl FnOnce() -> bool,
        text: impl FnOnce() -> &'t [u8],
    ) -> bool {
        let Some(of_kind) = self.of.get(kind as usize).filter(|of_kind| of_kind.inside != Inside::Open)
        else {
            return false;
        };
        !of_kind.is_asked_below
            && (of_kind.asked_below.is_empty() || !of_kind.asked_below.contains(&parent()))
            && (of_kind.inside == Inside::Closed || self.plain.holds(text()))
            && !has_error()
    }

    /// Whether a pattern names a kind of node that isn't named.
    pub(in super::super) fn asks_tokens(&self) -> bool {
        self.asks_tokens
    }

    /// Places of the patterns that begin with a node of this kind, ascending.
    pub(in super::super) fn begun_by(&self, kind: u16) -> &[u16] {
        self.of.get(kind as usize).map_or(&[], |kind| &kind.begins)
    }

    /// What is asked of a kind. An error, which has no number among the grammar's, is named.
    pub(in super::super) fn facts(&self, kind: u16) -> Facts {
        self.facts.get(kind as usize).copied().unwrap_or(Facts::NAMED)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Language;

    #[test]
    fn nothing_is_inert_of_which_a_pattern_asks_for_the_inside() {
        let kinds = &Language::TypeScript.support().expect("it has a grammar").kinds;
        let grammar = &Language::TypeScript.support().expect("it has a grammar").grammar;
        let id = |name| grammar.id_for_node_kind(name, true);
        let inert = |kind, parent, text: &'static str| {
            kinds.is_inert(id(kind), || id(parent), || false, || text.as_bytes())
        };
        assert!(inert("string", "arguments", "\"a\""));
        assert!(!inert("string", "import_statement", "\"a\""));
        assert!(inert("member_expression", "arguments", "a.b"));
        assert!(!inert("member_expression", "arguments", "a().b"));
        assert!(!inert("member_expression", "call_expression", "a.b"));
        assert!(!inert("identifier", "arguments", "a"));
        assert!(!kinds.is_inert(id("arguments"), || id("call_expression"), || true, || b"(a)"));
    }

    #[test]
    fn tokens_are_asked_for_where_a_pattern_names_one() {
        let asks = |language: Language| language.support().expect("it has a grammar").kinds.asks_tokens();
        assert!(asks(Language::Kotlin) && asks(Language::Swift));
        assert!(!asks(Language::TypeScript) && !asks(Language::Rust));
    }
}

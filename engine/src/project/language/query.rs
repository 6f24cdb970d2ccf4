//! A language's query files as patterns by the kind of node they begin with, so that one walk over a tree finds everything.

use tree_sitter::Language as Grammar;

use super::Language;
use super::pattern::{self, Kind, Part, Pattern, PatternError, Step};

/// What kinds of definition there are; the part after `symbol.` of a capture's name.
const KINDS: [&str; 21] = [
    "class",
    "constant",
    "constructor",
    "enum",
    "field",
    "function",
    "index",
    "interface",
    "macro",
    "method",
    "module",
    "property",
    "prototype",
    "struct",
    "table",
    "trait",
    "trigger",
    "type",
    "union",
    "variable",
    "view",
];

/// What a capture means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Label {
    /// A definition of this kind.
    Symbol(&'static str),
    /// Opens a parent without being a definition itself.
    Scope,
    /// Holds to the end of the file.
    Rest,
    Name,
    /// A name of which the last segment counts; the rest is the owner.
    Qualified,
    Owner,
    /// Where the head of a definition ends.
    Body,
    /// `Wrap` belongs to the definition `Inner` in it.
    Wrap,
    Inner,
    /// A specifier, quotes around it or not.
    ImportSource,
    /// A module from which names are taken, and such a name.
    ImportFrom,
    ImportName,
    /// A tree of paths, a module in a file of its own, and the file it is in.
    ImportUse,
    ImportModule,
    ImportPath,
    /// A module whose file an attribute names: no path of its own leads to it.
    ImportPlaced,
    /// A whole declaration.
    ImportText,
    /// An included file with its quotes or angle brackets.
    ImportInclude,
    /// A name that is used.
    Reference,
    /// For predicates only.
    Ignored,
}

/// A language's grammar and patterns.
pub(in super::super) struct Support {
    pub(in super::super) grammar: Grammar,
    /// In the order of the files; where two match one node, the first wins.
    pub(in super::super) patterns: Vec<Pattern>,
    pub(in super::super) kinds: Kinds,
    /// Whether the grammar's scanner can only be given ASCII: that of Bash (0.25.1) asks C's `isdigit` of any character,
    /// which reads beyond its table for one that isn't a byte.
    pub(in super::super) ascii_only: bool,
    /// Whether the grammar leaves labels and heads of statements open where the text has errors, so that each further error
    /// goes through all of them again: that of JavaScript (0.25.0) does.
    pub(in super::super) nests_heads: bool,
    /// Whether it does so with calls without parentheses: that of Elixir (0.3.5).
    pub(in super::super) nests_calls: bool,
    /// Tokens that the grammar leaves open in the same way where they are errors: a case outside a `switch`, an arrow in a
    /// language without.
    pub(in super::super) left_open: &'static [&'static str],
}

impl Support {
    /// Reads the query files of a language.
    pub(in super::super) fn compile(
        language: Language,
        grammar: Grammar,
        texts: &[&str],
    ) -> Result<Support, PatternError> {
        let patterns = pattern::read(&grammar, texts)?;
        let kinds = Kinds::new(&grammar, &patterns);
        let left_open: &[&str] = match language {
            Language::TypeScript | Language::Tsx => &["case"],
            Language::Java => &["case", "=>"],
            Language::C | Language::Cpp => &["=>"],
            _ => &[],
        };
        Ok(Support {
            grammar,
            patterns,
            kinds,
            ascii_only: language == Language::Bash,
            nests_heads: language == Language::JavaScript,
            nests_calls: language == Language::Elixir,
            left_open,
        })
    }
}

/// What the patterns ask of each kind of node, by its number.
pub(in super::super) struct Kinds(Vec<OfKind>);

#[derive(Clone, Default)]
struct OfKind {
    /// Patterns that begin with such a node.
    begins: Vec<u16>,
    /// Whether the fields of its children are asked for.
    has_fields: bool,
    /// Whether a step names it.
    is_asked: bool,
    /// Whether the grammar names it.
    is_named: bool,
}

impl Kinds {
    fn new(grammar: &Grammar, patterns: &[Pattern]) -> Kinds {
        let count = u16::try_from(grammar.node_kind_count()).expect("numbers of kinds have 16 bits");
        let of_kind = |kind| OfKind { is_named: grammar.node_kind_is_named(kind), ..OfKind::default() };
        let mut kinds = Kinds((0..count).map(of_kind).collect());
        for (at, pattern) in patterns.iter().enumerate() {
            if let Some(Kind::Id(kind)) = pattern.parts.first().map(|part| part.alternatives[0].kind) {
                kinds.0[kind as usize].begins.push(u16::try_from(at).expect("a language has few patterns"));
            }
            kinds.note(&pattern.parts);
        }
        kinds
    }

    fn note(&mut self, parts: &[Part]) {
        for step in parts.iter().flat_map(|part| &part.alternatives) {
            let asks = |child: &Step| child.field.is_some();
            let has_fields = !step.without.is_empty()
                || step.children.iter().flat_map(|part| &part.alternatives).any(asks);
            match step.kind {
                Kind::Id(kind) => {
                    let of_kind = &mut self.0[kind as usize];
                    of_kind.is_asked = true;
                    of_kind.has_fields |= has_fields;
                }
                Kind::AnyNamed if has_fields => self.0.iter_mut().for_each(|kind| kind.has_fields = true),
                Kind::AnyNamed => {}
            }
            self.note(&step.children);
        }
    }

    /// Places of the patterns that begin with a node of this kind, ascending.
    pub(in super::super) fn begun_by(&self, kind: u16) -> &[u16] {
        self.0.get(kind as usize).map_or(&[], |kind| &kind.begins)
    }

    /// Whether patterns ask for the fields of such a node's children.
    pub(in super::super) fn has_fields(&self, kind: u16) -> bool {
        self.0.get(kind as usize).is_some_and(|kind| kind.has_fields)
    }

    /// Whether a pattern names this kind.
    pub(in super::super) fn is_token(&self, kind: u16) -> bool {
        self.0.get(kind as usize).is_some_and(|kind| kind.is_asked)
    }

    /// Whether such a node is named; an error, which has no number among the grammar's, is.
    pub(in super::super) fn is_named(&self, kind: u16) -> bool {
        self.0.get(kind as usize).is_none_or(|kind| kind.is_named)
    }
}

/// What a capture of this name means; `None` for none of ours.
pub(in super::super) fn label(name: &str) -> Option<Label> {
    if let Some(kind) = name.strip_prefix("symbol.") {
        return KINDS.into_iter().find(|known| *known == kind).map(Label::Symbol);
    }
    Some(match name {
        "scope" => Label::Scope,
        "rest" => Label::Rest,
        "name" => Label::Name,
        "qualified" => Label::Qualified,
        "owner" => Label::Owner,
        "body" => Label::Body,
        "wrap" => Label::Wrap,
        "inner" => Label::Inner,
        "import.source" => Label::ImportSource,
        "import.from" => Label::ImportFrom,
        "import.name" => Label::ImportName,
        "import.use" => Label::ImportUse,
        "import.module" => Label::ImportModule,
        "import.path" => Label::ImportPath,
        "import.placed" => Label::ImportPlaced,
        "import.text" => Label::ImportText,
        "import.include" => Label::ImportInclude,
        "reference" => Label::Reference,
        _ if name.starts_with('_') => Label::Ignored,
        _ => return None,
    })
}

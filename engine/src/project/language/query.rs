//! A language's query files as patterns by the kind of node they begin with, so that one walk over a tree finds everything.

use tree_sitter::Language as Grammar;

use super::Language;
use super::kinds::Kinds;
use super::pattern::{self, Pattern, PatternError};
use super::table::Row;

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
    /// Arguments of which the first is a specifier, if it is a string.
    ImportArguments,
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
    pub(super) fn compile(language: Language, grammar: Grammar, row: &Row) -> Result<Support, PatternError> {
        let patterns = pattern::read(&grammar, row.queries)?;
        let kinds = Kinds::new(&grammar, &patterns, &row.inert)?;
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
        "import.arguments" => Label::ImportArguments,
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

//! A language's query files as one compiled query, so that one walk over a tree finds everything.

use tree_sitter::{Language as Grammar, Query, QueryError};

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

/// A language's grammar and compiled query.
pub(in super::super) struct Support {
    pub(in super::super) grammar: Grammar,
    pub(in super::super) query: Query,
    /// What each capture of the query means, by its index.
    pub(in super::super) labels: Vec<Label>,
    /// Whether the grammar's scanner can only be given ASCII: that of Bash (0.25.1) asks C's `isdigit` of any character,
    /// which reads beyond its table for one that isn't a byte.
    pub(in super::super) ascii_only: bool,
}

/// Why query files can't be used.
#[derive(Debug, thiserror::Error)]
pub(in super::super) enum SupportError {
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error("capture {name:?}: no such label")]
    Label { name: String },
}

impl Support {
    /// Compiles the query files of a language; where two patterns match one node, the first wins.
    pub(in super::super) fn compile(grammar: Grammar, texts: &[&str]) -> Result<Support, SupportError> {
        let query = Query::new(&grammar, &texts.concat())?;
        let labels = query.capture_names().iter().map(|name| label(name)).collect::<Result<_, _>>()?;
        let ascii_only = grammar.name() == Some("bash");
        Ok(Support { grammar, query, labels, ascii_only })
    }
}

fn label(name: &str) -> Result<Label, SupportError> {
    let unknown = || SupportError::Label { name: name.to_owned() };
    if let Some(kind) = name.strip_prefix("symbol.") {
        let kind = KINDS.into_iter().find(|known| *known == kind).ok_or_else(unknown)?;
        return Ok(Label::Symbol(kind));
    }
    Ok(match name {
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
        _ => return Err(unknown()),
    })
}

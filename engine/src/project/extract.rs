//! What a syntax tree says of a file: one walk of the language's query over it gives definitions, imports and uses.

use tree_sitter::{Node, QueryCursor, QueryMatch, StreamingIterator, Tree};

use super::imports::{Import, Imports};
use super::language::{Label, Language, Support};
use super::references::{References, Use};
use super::symbols::{Capture, Symbol, Symbols};

/// Matches of one query under way at a time; beyond it the oldest is dropped. A file of ours never gets near it, and one made
/// to slow the walk down does.
const MAX_OPEN_MATCHES: u32 = 4_096;

/// Definitions, imports and uses of a file.
#[derive(Debug, Default)]
pub(super) struct Extracted {
    /// By position, outer before inner.
    pub(super) symbols: Vec<Symbol>,
    /// By line.
    pub(super) imports: Vec<Import>,
    /// By name.
    pub(super) uses: Vec<Use>,
}

/// Reads a parsed file.
pub(super) fn extract(language: Language, support: &'static Support, tree: &Tree, text: &str) -> Extracted {
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MAX_OPEN_MATCHES);
    let (mut symbols, mut imports, mut uses) =
        (Symbols::new(text), Imports::new(language, text), References::new(text));
    let mut matches = cursor.matches(&support.query, tree.root_node(), text.as_bytes());
    while let Some(found) = matches.next() {
        match found.captures() {
            // Most matches by far are a name used.
            [only] if support.labels[only.index as usize] == Label::Reference => uses.add(only.node),
            _ => add(found, &support.labels, &mut symbols, &mut imports),
        }
    }
    let symbols = symbols.finish();
    Extracted {
        imports: imports.finish(&symbols.modules),
        uses: uses.finish(&symbols.name_starts),
        symbols: symbols.found,
    }
}

fn add<'t>(
    found: &QueryMatch<'_, 't>,
    labels: &[Label],
    symbols: &mut Symbols<'_, 't>,
    imports: &mut Imports<'_>,
) {
    let mut capture = Capture::new(found.pattern_index);
    let mut inner: Option<Node<'t>> = None;
    let (mut from, mut taken): (Option<Node<'t>>, Option<Node<'t>>) = (None, None);
    for part in found.captures() {
        let node = part.node;
        match labels[part.index as usize] {
            Label::Symbol(kind) => (capture.node, capture.kind) = (Some(node), Some(kind)),
            Label::Scope => capture.node = Some(node),
            Label::Rest => capture.to_end = true,
            Label::Name => capture.name = Some(node),
            Label::Qualified => (capture.name, capture.is_qualified) = (Some(node), true),
            Label::Owner => capture.owner = Some(node),
            Label::Body => capture.head_end = Some(node.start_byte()),
            Label::Inner => inner = Some(node),
            Label::Wrap => capture.node = Some(node),
            Label::ImportFrom => from = Some(node),
            Label::ImportName => taken = Some(node),
            Label::ImportSource => imports.source(node),
            Label::ImportUse => imports.use_tree(node),
            Label::ImportModule => imports.module(node),
            Label::ImportPath => imports.path(node),
            Label::ImportPlaced => imports.placed(node),
            Label::ImportText => imports.declaration(node),
            Label::ImportInclude => imports.include(node),
            Label::Reference | Label::Ignored => {}
        }
    }
    if let Some(from) = from {
        imports.from(from, taken);
    }
    match (inner, capture.node) {
        (Some(inner), Some(wrap)) => symbols.wrap(inner, wrap),
        _ => symbols.add(capture),
    }
}

//! What a syntax tree says of a file: one walk of the language's query over it gives definitions, imports and uses.

use tree_sitter::Node;

use super::imports::{Import, Imports};
use super::language::{Label, Language};
use super::nodes::Nodes;
use super::references::References;
use super::symbols::{Capture, Symbol, Symbols};

/// Definitions, imports and uses of a file.
#[derive(Debug, Default)]
pub(super) struct Extracted {
    /// By position, outer before inner.
    pub(super) symbols: Vec<Symbol>,
    /// By line.
    pub(super) imports: Vec<Import>,
    /// By name, as stored.
    pub(super) uses: String,
}

/// Reads a parsed file.
pub(super) fn extract(language: Language, nodes: &Nodes<'_>, text: &str) -> Extracted {
    let (mut symbols, mut imports, mut uses) =
        (Symbols::new(text), Imports::new(language, text), References::new(text));
    nodes.matches(&mut |place, pattern, captures| match captures[..] {
        // Most matches by far are a name used.
        [(only, at)] if pattern.labels[only as usize] == Label::Reference => uses.add(nodes.node(at)),
        _ => {
            let nodes =
                captures.iter().map(|&(capture, at)| (pattern.labels[capture as usize], nodes.node(at)));
            add(Capture::new(place), nodes, &mut symbols, &mut imports);
        }
    });
    let symbols = symbols.finish();
    Extracted {
        imports: imports.finish(&symbols.modules),
        uses: uses.finish(&symbols.name_starts),
        symbols: symbols.found,
    }
}

/// Takes one match.
fn add<'t>(
    mut capture: Capture<'t>,
    nodes: impl Iterator<Item = (Label, Node<'t>)>,
    symbols: &mut Symbols<'_, 't>,
    imports: &mut Imports<'_>,
) {
    let mut inner: Option<Node<'t>> = None;
    let (mut from, mut taken): (Option<Node<'t>>, Option<Node<'t>>) = (None, None);
    for (label, node) in nodes {
        match label {
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
            Label::ImportArguments => imports.arguments(node),
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

//! Definitions of a file, from its syntax tree.

use std::borrow::Cow;
use std::collections::BTreeMap;

use tree_sitter::{Node, QueryCursor, StreamingIterator, Tree};

use crate::privacy::mask_secrets;

use super::language::Language;

/// Longest signature kept, characters.
const MAX_SIGNATURE_CHARS: usize = 200;

/// Bytes of a definition's head that are looked at: far more than a signature keeps, so that a secret at the signature's end
/// is seen whole.
const MAX_HEAD_BYTES: usize = 4_096;

/// One definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// Name as written.
    pub name: String,
    /// What it is: `function`, `method`, `class`, `struct`, `interface`, `trait`, `enum`, `union`, `type`, `constant`,
    /// `variable`, `module`, `macro`.
    pub kind: String,
    /// Name of the definition or `impl` block around it.
    pub parent: Option<String>,
    /// First line, 1-based. Decorators and an `export` belong to the definition.
    pub start_line: u32,
    /// Last line, 1-based, inclusive.
    pub end_line: u32,
    /// Its head up to the body, blanks folded, secrets masked, cut after 200 characters.
    pub signature: String,
}

/// A captured definition or scope before parents are known.
struct Capture<'t> {
    node: Node<'t>,
    name: String,
    owner: Option<String>,
    /// `None` for a scope.
    kind: Option<&'static str>,
    pattern: usize,
}

/// The definitions of a parsed file, by position (outer before inner).
pub(super) fn extract(language: Language, tree: &Tree, text: &str) -> Vec<Symbol> {
    let mut captures = captures(language, tree, text);
    captures.sort_by_key(|c| (c.node.start_byte(), std::cmp::Reverse(c.node.end_byte())));
    let mut open: Vec<(usize, String, bool)> = Vec::new();
    let mut out = Vec::new();
    for capture in captures {
        while open.last().is_some_and(|&(end, _, _)| end <= capture.node.start_byte()) {
            open.pop();
        }
        let around = open.last();
        let in_type = around.is_some_and(|&(_, _, is_type)| is_type);
        let parent = capture.owner.clone().or_else(|| around.map(|(_, name, _)| name.clone()));
        let is_type = capture
            .kind
            .is_none_or(|k| matches!(k, "class" | "trait" | "interface" | "struct" | "enum" | "union"));
        open.push((capture.node.end_byte(), capture.name.clone(), is_type));
        if let Some(kind) = capture.kind {
            out.push(symbol(&capture, kind, in_type, parent, text));
        }
    }
    out
}

fn symbol(
    capture: &Capture<'_>,
    kind: &'static str,
    in_type: bool,
    parent: Option<String>,
    text: &str,
) -> Symbol {
    let outer = outermost(capture.node);
    let kind = if kind == "function" && in_type { "method" } else { kind };
    Symbol {
        name: capture.name.clone(),
        kind: kind.to_owned(),
        parent,
        start_line: line(outer.start_position().row),
        end_line: line(last_row(outer)),
        signature: signature(outer, capture.node, text),
    }
}

/// Every match of the language's query; of several for one node, the first pattern's.
fn captures<'t>(language: Language, tree: &'t Tree, text: &str) -> Vec<Capture<'t>> {
    let query = &language.support().symbols;
    let names = query.capture_names();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
    let mut by_node: BTreeMap<(usize, usize, usize), Capture<'t>> = BTreeMap::new();
    while let Some(found) = matches.next() {
        let (mut node, mut name, mut owner, mut kind) = (None, None, None, None);
        for capture in found.captures() {
            let label = names[capture.index as usize];
            match label {
                "name" => name = Some(capture.node),
                "owner" => owner = text_of(capture.node, text),
                "scope" => node = Some(capture.node),
                _ => {
                    node = Some(capture.node);
                    kind = label.strip_prefix("symbol.");
                }
            }
        }
        let (Some(node), Some(name)) = (node, name) else { continue };
        let key = (node.start_byte(), node.end_byte(), name.start_byte());
        let Some(name) = text_of(name, text) else { continue };
        let capture = Capture { node, name, owner, kind, pattern: found.pattern_index };
        let kept = by_node.entry(key).or_insert_with(|| Capture { pattern: usize::MAX, ..capture.clone() });
        if capture.pattern < kept.pattern {
            *kept = capture;
        }
    }
    by_node.into_values().collect()
}

impl Clone for Capture<'_> {
    fn clone(&self) -> Self {
        Capture {
            node: self.node,
            name: self.name.clone(),
            owner: self.owner.clone(),
            kind: self.kind,
            pattern: self.pattern,
        }
    }
}

fn text_of(node: Node<'_>, text: &str) -> Option<String> {
    text.get(node.byte_range()).map(str::to_owned)
}

/// The node with what belongs to it syntactically: `export`, decorators, the declaration around a single declarator.
fn outermost(node: Node<'_>) -> Node<'_> {
    let mut outer = node;
    while let Some(parent) = outer.parent() {
        let wraps = match parent.kind() {
            "export_statement" | "decorated_definition" => true,
            "lexical_declaration"
            | "variable_declaration"
            | "type_declaration"
            | "const_declaration"
            | "var_declaration" => parent.named_child_count() == 1,
            "expression_statement" => parent.named_child_count() == 1,
            _ => false,
        };
        if !wraps {
            break;
        }
        outer = parent;
    }
    outer
}

/// The row of the node's last character: a node that ends at column 0 ends on the row before.
fn last_row(node: Node<'_>) -> usize {
    let end = node.end_position();
    if end.column == 0 && end.row > node.start_position().row { end.row - 1 } else { end.row }
}

fn line(row: usize) -> u32 {
    u32::try_from(row + 1).unwrap_or(u32::MAX)
}

/// The head without secrets: what the index stores is quoted later.
fn masked_head(head: &str) -> Cow<'_, str> {
    let mut end = head.len().min(MAX_HEAD_BYTES);
    while !head.is_char_boundary(end) {
        end -= 1;
    }
    if end == head.len() {
        return mask_secrets(head).text;
    }
    // A literal that the cut has torn must still be seen as one.
    let closed = format!("{}\"", &head[..end]);
    Cow::Owned(mask_secrets(&closed).text.into_owned())
}

fn signature(outer: Node<'_>, inner: Node<'_>, text: &str) -> String {
    let body = inner
        .child_by_field_name("body")
        .or_else(|| inner.child_by_field_name("value").and_then(|v| v.child_by_field_name("body")));
    let end = body.map_or_else(|| outer.end_byte(), |body| body.start_byte());
    let head = masked_head(text.get(outer.start_byte()..end).unwrap_or(""));
    let mut out = String::new();
    let mut chars = 0;
    for word in head.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
            chars += 1;
        }
        for c in word.chars() {
            if chars == MAX_SIGNATURE_CHARS {
                return out;
            }
            out.push(c);
            chars += 1;
        }
    }
    out
}

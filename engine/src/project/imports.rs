//! What a file names of other files, from its syntax tree.

use std::collections::BTreeSet;

use tree_sitter::{Node, QueryCursor, StreamingIterator, Tree};

use super::language::Language;

/// One import. For Python and Rust the specifier is a full path down to the name taken (`.pkg.mod.name`,
/// `crate::a::Name`); resolution takes the longest prefix that is a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// 1-based line.
    pub line: u32,
    /// What is named, in the language's own form.
    pub specifier: String,
}

/// The imports of a parsed file, by line, each specifier once a line.
pub(super) fn extract(language: Language, tree: &Tree, text: &str) -> Vec<Import> {
    let query = &language.support().imports;
    let names = query.capture_names();
    let mut cursor = QueryCursor::new();
    let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
    let mut out = BTreeSet::new();
    while let Some(found) = matches.next() {
        let mut from: Option<&str> = None;
        let mut name: Option<&str> = None;
        let mut row = 0;
        for capture in found.captures() {
            let node = capture.node;
            let slice = text.get(node.byte_range()).unwrap_or("");
            row = node.start_position().row;
            match names[capture.index as usize] {
                "source" => add(&mut out, row, slice.trim_matches(['"', '`'])),
                "module" => add(&mut out, row, &format!("self::{slice}")),
                "use" => expand_use(node, text, "", &mut |path| add(&mut out, row, path)),
                "from" => from = Some(slice),
                "name" => name = Some(slice),
                _ => {}
            }
        }
        if let Some(from) = from {
            add(&mut out, row, &join_python(from, name));
        }
    }
    out.into_iter().collect()
}

fn add(out: &mut BTreeSet<Import>, row: usize, specifier: &str) {
    let specifier: String = specifier.chars().filter(|c| !c.is_whitespace()).collect();
    if !specifier.is_empty() {
        out.insert(Import { line: u32::try_from(row + 1).unwrap_or(u32::MAX), specifier });
    }
}

fn join_python(from: &str, name: Option<&str>) -> String {
    match name {
        None => from.to_owned(),
        Some(name) if from.ends_with('.') => format!("{from}{name}"),
        Some(name) => format!("{from}.{name}"),
    }
}

/// Calls `sink` with every path of a Rust `use` tree.
fn expand_use(node: Node<'_>, text: &str, prefix: &str, sink: &mut impl FnMut(&str)) {
    let slice = |node: Node<'_>| text.get(node.byte_range()).unwrap_or("");
    let join = |path: &str| match (prefix.is_empty(), path) {
        (true, path) => path.to_owned(),
        (false, "self") => prefix.to_owned(),
        (false, path) => format!("{prefix}::{path}"),
    };
    match node.kind() {
        "use_list" => {
            let mut cursor = node.walk();
            for child in node.named_children(&mut cursor) {
                expand_use(child, text, prefix, sink);
            }
        }
        "scoped_use_list" => {
            let path = node.child_by_field_name("path").map_or_else(|| prefix.to_owned(), |p| join(slice(p)));
            if let Some(list) = node.child_by_field_name("list") {
                expand_use(list, text, &path, sink);
            }
        }
        "use_as_clause" => {
            if let Some(path) = node.child_by_field_name("path") {
                sink(&join(slice(path)));
            }
        }
        "use_wildcard" => sink(&join(slice(node).trim_end_matches('*').trim_end_matches(':'))),
        "line_comment" | "block_comment" => {}
        _ => sink(&join(slice(node))),
    }
}

//! What a file names of other files, from its syntax tree.

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::Node;

use crate::privacy::mask_secrets;

use super::language::Language;

/// One import. For Python and Rust the specifier is a full path down to the name taken (`.pkg.mod.name`,
/// `crate::a::Name`); resolution takes the longest prefix that is a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// 1-based line.
    pub line: u32,
    /// What is named, in the language's own form. An included file of C has its quotes or angle brackets.
    pub specifier: String,
}

/// Imports while a tree is walked, by line, each specifier once a line.
pub(super) struct Imports<'s> {
    language: Language,
    text: &'s str,
    found: BTreeSet<Import>,
    /// Modules whose file an attribute names.
    placed: BTreeSet<Import>,
    /// Paths of Rust from a parent module, and where they stand: a module within a file has the file for its parent.
    from_parent: Vec<(usize, Import)>,
}

impl<'s> Imports<'s> {
    pub(super) fn new(language: Language, text: &'s str) -> Imports<'s> {
        Imports { language, text, found: BTreeSet::new(), placed: BTreeSet::new(), from_parent: Vec::new() }
    }

    /// `modules` are the spans of modules within the file, by start, outer before inner.
    pub(super) fn finish(mut self, modules: &[Range<usize>]) -> Vec<Import> {
        self.from_parent.sort();
        let mut modules = modules.iter().peekable();
        let mut open: Vec<usize> = Vec::new();
        for (at, Import { line, specifier }) in self.from_parent {
            while let Some(module) = modules.next_if(|module| module.start <= at) {
                open.retain(|end| *end > module.start);
                open.push(module.end);
            }
            open.retain(|end| *end > at);
            let specifier = climb(&specifier, open.len());
            self.found.insert(Import { line, specifier });
        }
        self.found.difference(&self.placed).cloned().collect()
    }

    fn slice(&self, node: Node<'_>) -> &'s str {
        self.text.get(node.byte_range()).unwrap_or("")
    }

    fn add(&mut self, node: Node<'_>, specifier: &str) {
        self.add_at(node.start_position().row, specifier);
    }

    fn add_at(&mut self, row: usize, specifier: &str) {
        let import = import(row, specifier);
        if !import.specifier.is_empty() {
            self.found.insert(import);
        }
    }

    pub(super) fn source(&mut self, node: Node<'_>) {
        self.add(node, self.slice(node).trim_matches(['"', '`', '\'']));
    }

    /// Arguments of `require` and the like: the first, where it is a string and that alone.
    pub(super) fn arguments(&mut self, node: Node<'_>) {
        let text = self.slice(node).strip_prefix('(').unwrap_or("");
        let written = text.trim_start();
        let Some(quote) = written.chars().next().filter(|c| matches!(c, '"' | '\'')) else { return };
        let Some((specifier, rest)) = written[1..].split_once(quote) else { return };
        if rest.trim_start().starts_with([',', ')']) {
            let breaks = text[..text.len() - written.len()].matches('\n').count();
            self.add_at(node.start_position().row + breaks, specifier);
        }
    }

    pub(super) fn include(&mut self, node: Node<'_>) {
        self.add(node, self.slice(node));
    }

    pub(super) fn module(&mut self, node: Node<'_>) {
        self.add(node, &format!("self::{}", self.slice(node)));
    }

    /// A Rust module whose file an attribute names: a path relative to the importer's folder.
    pub(super) fn path(&mut self, node: Node<'_>) {
        self.add(node, &format!("./{}", self.slice(node)));
    }

    pub(super) fn placed(&mut self, node: Node<'_>) {
        self.placed.insert(import(node.start_position().row, &format!("self::{}", self.slice(node))));
    }

    pub(super) fn use_tree(&mut self, node: Node<'_>) {
        expand_use(node, self.text, &mut |path| {
            let import = import(node.start_position().row, path);
            match import.specifier.starts_with("super") {
                true => self.from_parent.push((node.start_byte(), import)),
                false => drop(self.found.insert(import)),
            }
        });
    }

    /// A Python module, or a name taken from it, which may be a module itself.
    pub(super) fn from(&mut self, from: Node<'_>, name: Option<Node<'_>>) {
        let module = self.slice(from);
        match name.map(|name| (name, self.slice(name))) {
            None => self.add(from, module),
            Some((node, name)) if module.ends_with('.') => self.add(node, &format!("{module}{name}")),
            Some((node, name)) => self.add(node, &format!("{module}.{name}")),
        }
    }

    /// A whole declaration: the name in it, without keywords, alias and end.
    pub(super) fn declaration(&mut self, node: Node<'_>) {
        let text = self.slice(node).trim_end_matches(';');
        let text = match self.language {
            // `using Alias = A.B.C;`
            Language::CSharp => text.rsplit('=').next().unwrap_or(text),
            _ => text.split(" as ").next().unwrap_or(text),
        };
        let keywords = ["import", "static", "global", "using", "unsafe"];
        let name: Vec<&str> = text.split_whitespace().filter(|word| !keywords.contains(word)).collect();
        self.add(node, &name.concat());
    }
}

fn import(row: usize, specifier: &str) -> Import {
    let line = u32::try_from(row + 1).unwrap_or(u32::MAX);
    // An address may hold a password.
    let specifier = mask_secrets(specifier).text;
    Import { line, specifier: specifier.chars().filter(|c| !c.is_whitespace()).collect() }
}

/// The path as the file's own module would write it: each `super` climbs out of one module within the file first.
fn climb(path: &str, depth: usize) -> String {
    let mut rest = path;
    for _ in 0..depth {
        match rest.strip_prefix("super::") {
            Some(inner) => rest = inner,
            None if rest == "super" => return "self".to_owned(),
            None => break,
        }
    }
    if rest.len() < path.len() && !rest.starts_with("super") {
        format!("self::{rest}")
    } else {
        rest.to_owned()
    }
}

/// Calls `sink` with every path of a Rust `use` tree.
fn expand_use(root: Node<'_>, text: &str, sink: &mut impl FnMut(&str)) {
    let mut open = vec![(root, String::new())];
    while let Some((node, prefix)) = open.pop() {
        let slice = |node: Node<'_>| text.get(node.byte_range()).unwrap_or("");
        let join = |path: &str| match (prefix.is_empty(), path) {
            (true, path) => path.to_owned(),
            (false, "self") => prefix.clone(),
            (false, path) => format!("{prefix}::{path}"),
        };
        match node.kind() {
            "use_list" => {
                let mut cursor = node.walk();
                open.extend(node.named_children(&mut cursor).map(|child| (child, prefix.clone())));
            }
            "scoped_use_list" => {
                let path =
                    node.child_by_field_name("path").map_or_else(|| prefix.clone(), |p| join(slice(p)));
                open.extend(node.child_by_field_name("list").map(|list| (list, path)));
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
}

#[cfg(test)]
mod tests {
    use super::super::extract::extract;
    use super::super::nodes::Nodes;
    use super::super::parse::parse;
    use super::*;

    #[test]
    fn arguments_name_a_module_where_the_first_is_a_string_and_that_alone() {
        let text = "require('a');\nimport(\n  \"b\",\n  c);\n\
                    require(\"d\" + e); require(f); require(''); require(g, 'h'); i('j');\n";
        for language in [Language::JavaScript, Language::TypeScript, Language::Tsx] {
            let support = language.support().unwrap();
            let tree = parse(support, text).unwrap();
            let nodes = Nodes::new(&tree, support, text).unwrap();
            let imports = extract(language, &nodes, text).imports;
            let found: Vec<(u32, &str)> = imports.iter().map(|i| (i.line, i.specifier.as_str())).collect();
            assert_eq!(found, [(1, "a"), (3, "b")], "{language:?}");
        }
    }

    #[test]
    fn super_climbs_out_of_modules_within_the_file_first() {
        let check = |path, depth, expected| assert_eq!(climb(path, depth), expected, "{path} {depth}");
        check("super::f", 0, "super::f");
        check("super::f", 1, "self::f");
        check("super::f", 2, "self::f");
        check("super::super::a::f", 1, "super::a::f");
        check("super", 1, "self");
        check("superb::f", 1, "superb::f");
    }
}

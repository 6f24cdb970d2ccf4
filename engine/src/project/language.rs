//! The languages that are parsed: grammar and queries of each.

use std::sync::OnceLock;

use tree_sitter::{Language as Grammar, Query};

use super::role::{base_name, extension};

/// A language with a grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Language {
    /// TypeScript without markup.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// JavaScript, JSX included.
    JavaScript,
    /// Python.
    Python,
    /// Go.
    Go,
    /// Rust.
    Rust,
}

/// A language's grammar and compiled queries.
pub(super) struct Support {
    pub(super) grammar: Grammar,
    pub(super) symbols: Query,
    pub(super) imports: Query,
}

/// Grammars and queries decide the rows: a change of either makes an index stale. Part of the index's fingerprint.
pub(super) const GRAMMARS: &str =
    "typescript 0.23.2, javascript 0.25.0, python 0.25.0, go 0.25.0, rust 0.24.2";

const JAVASCRIPT_SYMBOLS: &str = include_str!("languages/javascript/symbols.scm");
const JAVASCRIPT_IMPORTS: &str = include_str!("languages/javascript/imports.scm");
const TYPESCRIPT_SYMBOLS: &str = include_str!("languages/typescript/symbols.scm");
const TYPESCRIPT_IMPORTS: &str = include_str!("languages/typescript/imports.scm");
const PYTHON_SYMBOLS: &str = include_str!("languages/python/symbols.scm");
const PYTHON_IMPORTS: &str = include_str!("languages/python/imports.scm");
const GO_SYMBOLS: &str = include_str!("languages/go/symbols.scm");
const GO_IMPORTS: &str = include_str!("languages/go/imports.scm");
const RUST_SYMBOLS: &str = include_str!("languages/rust/symbols.scm");
const RUST_IMPORTS: &str = include_str!("languages/rust/imports.scm");

impl Language {
    /// Every language, in a fixed order.
    pub const ALL: [Language; 6] = [
        Language::TypeScript,
        Language::Tsx,
        Language::JavaScript,
        Language::Python,
        Language::Go,
        Language::Rust,
    ];

    /// The language of a path, by its extension.
    pub fn of_path(path: &str) -> Option<Language> {
        let name = base_name(path).to_ascii_lowercase();
        Some(match extension(&name)? {
            "ts" | "mts" | "cts" => Language::TypeScript,
            "tsx" => Language::Tsx,
            "js" | "jsx" | "mjs" | "cjs" => Language::JavaScript,
            "py" | "pyi" => Language::Python,
            "go" => Language::Go,
            "rs" => Language::Rust,
            _ => return None,
        })
    }

    /// The stable name in tables and reports.
    pub fn code(self) -> &'static str {
        match self {
            Language::TypeScript => "typescript",
            Language::Tsx => "tsx",
            Language::JavaScript => "javascript",
            Language::Python => "python",
            Language::Go => "go",
            Language::Rust => "rust",
        }
    }

    /// The language of a stable name.
    pub fn from_code(code: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.code() == code)
    }

    /// Whether the language is one of the JavaScript family, whose imports resolve alike.
    pub(super) fn is_script(self) -> bool {
        matches!(self, Language::TypeScript | Language::Tsx | Language::JavaScript)
    }

    /// Grammar and queries, compiled at first use.
    pub(super) fn support(self) -> &'static Support {
        static SUPPORT: [OnceLock<Support>; 6] = [const { OnceLock::new() }; 6];
        SUPPORT[self as usize].get_or_init(|| {
            self.compile().expect("the queries fit the pinned grammars; a test compiles all of them")
        })
    }

    fn compile(self) -> Result<Support, tree_sitter::QueryError> {
        let (grammar, symbols, imports): (Grammar, &[&str], &str) = match self {
            Language::TypeScript => (
                tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
                &[TYPESCRIPT_SYMBOLS],
                TYPESCRIPT_IMPORTS,
            ),
            Language::Tsx => {
                (tree_sitter_typescript::LANGUAGE_TSX.into(), &[TYPESCRIPT_SYMBOLS], TYPESCRIPT_IMPORTS)
            }
            Language::JavaScript => {
                (tree_sitter_javascript::LANGUAGE.into(), &[JAVASCRIPT_SYMBOLS], JAVASCRIPT_IMPORTS)
            }
            Language::Python => (tree_sitter_python::LANGUAGE.into(), &[PYTHON_SYMBOLS], PYTHON_IMPORTS),
            Language::Go => (tree_sitter_go::LANGUAGE.into(), &[GO_SYMBOLS], GO_IMPORTS),
            Language::Rust => (tree_sitter_rust::LANGUAGE.into(), &[RUST_SYMBOLS], RUST_IMPORTS),
        };
        Ok(Support {
            symbols: Query::new(&grammar, &symbols.concat())?,
            imports: Query::new(&grammar, imports)?,
            grammar,
        })
    }
}

/// The text of every query, in the order of [`Language::ALL`]: the fingerprint hashes it.
pub(super) fn query_texts() -> [&'static str; 10] {
    [
        TYPESCRIPT_SYMBOLS,
        TYPESCRIPT_IMPORTS,
        JAVASCRIPT_SYMBOLS,
        JAVASCRIPT_IMPORTS,
        PYTHON_SYMBOLS,
        PYTHON_IMPORTS,
        GO_SYMBOLS,
        GO_IMPORTS,
        RUST_SYMBOLS,
        RUST_IMPORTS,
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_query_compiles_against_its_grammar() {
        for language in Language::ALL {
            if let Err(error) = language.compile() {
                panic!("{}: {error}", language.code());
            }
        }
    }

    #[test]
    fn module_extensions_are_known() {
        assert_eq!(Language::of_path("a/b.mjs"), Some(Language::JavaScript));
        assert_eq!(Language::of_path("a/b.cts"), Some(Language::TypeScript));
        assert_eq!(Language::of_path("a/b.d.ts"), Some(Language::TypeScript));
        assert_eq!(Language::of_path("a/py"), None);
        assert_eq!(Language::of_path(".ts"), None);
    }
}

//! What is known of each language, a row each. Adding a language is a row, a variant and a folder of query files.

use tree_sitter::Language as Grammar;

use super::TestMark::{self, Prefix, Suffix};
use super::inert::Inert;
use super::{Comments, Language, Modules};

/// One language.
pub(super) struct Row {
    pub(super) language: Language,
    /// The stable name in tables and reports.
    pub(super) code: &'static str,
    /// Extensions and whole names of its files, lower-case.
    pub(super) extensions: &'static [&'static str],
    pub(super) names: &'static [&'static str],
    /// Programs that run its scripts, for files without an extension; version numbers left out.
    pub(super) interpreters: &'static [&'static str],
    /// `None` for a language whose text is read without one.
    pub(super) grammar: Option<fn() -> Grammar>,
    /// Crate and version of the grammar: part of the index's fingerprint.
    pub(super) grammar_version: &'static str,
    /// Texts of its query files, joined in this order.
    pub(super) queries: &'static [&'static str],
    /// What of its trees needn't be looked into.
    pub(super) inert: Inert,
    pub(super) comments: Comments,
    /// Names of tests beside the conventions that hold for every language (`a_test`, `test_a`, `a.test`, `a_spec`).
    pub(super) tests: &'static [TestMark],
    pub(super) modules: Modules,
}

const ALL_OPEN: Inert = Inert { closed: &[], plain: &[], marks: &[] };
const PLAIN_SCRIPT: &[&str] = &[
    "arguments",
    "array",
    "binary_expression",
    "member_expression",
    "object",
    "pair",
    "parenthesized_expression",
    "spread_element",
    "subscript_expression",
    "template_substitution",
    "ternary_expression",
    "unary_expression",
];
/// Calls, templates, decorators, functions and assignments, types and markup; and what may hold any byte: regular expressions
/// and comments.
const SCRIPT_MARKS: &[u8] = b"(`@=</";
const JAVASCRIPT: Inert = Inert { closed: &["string", "regex"], plain: PLAIN_SCRIPT, marks: SCRIPT_MARKS };
const TYPESCRIPT: Inert =
    Inert { closed: &["string", "regex", "predefined_type", "literal_type"], ..JAVASCRIPT };
const RUST: Inert = Inert {
    // What stands in a macro's arguments are tokens.
    closed: &["token_tree", "string_literal", "raw_string_literal", "line_comment", "block_comment"],
    plain: &[
        "arguments",
        "array_expression",
        "binary_expression",
        "field_expression",
        "index_expression",
        "parenthesized_expression",
        "reference_expression",
        "unary_expression",
    ],
    // Calls, types, closures; what ends an operand (`a? as B`); and what may hold any byte: comments, characters, and
    // strings in which a backslash is one.
    marks: b"(<|?/'#",
};

const C_LIKE: Comments = Comments { line: &["//"], block: Some(("/*", "*/")) };
const HASH: Comments = Comments { line: &["#"], block: None };
const RUBY: Comments = Comments { line: &["#"], block: Some(("=begin", "=end")) };
const PHP: Comments = Comments { line: &["//", "#"], block: Some(("/*", "*/")) };
const LUA: Comments = Comments { line: &["--"], block: Some(("--[[", "]]")) };
const SQL: Comments = Comments { line: &["--"], block: Some(("/*", "*/")) };
const MARKDOWN: Comments = Comments { line: &[], block: Some(("<!--", "-->")) };

const NO_TESTS: &[TestMark] = &[];
const CAMEL_TESTS: &[TestMark] = &[Suffix("Test"), Suffix("Tests")];
const JVM_TESTS: &[TestMark] =
    &[Suffix("Test"), Suffix("Tests"), Suffix("IT"), Suffix("Spec"), Prefix("Test")];

const BASH_SYMBOLS: &str = include_str!("queries/bash/symbols.scm");
const C_IMPORTS: &str = include_str!("queries/c/imports.scm");
const C_REFERENCES: &str = include_str!("queries/c/references.scm");
const C_SYMBOLS: &str = include_str!("queries/c/symbols.scm");
const CPP_IMPORTS: &str = include_str!("queries/cpp/imports.scm");
const CPP_REFERENCES: &str = include_str!("queries/cpp/references.scm");
const CPP_SYMBOLS: &str = include_str!("queries/cpp/symbols.scm");
const CSHARP_IMPORTS: &str = include_str!("queries/csharp/imports.scm");
const CSHARP_REFERENCES: &str = include_str!("queries/csharp/references.scm");
const CSHARP_SYMBOLS: &str = include_str!("queries/csharp/symbols.scm");
const DART_SYMBOLS: &str = include_str!("queries/dart/symbols.scm");
const ELIXIR_SYMBOLS: &str = include_str!("queries/elixir/symbols.scm");
const GO_IMPORTS: &str = include_str!("queries/go/imports.scm");
const GO_REFERENCES: &str = include_str!("queries/go/references.scm");
const GO_SYMBOLS: &str = include_str!("queries/go/symbols.scm");
const JAVA_IMPORTS: &str = include_str!("queries/java/imports.scm");
const JAVA_REFERENCES: &str = include_str!("queries/java/references.scm");
const JAVA_SYMBOLS: &str = include_str!("queries/java/symbols.scm");
const JAVASCRIPT_IMPORTS: &str = include_str!("queries/javascript/imports.scm");
const JAVASCRIPT_REFERENCES: &str = include_str!("queries/javascript/references.scm");
const JAVASCRIPT_SYMBOLS: &str = include_str!("queries/javascript/symbols.scm");
const KOTLIN_IMPORTS: &str = include_str!("queries/kotlin/imports.scm");
const KOTLIN_REFERENCES: &str = include_str!("queries/kotlin/references.scm");
const KOTLIN_SYMBOLS: &str = include_str!("queries/kotlin/symbols.scm");
const LUA_SYMBOLS: &str = include_str!("queries/lua/symbols.scm");
const PHP_SYMBOLS: &str = include_str!("queries/php/symbols.scm");
const PYTHON_IMPORTS: &str = include_str!("queries/python/imports.scm");
const PYTHON_REFERENCES: &str = include_str!("queries/python/references.scm");
const PYTHON_SYMBOLS: &str = include_str!("queries/python/symbols.scm");
const RUBY_SYMBOLS: &str = include_str!("queries/ruby/symbols.scm");
const RUST_IMPORTS: &str = include_str!("queries/rust/imports.scm");
const RUST_REFERENCES: &str = include_str!("queries/rust/references.scm");
const RUST_SYMBOLS: &str = include_str!("queries/rust/symbols.scm");
const SQL_SYMBOLS: &str = include_str!("queries/sql/symbols.scm");
const SWIFT_SYMBOLS: &str = include_str!("queries/swift/symbols.scm");
const TSX_REFERENCES: &str = include_str!("queries/tsx/references.scm");
const TYPESCRIPT_IMPORTS: &str = include_str!("queries/typescript/imports.scm");
const TYPESCRIPT_REFERENCES: &str = include_str!("queries/typescript/references.scm");
const TYPESCRIPT_SYMBOLS: &str = include_str!("queries/typescript/symbols.scm");

/// Every language, in the order of the variants.
pub(super) const ROWS: [Row; 20] = [
    Row {
        language: Language::TypeScript,
        code: "typescript",
        extensions: &["ts", "mts", "cts"],
        names: &[],
        interpreters: &[],
        grammar: Some(|| tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into()),
        grammar_version: "typescript 0.23.2",
        queries: &[TYPESCRIPT_SYMBOLS, TYPESCRIPT_IMPORTS, TYPESCRIPT_REFERENCES],
        inert: TYPESCRIPT,
        comments: C_LIKE,
        tests: NO_TESTS,
        modules: Modules::Script,
    },
    Row {
        language: Language::Tsx,
        code: "tsx",
        extensions: &["tsx"],
        names: &[],
        interpreters: &[],
        grammar: Some(|| tree_sitter_typescript::LANGUAGE_TSX.into()),
        grammar_version: "typescript 0.23.2",
        queries: &[TYPESCRIPT_SYMBOLS, TYPESCRIPT_IMPORTS, TYPESCRIPT_REFERENCES, TSX_REFERENCES],
        inert: TYPESCRIPT,
        comments: C_LIKE,
        tests: NO_TESTS,
        modules: Modules::Script,
    },
    Row {
        language: Language::JavaScript,
        code: "javascript",
        extensions: &["js", "jsx", "mjs", "cjs"],
        names: &[],
        interpreters: &["node", "deno", "bun"],
        grammar: Some(|| tree_sitter_javascript::LANGUAGE.into()),
        grammar_version: "javascript 0.25.0",
        queries: &[JAVASCRIPT_SYMBOLS, JAVASCRIPT_IMPORTS, JAVASCRIPT_REFERENCES],
        inert: JAVASCRIPT,
        comments: C_LIKE,
        tests: NO_TESTS,
        modules: Modules::Script,
    },
    Row {
        language: Language::Python,
        code: "python",
        extensions: &["py", "pyi"],
        names: &[],
        interpreters: &["python", "pypy"],
        grammar: Some(|| tree_sitter_python::LANGUAGE.into()),
        grammar_version: "python 0.25.0",
        queries: &[PYTHON_SYMBOLS, PYTHON_IMPORTS, PYTHON_REFERENCES],
        inert: ALL_OPEN,
        comments: HASH,
        tests: NO_TESTS,
        modules: Modules::Python,
    },
    Row {
        language: Language::Go,
        code: "go",
        extensions: &["go"],
        names: &[],
        interpreters: &[],
        grammar: Some(|| tree_sitter_go::LANGUAGE.into()),
        grammar_version: "go 0.25.0",
        queries: &[GO_SYMBOLS, GO_IMPORTS, GO_REFERENCES],
        inert: ALL_OPEN,
        comments: C_LIKE,
        tests: NO_TESTS,
        modules: Modules::Go,
    },
    Row {
        language: Language::Rust,
        code: "rust",
        extensions: &["rs"],
        names: &[],
        interpreters: &[],
        grammar: Some(|| tree_sitter_rust::LANGUAGE.into()),
        grammar_version: "rust 0.24.2",
        queries: &[RUST_SYMBOLS, RUST_IMPORTS, RUST_REFERENCES],
        inert: RUST,
        comments: C_LIKE,
        tests: NO_TESTS,
        modules: Modules::Rust,
    },
    Row {
        language: Language::Java,
        code: "java",
        extensions: &["java"],
        names: &[],
        interpreters: &[],
        grammar: Some(|| tree_sitter_java::LANGUAGE.into()),
        grammar_version: "java 0.23.5",
        queries: &[JAVA_SYMBOLS, JAVA_IMPORTS, JAVA_REFERENCES],
        inert: ALL_OPEN,
        comments: C_LIKE,
        tests: JVM_TESTS,
        modules: Modules::Jvm,
    },
    Row {
        language: Language::C,
        code: "c",
        extensions: &["c", "h"],
        names: &[],
        interpreters: &[],
        grammar: Some(|| tree_sitter_c::LANGUAGE.into()),
        grammar_version: "c 0.24.2",
        queries: &[C_SYMBOLS, C_IMPORTS, C_REFERENCES],
        inert: ALL_OPEN,
        comments: C_LIKE,
        tests: NO_TESTS,
        modules: Modules::Include,
    },
    Row {
        language: Language::Cpp,
        code: "cpp",
        extensions: &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "tpp", "cu", "cuh"],
        names: &[],
        interpreters: &[],
        grammar: Some(|| tree_sitter_cpp::LANGUAGE.into()),
        grammar_version: "cpp 0.23.4",
        queries: &[CPP_SYMBOLS, CPP_IMPORTS, CPP_REFERENCES],
        inert: ALL_OPEN,
        comments: C_LIKE,
        tests: CAMEL_TESTS,
        modules: Modules::Include,
    },
    Row {
        language: Language::CSharp,
        code: "csharp",
        extensions: &["cs", "csx"],
        names: &[],
        interpreters: &[],
        grammar: Some(|| tree_sitter_c_sharp::LANGUAGE.into()),
        grammar_version: "c-sharp 0.23.5",
        queries: &[CSHARP_SYMBOLS, CSHARP_IMPORTS, CSHARP_REFERENCES],
        inert: ALL_OPEN,
        comments: C_LIKE,
        tests: CAMEL_TESTS,
        modules: Modules::Namespace,
    },
    Row {
        language: Language::Kotlin,
        code: "kotlin",
        extensions: &["kt", "kts"],
        names: &[],
        interpreters: &[],
        grammar: Some(|| tree_sitter_kotlin_ng::LANGUAGE.into()),
        grammar_version: "kotlin-ng 1.1.0",
        queries: &[KOTLIN_SYMBOLS, KOTLIN_IMPORTS, KOTLIN_REFERENCES],
        inert: ALL_OPEN,
        comments: C_LIKE,
        tests: JVM_TESTS,
        modules: Modules::Jvm,
    },
    Row {
        language: Language::Swift,
        code: "swift",
        extensions: &["swift"],
        names: &[],
        interpreters: &[],
        grammar: Some(|| tree_sitter_swift::LANGUAGE.into()),
        grammar_version: "swift 0.7.4",
        queries: &[SWIFT_SYMBOLS],
        inert: ALL_OPEN,
        comments: C_LIKE,
        tests: CAMEL_TESTS,
        modules: Modules::None,
    },
    Row {
        language: Language::Dart,
        code: "dart",
        extensions: &["dart"],
        names: &[],
        interpreters: &[],
        grammar: Some(|| tree_sitter_dart::LANGUAGE.into()),
        grammar_version: "dart 0.3.0",
        queries: &[DART_SYMBOLS],
        inert: ALL_OPEN,
        comments: C_LIKE,
        tests: NO_TESTS,
        modules: Modules::None,
    },
    Row {
        language: Language::Ruby,
        code: "ruby",
        extensions: &["rb", "rake", "gemspec"],
        names: &["rakefile", "gemfile", "podfile", "vagrantfile"],
        interpreters: &["ruby"],
        grammar: Some(|| tree_sitter_ruby::LANGUAGE.into()),
        grammar_version: "ruby 0.23.1",
        queries: &[RUBY_SYMBOLS],
        inert: ALL_OPEN,
        comments: RUBY,
        tests: NO_TESTS,
        modules: Modules::None,
    },
    Row {
        language: Language::Php,
        code: "php",
        extensions: &["php", "phtml"],
        names: &[],
        interpreters: &["php"],
        grammar: Some(|| tree_sitter_php::LANGUAGE_PHP.into()),
        grammar_version: "php 0.25.1",
        queries: &[PHP_SYMBOLS],
        inert: ALL_OPEN,
        comments: PHP,
        tests: CAMEL_TESTS,
        modules: Modules::None,
    },
    Row {
        language: Language::Elixir,
        code: "elixir",
        extensions: &["ex", "exs"],
        names: &[],
        interpreters: &["elixir"],
        grammar: Some(|| tree_sitter_elixir::LANGUAGE.into()),
        grammar_version: "elixir 0.3.5",
        queries: &[ELIXIR_SYMBOLS],
        inert: ALL_OPEN,
        comments: HASH,
        tests: NO_TESTS,
        modules: Modules::None,
    },
    Row {
        language: Language::Lua,
        code: "lua",
        extensions: &["lua"],
        names: &[],
        interpreters: &["lua", "luajit"],
        grammar: Some(|| tree_sitter_lua::LANGUAGE.into()),
        grammar_version: "lua 0.5.0",
        queries: &[LUA_SYMBOLS],
        inert: ALL_OPEN,
        comments: LUA,
        tests: NO_TESTS,
        modules: Modules::None,
    },
    Row {
        language: Language::Sql,
        code: "sql",
        extensions: &["sql"],
        names: &[],
        interpreters: &[],
        grammar: Some(|| tree_sitter_sequel::LANGUAGE.into()),
        grammar_version: "sequel 0.3.11",
        queries: &[SQL_SYMBOLS],
        inert: ALL_OPEN,
        comments: SQL,
        tests: NO_TESTS,
        modules: Modules::None,
    },
    Row {
        language: Language::Markdown,
        code: "markdown",
        extensions: &["md", "markdown"],
        names: &[],
        interpreters: &[],
        grammar: None,
        grammar_version: "",
        queries: &[],
        inert: ALL_OPEN,
        comments: MARKDOWN,
        tests: NO_TESTS,
        modules: Modules::None,
    },
    Row {
        language: Language::Bash,
        code: "bash",
        extensions: &["sh", "bash", "zsh", "ksh"],
        names: &[".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".zprofile"],
        interpreters: &["sh", "bash", "zsh", "ksh", "dash"],
        grammar: Some(|| tree_sitter_bash::LANGUAGE.into()),
        grammar_version: "bash 0.25.1",
        queries: &[BASH_SYMBOLS],
        inert: ALL_OPEN,
        comments: HASH,
        tests: NO_TESTS,
        modules: Modules::None,
    },
];

/// Everything here that decides the rows of an index: grammars and query texts.
pub(in super::super) fn fingerprint_texts() -> impl Iterator<Item = &'static str> {
    ROWS.iter().flat_map(|row| [row.code, row.grammar_version].into_iter().chain(row.queries.iter().copied()))
}

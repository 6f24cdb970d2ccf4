//! The languages that are parsed. What is known of each is a row of [`table`]; how its text is read are the query files below
//! `queries/`, one folder a language.

mod inert;
mod kinds;
mod pattern;
mod query;
mod table;

use std::sync::OnceLock;

use super::role::{base_name, extension};
pub(super) use kinds::Facts;
pub(super) use pattern::{Kind, Part, Pattern, Step};
#[cfg(test)]
pub(super) use query::label;
pub(super) use query::{Label, Support};
use table::ROWS;
pub(super) use table::fingerprint_texts;

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
    /// Java.
    Java,
    /// C.
    C,
    /// C++.
    Cpp,
    /// C#.
    CSharp,
    /// Kotlin.
    Kotlin,
    /// Swift.
    Swift,
    /// Dart.
    Dart,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Elixir.
    Elixir,
    /// Lua.
    Lua,
    /// SQL, of whatever dialect.
    Sql,
    /// Markdown: its headings.
    Markdown,
    /// Shell scripts.
    Bash,
}

/// How a language writes comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comments {
    /// What begins a comment that ends with the line.
    pub line: &'static [&'static str],
    /// What begins and ends a comment of several lines.
    pub block: Option<(&'static str, &'static str)>,
}

/// A mark in the name of a test, letter case counted, extension left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TestMark {
    Prefix(&'static str),
    Suffix(&'static str),
}

impl TestMark {
    /// What is left of a stem without the mark; `None` where it bears none. `Latest` doesn't end in the word `Test`.
    pub(super) fn strip(self, stem: &str) -> Option<&str> {
        match self {
            TestMark::Suffix(mark) => stem.strip_suffix(mark),
            TestMark::Prefix(mark) => {
                stem.strip_prefix(mark).filter(|rest| rest.starts_with(|c: char| c.is_uppercase()))
            }
        }
    }
}

/// How a language's imports name files of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Modules {
    /// Paths and package names of the JavaScript family.
    Script,
    /// Dotted modules of Python.
    Python,
    /// Import paths below Go modules.
    Go,
    /// Paths of crates and modules.
    Rust,
    /// Qualified names that follow folders: Java, Kotlin.
    Jvm,
    /// Files included by C and C++.
    Include,
    /// Namespaces of C#, which don't follow folders.
    Namespace,
    /// Imports aren't read.
    None,
}

impl Language {
    /// Every language, in a fixed order.
    pub const ALL: [Language; ROWS.len()] = {
        let mut all = [Language::TypeScript; ROWS.len()];
        let mut at = 0;
        while at < ROWS.len() {
            all[at] = ROWS[at].language;
            at += 1;
        }
        all
    };

    /// The language of a path, by its extension or its name.
    pub fn of_path(path: &str) -> Option<Language> {
        let name = base_name(path).to_ascii_lowercase();
        let extension = extension(&name);
        let row = ROWS.iter().find(|row| {
            extension.is_some_and(|e| row.extensions.contains(&e)) || row.names.contains(&name.as_str())
        });
        row.map(|row| row.language)
    }

    /// The language of a file: by its path; where that leaves it open, by its text. A header is C++ only if it says something
    /// that C can't, and a script without an extension is what its first line says.
    pub fn of(path: &str, text: &str) -> Option<Language> {
        match Language::of_path(path) {
            Some(Language::C) if path.ends_with('h') && is_cpp_header(text) => Some(Language::Cpp),
            None if extension(base_name(path)).is_none() => of_interpreter(text),
            found => found,
        }
    }

    /// The stable name in tables and reports.
    pub fn code(self) -> &'static str {
        self.row().code
    }

    /// The language of a stable name.
    pub fn from_code(code: &str) -> Option<Language> {
        Language::ALL.into_iter().find(|language| language.code() == code)
    }

    /// How it writes comments.
    pub fn comments(self) -> Comments {
        self.row().comments
    }

    /// Whether its files are documents: indexed as such, never as program text.
    pub(super) fn is_document(self) -> bool {
        self == Language::Markdown
    }

    pub(super) fn test_marks(self) -> &'static [TestMark] {
        self.row().tests
    }

    pub(super) fn modules(self) -> Modules {
        self.row().modules
    }

    /// Grammar and query, compiled at first use; `None` for a language that is read without a grammar.
    pub(super) fn support(self) -> Option<&'static Support> {
        static SUPPORT: [OnceLock<Support>; ROWS.len()] = [const { OnceLock::new() }; ROWS.len()];
        let row = self.row();
        let grammar = row.grammar?;
        Some(SUPPORT[self as usize].get_or_init(|| {
            Support::compile(self, grammar(), row)
                .expect("the queries fit the pinned grammars; a test compiles all of them")
        }))
    }

    fn row(self) -> &'static table::Row {
        &ROWS[self as usize]
    }
}

/// Texts of a language's query files.
#[cfg(test)]
pub(super) fn query_texts(language: Language) -> &'static [&'static str] {
    language.row().queries
}

/// Lines of a header that are looked at.
const HEADER_LINES: usize = 400;

fn is_cpp_header(text: &str) -> bool {
    text.lines().take(HEADER_LINES).map(str::trim_start).any(|line| {
        ["class ", "namespace ", "template ", "template<", "using ", "public:", "private:", "protected:"]
            .iter()
            .any(|start| line.starts_with(start))
            || line.contains("std::")
            || (line.starts_with("#include <") && !line.contains('.') && line.contains('>'))
    })
}

/// The language of a script by the interpreter that its first line names.
fn of_interpreter(text: &str) -> Option<Language> {
    let line = text.lines().next()?.strip_prefix("#!")?;
    let mut words = line.split_whitespace();
    let program = base_name(words.next()?);
    let program = if program == "env" { words.find(|word| !word.starts_with('-'))? } else { program };
    let program = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    ROWS.iter().find(|row| row.interpreters.contains(&program)).map(|row| row.language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_the_languages_and_bear_distinct_names() {
        for (at, language) in Language::ALL.into_iter().enumerate() {
            assert_eq!(language as usize, at, "{language:?}");
            assert_eq!(Language::from_code(language.code()), Some(language));
        }
        let claims = |row: &table::Row| row.extensions.iter().chain(row.names).copied().collect::<Vec<_>>();
        let mut all: Vec<&str> = ROWS.iter().flat_map(claims).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "no extension belongs to two languages");
    }

    #[test]
    fn every_query_compiles_against_its_grammar() {
        for language in Language::ALL {
            let row = language.row();
            let compiled = row.grammar.map(|grammar| Support::compile(language, grammar(), row));
            if let Some(Err(error)) = compiled {
                panic!("{}: {error}", language.code());
            }
        }
    }

    #[test]
    fn a_path_tells_the_language() {
        let check = |path, expected| assert_eq!(Language::of_path(path), expected, "{path}");
        check("a/b.mjs", Some(Language::JavaScript));
        check("a/b.cts", Some(Language::TypeScript));
        check("a/b.d.ts", Some(Language::TypeScript));
        check("a/B.CS", Some(Language::CSharp));
        check("a/Rakefile", Some(Language::Ruby));
        check("a/.bashrc", Some(Language::Bash));
        check("a/py", None);
        check(".ts", None);
    }

    #[test]
    fn text_tells_where_a_path_leaves_it_open() {
        let check = |path, text, expected| assert_eq!(Language::of(path, text), expected, "{path} {text}");
        check("a.h", "struct a { int x; };\n", Some(Language::C));
        check("a.h", "namespace n {\nclass A {};\n}\n", Some(Language::Cpp));
        check("a.h", "#include <vector>\n", Some(Language::Cpp));
        check("bin/run", "#!/usr/bin/env bash\n", Some(Language::Bash));
        check("bin/run", "#!/usr/bin/env -S python3.12 -u\n", Some(Language::Python));
        check("bin/run", "#!/usr/bin/perl\n", None);
        check("README", "# no script\n", None);
    }
}

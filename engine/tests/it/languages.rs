//! What is read of each language, from one small file of it, whole and cut off in the middle of an edit.

use std::fmt::Write;

use engine::project::{Index, Language};
use proptest::prelude::*;

use crate::fixture::Project;

/// Symbols of a file, one a line.
fn outline(index: &Index, path: &str) -> String {
    let view = index.view().unwrap();
    let file = view.files.iter().find(|f| f.path == path).unwrap();
    let mut out = String::new();
    for s in &file.symbols {
        let parent = s.parent.as_ref().map(|p| format!(" in {p}")).unwrap_or_default();
        writeln!(out, "{}-{} {} {}{parent} | {}", s.start_line, s.end_line, s.kind, s.name, s.signature)
            .unwrap();
    }
    out
}

/// What a query says of the stored rows, a line each.
fn stored(project: &Project, query: &str) -> String {
    let db = rusqlite::Connection::open(project.state().join(engine::project::DATABASE_FILE)).unwrap();
    let mut statement = db.prepare(query).unwrap();
    let rows = statement.query_map([], |r| r.get::<_, String>(0)).unwrap();
    rows.map(|row| row.unwrap() + "\n").collect()
}

fn check(language: Language, extension: &str, text: &str) {
    // An edit that is under way: the file ends in the middle of a line.
    let cut = text.char_indices().nth(text.chars().count() * 2 / 3).unwrap().0;
    for (state, text) in [("whole", text), ("damaged", &text[..cut])] {
        let project = Project::new("");
        let path = format!("file.{extension}");
        project.write(&path, text);
        let mut index = project.open(&[]);
        let report = index.refresh(&project.root()).unwrap();
        let mut out = outline(&index, &path);
        assert!(report.without_tree.is_empty(), "{language:?} {state}: {:?}", report.without_tree);
        out +=
            &stored(&project, "SELECT 'imports ' || line || ' ' || specifier FROM imports ORDER BY ordinal");
        out +=
            &stored(&project, "SELECT 'uses ' || replace(trim(names, char(10)), char(10), ', ') FROM uses");
        assert_eq!(index.view().unwrap().files[0].language, Some(language));
        insta::assert_snapshot!(format!("{}_{state}", language.code()), out);
    }
}

macro_rules! languages {
    ($($test:ident $language:ident $extension:literal)*) => {
        $(
            #[test]
            fn $test() {
                check(Language::$language, $extension, include_str!(concat!("sources/whole.", $extension)));
            }
        )*

        /// Languages and the extension of their source.
        const SOURCES: [(Language, &str); Language::ALL.len()] = [$((Language::$language, $extension)),*];
    };
}

languages! {
    typescript TypeScript "ts"
    tsx Tsx "tsx"
    javascript JavaScript "js"
    python Python "py"
    go Go "go"
    rust Rust "rs"
    java Java "java"
    c C "c"
    cpp Cpp "cpp"
    csharp CSharp "cs"
    kotlin Kotlin "kt"
    swift Swift "swift"
    dart Dart "dart"
    ruby Ruby "rb"
    php Php "php"
    elixir Elixir "ex"
    lua Lua "lua"
    sql Sql "sql"
    markdown Markdown "md"
    bash Bash "sh"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_text_is_read_in_every_language(text in "(?s)(.{0,20}|[\\[\\](){}<>\"'`#:;=.,a-z \n]{0,60}|class A|fn f\\(|def |import a.b){0,12}") {
        let project = Project::new("");
        for language in Language::ALL {
            let row = SOURCES.iter().find(|(known, _)| *known == language).unwrap();
            project.write(&format!("{}.{}", language.code(), row.1), &text);
        }
        let index = project.index();
        let lines = u32::try_from(text.lines().count()).unwrap().max(1);
        for file in &index.view().unwrap().files {
            for symbol in &file.symbols {
                prop_assert!(1 <= symbol.start_line && symbol.start_line <= symbol.end_line, "{symbol:?}");
                prop_assert!(symbol.end_line <= lines, "{symbol:?} of {lines} lines in {}", file.path);
                prop_assert!(symbol.signature.chars().count() <= 200);
            }
        }
    }
}

//! What is read of each language, from one small file of it, whole and cut off in the middle of an edit.

use std::fmt::Write;

use engine::project::{Index, Language};

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

        #[test]
        fn every_language_has_a_source() {
            let mut tested = [$(Language::$language),*];
            tested.sort_unstable();
            assert_eq!(tested, Language::ALL);
        }
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

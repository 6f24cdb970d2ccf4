//! Queries and files that nobody means well with: no crash, no hang, the right thing left out, and a reason.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;

use engine::plan::Confidence;
use engine::project::{Index, Language, Limits, Role, SkipReason};
use engine::retrieve::{PackBudget, pack, search};
use engine::tokens::ByteClass;

use crate::fixture::{Project, paths, policy};

const LEDGER: &str = "\
//- src/ledger.py
def close_year(book, year):
    return book.closed + [year]
//- src/report.py
from src.ledger import close_year
//- README.md
# Books
";

/// Whether tests that take minutes were asked for; says on standard error where they weren't.
fn large(what: &str) -> bool {
    let asked = std::env::var_os("SLUICE_LARGE").is_some();
    if !asked {
        // Past the capture of test output: a skipped test must be seen.
        writeln!(std::io::stderr(), "skipped: {what}: set SLUICE_LARGE=1").expect("standard error is open");
    }
    asked
}

#[test]
fn hostile_queries_find_what_their_words_name_or_nothing() {
    let project = Project::new(LEDGER);
    let index = project.index();
    let named = [
        "\"close_year\" AND (book OR NEAR(closed year, 3)) NOT body:x*",
        "path:ledger* OR defs:\"close_year\" ^close_year -- '; DROP TABLE files;",
        "close_year\u{0}\u{0} close_year",
        "\u{202e}close_year\u{202c} \u{200f}",
        "`close_year` \"\"\" ''' \\ %s {} [[[ (((",
        "\u{feff}close_year\u{2028}\u{2029}\u{85}",
        &format!("close_year {}", "x".repeat(100_000)),
        &format!("close_year {}", "( AND ".repeat(20_000)),
        &format!("close_year {}", "a1 ".repeat(40_000)),
        &format!("close_year {}", "`".repeat(100_000)),
        &format!("close_year {}", "a/".repeat(50_000)),
        &format!("close_year: {}", "e\u{301}".repeat(30_000)),
    ];
    let empty = [
        "",
        " \t\r\n",
        "\u{0}",
        "the of and to in",
        "\"\"",
        "* ^ - + ~ : ( ) { } [ ]",
        "\u{202e}\u{202d}\u{2066}",
        "שלום עולם مرحبا",
        "🦀🦀🦀 \u{1f468}\u{200d}\u{1f469}",
        &"\u{0}".repeat(100_000),
        &"AND OR NOT NEAR ".repeat(8_000),
    ];
    let budget = PackBudget::tokens(300);
    let counter = ByteClass;
    for (queries, wanted) in [(&named[..], Some("src/ledger.py")), (&empty[..], None)] {
        for query in queries {
            let head: String = query.chars().take(60).collect();
            let found = search(&index, query, 10).unwrap();
            assert_eq!(found.hits.first().map(|hit| hit.path.as_str()), wanted, "{head:?}");
            assert_eq!(found.confidence == Confidence::None, wanted.is_none(), "{head:?}");
            assert_eq!(search(&index, query, 10).unwrap(), found, "{head:?}");
            let packed = pack(&index, query, budget, &[], &counter).unwrap();
            assert!(packed.tokens <= 300, "{head:?}");
        }
    }
}

/// What a person's tree may hold beside program text: each is left out with its reason or indexed for what it is.
#[cfg(unix)]
#[test]
fn files_that_are_no_program_text_are_left_out_with_a_reason_or_read_for_what_they_are() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;

    let project = Project::new(LEDGER);
    let root = project.root();
    fs::File::create(root.join("disk.py")).unwrap().set_len(50 << 20).unwrap();
    project.write("bundle.js", format!("var a={};\n", "f(1),".repeat(40_000)));
    project.write("photo.py", [0x89, b'P', b'N', b'G', 0, 0, 1, 2]);
    project.write("latin.py", b"def caf\xe9():\n    return close_year\n\xff\xfe\xfd\n");
    project.write("half.py", b"def tail():\n    return '\xf0\x9f\xa6");
    fs::write(root.join(std::ffi::OsStr::from_bytes(b"na\xffme.py")), "x = 1\n").unwrap();
    symlink(&root, root.join("loop")).unwrap();
    symlink("self.py", root.join("self.py")).unwrap();
    symlink("b", root.join("a")).unwrap();
    symlink("a", root.join("b")).unwrap();
    symlink("/dev/zero", root.join("endless.py")).unwrap();
    let fifo = std::process::Command::new("mkfifo").arg(root.join("pipe.py")).status();
    assert!(fifo.unwrap().success());

    let mut index = Index::in_memory(policy(&[])).unwrap();
    let report = index.refresh(&root).unwrap();
    assert_eq!(
        paths(&index),
        ["README.md", "bundle.js", "half.py", "latin.py", "src/ledger.py", "src/report.py"]
    );
    let skipped: Vec<_> = report.skipped.iter().map(|s| (s.path.as_str(), s.reason)).collect();
    assert_eq!(
        skipped,
        [
            ("disk.py", SkipReason::TooLarge),
            ("na\u{fffd}me.py", SkipReason::NotUnicode),
            ("photo.py", SkipReason::Binary),
        ]
    );
    let role = |path: &str| index.view().unwrap().files.iter().find(|f| f.path == path).unwrap().role;
    assert_eq!((role("bundle.js"), role("latin.py")), (Role::Generated, Role::Source));
    let found = search(&index, "close_year", 10).unwrap();
    assert!(found.hits.iter().any(|hit| hit.path == "latin.py"));
    assert_eq!(index.refresh(&root).unwrap().changed, 0);
}

/// Text that parsers, the redactor and the splitter of words find hard, as large as a file that is read may be, in every
/// language. What takes too many steps goes on without a tree; none takes the index down.
#[test]
fn text_that_is_hard_to_parse_is_indexed_by_its_words() {
    let size = if large("hard text of a megabyte in every language") { 1 << 20 } else { 8_000 };
    let mut hard: Vec<(String, String)> = Vec::new();
    for (name, unit) in [
        ("brackets", "(["),
        ("braces", "{"),
        ("closers", ")}"),
        ("quotes", "\"'"),
        ("backticks", "`${"),
        ("comments", "/*"),
        ("angles", "a<"),
        ("heredocs", "<<A\n"),
        ("dots", "a."),
        ("operators", "a+"),
        ("ifs", "if a then "),
        ("elses", "else if (a) "),
        ("indents", "if a:\n "),
        ("arrows", "a=>"),
        ("labels", "a:b "),
        ("heads", "while (a) b c "),
        ("cases", "case 1: "),
        ("calls", "for (;;) a b "),
        ("templates", "<a>"),
        ("backslashes", "\\\n"),
        ("hashes", "#"),
        ("headings", "# a\n"),
        ("equals", "=== "),
        ("fences", "```\n"),
        ("pairs", "KEY=\""),
        ("digits", "0x1"),
        ("letters", "x"),
        ("capitals", "aB"),
        ("accents", "e\u{301}"),
        ("lines", "\n"),
        ("returns", "\r"),
    ] {
        hard.push((name.to_owned(), unit.repeat(size / unit.len())));
    }
    let project = Project::new(LEDGER);
    let extensions = [
        "ts", "tsx", "js", "py", "go", "rs", "java", "c", "cpp", "cs", "kt", "swift", "dart", "rb", "php",
        "ex", "lua", "sql", "md", "sh",
    ];
    let languages: BTreeSet<_> = extensions.iter().map(|e| Language::of_path(&format!("a.{e}"))).collect();
    assert_eq!(languages, Language::ALL.into_iter().map(Some).collect());
    // Larger documents are left out.
    let limit = usize::try_from(Limits::default().max_other_bytes).unwrap();
    for extension in extensions {
        for (name, text) in &hard {
            let end = if extension == "md" { text.floor_char_boundary(limit) } else { text.len() };
            project.write(&format!("{extension}/{name}.{extension}"), &text[..end]);
        }
    }
    let index = project.index();
    let files = index.view().unwrap().files.len();
    assert_eq!(files, 3 + Language::ALL.len() * hard.len());
    let found = search(&index, "close_year", 3).unwrap();
    assert_eq!(found.hits[0].path, "src/ledger.py");
}

#[test]
fn a_tree_of_a_hundred_thousand_files_is_indexed_and_searched() {
    if !large("a tree of 100,000 files") {
        return;
    }
    let project = Project::new(LEDGER);
    for folder in 0..1000 {
        let folder = project.root().join(format!("gen/{:02}/{folder:03}", folder % 40));
        fs::create_dir_all(&folder).unwrap();
        for file in 0..100 {
            fs::write(folder.join(format!("m{file}.py")), format!("def f{file}():\n    return {file}\n"))
                .unwrap();
        }
    }
    let mut index = project.open(&[]);
    let report = index.refresh(&project.root()).unwrap();
    assert_eq!((report.files, report.skipped.len()), (100_003, 0));
    assert_eq!(index.refresh(&project.root()).unwrap().changed, 0);
    let found = search(&index, "close_year of the book", 5).unwrap();
    assert_eq!(found.hits[0].path, "src/ledger.py");
}

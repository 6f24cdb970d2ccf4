use shipyard::manifest::split_list;
use shipyard::{Error, Manifest};

const YARD: &str = "# harbor
[yard]
name = harbor
[package core]
version = 1.4.0   # released in May
sources = core/**/*.ts, !core/**/*.test.ts,
takes = 1m30s
[package app]
version = 0.1.0
uses = core
requires = theme ^2.1 || ^3.0, router
";

fn error(text: &str) -> String {
    Manifest::parse(text, "yard").expect_err(text).to_string()
}

#[test]
fn fields_are_read() {
    let manifest = Manifest::parse(YARD, "yard").expect("valid");
    let core = manifest.package("core").expect("core");
    assert_eq!(core.sources, ["core/**/*.ts", "!core/**/*.test.ts"]);
    assert_eq!(core.takes.as_secs(), 90);
    let ranges: Vec<String> = manifest
        .requirements()
        .map(|(_, requirement)| requirement.range.to_string())
        .collect();
    assert_eq!(ranges, ["^2.1 || ^3.0", "*"]);
}

#[test]
fn errors_have_a_line() {
    assert_eq!(error("name = x\n"), "yard:1: field before any section");
    assert_eq!(
        error("[package a]\nversion = 1\n"),
        "yard:2: not a version: '1'"
    );
    assert_eq!(
        error("[package a]\ncommand = x\n"),
        "yard:1: 'a' has no version"
    );
    assert_eq!(
        error("[package a]\nversion = 1.0.0\nspeed = 3\n"),
        "yard:3: unknown field 'speed'"
    );
    assert_eq!(
        error("[package A]\n"),
        "yard:1: unknown section '[package A]'"
    );
    let twice = "[package a]\nversion = 1.0.0\nversion = 1.0.0\n";
    assert_eq!(error(twice), "yard:3: second 'version'");
    let bad = "[package a]\nversion = 1.0.0\nsources = a/../b\n";
    assert_eq!(
        error(bad),
        "yard:3: glob 'a/../b': '.' and '..' aren't allowed"
    );
}

#[test]
fn references_must_exist() {
    let text = "[package a]\nversion = 1.0.0\nafter = b\n";
    let unknown = Error::UnknownPackage {
        name: "b".into(),
        wanted_by: "'a' (yard:1)".into(),
    };
    assert_eq!(Manifest::parse(text, "yard"), Err(unknown));
}

#[test]
fn lists() {
    assert_eq!(split_list(" a ,b,, c,"), ["a", "b", "c"]);
    assert!(split_list("  ").is_empty());
}

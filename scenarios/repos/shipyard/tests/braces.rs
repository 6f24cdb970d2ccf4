//! Alternatives in globs, see docs/manifest.md.

use shipyard::fileset::FileSet;
use shipyard::glob::Glob;
use shipyard::manifest::split_list;
use shipyard::tree::Tree;
use shipyard::{Error, Manifest};

fn fits(pattern: &str, path: &str) -> bool {
    Glob::new(pattern).expect(pattern).matches(path)
}

fn reason(pattern: &str) -> String {
    match Glob::new(pattern) {
        Err(Error::Glob { reason, .. }) => reason,
        other => panic!("{pattern}: {other:?}"),
    }
}

#[test]
fn either_text_fits() {
    assert!(fits("src/**/*.{ts,tsx}", "src/a/b.ts"));
    assert!(fits("src/**/*.{ts,tsx}", "src/a/b.tsx"));
    assert!(!fits("src/**/*.{ts,tsx}", "src/a/b.css"));
}

#[test]
fn several_groups_combine() {
    for path in ["src/a.ts", "lib/a.ts", "src/a.css", "lib/a.css"] {
        assert!(fits("{src,lib}/*.{ts,css}", path), "{path}");
    }
    assert!(!fits("{src,lib}/*.{ts,css}", "test/a.ts"));
}

#[test]
fn braces_in_lists() {
    let entries = ["src/**/*.{ts,tsx}", "!src/**/*.{test,spec}.ts"];
    assert_eq!(
        split_list("src/**/*.{ts,tsx}, !src/**/*.{test,spec}.ts,"),
        entries
    );
    assert_eq!(split_list("a,b"), ["a", "b"]);
}

#[test]
fn a_yard_with_braces() {
    let yard = "[package ui]\nversion = 1.0.0\nsources = ui/*.{ts,tsx}, !ui/*.{test,spec}.ts\n";
    let manifest = Manifest::parse(yard, "yard").expect("valid");
    let set = FileSet::new(&manifest.package("ui").expect("ui").sources).expect("globs");
    let tree = Tree::from_contents([("ui/a.ts", ""), ("ui/a.spec.ts", ""), ("ui/b.tsx", "")]);
    let paths: Vec<&str> = set
        .select(&tree)
        .into_iter()
        .map(|(path, _)| path)
        .collect();
    assert_eq!(paths, ["ui/a.ts", "ui/b.tsx"]);
}

#[test]
fn broken_braces_are_errors() {
    assert_eq!(reason("src/{a,b"), "unclosed {");
    assert_eq!(reason("src/a}"), "unexpected }");
    assert_eq!(reason("{a,{b,c}}"), "nested {");
}

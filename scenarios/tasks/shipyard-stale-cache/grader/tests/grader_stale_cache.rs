use std::collections::BTreeMap;

use shipyard::Manifest;
use shipyard::cachekey::{self, Keys};
use shipyard::graph::Graph;
use shipyard::tree::Tree;

/// Sections in the given order: (name, lines besides the version and the sources).
fn yard(sections: &[(&str, &str)]) -> String {
    sections
        .iter()
        .map(|(name, rest)| {
            format!("[package {name}]\nversion = 1.0.0\nsources = {name}/\n{rest}\n")
        })
        .collect()
}

fn keys(yard: &str, touched: &[&str]) -> Keys {
    let manifest = Manifest::parse(yard, "yard").expect("valid");
    let graph = Graph::new(&manifest).expect("no cycle");
    let files: BTreeMap<String, &str> = manifest
        .names()
        .map(|name| {
            (
                format!("{name}/file"),
                if touched.contains(&name) {
                    "new"
                } else {
                    "old"
                },
            )
        })
        .collect();
    let tree = Tree::from_contents(
        files
            .iter()
            .map(|(path, content)| (path.as_str(), *content)),
    );
    cachekey::compute(&manifest, &graph, &tree).expect("keys")
}

fn changed(yard: &str, touched: &str) -> Vec<String> {
    let (before, after) = (keys(yard, &[]), keys(yard, &[touched]));
    cachekey::changed(&before, &after)
        .into_iter()
        .map(str::to_string)
        .collect()
}

#[test]
fn a_long_chain_whatever_the_names() {
    let up = yard(&[
        ("a", ""),
        ("b", "uses = a"),
        ("c", "uses = b"),
        ("d", "uses = c"),
        ("e", "uses = d"),
        ("f", "uses = e"),
        ("g", "uses = f"),
    ]);
    assert_eq!(changed(&up, "a"), ["a", "b", "c", "d", "e", "f", "g"]);
    assert_eq!(changed(&up, "e"), ["e", "f", "g"]);
    let down = yard(&[
        ("a", "uses = b"),
        ("b", "uses = c"),
        ("c", "uses = d"),
        ("d", "uses = e"),
        ("e", "uses = f"),
        ("f", ""),
    ]);
    assert_eq!(changed(&down, "f"), ["a", "b", "c", "d", "e", "f"]);
    assert_eq!(changed(&down, "a"), ["a"]);
}

const FORK: [(&str, &str); 6] = [
    ("base", ""),
    ("left", "uses = base"),
    ("right", "uses = base"),
    ("top", "uses = left, right"),
    ("roof", "uses = top"),
    ("shed", ""),
];

#[test]
fn a_diamond_and_a_bystander() {
    assert_eq!(
        changed(&yard(&FORK), "base"),
        ["base", "left", "right", "roof", "top"]
    );
    assert_eq!(changed(&yard(&FORK), "left"), ["left", "roof", "top"]);
    assert_eq!(changed(&yard(&FORK), "shed"), ["shed"]);
}

#[test]
fn waiting_is_not_using() {
    let text = yard(&[
        ("lint", ""),
        ("core", "after = lint"),
        ("ui", "uses = core"),
        ("app", "uses = ui\nafter = docs"),
        ("docs", "after = ui"),
    ]);
    assert_eq!(changed(&text, "lint"), ["lint"]);
    assert_eq!(changed(&text, "docs"), ["docs"]);
    assert_eq!(changed(&text, "core"), ["app", "core", "ui"]);
}

#[test]
fn the_order_in_the_file_does_not_matter() {
    let mut reversed = FORK;
    reversed.reverse();
    let swapped = yard(&reversed).replace("left, right", "right, left");
    assert_eq!(keys(&yard(&FORK), &[]), keys(&swapped, &[]));
}

#[test]
fn versions_and_commands_deep_down_count() {
    let text = yard(&FORK);
    let before = keys(&text, &[]);
    for edit in [
        "version = 1.0.1\nsources = base/",
        "version = 1.0.0\ncommand = make\nsources = base/",
    ] {
        let after = keys(&text.replace("version = 1.0.0\nsources = base/", edit), &[]);
        assert_eq!(
            cachekey::changed(&before, &after),
            ["base", "left", "right", "roof", "top"]
        );
    }
}

#[test]
fn a_new_use_deep_down_counts_even_where_the_parts_stay_the_same() {
    let text = yard(&FORK);
    let rewired = text.replace(
        "sources = right/\nuses = base",
        "sources = right/\nuses = base, left",
    );
    assert_ne!(text, rewired);
    let (before, after) = (keys(&text, &[]), keys(&rewired, &[]));
    assert_eq!(cachekey::changed(&before, &after), ["right", "roof", "top"]);
}

#[test]
fn equal_packages_have_different_keys() {
    let all = keys(&yard(&FORK), &[]);
    let distinct: std::collections::BTreeSet<&String> = all.values().collect();
    assert_eq!(distinct.len(), FORK.len());
    assert!(all.values().all(|key| key.len() == 16));
}

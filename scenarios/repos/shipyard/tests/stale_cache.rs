//! What a change must do to cache keys, see docs/cache.md.

use shipyard::Manifest;
use shipyard::cache::State;
use shipyard::cachekey::{self, Keys};
use shipyard::graph::Graph;
use shipyard::tree::Tree;

/// app is built from ui, ui from theme, theme from colors; docs only waits for ui.
const YARD: &str = "
[package app]
version = 1.0.0
sources = app/
uses = ui
[package colors]
version = 1.0.0
sources = colors/
[package docs]
version = 1.0.0
sources = docs/
after = ui
[package theme]
version = 1.0.0
sources = theme/
uses = colors
[package ui]
version = 1.0.0
sources = ui/
uses = theme
";

fn keys(colors: &str, theme: &str) -> Keys {
    let manifest = Manifest::parse(YARD, "yard").expect("valid");
    let graph = Graph::new(&manifest).expect("no cycle");
    let files = [
        ("app/a", "1"),
        ("colors/a", colors),
        ("theme/a", theme),
        ("ui/a", "1"),
    ];
    cachekey::compute(&manifest, &graph, &Tree::from_contents(files)).expect("keys")
}

#[test]
fn a_change_deep_down_reaches_everything_built_from_it() {
    let (before, after) = (keys("red", "1"), keys("blue", "1"));
    assert_eq!(
        cachekey::changed(&before, &after),
        ["app", "colors", "theme", "ui"]
    );
}

#[test]
fn a_change_in_the_middle_leaves_what_is_below() {
    let (before, after) = (keys("red", "1"), keys("red", "2"));
    assert_eq!(cachekey::changed(&before, &after), ["app", "theme", "ui"]);
}

#[test]
fn nothing_old_is_taken_from_the_cache() {
    let before = keys("red", "1");
    let mut state = State::default();
    for (name, key) in &before {
        state.record(name, key);
    }
    let after = keys("blue", "1");
    assert!(state.stale(&after).contains("app"));
    assert!(state.is_fresh("docs", &after["docs"]));
    assert!(state.stale(&before).is_empty());
}

use shipyard::cache::{Saving, State};
use shipyard::cachekey::{self, Keys};
use shipyard::graph::Graph;
use shipyard::tree::Tree;
use shipyard::{Error, Manifest};

const YARD: &str = "
[package core]
version = 1.0.0
sources = core/
[package ui]
version = 1.0.0
sources = ui/
uses = core
[package docs]
version = 1.0.0
sources = docs/
after = core
";

fn keys(yard: &str, files: &[(&str, &str)]) -> Keys {
    let manifest = Manifest::parse(yard, "yard").expect("valid");
    let graph = Graph::new(&manifest).expect("no cycle");
    cachekey::compute(
        &manifest,
        &graph,
        &Tree::from_contents(files.iter().copied()),
    )
    .expect("keys")
}

#[test]
fn sources_version_and_command_go_in() {
    let files = [("core/a", "1"), ("ui/b", "2"), ("docs/c", "3")];
    let before = keys(YARD, &files);
    assert_eq!(cachekey::changed(&before, &keys(YARD, &files)), [""; 0]);
    let after = keys(
        YARD,
        &[
            ("core/a", "1"),
            ("ui/b", "9"),
            ("docs/c", "3"),
            ("other/d", "4"),
        ],
    );
    assert_eq!(cachekey::changed(&before, &after), ["ui"]);
    let after = keys(&YARD.replace("docs/\n", "docs/\ncommand = make\n"), &files);
    assert_eq!(cachekey::changed(&before, &after), ["docs"]);
    let renamed = keys(YARD, &[("core/a", "1"), ("ui/c", "2"), ("docs/c", "3")]);
    assert_eq!(cachekey::changed(&before, &renamed), ["ui"]);
}

#[test]
fn keys_are_found_by_their_beginning() {
    let all = keys(YARD, &[]);
    assert_eq!(cachekey::find(&all, &all["ui"][..8]), Some("ui"));
    assert_eq!(cachekey::find(&all, &all["ui"][..3]), None);
}

#[test]
fn explanations() {
    let manifest = Manifest::parse(YARD, "yard").expect("valid");
    let graph = Graph::new(&manifest).expect("no cycle");
    let tree = Tree::from_contents([("ui/b", "2")]);
    let found = cachekey::explain(&manifest, &graph, &tree, "ui").expect("known");
    assert_eq!(
        (found.files, found.dependencies),
        (1, vec!["core".to_string()])
    );
    let unknown = cachekey::explain(&manifest, &graph, &tree, "moon");
    assert!(matches!(unknown, Err(Error::UnknownPackage { .. })));
}

#[test]
fn state_files() {
    let all = keys(YARD, &[("core/a", "1")]);
    let mut state = State::default();
    state.record("core", &all["core"]);
    state.record("gone", "0123456789abcdef");
    let again = State::parse(&state.write(), "state").expect("valid");
    assert_eq!(again, state);
    assert_eq!(
        state.stale(&all).into_iter().collect::<Vec<_>>(),
        ["docs", "ui"]
    );
    assert_eq!(Saving::count(&state, &all).percent(), 33);
    let graph = Graph::new(&Manifest::parse(YARD, "yard").expect("valid")).expect("no cycle");
    assert_eq!(state.orphans(&graph), ["gone"]);
    assert!(State::parse("core 12\n", "state").is_err());
    assert!(state.forget("core") && !state.forget("core"));
}

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use shipyard::affected::affected;
use shipyard::graph::Graph;
use shipyard::history::History;
use shipyard::schedule::schedule;
use shipyard::{Error, Manifest, critical, duration};

const YARD: &str = "
[package lint]
version = 1.0.0
takes = 10s
[package core]
version = 1.0.0
sources = core/
takes = 20s
[package ui]
version = 1.0.0
sources = ui/
takes = 30s
uses = core
after = lint
[package api]
version = 1.0.0
takes = 5s
uses = core
[package app]
version = 1.0.0
takes = 15s
uses = ui, api
";

fn yard() -> (Manifest, Graph) {
    let manifest = Manifest::parse(YARD, "yard").expect("valid");
    let graph = Graph::new(&manifest).expect("no cycle");
    (manifest, graph)
}

#[test]
fn build_order_respects_uses_and_after() {
    let (_, graph) = yard();
    assert_eq!(
        graph.build_order().expect("order"),
        ["core", "api", "lint", "ui", "app"]
    );
    assert_eq!(graph.closure("ui"), BTreeSet::from(["core"]));
}

#[test]
fn cycles_are_shown() {
    let text = "[package a]\nversion = 1.0.0\nuses = b\n[package b]\nversion = 1.0.0\nafter = a\n";
    let manifest = Manifest::parse(text, "yard").expect("valid");
    let names = ["a", "b", "a"].map(String::from).to_vec();
    assert_eq!(Graph::new(&manifest), Err(Error::Cycle(names)));
}

#[test]
fn the_critical_path_is_the_longest_chain() {
    let (manifest, graph) = yard();
    let takes = History::default().durations(&manifest);
    let (chain, total) = critical::path(&graph, &takes).expect("path");
    assert_eq!(chain, ["core", "ui", "app"]);
    assert_eq!(total, Duration::from_secs(65));
}

#[test]
fn nobody_starts_before_what_it_waits_for() {
    let (manifest, graph) = yard();
    let takes = History::default().durations(&manifest);
    for workers in 1..4 {
        let plan = schedule(&graph, &takes, &graph.names().collect(), workers).expect("plan");
        let ends: BTreeMap<&str, Duration> = plan
            .slots
            .iter()
            .map(|slot| (slot.package.as_str(), slot.end))
            .collect();
        for slot in &plan.slots {
            assert!(
                graph
                    .predecessors(&slot.package)
                    .all(|name| ends[name] <= slot.start)
            );
        }
        let expected = if workers == 1 { 80 } else { 65 };
        assert_eq!(
            plan.total(),
            Duration::from_secs(expected),
            "{workers} workers"
        );
    }
    let nobody = schedule(&graph, &takes, &BTreeSet::new(), 0);
    assert!(matches!(nobody, Err(Error::Usage(_))));
}

#[test]
fn changes_reach_everything_built_from_them() {
    let (manifest, graph) = yard();
    let changed = ["./core/money.ts".to_string(), "README.md".to_string()];
    let found = affected(&manifest, &graph, &changed, Some("yard")).expect("affected");
    assert_eq!(found.directly, BTreeSet::from(["core".to_string()]));
    assert_eq!(
        found.all.into_iter().collect::<Vec<_>>(),
        ["api", "app", "core", "ui"]
    );
    assert_eq!(found.outside, ["README.md"]);
    let all = affected(&manifest, &graph, &["yard".to_string()], Some("yard")).expect("affected");
    assert_eq!(all.directly.len(), 5);
}

#[test]
fn history_beats_estimates() {
    let (manifest, _) = yard();
    let text = "core 20s\ncore 40s\ncore 1m\nui 31s\n";
    let history = History::parse(text, "history").expect("valid");
    assert_eq!(
        history.durations(&manifest)["core"],
        Duration::from_secs(40)
    );
    assert_eq!(
        history.misjudged(&manifest),
        [("core".to_string(), Duration::from_secs(40))]
    );
}

#[test]
fn durations() {
    for (text, seconds) in [("45s", 45), ("1m30s", 90), ("2h", 7200), ("1h1s", 3601)] {
        assert_eq!(duration::parse(text), Ok(Duration::from_secs(seconds)));
        assert_eq!(duration::format(Duration::from_secs(seconds)), text);
    }
    for text in ["", "5", "s", "1s1m", "1m1m", "1 m", "-1s"] {
        assert!(duration::parse(text).is_err(), "{text}");
    }
}

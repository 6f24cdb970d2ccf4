//! The dependency rules of `docs/ARCHITECTURE.md`, held by a test: who may know whom, and which rooms touch no disk.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("harness lies in the workspace").to_path_buf()
}

/// Normal and build dependencies of every package, from the resolved graph: dev-dependencies don't count.
struct Graph {
    edges: BTreeMap<String, BTreeSet<String>>,
}

impl Graph {
    fn resolve() -> Graph {
        let output = Command::new(env!("CARGO"))
            .args(["metadata", "--format-version", "1", "--locked", "--offline"])
            .current_dir(workspace_root())
            .output()
            .expect("cargo runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let metadata: serde_json::Value =
            serde_json::from_slice(&output.stdout).expect("cargo metadata is json");
        let names: BTreeMap<&str, &str> = metadata["packages"]
            .as_array()
            .expect("packages")
            .iter()
            .map(|p| (p["id"].as_str().expect("id"), p["name"].as_str().expect("name")))
            .collect();
        let mut edges = BTreeMap::<String, BTreeSet<String>>::new();
        for node in metadata["resolve"]["nodes"].as_array().expect("nodes") {
            let from = names[node["id"].as_str().expect("id")];
            let set = edges.entry(from.to_owned()).or_default();
            for dep in node["deps"].as_array().expect("deps") {
                let normal = dep["dep_kinds"].as_array().expect("kinds").iter().any(|k| k["kind"] != "dev");
                if normal {
                    set.insert(names[dep["pkg"].as_str().expect("pkg")].to_owned());
                }
            }
        }
        Graph { edges }
    }

    fn closure(&self, package: &str) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut open = vec![package.to_owned()];
        while let Some(next) = open.pop() {
            for dep in self.edges.get(&next).into_iter().flatten() {
                if seen.insert(dep.clone()) {
                    open.push(dep.clone());
                }
            }
        }
        seen
    }

    fn assert_never(&self, package: &str, forbidden: &[&str]) {
        let closure = self.closure(package);
        let found: Vec<_> = forbidden.iter().filter(|name| closure.contains(**name)).collect();
        assert!(found.is_empty(), "{package} must not depend on {found:?}");
    }
}

#[test]
fn packages_depend_in_one_direction() {
    let graph = Graph::resolve();
    graph.assert_never(
        "engine",
        &[
            "adapters",
            "harness",
            "verdict",
            "polars",
            "polars-io",
            "clap",
            "anstream",
            "indicatif",
            "jiff",
            "tiny_http",
        ],
    );
    graph.assert_never("adapters", &["harness", "verdict", "polars", "polars-io", "tiny_http"]);
    graph.assert_never("verdict", &["engine", "adapters", "harness", "polars", "serde_json"]);
    let users = |name: &str| -> Vec<String> {
        graph.edges.iter().filter(|(_, deps)| deps.contains(name)).map(|(from, _)| from.clone()).collect()
    };
    assert_eq!(users("harness"), ["benches"], "only benches may depend on harness");
    assert_eq!(users("polars"), ["harness"], "only harness may depend on polars");
}

/// Source files below `folder`, test modules cut off.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).expect("folder is readable") {
            let path = entry.expect("entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).expect("source is text");
                let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
                files.push((path, code));
            }
        }
    }
    files.sort();
    files
}

/// Whether the code holds the name itself, not one that ends like it.
fn names(code: &str, name: &str) -> bool {
    let goes_on = |before: &str| before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    code.match_indices(name).any(|(at, _)| !goes_on(&code[..at]))
}

fn assert_absent(folder: &Path, forbidden: &[&str]) {
    let mut found = Vec::new();
    for (path, code) in sources(folder) {
        for (number, line) in code.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            found.extend(
                forbidden
                    .iter()
                    .filter(|f| names(code, f))
                    .map(|f| format!("{}:{}: {f}", path.display(), number + 1)),
            );
        }
    }
    assert!(found.is_empty(), "forbidden here:\n{}", found.join("\n"));
}

#[test]
fn the_engine_knows_no_clock_environment_network_terminal_or_process() {
    assert_absent(
        &workspace_root().join("engine/src"),
        &[
            "SystemTime",
            "Instant::",
            "std::env",
            "env::var",
            "std::net",
            "std::process",
            "println!",
            "eprintln!",
        ],
    );
}

#[test]
fn pure_rooms_of_the_engine_touch_no_disk() {
    for room in ["message", "session", "retrieve", "learn", "recall", "plan", "tokens", "quality"] {
        assert_absent(
            &workspace_root().join("engine/src").join(room),
            &["std::fs", "fs::", "rusqlite", "File::"],
        );
    }
}

#[test]
fn only_the_harness_puts_a_model_on_trial() {
    // An unsealed model orders files for evidence alone: nothing that ships may ask for it.
    let asks = |code: &str| code.contains("for_evidence");
    for room in ["engine/src", "engine/adapters/src"] {
        let asking: Vec<PathBuf> = sources(&workspace_root().join(room))
            .into_iter()
            .filter(|(path, code)| asks(code) && !path.ends_with("learn/trial.rs"))
            .map(|(path, _)| path)
            .collect();
        assert!(asking.is_empty(), "{asking:?}");
    }
    assert!(sources(&workspace_root().join("harness/src")).iter().any(|(_, code)| asks(code)));
}

#[test]
fn json_objects_are_sorted_in_this_build() {
    // Canonical JSON relies on it: the feature `preserve_order`, switched on by any dependency, would break every hash.
    let value: serde_json::Value = serde_json::from_str(r#"{"b":1,"a":2}"#).expect("json");
    assert_eq!(value.to_string(), r#"{"a":2,"b":1}"#);
}

//! Facts of `Cargo.toml`.

use serde::{Deserialize, Serialize};
use toml::{Table, Value};

/// A Cargo package or workspace root.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct Cargo {
    /// The library's name as Rust imports it; `None` for a manifest without a package.
    pub(in super::super) library: Option<String>,
    /// The name of the package.
    pub(in super::super) package: Option<String>,
    /// The library's root file where it is stated.
    pub(in super::super) library_path: Option<String>,
    /// Root files of binaries, tests and the like where they are stated.
    pub(in super::super) roots: Vec<String>,
    pub(in super::super) dependencies: Vec<CargoDependency>,
    /// What members inherit; `None` where the manifest is no workspace's root.
    pub(in super::super) workspace: Option<Vec<CargoDependency>>,
}

/// A dependency.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(in super::super) struct CargoDependency {
    /// The name as Rust imports it.
    pub(in super::super) name: String,
    /// The package it is; the name itself, hyphens and all, unless it is renamed.
    pub(in super::super) package: String,
    /// Its folder, for one beside this package.
    pub(in super::super) path: Option<String>,
    /// Whether the workspace's root says what it is.
    pub(in super::super) inherited: bool,
}

pub(super) fn read(text: &str) -> Option<Cargo> {
    let table: Table = text.parse().ok()?;
    let string = |table: &str, key: &str, of: &Table| {
        of.get(table).and_then(|t| t.get(key)?.as_str()).map(str::to_owned)
    };
    let package = string("package", "name", &table);
    let library = string("lib", "name", &table).or_else(|| package.clone()).map(|name| import_name(&name));
    let mut all = dependencies(&table);
    for target in table.get("target").and_then(Value::as_table).into_iter().flat_map(Table::values) {
        all.extend(target.as_table().map_or_else(Vec::new, dependencies));
    }
    all.sort();
    all.dedup();
    let workspace = table.get("workspace").and_then(Value::as_table);
    Some(Cargo {
        library,
        package,
        library_path: string("lib", "path", &table),
        roots: roots(&table),
        dependencies: all,
        workspace: workspace.map(|workspace| listed(workspace, "dependencies")),
    })
}

fn dependencies(table: &Table) -> Vec<CargoDependency> {
    ["dependencies", "dev-dependencies", "build-dependencies"]
        .iter()
        .flat_map(|key| listed(table, key))
        .collect()
}

fn listed(table: &Table, key: &str) -> Vec<CargoDependency> {
    let entries = table.get(key).and_then(Value::as_table).into_iter().flatten();
    entries
        .map(|(name, value)| {
            let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
            CargoDependency {
                name: import_name(name),
                package: text("package").unwrap_or_else(|| name.clone()),
                path: text("path"),
                inherited: value.get("workspace").and_then(Value::as_bool) == Some(true),
            }
        })
        .collect()
}

fn roots(table: &Table) -> Vec<String> {
    let mut out: Vec<String> = ["bin", "test", "example", "bench"]
        .iter()
        .filter_map(|key| table.get(*key)?.as_array())
        .flatten()
        .filter_map(|target| target.get("path")?.as_str().map(str::to_owned))
        .collect();
    out.sort();
    out
}

/// A package's name as Rust imports it.
pub(in super::super) fn import_name(package: &str) -> String {
    package.replace('-', "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_libraries_and_dependencies_are_read() {
        let text = "[package]\nname = \"a-b\" # c\n[lib]\npath = \"lib/a.rs\"\n[[bin]]\nname = \"z\"\npath = \"z.rs\"\n\
                    [dependencies]\nserde = \"1\"\nnear-by = { path = \"../near\" }\nshort = { package = \"long-name\", \
                    version = \"1\" }\n[target.'cfg(unix)'.dev-dependencies]\nlibc.workspace = true\n";
        let read = read(text).unwrap();
        assert_eq!((read.library.as_deref(), read.package.as_deref()), (Some("a_b"), Some("a-b")));
        assert_eq!((read.library_path.as_deref(), read.roots), (Some("lib/a.rs"), vec!["z.rs".to_owned()]));
        let shown: Vec<String> = read
            .dependencies
            .iter()
            .map(|d| format!("{} {} {:?} {}", d.name, d.package, d.path, d.inherited))
            .collect();
        assert_eq!(
            shown,
            [
                "libc libc None true",
                "near_by near-by Some(\"../near\") false",
                "serde serde None false",
                "short long-name None false"
            ]
        );
        assert_eq!(read.workspace, None);
        let root = super::read("[workspace]\nmembers = []\n[workspace.dependencies]\nx = \"1\"\n").unwrap();
        assert_eq!((root.library, root.workspace.map(|w| w.len())), (None, Some(1)));
        assert_eq!(super::read("[package"), None);
    }
}

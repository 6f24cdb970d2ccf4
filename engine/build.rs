//! Fixes the engine's identity at compile time: one digest over everything that can change a plan.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

fn main() {
    let package = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let lock = package.parent().expect("the engine lies in the workspace").join("Cargo.lock");
    let manifest = package.join("Cargo.toml");
    println!("cargo::rerun-if-changed={}", package.join("src").display());
    println!("cargo::rerun-if-changed={}", lock.display());
    println!("cargo::rerun-if-changed={}", manifest.display());

    let mut digest = Sha256::new();
    for (path, sha256) in sources(&package) {
        digest.update(format!("file {path} {sha256}\n"));
    }
    for dependency in dependencies(&manifest, &lock) {
        digest.update(format!("dependency {dependency}\n"));
    }
    for feature in features() {
        digest.update(format!("feature {feature}\n"));
    }
    println!("cargo::rustc-env=SLUICE_ENGINE_SOURCES_SHA256={}", hex(&digest.finalize()));
}

/// Path relative to the package, with forward slashes, and SHA-256 of every file below `src`.
fn sources(package: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![package.join("src")];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        for entry in entries {
            let path = entry.unwrap_or_else(|e| panic!("{}: {e}", folder.display())).path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let bytes = fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let relative = path.strip_prefix(package).expect("found below the package");
            let name: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
            files.insert(name.join("/"), hex(&Sha256::digest(&bytes)));
        }
    }
    files
}

/// `name version` of everything the engine is built from, development aside: from its own dependencies on, along the
/// lock file.
fn dependencies(manifest: &Path, lock: &Path) -> BTreeSet<String> {
    let manifest = parse(manifest);
    let lock = parse(lock);
    let packages = lock["package"].as_array().expect("a lock file lists packages");
    let text = |package: &toml::Value, key: &str| package[key].as_str().unwrap_or_default().to_owned();
    let mut open: Vec<String> =
        manifest["dependencies"].as_table().expect("dependencies").keys().cloned().collect();
    let mut found = BTreeSet::new();
    while let Some(wanted) = open.pop() {
        let mut parts = wanted.split(' ');
        let (name, version) = (parts.next().unwrap_or_default(), parts.next());
        let matches = packages.iter().filter(|package| {
            text(package, "name") == name && version.is_none_or(|v| text(package, "version") == v)
        });
        for package in matches {
            if found.insert(format!("{name} {}", text(package, "version"))) {
                let next = package.get("dependencies").and_then(toml::Value::as_array);
                open.extend(next.into_iter().flatten().filter_map(|next| next.as_str().map(str::to_owned)));
            }
        }
    }
    found
}

fn parse(path: &Path) -> toml::Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    toml::Value::Table(text.parse().unwrap_or_else(|e| panic!("{}: {e}", path.display())))
}

/// Features of the engine that are switched on.
fn features() -> BTreeSet<String> {
    let name =
        |key: std::ffi::OsString| key.into_string().ok()?.strip_prefix("CARGO_FEATURE_").map(str::to_owned);
    std::env::vars_os().filter_map(|(key, _)| name(key)).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

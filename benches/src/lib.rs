//! Where kernels are measured: `cargo bench -p benches`. Inputs are the scenarios and the corpus that ship, so that two
//! checkouts measure the same bytes.

use std::path::{Path, PathBuf};

/// Root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("benches lie in the workspace").to_path_buf()
}

/// Files below `folder` that end in `.{extension}`, sorted.
pub fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

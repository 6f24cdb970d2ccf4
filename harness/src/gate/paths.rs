//! Where a gate finds what it reads.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::workspace::WorkspaceRoot;

/// Where everything lies.
#[derive(Debug, Clone)]
pub struct Paths {
    /// The pre-registered policy.
    pub policy: PathBuf,
    /// Declared features.
    pub features: PathBuf,
    /// Declared variants.
    pub variants: PathBuf,
    /// Tasks, fixtures and price packs.
    pub scenarios: PathBuf,
    /// Folder of the corpora that features name.
    pub corpora: PathBuf,
    /// Corpora named instead.
    pub named: Vec<PathBuf>,
    /// Folder of certificates.
    pub certificates: PathBuf,
}

impl Paths {
    /// The defaults of a project.
    pub fn of(root: &WorkspaceRoot) -> Paths {
        let scenarios = root.scenarios();
        Paths {
            policy: scenarios.join("gate.toml"),
            features: scenarios.join("features.toml"),
            variants: scenarios.join("variants.toml"),
            scenarios,
            corpora: root.corpora(),
            named: Vec::new(),
            certificates: root.certificates(),
        }
    }
}

/// JSON files of a folder, sorted; none where the folder isn't there.
pub(super) fn json_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = entries(folder)?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json") && path.is_file());
    Ok(files)
}

/// Folders in a folder, sorted; none where it isn't there.
pub(super) fn subfolders(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut folders = entries(folder)?;
    folders.retain(|path| path.is_dir());
    Ok(folders)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let failed = |error: std::io::Error| Failure::io(folder, &error);
    let mut paths = fs::read_dir(folder)
        .map_err(failed)?
        .map(|entry| entry.map(|entry| entry.path()).map_err(failed))
        .collect::<Result<Vec<_>, _>>()?;
    paths.sort();
    Ok(paths)
}

//! Where the project lies: the folder that holds `scenarios/gate.toml`, from here upwards.

use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// What marks the project's root.
const MARK: &str = "scenarios/gate.toml";

/// The project's root and the places under it that verbs default to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceRoot(PathBuf);

impl WorkspaceRoot {
    /// The nearest folder from `start` upwards that holds the policy. There is no other: a verdict on a project that nobody
    /// named would be taken for one on the project at hand.
    ///
    /// # Errors
    /// Usage (64) where there is none.
    pub fn find(start: &Path) -> Result<WorkspaceRoot, Failure> {
        start
            .ancestors()
            // Whatever bears the name: what is wrong with it is told when it is read.
            .find(|folder| folder.join(MARK).symlink_metadata().is_ok())
            .map(|folder| WorkspaceRoot(folder.to_path_buf()))
            .ok_or_else(|| {
                Failure::usage(format!(
                    "{MARK}: not found from {} upwards: run inside a project",
                    start.display()
                ))
            })
    }

    /// The root of the current folder.
    ///
    /// # Errors
    /// As [`WorkspaceRoot::find`]; input and output (74) where there is no current folder.
    pub fn current() -> Result<WorkspaceRoot, Failure> {
        let here = std::env::current_dir().map_err(|error| Failure::io(".", &error))?;
        WorkspaceRoot::find(&here)
    }

    /// The root itself.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Tasks, fixtures, variants, features, policy, packs.
    pub fn scenarios(&self) -> PathBuf {
        self.0.join("scenarios")
    }

    /// Recorded evidence.
    pub fn corpora(&self) -> PathBuf {
        self.0.join("corpora")
    }

    /// Certificates of promotions.
    pub fn certificates(&self) -> PathBuf {
        self.0.join("certificates")
    }

    /// Reports of the last gate.
    pub fn latest_reports(&self) -> PathBuf {
        self.0.join("reports/latest")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_is_found_from_any_folder_inside() {
        let inside = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/gate");
        let root = WorkspaceRoot::find(&inside).unwrap();
        assert_eq!(Some(root.path()), Path::new(env!("CARGO_MANIFEST_DIR")).parent());
    }

    #[test]
    fn a_folder_outside_any_project_has_no_root() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("scenarios/tasks")).unwrap();
        let error = WorkspaceRoot::find(folder.path()).unwrap_err();
        assert!(error.to_string().contains("scenarios/gate.toml: not found"), "{error}");
    }

    #[test]
    fn a_nearer_project_wins() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("scenarios/x")).unwrap();
        std::fs::write(folder.path().join(MARK), "").unwrap();
        let root = WorkspaceRoot::find(&folder.path().join("scenarios/x")).unwrap();
        assert_eq!(root.path(), folder.path());
    }
}

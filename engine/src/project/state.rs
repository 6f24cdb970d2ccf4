//! The folder in which an index keeps its database.

use std::path::{Path, PathBuf};

use super::error::ProjectError;
use crate::store::folder::{self, FolderError};

/// Name of the database within the state folder.
pub const DATABASE_FILE: &str = "index.sqlite";

/// Name of the state folder below a project's root, unless the caller chooses another place.
pub const STATE_FOLDER: &str = ".sluice";

/// Makes the folder and an empty database file; see [`folder::prepare`].
pub(super) fn prepare(folder: &Path) -> Result<PathBuf, ProjectError> {
    folder::prepare(folder, DATABASE_FILE).map_err(|error| match error {
        FolderError::Symlink(path) => ProjectError::Symlink { path },
        FolderError::Io(path, source) => ProjectError::state(&path, source),
    })
}

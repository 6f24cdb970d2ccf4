//! What can go wrong with a project index.

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use super::policy::PolicyError;

/// Why the index can't do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// A file or folder can't be read or written.
    #[error("{action} {}: {source}", path.display())]
    Io {
        /// What was tried: `read`, `create`, `protect`.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The root isn't a folder.
    #[error("{}: not a folder: name the root of a project", path.display())]
    NotAFolder {
        /// The path given.
        path: PathBuf,
    },
    /// A symbolic link where the index keeps its state.
    #[error("{}: a symbolic link: the index keeps its state in real folders and files only", path.display())]
    Symlink {
        /// The link.
        path: PathBuf,
    },
    /// An exclude pattern can't be read.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// The database refused.
    #[error("index {place}: {source}: delete it and index again if this persists")]
    Database {
        /// Path of the database, or `in memory`.
        place: String,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The file is no database of ours.
    #[error("index {place}: not an index: delete it and index again")]
    NotAnIndex {
        /// Path of the database.
        place: String,
    },
    /// The database was written by another version.
    #[error("index {place}: schema {found}, this version writes {known}: delete it and index again")]
    Schema {
        /// Path of the database, or `in memory`.
        place: String,
        /// What the database says.
        found: String,
        /// What this version knows.
        known: String,
    },
    /// The index was never filled, or was filled under another exclude policy.
    #[error("index {place}: {why}: refresh it first")]
    Stale {
        /// Path of the database, or `in memory`.
        place: String,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl ProjectError {
    pub(super) fn database(place: &str, source: rusqlite::Error) -> ProjectError {
        let place = place.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => ProjectError::NotAnIndex { place },
            _ => ProjectError::Database { place, source },
        }
    }

    pub(super) fn io(action: &'static str, path: &Path, source: std::io::Error) -> ProjectError {
        ProjectError::Io { action, path: path.to_owned(), source }
    }
}

//! What can go wrong with a project index.

use std::io;
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
        source: io::Error,
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
    /// The state folder or the database in it may not be written: reading an index needs its log beside it.
    #[error("index {place}: {reason}: make its folder writable or keep the index in another folder")]
    NotWritable {
        /// Path of the folder or the database.
        place: String,
        /// What the system or SQLite said.
        reason: String,
    },
    /// Another process holds the database.
    #[error("index {place}: {source}: another process is using it; try again when it has ended")]
    Busy {
        /// Path of the database.
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
            Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                ProjectError::NotWritable { place, reason: source.to_string() }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ProjectError::Busy { place, source },
            _ => ProjectError::Database { place, source },
        }
    }

    /// A file of the state that can't be made.
    pub(super) fn state(path: &Path, source: io::Error) -> ProjectError {
        match source.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                ProjectError::NotWritable { place: path.display().to_string(), reason: source.to_string() }
            }
            _ => ProjectError::io("create", path, source),
        }
    }

    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> ProjectError {
        ProjectError::Io { action, path: path.to_owned(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readonly_state_is_not_told_to_be_deleted() {
        let sqlite = |code| rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        let readonly = ProjectError::database("s/index.sqlite", sqlite(rusqlite::ffi::SQLITE_READONLY));
        assert_eq!(
            readonly.to_string(),
            "index s/index.sqlite: Error code 8: attempt to write a readonly database: make its folder writable or keep the index in \
             another folder"
        );
        let busy = ProjectError::database("s/index.sqlite", sqlite(rusqlite::ffi::SQLITE_BUSY));
        assert!(matches!(busy, ProjectError::Busy { .. }), "{busy}");
        let denied = ProjectError::state(Path::new("s"), io::ErrorKind::PermissionDenied.into());
        assert_eq!(
            denied.to_string(),
            "index s: permission denied: make its folder writable or keep the index in another folder"
        );
    }
}

//! What can go wrong with synced logs.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::log::ReadError;

/// Why a log can't be synced or a state can't be used.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The log or a file of the state can't be read or written.
    #[error("{action} {}: {source}: check the path and its permissions", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A symbolic link where the state is kept.
    #[error("{}: a symbolic link: keep the state in a real folder", path.display())]
    Symlink {
        /// The link.
        path: PathBuf,
    },
    /// Another process holds the database.
    #[error("state {}: {source}: another process is using it; try again when it has ended", path.display())]
    Busy {
        /// Path of the database.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The database refused.
    #[error("state {}: {source}: make its folder writable or keep the state elsewhere", path.display())]
    Database {
        /// Path of the database.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The file is no state of ours, of another version, or damaged.
    #[error("state {}: {reason}: delete it and sync again", path.display())]
    NotAState {
        /// Path of the database.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The log is no session, or can't be followed.
    #[error("{}: {source}", path.display())]
    NotASession {
        /// The log.
        path: PathBuf,
        /// Why.
        source: ReadError,
    },
    /// The log was never synced into this state.
    #[error("{}: not in this state: sync it first", path.display())]
    Unknown {
        /// The log.
        path: PathBuf,
    },
}

impl SyncError {
    pub(super) fn io(action: &'static str, path: &Path, source: io::Error) -> SyncError {
        SyncError::Io { action, path: path.to_owned(), source }
    }

    pub(super) fn database(path: &Path, source: rusqlite::Error) -> SyncError {
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                SyncError::NotAState { path, reason: "not a database" }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => SyncError::Busy { path, source },
            _ => SyncError::Database { path, source },
        }
    }
}

//! What can go wrong with what is stored beside the project index.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

/// Why an index of sessions or a store of vectors can't do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file or folder of the state can't be made.
    #[error("create {}: {source}: check the path and its permissions", path.display())]
    Io {
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
    #[error("state {place}: {source}: another process is using it; try again when it has ended")]
    Busy {
        /// Path of the database.
        place: String,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The database refused.
    #[error("state {place}: {source}: make its folder writable or keep the state elsewhere")]
    Database {
        /// Path of the database, or `in memory`.
        place: String,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// Another process uses the store for another model.
    #[error("state {place}: vectors of another model came in meanwhile: keep the state of each model apart")]
    Replaced {
        /// Path of the database, or `in memory`.
        place: String,
    },
    /// The file is no index of ours, or damaged.
    #[error("state {place}: {reason}: delete it and try again")]
    NotAnIndex {
        /// Path of the database.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl StoreError {
    pub(super) fn database(place: &str, source: rusqlite::Error) -> StoreError {
        let place = place.to_owned();
        match source.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                StoreError::NotAnIndex { place, reason: "not a database".to_owned() }
            }
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { place, source },
            _ => StoreError::Database { place, source },
        }
    }

    pub(super) fn io(path: &Path, source: io::Error) -> StoreError {
        StoreError::Io { path: path.to_owned(), source }
    }

    pub(super) fn damaged(place: &str, what: &str) -> StoreError {
        StoreError::NotAnIndex { place: place.to_owned(), reason: format!("damaged ({what})") }
    }
}

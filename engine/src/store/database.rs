//! Opening a database of the state: the folder prepared, the connection's rules set, its tables brought to this version.
//!
//! The project index opens its own (`project::index`): it answers with errors of another type and also opens to look only.

use std::path::Path;

use rusqlite::Connection;

use super::error::StoreError;
use super::folder::{self, FolderError};
use super::migrate::{self, SchemaError};

/// A database of the state: its name within the folder, and its migrations in order, of which a released one never changes.
pub(super) struct Database {
    pub(super) file: &'static str,
    pub(super) migrations: &'static [&'static str],
}

impl Database {
    /// The database in a state folder, made where it is absent, with where it is.
    pub(super) fn in_folder(&self, state: &Path) -> Result<(Connection, String), StoreError> {
        let database = folder::prepare(state, self.file).map_err(|error| match error {
            FolderError::Symlink(path) => StoreError::Symlink { path },
            FolderError::Io(path, source) => StoreError::io(&path, source),
        })?;
        let place = database.display().to_string();
        self.prepared(Connection::open(&database), place)
    }

    /// A database that leaves nothing on disk.
    pub(super) fn in_memory(&self) -> Result<(Connection, String), StoreError> {
        self.prepared(Connection::open_in_memory(), "in memory".to_owned())
    }

    fn prepared(
        &self,
        opened: rusqlite::Result<Connection>,
        place: String,
    ) -> Result<(Connection, String), StoreError> {
        let refused = |source| StoreError::database(&place, source);
        let mut db = opened.map_err(refused)?;
        migrate::configure(&db).map_err(refused)?;
        migrate::migrate(&mut db, self.migrations).map_err(|error| match error {
            SchemaError::Database(source) => refused(source),
            SchemaError::Unknown { found } => StoreError::NotAnIndex {
                place: place.clone(),
                reason: format!("schema {found}, this version writes {}", self.migrations.len()),
            },
        })?;
        Ok((db, place))
    }
}

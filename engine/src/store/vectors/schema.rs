//! Tables of the vectors.

use std::path::Path;

use rusqlite::Connection;

use crate::store::error::StoreError;
use crate::store::folder::{self, FolderError};
use crate::store::migrate::{self, SchemaError};

/// Name of the database within the state folder.
pub const VECTORS_FILE: &str = "vectors.sqlite";

/// Migrations in order; a released one never changes.
const MIGRATIONS: &[&str] = &[r"
-- Who made the vectors: of one model and one way to cut at a time. Others aren't comparable.
CREATE TABLE maker (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    model TEXT NOT NULL,
    dimensions INTEGER NOT NULL,
    cutting TEXT NOT NULL
) STRICT;

CREATE TABLE files (
    path TEXT PRIMARY KEY,
    sha256 BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- Little-endian 32-bit floats of length 1.
CREATE TABLE vectors (
    path TEXT NOT NULL REFERENCES files (path) ON DELETE CASCADE,
    piece INTEGER NOT NULL,
    vector BLOB NOT NULL,
    PRIMARY KEY (path, piece)
) STRICT;
"];

/// The database in a folder, made where it is absent.
pub(super) fn in_folder(state: &Path) -> Result<(Connection, String), StoreError> {
    let database = folder::prepare(state, VECTORS_FILE).map_err(|error| match error {
        FolderError::Symlink(path) => StoreError::Symlink { path },
        FolderError::Io(path, source) => StoreError::io(&path, source),
    })?;
    let place = database.display().to_string();
    let db = Connection::open(&database).map_err(|source| StoreError::database(&place, source))?;
    prepare(db, place)
}

/// A database that leaves nothing on disk.
pub(super) fn in_memory() -> Result<(Connection, String), StoreError> {
    let place = "in memory".to_owned();
    let db = Connection::open_in_memory().map_err(|source| StoreError::database(&place, source))?;
    prepare(db, place)
}

fn prepare(mut db: Connection, place: String) -> Result<(Connection, String), StoreError> {
    migrate::configure(&db).map_err(|source| StoreError::database(&place, source))?;
    migrate::migrate(&mut db, MIGRATIONS).map_err(|error| match error {
        SchemaError::Database(source) => StoreError::database(&place, source),
        SchemaError::Unknown { found } => StoreError::NotAnIndex {
            place: place.clone(),
            reason: format!("schema {found}, this version writes {}", MIGRATIONS.len()),
        },
    })?;
    Ok((db, place))
}

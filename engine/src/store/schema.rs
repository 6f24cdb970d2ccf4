//! Tables of the index of sessions.

use std::path::Path;

use rusqlite::Connection;

use super::database::Database;
use super::error::StoreError;

/// Name of the database within the state folder.
pub const SESSIONS_FILE: &str = "sessions.sqlite";

const SESSIONS: Database = Database { file: SESSIONS_FILE, migrations: MIGRATIONS };

/// Migrations in order; a released one never changes.
const MIGRATIONS: &[&str] = &[r"
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE
) STRICT;

-- Numbers of rows are never used again: a reader of an older state misses rows, but never takes one for another.
CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    entry TEXT NOT NULL,
    line INTEGER NOT NULL,
    digest BLOB NOT NULL,
    UNIQUE (session_id, entry, line)
) STRICT;

CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entry_id INTEGER NOT NULL REFERENCES entries (id) ON DELETE CASCADE,
    part INTEGER NOT NULL,
    kind TEXT NOT NULL,
    digest BLOB NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE INDEX documents_by_entry ON documents (entry_id, digest);

-- `start` and `end` are bytes of the document's text; `words` counts those of `body`, which are stems and parts of names.
CREATE TABLE passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    words INTEGER NOT NULL,
    body TEXT NOT NULL
) STRICT;
CREATE INDEX passages_by_document ON passages (document_id, words);

CREATE VIRTUAL TABLE passage_words USING fts5 (
    body, content = 'passages', content_rowid = 'id', tokenize = 'ascii'
);
INSERT INTO passage_words (passage_words, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER passages_inserted AFTER INSERT ON passages BEGIN
    INSERT INTO passage_words (rowid, body) VALUES (new.id, new.body);
END;
CREATE TRIGGER passages_deleted AFTER DELETE ON passages BEGIN
    INSERT INTO passage_words (passage_words, rowid, body) VALUES ('delete', old.id, old.body);
END;

CREATE VIRTUAL TABLE passage_word_instances USING fts5vocab (passage_words, instance);
"];

/// The database in a folder, made where it is absent.
pub(super) fn in_folder(folder: &Path) -> Result<(Connection, String), StoreError> {
    with_searched(SESSIONS.in_folder(folder)?)
}

/// A database that leaves nothing on disk.
pub(super) fn in_memory() -> Result<(Connection, String), StoreError> {
    with_searched(SESSIONS.in_memory()?)
}

/// With the table of the documents that one recall may look at: of this connection alone, never on disk.
fn with_searched((db, place): (Connection, String)) -> Result<(Connection, String), StoreError> {
    db.execute_batch(
        "CREATE TEMP TABLE searched (document_id INTEGER PRIMARY KEY, position INTEGER NOT NULL)",
    )
    .map_err(|source| StoreError::database(&place, source))?;
    Ok((db, place))
}

//! Tables of the index and how they come about.
//!
//! All rows are derived: deleting the database loses nothing.

use std::sync::{Mutex, PoisonError};

use rusqlite::Connection;
use rusqlite::backup::Backup;

pub(super) use crate::store::migrate::{SchemaError, configure};

/// Migrations in order; the version is the position, from 1. A released one never changes.
const MIGRATIONS: &[&str] = &[
    r"
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    sha256 BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL,
    language TEXT,
    role TEXT NOT NULL,
    lines INTEGER NOT NULL
) STRICT;

-- Files looked at and left out for what is in them, so that they aren't read again at each refresh.
CREATE TABLE skipped (
    path TEXT PRIMARY KEY,
    reason TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    modified_ns INTEGER NOT NULL,
    changed_ns INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE symbols (
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    parent TEXT,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    signature TEXT NOT NULL,
    PRIMARY KEY (file_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE imports (
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    line INTEGER NOT NULL,
    specifier TEXT NOT NULL,
    target TEXT,
    PRIMARY KEY (file_id, ordinal)
) STRICT, WITHOUT ROWID;

CREATE TABLE packages (
    file_id INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    name TEXT NOT NULL
) STRICT;

-- Shape of each chunk; its terms stand apart so that reading the shapes doesn't walk the text.
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    path_terms INTEGER NOT NULL,
    def_terms INTEGER NOT NULL,
    body_terms INTEGER NOT NULL
) STRICT;
CREATE INDEX chunks_by_file ON chunks (file_id);

CREATE TABLE chunk_terms (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    defs TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;

-- The text is split into terms beforehand, so the tokenizer only cuts at blanks. The content stands in `chunk_terms`.
CREATE VIRTUAL TABLE terms USING fts5 (
    path, defs, body, content = 'chunk_terms', content_rowid = 'chunk_id', tokenize = 'ascii'
);
INSERT INTO terms (terms, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER chunk_terms_inserted AFTER INSERT ON chunk_terms BEGIN
    INSERT INTO terms (rowid, path, defs, body) VALUES (new.chunk_id, new.path, new.defs, new.body);
END;
CREATE TRIGGER chunk_terms_deleted AFTER DELETE ON chunk_terms BEGIN
    INSERT INTO terms (terms, rowid, path, defs, body)
    VALUES ('delete', old.chunk_id, old.path, old.defs, old.body);
END;

-- Every occurrence of a term: the stored term counts that scoring reads.
CREATE VIRTUAL TABLE term_instances USING fts5vocab (terms, instance);
",
    r"
-- Every row is derived, so the old ones go and the next refresh makes them anew. What the user stated (`meta.patterns`) stays.
DELETE FROM files;
DELETE FROM skipped;
DELETE FROM meta WHERE key = 'fingerprint';

-- `tree`, or why a file of a known language has none; null for a file of no such language.
ALTER TABLE files ADD COLUMN structure TEXT;
",
    r"
DELETE FROM files;
DELETE FROM skipped;
DELETE FROM meta WHERE key = 'fingerprint';

-- Names that a file uses, one a line with how often, sorted.
CREATE TABLE uses (
    file_id INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
    names TEXT NOT NULL
) STRICT;
",
    r"
DELETE FROM files;
DELETE FROM skipped;
DELETE FROM meta WHERE key = 'fingerprint';

-- What an import means: `file`, `folder` and `namespace` say what `target` is, `external` and `unresolved` have none.
DROP TABLE imports;
CREATE TABLE imports (
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    line INTEGER NOT NULL,
    specifier TEXT NOT NULL,
    resolution TEXT NOT NULL,
    target TEXT,
    PRIMARY KEY (file_id, ordinal)
) STRICT, WITHOUT ROWID;

-- What manifests say about names, as JSON.
DROP TABLE packages;
CREATE TABLE manifests (
    file_id INTEGER PRIMARY KEY REFERENCES files (id) ON DELETE CASCADE,
    facts TEXT NOT NULL
) STRICT;
",
    r"
-- Past commits that touched indexed files, newest first. Files go by path: their rows are replaced when they change.
CREATE TABLE past_commits (
    id INTEGER PRIMARY KEY,
    time_s INTEGER NOT NULL,
    touched INTEGER NOT NULL,
    terms INTEGER NOT NULL
) STRICT;

CREATE TABLE past_files (
    commit_id INTEGER NOT NULL REFERENCES past_commits (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    PRIMARY KEY (commit_id, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE past_terms (
    commit_id INTEGER PRIMARY KEY REFERENCES past_commits (id) ON DELETE CASCADE,
    text TEXT NOT NULL
) STRICT;

CREATE VIRTUAL TABLE past USING fts5 (
    text, content = 'past_terms', content_rowid = 'commit_id', tokenize = 'ascii'
);
INSERT INTO past (past, rank) VALUES ('secure-delete', 1);

CREATE TRIGGER past_terms_inserted AFTER INSERT ON past_terms BEGIN
    INSERT INTO past (rowid, text) VALUES (new.commit_id, new.text);
END;
CREATE TRIGGER past_terms_deleted AFTER DELETE ON past_terms BEGIN
    INSERT INTO past (past, rowid, text) VALUES ('delete', old.commit_id, old.text);
END;

CREATE VIRTUAL TABLE past_instances USING fts5vocab (past, instance);
",
    r"
-- A trigger makes its statement a transaction of its own, at whose beginning FTS5 writes out what it has gathered: a segment a
-- row, all of which are merged again. Rows of `terms` and `past` are inserted beside their content instead.
DROP TRIGGER chunk_terms_inserted;
DROP TRIGGER past_terms_inserted;
-- Bytes gathered before a segment is written.
INSERT INTO terms (terms, rank) VALUES ('hashsize', 16777216);
",
    r"
-- A term of a text stands once for so many occurrences as its column's name says: full-text search takes a while for each
-- that it is given. It isn't asked for the sizes of rows: `chunks` has them.
DROP TRIGGER chunk_terms_deleted;
DROP TABLE term_instances;
DROP TABLE terms;
DROP TABLE chunk_terms;
DELETE FROM files;
DELETE FROM skipped;
DELETE FROM meta WHERE key = 'fingerprint';
CREATE TABLE chunk_terms (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunks (id) ON DELETE CASCADE,
    body1 TEXT NOT NULL,
    body2 TEXT NOT NULL,
    body3 TEXT NOT NULL,
    body4 TEXT NOT NULL,
    body8 TEXT NOT NULL,
    body16 TEXT NOT NULL,
    path TEXT NOT NULL,
    defs TEXT NOT NULL
) STRICT;
CREATE VIRTUAL TABLE terms USING fts5 (
    body1, body2, body3, body4, body8, body16, path, defs,
    content = 'chunk_terms', content_rowid = 'chunk_id', tokenize = 'ascii', columnsize = 0
);
INSERT INTO terms (terms, rank) VALUES ('secure-delete', 1);
INSERT INTO terms (terms, rank) VALUES ('hashsize', 16777216);
CREATE TRIGGER chunk_terms_deleted AFTER DELETE ON chunk_terms BEGIN
    INSERT INTO terms (terms, rowid, body1, body2, body3, body4, body8, body16, path, defs)
    VALUES ('delete', old.chunk_id, old.body1, old.body2, old.body3, old.body4, old.body8, old.body16, old.path,
            old.defs);
END;
CREATE VIRTUAL TABLE term_instances USING fts5vocab (terms, instance);
",
];

/// The version this build writes.
pub(super) fn version() -> usize {
    MIGRATIONS.len()
}

/// A new database in memory, without rows. To copy the pages of one that was migrated takes a fraction of migrating: a gate
/// opens thousands.
pub(super) fn in_memory() -> Result<Connection, SchemaError> {
    static EMPTY: Mutex<Option<Connection>> = Mutex::new(None);
    let mut empty = EMPTY.lock().unwrap_or_else(PoisonError::into_inner);
    let from = match empty.take() {
        Some(made) => made,
        None => {
            let mut made = Connection::open_in_memory()?;
            configure(&made)?;
            migrate(&mut made)?;
            made
        }
    };
    let mut db = Connection::open_in_memory()?;
    Backup::new(&from, &mut db)?.step(-1)?;
    *empty = Some(from);
    Ok(db)
}

/// Brings the database to the current version.
pub(super) fn migrate(db: &mut Connection) -> Result<(), SchemaError> {
    crate::store::migrate::migrate(db, MIGRATIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_history_is_refused() {
        let mut db = Connection::open_in_memory().unwrap();
        assert!(migrate(&mut db).is_ok());
        assert!(migrate(&mut db).is_ok(), "migrating twice changes nothing");
        db.execute("UPDATE migrations SET checksum = 'x'", []).unwrap();
        assert!(matches!(migrate(&mut db), Err(SchemaError::Unknown { found }) if found == "1"));
    }

    #[test]
    fn a_newer_database_is_refused() {
        let mut db = Connection::open_in_memory().unwrap();
        assert!(migrate(&mut db).is_ok());
        db.execute("INSERT INTO migrations VALUES (99, 'y')", []).unwrap();
        assert!(matches!(migrate(&mut db), Err(SchemaError::Unknown { found }) if found == "99"));
    }

    #[test]
    fn sqlite_keeps_its_promises() {
        let mut db = Connection::open_in_memory().unwrap();
        configure(&db).unwrap();
        assert!(migrate(&mut db).is_ok());
        let secure: i64 = db.query_row("PRAGMA secure_delete", [], |r| r.get(0)).unwrap();
        let keys: i64 = db.query_row("PRAGMA foreign_keys", [], |r| r.get(0)).unwrap();
        let fts: i64 =
            db.query_row("SELECT v FROM terms_config WHERE k = 'secure-delete'", [], |r| r.get(0)).unwrap();
        assert_eq!((secure, keys, fts), (1, 1, 1));
    }
}

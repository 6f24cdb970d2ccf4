//! Tables of the state.

use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

/// Raised with any change of the tables or of what is distilled: a state of another version is refused, as syncing
/// anew loses nothing.
const VERSION: i64 = 2;

/// Marks a database as ours (`PRAGMA application_id`).
const APPLICATION: i64 = 0x736c_7379;

const TABLES: &str = r"
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path BLOB NOT NULL UNIQUE
) STRICT;

-- `ended_by` is null for the generation that grows; there is at most one a file.
CREATE TABLE generations (
    id INTEGER PRIMARY KEY,
    file_id INTEGER NOT NULL REFERENCES files (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    ended_by TEXT,
    device INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    size INTEGER NOT NULL,
    line_offset INTEGER NOT NULL,
    line_number INTEGER NOT NULL,
    tail_bytes INTEGER NOT NULL,
    bytes_read INTEGER NOT NULL,
    check_bytes INTEGER NOT NULL,
    steps INTEGER NOT NULL,
    head_length INTEGER NOT NULL,
    head_sha256 BLOB NOT NULL,
    last_length INTEGER NOT NULL,
    last_sha256 BLOB NOT NULL,
    UNIQUE (file_id, number)
) STRICT;
CREATE UNIQUE INDEX growing ON generations (file_id) WHERE ended_by IS NULL;

-- Complete lines; `parts` is null for a blank one.
CREATE TABLE lines (
    generation_id INTEGER NOT NULL REFERENCES generations (id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    start INTEGER NOT NULL,
    length INTEGER NOT NULL,
    flags INTEGER NOT NULL,
    faults TEXT NOT NULL,
    parts TEXT,
    PRIMARY KEY (generation_id, number)
) STRICT, WITHOUT ROWID;

-- The last line as long as it has no end, in the pieces it came in.
CREATE TABLE tails (
    generation_id INTEGER NOT NULL REFERENCES generations (id) ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (generation_id, ordinal)
) STRICT, WITHOUT ROWID;
";

/// Sets the connection's rules and makes the tables where there are none. The error side says what is wrong with a
/// database that isn't ours.
pub(super) fn prepare(db: &mut Connection) -> rusqlite::Result<Result<(), &'static str>> {
    db.busy_timeout(Duration::from_secs(5))?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "NORMAL")?;
    db.pragma_update(None, "foreign_keys", true)?;
    db.pragma_update(None, "secure_delete", true)?;
    db.pragma_update(None, "temp_store", "MEMORY")?;
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = |pragma: &str| tx.pragma_query_value(None, pragma, |row| row.get::<_, i64>(0));
    let tables: i64 = tx.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (tables, number("application_id")?, number("user_version")?) {
        (0, _, _) => {
            tx.execute_batch(TABLES)?;
            tx.pragma_update(None, "application_id", APPLICATION)?;
            tx.pragma_update(None, "user_version", VERSION)?;
            tx.commit()?;
        }
        (_, APPLICATION, VERSION) => {}
        (_, APPLICATION, _) => return Ok(Err("written by another version")),
        _ => return Ok(Err("not a state of synced logs")),
    }
    Ok(Ok(()))
}

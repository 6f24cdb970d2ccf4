//! Migrations: each applied once, in a transaction, with its checksum kept.
//!
//! A database whose history isn't ours is refused rather than guessed at.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use sha2::{Digest, Sha256};

use crate::message::hex;

/// Why a database can't be used.
pub(crate) enum SchemaError {
    Database(rusqlite::Error),
    Unknown { found: String },
}

impl From<rusqlite::Error> for SchemaError {
    fn from(error: rusqlite::Error) -> Self {
        SchemaError::Database(error)
    }
}

/// Sets the connection's rules: they aren't stored in the database.
pub(crate) fn configure(db: &Connection) -> rusqlite::Result<()> {
    db.busy_timeout(std::time::Duration::from_secs(5))?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "NORMAL")?;
    db.pragma_update(None, "foreign_keys", true)?;
    db.pragma_update(None, "secure_delete", true)?;
    db.pragma_update(None, "temp_store", "MEMORY")?;
    // KiB, negative as SQLite has it: pages that a large transaction changes again aren't written in between.
    db.pragma_update(None, "cache_size", -32_768)?;
    db.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Brings the database to the current version: migrations in order, the version is the position, from 1. A released one
/// never changes.
pub(crate) fn migrate(db: &mut Connection, migrations: &[&str]) -> Result<(), SchemaError> {
    if applied(db, migrations)? == Some(migrations.len()) {
        return Ok(());
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    tx.execute_batch(
        "CREATE TABLE IF NOT EXISTS migrations (version INTEGER PRIMARY KEY, checksum TEXT NOT NULL) STRICT",
    )?;
    let done = applied(&tx, migrations)?.unwrap_or(0);
    for (index, migration) in migrations.iter().enumerate().skip(done) {
        tx.execute_batch(migration)?;
        let version = i64::try_from(index + 1).unwrap_or(i64::MAX);
        tx.execute("INSERT INTO migrations VALUES (?1, ?2)", (version, checksum(migration)))?;
    }
    tx.commit()?;
    Ok(())
}

/// How many of our migrations the database has; `None` for a database without any. Refuses a foreign history.
fn applied(db: &Connection, migrations: &[&str]) -> Result<Option<usize>, SchemaError> {
    let exists: Option<i64> = db
        .query_row("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'", [], |r| {
            r.get(0)
        })
        .optional()?;
    if exists.is_none() {
        return Ok(None);
    }
    let mut statement = db.prepare("SELECT version, checksum FROM migrations ORDER BY version")?;
    let rows = statement.query_map([], |r| Ok((r.get::<_, i64>(0)?, r.get::<_, String>(1)?)))?;
    let mut count = 0;
    for row in rows {
        let (version, found) = row?;
        let ours = migrations.get(count).map(|m| checksum(m));
        if usize::try_from(version) != Ok(count + 1) || ours.as_ref() != Some(&found) {
            return Err(SchemaError::Unknown { found: version.to_string() });
        }
        count += 1;
    }
    Ok(Some(count))
}

fn checksum(migration: &str) -> String {
    hex(&Sha256::digest(migration))
}

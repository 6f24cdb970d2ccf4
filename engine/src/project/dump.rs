//! A digest over everything in the index that follows from the files' content.

use rusqlite::Connection;
use rusqlite::types::ValueRef;
use sha2::{Digest, Sha256};

use super::hex::to_hex;

/// Rows in an order that doesn't depend on row numbers. Stamps are left out: they tell when, not what.
const QUERIES: [&str; 7] = [
    "SELECT key, value FROM meta ORDER BY key",
    "SELECT path, sha256, bytes, language, structure, role, lines FROM files ORDER BY path",
    "SELECT f.path, s.ordinal, s.name, s.kind, s.parent, s.start_line, s.end_line, s.signature
     FROM symbols s JOIN files f ON f.id = s.file_id ORDER BY f.path, s.ordinal",
    "SELECT f.path, i.ordinal, i.line, i.specifier, i.resolution, i.target
     FROM imports i JOIN files f ON f.id = i.file_id ORDER BY f.path, i.ordinal",
    "SELECT f.path, m.facts FROM manifests m JOIN files f ON f.id = m.file_id ORDER BY f.path",
    "SELECT f.path, u.names FROM uses u JOIN files f ON f.id = u.file_id ORDER BY f.path",
    "SELECT f.path, c.start_line, c.end_line, c.path_terms, c.def_terms, c.body_terms, t.path, t.defs,
            t.body1, t.body2, t.body3, t.body4, t.body8, t.body16
     FROM chunks c JOIN files f ON f.id = c.file_id LEFT JOIN chunk_terms t ON t.chunk_id = c.id
     ORDER BY f.path, c.start_line",
];

pub(super) fn digest(db: &Connection) -> rusqlite::Result<String> {
    let mut hash = Sha256::new();
    for query in QUERIES {
        let mut statement = db.prepare(query)?;
        let columns = statement.column_count();
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                add(&mut hash, row.get_ref(column)?);
            }
        }
        hash.update([0xff]);
    }
    // The full-text index must hold exactly the content it was given.
    db.execute_batch("INSERT INTO terms (terms, rank) VALUES ('integrity-check', 1)")?;
    Ok(to_hex(&hash.finalize()))
}

/// One value with its type and length, so that no two rows can run into each other.
fn add(hash: &mut Sha256, value: ValueRef<'_>) {
    let (tag, bytes): (u8, &[u8]) = match value {
        ValueRef::Null => (0, &[]),
        ValueRef::Integer(n) => {
            hash.update([1]);
            hash.update(n.to_le_bytes());
            return;
        }
        ValueRef::Real(n) => {
            hash.update([2]);
            hash.update(n.to_le_bytes());
            return;
        }
        ValueRef::Text(text) => (3, text),
        ValueRef::Blob(blob) => (4, blob),
    };
    hash.update([tag]);
    hash.update((bytes.len() as u64).to_le_bytes());
    hash.update(bytes);
}

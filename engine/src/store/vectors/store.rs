//! Reading and writing vectors.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::schema::VECTORS;
use crate::store::error::StoreError;

/// What vectors are made by: they are comparable only where all of it is equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Maker {
    /// Identifier of the model.
    pub model: String,
    /// Numbers a vector.
    pub dimensions: usize,
    /// Version of the way in which files are cut into pieces and pieces are written as text.
    pub cutting: &'static str,
}

/// The vectors of one file.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedFile {
    /// Path relative to the root.
    pub path: String,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// One vector of length 1 a piece, in order.
    pub vectors: Vec<Vec<f32>>,
}

/// Vectors of a project's files by path, source hash, model and cutting. Every row is derived. One value serves one thread;
/// several processes may share a database.
pub struct VectorStore {
    db: Connection,
    place: String,
}

impl VectorStore {
    /// Opens or makes the store in a state folder.
    ///
    /// # Errors
    /// Where the folder can't be made or is a link, or the database is none of ours or can't be read.
    pub fn open(state: &Path) -> Result<VectorStore, StoreError> {
        VECTORS.in_folder(state).map(|(db, place)| VectorStore { db, place })
    }

    /// A store that leaves nothing on disk.
    ///
    /// # Errors
    /// Where SQLite can't make a database in memory.
    pub fn in_memory() -> Result<VectorStore, StoreError> {
        VECTORS.in_memory().map(|(db, place)| VectorStore { db, place })
    }

    /// Forgets what isn't of this maker, or isn't of these files (path and SHA-256 of their bytes) as they are. Returns the
    /// paths that are left.
    ///
    /// # Errors
    /// Where the database can't be read or written.
    pub fn keep(
        &mut self,
        maker: &Maker,
        files: &BTreeMap<&str, [u8; 32]>,
    ) -> Result<BTreeSet<String>, StoreError> {
        let VectorStore { db, place } = self;
        let refused = |source| StoreError::database(place, source);
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(refused)?;
        let keep = || -> rusqlite::Result<(BTreeSet<String>, usize)> {
            let mut removed = 0;
            if !is_made_by(&tx, maker)? {
                removed += tx.execute("DELETE FROM files", [])?;
                tx.execute(
                    "INSERT OR REPLACE INTO maker VALUES (1, ?1, ?2, ?3)",
                    params![maker.model, signed(maker.dimensions), maker.cutting],
                )?;
            }
            let (kept, stale) = sort_out(&tx, files)?;
            removed += delete(&tx, &stale)?;
            Ok((kept, removed))
        };
        let (kept, removed) = keep().map_err(refused)?;
        tx.commit().map_err(refused)?;
        self.empty_log(removed)?;
        Ok(kept)
    }

    /// Forgets files that aren't among these, whoever made their vectors: what may no longer be read must leave no vectors.
    /// Returns how many went.
    ///
    /// # Errors
    /// Where the database can't be read or written.
    pub fn forget_others(&mut self, files: &BTreeMap<&str, [u8; 32]>) -> Result<usize, StoreError> {
        let VectorStore { db, place } = self;
        let refused = |source| StoreError::database(place, source);
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(refused)?;
        let (_, stale) = sort_out(&tx, files).map_err(refused)?;
        let removed = delete(&tx, &stale).map_err(refused)?;
        tx.commit().map_err(refused)?;
        self.empty_log(removed)?;
        Ok(removed)
    }

    /// Takes in files, all or none of them.
    ///
    /// # Errors
    /// Where the database can't be written, or another maker's vectors have come to stand in it.
    pub fn add(&mut self, maker: &Maker, files: &[EmbeddedFile]) -> Result<(), StoreError> {
        let VectorStore { db, place } = self;
        let refused = |source| StoreError::database(place, source);
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(refused)?;
        if !is_made_by(&tx, maker).map_err(refused)? {
            return Err(other_maker(place));
        }
        let add = || -> rusqlite::Result<()> {
            for file in files {
                tx.prepare_cached("DELETE FROM files WHERE path = ?1")?.execute([&file.path])?;
                tx.prepare_cached("INSERT INTO files VALUES (?1, ?2)")?
                    .execute(params![file.path, file.sha256.as_slice()])?;
                for (piece, vector) in file.vectors.iter().enumerate() {
                    let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
                    tx.prepare_cached("INSERT INTO vectors VALUES (?1, ?2, ?3)")?.execute(params![
                        file.path,
                        signed(piece),
                        bytes
                    ])?;
                }
            }
            Ok(())
        };
        add().map_err(refused)?;
        tx.commit().map_err(refused)
    }

    /// Shows every vector with its file's path, by path, then piece. One is held in memory at a time.
    ///
    /// # Errors
    /// Where the database can't be read, holds another maker's vectors, or a vector that isn't of its length.
    pub fn for_each(&self, maker: &Maker, mut show: impl FnMut(&str, &[f32])) -> Result<(), StoreError> {
        let refused = |source| StoreError::database(&self.place, source);
        // Reads see one state of the database.
        let tx = self.db.unchecked_transaction().map_err(refused)?;
        if !is_made_by(&tx, maker).map_err(refused)? {
            return Err(other_maker(&self.place));
        }
        let mut statement =
            tx.prepare_cached("SELECT path, vector FROM vectors ORDER BY path, piece").map_err(refused)?;
        let mut rows = statement.query([]).map_err(refused)?;
        let mut vector = Vec::with_capacity(maker.dimensions);
        while let Some(row) = rows.next().map_err(refused)? {
            let (ValueRef::Text(path), ValueRef::Blob(bytes)) =
                (row.get_ref(0).map_err(refused)?, row.get_ref(1).map_err(refused)?)
            else {
                return Err(StoreError::damaged(&self.place, "a vector"));
            };
            let (numbers, rest) = bytes.as_chunks::<4>();
            let path = std::str::from_utf8(path).map_err(|_| StoreError::damaged(&self.place, "a path"))?;
            if numbers.len() != maker.dimensions || !rest.is_empty() {
                return Err(StoreError::damaged(&self.place, "the length of a vector"));
            }
            vector.clear();
            vector.extend(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)));
            show(path, &vector);
        }
        Ok(())
    }

    /// Old pages must not linger in the log once their rows are gone. Another reader may keep it open: no fault.
    fn empty_log(&self, removed: usize) -> Result<(), StoreError> {
        if removed == 0 {
            return Ok(());
        }
        self.db
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(|source| StoreError::database(&self.place, source))
    }
}

fn is_made_by(db: &Connection, maker: &Maker) -> rusqlite::Result<bool> {
    let found = db
        .prepare_cached("SELECT model, dimensions, cutting FROM maker")?
        .query_row([], |r| Ok((r.get::<_, String>(0)?, r.get::<_, i64>(1)?, r.get::<_, String>(2)?)))
        .optional()?;
    Ok(found.is_some_and(|(model, dimensions, cutting)| {
        model == maker.model && dimensions == signed(maker.dimensions) && cutting == maker.cutting
    }))
}

/// Stored paths that are among `files` with their hash, and those that aren't.
fn sort_out(
    db: &Connection,
    files: &BTreeMap<&str, [u8; 32]>,
) -> rusqlite::Result<(BTreeSet<String>, Vec<String>)> {
    let (mut kept, mut stale) = (BTreeSet::new(), Vec::new());
    let mut statement = db.prepare_cached("SELECT path, sha256 FROM files ORDER BY path")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (path, sha256): (String, Vec<u8>) = (row.get(0)?, row.get(1)?);
        if files.get(path.as_str()).is_some_and(|known| known.as_slice() == sha256) {
            kept.insert(path);
        } else {
            stale.push(path);
        }
    }
    Ok((kept, stale))
}

fn delete(db: &Connection, paths: &[String]) -> rusqlite::Result<usize> {
    for path in paths {
        db.prepare_cached("DELETE FROM files WHERE path = ?1")?.execute([path])?;
    }
    Ok(paths.len())
}

fn other_maker(place: &str) -> StoreError {
    StoreError::Replaced { place: place.to_owned() }
}

/// SQLite's integers are signed; counts fit.
fn signed(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn maker(model: &str) -> Maker {
        Maker { model: model.to_owned(), dimensions: 2, cutting: "test/1" }
    }

    fn file(path: &str, sha256: u8) -> EmbeddedFile {
        EmbeddedFile {
            path: path.to_owned(),
            sha256: [sha256; 32],
            vectors: vec![vec![1.0, 0.0], vec![0.0, 1.0]],
        }
    }

    fn paths(store: &VectorStore, maker: &Maker) -> Vec<String> {
        let mut out = Vec::new();
        store.for_each(maker, |path, _| out.push(path.to_owned())).unwrap();
        out
    }

    #[test]
    fn a_changed_a_removed_and_another_models_file_are_forgotten() {
        let mut store = VectorStore::in_memory().unwrap();
        let all = BTreeMap::from([("a", [1; 32]), ("b", [2; 32])]);
        assert!(store.keep(&maker("m"), &all).unwrap().is_empty());
        store.add(&maker("m"), &[file("b", 2), file("a", 1)]).unwrap();
        assert_eq!(paths(&store, &maker("m")), ["a", "a", "b", "b"]);
        let changed = BTreeMap::from([("a", [1; 32]), ("b", [3; 32])]);
        assert_eq!(store.keep(&maker("m"), &changed).unwrap(), BTreeSet::from(["a".to_owned()]));
        assert_eq!(store.forget_others(&BTreeMap::new()).unwrap(), 1);
        assert!(paths(&store, &maker("m")).is_empty());
        store.add(&maker("m"), &[file("a", 1)]).unwrap();
        assert!(store.keep(&maker("n"), &all).unwrap().is_empty(), "another model");
        assert!(paths(&store, &maker("n")).is_empty());
    }

    #[test]
    fn one_makers_vectors_are_never_shown_to_or_mixed_with_anothers() {
        let mut store = VectorStore::in_memory().unwrap();
        store.keep(&maker("m"), &BTreeMap::new()).unwrap();
        store.add(&maker("m"), &[file("a", 1)]).unwrap();
        assert!(store.add(&maker("n"), &[file("b", 1)]).is_err());
        assert!(store.for_each(&maker("n"), |_, _| ()).is_err());
    }

    #[test]
    fn a_vector_of_another_length_is_damage() {
        let mut store = VectorStore::in_memory().unwrap();
        store.keep(&maker("m"), &BTreeMap::new()).unwrap();
        store.add(&maker("m"), &[file("a", 1)]).unwrap();
        store.db.execute("UPDATE vectors SET vector = x'00' WHERE piece = 1", []).unwrap();
        let error = store.for_each(&maker("m"), |_, _| ()).unwrap_err();
        assert!(error.to_string().contains("damaged (the length of a vector)"), "{error}");
    }
}

//! The index of one session's entries.

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use rayon::prelude::*;
use rusqlite::{Connection, TransactionBehavior};
use sha2::{Digest, Sha256};

use super::error::StoreError;
use super::rows::{self, Found, Stored};
use super::schema;
use crate::recall::{
    Candidate, Document, EntryKey, Matcher, Query, Quoting, Ranked, Recalled, Scope, Source, documents,
    quote, rank,
};
use crate::session::Entry;
use crate::tokens::TokenCounter;

/// Entries whose documents are held in memory at once while they are taken in.
const CHUNK: usize = 256;

/// Best documents, each of its own words, that are read for quoting.
const MAX_QUOTED: usize = 64;

/// What of a session can be recalled, by entry. One value serves one thread; several processes may share a database.
///
/// Only masked text is kept; see [`documents`]. A kill at any moment leaves the old rows or the new.
pub struct SessionIndex {
    db: Connection,
    place: String,
    session: i64,
    /// The state of the database that `known` is true of.
    version: i64,
    known: HashMap<EntryKey, Stored>,
}

/// What taking in entries did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Synced {
    /// Entries that are new.
    pub added: u64,
    /// Entries that say something else than before.
    pub changed: u64,
    /// Entries that were known as they are.
    pub unchanged: u64,
    /// Entries that are gone.
    pub removed: u64,
}

impl SessionIndex {
    /// Opens or makes the index of the session called `name` in a state folder.
    ///
    /// # Errors
    /// Where the folder can't be made or is a link, or the database is none of ours or can't be read.
    pub fn open(state: &Path, name: &str) -> Result<SessionIndex, StoreError> {
        SessionIndex::with(schema::in_folder(state)?, name)
    }

    /// An index that leaves nothing on disk.
    ///
    /// # Errors
    /// Where SQLite can't make a database in memory.
    pub fn in_memory() -> Result<SessionIndex, StoreError> {
        SessionIndex::with(schema::in_memory()?, "")
    }

    fn with((db, place): (Connection, String), name: &str) -> Result<SessionIndex, StoreError> {
        let refused = |source| StoreError::database(&place, source);
        let session = rows::session(&db, name).map_err(refused)?;
        // Asked before the rows: what is written in between is read again.
        let version = rows::version(&db).map_err(refused)?;
        let known = rows::entries(&db, session).map_err(refused)?;
        Ok(SessionIndex { db, place, session, version, known })
    }

    /// Takes in entries: new ones and those that say something else; the others stay. All or nothing.
    ///
    /// # Errors
    /// Where the database can't be written.
    pub fn append<E: Borrow<Entry> + Sync>(&mut self, entries: &[E]) -> Result<Synced, StoreError> {
        self.take(entries, false)
    }

    /// Makes the index hold exactly the entries of a session: [`SessionIndex::append`], and the rest is forgotten.
    ///
    /// # Errors
    /// Where the database can't be written.
    pub fn sync(&mut self, entries: &[Entry]) -> Result<Synced, StoreError> {
        self.take(entries, true)
    }

    fn take<E: Borrow<Entry> + Sync>(&mut self, entries: &[E], whole: bool) -> Result<Synced, StoreError> {
        let SessionIndex { db, place, session, version, known } = self;
        let refused = |source| StoreError::database(place, source);
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(refused)?;
        let now = rows::version(&tx).map_err(refused)?;
        if now != *version {
            // Another process has written since.
            *known = rows::entries(&tx, *session).map_err(refused)?;
            *version = now;
        }
        let mut synced = Synced::default();
        let mut seen: HashSet<EntryKey> = HashSet::new();
        let mut changes: Vec<(EntryKey, Option<Stored>)> = Vec::new();
        for chunk in entries.chunks(CHUNK) {
            // In order, whatever the number of threads.
            let texts: Vec<Vec<Document>> = chunk.par_iter().map(|entry| documents(entry.borrow())).collect();
            for (entry, documents) in chunk.iter().map(Borrow::borrow).zip(&texts) {
                let key = (entry.id.clone(), entry.line);
                // The first of two entries of one identifier on one line stands, as engines have it.
                if documents.is_empty() || !seen.insert(key.clone()) {
                    continue;
                }
                let digest = entry_digest(documents);
                match known.get(&key) {
                    Some((_, stored)) if *stored == digest => {
                        synced.unchanged += 1;
                        continue;
                    }
                    Some((row, _)) => {
                        rows::remove(&tx, *row).map_err(refused)?;
                        synced.changed += 1;
                    }
                    None => synced.added += 1,
                }
                let row = rows::insert(&tx, *session, &key, &digest, documents).map_err(refused)?;
                changes.push((key, Some((row, digest))));
            }
        }
        if whole {
            for (key, (row, _)) in known.iter().filter(|(key, _)| !seen.contains(*key)) {
                rows::remove(&tx, *row).map_err(refused)?;
                changes.push((key.clone(), None));
                synced.removed += 1;
            }
        }
        tx.commit().map_err(refused)?;
        for (key, stored) in changes {
            match stored {
                Some(stored) => known.insert(key, stored),
                None => known.remove(&key),
            };
        }
        Ok(synced)
    }

    /// Finds what a query names within a scope, and quotes it. With `summaries`, summaries of other entries count too.
    ///
    /// Deterministic: the same entries, query, scope, limits and counter give the same text, whatever else the database holds.
    ///
    /// # Errors
    /// Where the database can't be read.
    pub fn recall(
        &self,
        query: &Query,
        scope: &Scope,
        summaries: bool,
        quoting: Quoting,
        counter: &dyn TokenCounter,
    ) -> Result<Recalled, StoreError> {
        if query.is_empty() {
            return Ok(Recalled::default());
        }
        let refused = |source| StoreError::database(&self.place, source);
        // One state of the rows for all that follows; nothing is written but the temporary table.
        let tx = self.db.unchecked_transaction().map_err(refused)?;
        rows::search_in(&tx, &self.known, scope, summaries).map_err(refused)?;
        let matcher = Matcher::new(&query.needles)
            .map_err(|_| StoreError::damaged(&self.place, "a query beyond its bounds"))?;
        let (collection, found) = rows::find(&tx, query, &matcher).map_err(refused)?;
        let (documents, candidates): (Vec<i64>, Vec<Candidate>) = found.into_iter().map(candidate).unzip();
        let ranked = rank(query, &collection, &candidates);
        let count = ranked.len() as u64;
        let mut sources = Vec::new();
        let mut known = BTreeSet::new();
        let mut duplicates = 0;
        for ranked in ranked {
            if sources.len() >= MAX_QUOTED {
                break;
            }
            // A text that was said a hundred times must not keep all others out.
            if known.insert(rows::digest(&tx, documents[ranked.candidate]).map_err(refused)?) {
                sources.push(self.source(&tx, ranked, &documents, &candidates)?);
            } else {
                duplicates += 1;
            }
        }
        tx.commit().map_err(refused)?;
        let recalled = quote(query, &sources, &scope.beside, quoting, counter);
        Ok(Recalled { found: count, duplicates: recalled.duplicates + duplicates, ..recalled })
    }

    fn source(
        &self,
        db: &Connection,
        ranked: Ranked,
        documents: &[i64],
        candidates: &[Candidate],
    ) -> Result<(Ranked, Source), StoreError> {
        let row = rows::document(db, documents[ranked.candidate]);
        let (entry, part, kind, digest, text) =
            row.map_err(|source| StoreError::database(&self.place, source))?;
        let damaged = |what| StoreError::damaged(&self.place, what);
        let kind = kind.ok_or_else(|| damaged("kind of a document"))?;
        let digest = digest.try_into().map_err(|_| damaged("digest of a document"))?;
        let in_text = |byte: usize| text.is_char_boundary(byte);
        if !in_text(ranked.anchor) || ranked.passage.is_some_and(|(a, b)| a > b || !in_text(a) || !in_text(b))
        {
            return Err(damaged("place of a passage"));
        }
        let needles = candidates[ranked.candidate].exact.iter().map(|found| found.needle).collect();
        Ok((ranked, Source { entry, part, kind, text, digest, needles }))
    }
}

fn candidate((row, found): (i64, Found)) -> (i64, Candidate) {
    let Found { position, part, exact, passages } = found;
    (row, Candidate { position, part, exact, passages: passages.into_values().collect() })
}

fn entry_digest(documents: &[Document]) -> Vec<u8> {
    let mut hash = Sha256::new();
    for document in documents {
        hash.update(document.part.to_le_bytes());
        hash.update(document.kind.name());
        // The text itself, not its digest: blanks count here.
        hash.update((document.text.len() as u64).to_le_bytes());
        hash.update(&document.text);
    }
    hash.finalize().to_vec()
}

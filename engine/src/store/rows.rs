//! Rows of the index of sessions: writing entries, and reading what a scope may see.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::recall::{
    Collection, Document, DocumentKind, EntryKey, Matcher, Occurrence, PassageHit, Query, Scope, passages,
    word_counts,
};
use crate::session::EntryId;

/// A stored entry: its row, and the digest of its documents.
pub(super) type Stored = (i64, Vec<u8>);

/// The row of a session, made where it is absent.
pub(super) fn session(db: &Connection, name: &str) -> rusqlite::Result<i64> {
    let known = db.query_row("SELECT id FROM sessions WHERE name = ?1", [name], |r| r.get(0)).optional()?;
    match known {
        Some(id) => Ok(id),
        None => {
            db.execute("INSERT INTO sessions (name) VALUES (?1)", [name])?;
            Ok(db.last_insert_rowid())
        }
    }
}

/// A number that changes whenever another connection has written.
pub(super) fn version(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("PRAGMA data_version", [], |row| row.get(0))
}

/// The stored entries of a session.
pub(super) fn entries(db: &Connection, session: i64) -> rusqlite::Result<HashMap<EntryKey, Stored>> {
    let mut statement =
        db.prepare_cached("SELECT id, entry, line, digest FROM entries WHERE session_id = ?1")?;
    let stored = |row: &Row<'_>| {
        let key = (EntryId(row.get(1)?), row.get::<_, i64>(2)?.unsigned_abs());
        Ok((key, (row.get(0)?, row.get(3)?)))
    };
    statement.query_map([session], stored)?.collect()
}

pub(super) fn remove(db: &Connection, row: i64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM entries WHERE id = ?1")?.execute([row])?;
    Ok(())
}

pub(super) fn insert(
    db: &Connection,
    session: i64,
    key: &EntryKey,
    digest: &[u8],
    documents: &[Document],
) -> rusqlite::Result<i64> {
    db.prepare_cached("INSERT INTO entries (session_id, entry, line, digest) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![session, key.0.0, line(key), digest])?;
    let entry = db.last_insert_rowid();
    let mut add_document = db.prepare_cached(
        "INSERT INTO documents (entry_id, part, kind, digest, text) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    let mut add_passage = db.prepare_cached(
        "INSERT INTO passages (document_id, start, end, words, body) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?;
    for document in documents {
        add_document.execute(params![
            entry,
            document.part,
            document.kind.name(),
            document.digest,
            document.text
        ])?;
        let row = db.last_insert_rowid();
        for passage in passages(&document.text) {
            let (words, body) = body(&document.text[passage.start..passage.end]);
            add_passage.execute(params![row, number(passage.start), number(passage.end), words, body])?;
        }
    }
    Ok(entry)
}

/// The words of a passage, sorted, each as often as it occurs.
fn body(text: &str) -> (i64, String) {
    let mut body = String::new();
    let mut words = 0;
    for (word, count) in word_counts(text) {
        words += i64::from(count);
        for _ in 0..count {
            body.push_str(&word);
            body.push(' ');
        }
    }
    (words, body)
}

/// Fills the table of searched documents: those of the path, and neither shown nor saying what a shown one says.
pub(super) fn search_in(
    db: &Connection,
    known: &HashMap<EntryKey, Stored>,
    scope: &Scope,
    summaries: bool,
) -> rusqlite::Result<()> {
    let mut searched: BTreeMap<i64, usize> = BTreeMap::new();
    let mut shown: Vec<i64> = Vec::new();
    for (position, key) in scope.path.iter().enumerate() {
        let Some((row, _)) = known.get(key) else { continue };
        if scope.shown.contains(key) {
            shown.push(*row);
        } else {
            searched.insert(*row, position);
        }
    }
    let searched: Vec<(i64, usize)> = searched.into_iter().collect();
    db.execute("DELETE FROM temp.searched", [])?;
    db.prepare_cached(
        "INSERT INTO temp.searched (document_id, position)
         SELECT d.id, json_extract(s.value, '$[1]')
         FROM json_each(?1) s JOIN documents d ON d.entry_id = json_extract(s.value, '$[0]')
         WHERE (?3 OR d.kind <> 'summary') AND d.digest NOT IN
            (SELECT digest FROM documents WHERE entry_id IN (SELECT value FROM json_each(?2)))",
    )?
    .execute(params![json(&searched), json(&shown), summaries])?;
    Ok(())
}

/// A searched document in which something was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) position: usize,
    pub(super) part: u32,
    pub(super) exact: Vec<Occurrence>,
    /// By the passage's row.
    pub(super) passages: BTreeMap<i64, PassageHit>,
}

/// What of the query occurs in the searched documents, by row, and their figures.
pub(super) fn find(
    db: &Connection,
    query: &Query,
    matcher: &Matcher,
) -> rusqlite::Result<(Collection, BTreeMap<i64, Found>)> {
    let mut collection = Collection {
        with_needle: vec![0; query.needles.len()],
        with_word: vec![0; query.words.len()],
        ..Collection::default()
    };
    let mut found = BTreeMap::new();
    find_verbatim(db, query, matcher, &mut collection, &mut found)?;
    (collection.passages, collection.words) = db
        .prepare_cached(
            "SELECT count(*), total(p.words) FROM temp.searched s JOIN passages p USING (document_id)",
        )?
        .query_row([], |row| Ok((row.get::<_, i64>(0)?.unsigned_abs(), row.get::<_, f64>(1)? as u64)))?;
    for word in 0..query.words.len() {
        find_word(db, query, word, &mut collection, &mut found)?;
    }
    Ok((collection, found))
}

fn find_verbatim(
    db: &Connection,
    query: &Query,
    matcher: &Matcher,
    collection: &mut Collection,
    found: &mut BTreeMap<i64, Found>,
) -> rusqlite::Result<()> {
    if query.needles.is_empty() {
        let count = "SELECT count(*) FROM temp.searched";
        collection.documents = db.query_row(count, [], |row| row.get::<_, i64>(0))?.unsigned_abs();
        return Ok(());
    }
    let mut statement = db.prepare_cached(
        "SELECT d.id, s.position, d.part, d.text FROM temp.searched s JOIN documents d ON d.id = s.document_id",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        collection.documents += 1;
        let exact = matcher.find(row.get_ref(3)?.as_str()?);
        if exact.is_empty() {
            continue;
        }
        for occurrence in &exact {
            collection.with_needle[occurrence.needle] += 1;
        }
        let position = row.get::<_, i64>(1)?.unsigned_abs() as usize;
        found.insert(row.get(0)?, Found { position, part: row.get(2)?, exact, ..Found::default() });
    }
    Ok(())
}

fn find_word(
    db: &Connection,
    query: &Query,
    word: usize,
    collection: &mut Collection,
    found: &mut BTreeMap<i64, Found>,
) -> rusqlite::Result<()> {
    // The vocabulary is asked for one term by equality: no text of the query is ever read as a search expression.
    let mut statement = db.prepare_cached(
        "SELECT p.id, p.document_id, p.start, p.end, p.words, count(*), s.position, d.part
         FROM passage_word_instances i
         JOIN passages p ON p.id = i.doc
         JOIN temp.searched s ON s.document_id = p.document_id
         JOIN documents d ON d.id = p.document_id
         WHERE i.term = ?1 GROUP BY p.id",
    )?;
    let mut rows = statement.query([&query.words[word].text])?;
    while let Some(row) = rows.next()? {
        collection.with_word[word] += 1;
        let size = |column| row.get::<_, i64>(column).map(|n| n.unsigned_abs() as usize);
        let (position, part) = (size(6)?, row.get(7)?);
        let document =
            found.entry(row.get(1)?).or_insert_with(|| Found { position, part, ..Found::default() });
        let passage = document.passages.entry(row.get(0)?).or_insert(PassageHit {
            start: size(2)?,
            end: size(3)?,
            words: size(4)? as u64,
            counts: Vec::new(),
        });
        passage.counts.push((word, row.get(5)?));
    }
    Ok(())
}

/// The digest of a document.
pub(super) fn digest(db: &Connection, row: i64) -> rusqlite::Result<Vec<u8>> {
    db.prepare_cached("SELECT digest FROM documents WHERE id = ?1")?.query_row([row], |row| row.get(0))
}

/// A document to quote: entry, line, part, kind, digest, text.
pub(super) type DocumentRow = (EntryKey, u32, Option<DocumentKind>, Vec<u8>, String);

pub(super) fn document(db: &Connection, row: i64) -> rusqlite::Result<DocumentRow> {
    db.prepare_cached(
        "SELECT e.entry, e.line, d.part, d.kind, d.digest, d.text
         FROM documents d JOIN entries e ON e.id = d.entry_id WHERE d.id = ?1",
    )?
    .query_row([row], |row| {
        let key = (EntryId(row.get(0)?), row.get::<_, i64>(1)?.unsigned_abs());
        let kind = DocumentKind::of_name(row.get_ref(3)?.as_str()?);
        Ok((key, row.get(2)?, kind, row.get(4)?, row.get(5)?))
    })
}

/// Integers alone: no text of a log or a query is in it.
fn json(numbers: &impl serde::Serialize) -> String {
    serde_json::to_string(numbers).expect("integers are JSON")
}

fn line(key: &EntryKey) -> i64 {
    i64::try_from(key.1).unwrap_or(i64::MAX)
}

fn number(byte: usize) -> i64 {
    i64::try_from(byte).unwrap_or(i64::MAX)
}

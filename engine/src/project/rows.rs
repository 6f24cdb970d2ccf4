//! Reading and writing the rows of the index. Every function works inside the caller's transaction.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension, params};

use super::analyse::Analysis;
use super::discover::Stamp;
use super::index::LanguageStatus;
use super::language::Language;
use super::manifest::Manifest;
use super::parse::NoTree;
use super::resolve::Resolver;

/// What is stored about a file to recognise it again.
pub(super) struct Known {
    pub(super) id: i64,
    pub(super) sha256: Vec<u8>,
    pub(super) stamp: Stamp,
}

pub(super) fn meta(db: &Connection, key: &str) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT value FROM meta WHERE key = ?1")?.query_row([key], |r| r.get(0)).optional()
}

pub(super) fn set_meta(db: &Connection, key: &str, value: &str) -> rusqlite::Result<()> {
    db.prepare_cached(
        "INSERT INTO meta VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
    )?
    .execute([key, value])?;
    Ok(())
}

/// Indexed files by path.
pub(super) fn known_files(db: &Connection) -> rusqlite::Result<BTreeMap<String, Known>> {
    let mut statement = db.prepare("SELECT path, id, sha256, bytes, modified_ns, changed_ns FROM files")?;
    let rows = statement.query_map([], |r| {
        let stamp = Stamp { bytes: unsigned(r.get(3)?), modified_ns: r.get(4)?, changed_ns: r.get(5)? };
        Ok((r.get(0)?, Known { id: r.get(1)?, sha256: r.get(2)?, stamp }))
    })?;
    rows.collect()
}

/// Files left out for their content, by path.
pub(super) fn known_skipped(db: &Connection) -> rusqlite::Result<BTreeMap<String, Stamp>> {
    let mut statement = db.prepare("SELECT path, bytes, modified_ns, changed_ns FROM skipped")?;
    let rows = statement.query_map([], |r| {
        let stamp = Stamp { bytes: unsigned(r.get(1)?), modified_ns: r.get(2)?, changed_ns: r.get(3)? };
        Ok((r.get(0)?, stamp))
    })?;
    rows.collect()
}

pub(super) fn delete_file(db: &Connection, id: i64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM files WHERE id = ?1")?.execute([id])?;
    Ok(())
}

pub(super) fn delete_skipped(db: &Connection, path: &str) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM skipped WHERE path = ?1")?.execute([path])?;
    Ok(())
}

pub(super) fn insert_skipped(
    db: &Connection,
    path: &str,
    reason: &str,
    stamp: Stamp,
) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT OR REPLACE INTO skipped VALUES (?1, ?2, ?3, ?4, ?5)")?.execute(params![
        path,
        reason,
        signed(stamp.bytes),
        stamp.modified_ns,
        stamp.changed_ns
    ])?;
    Ok(())
}

pub(super) fn set_stamp(db: &Connection, id: i64, stamp: Stamp) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE files SET bytes = ?2, modified_ns = ?3, changed_ns = ?4 WHERE id = ?1")?
        .execute(params![id, signed(stamp.bytes), stamp.modified_ns, stamp.changed_ns])?;
    Ok(())
}

/// Structure of a file that has a tree.
const TREE: &str = "tree";

/// Writes everything of one file; returns its row.
pub(super) fn insert_file(
    db: &Connection,
    path: &str,
    sha256: &[u8; 32],
    stamp: Stamp,
    analysis: &Analysis,
) -> rusqlite::Result<i64> {
    db.prepare_cached(
        "INSERT INTO files (path, sha256, bytes, modified_ns, changed_ns, language, structure, role, lines)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?
    .execute(params![
        path,
        sha256.as_slice(),
        signed(stamp.bytes),
        stamp.modified_ns,
        stamp.changed_ns,
        analysis.language.map(Language::code),
        analysis.language.map(|_| analysis.no_tree.map_or(TREE, NoTree::code)),
        analysis.role.code(),
        analysis.lines
    ])?;
    let id = db.last_insert_rowid();
    insert_symbols(db, id, analysis)?;
    insert_imports(db, id, analysis)?;
    insert_uses(db, id, analysis)?;
    insert_chunks(db, id, analysis)?;
    if let Some(manifest) = &analysis.manifest {
        let facts = serde_json::to_string(manifest).expect("facts are strings and lists of them");
        db.prepare_cached("INSERT INTO manifests VALUES (?1, ?2)")?.execute(params![id, facts])?;
    }
    Ok(id)
}

fn insert_symbols(db: &Connection, file: i64, analysis: &Analysis) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached("INSERT INTO symbols VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
    for (ordinal, s) in analysis.symbols.iter().enumerate() {
        statement.execute(params![
            file,
            signed(ordinal),
            s.name,
            s.kind,
            s.parent,
            s.start_line,
            s.end_line,
            s.signature
        ])?;
    }
    Ok(())
}

fn insert_imports(db: &Connection, file: i64, analysis: &Analysis) -> rusqlite::Result<()> {
    let mut statement =
        db.prepare_cached("INSERT INTO imports VALUES (?1, ?2, ?3, ?4, 'unresolved', NULL)")?;
    for (ordinal, import) in analysis.imports.iter().enumerate() {
        statement.execute(params![file, signed(ordinal), import.line, import.specifier])?;
    }
    Ok(())
}

fn insert_uses(db: &Connection, file: i64, analysis: &Analysis) -> rusqlite::Result<()> {
    if analysis.uses.is_empty() {
        return Ok(());
    }
    db.prepare_cached("INSERT INTO uses VALUES (?1, ?2)")?.execute(params![file, analysis.uses])?;
    Ok(())
}

/// The names that a file uses, as stored.
pub(super) fn read_uses(names: &str) -> impl Iterator<Item = (&str, u32)> {
    names.lines().filter_map(|line| {
        let (name, count) = line.rsplit_once(' ')?;
        Some((name, count.parse().ok()?))
    })
}

fn insert_chunks(db: &Connection, file: i64, analysis: &Analysis) -> rusqlite::Result<()> {
    let mut shape = db.prepare_cached(
        "INSERT INTO chunks (file_id, start_line, end_line, path_terms, def_terms, body_terms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let mut content =
        db.prepare_cached("INSERT INTO chunk_terms VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?;
    let mut terms = db.prepare_cached(
        "INSERT INTO terms (rowid, body1, body2, body3, body4, body8, body16, path, defs)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    for c in &analysis.chunks {
        shape.execute(params![file, c.start_line, c.end_line, c.path.terms, c.defs.terms, c.body.terms])?;
        let row = db.last_insert_rowid();
        let [body1, body2, body3, body4, body8, body16] = &c.body.columns;
        let values = params![row, body1, body2, body3, body4, body8, body16, c.path.text, c.defs.text];
        content.execute(values)?;
        terms.execute(values)?;
    }
    Ok(())
}

/// What resolution looks at beside paths: a change of it may change the meaning of any import.
#[derive(PartialEq, Eq)]
pub(super) struct Names {
    manifests: BTreeMap<String, Manifest>,
    /// Namespaces that files of C# declare.
    namespaces: BTreeSet<String>,
}

pub(super) fn names(db: &Connection) -> rusqlite::Result<Names> {
    let mut statement =
        db.prepare("SELECT f.path, m.facts FROM manifests m JOIN files f ON f.id = m.file_id")?;
    let rows = statement.query_map([], |r| Ok((r.get::<_, String>(0)?, r.get::<_, String>(1)?)))?;
    let mut manifests = BTreeMap::new();
    for row in rows {
        let (path, facts) = row?;
        // Facts of another version can't be met here: the fingerprint has dropped them.
        if let Ok(manifest) = serde_json::from_str(&facts) {
            manifests.insert(path, manifest);
        }
    }
    let declared = namespaces(db)?;
    Ok(Names { manifests, namespaces: declared.into_iter().map(|(_, name)| name).collect() })
}

/// Namespaces that files of C# declare: file row and full name.
pub(super) fn namespaces(db: &Connection) -> rusqlite::Result<Vec<(i64, String)>> {
    let mut statement = db.prepare(
        "SELECT s.file_id, s.name, s.parent FROM symbols s JOIN files f ON f.id = s.file_id
         WHERE f.language = ?1 AND s.kind = 'module' ORDER BY f.path, s.ordinal",
    )?;
    let rows = statement.query_map([Language::CSharp.code()], |r| {
        let (file, name, parent): (i64, String, Option<String>) = (r.get(0)?, r.get(1)?, r.get(2)?);
        Ok((file, parent.map_or(name.clone(), |parent| format!("{parent}.{name}"))))
    })?;
    rows.collect()
}

/// Says what the imports mean: of every file, or only of `files` where neither the set of files nor the names have changed.
pub(super) fn resolve_imports(db: &Connection, names: &Names, files: Option<&[i64]>) -> rusqlite::Result<()> {
    let paths: Vec<String> = db
        .prepare("SELECT path FROM files ORDER BY path")?
        .query_map([], |r| r.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let resolver = Resolver::new(paths.iter().map(String::as_str), &names.manifests, &names.namespaces);
    let select = "SELECT f.path, f.language, i.file_id, i.ordinal, i.specifier, i.resolution, i.target
                  FROM imports i JOIN files f ON f.id = i.file_id";
    let mut pending = Vec::new();
    let mut gather = |statement: &mut rusqlite::Statement<'_>, params: &[&dyn rusqlite::ToSql]| {
        let mut rows = statement.query(params)?;
        while let Some(row) = rows.next()? {
            let (path, language): (String, Option<String>) = (row.get(0)?, row.get(1)?);
            let Some(language) = language.as_deref().and_then(Language::from_code) else { continue };
            let (file, ordinal): (i64, i64) = (row.get(2)?, row.get(3)?);
            let (specifier, resolution): (String, String) = (row.get(4)?, row.get(5)?);
            let target: Option<String> = row.get(6)?;
            let resolved = resolver.resolve(&path, language, &specifier);
            if resolved.code() != resolution || resolved.name() != target.as_deref() {
                pending.push((file, ordinal, resolved));
            }
        }
        Ok::<(), rusqlite::Error>(())
    };
    match files {
        None => gather(&mut db.prepare(select)?, &[])?,
        Some(files) => {
            let mut statement = db.prepare(&format!("{select} WHERE i.file_id = ?1"))?;
            for file in files {
                gather(&mut statement, &[file])?;
            }
        }
    }
    let mut update =
        db.prepare("UPDATE imports SET resolution = ?3, target = ?4 WHERE file_id = ?1 AND ordinal = ?2")?;
    for (file, ordinal, target) in pending {
        update.execute(params![file, ordinal, target.code(), target.name()])?;
    }
    Ok(())
}

/// What the index holds of each language, by its name.
pub(super) fn by_language(db: &Connection) -> rusqlite::Result<BTreeMap<String, LanguageStatus>> {
    let mut out: BTreeMap<String, LanguageStatus> = BTreeMap::new();
    let mut files = db.prepare(
        "SELECT language, count(*), sum(structure <> ?1) FROM files WHERE language IS NOT NULL GROUP BY language",
    )?;
    let mut rows = files.query([TREE])?;
    while let Some(row) = rows.next()? {
        let entry = out.entry(row.get(0)?).or_default();
        (entry.files, entry.without_tree) = (unsigned(row.get(1)?), unsigned(row.get(2)?));
    }
    let mut symbols = db.prepare(
        "SELECT f.language, count(*) FROM symbols s JOIN files f ON f.id = s.file_id GROUP BY f.language",
    )?;
    let mut rows = symbols.query([])?;
    while let Some(row) = rows.next()? {
        out.entry(row.get(0)?).or_default().symbols = unsigned(row.get(1)?);
    }
    let mut imports = db.prepare(
        "SELECT f.language, i.resolution, count(*) FROM imports i JOIN files f ON f.id = i.file_id
         GROUP BY f.language, i.resolution",
    )?;
    let mut rows = imports.query([])?;
    while let Some(row) = rows.next()? {
        let entry = out.entry(row.get(0)?).or_default();
        let count = unsigned(row.get(2)?);
        match row.get::<_, String>(1)?.as_str() {
            "external" => entry.external += count,
            "unresolved" => entry.unresolved += count,
            _ => entry.resolved += count,
        }
    }
    Ok(out)
}

/// How many files of a known language go without a tree, by reason.
pub(super) fn without_tree(db: &Connection) -> rusqlite::Result<BTreeMap<String, u64>> {
    let mut statement =
        db.prepare("SELECT structure, count(*) FROM files WHERE structure <> ?1 GROUP BY structure")?;
    let rows = statement.query_map([TREE], |r| Ok((r.get(0)?, unsigned(r.get(1)?))))?;
    rows.collect()
}

/// Counts of files, symbols, imports, and bytes of source.
pub(super) fn counts(db: &Connection) -> rusqlite::Result<(u64, u64, u64, u64)> {
    db.query_row(
        "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM symbols), (SELECT count(*) FROM imports),
                (SELECT coalesce(sum(bytes), 0) FROM files)",
        [],
        |r| Ok((unsigned(r.get(0)?), unsigned(r.get(1)?), unsigned(r.get(2)?), unsigned(r.get(3)?))),
    )
}

/// SQLite's integers are signed; sizes and counts fit.
fn signed(value: impl TryInto<i64>) -> i64 {
    value.try_into().unwrap_or(i64::MAX)
}

fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

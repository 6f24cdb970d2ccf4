//! The rows as values for retrieval: loaded once a refresh, then shared by every query.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension};

use super::language::Language;
use super::names::{self, NameParts};
use super::pairs;
use super::past::{self, CommitView};
use super::role::Role;
use super::rows;
use super::symbols::Symbol;
use super::tally;
use super::terms::whole;

/// Fields of a chunk, in the order of every `[_; 3]` here.
pub const FIELDS: [&str; 3] = ["path", "defs", "body"];

/// One indexed file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileView {
    /// Path relative to the root, forward slashes.
    pub path: String,
    /// SHA-256 of its bytes.
    pub sha256: [u8; 32],
    /// Language, where it is one that is parsed.
    pub language: Option<Language>,
    /// What it is for.
    pub role: Role,
    /// Lines.
    pub lines: u32,
    /// Terms by field.
    pub lengths: [u32; 3],
    /// Its symbols, outer before inner.
    pub symbols: Vec<Symbol>,
    /// Files of the project it imports, as positions in [`View::files`], sorted, each once.
    pub imports: Vec<u32>,
}

/// One chunk of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkView {
    /// Position of its file in [`View::files`].
    pub file: u32,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Terms by field.
    pub lengths: [u32; 3],
}

/// How often a term occurs in one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Posting {
    /// Position of the chunk in [`View::chunks`].
    pub chunk: u32,
    /// Occurrences by field.
    pub counts: [u32; 3],
}

/// Everything retrieval looks at, apart from occurrences.
#[derive(Debug, Default)]
pub struct View {
    /// Files by path.
    pub files: Vec<FileView>,
    /// Chunks by file, then line.
    pub chunks: Vec<ChunkView>,
    /// Past commits that touched indexed files, newest first; empty where no history was learnt.
    pub commits: Vec<CommitView>,
    pub(super) commit_of_row: HashMap<i64, u32>,
    chunk_of_row: HashMap<i64, u32>,
    by_name: HashMap<String, Vec<(u32, u32)>>,
    test_pairs: OnceCell<Vec<Vec<u32>>>,
    commits_by_file: OnceCell<Vec<Vec<u32>>>,
    neighbours: OnceCell<Vec<Vec<u32>>>,
    symbol_names: OnceCell<NameParts>,
    file_names: OnceCell<NameParts>,
}

/// Which files use which names, for names that the project defines.
#[derive(Debug, Default)]
pub struct Uses {
    by_name: HashMap<String, Vec<(u32, u32)>>,
}

impl Uses {
    /// Files that use a name, with how often: as (position in [`View::files`], count), in order. Letter case counts.
    pub fn of(&self, name: &str) -> &[(u32, u32)] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }
}

impl View {
    /// Symbols with this name, letter case and underscores aside, as positions (file, symbol), in order.
    pub fn symbols_named(&self, name: &str) -> &[(u32, u32)] {
        self.by_name.get(&whole(name)).map_or(&[], Vec::as_slice)
    }

    /// Pairs of test and tested file by name: for every file the positions of its partners. Found once a loaded index.
    pub fn test_pairs(&self) -> &[Vec<u32>] {
        self.test_pairs.get_or_init(|| pairs::test_pairs(&self.files))
    }

    /// For every file the past commits that touched it, as positions in [`View::commits`], newest first. Found once a loaded
    /// index.
    pub fn commits_by_file(&self) -> &[Vec<u32>] {
        self.commits_by_file.get_or_init(|| past::by_file(self.files.len(), &self.commits))
    }

    /// For every file those that it imports, that import it, and its partners in testing, ascending. Found once a loaded
    /// index.
    pub fn neighbours(&self) -> &[Vec<u32>] {
        self.neighbours.get_or_init(|| neighbours(&self.files, self.test_pairs()))
    }

    /// The parts of the names of definitions, owned by files. Found once a loaded index.
    pub fn symbol_names(&self) -> &NameParts {
        self.symbol_names.get_or_init(|| names::of_symbols(&self.files))
    }

    /// The parts of the names of files. Found once a loaded index.
    pub fn file_names(&self) -> &NameParts {
        self.file_names.get_or_init(|| names::of_files(&self.files))
    }

    /// The position of a path.
    pub fn position(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|f| f.path.as_str().cmp(path)).ok()
    }
}

fn neighbours(files: &[FileView], test_pairs: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut out = test_pairs.to_vec();
    for (from, file) in files.iter().enumerate() {
        for &to in &file.imports {
            out[from].push(to);
            out[to as usize].push(position(from));
        }
    }
    for list in &mut out {
        list.sort_unstable();
        list.dedup();
    }
    out
}

pub(super) fn load(db: &Connection) -> rusqlite::Result<View> {
    let mut view = View::default();
    let file_of_row = load_files(db, &mut view)?;
    load_chunks(db, &mut view, &file_of_row)?;
    load_symbols(db, &mut view, &file_of_row)?;
    load_imports(db, &mut view, &file_of_row)?;
    (view.commits, view.commit_of_row) = past::load(db, |path| view.position(path))?;
    for (file, entry) in view.files.iter().enumerate() {
        for (at, symbol) in entry.symbols.iter().enumerate() {
            view.by_name.entry(whole(&symbol.name)).or_default().push((position(file), position(at)));
        }
    }
    Ok(view)
}

pub(super) fn load_uses(db: &Connection, view: &View) -> rusqlite::Result<Uses> {
    let symbols = view.files.iter().flat_map(|file| &file.symbols);
    let mut uses = Uses { by_name: symbols.map(|symbol| (symbol.name.clone(), Vec::new())).collect() };
    let mut statement =
        db.prepare("SELECT f.path, u.names FROM uses u JOIN files f ON f.id = u.file_id ORDER BY f.path")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (path, names): (String, String) = (row.get(0)?, row.get(1)?);
        let Some(file) = view.position(&path) else { continue };
        for (name, count) in rows::read_uses(&names) {
            if let Some(users) = uses.by_name.get_mut(name) {
                users.push((position(file), count));
            }
        }
    }
    Ok(uses)
}

fn load_files(db: &Connection, view: &mut View) -> rusqlite::Result<HashMap<i64, u32>> {
    let mut statement =
        db.prepare("SELECT id, path, sha256, language, role, lines FROM files ORDER BY path")?;
    let mut rows = statement.query([])?;
    let mut file_of_row = HashMap::new();
    while let Some(row) = rows.next()? {
        file_of_row.insert(row.get(0)?, position(view.files.len()));
        let (language, role): (Option<String>, String) = (row.get(3)?, row.get(4)?);
        view.files.push(FileView {
            path: row.get(1)?,
            sha256: row.get(2)?,
            language: language.as_deref().and_then(Language::from_code),
            role: Role::from_code(&role).unwrap_or(Role::Data),
            lines: row.get(5)?,
            lengths: [0; 3],
            symbols: Vec::new(),
            imports: Vec::new(),
        });
    }
    Ok(file_of_row)
}

fn load_chunks(db: &Connection, view: &mut View, file_of_row: &HashMap<i64, u32>) -> rusqlite::Result<()> {
    let mut statement = db
        .prepare("SELECT id, file_id, start_line, end_line, path_terms, def_terms, body_terms FROM chunks")?;
    let mut rows = statement.query([])?;
    let mut loaded = Vec::new();
    while let Some(row) = rows.next()? {
        let Some(&file) = file_of_row.get(&row.get(1)?) else { continue };
        let lengths = [row.get(4)?, row.get(5)?, row.get(6)?];
        let chunk = ChunkView { file, start_line: row.get(2)?, end_line: row.get(3)?, lengths };
        loaded.push((row.get::<_, i64>(0)?, chunk));
    }
    // Row numbers depend on the history of refreshes; positions don't.
    loaded.sort_by_key(|(_, chunk)| (chunk.file, chunk.start_line));
    for (at, (row, chunk)) in loaded.into_iter().enumerate() {
        view.chunk_of_row.insert(row, position(at));
        let total = &mut view.files[chunk.file as usize].lengths;
        for (total, length) in total.iter_mut().zip(chunk.lengths) {
            *total += length;
        }
        view.chunks.push(chunk);
    }
    Ok(())
}

fn load_symbols(db: &Connection, view: &mut View, file_of_row: &HashMap<i64, u32>) -> rusqlite::Result<()> {
    let mut statement = db.prepare(
        "SELECT file_id, name, kind, parent, start_line, end_line, signature FROM symbols ORDER BY file_id, ordinal",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let Some(&file) = file_of_row.get(&row.get(0)?) else { continue };
        view.files[file as usize].symbols.push(Symbol {
            name: row.get(1)?,
            kind: row.get(2)?,
            parent: row.get(3)?,
            start_line: row.get(4)?,
            end_line: row.get(5)?,
            signature: row.get(6)?,
        });
    }
    Ok(())
}

fn load_imports(db: &Connection, view: &mut View, file_of_row: &HashMap<i64, u32>) -> rusqlite::Result<()> {
    let mut statement = db.prepare(
        "SELECT DISTINCT file_id, resolution, target FROM imports WHERE target IS NOT NULL ORDER BY file_id, target",
    )?;
    let mut rows = statement.query([])?;
    let mut edges: Vec<(u32, u32)> = Vec::new();
    // Importers of each folder and namespace.
    let mut folders: BTreeMap<(Option<Language>, String), Vec<u32>> = BTreeMap::new();
    let mut namespaces: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let Some(&importer) = file_of_row.get(&row.get(0)?) else { continue };
        let (resolution, target): (String, String) = (row.get(1)?, row.get(2)?);
        match resolution.as_str() {
            "folder" => {
                let language = view.files[importer as usize].language;
                folders.entry((language, target)).or_default().push(importer);
            }
            "namespace" => namespaces.entry(target).or_default().push(importer),
            _ => edges.extend(view.position(&target).map(|to| (importer, position(to)))),
        }
    }
    let mut uses = UsedNames { db, names: HashMap::new() };
    for ((language, folder), importers) in folders {
        let members = members(view, language, &folder);
        uses.connect(view, &importers, &members, &mut edges)?;
    }
    if !namespaces.is_empty() {
        let declaring = declaring(db, file_of_row)?;
        for (name, importers) in namespaces {
            let members = declaring.get(&name).map_or(&[][..], Vec::as_slice);
            uses.connect(view, &importers, members, &mut edges)?;
        }
    }
    edges.retain(|(from, to)| from != to);
    edges.sort_unstable();
    edges.dedup();
    for (from, to) in edges {
        view.files[from as usize].imports.push(to);
    }
    Ok(())
}

/// Files of a language directly in a folder that aren't tests.
fn members(view: &View, language: Option<Language>, folder: &str) -> Vec<u32> {
    let first = view.files.partition_point(|file| file.path.as_str() < folder);
    let below = view.files[first..].iter().take_while(|file| file.path.starts_with(folder));
    let direct = |file: &FileView| {
        file.language == language && file.role != Role::Test && !file.path[folder.len()..].contains('/')
    };
    below.enumerate().filter(|(_, file)| direct(file)).map(|(at, _)| position(first + at)).collect()
}

/// Files that declare each namespace of C#.
fn declaring(
    db: &Connection,
    file_of_row: &HashMap<i64, u32>,
) -> rusqlite::Result<BTreeMap<String, Vec<u32>>> {
    let mut out: BTreeMap<String, Vec<u32>> = BTreeMap::new();
    for (row, name) in rows::namespaces(db)? {
        if let Some(&file) = file_of_row.get(&row) {
            out.entry(name).or_default().push(file);
        }
    }
    Ok(out)
}

/// Names that files use, read when first asked for.
struct UsedNames<'d> {
    db: &'d Connection,
    names: HashMap<u32, Option<String>>,
}

impl UsedNames<'_> {
    /// Adds edges from importers of a folder or a namespace to those of its members that define a name the importer uses. Go
    /// is taken whole: its package is one unit. So is what can't be told apart, because no uses of the language are kept.
    fn connect(
        &mut self,
        view: &View,
        importers: &[u32],
        members: &[u32],
        edges: &mut Vec<(u32, u32)>,
    ) -> rusqlite::Result<()> {
        let mut defining: HashMap<&str, Vec<u32>> = HashMap::new();
        for &member in members {
            for symbol in &view.files[member as usize].symbols {
                defining.entry(symbol.name.as_str()).or_default().push(member);
            }
        }
        for &importer in importers {
            match self.of(view, importer)? {
                None => edges.extend(members.iter().map(|&member| (importer, member))),
                Some(names) => {
                    let used = rows::read_uses(names).filter_map(|(name, _)| defining.get(name)).flatten();
                    edges.extend(used.map(|&member| (importer, member)));
                }
            }
        }
        Ok(())
    }

    fn of(&mut self, view: &View, importer: u32) -> rusqlite::Result<Option<&str>> {
        let file = &view.files[importer as usize];
        if file.language == Some(Language::Go) {
            return Ok(None);
        }
        if !self.names.contains_key(&importer) {
            let mut statement = self.db.prepare_cached(
                "SELECT u.names FROM uses u JOIN files f ON f.id = u.file_id WHERE f.path = ?1",
            )?;
            let names = statement.query_row([&file.path], |r| r.get(0)).optional()?;
            self.names.insert(importer, names);
        }
        Ok(self.names[&importer].as_deref())
    }
}

/// Counts the occurrences of some terms by chunk and field, in the order of `terms`, of which each stands there once. One
/// statement for all: to open the vocabulary costs as much as to find a few terms in it.
pub(super) fn postings(db: &Connection, view: &View, terms: &[&str]) -> rusqlite::Result<Vec<Vec<Posting>>> {
    let mut out = vec![Vec::new(); terms.len()];
    let at: HashMap<&[u8], usize> =
        terms.iter().enumerate().map(|(at, term)| (term.as_bytes(), at)).collect();
    let mut statement = db.prepare_cached(
        "SELECT term, doc, col FROM term_instances WHERE term IN (SELECT value FROM json_each(?1))",
    )?;
    let mut rows = statement.query([serde_json::Value::from(terms).to_string()])?;
    while let Some(row) = rows.next()? {
        let (Some(&term), doc) = (at.get(row.get_ref(0)?.as_bytes()?), row.get::<_, i64>(1)?) else {
            continue;
        };
        let (field, count) = match row.get_ref(2)? {
            ValueRef::Text(b"path") => (0, 1),
            ValueRef::Text(b"defs") => (1, 1),
            ValueRef::Text(column) => (2, tally::weight(column).unwrap_or(0)),
            _ => continue,
        };
        let Some(&chunk) = view.chunk_of_row.get(&doc) else { continue };
        let found: &mut Vec<Posting> = &mut out[term];
        if found.last().is_none_or(|last| last.chunk != chunk) {
            found.push(Posting { chunk, counts: [0; 3] });
        }
        if let Some(last) = found.last_mut() {
            last.counts[field] += count;
        }
    }
    out.iter_mut().for_each(|found| found.sort_unstable_by_key(|posting| posting.chunk));
    Ok(out)
}

pub(crate) fn position(at: usize) -> u32 {
    u32::try_from(at).expect("an index holds fewer than 2^32 files, chunks and symbols of one file")
}

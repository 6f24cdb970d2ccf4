//! The index of one project: opening it, refreshing it, and what it says of itself.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use sha2::{Digest, Sha256};

use super::discover::{Limits, Skipped};
use super::error::ProjectError;
use super::hex::to_hex;
use super::past::{self, HistoryReport, PastCommit};
use super::policy::ExcludePolicy;
use super::schema::{self, SchemaError};
use super::view::{Posting, Uses, View};
use super::{dump, language, refresh, rows, state, view};

/// Version of everything of ours that decides the rows beside grammars and queries: chunk size, splitting, roles,
/// resolution. Raise it with any change of those.
const EXTRACTION_VERSION: u32 = 6;

/// Terms whose occurrences are kept in memory; beyond it the memory is emptied.
const POSTING_CACHE_TERMS: usize = 4096;

/// Page of a new database on disk: several chunks' terms go into one, where SQLite's own default holds one of them and a half
/// each, and a first index is written in a quarter as many pieces.
const PAGE_BYTES: u32 = 16_384;

/// Commits by position, with how often a stem occurs in each.
type PastPostings = Arc<[(u32, u32)]>;

/// The index of one project's files. One value serves one thread; several processes may share a database.
pub struct Index {
    pub(super) db: Connection,
    /// Path of the database, or `in memory`: for messages only.
    pub(super) place: String,
    pub(super) policy: ExcludePolicy,
    pub(super) limits: Limits,
    /// The root of the last refresh by this value: quoting reads files below it.
    pub(super) root: Option<PathBuf>,
    pub(super) view: OnceCell<View>,
    uses: OnceCell<Uses>,
    pub(super) postings: RefCell<HashMap<String, Arc<[Posting]>>>,
    past_postings: RefCell<HashMap<String, PastPostings>>,
}

/// What a refresh did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RefreshReport {
    /// Files in the index afterwards.
    pub files: u64,
    /// Symbols in the index afterwards.
    pub symbols: u64,
    /// Imports in the index afterwards.
    pub imports: u64,
    /// Bytes of the indexed files.
    pub bytes: u64,
    /// Files of a known language that go without symbols and imports afterwards, by the reason's name.
    pub without_tree: BTreeMap<String, u64>,
    /// Files read and analysed.
    pub changed: u64,
    /// Files kept as they were, whether recognised by their stamp or by their hash.
    pub reused: u64,
    /// Files no longer in the index.
    pub removed: u64,
    /// Whether rows of an older exclude policy were purged from the database's free space.
    pub purged: bool,
    /// Files left out and why, sorted by path.
    pub skipped: Vec<Skipped>,
}

/// Whether an index can be used as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Nothing was ever indexed.
    Missing,
    /// The files or the version of the extraction have changed.
    Stale,
    /// It was filled under another exclude policy, or a purge hasn't ended: nothing may be read from it.
    PolicyStale,
    /// It equals what a refresh would make.
    Fresh,
}

impl Freshness {
    /// The stable name in reports.
    pub fn code(self) -> &'static str {
        match self {
            Freshness::Missing => "missing",
            Freshness::Stale => "stale",
            Freshness::PolicyStale => "policy-stale",
            Freshness::Fresh => "fresh",
        }
    }
}

/// What an index holds of one language.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LanguageStatus {
    /// Files of it.
    pub files: u64,
    /// Those that go without symbols and imports.
    pub without_tree: u64,
    /// Definitions in them.
    pub symbols: u64,
    /// Imports that name something of the project, and it is found.
    pub resolved: u64,
    /// Imports that name something outside the project: a published package, a standard library.
    pub external: u64,
    /// Imports that should name something of the project, and it isn't found.
    pub unresolved: u64,
}

impl LanguageStatus {
    /// Share of the imports into the project that are resolved; `None` where there are none.
    pub fn resolved_share(&self) -> Option<f64> {
        let inside = self.resolved + self.unresolved;
        (inside > 0).then(|| self.resolved as f64 / inside as f64)
    }
}

/// What an index says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Whether it can be used.
    pub freshness: Freshness,
    /// Files, symbols, imports, bytes of source in it.
    pub files: u64,
    /// Symbols in it.
    pub symbols: u64,
    /// Imports in it.
    pub imports: u64,
    /// Bytes of the indexed files.
    pub bytes: u64,
    /// Files of a known language that go without symbols and imports, by the reason's name.
    pub without_tree: BTreeMap<String, u64>,
    /// What it holds of each language, by the language's name.
    pub languages: BTreeMap<String, LanguageStatus>,
    /// Paths on disk that are new, gone or changed, sorted.
    pub drifted: Vec<String>,
}

/// The patterns that the index in a state folder was last filled under, as [`ExcludePolicy::with_patterns`] took them; none
/// for an index never filled.
///
/// # Errors
/// Where the database can't be read.
pub fn stored_patterns(state: &Path) -> Result<Vec<String>, ProjectError> {
    let database = state.join(state::DATABASE_FILE);
    let place = database.display().to_string();
    let read = || -> rusqlite::Result<Option<String>> {
        let db = Connection::open_with_flags(&database, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        schema::configure(&db)?;
        let filled: i64 =
            db.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'", [], |r| r.get(0))?;
        if filled == 0 { Ok(None) } else { rows::meta(&db, PATTERNS_KEY) }
    };
    let stored = read().map_err(|source| ProjectError::database(&place, source))?;
    // Patterns that can't be read must not pass for no patterns: excluded files would come back.
    stored.map_or(Ok(Vec::new()), |json| {
        serde_json::from_str(&json).map_err(|_| ProjectError::NotAnIndex { place })
    })
}

pub(super) const PATTERNS_KEY: &str = "patterns";
pub(super) const POLICY_KEY: &str = "policy";
pub(super) const PURGE_KEY: &str = "purge_pending";
pub(super) const FINGERPRINT_KEY: &str = "fingerprint";

fn schema_error(error: SchemaError, place: &str) -> ProjectError {
    match error {
        SchemaError::Database(source) => ProjectError::database(place, source),
        SchemaError::Unknown { found } => {
            ProjectError::Schema { place: place.to_owned(), found, known: schema::version().to_string() }
        }
    }
}

impl Index {
    /// Opens or makes the index in a state folder (see [`STATE_FOLDER`](super::STATE_FOLDER)). Nothing is read from the
    /// project yet.
    pub fn open(state: &Path, policy: ExcludePolicy) -> Result<Index, ProjectError> {
        let database = state::prepare(state)?;
        let place = database.display().to_string();
        let db = Connection::open(&database).map_err(|source| ProjectError::database(&place, source))?;
        // Of a database that exists it changes nothing.
        db.pragma_update(None, "page_size", PAGE_BYTES)
            .map_err(|source| ProjectError::database(&place, source))?;
        Index::with(db, place, policy)
    }

    /// An index that leaves nothing on disk.
    pub fn in_memory(policy: ExcludePolicy) -> Result<Index, ProjectError> {
        let place = "in memory".to_owned();
        let db = schema::in_memory().map_err(|error| schema_error(error, &place))?;
        Index::with(db, place, policy)
    }

    fn with(mut db: Connection, place: String, policy: ExcludePolicy) -> Result<Index, ProjectError> {
        schema::configure(&db).map_err(|source| ProjectError::database(&place, source))?;
        schema::migrate(&mut db).map_err(|error| schema_error(error, &place))?;
        Ok(Index {
            db,
            place,
            policy,
            limits: Limits::default(),
            root: None,
            view: OnceCell::new(),
            uses: OnceCell::new(),
            postings: RefCell::default(),
            past_postings: RefCell::default(),
        })
    }

    /// Replaces the size limits, which are part of what makes an index stale.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// The policy in force.
    pub fn policy(&self) -> &ExcludePolicy {
        &self.policy
    }

    /// The root of the last refresh by this value.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// Makes the rows equal to the files below `root`, all or nothing: a kill at any moment leaves the old rows or the new.
    pub fn refresh(&mut self, root: &Path) -> Result<RefreshReport, ProjectError> {
        let report = refresh::refresh(self, root)?;
        self.root = Some(root.to_owned());
        self.forget();
        Ok(report)
    }

    /// Compares the rows with the files below `root` without reading their content.
    pub fn status(&self, root: &Path) -> Result<Status, ProjectError> {
        refresh::status(self, root)
    }

    /// What retrieval may look at. Fails where the rows may not be read: never refreshed, another policy, an unfinished purge.
    pub fn view(&self) -> Result<&View, ProjectError> {
        if self.view.get().is_none() {
            self.check_readable()?;
            let view = self.run(view::load)?;
            let _ = self.view.set(view);
        }
        Ok(self.view.get().expect("set just above"))
    }

    /// Which files use which names, read at the first call after a refresh.
    pub fn uses(&self) -> Result<&Uses, ProjectError> {
        if self.uses.get().is_none() {
            let view = self.view()?;
            let uses = self.run(|db| view::load_uses(db, view))?;
            let _ = self.uses.set(uses);
        }
        Ok(self.uses.get().expect("set just above"))
    }

    /// Where a term occurs, by chunk, in the order of [`View::chunks`].
    pub fn postings(&self, term: &str) -> Result<Arc<[Posting]>, ProjectError> {
        self.postings_of(&[term]).map(|mut found| found.swap_remove(0))
    }

    /// [`Index::postings`] of several terms, in their order.
    pub fn postings_of(&self, terms: &[&str]) -> Result<Vec<Arc<[Posting]>>, ProjectError> {
        let view = self.view()?;
        let mut cache = self.postings.borrow_mut();
        let mut unknown: Vec<&str> =
            terms.iter().copied().filter(|term| !cache.contains_key(*term)).collect();
        unknown.sort_unstable();
        unknown.dedup();
        let found = match unknown.is_empty() {
            true => Vec::new(),
            false => self.run(|db| view::postings(db, view, &unknown))?,
        };
        if cache.len() + unknown.len() > POSTING_CACHE_TERMS {
            let kept = terms.iter().filter_map(|term| cache.remove_entry(*term)).collect();
            *cache = kept;
        }
        cache.extend(unknown.iter().map(|term| (*term).to_owned()).zip(found.into_iter().map(Arc::from)));
        Ok(terms.iter().map(|term| Arc::clone(&cache[*term])).collect())
    }

    /// What the history was last learnt from, as the caller told; `None` where it wasn't, or where files came or went since.
    pub fn history_key(&self) -> Result<Option<String>, ProjectError> {
        self.run(|db| rows::meta(db, past::HISTORY_KEY))
    }

    /// How many commits are kept.
    pub fn commits(&self) -> Result<u64, ProjectError> {
        self.run(|db| db.query_row("SELECT count(*) FROM past_commits", [], |r| r.get::<_, i64>(0)))
            .map(i64::unsigned_abs)
    }

    /// Learns the history of version control: commits newest first, of which [`MAX_COMMITS`](super::MAX_COMMITS) are taken.
    /// `key` names what they were read from (the checked-out commit). All or nothing.
    pub fn learn_history(
        &mut self,
        key: &str,
        commits: &[PastCommit],
    ) -> Result<HistoryReport, ProjectError> {
        let commits = &commits[..commits.len().min(past::MAX_COMMITS)];
        let place = self.place.clone();
        let mut learn = || -> rusqlite::Result<HistoryReport> {
            let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let report = past::learn(&tx, key, commits)?;
            tx.commit()?;
            Ok(report)
        };
        let report = learn().map_err(|source| ProjectError::database(&place, source))?;
        self.forget();
        Ok(report)
    }

    /// Where a stem occurs in the history: positions in [`View::commits`] with counts, ascending.
    pub fn past_postings(&self, stem: &str) -> Result<PastPostings, ProjectError> {
        if let Some(found) = self.past_postings.borrow().get(stem) {
            return Ok(Arc::clone(found));
        }
        let view = self.view()?;
        let found: Arc<[(u32, u32)]> = self.run(|db| past::postings(db, &view.commit_of_row, stem))?.into();
        let mut cache = self.past_postings.borrow_mut();
        if cache.len() >= POSTING_CACHE_TERMS {
            cache.clear();
        }
        cache.insert(stem.to_owned(), Arc::clone(&found));
        Ok(found)
    }

    /// SHA-256 over every row that follows from the files' content, in a fixed order, lower-case hex: row numbers and times
    /// are left out, so a rebuild, an incremental refresh and a refresh after a kill agree.
    pub fn digest(&self) -> Result<String, ProjectError> {
        self.run(dump::digest)
    }

    pub(super) fn run<T>(
        &self,
        f: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, ProjectError> {
        f(&self.db).map_err(|source| self.database_error(source))
    }

    pub(super) fn database_error(&self, source: rusqlite::Error) -> ProjectError {
        ProjectError::database(&self.place, source)
    }

    fn check_readable(&self) -> Result<(), ProjectError> {
        let why = match self.run(|db| rows::meta(db, POLICY_KEY))? {
            None => Some("nothing was indexed yet"),
            Some(digest) if digest != self.policy.digest() => Some("filled under another exclude policy"),
            Some(_) if self.run(|db| rows::meta(db, PURGE_KEY))?.as_deref() != Some("0") => {
                Some("a purge of excluded content hasn't ended")
            }
            Some(_) if self.run(|db| rows::meta(db, FINGERPRINT_KEY))? != Some(self.fingerprint()) => {
                Some("filled by another version or under other limits")
            }
            Some(_) => None,
        };
        why.map_or(Ok(()), |why| Err(ProjectError::Stale { place: self.place.clone(), why }))
    }

    fn forget(&mut self) {
        self.view = OnceCell::new();
        self.uses = OnceCell::new();
        self.postings.borrow_mut().clear();
        self.past_postings.borrow_mut().clear();
    }

    /// Everything beside the files that decides the rows.
    pub(super) fn fingerprint(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(format!(
            "extraction {EXTRACTION_VERSION}; limits {} {}\n",
            self.limits.max_file_bytes, self.limits.max_other_bytes
        ));
        for text in language::fingerprint_texts() {
            hash.update(text);
            hash.update("\n");
        }
        to_hex(&hash.finalize())
    }
}

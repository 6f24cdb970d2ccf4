//! Bringing the rows in line with the files.
//!
//! One transaction holds everything: the list of files is compared with the stored stamps, changed files are analysed on
//! threads of this refresh's own while the caller's writes, in path order, so that the rows don't depend on the number of
//! threads. No thread pool is waited for: a caller may be one of its workers.
//!
//! Purge. When the exclude policy changes, rows of newly excluded files go in the same transaction that stores the new
//! policy and `purge_pending = 1`; only then is freed space rewritten, and the mark taken back. A crash in between leaves
//! the mark, nothing is read from such an index, and the next refresh ends the purge.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use rusqlite::{Connection, TransactionBehavior};

use super::analyse::{self, Analysis};
use super::discover::{Found, SkipReason, Skipped, Stamp, discover};
use super::error::ProjectError;
use super::index::{
    FINGERPRINT_KEY, Freshness, Index, PATTERNS_KEY, POLICY_KEY, PURGE_KEY, RefreshReport, Status,
};
use super::past;
use super::rows::{self, Known};

/// Files that may be analysed before the first of them is written: bounds memory, and keeps the writer fed.
const AHEAD_FILES: usize = 64;

/// Files that go from thread to thread together, at most: to wake one takes as long as to write a short file.
const GROUP_FILES: usize = 8;

/// Groups that a thread is given at least, where there are files enough: so that all of them end at about the same time.
const GROUPS_A_THREAD: usize = 16;

/// Fewer files are analysed by the caller's thread.
const FEW_FILES: usize = 4;

/// What reading one candidate gave.
enum Outcome {
    /// Same bytes as stored: only the stamp is new.
    Same(i64),
    /// New bytes.
    New { sha256: [u8; 32], analysis: Box<Analysis> },
    /// Left out for its content or because it can't be read.
    Skipped(SkipReason),
}

/// Work for the analysing threads.
struct Candidate {
    found: Found,
    known: Option<(i64, Vec<u8>)>,
}

pub(super) fn refresh(index: &mut Index, root: &Path) -> Result<RefreshReport, ProjectError> {
    let mut report = commit_rows(index, root)?;
    if index.run(|db| rows::meta(db, PURGE_KEY))?.as_deref() == Some("1") {
        index.run(purge)?;
        report.purged = true;
    } else if report.changed + report.removed > 0 {
        // Old pages must not linger in the log once their rows are gone. Another reader may keep it open: no fault.
        index.run(truncate_log)?;
    }
    Ok(report)
}

/// The transaction. Leaves `purge_pending` at 1 where the policy has changed.
fn commit_rows(index: &mut Index, root: &Path) -> Result<RefreshReport, ProjectError> {
    let place = index.place.clone();
    let database = |source| ProjectError::database(&place, source);
    let (policy, fingerprint) = (index.policy.digest(), index.fingerprint());
    let patterns = serde_json::Value::from(index.policy.patterns()).to_string();
    // Walk first: it needs no lock and takes the most time of an unchanged refresh.
    let discovery = discover(root, &index.policy, index.limits)?;
    let tx = index.db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(database)?;
    let stored_policy = rows::meta(&tx, POLICY_KEY).map_err(database)?;
    let same_rules = rows::meta(&tx, FINGERPRINT_KEY).map_err(database)? == Some(fingerprint.clone());
    let mut known = rows::known_files(&tx).map_err(database)?;
    let mut known_skipped = rows::known_skipped(&tx).map_err(database)?;

    let mut report = RefreshReport { skipped: discovery.skipped, ..RefreshReport::default() };
    let mut candidates = Vec::new();
    let mut gone = Vec::new();
    let mut added = false;
    for found in discovery.found {
        let skipped_before = known_skipped.remove(&found.path);
        if same_rules && skipped_before == Some(found.stamp) {
            report.skipped.push(Skipped { path: found.path, reason: SkipReason::Binary });
            continue;
        }
        if skipped_before.is_some() {
            gone.push(found.path.clone());
        }
        match known.remove(&found.path) {
            Some(Known { stamp, .. }) if same_rules && stamp == found.stamp => report.reused += 1,
            Some(Known { id, sha256, .. }) if same_rules => {
                candidates.push(Candidate { found, known: Some((id, sha256)) });
            }
            // Under other rules the bytes may be the same and the rows not.
            Some(Known { id, .. }) => candidates.push(Candidate { found, known: Some((id, Vec::new())) }),
            None => {
                added = true;
                candidates.push(Candidate { found, known: None });
            }
        }
    }
    let write = || -> rusqlite::Result<()> {
        let has_work = !candidates.is_empty() || !known.is_empty();
        let names_before = if has_work { Some(rows::names(&tx)?) } else { None };
        for path in known_skipped.keys().chain(&gone) {
            rows::delete_skipped(&tx, path)?;
        }
        for Known { id, .. } in known.values() {
            rows::delete_file(&tx, *id)?;
        }
        report.removed = known.len() as u64;
        let changed = write_candidates(&tx, root, &candidates, &mut report)?;
        if !changed.is_empty() || report.removed > 0 {
            let names = rows::names(&tx)?;
            let all = added || report.removed > 0 || names_before.as_ref() != Some(&names);
            rows::resolve_imports(&tx, &names, if all { None } else { Some(&changed) })?;
        }
        // The history knows only paths that were indexed when it was learnt, and must not know those that no longer are.
        if added || report.removed > 0 || stored_policy.as_ref() != Some(&policy) {
            past::forget(&tx)?;
        }
        (report.files, report.symbols, report.imports, report.bytes) = rows::counts(&tx)?;
        report.without_tree = rows::without_tree(&tx)?;
        if stored_policy.as_ref() != Some(&policy) || !same_rules {
            rows::set_meta(&tx, FINGERPRINT_KEY, &fingerprint)?;
            rows::set_meta(&tx, POLICY_KEY, &policy)?;
            rows::set_meta(&tx, PATTERNS_KEY, &patterns)?;
            let pending = stored_policy.as_ref().is_some_and(|stored| *stored != policy)
                || rows::meta(&tx, PURGE_KEY)?.as_deref() == Some("1");
            rows::set_meta(&tx, PURGE_KEY, if pending { "1" } else { "0" })?;
        }
        tx.commit()
    };
    write().map_err(database)?;
    report.skipped.sort();
    Ok(report)
}

/// Analyses on several threads, writes in path order. Returns the rows written.
fn write_candidates(
    db: &Connection,
    root: &Path,
    candidates: &[Candidate],
    report: &mut RefreshReport,
) -> rusqlite::Result<Vec<i64>> {
    let mut changed = Vec::new();
    let mut write = |at: usize, outcome| write_outcome(db, &candidates[at], outcome, report, &mut changed);
    if candidates.len() < FEW_FILES {
        for (at, candidate) in candidates.iter().enumerate() {
            write(at, read(root, candidate))?;
        }
        return Ok(changed);
    }
    let threads = rayon::current_num_threads();
    let group_files = (candidates.len() / (threads * GROUPS_A_THREAD)).clamp(1, GROUP_FILES);
    let groups: Vec<&[Candidate]> = candidates.chunks(group_files).collect();
    // A ticket is a group to analyse: one is out for each of the next files to write, so that files are waited for only while a
    // thread has them, and no thread runs far ahead.
    let (tickets, taken) = channel();
    let taken = Mutex::new(taken);
    thread::scope(|scope| {
        // Ends with the scope's closure, however that ends; so do the threads then.
        let tickets = tickets;
        let (done, outcomes) = channel();
        for _ in 0..threads.min(groups.len()) {
            let (taken, done, groups) = (&taken, done.clone(), &groups);
            scope.spawn(move || analyse_tickets(root, groups, taken, &done));
        }
        drop(done);
        let mut early: BTreeMap<usize, Vec<Outcome>> = BTreeMap::new();
        let ticket = |at: usize| {
            if at < groups.len() {
                tickets.send(at).expect("the scope holds the receiver");
            }
        };
        let ahead = (AHEAD_FILES / group_files).max(2 * threads);
        (0..ahead).for_each(ticket);
        for group in 0..groups.len() {
            while !early.contains_key(&group) {
                let (group, outcomes) = outcomes.recv().expect("a thread that has a ticket answers");
                early.insert(group, outcomes.unwrap_or_else(|panic| resume_unwind(panic)));
            }
            let outcomes = early.remove(&group).expect("waited for just above");
            for (at, outcome) in (group * group_files..).zip(outcomes) {
                write(at, outcome)?;
            }
            ticket(group + ahead);
        }
        Ok::<(), rusqlite::Error>(())
    })?;
    Ok(changed)
}

/// Analyses files until no more tickets come, or nobody wants an outcome any more.
fn analyse_tickets(
    root: &Path,
    groups: &[&[Candidate]],
    tickets: &Mutex<Receiver<usize>>,
    done: &Sender<(usize, thread::Result<Vec<Outcome>>)>,
) {
    loop {
        let ticket = match tickets.lock() {
            Ok(tickets) => tickets.recv(),
            Err(_) => return,
        };
        let Ok(group) = ticket else { return };
        let all = || groups[group].iter().map(|candidate| read(root, candidate)).collect();
        // A panic goes to the writer, who would wait for these files for ever.
        let outcomes = catch_unwind(AssertUnwindSafe(all));
        if done.send((group, outcomes)).is_err() {
            return;
        }
    }
}

fn read(root: &Path, candidate: &Candidate) -> Outcome {
    let file = root.join(&candidate.found.path);
    let is_file = fs::symlink_metadata(&file).is_ok_and(|m| m.file_type().is_file());
    let bytes = match fs::read(&file) {
        Ok(bytes) if is_file => bytes,
        _ => return Outcome::Skipped(SkipReason::Unreadable),
    };
    let sha256 = analyse::identity(&bytes);
    match &candidate.known {
        Some((id, stored)) if stored.as_slice() == sha256 => Outcome::Same(*id),
        _ if !analyse::is_text(&bytes) => Outcome::Skipped(SkipReason::Binary),
        _ => {
            let analysis = Box::new(analyse::analyse(&candidate.found.path, &bytes));
            Outcome::New { sha256, analysis }
        }
    }
}

fn write_outcome(
    db: &Connection,
    candidate: &Candidate,
    outcome: Outcome,
    report: &mut RefreshReport,
    changed: &mut Vec<i64>,
) -> rusqlite::Result<()> {
    let Found { path, stamp } = &candidate.found;
    if let Outcome::Same(id) = outcome {
        report.reused += 1;
        return rows::set_stamp(db, id, *stamp);
    }
    if let Some((id, _)) = candidate.known {
        rows::delete_file(db, id)?;
    }
    match outcome {
        Outcome::New { sha256, analysis } => {
            report.changed += 1;
            changed.push(rows::insert_file(db, path, &sha256, *stamp, &analysis)?);
        }
        Outcome::Skipped(reason) => {
            report.removed += u64::from(candidate.known.is_some());
            report.skipped.push(Skipped { path: path.clone(), reason });
            if reason == SkipReason::Binary {
                rows::insert_skipped(db, path, reason.code(), *stamp)?;
            }
        }
        Outcome::Same(_) => {}
    }
    Ok(())
}

/// Rewrites the database so that no page, free page or log frame holds what was deleted, then takes the mark back.
fn purge(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(
        "INSERT INTO terms (terms) VALUES ('rebuild'); INSERT INTO past (past) VALUES ('rebuild')",
    )?;
    truncate_log(db)?;
    db.execute_batch("VACUUM")?;
    truncate_log(db)?;
    rows::set_meta(db, PURGE_KEY, "0")?;
    truncate_log(db)
}

fn truncate_log(db: &Connection) -> rusqlite::Result<()> {
    db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

pub(super) fn status(index: &Index, root: &Path) -> Result<Status, ProjectError> {
    let discovery = discover(root, &index.policy, index.limits)?;
    let known = index.run(rows::known_files)?;
    let skipped = index.run(rows::known_skipped)?;
    let (files, symbols, imports, bytes) = index.run(rows::counts)?;
    let mut gone: BTreeSet<&String> = known.keys().collect();
    let mut drifted: Vec<String> = Vec::new();
    for Found { path, stamp } in discovery.found {
        gone.remove(&path);
        let stored: Option<Stamp> = known.get(&path).map(|k| k.stamp).or_else(|| skipped.get(&path).copied());
        if stored != Some(stamp) {
            drifted.push(path);
        }
    }
    drifted.extend(gone.into_iter().cloned());
    drifted.sort();
    let freshness = freshness(index, &drifted)?;
    let without_tree = index.run(rows::without_tree)?;
    let languages = index.run(rows::by_language)?;
    Ok(Status { freshness, files, symbols, imports, bytes, without_tree, languages, drifted })
}

fn freshness(index: &Index, drifted: &[String]) -> Result<Freshness, ProjectError> {
    let meta = |key| index.run(|db| rows::meta(db, key));
    Ok(match meta(POLICY_KEY)? {
        None => Freshness::Missing,
        Some(digest) if digest != index.policy.digest() || meta(PURGE_KEY)?.as_deref() != Some("0") => {
            Freshness::PolicyStale
        }
        _ if meta(FINGERPRINT_KEY)? != Some(index.fingerprint()) || !drifted.is_empty() => Freshness::Stale,
        _ => Freshness::Fresh,
    })
}

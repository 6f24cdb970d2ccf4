//! What version control says of the files: past commits, their words and the indexed files they touched.
//!
//! Only values enter: who reads the repository is the caller. A commit is kept as the stems of its message and of the
//! paths it touched, so that a task in the same words leads to the files of that commit. Paths that aren't indexed (gone,
//! excluded, protected) leave no trace. All rows are derived and go with any change of the set of files.

use std::collections::{BTreeSet, HashMap};

use rusqlite::{Connection, params};
use rust_stemmers::{Algorithm, Stemmer};

use super::kept::KEPT;
use super::role::base_name;
use super::rows;
use super::terms::{for_each_term, terms};
use super::view::position;
use crate::privacy::mask_secrets;

/// Commits read at most, newest first: older ones speak of another program.
pub const MAX_COMMITS: usize = KEPT.commits;

/// What a commit did to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// The path is new.
    Added,
    /// The path is gone.
    Removed,
    /// Its content changed.
    Changed,
}

/// One path of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastChange {
    /// Path relative to the root, forward slashes.
    pub path: String,
    /// What happened to it.
    pub kind: ChangeKind,
    /// Identity of the content before (empty where unknown): a removed and an added path of one content are a rename.
    pub before: String,
    /// Identity of the content afterwards (empty where unknown).
    pub after: String,
}

/// One past commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastCommit {
    /// When it was made, Unix seconds.
    pub time_s: i64,
    /// Its message.
    pub message: String,
    /// The paths it touched.
    pub changes: Vec<PastChange>,
}

/// What was learnt of the history.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HistoryReport {
    /// Commits kept: those that touch an indexed file and aren't too large.
    pub commits: u64,
    /// Commits read.
    pub read: u64,
}

/// One commit as retrieval sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitView {
    /// Seconds before the newest commit kept.
    pub age_s: u64,
    /// Files it touched, those that are no longer there included.
    pub touched: u32,
    /// Stems in it.
    pub length: u32,
    /// The indexed files among them, as positions in [`View::files`](super::View::files), ascending.
    pub files: Vec<u32>,
}

pub(super) const HISTORY_KEY: &str = "history";

/// Replaces what is known of the history. `commits` are newest first; `key` tells what they were read from.
pub(super) fn learn(db: &Connection, key: &str, commits: &[PastCommit]) -> rusqlite::Result<HistoryReport> {
    forget(db)?;
    let files = rows::known_files(db)?;
    let stemmer = Stemmer::create(Algorithm::English);
    let mut renamed: HashMap<String, String> = HashMap::new();
    let mut report = HistoryReport { read: commits.len() as u64, ..HistoryReport::default() };
    let mut insert_commit =
        db.prepare("INSERT INTO past_commits (id, time_s, touched, terms) VALUES (?1, ?2, ?3, ?4)")?;
    let mut insert_file = db.prepare("INSERT INTO past_files (commit_id, path) VALUES (?1, ?2)")?;
    let mut insert_text = db.prepare("INSERT INTO past_terms (commit_id, text) VALUES (?1, ?2)")?;
    let mut insert_terms = db.prepare("INSERT INTO past (rowid, text) VALUES (?1, ?2)")?;
    for (row, commit) in commits.iter().enumerate() {
        let now = follow_renames(commit, &mut renamed);
        let live: BTreeSet<&str> =
            now.iter().map(String::as_str).filter(|path| files.contains_key(*path)).collect();
        let touched = commit.changes.len();
        if live.is_empty() || touched > KEPT.commit_files {
            continue;
        }
        let text = stems(&stemmer, &commit.message, live.iter().copied());
        let id = row as i64;
        let length = text.split(' ').count() as i64;
        insert_commit.execute(params![id, commit.time_s, touched as i64, length])?;
        for path in live {
            insert_file.execute(params![id, path])?;
        }
        insert_text.execute(params![id, text])?;
        insert_terms.execute(params![id, text])?;
        report.commits += 1;
    }
    rows::set_meta(db, HISTORY_KEY, key)?;
    Ok(report)
}

/// Deletes every trace of the history.
pub(super) fn forget(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch("DELETE FROM past_commits; DELETE FROM meta WHERE key = 'history';")
}

/// Today's names of the paths that a commit left in place. Commits come newest first, so a rename met here explains all
/// older ones. A rename is a removed and an added path of one content, or else the only two of one file name.
fn follow_renames(commit: &PastCommit, renamed: &mut HashMap<String, String>) -> Vec<String> {
    let of_kind = |kind: ChangeKind| commit.changes.iter().filter(move |change| change.kind == kind);
    let mut by_content: HashMap<&str, &str> = HashMap::new();
    let mut by_name: HashMap<&str, Vec<&str>> = HashMap::new();
    for removed in of_kind(ChangeKind::Removed) {
        if !removed.before.is_empty() {
            by_content.insert(&removed.before, &removed.path);
        }
        by_name.entry(base_name(&removed.path)).or_default().push(&removed.path);
    }
    let mut added_names: HashMap<&str, u32> = HashMap::new();
    for added in of_kind(ChangeKind::Added) {
        *added_names.entry(base_name(&added.path)).or_default() += 1;
    }
    for added in of_kind(ChangeKind::Added) {
        let name = base_name(&added.path);
        let namesake = by_name.get(name).filter(|paths| paths.len() == 1 && added_names[name] == 1);
        let old = by_content.get(added.after.as_str()).copied().or(namesake.map(|paths| paths[0]));
        if let Some(old) = old
            && !renamed.contains_key(old)
        {
            let now = renamed.get(&added.path).unwrap_or(&added.path).clone();
            renamed.insert(old.to_owned(), now);
        }
    }
    let now = |path: &String| renamed.get(path).unwrap_or(path).clone();
    commit.changes.iter().filter(|c| c.kind != ChangeKind::Removed).map(|c| now(&c.path)).collect()
}

/// Stems of a message and of the names of the files it is about, separated by blanks.
fn stems<'p>(stemmer: &Stemmer, message: &str, paths: impl Iterator<Item = &'p str>) -> String {
    let mut out = String::new();
    let mut push = |term: &str| {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&stemmer.stem(term));
    };
    for line in mask_secrets(cut(message)).text.lines().filter(|line| !is_trailer(line)) {
        for_each_term(line, &mut push);
    }
    for path in paths {
        let once: BTreeSet<String> = terms(path).into_iter().collect();
        once.iter().for_each(|term| push(term));
    }
    out
}

fn cut(message: &str) -> &str {
    let mut end = message.len().min(KEPT.message_bytes);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    &message[..end]
}

/// Lines that tools append: who signed, reviewed, co-wrote.
fn is_trailer(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or("");
    let is_name = name.len() < line.len() && name.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
    is_name
        && (name.to_ascii_lowercase().ends_with("-by")
            || name.eq_ignore_ascii_case("change-id")
            || name.eq_ignore_ascii_case("git-svn-id"))
}

/// The commits, newest first, and their positions by row.
pub(super) fn load(
    db: &Connection,
    file_of_path: impl Fn(&str) -> Option<usize>,
) -> rusqlite::Result<(Vec<CommitView>, HashMap<i64, u32>)> {
    let mut commits = Vec::new();
    let mut of_row = HashMap::new();
    let mut newest = None;
    let mut statement = db.prepare("SELECT id, time_s, touched, terms FROM past_commits ORDER BY id")?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let time: i64 = row.get(1)?;
        let newest = *newest.get_or_insert(time);
        of_row.insert(row.get(0)?, position(commits.len()));
        commits.push(CommitView {
            age_s: newest.saturating_sub(time).max(0).unsigned_abs(),
            touched: row.get(2)?,
            length: row.get(3)?,
            files: Vec::new(),
        });
    }
    let mut statement = db.prepare("SELECT commit_id, path FROM past_files")?;
    let mut found = statement.query([])?;
    while let Some(row) = found.next()? {
        let path = row.get_ref(1)?.as_str().unwrap_or("");
        if let (Some(&commit), Some(file)) = (of_row.get(&row.get(0)?), file_of_path(path)) {
            commits[commit as usize].files.push(position(file));
        }
    }
    commits.iter_mut().for_each(|commit| commit.files.sort_unstable());
    Ok((commits, of_row))
}

/// The commits that touched each file, ascending.
pub(super) fn by_file(files: usize, commits: &[CommitView]) -> Vec<Vec<u32>> {
    let mut out = vec![Vec::new(); files];
    for (at, commit) in commits.iter().enumerate() {
        for &file in &commit.files {
            out[file as usize].push(position(at));
        }
    }
    out
}

/// How often a stem occurs in each commit, by position.
pub(super) fn postings(
    db: &Connection,
    commit_of_row: &HashMap<i64, u32>,
    stem: &str,
) -> rusqlite::Result<Vec<(u32, u32)>> {
    let mut statement =
        db.prepare_cached("SELECT doc, count(*) FROM past_instances WHERE term = ?1 GROUP BY doc")?;
    let mut found = statement.query([stem])?;
    let mut out = Vec::new();
    while let Some(row) = found.next()? {
        if let Some(&commit) = commit_of_row.get(&row.get(0)?) {
            out.push((commit, row.get(1)?));
        }
    }
    out.sort_unstable();
    Ok(out)
}

/// The stem under which a term stands in the history.
pub fn past_stem(term: &str) -> String {
    Stemmer::create(Algorithm::English).stem(term).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, kind: ChangeKind, before: &str, after: &str) -> PastChange {
        PastChange { path: path.to_owned(), kind, before: before.to_owned(), after: after.to_owned() }
    }

    fn commit(changes: Vec<PastChange>) -> PastCommit {
        PastCommit { time_s: 0, message: String::new(), changes }
    }

    #[test]
    fn renames_are_followed_from_the_newest_commit_back() {
        use ChangeKind::{Added, Changed, Removed};
        let newest_first = [
            commit(vec![change("b/y.rs", Removed, "1", ""), change("c/y.rs", Added, "", "2")]),
            commit(vec![change("a/x.rs", Removed, "0", ""), change("b/y.rs", Added, "", "0")]),
            commit(vec![change("a/x.rs", Changed, "9", "0")]),
        ];
        let mut renamed = HashMap::new();
        let names: Vec<Vec<String>> = newest_first.iter().map(|c| follow_renames(c, &mut renamed)).collect();
        assert_eq!(names, [["c/y.rs"], ["c/y.rs"], ["c/y.rs"]]);
    }

    #[test]
    fn a_name_that_is_used_again_is_another_file() {
        use ChangeKind::{Added, Changed, Removed};
        let newest_first = [
            commit(vec![change("a.rs", Changed, "5", "6")]),
            commit(vec![change("a.rs", Added, "", "5")]),
            commit(vec![change("a.rs", Removed, "0", ""), change("b.rs", Added, "", "0")]),
            commit(vec![change("a.rs", Changed, "9", "0")]),
        ];
        let mut renamed = HashMap::new();
        let names: Vec<Vec<String>> = newest_first.iter().map(|c| follow_renames(c, &mut renamed)).collect();
        assert_eq!(names, [["a.rs"], ["a.rs"], ["b.rs"], ["b.rs"]]);
    }

    #[test]
    fn a_commit_is_its_words_and_the_names_of_its_files_without_trailers_and_secrets() {
        let stemmer = Stemmer::create(Algorithm::English);
        let token = format!("ghp_{}", "a1B2".repeat(9));
        let message = format!("Fixes parsing of {token}\n\nReviewed-by: Some One <one@example.com>\n");
        let text = stems(&stemmer, &message, ["src/lineReader.rs"].into_iter());
        assert_eq!(text, "fix pars of redact github token line lineread reader rs src");
    }
}

//! Checkouts and their queries on disk.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::failure::{Failure, read_text};
use crate::localize::read_candidates;

/// A repository at its base commit, with queries about later commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// Name: the folder's.
    pub name: String,
    /// Root of the work tree. Its history must end at the base commit.
    pub root: PathBuf,
    /// Queries.
    pub queries: Vec<Query>,
    /// Paths that a ranking is judged on; every indexed file where absent.
    pub candidates: Option<BTreeSet<String>>,
}

/// A line of a query file. Further members are ignored: such files carry where a query came from.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Query {
    /// Identifier, unique in its file.
    pub id: String,
    /// The task text.
    pub query: String,
    /// Paths that a right answer names.
    pub gold: BTreeSet<String>,
    /// Commit time, seconds; for splits by time.
    #[serde(default)]
    pub time: i64,
    /// Whether the text names an identifier that a relevant file defines.
    #[serde(default)]
    pub has_ident: bool,
    /// The commit that all of history must precede.
    #[serde(default)]
    pub base_commit: Option<String>,
}

/// The checkouts of a folder: every `NAME/` beside a `NAME.jsonl` of queries and, if there is one, a
/// `NAME.candidates.json`; sorted by name. `only` names some of them; empty means all.
///
/// # Errors
/// What can't be read, a line that is no query, a name that isn't there, a folder without any.
pub fn checkouts(folder: &Path, only: &[String]) -> Result<Vec<Checkout>, Failure> {
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(|error| Failure::io(folder, &error))? {
        let path = entry.map_err(|error| Failure::io(folder, &error))?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && folder.join(format!("{name}.jsonl")).is_file() {
            names.insert(name.to_owned());
        }
    }
    if let Some(unknown) = only.iter().find(|name| !names.contains(*name)) {
        return Err(Failure::usage(format!(
            "{}: no checkout {unknown} with queries {unknown}.jsonl beside it",
            folder.display()
        )));
    }
    if !only.is_empty() {
        names.retain(|name| only.contains(name));
    }
    if names.is_empty() {
        return Err(Failure::bad_data(format!(
            "{}: no checkouts: want NAME/ beside NAME.jsonl",
            folder.display()
        )));
    }
    names.into_iter().map(|name| checkout(folder, name)).collect()
}

fn checkout(folder: &Path, name: String) -> Result<Checkout, Failure> {
    let file = folder.join(format!("{name}.jsonl"));
    let text = read_text(&file)?;
    let mut queries: Vec<Query> = Vec::new();
    let mut seen = BTreeSet::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fail = |what: String| Failure::bad_data(format!("{}:{}: {what}", file.display(), at + 1));
        let query: Query = serde_json::from_str(line)
            .map_err(|error| fail(format!("no query ({error}): want {{id, query, gold: [paths]}}")))?;
        if query.gold.is_empty() || !seen.insert(query.id.clone()) {
            return Err(fail(format!("query {:?} has no gold or stands twice", query.id)));
        }
        queries.push(query);
    }
    let root = folder.join(&name);
    let candidates = folder.join(format!("{name}.candidates.json"));
    let candidates = candidates.is_file().then(|| read_candidates(&candidates)).transpose()?;
    queries.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(Checkout { name, root, queries, candidates })
}

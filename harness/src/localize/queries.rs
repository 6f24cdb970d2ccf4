//! Files of queries and of candidates.

use std::collections::BTreeSet;
use std::path::Path;

use serde::Deserialize;

use crate::failure::{Failure, read_text};
use crate::ranking::RankingScores;

/// One query of a localisation file. Further fields are ignored: such files carry where a query came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalizeQuery {
    /// Identifier, unique in its file.
    pub id: String,
    /// The task text.
    pub query: String,
    /// Paths relative to the root that a right answer names; not empty.
    pub gold: BTreeSet<String>,
    /// Whether it names an identifier of a relevant file; `None` where the file doesn't say.
    pub has_ident: Option<bool>,
    /// When the change was made, Unix seconds; `None` where the file doesn't say.
    pub time: Option<i64>,
    /// The commit that all of history must precede; `None` where the file doesn't say.
    pub base_commit: Option<String>,
}

impl LocalizeQuery {
    /// Scores a ranking of paths, best first.
    pub fn score(&self, ranked: &[&str]) -> RankingScores {
        RankingScores::of(ranked, &self.gold.iter().map(String::as_str).collect())
    }
}

/// A line on disk.
#[derive(Deserialize)]
struct Line {
    id: String,
    query: String,
    gold: Vec<String>,
    #[serde(default)]
    has_ident: Option<bool>,
    #[serde(default)]
    time: Option<i64>,
    #[serde(default)]
    base_commit: Option<String>,
}

/// Reads queries, one JSON object a line; empty lines are passed over.
///
/// # Errors
/// What can't be read; a line that is no query, has no gold or repeats an identifier; a file without queries.
pub fn read_queries(path: &Path) -> Result<Vec<LocalizeQuery>, Failure> {
    let text = read_text(path)?;
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fail = |what: &str| {
            Failure::bad_data(format!(
                "{}:{}: {what}: want {{id, query, gold: [paths]}}",
                path.display(),
                at + 1
            ))
        };
        let Line { id, query, gold, has_ident, time, base_commit } =
            serde_json::from_str(line).map_err(|e| fail(&format!("no query ({e})")))?;
        if gold.is_empty() {
            return Err(fail("a query without gold can't be scored"));
        }
        if !seen.insert(id.clone()) {
            return Err(fail(&format!("id {id:?} stands twice")));
        }
        out.push(LocalizeQuery { id, query, gold: gold.into_iter().collect(), has_ident, time, base_commit });
    }
    if out.is_empty() {
        return Err(Failure::bad_data(format!(
            "{}: no queries: want one JSON object a line",
            path.display()
        )));
    }
    Ok(out)
}

/// Reads the paths that a ranking is scored on: a JSON array of strings.
///
/// # Errors
/// What can't be read or is no such array.
pub fn read_candidates(path: &Path) -> Result<BTreeSet<String>, Failure> {
    let text = read_text(path)?;
    serde_json::from_str(&text)
        .map_err(|e| Failure::bad_data(format!("{}: {e}: want a JSON array of paths", path.display())))
}

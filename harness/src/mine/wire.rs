//! Files of queries, of candidates and of what was left out.

use serde::Serialize;
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::failure::Failure;

use super::rule::Rule;
use super::run::Mined;

/// A line of the file of queries, as `harness localize` reads it.
#[derive(Serialize)]
struct Line<'a> {
    id: String,
    repo: &'a str,
    base_commit: &'a str,
    query: &'a str,
    gold: &'a [String],
    gold_src: &'a [String],
    query_noscope: &'a str,
    query_subject: &'a str,
    commit: &'a str,
    time: i64,
    n_new: usize,
    has_ident: bool,
}

/// The queries, one JSON object a line.
///
/// # Errors
/// None but a bug.
pub fn queries_text(mined: &Mined) -> Result<String, Failure> {
    let mut out = String::new();
    for (at, query) in mined.queries.iter().enumerate() {
        let line = Line {
            id: format!("{}-{at:03}", mined.name),
            repo: &mined.name,
            base_commit: &mined.base,
            query: &query.query,
            gold: &query.gold,
            gold_src: &query.gold_src,
            query_noscope: &query.noscope,
            query_subject: &query.subject,
            commit: &query.commit,
            time: query.time_s,
            n_new: query.new_files,
            has_ident: query.has_ident,
        };
        out.push_str(&serde_json::to_string(&line).map_err(internal)?);
        out.push('\n');
    }
    Ok(out)
}

/// The paths that a ranking is scored on: a JSON array.
///
/// # Errors
/// None but a bug.
pub fn candidates_text(mined: &Mined) -> Result<String, Failure> {
    let mut text = serde_json::to_string(&mined.candidates).map_err(internal)?;
    text.push('\n');
    Ok(text)
}

/// The document `mine/1`: where the queries are from, how many of what, and the SHA-256 of the two files.
pub fn meta_document(mined: &Mined, queries: &str, candidates: &str) -> Value {
    let count = |of: &dyn Fn(&super::run::MinedQuery) -> bool| mined.queries.iter().filter(|q| of(q)).count();
    let dropped: Map<String, Value> = Rule::ALL
        .iter()
        .map(|rule| (rule.code().to_owned(), mined.dropped.get(rule).copied().unwrap_or(0).into()))
        .collect();
    let gold: usize = mined.queries.iter().map(|query| query.gold.len()).sum();
    json!({
        "schema": "mine/1",
        "repo": mined.name,
        "base": mined.base,
        "tip": mined.tip,
        "commits_after_base": mined.commits,
        "queries": mined.queries.len(),
        "dropped": dropped,
        "candidates": mined.candidates.len(),
        "bytes": mined.bytes,
        "gold": gold,
        "with_src_gold": count(&|query| !query.gold_src.is_empty()),
        "control_characters": mined.masked,
        "has_ident": count(&|query| query.has_ident),
        "scoped": count(&|query| query.noscope != query.query),
        "queries_sha256": sha256(queries),
        "candidates_sha256": sha256(candidates),
    })
}

fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn internal(error: serde_json::Error) -> Failure {
    Failure::internal(format!("json output: {error}"))
}

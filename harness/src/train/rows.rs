//! Examples on disk, `ranking-rows/1`: features and labels as numbers, paths, no text of any task or file.

use std::fmt::Write as _;
use std::path::Path;

use engine::learn::{FEATURE_SET, Feature, static_ranking};
use engine::message::{hex, stable_json};
use serde::{Deserialize, Serialize};

use super::example::{Entry, Example, Form};
use crate::failure::{Failure, read_text};

const SCHEMA: &str = "ranking-rows/1";

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadLine {
    schema: String,
    feature_set: String,
    static_ranking: String,
    features: Vec<String>,
}

impl HeadLine {
    fn of_this_build() -> HeadLine {
        HeadLine {
            schema: SCHEMA.to_owned(),
            feature_set: FEATURE_SET.to_owned(),
            static_ranking: static_ranking(),
            features: Feature::all().iter().map(|feature| feature.name()).collect(),
        }
    }
}

/// An example; entries as (path, features in hexadecimal or null, candidate, gold).
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExampleLine {
    repository: String,
    query: String,
    form: String,
    has_area: bool,
    has_ident: bool,
    time: i64,
    head: Vec<(String, Option<String>, bool, bool)>,
    tail_gold: Vec<u32>,
    relevant: u32,
}

/// The text of some examples: a head line, then one a line.
pub fn write_rows(examples: &[Example]) -> String {
    let mut out = line(&HeadLine::of_this_build()) + "\n";
    for example in examples {
        let entry =
            |entry: &Entry| (entry.path.clone(), entry.row.as_deref().map(hex), entry.candidate, entry.gold);
        let stored = ExampleLine {
            repository: example.repository.clone(),
            query: example.query.clone(),
            form: example.form.name().to_owned(),
            has_area: example.has_area,
            has_ident: example.has_ident,
            time: example.time,
            head: example.head.iter().map(entry).collect(),
            tail_gold: example.tail_gold.clone(),
            relevant: example.relevant,
        };
        writeln!(out, "{}", line(&stored)).expect("writing to a string can't fail");
    }
    out
}

fn line(value: &impl Serialize) -> String {
    stable_json(&serde_json::to_value(value).expect("strings and integers are JSON"))
}

/// Reads what [`write_rows`] wrote.
///
/// # Errors
/// What can't be read; rows of other features or upon another static ranking than this build's.
pub fn read_rows(path: &Path) -> Result<Vec<Example>, Failure> {
    let text = read_text(path)?;
    let mut lines = (1..).zip(text.lines());
    let fail = |at: usize, what: &dyn std::fmt::Display| {
        Failure::bad_data(format!("{}:{at}: {what}", path.display()))
    };
    let (_, head) = lines.next().ok_or_else(|| fail(1, &"empty: want rows of this build"))?;
    let head: HeadLine = serde_json::from_str(head).map_err(|error| fail(1, &error))?;
    if head != HeadLine::of_this_build() {
        return Err(fail(1, &"rows of other features or another static ranking: compute them again"));
    }
    lines
        .map(|(at, line)| {
            let stored: ExampleLine = serde_json::from_str(line).map_err(|error| fail(at, &error))?;
            example(stored, head.features.len()).map_err(|what| fail(at, &what))
        })
        .collect()
}

fn example(stored: ExampleLine, features: usize) -> Result<Example, String> {
    let form = Form::ALL
        .into_iter()
        .find(|form| form.name() == stored.form)
        .ok_or_else(|| format!("form {:?}: want whole or without-area", stored.form))?;
    let mut head = Vec::new();
    for (path, row, candidate, gold) in stored.head {
        let row = row.map(|row| bytes(&row, features)).transpose()?;
        head.push(Entry { path, row, candidate, gold });
    }
    Ok(Example {
        repository: stored.repository,
        query: stored.query,
        form,
        has_area: stored.has_area,
        has_ident: stored.has_ident,
        time: stored.time,
        head,
        tail_gold: stored.tail_gold,
        relevant: stored.relevant,
    })
}

fn bytes(text: &str, count: usize) -> Result<Vec<u8>, String> {
    let wrong = || format!("a row isn't {count} bytes in hexadecimal");
    if text.len() != 2 * count || !text.is_ascii() {
        return Err(wrong());
    }
    (0..count).map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).map_err(|_| wrong())).collect()
}

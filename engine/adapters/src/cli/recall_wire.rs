//! JSON document of `sluice recall`.

use engine::recall::{Excerpt as RecalledExcerpt, Recalled};
use engine::session::Entry as SessionEntry;
use engine::tokens::TokenCounter;
use serde::Serialize;

use crate::log::{SessionLog, View};

/// `recall/1`.
#[derive(Serialize)]
pub(super) struct Answer<'a> {
    schema: &'static str,
    /// Format of the log; null where it is too short to tell.
    format: Option<&'static str>,
    view: &'static str,
    /// Faults of the log.
    faults: u64,
    /// The entry at which the search stood; null for an empty session.
    leaf: Option<Entry<'a>>,
    budget: u64,
    counter: &'static str,
    tokens: u64,
    /// Documents in which something was found.
    found: u64,
    duplicates: u64,
    over_budget: u64,
    excerpts: Vec<Excerpt<'a>>,
    text: &'a str,
}

#[derive(Serialize)]
struct Entry<'a> {
    entry: &'a str,
    /// Line of the log.
    line: u64,
}

#[derive(Serialize)]
struct Excerpt<'a> {
    entry: &'a str,
    /// Line of the log.
    line: u64,
    /// Position of the block in its entry, from 0.
    part: u32,
    kind: &'static str,
    /// Lines of the block's text, 1-based and inclusive, of `lines`.
    start_line: u32,
    end_line: u32,
    lines: u32,
    tokens: u64,
    score: f64,
    coverage: f64,
    reasons: &'a [&'static str],
    matched: &'a [String],
    text: &'a str,
}

impl<'a> Answer<'a> {
    pub(super) fn new(
        log: &SessionLog,
        view: View,
        leaf: Option<&'a SessionEntry>,
        budget: u64,
        counter: &dyn TokenCounter,
        recalled: &'a Recalled,
    ) -> Answer<'a> {
        Answer {
            schema: "recall/1",
            format: log.format.map(|format| format.name()),
            view: view.name(),
            faults: log.warning_counts.values().sum(),
            leaf: leaf.map(|entry| Entry { entry: &entry.id.0, line: entry.line }),
            budget,
            counter: counter.id(),
            tokens: recalled.tokens,
            found: recalled.found,
            duplicates: recalled.duplicates,
            over_budget: recalled.over_budget,
            excerpts: recalled.excerpts.iter().map(Excerpt::new).collect(),
            text: &recalled.text,
        }
    }
}

impl<'a> Excerpt<'a> {
    fn new(excerpt: &'a RecalledExcerpt) -> Excerpt<'a> {
        Excerpt {
            entry: &excerpt.entry.0.0,
            line: excerpt.entry.1,
            part: excerpt.part,
            kind: excerpt.kind.name(),
            start_line: excerpt.start_line,
            end_line: excerpt.end_line,
            lines: excerpt.lines,
            tokens: excerpt.tokens,
            score: rounded(excerpt.score),
            coverage: rounded(excerpt.coverage),
            reasons: &excerpt.reasons,
            matched: &excerpt.matched,
            text: &excerpt.text,
        }
    }
}

fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

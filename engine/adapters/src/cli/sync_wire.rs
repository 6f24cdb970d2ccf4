//! The JSON form of `sluice sync`: `sync/1`.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use crate::log::{Format, SessionLog, Stats, View};
use crate::sync;

/// The answer.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    schema: &'static str,
    files: Vec<File>,
    failed: Vec<Failed>,
}

impl Answer {
    pub(super) fn new(files: Vec<File>, failed: Vec<Failed>) -> Answer {
        Answer { schema: "sync/1", files, failed }
    }
}

/// A log that couldn't be synced; the others were.
#[derive(Debug, Serialize)]
pub(super) struct Failed {
    path: String,
    message: String,
}

impl Failed {
    pub(super) fn new(path: &Path, message: String) -> Failed {
        Failed { path: path.to_string_lossy().into_owned(), message }
    }
}

/// One log.
#[derive(Debug, Serialize)]
pub(super) struct File {
    path: String,
    event: &'static str,
    generation: u64,
    bytes_read: u64,
    check_bytes: u64,
    torn_tail: bool,
    generations: Vec<Generation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    figures: Option<Figures>,
}

impl File {
    pub(super) fn new(
        path: &Path,
        synced: &sync::Synced,
        generations: &[sync::Generation],
        log: Option<&SessionLog>,
    ) -> File {
        File {
            path: path.to_string_lossy().into_owned(),
            event: synced.event.code(),
            generation: synced.generation.number,
            bytes_read: synced.bytes_read,
            check_bytes: synced.check_bytes,
            torn_tail: synced.generation.torn_tail_bytes > 0,
            generations: generations.iter().map(Generation::new).collect(),
            figures: log.map(Figures::new),
        }
    }
}

/// One content that the path had.
#[derive(Debug, Serialize)]
struct Generation {
    number: u64,
    ended_by: Option<String>,
    size: u64,
    lines: u64,
    torn_tail_bytes: u64,
    bytes_read: u64,
    check_bytes: u64,
    steps: u64,
}

impl Generation {
    fn new(found: &sync::Generation) -> Generation {
        Generation {
            number: found.number,
            ended_by: found.ended_by.clone(),
            size: found.size,
            lines: found.lines,
            torn_tail_bytes: found.torn_tail_bytes,
            bytes_read: found.bytes_read,
            check_bytes: found.check_bytes,
            steps: found.steps,
        }
    }
}

/// What the log amounts to, as the agent reads it.
#[derive(Debug, Serialize)]
struct Figures {
    format: Option<&'static str>,
    entries: u64,
    user_turns: u64,
    requests: u64,
    tool_calls: u64,
    input: u64,
    output: u64,
    cache_read: u64,
    cache_write: u64,
    warnings: BTreeMap<&'static str, u64>,
}

impl Figures {
    fn new(log: &SessionLog) -> Figures {
        let Stats { tree_entries, user_turns, requests, tool_calls, usage, .. } = log.stats(View::Agent);
        Figures {
            format: log.format.map(Format::name),
            entries: tree_entries,
            user_turns,
            requests,
            tool_calls,
            input: usage.input,
            output: usage.output,
            cache_read: usage.cache_read,
            cache_write: usage.cache_write,
            warnings: log.warning_counts.iter().map(|(code, count)| (code.code(), *count)).collect(),
        }
    }
}

//! Requests and the lines that told of them.

use super::thread::Threads;
use super::usage::Told;
use super::view::Linked;
use crate::log::dialect::Report;
use crate::log::{FaultCode, Purpose, Request};

/// A request and where it was told.
#[derive(Debug)]
pub(super) struct Traced {
    /// Its figures and what identifies it within its thread.
    pub(super) told: Told,
    /// Line that told of it.
    pub(super) line: u64,
    /// Thread that made it.
    pub(super) thread: String,
    /// Model of the turn.
    pub(super) model: String,
    /// Whether Codex's own loader parses the line.
    pub(super) agent_reads: bool,
    /// Whether it was copied with another thread's history.
    pub(super) inherited: bool,
}

/// The requests in the order of the log: those that figures tell of, on the line of the reply that each one made, and the
/// replies that none tells of. A number without request was told to be something else later.
pub(super) fn requests(traced: Vec<Option<Traced>>, linked: &Linked, refused: bool) -> Vec<Request> {
    let mut requests: Vec<Request> = Vec::new();
    for (number, traced) in traced.into_iter().enumerate() {
        let Some(traced) = traced else { continue };
        requests.push(Request {
            purpose: Purpose::Reply,
            line: linked.request_lines.get(&number).copied().unwrap_or(traced.line),
            key: Some(format!("{}:{}", traced.thread, traced.told.key)),
            model: traced.model,
            usage: traced.told.usage,
            salvaged_only: refused || !traced.agent_reads,
            inherited: traced.inherited,
        });
    }
    let unbilled = linked.unbilled.iter().map(|reply| Request {
        purpose: Purpose::Reply,
        line: reply.line,
        // Nothing of an item stays the same in a copy of the history.
        key: None,
        model: reply.model.clone(),
        usage: None,
        salvaged_only: refused || !reply.agent_reads,
        inherited: reply.inherited,
    });
    requests.extend(unbilled);
    requests.sort_by_key(|request| request.line);
    requests
}

/// Notes that requests were copied from another session, or that nothing tells.
pub(super) fn report_copies(requests: &[Request], threads: &Threads, report: &mut Report) {
    let copied = requests.iter().filter(|request| request.inherited).count();
    let first = requests.iter().find(|request| request.inherited).map_or(1, |request| request.line);
    let message = match (copied, threads.end_is_guessed()) {
        (0, false) => return,
        (0, true) if requests.is_empty() => return,
        (0, true) => {
            "nothing tells which requests came with another session's history: all count here".to_owned()
        }
        (_, false) => {
            format!("{copied} requests from here on came with another session's history, which counts them")
        }
        (_, true) => {
            format!(
                "{copied} requests from here on came with another session's history, by the times of their lines"
            )
        }
    };
    report.warn(first, FaultCode::DuplicateHistory, message);
}

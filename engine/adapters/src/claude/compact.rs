//! What compactions keep and what microcompactions clear.

use std::collections::HashMap;

use engine::message::{Block, Message};
use engine::session::{EntryId, EntryKind};

use super::chain::Parents;
use super::line::{Class, Line, answered};
use crate::log::dialect::Report;
use crate::log::links::bad_first_kept;

/// What stands in the prompt in place of a cleared result.
const CLEARED: &str = "[Old tool result content cleared]";

/// Lets a boundary that names a preserved segment keep it: head to tail stand behind the summary, or before it where the
/// boundary itself is the anchor, and what followed the tail follows the compaction.
pub(super) fn keep_segments(lines: &mut [Line], parents: &mut Parents, report: &mut Report) {
    for boundary in 0..lines.len() {
        let Some(segment) = lines[boundary].segment.take() else { continue };
        let find = |uuid: &str| lines[..boundary].iter().rposition(|line| line.uuid == uuid);
        let head = find(&segment.head);
        let tail = segment.tail.as_deref().and_then(find);
        if tail.is_some() {
            parents[boundary] = tail;
        }
        let Some(head) = head.filter(|head| leads_to(parents, boundary, *head)) else {
            bad_first_kept(lines[boundary].number, report);
            continue;
        };
        let first_kept = lines[head].entry_id(0);
        let behind_boundary = segment.anchor.as_deref() == Some(lines[boundary].uuid.as_str());
        let summary = summary_of(lines, parents, boundary);
        let end = summary.unwrap_or(boundary);
        match summary.filter(|_| !behind_boundary) {
            Some(summary) => move_compaction(lines, boundary, summary, first_kept),
            None => keep_from(&mut lines[boundary].kinds, first_kept),
        }
        for parent in parents.iter_mut().skip(end + 1) {
            if parent.is_some() && *parent == tail {
                *parent = Some(end);
            }
        }
    }
}

/// The summary that hangs on a boundary, hooks between them aside.
fn summary_of(lines: &[Line], parents: &Parents, boundary: usize) -> Option<usize> {
    let hangs = |at: &usize| {
        let mut parent = parents[*at];
        while let Some(above) = parent.filter(|above| *above > boundary && lines[*above].class == Class::Link)
        {
            parent = parents[above].filter(|next| *next < above);
        }
        parent == Some(boundary)
    };
    let is_summary = |at: &usize| lines[*at].is_summary && lines[*at].is_talk();
    (boundary + 1..lines.len()).find(|at| is_summary(at) && hangs(at))
}

/// The summary takes the boundary's place: the engine puts what a compaction keeps behind what it says.
fn move_compaction(lines: &mut [Line], boundary: usize, summary: usize, first_kept: EntryId) {
    let messages: Vec<Message> =
        lines[summary].kinds.iter().flat_map(|kind| kind.messages().cloned().collect::<Vec<_>>()).collect();
    let name = "system/compact_boundary".to_owned();
    let mut kinds = std::mem::replace(&mut lines[boundary].kinds, vec![EntryKind::Other { name }]);
    keep_from(&mut kinds, first_kept);
    for kind in &mut kinds {
        if let EntryKind::Compaction { messages: told, .. } = kind {
            told.clone_from(&messages);
        }
    }
    lines[summary].kinds = kinds;
}

fn keep_from(kinds: &mut [EntryKind], first: EntryId) {
    for kind in kinds {
        if let EntryKind::Compaction { first_kept, .. } = kind {
            *first_kept = Some(first.clone());
        }
    }
}

/// Whether walking parents from a line, each before the one it precedes, meets another.
fn leads_to(parents: &Parents, from: usize, to: usize) -> bool {
    let mut at = from;
    while at > to {
        match parents[at].filter(|parent| *parent < at) {
            Some(parent) => at = parent,
            None => return false,
        }
    }
    at == to
}

/// Turns every microcompaction into edits of the results that it clears.
pub(super) fn clear_results(lines: &mut [Line], outline: bool, report: &mut Report) {
    if lines.iter().all(|line| line.cleared.is_empty()) {
        return;
    }
    let mut results: HashMap<String, EntryId> = HashMap::new();
    for line in lines {
        for (at, kind) in line.kinds.iter().enumerate() {
            if let Some(call) = answered(kind) {
                results.insert(call.to_owned(), line.entry_id(at));
            }
        }
        let edit = |call: String| match results.get(&call) {
            Some(target) => Some(EntryKind::ContextEdit {
                target: target.clone(),
                replacement: Some(if outline { Vec::new() } else { vec![Block::Text(CLEARED.to_owned())] }),
            }),
            None => {
                report.lose("cleared result that isn't in the log: nothing to clear");
                None
            }
        };
        let edits: Vec<EntryKind> = std::mem::take(&mut line.cleared).into_iter().filter_map(edit).collect();
        if !edits.is_empty() {
            line.kinds = edits;
        }
    }
}

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
    let boundaries: Vec<usize> = (0..lines.len()).filter(|at| lines[*at].segment.is_some()).collect();
    if boundaries.is_empty() {
        return;
    }
    let places = places(lines);
    let summaries = summaries(lines, parents);
    let mut followers: HashMap<usize, Vec<usize>> = HashMap::new();
    for boundary in boundaries {
        let Some(segment) = lines[boundary].segment.take() else { continue };
        let find = |uuid: &str| {
            let places = places.get(uuid)?;
            places[..places.partition_point(|place| *place < boundary)].last().copied()
        };
        let tail = segment.tail.as_deref().and_then(find);
        if let Some(tail) = tail {
            parents[boundary] = Some(tail);
        }
        let Some(head) = find(&segment.head) else {
            bad_first_kept(lines[boundary].number, report);
            continue;
        };
        let first_kept = lines[head].entry_id(0);
        let behind_boundary = segment.anchor.as_deref() == Some(lines[boundary].uuid.as_str());
        let summary = summaries.get(&boundary).copied();
        match summary.filter(|_| !behind_boundary) {
            Some(summary) => move_compaction(lines, boundary, summary, first_kept),
            None => keep_from(&mut lines[boundary].kinds, first_kept),
        }
        if let Some(tail) = tail {
            followers.entry(tail).or_default().push(summary.unwrap_or(boundary));
        }
    }
    for (at, parent) in parents.iter_mut().enumerate() {
        let ends = parent.and_then(|parent| followers.get(&parent)).map_or(&[][..], Vec::as_slice);
        if let Some(end) = ends[..ends.partition_point(|end| *end < at)].last()
            && lines[at].class != Class::Boundary
        {
            *parent = Some(*end);
        }
    }
}

/// Where each identifier stands, in order.
fn places(lines: &[Line]) -> HashMap<String, Vec<usize>> {
    let mut places: HashMap<String, Vec<usize>> = HashMap::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.is_linked) {
        places.entry(line.uuid.clone()).or_default().push(at);
    }
    places
}

/// The summary that hangs on each boundary, hooks between them aside.
fn summaries(lines: &[Line], parents: &Parents) -> HashMap<usize, usize> {
    let mut under: Parents = Vec::with_capacity(lines.len());
    let mut summaries = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        let above = parents[at].filter(|parent| *parent < at);
        under.push(above.and_then(|above| match lines[above].class {
            Class::Boundary => Some(above),
            Class::Link => under[above],
            Class::User | Class::Assistant => None,
        }));
        if let Some(boundary) = under[at].filter(|_| line.is_summary && line.is_talk()) {
            summaries.entry(boundary).or_insert(at);
        }
    }
    summaries
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

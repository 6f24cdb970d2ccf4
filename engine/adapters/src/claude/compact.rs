//! What compactions keep and what microcompactions clear.

use std::collections::HashMap;

use engine::message::{Block, Message};
use engine::session::{EntryId, EntryKind};

use super::chain::Parents;
use super::draft::Draft;
use super::line::{Class, Line, answered};
use crate::log::dialect::Report;
use crate::log::ids::{Id, Ids};
use crate::log::links::bad_first_kept;

/// What stands in the prompt in place of a cleared result.
const CLEARED: &str = "[Old tool result content cleared]";

/// Lets a boundary that names a preserved segment keep it: head to tail stand behind the summary, or before it where the
/// boundary itself is the anchor, and what followed the tail follows the compaction.
pub(super) fn keep_segments(draft: &mut Draft<'_>, ids: &Ids, report: &mut Report) {
    let boundaries: Vec<usize> =
        (0..draft.lines.len()).filter(|at| draft.lines[*at].segment.is_some()).collect();
    if boundaries.is_empty() {
        return;
    }
    let places = places(&draft.lines);
    let summaries = summaries(&draft.lines, &draft.plan.parents);
    let mut followers: HashMap<usize, Vec<usize>> = HashMap::new();
    for boundary in boundaries {
        let line = draft.lines[boundary];
        let Some(segment) = &line.segment else { continue };
        let find = |uuid: Id| {
            let places = places.get(&uuid)?;
            places[..places.partition_point(|place| *place < boundary)].last().copied()
        };
        let tail = segment.tail.and_then(find);
        if let Some(tail) = tail {
            draft.plan.parents[boundary] = Some(tail);
        }
        let Some(head) = find(segment.head) else {
            bad_first_kept(line.number, report);
            continue;
        };
        let first_kept = draft.entry_id(head, 0, ids);
        let behind_boundary = segment.anchor == Some(line.uuid);
        let summary = summaries.get(&boundary).copied();
        match summary.filter(|_| !behind_boundary) {
            Some(summary) => move_compaction(draft, boundary, summary, first_kept),
            None => {
                let mut kinds = draft.kinds(boundary).to_vec();
                keep_from(&mut kinds, first_kept);
                draft.plan.instead.insert(boundary, kinds);
            }
        }
        if let Some(tail) = tail {
            followers.entry(tail).or_default().push(summary.unwrap_or(boundary));
        }
    }
    for (at, parent) in draft.plan.parents.iter_mut().enumerate() {
        let ends = parent.and_then(|parent| followers.get(&parent)).map_or(&[][..], Vec::as_slice);
        if let Some(end) = ends[..ends.partition_point(|end| *end < at)].last()
            && draft.lines[at].class != Class::Boundary
        {
            *parent = Some(*end);
        }
    }
}

/// Where each identifier stands, in order.
fn places(lines: &[&Line]) -> HashMap<Id, Vec<usize>> {
    let mut places: HashMap<Id, Vec<usize>> = HashMap::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.is_linked) {
        places.entry(line.uuid).or_default().push(at);
    }
    places
}

/// The summary that hangs on each boundary, hooks between them aside.
fn summaries(lines: &[&Line], parents: &Parents) -> HashMap<usize, usize> {
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
fn move_compaction(draft: &mut Draft<'_>, boundary: usize, summary: usize, first_kept: EntryId) {
    let messages: Vec<Message> =
        draft.kinds(summary).iter().flat_map(|kind| kind.messages().cloned().collect::<Vec<_>>()).collect();
    let mut kinds = draft.kinds(boundary).to_vec();
    keep_from(&mut kinds, first_kept);
    for kind in &mut kinds {
        if let EntryKind::Compaction { messages: told, .. } = kind {
            told.clone_from(&messages);
        }
    }
    let name = "system/compact_boundary".to_owned();
    draft.plan.instead.insert(boundary, vec![EntryKind::Other { name }]);
    draft.plan.instead.insert(summary, kinds);
}

fn keep_from(kinds: &mut [EntryKind], first: EntryId) {
    for kind in kinds {
        if let EntryKind::Compaction { first_kept, .. } = kind {
            *first_kept = Some(first.clone());
        }
    }
}

/// Turns every microcompaction into edits of the results that it clears.
pub(super) fn clear_results(draft: &mut Draft<'_>, outline: bool, ids: &Ids, report: &mut Report) {
    if draft.lines.iter().all(|line| line.cleared.is_empty()) {
        return;
    }
    // The line and the contribution that answer each call last.
    let mut results: HashMap<String, (usize, usize)> = HashMap::new();
    for at in 0..draft.lines.len() {
        for (part, kind) in draft.kinds(at).iter().enumerate() {
            if let Some(call) = answered(kind) {
                results.insert(call.to_owned(), (at, part));
            }
        }
        let edit = |call: &String| match results.get(call) {
            Some((line, part)) => Some(EntryKind::ContextEdit {
                target: draft.entry_id(*line, *part, ids),
                replacement: Some(if outline { Vec::new() } else { vec![Block::Text(CLEARED.to_owned())] }),
            }),
            None => {
                report.lose("cleared result that isn't in the log: nothing to clear");
                None
            }
        };
        let edits: Vec<EntryKind> = draft.lines[at].cleared.iter().filter_map(edit).collect();
        if !edits.is_empty() {
            draft.plan.instead.insert(at, edits);
        }
    }
}

//! How entries hang together: faults of a tree, and the repair that salvaging makes.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use engine::message::Message;
use engine::session::{Entry, EntryId, EntryKind, GroupKind, Groups};
use foldhash::fast::RandomState;

use super::dialect::Report;
use super::fault::FaultCode;

/// What ties something of a log to what stands before it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link<K> {
    /// Its identifier.
    pub(crate) id: K,
    /// Identifier of its parent; `None` at a root.
    pub(crate) parent: Option<K>,
    /// 1-based line.
    pub(crate) line: u64,
}

/// Notes repeated identifiers, parents that are missing or stand later, and cycles among entries.
pub(crate) fn warn_parents(entries: &[Entry], report: &mut Report) {
    let links: Vec<Link<&str>> = entries
        .iter()
        .map(|entry| Link {
            id: entry.id.as_str(),
            parent: entry.parent.as_ref().map(|parent| parent.as_str()),
            line: entry.line,
        })
        .collect();
    warn_links(&links, report);
}

/// Notes repeated identifiers, parents that are missing or stand later, and cycles.
pub(crate) fn warn_links<K: Copy + Eq + Hash>(links: &[Link<K>], report: &mut Report) {
    let mut last: HashMap<K, usize, RandomState> =
        HashMap::with_capacity_and_hasher(links.len(), RandomState::default());
    for (index, link) in links.iter().enumerate() {
        if let Some(earlier) = last.insert(link.id, index) {
            let message =
                format!("the identifier stands on line {} too: the later line counts", links[earlier].line);
            report.warn(link.line, FaultCode::DuplicateId, message);
        }
    }
    let parents: Vec<Option<usize>> =
        links.iter().map(|link| link.parent.and_then(|id| last.get(&id).copied())).collect();
    for (index, link) in links.iter().enumerate() {
        match (link.parent, parents[index]) {
            (Some(_), None) => {
                let message = "the parent is nowhere in the file: history is cut here";
                report.warn(link.line, FaultCode::MissingParent, message);
            }
            (Some(_), Some(parent)) if parent > index => {
                let message = format!("the parent stands on the later line {}", links[parent].line);
                report.warn(link.line, FaultCode::ForwardParent, message);
            }
            _ => {}
        }
    }
    for index in closing_entries(&parents) {
        let message = "following the parents comes back here: history is cut where it closes";
        report.warn(links[index].line, FaultCode::Cycle, message);
    }
}

/// One entry of each cycle: the one with the smallest index. Linear: each node is walked once.
pub(crate) fn closing_entries(parents: &[Option<usize>]) -> Vec<usize> {
    const UNSEEN: usize = usize::MAX;
    let mut walk_of = vec![UNSEEN; parents.len()];
    let mut closing = Vec::new();
    for start in 0..parents.len() {
        let mut at = Some(start);
        let mut last = start;
        while let Some(node) = at.filter(|node| walk_of[*node] == UNSEEN) {
            walk_of[node] = start;
            last = node;
            at = parents[node];
        }
        let closes = walk_of[last] == start && at.is_some_and(|node| walk_of[node] == start);
        if let (true, Some(first)) = (closes, at) {
            let mut smallest = first;
            let mut node = parents[first];
            while let Some(next) = node.filter(|next| *next != first) {
                smallest = smallest.min(next);
                node = parents[next];
            }
            closing.push(smallest);
        }
    }
    closing.sort_unstable();
    closing
}

/// Notes two writers on one file: two chains that take turns at being continued. Going back to a branch once is what
/// people do; `counts` says which entries tell it (results of parallel calls and side runs take turns by design).
pub(crate) fn warn_interleaved(entries: &[Entry], counts: impl Fn(&Entry) -> bool, report: &mut Report) {
    let mut last: HashMap<&EntryId, usize, RandomState> =
        HashMap::with_capacity_and_hasher(entries.len(), RandomState::default());
    // The chain that each entry continues; the first child of an entry continues its chain, others begin one.
    let mut chains: Vec<usize> = Vec::with_capacity(entries.len());
    let mut has_child = vec![false; entries.len()];
    // Chains in the order in which they were continued, with the line where that began: the latest three.
    let mut turns: Vec<(usize, u64)> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let parent = entry.parent.as_ref().and_then(|id| last.get(id).copied());
        let chain = match parent {
            Some(parent) if !std::mem::replace(&mut has_child[parent], true) => chains[parent],
            _ => index,
        };
        chains.push(chain);
        last.insert(&entry.id, index);
        if !counts(entry) || turns.last().is_some_and(|(latest, _)| *latest == chain) {
            continue;
        }
        if let [.., (first, _), (second, _), (third, line)] = turns[..]
            && first == third
            && second == chain
        {
            let message = "two chains take turns from here on: two writers shared the file";
            report.warn(line, FaultCode::Interleaved, message);
            return;
        }
        turns.push((chain, entry.line));
    }
}

/// Notes compactions whose first kept entry isn't in the file.
pub(crate) fn warn_first_kept(entries: &[Entry], report: &mut Report) {
    let compacted = |entry: &Entry| matches!(entry.kind, EntryKind::Compaction { .. });
    if !entries.iter().any(compacted) {
        return;
    }
    let ids: HashSet<&EntryId> = entries.iter().map(|entry| &entry.id).collect();
    for entry in entries {
        if let EntryKind::Compaction { first_kept, .. } = &entry.kind
            && !first_kept.as_ref().is_some_and(|first| ids.contains(first))
        {
            bad_first_kept(entry.line, report);
        }
    }
}

/// Notes one such compaction.
pub(crate) fn bad_first_kept(line: u64, report: &mut Report) {
    let message = "the compaction names no earlier entry as the first kept: nothing before it is kept";
    report.warn(line, FaultCode::BadFirstKept, message);
}

/// Notes results without a call, before their call, and second results, over the whole file: branches share the calls
/// of their common part.
pub(crate) fn warn_results(entries: &[Entry], report: &mut Report) {
    let messages: Vec<(&Entry, &Message)> = entries
        .iter()
        .filter_map(|entry| match &entry.kind {
            EntryKind::Message(message) => Some((entry, message)),
            _ => None,
        })
        .collect();
    let groups = Groups::bind(messages.iter().map(|(_, message)| *message));
    let mut later_calls: HashMap<&str, usize> = HashMap::new();
    let is_orphan = |group: &&engine::session::Group| group.kind == GroupKind::Orphan;
    if groups.groups.iter().any(|group| is_orphan(&group)) {
        for (at, (_, message)) in messages.iter().enumerate() {
            later_calls.extend(message.calls().map(|(id, _)| (id, at)));
        }
    }
    for group in groups.groups.iter().filter(is_orphan) {
        let (entry, message) = messages[group.members[0]];
        let call = message.answers.as_ref().and_then(|answer| later_calls.get(answer.call_id.as_str()));
        match call.filter(|call| **call > group.members[0]) {
            Some(call) => {
                let message = format!("the call stands on the later line {}", messages[*call].0.line);
                report.warn(entry.line, FaultCode::ResultBeforeCall, message);
            }
            None => {
                report.warn(
                    entry.line,
                    FaultCode::OrphanResult,
                    "a tool result without its call: never sent",
                );
            }
        }
    }
    for exchange in &groups.exchanges {
        for repeated in exchange.results.iter().skip(1) {
            let line = messages[*repeated].0.line;
            report.warn(line, FaultCode::DuplicateResult, "a second result for one call");
        }
    }
}

/// Gives a repeated identifier a name of its own from its second line on; references follow the nearest entry before
/// them that bears it. An unknown parent becomes the entry before.
pub(crate) fn repair_links(entries: &mut [Entry]) {
    let mut current: HashMap<EntryId, EntryId> = HashMap::with_capacity(entries.len());
    let all: HashSet<EntryId> = entries.iter().map(|entry| entry.id.clone()).collect();
    let mut previous: Option<EntryId> = None;
    for entry in entries {
        entry.parent = entry.parent.take().and_then(|parent| match current.get(&parent) {
            Some(renamed) => Some(renamed.clone()),
            None if all.contains(&parent) && parent != entry.id => Some(parent),
            None => previous.clone(),
        });
        let refer = |id: &mut EntryId| {
            if let Some(renamed) = current.get(id) {
                *id = renamed.clone();
            }
        };
        match &mut entry.kind {
            EntryKind::Compaction { first_kept: Some(first), .. } => refer(first),
            EntryKind::ContextEdit { target, .. } => refer(target),
            EntryKind::Replacement { first, last, .. } => {
                refer(first);
                refer(last);
            }
            _ => {}
        }
        let own = match current.contains_key(&entry.id) {
            true => EntryId(format!("{}#{}", entry.id.0, entry.line).into()),
            false => entry.id.clone(),
        };
        current.insert(std::mem::replace(&mut entry.id, own.clone()), own.clone());
        previous = Some(own);
    }
}

/// Whether an entry refers to others by identifier, beside its parent.
pub(crate) fn refers(kind: &EntryKind) -> bool {
    matches!(
        kind,
        EntryKind::Compaction { first_kept: Some(_), .. }
            | EntryKind::ContextEdit { .. }
            | EntryKind::Replacement { .. }
    )
}

/// Entries without what repairing doesn't look at: their names, and the kinds that refer to other entries.
pub(crate) fn shells(entries: &[Entry]) -> Vec<Entry> {
    let shell = |entry: &Entry| Entry {
        id: entry.id.clone(),
        parent: entry.parent.clone(),
        line: entry.line,
        bytes: 0..0,
        time_ms: None,
        kind: match refers(&entry.kind) {
            true => entry.kind.clone(),
            false => EntryKind::Other { name: String::new() },
        },
    };
    entries.iter().map(shell).collect()
}

/// Calls without a result: how many.
pub(crate) fn unanswered_calls<'k>(kinds: impl Iterator<Item = &'k EntryKind>) -> u64 {
    let messages = kinds.filter_map(|kind| match kind {
        EntryKind::Message(message) => Some(message),
        _ => None,
    });
    let groups = Groups::bind(messages);
    groups.exchanges.iter().filter(|exchange| exchange.results.is_empty()).count() as u64
}

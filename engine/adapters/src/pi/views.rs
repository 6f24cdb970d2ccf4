//! The two readings of one log.

use std::collections::{HashMap, HashSet};

use engine::message::Message;
use engine::session::{Entry, EntryId, EntryKind, Groups};

use super::fault::{FaultCode, Warning};

/// An entry as it stands in the file.
#[derive(Debug, Clone)]
pub(super) struct Record {
    /// The entry, with the identifier and parent that the file gives it.
    pub(super) entry: Entry,
    /// Whether Pi's loader parses the line it stands on.
    pub(super) agent_reads: bool,
    /// Its position among the lines that Pi parses, the header being 0. Version 1 refers to entries by it.
    pub(super) agent_index: u64,
    /// The same among all objects of the file.
    pub(super) object_index: u64,
    /// A version 1 compaction's reference to the first entry kept.
    pub(super) first_kept_index: Option<u64>,
}

/// The entries as Pi reads them, and warnings about how they hang together.
pub(super) fn agent_view(records: &[Record], linear: bool, warnings: &mut Vec<Warning>) -> Vec<Entry> {
    let read: Vec<&Record> = records.iter().filter(|record| record.agent_reads).collect();
    let mut entries: Vec<Entry> = read.iter().map(|record| record.entry.clone()).collect();
    if linear {
        let ids: HashMap<u64, EntryId> =
            read.iter().map(|record| (record.agent_index, record.entry.id.clone())).collect();
        link_lines(&mut entries, |at| read[at].first_kept_index.and_then(|index| ids.get(&index).cloned()));
        warn_bad_indices(&read, &ids, warnings);
    } else {
        warn_tree(&entries, warnings);
    }
    warn_results(&entries, warnings);
    entries
}

/// The entries with everything recovered: objects of fused lines, indices counted over all objects, one identifier an
/// entry, and a parent for every entry that names one.
pub(super) fn salvaged_view(records: Vec<Record>, linear: bool) -> Vec<Entry> {
    let ids: HashMap<u64, EntryId> =
        records.iter().map(|record| (record.object_index, record.entry.id.clone())).collect();
    let kept: Vec<Option<u64>> = records.iter().map(|record| record.first_kept_index).collect();
    let mut entries: Vec<Entry> = records.into_iter().map(|record| record.entry).collect();
    if linear {
        link_lines(&mut entries, |at| kept[at].and_then(|index| ids.get(&index).cloned()));
    } else {
        rename_repeated(&mut entries);
    }
    entries
}

/// Version 1 is a list: each entry's parent is the entry before it.
fn link_lines(entries: &mut [Entry], first_kept_of: impl Fn(usize) -> Option<EntryId>) {
    let mut previous = None;
    for (at, entry) in entries.iter_mut().enumerate() {
        entry.parent = previous.replace(entry.id.clone());
        if let EntryKind::Compaction { first_kept, .. } = &mut entry.kind {
            *first_kept = first_kept_of(at);
        }
    }
}

/// Gives a repeated identifier a name of its own from its second line on; references follow the nearest entry before
/// them that bears it. An unknown parent becomes the entry before.
fn rename_repeated(entries: &mut [Entry]) {
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
            _ => {}
        }
        let own = match current.contains_key(&entry.id) {
            true => EntryId(format!("{}#{}", entry.id.0, entry.line)),
            false => entry.id.clone(),
        };
        current.insert(std::mem::replace(&mut entry.id, own.clone()), own.clone());
        previous = Some(own);
    }
}

fn warn_bad_indices(read: &[&Record], ids: &HashMap<u64, EntryId>, warnings: &mut Vec<Warning>) {
    for record in read {
        let EntryKind::Compaction { .. } = record.entry.kind else { continue };
        let known = record
            .first_kept_index
            .is_some_and(|index| index < record.agent_index && ids.contains_key(&index));
        if !known {
            warnings.push(bad_first_kept(record.entry.line));
        }
    }
}

fn bad_first_kept(line: u64) -> Warning {
    let message = "the compaction names no earlier entry as the first kept: nothing before it is kept";
    Warning { line, code: FaultCode::BadFirstKept, message: message.to_owned() }
}

fn warn_tree(entries: &[Entry], warnings: &mut Vec<Warning>) {
    let mut last: HashMap<&EntryId, usize> = HashMap::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        if let Some(earlier) = last.insert(&entry.id, index) {
            let message =
                format!("the identifier stands on line {} too: the later line counts", entries[earlier].line);
            warnings.push(Warning { line: entry.line, code: FaultCode::DuplicateId, message });
        }
    }
    let parents: Vec<Option<usize>> =
        entries.iter().map(|entry| entry.parent.as_ref().and_then(|id| last.get(id).copied())).collect();
    for (index, entry) in entries.iter().enumerate() {
        let mut warn = |code, message: String| warnings.push(Warning { line: entry.line, code, message });
        match (&entry.parent, parents[index]) {
            (Some(_), None) => {
                warn(
                    FaultCode::MissingParent,
                    "the parent is nowhere in the file: history is cut here".to_owned(),
                );
            }
            (Some(_), Some(parent)) if parent > index => {
                let line = entries[parent].line;
                warn(FaultCode::ForwardParent, format!("the parent stands on the later line {line}"));
            }
            _ => {}
        }
        if let EntryKind::Compaction { first_kept, .. } = &entry.kind
            && !first_kept.as_ref().is_some_and(|first| last.contains_key(first))
        {
            warnings.push(bad_first_kept(entry.line));
        }
    }
    for index in closing_entries(&parents) {
        let message = "following the parents comes back here: history is cut where it closes".to_owned();
        warnings.push(Warning { line: entries[index].line, code: FaultCode::Cycle, message });
    }
}

/// One entry of each cycle: the one with the smallest index. Linear: each node is walked once.
fn closing_entries(parents: &[Option<usize>]) -> Vec<usize> {
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

/// Results without a call and second results, over the whole file: branches share the calls of their common part.
fn warn_results(entries: &[Entry], warnings: &mut Vec<Warning>) {
    let messages: Vec<(&Entry, &Message)> = entries
        .iter()
        .filter_map(|entry| match &entry.kind {
            EntryKind::Message(message) => Some((entry, message)),
            _ => None,
        })
        .collect();
    let groups = Groups::bind(messages.iter().map(|(_, message)| *message));
    let mut warn = |at: usize, code, message: &str| {
        warnings.push(Warning { line: messages[at].0.line, code, message: message.to_owned() });
    };
    for group in &groups.groups {
        if group.kind == engine::session::GroupKind::Orphan {
            warn(group.members[0], FaultCode::OrphanResult, "a tool result without its call: never sent");
        }
    }
    for exchange in &groups.exchanges {
        for repeated in exchange.results.iter().skip(1) {
            warn(*repeated, FaultCode::DuplicateResult, "a second result for one call");
        }
    }
}

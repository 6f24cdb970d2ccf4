//! The two readings of one log.

use std::collections::HashMap;

use engine::message::Usage;
use engine::session::{Entry, EntryId, EntryKind};

use crate::log::FaultCode;
use crate::log::dialect::Report;
use crate::log::links::{
    bad_first_kept, repair_links, shells, warn_first_kept, warn_interleaved, warn_parents, warn_results,
};

/// An entry as it stands in the file.
#[derive(Debug, Clone)]
pub(super) struct Record {
    /// The entry, with the identifier and parent that the file gives it.
    pub(super) entry: Entry,
    /// What a tool's own model work was billed, where the entry is its result.
    pub(super) tool_usage: Option<Box<Usage>>,
    /// Whether Pi's loader parses the line it stands on.
    pub(super) agent_reads: bool,
    /// Its position among the lines that Pi parses, the header being 0. Version 1 refers to entries by it.
    pub(super) agent_index: u64,
    /// The same among all objects of the file.
    pub(super) object_index: u64,
    /// A version 1 compaction's reference to the first entry kept.
    pub(super) first_kept_index: Option<u64>,
}

/// The salvaged reading.
pub(super) enum Repaired {
    /// Entries of its own.
    Apart(Vec<Entry>),
    /// The agent's entries under other names: see [`shells`].
    Shells(Vec<Entry>),
}

/// The two readings, the salvaged one only where it differs, and warnings about how the entries hang together.
pub(super) fn views(
    records: Vec<Record>,
    linear: bool,
    agent_refuses: bool,
    report: &mut Report,
) -> (Vec<Entry>, Option<Repaired>) {
    if agent_refuses {
        let salvaged = salvaged_view(records, linear);
        let salvaged = Some(salvaged).filter(|salvaged| !salvaged.is_empty());
        return (Vec::new(), salvaged.map(Repaired::Apart));
    }
    if !records.iter().all(|record| record.agent_reads) {
        let read = records.iter().filter(|record| record.agent_reads).cloned().collect();
        let agent = agent_view(read, linear, report);
        let salvaged = salvaged_view(records, linear);
        return (agent, Some(Repaired::Apart(salvaged)));
    }
    let agent = agent_view(records, linear, report);
    // Nothing has to be held twice where nothing would be repaired.
    let damaged = [FaultCode::DuplicateId, FaultCode::MissingParent, FaultCode::Cycle];
    let salvaged = damaged.iter().any(|code| report.has(*code)).then(|| {
        let mut shells = shells(&agent);
        repair_links(&mut shells);
        Repaired::Shells(shells)
    });
    (agent, salvaged)
}

/// The entries as Pi reads them.
fn agent_view(read: Vec<Record>, linear: bool, report: &mut Report) -> Vec<Entry> {
    if linear {
        let ids: HashMap<u64, EntryId> =
            read.iter().map(|record| (record.agent_index, record.entry.id.clone())).collect();
        warn_bad_indices(&read, &ids, report);
        let kept: Vec<Option<u64>> = read.iter().map(|record| record.first_kept_index).collect();
        let mut entries: Vec<Entry> = read.into_iter().map(|record| record.entry).collect();
        link_lines(&mut entries, |at| kept[at].and_then(|index| ids.get(&index).cloned()));
        warn_results(&entries, report);
        return entries;
    }
    let entries: Vec<Entry> = read.into_iter().map(|record| record.entry).collect();
    warn_parents(&entries, report);
    warn_first_kept(&entries, report);
    warn_interleaved(&entries, |entry| !is_result(entry), report);
    warn_results(&entries, report);
    entries
}

/// Results of parallel calls are written in the order in which they come.
fn is_result(entry: &Entry) -> bool {
    matches!(&entry.kind, EntryKind::Message(message) if message.answers.is_some())
}

/// The entries with everything recovered: objects of fused lines, indices counted over all objects, one identifier an
/// entry, and a parent for every entry that names one.
fn salvaged_view(records: Vec<Record>, linear: bool) -> Vec<Entry> {
    let ids: HashMap<u64, EntryId> =
        records.iter().map(|record| (record.object_index, record.entry.id.clone())).collect();
    let kept: Vec<Option<u64>> = records.iter().map(|record| record.first_kept_index).collect();
    let mut entries: Vec<Entry> = records.into_iter().map(|record| record.entry).collect();
    if linear {
        link_lines(&mut entries, |at| kept[at].and_then(|index| ids.get(&index).cloned()));
    } else {
        repair_links(&mut entries);
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

fn warn_bad_indices(read: &[Record], ids: &HashMap<u64, EntryId>, report: &mut Report) {
    for record in read {
        let EntryKind::Compaction { .. } = record.entry.kind else { continue };
        let known = record
            .first_kept_index
            .is_some_and(|index| index < record.agent_index && ids.contains_key(&index));
        if !known {
            bad_first_kept(record.entry.line, report);
        }
    }
}

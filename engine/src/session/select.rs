//! What the agent holds at one entry.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::{EntryId, EntryKind, SessionTree};
use crate::message::{Message, Role};

/// One message that the model would receive, and the entry it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectedMessage<'t> {
    /// Index of the entry in [`SessionTree::entries`].
    pub entry: usize,
    /// The message; owned where an edit changed it.
    pub message: Cow<'t, Message>,
}

/// What the agent holds at one entry: in the order of the prompt, so a compaction's summary comes before the entries
/// it kept.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Selection<'t> {
    /// The entry asked for; `None` for an empty session.
    pub leaf: Option<usize>,
    /// Indices of the entries that the agent holds. An entry may be held without reaching the model (a shell command
    /// kept from it, a message of a foreign role).
    pub entries: Vec<usize>,
    /// The messages, in order. Failed and aborted replies are still among them: providers are sent
    /// [`Selection::sent`].
    pub messages: Vec<SelectedMessage<'t>>,
}

impl<'t> Selection<'t> {
    /// The messages that a provider is sent: without failed and aborted replies, and without results whose call went
    /// with such a reply (a provider refuses a result without its call).
    pub fn sent(&self) -> Vec<&SelectedMessage<'t>> {
        let mut open: HashMap<&str, u32> = HashMap::new();
        let mut sent = Vec::with_capacity(self.messages.len());
        for item in &self.messages {
            let message = &*item.message;
            if message.is_failed_reply() {
                continue;
            }
            for (id, _) in message.calls() {
                *open.entry(id).or_default() += 1;
            }
            let orphan = match &message.answers {
                Some(answer) => match open.get_mut(answer.call_id.as_str()) {
                    Some(count) if *count > 0 => {
                        *count -= 1;
                        false
                    }
                    _ => true,
                },
                None => false,
            };
            if !orphan {
                sent.push(item);
            }
        }
        sent
    }
}

/// Resolved parents of a tree. Build it once and select at many entries.
#[derive(Debug, Clone)]
pub struct TreeIndex {
    parents: Vec<Option<usize>>,
    by_id: HashMap<EntryId, usize>,
}

impl TreeIndex {
    /// Resolves every parent. Where an identifier occurs twice, the later entry stands for it, as agents' own indices
    /// have it. An unknown parent makes a root.
    pub fn new(tree: &SessionTree) -> TreeIndex {
        let by_id: HashMap<EntryId, usize> =
            tree.entries.iter().enumerate().map(|(index, entry)| (entry.id.clone(), index)).collect();
        let parents = tree
            .entries
            .iter()
            .map(|entry| entry.parent.as_ref().and_then(|parent| by_id.get(parent).copied()))
            .collect();
        TreeIndex { parents, by_id }
    }

    /// Entry by identifier.
    pub fn find(&self, id: &EntryId) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// Resolved parent of an entry.
    pub fn parent(&self, entry: usize) -> Option<usize> {
        self.parents.get(entry).copied().flatten()
    }

    /// Indices from the root to `leaf`, both included. A cycle is cut where it closes.
    pub fn path(&self, leaf: usize) -> Vec<usize> {
        let mut seen = vec![false; self.parents.len()];
        let mut path = Vec::new();
        let mut next = Some(leaf).filter(|leaf| *leaf < self.parents.len());
        while let Some(entry) = next {
            if std::mem::replace(&mut seen[entry], true) {
                break;
            }
            path.push(entry);
            next = self.parents[entry];
        }
        path.reverse();
        path
    }

    /// What the agent holds at `leaf`, an index of [`SessionTree::entries`].
    ///
    /// The last compaction on the path replaces what stands before its first kept entry; instructions in the kept range
    /// are dropped, because the compaction re-sends them; of several edits of one entry among those held, the latest
    /// wins. An index beyond the tree holds nothing.
    pub fn select<'t>(&self, tree: &'t SessionTree, leaf: usize) -> Selection<'t> {
        let path = self.path(leaf);
        if path.is_empty() {
            return Selection::default();
        }
        let held = held_entries(tree, &path);
        let edits = self.edits(tree, &held);
        let mut selection = Selection { leaf: Some(leaf), ..Selection::default() };
        for entry in held {
            match edits.get(&entry) {
                None => contribute(tree, entry, &mut selection),
                Some(None) => {}
                Some(Some(blocks)) => {
                    let first = selection.messages.len();
                    contribute(tree, entry, &mut selection);
                    // The edit changes the content of the entry's own message: the last one it contributes.
                    if let Some(own) = selection.messages[first..].last_mut() {
                        own.message.to_mut().blocks = blocks.to_vec();
                    }
                }
            }
        }
        selection
    }

    fn edits<'t>(
        &self,
        tree: &'t SessionTree,
        held: &[usize],
    ) -> BTreeMap<usize, Option<&'t [crate::message::Block]>> {
        let mut edits = BTreeMap::new();
        for entry in held {
            if let EntryKind::ContextEdit { target, replacement } = &tree.entries[*entry].kind
                && let Some(target) = self.find(target)
            {
                edits.insert(target, replacement.as_deref());
            }
        }
        edits
    }
}

/// What the agent holds at `leaf`; `None` means the last entry of the file. Resolves the tree anew: for many entries
/// of one tree, build a [`TreeIndex`].
pub fn select(tree: &SessionTree, leaf: Option<usize>) -> Selection<'_> {
    match leaf.or(tree.entries.len().checked_sub(1)) {
        Some(leaf) => TreeIndex::new(tree).select(tree, leaf),
        None => Selection::default(),
    }
}

/// Entries in prompt order: the last compaction on the path, what it kept, what follows it.
fn held_entries(tree: &SessionTree, path: &[usize]) -> Vec<usize> {
    let last = path.iter().enumerate().rev().find_map(|(at, entry)| match &tree.entries[*entry].kind {
        EntryKind::Compaction { first_kept, .. } => Some((at, first_kept.as_ref())),
        _ => None,
    });
    let Some((at, first_kept)) = last else { return path.to_vec() };
    let before = &path[..at];
    let kept = first_kept.and_then(|id| before.iter().position(|entry| tree.entries[*entry].id == *id));
    let mut held = vec![path[at]];
    if let Some(from) = kept {
        held.extend(before[from..].iter().copied().filter(|entry| !superseded(&tree.entries[*entry].kind)));
    }
    held.extend_from_slice(&path[at + 1..]);
    held
}

/// What a later compaction makes void although it stands in the kept range.
fn superseded(kind: &EntryKind) -> bool {
    match kind {
        EntryKind::Message(message) => message.role == Role::System,
        EntryKind::Compaction { .. } => true,
        _ => false,
    }
}

fn contribute<'t>(tree: &'t SessionTree, entry: usize, selection: &mut Selection<'t>) {
    let mut push = |message: &'t Message| {
        selection.messages.push(SelectedMessage { entry, message: Cow::Borrowed(message) })
    };
    let holds = match &tree.entries[entry].kind {
        EntryKind::Message(message) | EntryKind::Injected { message, .. } => {
            push(message);
            true
        }
        EntryKind::UserShell { message, excluded } => {
            if !excluded {
                push(message);
            }
            true
        }
        EntryKind::Compaction { summary, system, .. } => {
            if let Some(system) = system {
                push(system);
            }
            push(summary);
            true
        }
        EntryKind::BranchSummary { summary: Some(summary), .. } => {
            push(summary);
            true
        }
        EntryKind::Foreign { .. } => true,
        EntryKind::BranchSummary { summary: None, .. }
        | EntryKind::ContextEdit { .. }
        | EntryKind::ModelChange { .. }
        | EntryKind::ThinkingChange { .. }
        | EntryKind::ExtraUsage(_)
        | EntryKind::Other { .. } => false,
    };
    if holds {
        selection.entries.push(entry);
    }
}

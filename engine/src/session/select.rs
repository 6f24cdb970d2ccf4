//! What the agent holds at one entry.

use std::borrow::{Borrow, Cow};
use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;

use super::replace::with_replacements;
use super::{Entry, EntryId, EntryKind, SessionTree};
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
    /// What becomes of each message when a provider is asked: failed and aborted replies stay behind, and so do results
    /// without a call before them among those sent (a provider refuses such a request).
    pub fn fates(&self) -> Vec<Fate> {
        let mut open = HashMap::default();
        self.messages.iter().map(|item| fate(&item.message, &mut open)).collect()
    }

    /// The messages that a provider is sent.
    pub fn sent(&self) -> Vec<&SelectedMessage<'t>> {
        let fates = self.fates();
        self.messages
            .iter()
            .zip(fates)
            .filter(|(_, fate)| *fate == Fate::Sent)
            .map(|(item, _)| item)
            .collect()
    }
}

/// What becomes of a message when a provider is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is sent.
    Sent,
    /// It stays behind: the reply failed or was aborted.
    FailedReply,
    /// It stays behind: no call that is sent waits for this result.
    OrphanResult,
}

/// `open` counts the calls that are sent and wait for a result.
fn fate<'m>(message: &'m Message, open: &mut HashMap<&'m str, u32, RandomState>) -> Fate {
    if message.is_failed_reply() {
        return Fate::FailedReply;
    }
    for (id, _) in message.calls() {
        *open.entry(id).or_default() += 1;
    }
    let Some(answer) = &message.answers else { return Fate::Sent };
    match open.get_mut(answer.call_id.as_str()) {
        Some(calls) if *calls > 0 => {
            *calls -= 1;
            Fate::Sent
        }
        _ => Fate::OrphanResult,
    }
}

/// Resolved parents of a tree. Build it once and select at many entries.
#[derive(Debug, Clone)]
pub struct TreeIndex {
    parents: Vec<Option<usize>>,
    by_id: HashMap<EntryId, usize, RandomState>,
}

impl TreeIndex {
    /// Resolves every parent. Where an identifier occurs twice, the later entry stands for it, as agents' own indices
    /// have it. An unknown parent makes a root.
    pub fn new<E: Borrow<Entry>>(tree: &SessionTree<E>) -> TreeIndex {
        let entries = || tree.entries.iter().map(Borrow::borrow);
        let by_id: HashMap<EntryId, usize, RandomState> =
            entries().enumerate().map(|(index, entry): (usize, &Entry)| (entry.id.clone(), index)).collect();
        let parents = entries()
            .map(|entry: &Entry| entry.parent.as_ref().and_then(|parent| by_id.get(parent).copied()))
            .collect();
        TreeIndex { parents, by_id }
    }

    /// Entry by identifier.
    pub fn find(&self, id: &EntryId) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// Where the session stands: at the entry that the tree names, else at the last one; `None` for an empty session.
    pub fn leaf<E>(&self, tree: &SessionTree<E>) -> Option<usize> {
        let named = tree.leaf.as_ref().and_then(|leaf| self.find(leaf));
        named.or(tree.entries.len().checked_sub(1))
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
    pub fn select<'t, E: Borrow<Entry>>(&self, tree: &'t SessionTree<E>, leaf: usize) -> Selection<'t> {
        let path = self.path(leaf);
        if path.is_empty() {
            return Selection::default();
        }
        let held = with_replacements(tree, held_entries(tree, &path));
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

    fn edits<'t, E: Borrow<Entry>>(
        &self,
        tree: &'t SessionTree<E>,
        held: &[usize],
    ) -> BTreeMap<usize, Option<&'t [crate::message::Block]>> {
        let mut edits = BTreeMap::new();
        for entry in held {
            if let EntryKind::ContextEdit { target, replacement } = &tree.entry(*entry).kind
                && let Some(target) = self.find(target)
            {
                edits.insert(target, replacement.as_deref());
            }
        }
        edits
    }
}

/// What the agent holds at `leaf`; `None` means where the session stands. Resolves the tree anew: for many entries of
/// one tree, build a [`TreeIndex`].
pub fn select(tree: &SessionTree, leaf: Option<usize>) -> Selection<'_> {
    let index = TreeIndex::new(tree);
    match leaf.or_else(|| index.leaf(tree)) {
        Some(leaf) => index.select(tree, leaf),
        None => Selection::default(),
    }
}

/// Entries in prompt order: the last compaction on the path, what it kept, what follows it.
fn held_entries<E: Borrow<Entry>>(tree: &SessionTree<E>, path: &[usize]) -> Vec<usize> {
    let last = path.iter().enumerate().rev().find_map(|(at, entry)| match &tree.entry(*entry).kind {
        EntryKind::Compaction { first_kept, .. } => Some((at, first_kept.as_ref())),
        _ => None,
    });
    let Some((at, first_kept)) = last else { return path.to_vec() };
    let before = &path[..at];
    let kept = first_kept.and_then(|id| before.iter().position(|entry| tree.entry(*entry).id == *id));
    let mut held = vec![path[at]];
    if let Some(from) = kept {
        held.extend(before[from..].iter().copied().filter(|entry| !superseded(&tree.entry(*entry).kind)));
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

fn contribute<'t, E: Borrow<Entry>>(tree: &'t SessionTree<E>, entry: usize, selection: &mut Selection<'t>) {
    let kind = &tree.entry(entry).kind;
    if kind.is_held() {
        selection.entries.push(entry);
    }
    for message in kind.messages() {
        match begun(message, &mut selection.messages) {
            Some(reply) => reply.message.to_mut().blocks.extend_from_slice(&message.blocks),
            None => selection.messages.push(SelectedMessage { entry, message: Cow::Borrowed(message) }),
        }
    }
}

/// The message that a further piece of a reply belongs to: the nearest of the same reply before it. A piece whose
/// beginning isn't held stands for itself.
fn begun<'s, 't>(
    piece: &Message,
    messages: &'s mut [SelectedMessage<'t>],
) -> Option<&'s mut SelectedMessage<'t>> {
    let reply = piece.reply.as_ref().filter(|reply| reply.continues)?;
    let id = reply.response_id.as_ref()?;
    messages
        .iter_mut()
        .rev()
        .find(|held| held.message.reply.as_ref().is_some_and(|begun| begun.response_id.as_ref() == Some(id)))
}

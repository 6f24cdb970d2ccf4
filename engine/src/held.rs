//! What an engine has ingested of one session, with what was computed once for each entry.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;

use foldhash::fast::RandomState;

use crate::contract::EngineError;
use crate::message::Role;
use crate::plan::compose::{Item, ItemRole, Material};
use crate::plan::{Budget, Decision, ItemSource, Reason};
use crate::recall::Scope;
use crate::session::{
    EntryId, EntryKind, Fate, Groups, Known, SelectedMessage, Selection, SessionTree, SharedEntry, TreeIndex,
};
use crate::tokens::{TokenCounter, message_tokens};

/// Entries with their costs.
#[derive(Default)]
pub(crate) struct Held {
    tree: SessionTree<SharedEntry>,
    seen: HashSet<Seen, RandomState>,
    /// Resolved parents; rebuilt after new entries.
    index: OnceCell<TreeIndex>,
}

/// An entry as it is told apart from others: by identifier and line.
struct Seen(SharedEntry);

impl Hash for Seen {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.0.id, self.0.line).hash(state);
    }
}

impl PartialEq for Seen {
    fn eq(&self, other: &Seen) -> bool {
        self.0.line == other.0.line && self.0.id == other.0.id
    }
}

impl Eq for Seen {}

impl Held {
    /// Takes entries that weren't taken before, told apart by identifier and line.
    pub(crate) fn ingest(&mut self, entries: &[SharedEntry], counter: &dyn TokenCounter) {
        self.tree.entries.reserve(entries.len());
        for entry in entries {
            if self.seen.insert(Seen(entry.clone())) {
                self.tree.entries.push(entry.counted(counter));
                self.index = OnceCell::new();
            }
        }
    }

    /// What the agent holds at an entry.
    ///
    /// # Errors
    /// [`EngineError::UnknownEntry`] where it wasn't ingested.
    pub(crate) fn select(&self, head: &EntryId) -> Result<Selection<'_>, EngineError> {
        let index = self.index.get_or_init(|| TreeIndex::new(&self.tree));
        let leaf = index.find(head).ok_or_else(|| EngineError::UnknownEntry(head.0.to_string()))?;
        Ok(index.select(&self.tree, leaf))
    }

    /// When the entry was written, or the last one before it in the log that tells; `None` where none does.
    pub(crate) fn time_ms(&self, head: &EntryId) -> Option<i64> {
        let index = self.index.get_or_init(|| TreeIndex::new(&self.tree));
        let at = index.find(head)?;
        self.tree.entries[..=at].iter().rev().find_map(|entry| entry.time_ms)
    }

    /// What may be recalled beside the messages of a selection that stand at the places `shown`.
    pub(crate) fn scope(&self, selection: &Selection<'_>, shown: &[usize]) -> Scope {
        let (Some(leaf), Some(index)) = (selection.leaf, self.index.get()) else { return Scope::default() };
        let shown: BTreeSet<usize> = shown.iter().copied().collect();
        let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut replies: BTreeMap<&str, usize> = BTreeMap::new();
        for (place, held) in selection.messages.iter().enumerate() {
            places.entry(held.entry).or_default().push(place);
            if let Some(id) = held.message.reply.as_ref().and_then(|reply| reply.response_id.as_deref()) {
                replies.insert(id, place);
            }
        }
        let is_shown = |entry: &usize| match places.get(entry) {
            Some(places) => places.iter().any(|place| shown.contains(place)),
            // A further piece of a reply stands in the message that the first one began.
            None => piece_of(&self.tree.entries[*entry].kind)
                .and_then(|id| replies.get(id))
                .is_none_or(|place| shown.contains(place)),
        };
        Scope::beside(&self.tree, index, leaf, selection.entries.iter().copied().filter(is_shown))
    }

    /// The planner's material from a selection of this session. `fresh` holds one empty cell a selected message, for
    /// those that an edit changed.
    pub(crate) fn material<'t>(
        &'t self,
        selection: &'t Selection<'t>,
        fresh: &'t [OnceLock<Box<[u64]>>],
        budget: Budget,
        head_tokens: u64,
        counter: &dyn TokenCounter,
    ) -> Material<'t> {
        let mut items = Vec::with_capacity(selection.messages.len());
        let mut unsent = Vec::new();
        for (place, (held, fate)) in selection.messages.iter().zip(selection.fates()).enumerate() {
            let entry = &self.tree.entries[held.entry];
            let known = self.known(selection, place);
            let tokens = known.map_or_else(|| message_tokens(counter, &held.message), |known| known.tokens);
            let out = match fate {
                Fate::Sent => None,
                Fate::FailedReply => Some(Reason::FailedReply),
                Fate::OrphanResult => Some(Reason::OrphanResult),
            };
            match out {
                Some(reason) => {
                    let source = ItemSource::Entry(entry.id.clone());
                    unsent.push((place, Decision { source, tokens, reason, group: None }));
                }
                None => items.push(Item {
                    place,
                    entry: &entry.id,
                    message: &held.message,
                    role: role(&entry.kind, held),
                    tokens,
                    terms: known.map_or(&fresh[place], |known| &known.terms),
                }),
            }
        }
        let groups = Groups::bind(items.iter().map(|item| item.message));
        Material { items, groups, unsent, budget, head_tokens }
    }

    /// What is known of a selected message, unless an edit changed it.
    fn known(&self, selection: &Selection<'_>, place: usize) -> Option<&Known> {
        let held = &selection.messages[place];
        if matches!(held.message, std::borrow::Cow::Owned(_)) {
            return None;
        }
        let earlier = selection.messages[..place].iter().rev().take_while(|other| other.entry == held.entry);
        self.tree.entries[held.entry].known().get(earlier.count())
    }
}

/// The reply that an entry is a further piece of.
fn piece_of(kind: &EntryKind) -> Option<&str> {
    let EntryKind::Message(message) = kind else { return None };
    let reply = message.reply.as_ref().filter(|reply| reply.continues)?;
    reply.response_id.as_deref()
}

fn role(kind: &EntryKind, held: &SelectedMessage<'_>) -> ItemRole {
    match (kind, held.message.role) {
        (_, Role::System) => ItemRole::System,
        (EntryKind::Compaction { .. } | EntryKind::Replacement { .. }, _) => ItemRole::Summary,
        (EntryKind::Message(_), Role::User) => ItemRole::Person,
        _ => ItemRole::Other,
    }
}

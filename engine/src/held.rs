//! What an engine has ingested of one session, with what was computed once for each entry.

use std::cell::OnceCell;
use std::collections::HashSet;

use crate::contract::EngineError;
use crate::message::Role;
use crate::plan::compose::{Item, ItemRole, Material};
use crate::plan::{Budget, Decision, ItemSource, Reason};
use crate::session::{
    Entry, EntryId, EntryKind, Fate, Groups, SelectedMessage, Selection, SessionTree, TreeIndex,
};
use crate::tokens::{TokenCounter, message_tokens};

/// Entries with their costs.
#[derive(Default)]
pub(crate) struct Held {
    tree: SessionTree,
    seen: HashSet<(EntryId, u64)>,
    /// By entry, then by message of the entry.
    known: Vec<Vec<Known>>,
    /// Resolved parents; rebuilt after new entries.
    index: OnceCell<TreeIndex>,
}

struct Known {
    tokens: u64,
    terms: OnceCell<Box<[u64]>>,
}

impl Held {
    /// Takes entries that weren't taken before, told apart by identifier and line.
    pub(crate) fn ingest(&mut self, entries: &[Entry], counter: &dyn TokenCounter) {
        for entry in entries {
            if !self.seen.insert((entry.id.clone(), entry.line)) {
                continue;
            }
            let know = |message| Known { tokens: message_tokens(counter, message), terms: OnceCell::new() };
            self.known.push(entry.kind.messages().map(know).collect());
            self.tree.entries.push(entry.clone());
            self.index = OnceCell::new();
        }
    }

    /// What the agent holds at an entry.
    ///
    /// # Errors
    /// [`EngineError::UnknownEntry`] where it wasn't ingested.
    pub(crate) fn select(&self, head: &EntryId) -> Result<Selection<'_>, EngineError> {
        let index = self.index.get_or_init(|| TreeIndex::new(&self.tree));
        let leaf = index.find(head).ok_or_else(|| EngineError::UnknownEntry(head.0.clone()))?;
        Ok(index.select(&self.tree, leaf))
    }

    /// The planner's material from a selection of this session. `fresh` holds one empty cell a selected message, for
    /// those that an edit changed.
    pub(crate) fn material<'t>(
        &'t self,
        selection: &'t Selection<'t>,
        fresh: &'t [OnceCell<Box<[u64]>>],
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
        self.known[held.entry].get(earlier.count())
    }
}

fn role(kind: &EntryKind, held: &SelectedMessage<'_>) -> ItemRole {
    match (kind, held.message.role) {
        (_, Role::System) => ItemRole::System,
        (EntryKind::Compaction { .. } | EntryKind::Replacement { .. }, _) => ItemRole::Summary,
        (EntryKind::Message(_), Role::User) => ItemRole::Person,
        _ => ItemRole::Other,
    }
}

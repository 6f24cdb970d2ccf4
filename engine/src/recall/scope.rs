//! Which entries may be found.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use crate::session::{Entry, EntryId, EntryKind, SessionTree, TreeIndex};

/// What tells entries of one session apart: identifier and line, because identifiers recur.
pub type EntryKey = (EntryId, u64);

/// The entries of one path, and which of them the model sees anyway.
///
/// Only the path from the root to one entry counts: a sibling branch is another history. Entries that a compaction, a
/// replacement or an edit took out of the context are on the path and not shown: they are what recall is for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Scope {
    /// Entries from the root to the leaf.
    pub path: Vec<EntryKey>,
    /// Those of them whose own words the model sees; what says the same isn't recalled either.
    pub shown: BTreeSet<EntryKey>,
    /// Lines that the model sees from elsewhere (a pack of the project's files), ends trimmed: an excerpt of such lines alone
    /// tells nothing new.
    pub beside: BTreeSet<String>,
}

impl Scope {
    /// Everything on the path to `leaf`, an index of [`SessionTree::entries`], shown or not.
    pub fn whole_path<E: Borrow<Entry>>(tree: &SessionTree<E>, index: &TreeIndex, leaf: usize) -> Scope {
        let path = index.path(leaf).into_iter().map(|entry| key(tree, entry)).collect();
        Scope { path, ..Scope::default() }
    }

    /// The path to `leaf`, of which the agent holds what [`TreeIndex::select`] says.
    pub fn beside_the_agents_context<E: Borrow<Entry>>(
        tree: &SessionTree<E>,
        index: &TreeIndex,
        leaf: usize,
    ) -> Scope {
        let held = index.select(tree, leaf).entries;
        Scope::beside(tree, index, leaf, held)
    }

    /// The path to `leaf`, of which the entries `held` (indices) are in the prompt. One whose content an edit on the path
    /// changed counts as not shown.
    pub fn beside<E: Borrow<Entry>>(
        tree: &SessionTree<E>,
        index: &TreeIndex,
        leaf: usize,
        held: impl IntoIterator<Item = usize>,
    ) -> Scope {
        let path = index.path(leaf);
        let edited: BTreeSet<usize> = path
            .iter()
            .filter_map(|entry| match &tree.entry(*entry).kind {
                EntryKind::ContextEdit { target, .. } => index.find(target),
                _ => None,
            })
            .collect();
        let shown = held.into_iter().filter(|entry| !edited.contains(entry)).map(|entry| key(tree, entry));
        let path = path.into_iter().map(|entry| key(tree, entry)).collect();
        Scope { path, shown: shown.collect(), ..Scope::default() }
    }

    /// The same beside a text that the model sees too.
    #[must_use]
    pub fn with_text_beside(mut self, text: &str) -> Scope {
        self.beside.extend(text.lines().map(|line| line.trim().to_owned()));
        self
    }
}

fn key<E: Borrow<Entry>>(tree: &SessionTree<E>, entry: usize) -> EntryKey {
    let entry = tree.entry(entry);
    (entry.id.clone(), entry.line)
}

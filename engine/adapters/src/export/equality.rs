//! What "the same session" means for a tree and its export.

use std::collections::BTreeSet;

use engine::message::Message;
use engine::session::{EntryId, EntryKind, Fate, Selection, SessionTree, TreeIndex};

/// Where a tree and its export differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Line of the entry of the tree.
    pub line: u64,
    /// What differs, without content.
    pub what: String,
}

/// Whether an export holds what a tree holds, up to the names of entries: `states` has, by entry of the tree, the entry
/// of the export with the same state (see [`Exported`](super::Exported)).
///
/// Compared are, at each of `at` (indices of the tree's entries; those without a state are passed over): number and
/// order of the messages, their roles, the hashes of their texts, the calls by identifier and name, which call a result
/// answers and whether it is an error, model and stop reason of replies, their billed tokens where the tree tells them,
/// and what a provider is sent.
///
/// # Errors
/// The first difference.
pub fn equal_model(
    tree: &SessionTree,
    export: &SessionTree,
    states: &[Option<EntryId>],
    at: impl IntoIterator<Item = usize>,
) -> Result<(), Difference> {
    let (ours, theirs) = (TreeIndex::new(tree), TreeIndex::new(export));
    for entry in at {
        let Some(state) = states.get(entry).and_then(Option::as_ref) else { continue };
        let line = tree.entries[entry].line;
        let differ = |what: String| Difference { line, what };
        let found = theirs.find(state).ok_or_else(|| differ("the entry isn't in the export".to_owned()))?;
        let (ours, theirs) = (ours.select(tree, entry), theirs.select(export, found));
        equal_selections(&ours, &theirs).map_err(differ)?;
    }
    Ok(())
}

fn equal_selections(ours: &Selection<'_>, theirs: &Selection<'_>) -> Result<(), String> {
    if ours.messages.len() != theirs.messages.len() {
        return Err(format!("{} messages, {} in the export", ours.messages.len(), theirs.messages.len()));
    }
    let fates = |selection: &Selection<'_>| {
        selection.fates().iter().map(|fate| *fate == Fate::Sent).collect::<Vec<_>>()
    };
    if fates(ours) != fates(theirs) {
        return Err("which messages are sent".to_owned());
    }
    for (at, (ours, theirs)) in ours.messages.iter().zip(&theirs.messages).enumerate() {
        let what = unequal(&ours.message, &theirs.message);
        if let Some(what) = what {
            return Err(format!("message {at}: {what}"));
        }
    }
    Ok(())
}

/// What of a message differs.
fn unequal(ours: &Message, theirs: &Message) -> Option<&'static str> {
    if ours.role != theirs.role {
        return Some("role");
    }
    if ours.text() != theirs.text() {
        return Some("text");
    }
    if !ours.calls().eq(theirs.calls()) {
        return Some("calls");
    }
    if ours.answers != theirs.answers {
        return Some("answered call");
    }
    let (Some(ours), Some(theirs)) = (&ours.reply, &theirs.reply) else {
        return (ours.reply.is_some() && theirs.reply.is_none()).then_some("reply");
    };
    if (&ours.provider, &ours.model, &ours.api) != (&theirs.provider, &theirs.model, &theirs.api) {
        return Some("model");
    }
    if ours.stop != theirs.stop {
        return Some("stop reason");
    }
    if ours.response_id != theirs.response_id {
        return Some("identifier of the reply");
    }
    (ours.usage.is_some() && ours.usage != theirs.usage).then_some("billed tokens")
}

/// Entries at which a comparison tells the most: ends of branches, and the entries around compactions, replacements and
/// edits; of the others every so many that `about` are compared in all.
pub fn telling_entries(tree: &SessionTree, about: usize) -> Vec<usize> {
    let index = TreeIndex::new(tree);
    let size = tree.entries.len();
    let has_child: BTreeSet<usize> = (0..size).filter_map(|entry| index.parent(entry)).collect();
    let mut telling: BTreeSet<usize> = (0..size).filter(|entry| !has_child.contains(entry)).collect();
    for (at, entry) in tree.entries.iter().enumerate() {
        let changes = matches!(
            entry.kind,
            EntryKind::Compaction { .. } | EntryKind::Replacement { .. } | EntryKind::ContextEdit { .. }
        );
        if changes {
            telling.extend([at.saturating_sub(1), at, (at + 1).min(size - 1)]);
        }
    }
    telling.extend((0..size).step_by((size / about.max(1)).max(1)));
    telling.into_iter().collect()
}

//! Ranges of held entries that later entries stand in for.

use std::borrow::Borrow;
use std::collections::{BTreeSet, HashMap};

use super::{Entry, EntryId, EntryKind, SessionTree};

/// Applies replacements in their order. A range that isn't held (any more), or that runs backwards, replaces nothing.
pub(super) fn with_replacements<E: Borrow<Entry>>(tree: &SessionTree<E>, held: Vec<usize>) -> Vec<usize> {
    let is_replacement = |entry: &usize| matches!(tree.entry(*entry).kind, EntryKind::Replacement { .. });
    if !held.iter().any(is_replacement) {
        return held;
    }
    let mut places = Places::default();
    for entry in held {
        let id = &tree.entry(entry).id;
        let range = match &tree.entry(entry).kind {
            EntryKind::Replacement { first, last, .. } => places.find(first).zip(places.find(last)),
            _ => None,
        };
        match range.filter(|(from, to)| from <= to) {
            Some((from, to)) => places.replace((from, to), entry, id, tree),
            None => places.push(entry, id),
        }
    }
    places.entries()
}

/// Places of a prompt in order. A range that is replaced leaves one of them and empties the others, so that any number of
/// replacements costs about as much as there are entries.
#[derive(Default)]
struct Places<'t> {
    /// The entry at each place; `None` where a replacement took it away.
    entries: Vec<Option<usize>>,
    /// For each place the next one that may be taken: itself, or behind a run of empty ones.
    next: Vec<usize>,
    /// Where each identifier stands: the first place counts where several do.
    of: HashMap<&'t EntryId, BTreeSet<usize>>,
}

impl<'t> Places<'t> {
    fn push(&mut self, entry: usize, id: &'t EntryId) {
        let place = self.entries.len();
        self.entries.push(Some(entry));
        self.next.push(place);
        self.of.entry(id).or_default().insert(place);
    }

    fn find(&self, id: &EntryId) -> Option<usize> {
        self.of.get(id)?.first().copied()
    }

    fn replace<E: Borrow<Entry>>(
        &mut self,
        (from, to): (usize, usize),
        entry: usize,
        id: &'t EntryId,
        tree: &'t SessionTree<E>,
    ) {
        let mut place = from;
        while place <= to {
            if let Some(gone) = self.entries[place].take()
                && let Some(places) = self.of.get_mut(&tree.entry(gone).id)
            {
                places.remove(&place);
            }
            if place != from {
                self.next[place] = place + 1;
            }
            place = self.taken_from(place + 1);
        }
        self.entries[from] = Some(entry);
        self.of.entry(id).or_default().insert(from);
    }

    /// The first place at or behind one that isn't known to be empty; runs that were walked are shortened.
    fn taken_from(&mut self, start: usize) -> usize {
        let mut end = start;
        while let Some(next) = self.next.get(end).copied().filter(|next| *next != end) {
            end = next;
        }
        let mut at = start;
        while at != end {
            at = std::mem::replace(&mut self.next[at], end);
        }
        end
    }

    fn entries(self) -> Vec<usize> {
        self.entries.into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// As the rule says it, entry by entry.
    fn plainly(tree: &SessionTree) -> Vec<usize> {
        let mut kept: Vec<usize> = Vec::new();
        for (at, entry) in tree.entries.iter().enumerate() {
            let place = |id: &EntryId| kept.iter().position(|held| tree.entries[*held].id == *id);
            match &entry.kind {
                EntryKind::Replacement { first, last, .. } => match (place(first), place(last)) {
                    (Some(from), Some(to)) if from <= to => drop(kept.splice(from..=to, [at])),
                    _ => kept.push(at),
                },
                _ => kept.push(at),
            }
        }
        kept
    }

    fn tree(steps: &[(u8, Option<(u8, u8)>)]) -> SessionTree {
        let id = |name: &u8| EntryId(name.to_string().into());
        let entry = |(name, range): &(u8, Option<(u8, u8)>)| Entry {
            id: id(name),
            parent: None,
            line: 1,
            bytes: 0..0,
            time_ms: None,
            kind: match range {
                Some((first, last)) => {
                    EntryKind::Replacement { first: id(first), last: id(last), message: None }
                }
                None => EntryKind::Other { name: String::new() },
            },
        };
        SessionTree { entries: steps.iter().map(entry).collect(), ..SessionTree::default() }
    }

    proptest! {
        #[test]
        fn replacements_do_what_the_rule_says_of_each(
            steps in proptest::collection::vec((0u8..24, proptest::option::of((0u8..24, 0u8..24))), 0..60)
        ) {
            let tree = tree(&steps);
            let held = (0..tree.entries.len()).collect();
            prop_assert_eq!(with_replacements(&tree, held), plainly(&tree));
        }
    }
}

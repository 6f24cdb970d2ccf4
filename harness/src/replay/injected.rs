//! What an engine injected into a session, taken out of it: every variant begins with what the agent held by itself.

use std::collections::HashMap;

use engine::session::{EntryId, EntryKind, SessionTree};

use crate::corpus::PACK_SOURCE;

/// A session without what an engine had injected. Entries below one that is taken out hang on its parent.
pub(super) fn without_injected(mut tree: SessionTree) -> SessionTree {
    let is_pack =
        |kind: &EntryKind| matches!(kind, EntryKind::Injected { source, .. } if source == PACK_SOURCE);
    let mut adopted: HashMap<EntryId, Option<EntryId>> = HashMap::new();
    let mut kept = Vec::with_capacity(tree.entries.len());
    for mut entry in tree.entries {
        if let Some(grandparent) = entry.parent.as_ref().and_then(|parent| adopted.get(parent)) {
            entry.parent = grandparent.clone();
        }
        if is_pack(&entry.kind) {
            adopted.insert(entry.id, entry.parent);
        } else {
            kept.push(entry);
        }
    }
    tree.entries = kept;
    tree
}

#[cfg(test)]
mod tests {
    use engine::message::{Message, Role};
    use engine::session::{Entry, TreeIndex};

    use super::*;

    fn entry(id: &str, parent: Option<&str>, kind: EntryKind) -> Entry {
        let id_of = |id: &str| EntryId(id.into());
        Entry { id: id_of(id), parent: parent.map(id_of), line: 0, bytes: 0..0, time_ms: None, kind }
    }

    #[test]
    fn the_branch_closes_over_what_is_taken_out() {
        let said = |text: &str| EntryKind::Message(Message::from_text(Role::User, text));
        let pack = EntryKind::Injected {
            source: PACK_SOURCE.to_owned(),
            message: Message::from_text(Role::User, "quoted"),
        };
        let entries = vec![
            entry("a", None, said("one")),
            entry("b", Some("a"), pack.clone()),
            entry("c", Some("b"), pack),
            entry("d", Some("c"), said("two")),
        ];
        let clean = without_injected(SessionTree { entries, ..SessionTree::default() });
        let index = TreeIndex::new(&clean);
        let texts: Vec<String> =
            index.select(&clean, 1).messages.iter().map(|held| held.message.text()).collect();
        assert_eq!(texts, ["one", "two"]);
    }
}

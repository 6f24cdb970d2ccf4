//! Which files each entry of a session shows.

use std::collections::{BTreeMap, BTreeSet};

use engine::session::{EntryId, SessionTree};

use crate::corpus::{Action, Activity};

/// Files shown by entries. A file is shown by a successful `read` of it and by the result of writing it whole; searches
/// and command output name files, they don't show them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holdings {
    by_entry: BTreeMap<EntryId, BTreeSet<String>>,
}

impl Holdings {
    /// Reads a session.
    pub fn of(tree: &SessionTree, activity: &Activity) -> Holdings {
        let mut holdings = Holdings::default();
        for call in activity.calls.iter().filter(|call| call.succeeded()) {
            let shows = matches!(call.action, Action::Read { .. } | Action::Write { .. });
            let (Some(path), Some(result), true) = (call.path(), &call.result, shows) else { continue };
            let Some(entry) = tree.entries.get(result.entry) else { continue };
            holdings.by_entry.entry(entry.id.clone()).or_default().insert(path.to_owned());
        }
        holdings
    }

    /// Files that an entry shows.
    pub fn of_entry(&self, entry: &EntryId) -> impl Iterator<Item = &str> {
        self.by_entry.get(entry).into_iter().flatten().map(String::as_str)
    }
}

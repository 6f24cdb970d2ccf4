//! A moment of a session: what a plan for one of its requests is judged against.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use engine::plan::{Decision, ItemSource};
use engine::session::EntryId;

use crate::evidence::{Holdings, RequestNeeds};

/// What a request's plan is judged against.
pub(super) struct Moment<'a> {
    /// What is needed.
    pub needs: &'a RequestNeeds,
    /// Which files each entry shows.
    pub holdings: &'a Holdings,
    /// Files that the recorded context showed.
    pub held: &'a BTreeSet<&'a str>,
    /// Entry of the request being answered.
    pub request: Option<&'a EntryId>,
    /// Entries of instructions.
    pub instructions: &'a BTreeSet<&'a EntryId>,
    /// Hash of each entry's messages as sent.
    pub hashes: &'a HashMap<&'a EntryId, Arc<str>>,
}

/// The files that an item shows.
pub(super) fn shows<'a>(item: &'a Decision, moment: &Moment<'a>) -> impl Iterator<Item = &'a str> + use<'a> {
    let (path, entry) = match &item.source {
        ItemSource::Project { path, .. } => (Some(path.as_str()), None),
        ItemSource::Entry(id) => (None, Some(id)),
        // An excerpt shows some lines of what the entry holds: no credit without knowing which.
        ItemSource::Recalled { .. } => (None, None),
    };
    let holdings = moment.holdings;
    path.into_iter().chain(entry.into_iter().flat_map(|id| holdings.of_entry(id)))
}

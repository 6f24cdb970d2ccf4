//! Replies that a log has in several pieces: Pi has one entry for each.

use std::collections::{BTreeMap, BTreeSet};

use engine::session::{Entry, EntryId, EntryKind, SessionTree};

use super::loss::{LossCode, Losses};

/// Which entries are further pieces of which reply.
#[derive(Default)]
pub(super) struct Pieces {
    /// Of a piece: the entry that began the reply.
    pub(super) begun: Vec<Option<usize>>,
    /// Of a reply: its further pieces, in order.
    pub(super) further: BTreeMap<usize, Vec<usize>>,
    /// Whether the path to an entry holds only a part of a reply: no request stands between its pieces, so that there is
    /// no state there.
    pub(super) is_cut: Vec<bool>,
}

impl Pieces {
    /// Finds the entries whose path holds a reply in part, and notes replies that a branch leaves before their end.
    fn find_cuts(&mut self, parents: &[Option<usize>], losses: &mut Losses) {
        self.is_cut = vec![false; parents.len()];
        if self.further.is_empty() {
            return;
        }
        let ends: BTreeMap<usize, usize> =
            self.further.iter().filter_map(|(begun, further)| Some((*further.last()?, *begun))).collect();
        let mut within = BTreeSet::new();
        for (end, begun) in &ends {
            let mut next = Some(*end);
            while let Some(at) = next.filter(|at| at != begun) {
                within.insert((*begun, at));
                next = parents[at];
            }
        }
        let mut open: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
        let mut left: BTreeSet<usize> = BTreeSet::new();
        for entry in parents_first(parents) {
            let mut here = parents[entry].map(|parent| open[parent].clone()).unwrap_or_default();
            here.retain(|begun| ends.get(&entry) != Some(begun));
            left.extend(here.iter().filter(|begun| !within.contains(&(**begun, entry))));
            if self.further.contains_key(&entry) {
                here.push(entry);
            }
            self.is_cut[entry] = !here.is_empty();
            open[entry] = here;
        }
        for _ in left {
            losses.note(LossCode::ReplyPiece, "a branch leaves the reply before its end");
        }
    }
}

/// A piece belongs to the nearest piece of the same reply before it on its path, as long as the reply goes on in one
/// line and every compaction between them keeps its beginning.
pub(super) fn pieces(tree: &SessionTree, parents: &[Option<usize>], losses: &mut Losses) -> Pieces {
    let mut found = Pieces { begun: vec![None; parents.len()], ..Pieces::default() };
    for entry in parents_first(parents) {
        let Some(id) = reply_id(&tree.entries[entry]).filter(|_| continues(&tree.entries[entry])) else {
            continue;
        };
        let mut next = parents[entry];
        let mut crossed = Vec::new();
        while let Some(at) = next.filter(|at| reply_id(&tree.entries[*at]) != Some(id)) {
            if let EntryKind::Compaction { first_kept, .. } = &tree.entries[at].kind {
                crossed.push(first_kept.as_ref());
            }
            next = parents[at];
        }
        let Some(before) = next else {
            losses.note(LossCode::ReplyPiece, "its beginning isn't on its branch");
            continue;
        };
        let begun = found.begun[before].unwrap_or(before);
        // What a compaction replaced would take the piece along with it.
        if crossed.iter().any(|first_kept| !keeps(tree, parents, *first_kept, begun)) {
            losses.note(LossCode::ReplyPiece, "the reply goes on behind a compaction");
            continue;
        }
        let further = found.further.entry(begun).or_default();
        if further.last().copied().unwrap_or(begun) != before {
            losses.note(LossCode::ReplyPiece, "the reply goes on in two branches");
            continue;
        }
        further.push(entry);
        found.begun[entry] = Some(begun);
    }
    found.find_cuts(parents, losses);
    found
}

/// Whether a compaction that keeps what stands from `first_kept` on keeps an entry before it.
fn keeps(tree: &SessionTree, parents: &[Option<usize>], first_kept: Option<&EntryId>, entry: usize) -> bool {
    let Some(first_kept) = first_kept else { return false };
    std::iter::successors(Some(entry), |at| parents[*at]).any(|at| tree.entries[at].id == *first_kept)
}

fn reply_id(entry: &Entry) -> Option<&str> {
    let EntryKind::Message(message) = &entry.kind else { return None };
    message.reply.as_ref()?.response_id.as_deref()
}

fn continues(entry: &Entry) -> bool {
    matches!(&entry.kind, EntryKind::Message(message) if message.reply.as_ref().is_some_and(|reply| reply.continues))
}

/// The entries, each behind its parent.
pub(super) fn parents_first(parents: &[Option<usize>]) -> Vec<usize> {
    let mut seen = vec![false; parents.len()];
    let mut order = Vec::with_capacity(parents.len());
    for entry in 0..parents.len() {
        let mut branch = Vec::new();
        let mut next = Some(entry);
        while let Some(unseen) = next.filter(|entry| !seen[*entry]) {
            seen[unseen] = true;
            branch.push(unseen);
            next = parents[unseen];
        }
        order.extend(branch.into_iter().rev());
    }
    order
}

//! Compactions in Pi's words, and in others.

use engine::message::{Json, Message, Role, Usage};
use engine::session::{EntryId, EntryKind, SessionTree};

use super::content::{count, message, string, usage_json};
use super::entries::{CUSTOM, Draft, Place, Planner, draft, edit};
use super::loss::LossCode;
use super::wrapped::compaction_words;

/// Fields of a compaction.
pub(super) struct Compaction<'c> {
    pub(super) messages: &'c [Message],
    pub(super) system: Option<&'c Message>,
    pub(super) first_kept: Option<&'c EntryId>,
    pub(super) tokens_before: Option<u64>,
    pub(super) usage: Option<&'c Usage>,
}

impl Planner<'_, '_> {
    /// A compaction: as Pi has it, or said as messages.
    pub(super) fn compaction(
        &mut self,
        at: usize,
        parts: &Compaction<'_>,
        raw: Option<&Json<'static>>,
    ) -> Vec<Draft> {
        let kept = parts.first_kept.and_then(|first| self.index.find(first));
        let words = match parts.messages {
            [message] => compaction_words(message),
            _ => None,
        };
        let joined = || parts.messages.iter().map(Message::text).collect::<Vec<_>>().join("\n\n");
        let summary = words.map_or_else(joined, str::to_owned);
        let mut members = vec![("summary", string(&summary))];
        let tokens = parts.tokens_before.unwrap_or_else(|| {
            self.losses.note(LossCode::UnknownTokensBefore, "compaction");
            0
        });
        members.push(("tokensBefore", count(tokens)));
        if let Some(usage) = parts.usage {
            members.push(("usage", usage_json(usage, self.losses)));
        }
        let unfolds = words.is_none() && kept.is_none() && self.kept_ranges.binary_search(&at).is_err();
        if let Some(system) = parts.system.filter(|_| !unfolds) {
            members.push(("systemMessage", message(system, &mut self.context(at, raw))));
        }
        let before_kept = kept.and_then(|kept| self.index.parent(kept));
        if before_kept.is_some_and(|before| self.pieces.is_cut[before]) {
            self.losses.note(LossCode::KeptRange, "begins within a reply");
        }
        let first = kept.map_or(Place { entry: at, draft: 0 }, |kept| self.first_place(kept));
        let references = vec![("firstKeptEntryId", first)];
        let compaction = Draft { kind: "compaction".to_owned(), members, references };
        if parts.messages.is_empty() && parts.system.is_none() {
            // Pi would say that there is a summary.
            self.homes[at] = Vec::new();
            return vec![compaction, edit(Place { entry: at, draft: 0 }, Json::Null)];
        }
        if !unfolds {
            if words.is_none() {
                self.losses.note(LossCode::CompactionText, "summary");
            }
            return vec![compaction];
        }
        self.losses.note(LossCode::CompactionUnfolded, "summary");
        self.unfolded(at, compaction, parts, raw)
    }

    /// A compaction that keeps nothing, taken out of the context again, and its messages behind it.
    fn unfolded(
        &mut self,
        at: usize,
        compaction: Draft,
        parts: &Compaction<'_>,
        raw: Option<&Json<'static>>,
    ) -> Vec<Draft> {
        let own = Place { entry: at, draft: 0 };
        let mut drafts = vec![compaction, edit(own, Json::Null)];
        for shown in parts.system.into_iter().chain(parts.messages) {
            drafts.push(match shown.role {
                Role::User => self.injected(at, &format!("{CUSTOM}.compaction"), shown, raw),
                _ => draft("message", vec![("message", message(shown, &mut self.context(at, raw)))]),
            });
        }
        self.homes[at] = (2..drafts.len()).map(|draft| Place { entry: at, draft }).collect();
        drafts
    }
}

/// Entries that stand in the range that some compaction behind them keeps, compactions among them only.
pub(super) fn kept_ranges(tree: &SessionTree, parents: &[Option<usize>]) -> Vec<usize> {
    let mut within = Vec::new();
    for (at, entry) in tree.entries.iter().enumerate() {
        let EntryKind::Compaction { first_kept: Some(first), .. } = &entry.kind else { continue };
        let mut range = Vec::new();
        let mut next = parents[at];
        while let Some(before) = next {
            if matches!(tree.entries[before].kind, EntryKind::Compaction { .. }) {
                range.push(before);
            }
            if tree.entries[before].id == *first {
                within.append(&mut range);
                break;
            }
            next = parents[before];
        }
    }
    within.sort_unstable();
    within.dedup();
    within
}

//! Edits, and replacements said as edits.

use std::collections::BTreeSet;

use engine::message::{Block, Json, Message, Role};
use engine::session::{EntryId, EntryKind};

use super::content::{edited_content, message, object};
use super::entries::{CUSTOM, Draft, Place, Planner, draft, edit};
use super::loss::LossCode;

impl Planner<'_, '_> {
    /// What vanishes from the context at a replacement is taken out by edits; its message takes the place of one of
    /// them, where Pi can say that.
    pub(super) fn replacement(
        &mut self,
        at: usize,
        parent: Option<usize>,
        raw: Option<&Json<'static>>,
    ) -> Vec<Draft> {
        let tree = self.tree;
        let before = parent.map(|parent| self.index.select(tree, parent)).unwrap_or_default();
        let after = self.index.select(tree, at);
        let stay: BTreeSet<usize> = after.messages.iter().map(|item| item.entry).collect();
        let entries = before.messages.iter().map(|item| item.entry);
        let mut gone: Vec<usize> = entries.filter(|entry| !stay.contains(entry)).collect();
        gone.dedup();
        self.losses.note(LossCode::ReplacementAsEdits, "range");
        let shown = tree.entries[at].kind.messages().next();
        let host = shown.and_then(|shown| gone.iter().copied().find(|gone| self.hosts(*gone, shown)));
        let mut drafts = Vec::new();
        let mut homes = Vec::new();
        for gone in gone {
            for home in self.homes[gone].clone() {
                let content = match shown {
                    Some(shown) if host == Some(gone) => {
                        homes = vec![home];
                        let content = edited_content(&shown.blocks, &mut self.context(at, raw));
                        object(vec![("content", content)])
                    }
                    _ => Json::Null,
                };
                drafts.push(edit(home, content));
            }
        }
        if let Some(shown) = shown.filter(|_| host.is_none()) {
            let is_last = after.messages.last().is_some_and(|last| last.entry == at);
            if !drafts.is_empty() || !is_last {
                self.losses.note(LossCode::ReplacementMoved, shown.role.name());
            }
            homes = vec![Place { entry: at, draft: drafts.len() }];
            drafts.push(match shown.role {
                Role::User => self.injected(at, &format!("{CUSTOM}.replacement"), shown, raw),
                _ => draft("message", vec![("message", message(shown, &mut self.context(at, raw)))]),
            });
        }
        self.homes[at] = homes;
        drafts
    }

    /// Whether an edit of an entry's message can say another message: Pi replaces content, not roles or links.
    fn hosts(&self, entry: usize, shown: &Message) -> bool {
        if self.homes[entry].len() != 1 {
            return false;
        }
        let mut home = &self.tree.entries[self.homes[entry][0].entry].kind;
        if let EntryKind::Replacement { .. } = self.tree.entries[entry].kind {
            home = &self.tree.entries[entry].kind;
        }
        match home {
            EntryKind::Message(held) => {
                held.role == shown.role
                    && held.role != Role::System
                    && held.answers == shown.answers
                    && held.reply.is_none() == shown.reply.is_none()
            }
            EntryKind::Injected { .. } => shown.role == Role::User,
            EntryKind::Replacement { .. } => home
                .messages()
                .next()
                .is_some_and(|held| held.role == shown.role && held.answers == shown.answers),
            _ => false,
        }
    }

    /// An edit of what the log edits.
    pub(super) fn edit(
        &mut self,
        at: usize,
        target: &EntryId,
        replacement: Option<&[Block]>,
        raw: Option<&Json<'static>>,
    ) -> Vec<Draft> {
        let Some(target) = self.index.find(target) else {
            self.losses.note(LossCode::Edit, "its target is nowhere");
            return vec![self.place(CUSTOM, "context_edit")];
        };
        if self.pieces.begun[target].is_some() {
            self.losses.note(LossCode::Edit, "of a further piece of a reply");
            return vec![self.place(CUSTOM, "context_edit")];
        }
        let homes = match self.homes[target].is_empty() {
            // Planned later in the log: an edit of what comes behind it.
            true => vec![Place { entry: target, draft: 0 }],
            false => self.homes[target].clone(),
        };
        let further = self.pieces.further.get(&target).cloned().unwrap_or_default();
        if !further.is_empty() && replacement.is_none() {
            self.losses.note(LossCode::Edit, "takes out one piece of a reply");
        } else if replacement.is_none() {
            return homes.into_iter().map(|home| edit(home, Json::Null)).collect();
        }
        let kind = &self.tree.entries[target].kind;
        let changes = match kind {
            EntryKind::Message(message) => message.role != Role::System,
            EntryKind::Injected { .. } => true,
            _ => false,
        };
        if !changes {
            self.losses.note(LossCode::Edit, "of an entry whose content Pi's edits don't change");
        }
        let mut whole = replacement.unwrap_or_default().to_vec();
        for piece in further {
            if let EntryKind::Message(piece) = &self.tree.entries[piece].kind {
                whole.extend_from_slice(&piece.blocks);
            }
        }
        let content = edited_content(&whole, &mut self.context(at, raw));
        let Some(home) = homes.last() else { return Vec::new() };
        vec![edit(*home, object(vec![("content", content)]))]
    }
}

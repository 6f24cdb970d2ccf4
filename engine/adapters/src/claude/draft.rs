//! One reading of a transcript in the making.

use std::collections::{HashMap, HashSet};

use engine::message::Message;
use engine::session::{Entry, EntryId, EntryKind};

use super::chain::Parents;
use super::line::Line;
use super::reply::Replies;
use crate::log::ids::{Id, Ids};

/// The lines that a reading has, and what it makes of them. Lines are never changed: both readings share them.
pub(super) struct Draft<'l> {
    pub(super) lines: Vec<&'l Line>,
    pub(super) plan: Plan,
}

/// What a reading makes of its lines, by place among them.
#[derive(Default)]
pub(super) struct Plan {
    /// Name of each line: that of its last entry, because the lines that follow name it.
    pub(super) names: Vec<Id>,
    pub(super) parents: Parents,
    /// What some lines contribute instead of what stands on them.
    pub(super) instead: HashMap<usize, Vec<EntryKind>>,
    /// What each line is in its reply.
    pub(super) pieces: Vec<Piece>,
    /// The line at which the session stands.
    pub(super) leaf: Option<usize>,
}

/// What a line is in a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// Nothing.
    None,
    /// The first piece carries what the reply was billed and why it ended.
    Begins,
    /// The others continue it.
    Continues,
}

impl Draft<'_> {
    /// What a line contributes.
    pub(super) fn kinds(&self, at: usize) -> &[EntryKind] {
        self.plan.instead.get(&at).unwrap_or(&self.lines[at].kinds)
    }

    /// Identifier of one of the entries of a line.
    pub(super) fn entry_id(&self, at: usize, part: usize, ids: &Ids) -> EntryId {
        EntryId(entry_name(ids.text(self.plan.names[at]), part, self.kinds(at).len()).into())
    }

    /// Which line begins each reply.
    pub(super) fn pieces(&self, shadowed: &[bool], replies: &Replies) -> Vec<Piece> {
        let mut begun = HashSet::new();
        let piece = |(at, shadowed): (usize, &bool)| {
            let reply = self.lines[at].reply.filter(|number| replies.get(*number).is_some());
            let is_piece =
                matches!(self.kinds(at).first(), Some(EntryKind::Message(Message { reply: Some(_), .. })));
            match reply.filter(|_| is_piece) {
                None => Piece::None,
                Some(number) if !*shadowed && begun.insert(number) => Piece::Begins,
                Some(_) => Piece::Continues,
            }
        };
        shadowed.iter().enumerate().map(piece).collect()
    }

    /// The entries of one line, copied.
    pub(super) fn entries_of(&self, at: usize, replies: &Replies, ids: &Ids, take: impl FnMut(Entry)) {
        let kinds = self.kinds(at).to_vec();
        self.plan.emit(at, self.lines[at], kinds, (replies, ids), take);
    }
}

impl Plan {
    /// Hands out the entries of a line: one a contribution, each the parent of the next.
    pub(super) fn emit(
        &self,
        at: usize,
        line: &Line,
        kinds: Vec<EntryKind>,
        (replies, ids): (&Replies, &Ids),
        mut take: impl FnMut(Entry),
    ) {
        let count = kinds.len();
        let mut parent = self.parents[at].map(|parent| EntryId(ids.text(self.names[parent]).into()));
        for (part, mut kind) in kinds.into_iter().enumerate() {
            if part == 0 {
                self.pieces[at].mark(&mut kind, line, replies);
            }
            let id = EntryId(entry_name(ids.text(self.names[at]), part, count).into());
            let next = (part + 1 < count).then(|| id.clone());
            let (number, bytes, time_ms) = (line.number, line.bytes.clone(), line.time_ms);
            take(Entry {
                id,
                parent: std::mem::replace(&mut parent, next),
                line: number,
                bytes,
                time_ms,
                kind,
            });
        }
    }
}

impl Piece {
    fn mark(self, kind: &mut EntryKind, line: &Line, replies: &Replies) {
        let EntryKind::Message(Message { reply: Some(piece), .. }) = kind else { return };
        match self {
            Piece::None => {}
            Piece::Continues => piece.continues = true,
            Piece::Begins => {
                piece.continues = false;
                let Some(reply) = line.reply.and_then(|number| replies.get(number)) else { return };
                piece.usage = reply.usage;
                if let Some(stop) = &reply.stop {
                    piece.stop = stop.clone();
                }
            }
        }
    }
}

/// The last entry of a line bears the line's own name.
pub(super) fn entry_name(line: &str, part: usize, count: usize) -> String {
    if part + 1 == count { line.to_owned() } else { format!("{line}/{}", part + 1) }
}

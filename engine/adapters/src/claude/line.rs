//! A line as it stands in the log, ready to be linked.

use std::ops::Range;

use engine::session::EntryKind;

use crate::log::ids::Id;

/// What a line is in its chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A line of the person, or one presented as the person's: tool results too.
    User,
    /// A piece of a reply.
    Assistant,
    /// Where the context ends after a compaction.
    Boundary,
    /// Everything else: it may link lines, but no context begins or stands at it.
    Link,
}

/// What a line says about the line before it, in the file's own terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parent {
    /// Nothing.
    Untold,
    /// There is none.
    Root,
    /// The line with this identifier.
    Id(Id),
    /// A boundary's: history before the compaction, outside of the context.
    Logical(Id),
}

/// What a boundary says it keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) head: Id,
    pub(super) tail: Option<Id>,
    /// The line after which the segment stands in the prompt.
    pub(super) anchor: Option<Id>,
}

/// One line, or one object of a line that holds several.
#[derive(Debug)]
pub(super) struct Line {
    /// Identifier in the log; its place where it has none.
    pub(super) uuid: Id,
    /// Whether the log gives it an identifier, so that others can follow it.
    pub(super) is_linked: bool,
    pub(super) parent: Parent,
    pub(super) class: Class,
    pub(super) number: u64,
    pub(super) bytes: Range<u64>,
    pub(super) time_ms: Option<i64>,
    /// Session, agent and side of the conversation: lines of one chain agree on them.
    pub(super) chain: Chain,
    /// Whether Claude Code's own loader gets at it.
    pub(super) agent_reads: bool,
    /// Whether its parents stand in the main session's file by design.
    pub(super) borrows: bool,
    /// Whether it is the summary that a compaction left.
    pub(super) is_summary: bool,
    /// The reply that it is a piece of.
    pub(super) reply: Option<u32>,
    pub(super) segment: Option<Box<Segment>>,
    /// Calls whose results are cleared from here on.
    pub(super) cleared: Box<[String]>,
    /// What it contributes; never empty.
    pub(super) kinds: Vec<EntryKind>,
}

/// Which conversation a line belongs to; names are numbers of the dialect's own, 0 for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Chain {
    pub(super) session: u32,
    pub(super) agent: u32,
    pub(super) is_side: bool,
}

impl Line {
    /// Whether it is a line of the conversation itself.
    pub(super) fn is_talk(&self) -> bool {
        matches!(self.class, Class::User | Class::Assistant)
    }

    /// Identifiers of the calls that it answers.
    pub(super) fn answered(&self) -> impl Iterator<Item = &str> {
        self.kinds.iter().filter_map(answered)
    }

    /// Identifiers of the calls that it makes.
    pub(super) fn calls(&self) -> impl Iterator<Item = &str> {
        self.kinds
            .iter()
            .filter_map(|kind| match kind {
                EntryKind::Message(message) => Some(message.calls().map(|(id, _)| id)),
                _ => None,
            })
            .flatten()
    }
}

/// The call that a contribution answers.
pub(super) fn answered(kind: &EntryKind) -> Option<&str> {
    match kind {
        EntryKind::Message(message) => message.answers.as_ref().map(|answer| answer.call_id.as_str()),
        _ => None,
    }
}

/// The lines of a log, in pieces of memory that are given back one by one as lines become entries.
#[derive(Debug, Default)]
pub(super) struct Lines {
    pieces: Vec<Vec<Line>>,
}

impl Lines {
    const PIECE: usize = 4096;

    /// Adds a line.
    pub(super) fn push(&mut self, line: Line) {
        match self.pieces.last_mut() {
            // The first piece grows, so that a short log takes little.
            Some(piece) if piece.len() < Lines::PIECE => piece.push(line),
            Some(_) => {
                let mut piece = Vec::with_capacity(Lines::PIECE);
                piece.push(line);
                self.pieces.push(piece);
            }
            None => self.pieces.push(vec![line]),
        }
    }

    /// The lines in the order of the file.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Line> {
        self.pieces.iter().flatten()
    }
}

impl IntoIterator for Lines {
    type Item = Line;
    type IntoIter = std::iter::Flatten<std::vec::IntoIter<Vec<Line>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.pieces.into_iter().flatten()
    }
}

/// The conversation that a file is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Main {
    pub(super) session: u32,
    pub(super) agent: u32,
    /// Whether it is a sub-agent's: every line of the conversation is on the side.
    pub(super) is_side: bool,
}

impl Main {
    /// The conversation of the first line that isn't on the side; where all are, of the first line.
    pub(super) fn of(lines: &Lines) -> Main {
        let talk = || lines.iter().filter(|line| line.is_talk());
        let is_side = talk().next().is_some() && talk().all(|line| line.chain.is_side);
        let told = |line: &&Line| line.chain.session != 0;
        let first = talk().filter(|line| line.chain.is_side == is_side).find(told);
        let chain = first.or_else(|| lines.iter().find(told)).map(|line| line.chain).unwrap_or_default();
        Main { session: chain.session, agent: chain.agent, is_side }
    }
}

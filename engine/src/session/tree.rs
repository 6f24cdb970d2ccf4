//! Entries and the tree they form.

use std::borrow::Borrow;
use std::sync::Arc;

use crate::message::{Message, Usage};

/// Identifier of an entry within one session, cheap to clone. For logs without identifiers the adapter makes one from the line
/// number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId(pub Arc<str>);

impl EntryId {
    /// The identifier as the log has it.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for EntryId {
    fn from(id: &str) -> EntryId {
        EntryId(id.into())
    }
}

/// One entry of a session log, converted from an agent's own type.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Identifier within the session.
    pub id: EntryId,
    /// Parent on the branch; `None` at a root.
    pub parent: Option<EntryId>,
    /// 1-based line of the source log.
    pub line: u64,
    /// Byte range of the entry's JSON in the source log.
    pub bytes: std::ops::Range<u64>,
    /// When it was written, Unix milliseconds, where the log tells.
    pub time_ms: Option<i64>,
    /// What the entry is.
    pub kind: EntryKind,
}

/// What an entry contributes.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryKind {
    /// A message of the conversation.
    Message(Message),
    /// A message that an engine or an extension injected, shown to the model as the user's. `source` names who did.
    Injected {
        /// Name of the extension or engine that injected it (Pi: `customType`).
        source: String,
        /// What the model sees.
        message: Message,
    },
    /// A shell command that the person ran; shown to the model unless excluded.
    UserShell {
        /// What the model sees (empty when excluded).
        message: Message,
        /// Whether the person kept it from the model.
        excluded: bool,
    },
    /// Everything before `first_kept` on the path is replaced by a summary.
    Compaction {
        /// What the model sees in place of what went before: the summary, and whatever else the agent repeats.
        messages: Vec<Message>,
        /// Instructions re-sent with the summary.
        system: Option<Box<Message>>,
        /// First entry kept verbatim; `None` where the log names none that exists.
        first_kept: Option<EntryId>,
        /// Prompt tokens before the compaction, as the agent estimated.
        tokens_before: Option<u64>,
        /// Billed tokens of the summary request.
        usage: Option<Usage>,
    },
    /// This entry stands in the place of a range of those held before it.
    Replacement {
        /// First entry replaced.
        first: EntryId,
        /// Last entry replaced, at or behind `first` in the order of the prompt.
        last: EntryId,
        /// What the model sees instead; `None` where the range is dropped. The entry holds its place either way: a later
        /// replacement may name it.
        message: Option<Message>,
    },
    /// A summary of a branch that was left.
    BranchSummary {
        /// The summary as the model sees it; `None` when empty.
        summary: Option<Message>,
        /// Billed tokens of the summary request.
        usage: Option<Usage>,
    },
    /// Another entry's contribution is changed from here on.
    ContextEdit {
        /// The entry changed.
        target: EntryId,
        /// New content; `None` removes the entry's message.
        replacement: Option<Vec<crate::message::Block>>,
    },
    /// The model changed.
    ModelChange {
        /// Provider.
        provider: String,
        /// Model.
        model: String,
    },
    /// The thinking level changed.
    ThinkingChange {
        /// New level as the agent names it.
        level: String,
    },
    /// A message of a role outside the engine's vocabulary: the agent holds it, the model never receives it.
    Foreign {
        /// The role as the log spells it.
        role: String,
    },
    /// Billed tokens outside a reply (cache warming and the like).
    ExtraUsage(Usage),
    /// An entry that never reaches the model (labels, names, an extension's own state, unknown types).
    Other {
        /// The log's own name of the type.
        name: String,
    },
}

impl EntryKind {
    /// The messages that the entry adds to a prompt, in order, edits aside: none for what never reaches the model.
    pub fn messages(&self) -> impl Iterator<Item = &Message> {
        let (first, rest): (Option<&Message>, &[Message]) = match self {
            EntryKind::Message(message) | EntryKind::Injected { message, .. } => {
                (None, std::slice::from_ref(message))
            }
            EntryKind::Replacement { message, .. } => (None, message.as_slice()),
            EntryKind::UserShell { excluded: true, .. } => (None, &[]),
            EntryKind::UserShell { message, .. } => (None, std::slice::from_ref(message)),
            EntryKind::Compaction { messages, system, .. } => (system.as_deref(), messages),
            EntryKind::BranchSummary { summary, .. } => (None, summary.as_slice()),
            _ => (None, &[]),
        };
        first.into_iter().chain(rest)
    }

    /// Whether the agent holds the entry as part of its context, even where it adds no message.
    pub fn is_held(&self) -> bool {
        match self {
            EntryKind::Message(_)
            | EntryKind::Injected { .. }
            | EntryKind::UserShell { .. }
            | EntryKind::Compaction { .. }
            | EntryKind::Replacement { message: Some(_), .. }
            | EntryKind::BranchSummary { summary: Some(_), .. }
            | EntryKind::Foreign { .. } => true,
            EntryKind::BranchSummary { summary: None, .. }
            | EntryKind::Replacement { message: None, .. }
            | EntryKind::ContextEdit { .. }
            | EntryKind::ModelChange { .. }
            | EntryKind::ThinkingChange { .. }
            | EntryKind::ExtraUsage(_)
            | EntryKind::Other { .. } => false,
        }
    }
}

/// A session: header facts and entries in file order, owned or shared ([`SharedEntry`](super::SharedEntry)).
#[derive(Debug, Clone, PartialEq)]
pub struct SessionTree<E = Entry> {
    /// Identifier from the header.
    pub session_id: String,
    /// Working directory from the header, where told.
    pub cwd: Option<String>,
    /// Entries in file order.
    pub entries: Vec<E>,
    /// Entry at which the session stands, where the log's format doesn't mean the last one.
    pub leaf: Option<EntryId>,
}

impl<E> Default for SessionTree<E> {
    fn default() -> Self {
        SessionTree { session_id: String::new(), cwd: None, entries: Vec::new(), leaf: None }
    }
}

impl<E: Borrow<Entry>> SessionTree<E> {
    /// The entry at an index of [`SessionTree::entries`].
    ///
    /// # Panics
    /// Where there is none.
    pub fn entry(&self, index: usize) -> &Entry {
        self.entries[index].borrow()
    }
}

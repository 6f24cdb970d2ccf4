//! Canonical messages: the one model that every agent's log is converted into.

mod block;
mod hash;
mod json;
mod stable;
mod usage;

pub use block::Block;
pub use hash::{hex, sha256_hex};
pub use json::Json;
pub use stable::{is_stable_json, stable_json};
pub use usage::{Cost, Usage};

/// Who speaks, in the engine's closed vocabulary. An agent's further roles are mapped at the boundary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Instructions from the agent itself; tool declarations travel with them.
    System,
    /// The person, or anything presented to the model as the person's words.
    User,
    /// The model's reply.
    Assistant,
    /// The result of one tool call.
    ToolResult,
}

impl Role {
    /// The stable name used in every serialised form.
    pub fn name(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::ToolResult => "tool_result",
        }
    }
}

/// One message as the model would receive it.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// Content in order. Empty where the log held null or nothing.
    pub blocks: Vec<Block>,
    /// For a tool result: the call it answers.
    pub answers: Option<ToolAnswer>,
    /// For an assistant reply: what the provider and the model said about it.
    pub reply: Option<Box<Reply>>,
}

impl Message {
    /// A message of one text block, or of none where the text is empty.
    pub fn from_text(role: Role, text: impl Into<String>) -> Message {
        let text = text.into();
        let blocks = if text.is_empty() { Vec::new() } else { vec![Block::Text(text)] };
        Message { role, blocks, answers: None, reply: None }
    }

    /// The tool calls it makes, in order: identifier and name.
    pub fn calls(&self) -> impl Iterator<Item = (&str, &str)> {
        self.blocks.iter().filter_map(|block| match block {
            Block::ToolCall { id, name, .. } => Some((id.as_str(), name.as_str())),
            _ => None,
        })
    }

    /// Whether it is a reply that failed or was aborted: kept in the log, never sent back to the model.
    pub fn is_failed_reply(&self) -> bool {
        self.reply.as_ref().is_some_and(|reply| matches!(reply.stop, StopReason::Error | StopReason::Aborted))
    }
}

/// Which call a tool result answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolAnswer {
    /// Identifier of the call, unique only within its turn: bind per occurrence (see the atomic groups of `session`).
    pub call_id: String,
    /// Name of the tool as the log gives it.
    pub tool: String,
    /// Whether the tool reported an error.
    pub is_error: bool,
}

/// Facts about one model reply. A reply is one provider request.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// Provider as named by the agent.
    pub provider: String,
    /// Model that answered (the provider's own answer where it was told, else the requested one).
    pub model: String,
    /// Wire protocol, as named by the agent (`anthropic-messages`, …).
    pub api: String,
    /// Why the reply ended.
    pub stop: StopReason,
    /// Billed tokens; `None` where the log tells nothing.
    pub usage: Option<Usage>,
    /// The provider's identifier of the reply.
    pub response_id: Option<String>,
    /// When the request was made, Unix milliseconds.
    pub started_ms: Option<i64>,
    /// Whether this is a further piece of the reply with this `response_id` that an earlier entry began: some agents
    /// write one line a content block. A piece is no request of its own, and a prompt holds all pieces as one message.
    pub continues: bool,
}

/// Why a reply ended, in the engine's vocabulary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopReason {
    /// The model finished its turn.
    Stop,
    /// The output limit was reached.
    Length,
    /// The model called tools.
    ToolUse,
    /// The request failed; such a reply is not sent back to the model.
    Error,
    /// The person interrupted; such a reply is not sent back to the model.
    Aborted,
    /// Anything else, kept as the log spelled it.
    Other(String),
}

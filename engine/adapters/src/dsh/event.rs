//! The vocabulary of events.

/// What an event is to the surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A message of the person, of a plugin, or a summary.
    User,
    /// A reply.
    Assistant,
    /// The result of a call.
    Result,
    /// Known, and never shown to the model.
    LogOnly,
    /// Outside the vocabulary.
    Unknown,
}

impl Kind {
    /// What an event of a type is.
    pub(super) fn of(name: &str) -> Kind {
        match name {
            "user/message" => Kind::User,
            "assistant/message" => Kind::Assistant,
            "tool/result" => Kind::Result,
            _ if LOG_ONLY.contains(&name) => Kind::LogOnly,
            _ if FAMILIES.iter().any(|family| name.starts_with(family)) => Kind::LogOnly,
            _ => Kind::Unknown,
        }
    }

    /// Whether it stands on the surface.
    pub(super) fn is_surface(self) -> bool {
        matches!(self, Kind::User | Kind::Assistant | Kind::Result)
    }
}

/// Families that are taken whole: their members aren't documented one by one.
const FAMILIES: [&str; 2] = ["team/", "tool-workflow/"];

const LOG_ONLY: [&str; 37] = [
    "agent-preset/selected",
    "agent/inbox/spliced",
    "approval/asked",
    "approval/decided",
    "approval/policy",
    "assistant/chunk",
    "command/done",
    "command/run",
    "compaction/end",
    "compaction/prune",
    "compaction/start",
    "compaction/summary",
    "feedback/record",
    "goal/change",
    "hook/invoked",
    "hook/result",
    "llm/retry",
    "llm/retry-started",
    "permission/preset",
    "plan/mode",
    "request/context",
    "request/header",
    "sandbox/mode",
    "schedule/change",
    "session/end-seed",
    "session/title",
    "session/title-llm-request",
    "step/end",
    "step/start",
    "subagent/descriptor",
    "todo/write",
    "tool/call",
    "tool/code-dispatch",
    "tool/code-dispatch-start",
    "turn/end",
    "turn/start",
    "web/deepseek-search-llm-request",
];

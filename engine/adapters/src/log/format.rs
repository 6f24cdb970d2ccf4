//! Whose log it is, told by content.

use engine::message::Json;

/// The agents whose logs are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// The Pi coding agent.
    Pi,
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// DeepSeek Harness.
    Dsh,
}

impl Format {
    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Format::Pi => "pi",
            Format::Claude => "claude",
            Format::Codex => "codex",
            Format::Dsh => "dsh",
        }
    }

    /// The agent's own name, for messages.
    pub fn agent(self) -> &'static str {
        match self {
            Format::Pi => "Pi",
            Format::Claude => "Claude Code",
            Format::Codex => "Codex",
            Format::Dsh => "DeepSeek Harness",
        }
    }
}

/// What one object says about the format of its log: `None` where it could stand in several or in none.
///
/// The file's name and place never decide: they change when people move and share logs.
pub(crate) fn of_object(json: &Json<'_>) -> Option<Format> {
    let has = |name: &str| json.get(name).is_some();
    let kind = json.str_at("type");
    match kind {
        // Both headers have this type; the fields beside it differ from their first versions on.
        Some("session") if has("delegationDepth") || has("createdAt") => Some(Format::Dsh),
        Some("session") => Some(Format::Pi),
        // A library of Pi's once wrote such a header; Pi's dialect says what to make of it.
        _ if has("v") && json.str_at("kind") == Some("header") => Some(Format::Pi),
        _ if has("seq") && has("time") && has("data") && kind.is_some_and(|kind| kind.contains('/')) => {
            Some(Format::Dsh)
        }
        Some(_) if has("payload") => Some(Format::Codex),
        _ if is_bare_codex(json, kind) => Some(Format::Codex),
        _ if has("uuid") || has("parentUuid") || has("sessionId") || has("leafUuid") => Some(Format::Claude),
        Some("file-history-snapshot" | "queue-operation" | "custom-title" | "ai-title") => {
            Some(Format::Claude)
        }
        Some("summary") if has("summary") && !has("id") => Some(Format::Claude),
        Some(name) if is_pi_entry(name) && (has("parentId") || has("timestamp") || has("message")) => {
            Some(Format::Pi)
        }
        _ => None,
    }
}

/// Logs of Codex before it had an envelope: a header without a type, then bare response items and state records.
fn is_bare_codex(json: &Json<'_>, kind: Option<&str>) -> bool {
    let header = kind.is_none()
        && json.str_at("id").is_some()
        && json.str_at("timestamp").is_some()
        && (json.get("instructions").is_some() || json.get("git").is_some());
    let state = json.str_at("record_type").is_some();
    let message = json.get("role").is_some()
        && json.get("content").is_some()
        && json.get("message").is_none()
        && (kind == Some("message") || json.get("created_at").is_some());
    let item = matches!(
        kind,
        Some(
            "function_call" | "function_call_output" | "local_shell_call" | "custom_tool_call" | "reasoning"
        )
    ) && json.get("uuid").is_none();
    header || state || message || item
}

/// Types of Pi's entries: a log whose header is lost can still be known by them.
pub(crate) fn is_pi_entry(name: &str) -> bool {
    matches!(
        name,
        "message"
            | "model_change"
            | "thinking_level_change"
            | "compaction"
            | "branch_summary"
            | "custom"
            | "custom_message"
            | "context_edit"
            | "label"
            | "session_info"
    )
}

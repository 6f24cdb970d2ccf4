//! One request as the model reads it, whatever the provider's wire format.

use serde_json::Value;

/// A tool call as the assistant made it.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// Identifier that its result repeats.
    pub id: String,
    /// Name of the tool.
    pub name: String,
    /// Arguments, an object.
    pub arguments: Value,
}

impl Call {
    /// A string argument.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).and_then(Value::as_str)
    }
}

/// One step of the conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Turn {
    /// Text from the user's side: the prompt, and whatever else was put beside it. The two can't be told apart.
    User(String),
    /// What the assistant said and called.
    Assistant {
        /// Its words.
        text: String,
        /// Its calls, in order.
        calls: Vec<Call>,
    },
    /// The result of a call.
    Result {
        /// Identifier of the call.
        call: String,
        /// Text of the result.
        text: String,
        /// Whether the agent marked it as failed.
        failed: bool,
    },
}

/// A request: instructions, conversation so far, and whether tools may be called.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    /// System prompt.
    pub system: String,
    /// The conversation in order.
    pub turns: Vec<Turn>,
    /// False for the agent's own side requests (summaries), which declare no tools.
    pub has_tools: bool,
}

impl Transcript {
    /// Calls paired with their results, in order; a call without a result is left out.
    pub(super) fn answered(&self) -> Vec<(&Call, &str, bool)> {
        let mut open: Vec<&Call> = Vec::new();
        let mut done = Vec::new();
        for turn in &self.turns {
            match turn {
                Turn::Assistant { calls, .. } => open.extend(calls),
                Turn::Result { call, text, failed } => {
                    // An identifier may recur: the newest open call of that name is the one answered.
                    if let Some(position) = open.iter().rposition(|open| open.id == *call) {
                        done.push((open.remove(position), text.as_str(), *failed));
                    }
                }
                Turn::User(_) => {}
            }
        }
        done
    }

    /// Requests that were answered before this one.
    pub(super) fn steps(&self) -> u32 {
        let replies = self.turns.iter().filter(|turn| matches!(turn, Turn::Assistant { .. })).count();
        u32::try_from(replies).unwrap_or(u32::MAX)
    }

    /// The working directory that the system prompt names, without a trailing slash.
    pub(super) fn folder(&self) -> Option<&str> {
        let start = self.system.find("<cwd>")? + "<cwd>".len();
        let length = self.system[start..].find("</cwd>")?;
        Some(self.system[start..start + length].trim().trim_end_matches('/'))
    }
}

//! Messages, usage and declarations of an event to the engine's types.

use engine::message::{Block, Json, Message, Reply, Role, StopReason, ToolAnswer, Usage};
use serde::de::IgnoredAny;

use crate::log::Content;
use crate::log::member::{declarations, image, text, tokens};
use crate::log::suspect::damaged_name;

/// Figures of a request.
const USAGE_NAMES: [&str; 5] =
    ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"];

/// What a conversion couldn't keep or had to say; the caller counts and reports it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Note {
    /// A kind of content outside the vocabulary; left out.
    BlockType(String),
    /// Arguments that aren't JSON.
    BadArguments,
    /// Billed tokens that can't be.
    BadUsage,
    /// A reply's billed tokens that aren't those its stream told.
    UsageMismatch,
    /// A member that the event can't do without.
    Shape(&'static str),
}

/// Converts the events of one log.
#[derive(Debug)]
pub(super) struct Converter {
    content: Content,
    /// What was met since the caller last looked.
    pub(super) notes: Vec<Note>,
}

impl Converter {
    /// A converter at the start of a log.
    pub(super) fn new(content: Content) -> Converter {
        Converter { content, notes: Vec::new() }
    }

    /// A message of the person, of a plugin, or a summary.
    pub(super) fn user(&mut self, message: &Json<'_>) -> Message {
        self.plain(Role::User, message)
    }

    /// A reply; `None` where it has no content, for then the model sees nothing of it.
    pub(super) fn assistant(&mut self, data: &Json<'_>) -> Option<Message> {
        let message = data.get("message").unwrap_or(&Json::Null);
        if message.get("content").and_then(Json::as_array).is_none_or(<[Json<'_>]>::is_empty) {
            return None;
        }
        let mut reply = self.reply(data);
        let plain = self.plain(Role::Assistant, message);
        if plain.calls().next().is_some() {
            reply.stop = StopReason::ToolUse;
        }
        Some(Message { reply: Some(Box::new(reply)), ..plain })
    }

    /// Facts about the request behind a reply, with or without content.
    pub(super) fn reply(&mut self, data: &Json<'_>) -> Reply {
        let message = data.get("message").unwrap_or(&Json::Null);
        let source = message.get("source").unwrap_or(&Json::Null);
        let interrupted =
            data.get("interrupted").is_some_and(|told| !matches!(told, Json::Null | Json::Bool(false)));
        Reply {
            provider: text(source, "provider"),
            model: text(source, "model"),
            api: String::new(),
            // An interrupted reply stays in the history, so it is none of those that are never sent again.
            stop: match interrupted {
                true => StopReason::Other("interrupted".to_owned()),
                false => StopReason::Stop,
            },
            usage: self.usage(data),
            response_id: message.str_at("id").map(str::to_owned),
            started_ms: None,
            continues: false,
        }
    }

    /// The result of a call: its content stands in the one block of its message.
    pub(super) fn result(&mut self, data: &Json<'_>) -> Message {
        let message = data.get("message").unwrap_or(&Json::Null);
        let block = message.get("content").and_then(Json::as_array).and_then(<[Json<'_>]>::first);
        let block = block.filter(|block| block.str_at("type") == Some("tool-result"));
        if block.is_none() {
            self.notes.push(Note::Shape("a tool result without its block"));
        }
        let source = message.get("source").and_then(|source| source.str_at("callId"));
        let call_id = block.and_then(|block| block.str_at("toolCallId")).or(source).unwrap_or("");
        let failed = data.get("error").is_some_and(|error| *error != Json::Null);
        let answer = ToolAnswer {
            call_id: call_id.to_owned(),
            tool: String::new(),
            is_error: failed || block.and_then(|block| block.get("isError")).is_some_and(Json::is_true),
        };
        let blocks = self.blocks(block.and_then(|block| block.get("content")));
        Message { role: Role::ToolResult, blocks, answers: Some(answer), reply: None }
    }

    /// The system prompt and the tools of a request header.
    pub(super) fn header(&mut self, header: &Json<'_>) -> Message {
        let mut system = Message { role: Role::System, blocks: Vec::new(), answers: None, reply: None };
        if self.content == Content::Outline {
            return system;
        }
        match header.get("system") {
            Some(Json::String(text)) if !text.is_empty() => {
                system.blocks.push(Block::Text(text.clone().into_owned()))
            }
            Some(blocks @ Json::Array(_)) => system.blocks = self.blocks(Some(blocks)),
            _ => {}
        }
        system.blocks.extend(declarations(header.get("tools")));
        system
    }

    /// Billed tokens that an event tells, `None` where it tells none or tells what can't be. The parts of the prompt are
    /// disjoint.
    pub(super) fn usage(&mut self, data: &Json<'_>) -> Option<Usage> {
        let Some(usage) = data.get("usage").filter(|usage| usage.as_object().is_some()) else {
            if damaged_name(data, &["usage"]).is_some() {
                self.notes.push(Note::BadUsage);
            }
            return None;
        };
        let mut bad = damaged_name(usage, &USAGE_NAMES).is_some();
        let mut count = |name: &str| {
            tokens(usage, name).unwrap_or_else(|| {
                bad = true;
                0
            })
        };
        let read = Usage {
            input: count("inputTokens"),
            output: count("outputTokens"),
            cache_read: count("cacheReadTokens"),
            cache_write: count("cacheWriteTokens"),
            reasoning: count("reasoningTokens"),
            ..Usage::default()
        };
        if bad || read.reasoning > read.output {
            self.notes.push(Note::BadUsage);
            return None;
        }
        Some(read)
    }

    fn plain(&mut self, role: Role, message: &Json<'_>) -> Message {
        Message { role, blocks: self.blocks(message.get("content")), answers: None, reply: None }
    }

    fn blocks(&mut self, content: Option<&Json<'_>>) -> Vec<Block> {
        match content {
            Some(Json::Array(items)) => items.iter().filter_map(|item| self.block(item)).collect(),
            Some(Json::String(text)) if !text.is_empty() && self.content == Content::Full => {
                vec![Block::Text(text.clone().into_owned())]
            }
            Some(Json::String(_) | Json::Null) | None => Vec::new(),
            Some(_) => {
                self.notes.push(Note::Shape("content that is no list"));
                Vec::new()
            }
        }
    }

    fn block(&mut self, block: &Json<'_>) -> Option<Block> {
        match block.str_at("type").unwrap_or("") {
            "tool-call" => Some(self.call(block)),
            "text" | "reasoning" | "image" if self.content == Content::Outline => None,
            "text" => Some(Block::Text(text(block, "text"))),
            "reasoning" => Some(Block::Thinking { text: text(block, "text"), signature: None }),
            "image" => {
                let source = block.get("source").unwrap_or(block);
                let mime = source.str_at("mimeType").or(source.str_at("mediaType")).unwrap_or("");
                Some(image(mime, source.str_at("data").unwrap_or("")))
            }
            other => {
                self.notes.push(Note::BlockType(other.to_owned()));
                None
            }
        }
    }

    /// Arguments are JSON in a string: the string itself is what the model wrote.
    fn call(&mut self, block: &Json<'_>) -> Block {
        let given = block.str_at("arguments").unwrap_or("");
        let is_json = given.is_empty() || serde_json::from_str::<IgnoredAny>(given).is_ok();
        if !is_json {
            self.notes.push(Note::BadArguments);
        }
        let (arguments, json) = match self.content {
            Content::Outline => (serde_json::Value::Null, String::new()),
            Content::Full => {
                let empty = || serde_json::Value::Object(serde_json::Map::new());
                (serde_json::from_str(given).unwrap_or_else(|_| empty()), given.to_owned())
            }
        };
        Block::ToolCall { id: text(block, "id"), name: text(block, "name"), arguments, json }
    }
}

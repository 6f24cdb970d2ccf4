//! What a line contributes, in the engine's types.

use std::collections::HashMap;

use engine::message::{Block, Json, Message, Reply, Role, StopReason, ToolAnswer};
use engine::session::EntryKind;

use super::envelope::Envelope;
use crate::log::dialect::Report;
use crate::log::member::{image, text};
use crate::log::{Content, FaultCode};

/// Model name of replies that Claude Code writes without asking a provider.
pub(super) const SYNTHETIC: &str = "<synthetic>";

/// The wire protocol that Claude Code speaks, whoever serves it.
const API: &str = "anthropic-messages";

/// Converts the lines of one log.
#[derive(Debug)]
pub(super) struct Converter {
    content: Content,
    /// Tool of each call: results don't name it.
    tools: HashMap<String, String>,
}

impl Converter {
    /// A converter at the start of a log.
    pub(super) fn new(content: Content) -> Converter {
        Converter { content, tools: HashMap::new() }
    }

    /// Whether texts are left out.
    pub(super) fn is_outline(&self) -> bool {
        self.content == Content::Outline
    }

    /// A user line: one contribution a tool result, and one for what stands before, between or behind them.
    pub(super) fn user(&mut self, line: &Envelope<'_>, at: u64, report: &mut Report) -> Vec<EntryKind> {
        let Some(message) = line.message else { return vec![foreign_shape("user", at, report)] };
        let content = message.get("content");
        let items = content.and_then(Json::as_array).unwrap_or(&[]);
        let is_result = |item: &Json<'_>| item.str_at("type") == Some("tool_result");
        if !items.iter().any(is_result) {
            let said = plain(Role::User, self.blocks(content, at, report));
            return vec![match line.is_meta {
                true => injected("meta", said),
                false => EntryKind::Message(said),
            }];
        }
        let mut kinds = Vec::with_capacity(items.len());
        let mut rest = items;
        while let Some(first) = rest.first() {
            if is_result(first) {
                kinds.push(EntryKind::Message(self.result(first, at, report)));
                rest = &rest[1..];
                continue;
            }
            let run = rest.iter().take_while(|item| !is_result(item)).count();
            let blocks = rest[..run].iter().filter_map(|item| self.block(item, at, report)).collect();
            kinds.push(injected("beside_result", plain(Role::User, blocks)));
            rest = &rest[run..];
        }
        kinds
    }

    /// A piece of a reply. Which piece begins the reply and what it was billed is known only when all lines are.
    pub(super) fn assistant(&mut self, line: &Envelope<'_>, at: u64, report: &mut Report) -> EntryKind {
        let Some(message) = line.message else { return foreign_shape("assistant", at, report) };
        if line.is_api_error {
            report.lose("API error message: held, never sent");
            return EntryKind::Foreign { role: "api_error".to_owned() };
        }
        let blocks = self.blocks(message.get("content"), at, report);
        let model = message.str_at("model").unwrap_or("");
        let reply = (model != SYNTHETIC).then(|| {
            Box::new(Reply {
                provider: String::new(),
                model: model.to_owned(),
                api: API.to_owned(),
                stop: stop_reason(message).unwrap_or_else(|| StopReason::Other(String::new())),
                usage: None,
                response_id: message.str_at("id").filter(|id| !id.is_empty()).map(str::to_owned),
                started_ms: None,
                continues: false,
            })
        });
        EntryKind::Message(Message { reply, ..plain(Role::Assistant, blocks) })
    }

    /// A local command or its output. Claude Code sends it as the person's words.
    pub(super) fn local_command(&mut self, line: &Envelope<'_>, at: u64, report: &mut Report) -> EntryKind {
        injected("local_command", plain(Role::User, self.blocks(line.content, at, report)))
    }

    /// An attachment. Of most kinds the log holds the facts and not the words that were sent; a prompt that was typed
    /// while the agent worked stands in the log itself.
    pub(super) fn attachment(&mut self, line: &Envelope<'_>, at: u64, report: &mut Report) -> EntryKind {
        let attachment = line.attachment.unwrap_or(&Json::Null);
        match attachment.str_at("type").unwrap_or("") {
            "queued_command" => {
                let prompt = self.blocks(attachment.get("prompt"), at, report);
                injected("queued_command", plain(Role::User, prompt))
            }
            other => {
                report.lose(format!("attachment `{other}`: kept in the tree, left out of the prompt"));
                EntryKind::Other { name: format!("attachment/{other}") }
            }
        }
    }

    fn result(&mut self, result: &Json<'_>, at: u64, report: &mut Report) -> Message {
        let call_id = text(result, "tool_use_id");
        let answer = ToolAnswer {
            tool: self.tools.get(&call_id).cloned().unwrap_or_default(),
            call_id,
            is_error: result.get("is_error").is_some_and(Json::is_true),
        };
        let blocks = self.blocks(result.get("content"), at, report);
        Message { answers: Some(answer), ..plain(Role::ToolResult, blocks) }
    }

    /// A string is one text block; null and nothing are no content.
    fn blocks(&mut self, content: Option<&Json<'_>>, at: u64, report: &mut Report) -> Vec<Block> {
        match content {
            None | Some(Json::Null) => Vec::new(),
            Some(Json::String(text)) if text.is_empty() || self.is_outline() => Vec::new(),
            Some(Json::String(text)) => vec![Block::Text(text.clone().into_owned())],
            Some(Json::Array(items)) => {
                items.iter().filter_map(|item| self.block(item, at, report)).collect()
            }
            Some(_) => {
                let message = "content that is neither text nor a list: left out";
                report.warn(at, FaultCode::UnknownShape, message);
                Vec::new()
            }
        }
    }

    fn block(&mut self, block: &Json<'_>, at: u64, report: &mut Report) -> Option<Block> {
        if block.as_object().is_none() {
            report.warn(at, FaultCode::UnknownShape, "a content block that is no object: left out");
            return None;
        }
        let full = !self.is_outline();
        match block.str_at("type").unwrap_or("") {
            "text" => full.then(|| Block::Text(text(block, "text"))),
            "thinking" => full.then(|| Block::Thinking {
                text: text(block, "thinking"),
                signature: block.str_at("signature").map(str::to_owned),
            }),
            "redacted_thinking" => full.then(|| Block::Thinking {
                text: String::new(),
                signature: block.str_at("data").map(str::to_owned),
            }),
            "tool_use" => Some(self.call(block, at, report)),
            "image" => {
                let source = block.get("source").unwrap_or(&Json::Null);
                let Some(data) = source.str_at("data") else {
                    report.lose("image by reference: left out");
                    return None;
                };
                full.then(|| image(source.str_at("media_type").unwrap_or(""), data))
            }
            other => {
                report.lose(format!("content block `{other}`: left out"));
                None
            }
        }
    }

    fn call(&mut self, block: &Json<'_>, at: u64, report: &mut Report) -> Block {
        let (id, name) = (text(block, "id"), text(block, "name"));
        self.tools.insert(id.clone(), name.clone());
        let empty = Json::Object(Vec::new());
        let input = block.get("input").unwrap_or(&empty);
        let is_object = input.as_object().is_some();
        if !is_object {
            let message = "a call's arguments are no object: kept as text";
            report.warn(at, FaultCode::BadArguments, message);
        }
        if self.is_outline() {
            return Block::ToolCall { id, name, arguments: serde_json::Value::Null, json: String::new() };
        }
        let arguments = if is_object { input } else { &empty };
        Block::ToolCall { id, name, arguments: arguments.to_value(), json: input.to_source_order() }
    }
}

/// Why a piece says that its reply ended, by the names of the Anthropic Messages API; most pieces were written before
/// that was known.
pub(super) fn stop_reason(message: &Json<'_>) -> Option<StopReason> {
    Some(match message.str_at("stop_reason")? {
        "end_turn" | "stop_sequence" => StopReason::Stop,
        "max_tokens" => StopReason::Length,
        "tool_use" => StopReason::ToolUse,
        other => StopReason::Other(other.to_owned()),
    })
}

fn plain(role: Role, blocks: Vec<Block>) -> Message {
    Message { role, blocks, answers: None, reply: None }
}

fn injected(source: &str, message: Message) -> EntryKind {
    EntryKind::Injected { source: source.to_owned(), message }
}

fn foreign_shape(kind: &str, at: u64, report: &mut Report) -> EntryKind {
    let message = format!("a line of type `{kind}` without a message: kept in place, left out of the prompt");
    report.warn(at, FaultCode::UnknownShape, message);
    EntryKind::Other { name: kind.to_owned() }
}

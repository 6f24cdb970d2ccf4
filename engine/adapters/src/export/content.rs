//! Messages and blocks as Pi's JSON.

use std::borrow::Cow;

use engine::message::{Block, Json, Message, Reply, Role, StopReason, Usage};

use super::loss::{LossCode, Losses};
use super::source::{image_data, is_redacted};

/// Members of a JSON object, in the order in which they are written.
pub(super) type Members = Vec<(&'static str, Json<'static>)>;

/// What is at hand while one entry is written.
pub(super) struct Context<'c> {
    /// The entry as it stands in the log, where that could be read again.
    pub(super) raw: Option<&'c Json<'static>>,
    /// Time of the entry, Unix milliseconds.
    pub(super) time_ms: i64,
    pub(super) losses: &'c mut Losses,
}

pub(super) fn object(members: Members) -> Json<'static> {
    Json::Object(members.into_iter().map(|(name, value)| (Cow::Borrowed(name), value)).collect())
}

pub(super) fn string(text: &str) -> Json<'static> {
    Json::String(Cow::Owned(text.to_owned()))
}

fn word(text: &'static str) -> Json<'static> {
    Json::String(Cow::Borrowed(text))
}

pub(super) fn count(number: u64) -> Json<'static> {
    Json::Number(number.into())
}

fn double(value: f64) -> Json<'static> {
    serde_json::Number::from_f64(value).map_or(count(0), Json::Number)
}

/// A message of a message entry.
pub(super) fn message(message: &Message, context: &mut Context<'_>) -> Json<'static> {
    match (message.role, &message.reply, &message.answers) {
        (Role::System, _, _) => system(message, context),
        (Role::User, _, _) => object(vec![
            ("role", word("user")),
            ("content", plain_content(&message.blocks, context)),
            ("timestamp", Json::Number(context.time_ms.into())),
        ]),
        (Role::Assistant, reply, _) => assistant(message, reply.as_deref(), context),
        (Role::ToolResult, _, answers) => {
            let (call, tool) = answers.as_ref().map_or(("", ""), |found| (&found.call_id, &found.tool));
            object(vec![
                ("role", word("toolResult")),
                ("toolCallId", string(call)),
                ("toolName", string(tool)),
                ("content", plain_content(&message.blocks, context)),
                ("isError", Json::Bool(answers.as_ref().is_some_and(|found| found.is_error))),
                ("timestamp", Json::Number(context.time_ms.into())),
            ])
        }
    }
}

/// Instructions: texts, then the tools that they declare.
fn system(message: &Message, context: &mut Context<'_>) -> Json<'static> {
    let mut texts = Vec::new();
    let mut tools = Vec::new();
    for block in &message.blocks {
        match block {
            Block::Text(text) => {
                if !tools.is_empty() {
                    context.losses.note(LossCode::ToolDeclaration, "order among the instructions");
                }
                texts.push(text_block(text));
            }
            Block::ToolDeclaration { json, .. } => match serde_json::from_str::<Json<'_>>(json) {
                Ok(tool @ Json::Object(_)) => {
                    if tool.to_source_order() != *json {
                        context.losses.note(LossCode::ToolDeclaration, "spelling");
                    }
                    tools.push(tool.into_owned());
                }
                _ => {
                    context.losses.note(LossCode::ToolDeclaration, "no JSON object: kept as text");
                    texts.push(text_block(json));
                }
            },
            other => context.losses.note(LossCode::Block, format!("{} in system", name(other))),
        }
    }
    let mut members = vec![("role", word("system")), ("content", Json::Array(texts))];
    if !tools.is_empty() {
        members.push(("toolsAdded", Json::Array(tools)));
    }
    members.push(("timestamp", Json::Number(context.time_ms.into())));
    object(members)
}

fn assistant(message: &Message, reply: Option<&Reply>, context: &mut Context<'_>) -> Json<'static> {
    let content = assistant_content(&message.blocks, context);
    let text = |of: fn(&Reply) -> &str| string(reply.map_or("", of));
    let usage = match reply.and_then(|reply| reply.usage) {
        Some(usage) => usage,
        None => {
            context.losses.note(LossCode::UnknownUsage, "reply");
            Usage::default()
        }
    };
    let mut members = vec![
        ("role", word("assistant")),
        ("content", content),
        ("api", text(|reply| &reply.api)),
        ("provider", text(|reply| &reply.provider)),
        ("model", text(|reply| &reply.model)),
        ("usage", usage_json(&usage, context.losses)),
        ("stopReason", string(reply.map_or("stop", |reply| stop_reason(&reply.stop)))),
        (
            "timestamp",
            Json::Number(reply.and_then(|reply| reply.started_ms).unwrap_or(context.time_ms).into()),
        ),
    ];
    if let Some(id) = reply.and_then(|reply| reply.response_id.as_deref()) {
        members.push(("responseId", string(id)));
    }
    object(members)
}

fn stop_reason(stop: &StopReason) -> &str {
    match stop {
        StopReason::Stop => "stop",
        StopReason::Length => "length",
        StopReason::ToolUse => "toolUse",
        StopReason::Error => "error",
        StopReason::Aborted => "aborted",
        StopReason::Other(other) => other,
    }
}

/// Billed tokens. Pi's readers need every count; the parts of the cost aren't in the model.
pub(super) fn usage_json(usage: &Usage, losses: &mut Losses) -> Json<'static> {
    let mut members = vec![
        ("input", count(usage.input)),
        ("output", count(usage.output)),
        ("cacheRead", count(usage.cache_read)),
        ("cacheWrite", count(usage.cache_write)),
    ];
    if usage.cache_write_1h > 0 {
        members.push(("cacheWrite1h", count(usage.cache_write_1h)));
    }
    if usage.reasoning > 0 {
        members.push(("reasoning", count(usage.reasoning)));
    }
    members.push(("totalTokens", count(usage.prompt().saturating_add(usage.output))));
    // Without its parts the total would contradict them; with `totalFromProvider` it stands for itself.
    if let Some(cost) = usage.cost {
        let mut parts: Members =
            ["input", "output", "cacheRead", "cacheWrite"].map(|part| (part, count(0))).to_vec();
        parts.push(("total", double(cost.total)));
        if cost.total != 0.0 {
            losses.note(LossCode::CostParts, "usage.cost");
            parts.push(("totalFromProvider", Json::Bool(true)));
        }
        members.push(("cost", object(parts)));
    }
    object(members)
}

/// Content of a reply.
fn assistant_content(blocks: &[Block], context: &mut Context<'_>) -> Json<'static> {
    Json::Array(blocks.iter().filter_map(|block| assistant_block(block, context)).collect())
}

fn assistant_block(block: &Block, context: &mut Context<'_>) -> Option<Json<'static>> {
    match block {
        Block::Text(text) => Some(text_block(text)),
        Block::Thinking { text, signature } => {
            let mut members = vec![("type", word("thinking")), ("thinking", string(text))];
            if let Some(signature) = signature {
                members.push(("thinkingSignature", string(signature)));
                if context.raw.is_some_and(|raw| is_redacted(raw, signature)) {
                    members.push(("redacted", Json::Bool(true)));
                }
            }
            Some(object(members))
        }
        Block::ToolCall { id, name, json, .. } => {
            let arguments = match serde_json::from_str::<Json<'_>>(json) {
                Ok(arguments @ Json::Object(_)) if arguments.to_source_order() == *json => {
                    arguments.into_owned()
                }
                Ok(arguments @ Json::Object(_)) => {
                    context.losses.note(LossCode::Arguments, "spelling");
                    arguments.into_owned()
                }
                _ => {
                    context.losses.note(LossCode::Arguments, "no JSON object: wrapped");
                    object(vec![("input", string(json))])
                }
            };
            Some(object(vec![
                ("type", word("toolCall")),
                ("id", string(id)),
                ("name", string(name)),
                ("arguments", arguments),
            ]))
        }
        Block::Image { .. } => {
            context.losses.note(LossCode::Image, "in a reply");
            Some(text_block(&format!("[{}]", block.text())))
        }
        Block::ToolDeclaration { .. } => {
            context.losses.note(LossCode::Block, format!("{} in assistant", name(block)));
            None
        }
    }
}

/// Content of a message that holds texts and images.
pub(super) fn plain_content(blocks: &[Block], context: &mut Context<'_>) -> Json<'static> {
    Json::Array(blocks.iter().filter_map(|block| plain_block(block, context)).collect())
}

fn plain_block(block: &Block, context: &mut Context<'_>) -> Option<Json<'static>> {
    match block {
        Block::Text(text) => Some(text_block(text)),
        Block::Image { mime, sha256, bytes } => {
            let data = context.raw.and_then(|raw| image_data(raw, sha256, *bytes));
            let Some(data) = data else {
                context.losses.note(LossCode::Image, mime.clone());
                return Some(text_block(&format!("[{}]", block.text())));
            };
            Some(object(vec![("type", word("image")), ("data", string(data)), ("mimeType", string(mime))]))
        }
        other => {
            context.losses.note(LossCode::Block, format!("{} outside of a reply", name(other)));
            None
        }
    }
}

/// Content of an edit: of a reply where calls or reasoning are in it.
pub(super) fn edited_content(blocks: &[Block], context: &mut Context<'_>) -> Json<'static> {
    let of_reply =
        blocks.iter().any(|block| matches!(block, Block::Thinking { .. } | Block::ToolCall { .. }));
    if of_reply { assistant_content(blocks, context) } else { plain_content(blocks, context) }
}

fn text_block(text: &str) -> Json<'static> {
    object(vec![("type", word("text")), ("text", string(text))])
}

fn name(block: &Block) -> &'static str {
    match block {
        Block::Text(_) => "text",
        Block::Thinking { .. } => "thinking",
        Block::ToolCall { .. } => "tool call",
        Block::Image { .. } => "image",
        Block::ToolDeclaration { .. } => "tool declaration",
    }
}

//! One Pi object to the engine's types.

use engine::message::{Block, Cost, Json, Message, Reply, Role, StopReason, ToolAnswer, Usage};
use engine::session::{EntryId, EntryKind};

use crate::log::member::{self, declarations, image, text, tokens};
use crate::log::suspect::{damaged_name, tells_usage};
use crate::log::time::number_ms;
use crate::log::{Content, FaultCode};

/// What a conversion couldn't keep, counted by the caller.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Unread {
    /// An entry type this reader doesn't know; kept in place, contributes nothing.
    EntryType(String),
    /// A message role outside the engine's vocabulary; held, never sent.
    Role(String),
    /// A content block of an unknown type; left out.
    BlockType(String),
}

/// Converts objects of one log.
#[derive(Debug)]
pub(super) struct Converter {
    content: Content,
    /// Version of the log; decides which spellings Pi migrates.
    pub(super) version: u64,
    /// What was met and not kept, in order of appearance.
    pub(super) unread: Vec<Unread>,
    /// What the last conversion found that a tool's own model work was billed.
    pub(super) tool_usage: Option<Usage>,
    /// What the last conversion found wrong, with a sentence for it.
    pub(super) faults: Vec<(FaultCode, &'static str)>,
}

impl Converter {
    /// A converter for a log whose version isn't known yet.
    pub(super) fn new(content: Content) -> Converter {
        Converter { content, version: 0, unread: Vec::new(), tool_usage: None, faults: Vec::new() }
    }

    /// What an entry contributes. A v1 compaction's index is resolved by the caller, which knows the lines.
    pub(super) fn kind(&mut self, entry: &Json<'_>) -> EntryKind {
        self.faults.clear();
        self.tool_usage = None;
        let name = entry.str_at("type").unwrap_or("");
        match name {
            "message" => self.message_entry(entry),
            "custom_message" => self.injected(entry),
            "compaction" => EntryKind::Compaction {
                messages: vec![self.cut(compaction_summary(entry.str_at("summary").unwrap_or("")))],
                system: entry
                    .get("systemMessage")
                    .filter(|m| m.as_object().is_some())
                    .map(|m| Box::new(self.system(m))),
                first_kept: entry.str_at("firstKeptEntryId").map(id),
                tokens_before: entry.get("tokensBefore").and_then(Json::as_count),
                usage: self.usage(entry),
            },
            "branch_summary" => EntryKind::BranchSummary {
                summary: entry
                    .str_at("summary")
                    .filter(|text| !text.is_empty())
                    .map(|text| self.cut(branch_summary(text))),
                usage: self.usage(entry),
            },
            "context_edit" => EntryKind::ContextEdit {
                target: id(entry.str_at("targetId").unwrap_or("")),
                replacement: entry
                    .get("replacement")
                    .filter(|replacement| replacement.as_object().is_some())
                    .map(|replacement| self.blocks(replacement.get("content"))),
            },
            "model_change" => {
                EntryKind::ModelChange { provider: text(entry, "provider"), model: text(entry, "modelId") }
            }
            "thinking_level_change" => EntryKind::ThinkingChange { level: text(entry, "thinkingLevel") },
            "usage" => match self.usage(entry) {
                Some(usage) => EntryKind::ExtraUsage(usage),
                None => EntryKind::Other { name: name.to_owned() },
            },
            "custom" | "label" | "session_info" => EntryKind::Other { name: name.to_owned() },
            _ => {
                if entry.str_at("type").is_none() {
                    self.faults.push((FaultCode::UnknownShape, "an object without a type: adds nothing"));
                } else if tells_usage(entry, &["usage"]) {
                    let message = "an entry of an unknown type tells billed tokens: they aren't counted";
                    self.faults.push((FaultCode::UnknownShape, message));
                }
                self.unread.push(Unread::EntryType(name.to_owned()));
                EntryKind::Other { name: name.to_owned() }
            }
        }
    }

    fn message_entry(&mut self, entry: &Json<'_>) -> EntryKind {
        let message = entry.get("message").unwrap_or(&Json::Null);
        if message.as_object().is_none() {
            self.faults.push((FaultCode::UnknownShape, "a message entry without a message: adds nothing"));
        }
        let role = message.str_at("role").unwrap_or("");
        match role {
            "system" => EntryKind::Message(self.system(message)),
            "user" => EntryKind::Message(self.plain(Role::User, message)),
            "assistant" => EntryKind::Message(self.assistant(message)),
            "toolResult" => EntryKind::Message(self.tool_result(message)),
            "bashExecution" => EntryKind::UserShell {
                message: self.cut(Message::from_text(Role::User, shell_text(message))),
                excluded: message.get("excludeFromContext").is_some_and(Json::is_true),
            },
            "custom" => self.injected(message),
            // Renamed to `custom` by Pi's own migration to version 3; unknown to it afterwards.
            "hookMessage" if self.version < 3 => self.injected(message),
            "branchSummary" => {
                EntryKind::Message(self.cut(branch_summary(message.str_at("summary").unwrap_or(""))))
            }
            "compactionSummary" => {
                EntryKind::Message(self.cut(compaction_summary(message.str_at("summary").unwrap_or(""))))
            }
            _ => {
                if tells_usage(message, &["usage"]) {
                    let message = "a message of an unknown role tells billed tokens: they aren't counted";
                    self.faults.push((FaultCode::UnknownShape, message));
                }
                self.unread.push(Unread::Role(role.to_owned()));
                EntryKind::Foreign { role: role.to_owned() }
            }
        }
    }

    fn injected(&mut self, holder: &Json<'_>) -> EntryKind {
        EntryKind::Injected { source: text(holder, "customType"), message: self.plain(Role::User, holder) }
    }

    fn plain(&mut self, role: Role, message: &Json<'_>) -> Message {
        Message { role, blocks: self.blocks(message.get("content")), answers: None, reply: None }
    }

    /// A message put together from text, without it where only the outline is kept.
    fn cut(&self, mut message: Message) -> Message {
        if self.content == Content::Outline {
            message.blocks.clear();
        }
        message
    }

    /// Content, then the sections in the order of the log, then the declarations of the tools it adds.
    fn system(&mut self, message: &Json<'_>) -> Message {
        let mut system = self.plain(Role::System, message);
        if self.content == Content::Outline {
            return system;
        }
        let sections = message.get("sections").and_then(Json::as_object).unwrap_or(&[]);
        let texts = sections.iter().filter_map(|(_, section)| section.as_str());
        system.blocks.extend(texts.map(|section| Block::Text(section.to_owned())));
        system.blocks.extend(declarations(message.get("toolsAdded")));
        system
    }

    fn assistant(&mut self, message: &Json<'_>) -> Message {
        let usage = self.usage(message);
        let requested = text(message, "model");
        let reply = Reply {
            provider: text(message, "provider"),
            model: message.str_at("responseModel").map_or(requested, str::to_owned),
            api: text(message, "api"),
            stop: stop_reason(message.str_at("stopReason").unwrap_or("")),
            usage,
            response_id: message.str_at("responseId").map(str::to_owned),
            started_ms: message.get("timestamp").and_then(number_ms),
            continues: false,
        };
        Message { reply: Some(Box::new(reply)), ..self.plain(Role::Assistant, message) }
    }

    fn tool_result(&mut self, message: &Json<'_>) -> Message {
        self.tool_usage = self.usage(message);
        let answer = ToolAnswer {
            call_id: text(message, "toolCallId"),
            tool: text(message, "toolName"),
            is_error: message.get("isError").is_some_and(Json::is_true),
        };
        Message { answers: Some(answer), ..self.plain(Role::ToolResult, message) }
    }

    /// A string is one text block; null, nothing and foreign shapes are no content.
    fn blocks(&mut self, content: Option<&Json<'_>>) -> Vec<Block> {
        match content {
            Some(Json::String(text)) if text.is_empty() => Vec::new(),
            Some(Json::String(_)) if self.content == Content::Outline => Vec::new(),
            Some(Json::String(text)) => vec![Block::Text(text.clone().into_owned())],
            Some(Json::Array(items)) => items.iter().filter_map(|item| self.block(item)).collect(),
            None | Some(Json::Null) => Vec::new(),
            Some(_) => {
                self.faults.push((FaultCode::UnknownShape, "content in no known shape: left out"));
                Vec::new()
            }
        }
    }

    /// Arguments that Pi couldn't parse, or that are no object.
    fn check_arguments(&mut self, call: &Json<'_>) {
        let arguments = call.get("arguments").unwrap_or(&Json::Null);
        if call.get("argumentsError").is_some() || arguments.as_object().is_none() {
            self.faults.push((FaultCode::BadArguments, "a call whose arguments couldn't be read"));
        }
    }

    fn block(&mut self, block: &Json<'_>) -> Option<Block> {
        let kind = block.str_at("type").unwrap_or("");
        if kind == "toolCall" {
            self.check_arguments(block);
        }
        match kind {
            "text" | "thinking" | "image" if self.content == Content::Outline => None,
            "toolCall" if self.content == Content::Outline => Some(Block::ToolCall {
                id: text(block, "id"),
                name: text(block, "name"),
                arguments: serde_json::Value::Null,
                json: String::new(),
            }),
            "text" => Some(Block::Text(text(block, "text"))),
            "thinking" => Some(Block::Thinking {
                text: text(block, "thinking"),
                signature: block.str_at("thinkingSignature").map(str::to_owned),
            }),
            "toolCall" => {
                let empty = Json::Object(Vec::new());
                let arguments = block.get("arguments").filter(|a| a.as_object().is_some()).unwrap_or(&empty);
                Some(Block::ToolCall {
                    id: text(block, "id"),
                    name: text(block, "name"),
                    arguments: arguments.to_value(),
                    json: arguments.to_source_order(),
                })
            }
            "image" => {
                let member = |name| block.str_at(name).unwrap_or("");
                Some(image(member("mimeType"), member("data")))
            }
            other => {
                self.unread.push(Unread::BlockType(other.to_owned()));
                None
            }
        }
    }

    /// Billed tokens that an entry or a message tells; `None` where it tells none or tells what can't be.
    fn usage(&mut self, holder: &Json<'_>) -> Option<Usage> {
        let Some(usage) = holder.get("usage").filter(|usage| usage.as_object().is_some()) else {
            if damaged_name(holder, &["usage"]).is_some() {
                let message = "the name of the billed tokens is damaged: treated as unknown";
                self.faults.push((FaultCode::BadUsage, message));
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
        let mut read = Usage {
            input: count("input"),
            output: count("output"),
            cache_read: count("cacheRead"),
            cache_write: count("cacheWrite"),
            cache_write_1h: count("cacheWrite1h"),
            reasoning: count("reasoning"),
            cost: None,
        };
        let total = count("totalTokens");
        bad |= read.reasoning > read.output || read.cache_write_1h > read.cache_write;
        if bad {
            self.faults.push((FaultCode::BadUsage, "impossible billed tokens: treated as unknown"));
            return None;
        }
        // Some providers leave the total at zero, and early releases had none.
        if total != 0 && total != read.prompt().saturating_add(read.output) {
            self.faults.push((FaultCode::UsageMismatch, "the billed tokens don't add up to their total"));
        }
        read.cost = self.cost(usage.get("cost"));
        Some(read)
    }

    /// What the request cost. Pi adds up the four parts; a provider's own total may be another.
    fn cost(&mut self, cost: Option<&Json<'_>>) -> Option<Cost> {
        let cost = cost?;
        let known = |name: &str| cost.get(name).is_some_and(|cost| *cost != Json::Null);
        if COST_NAMES.iter().any(|name| known(name) && member::cost(cost, name).is_none()) {
            self.faults.push((FaultCode::BadUsage, "an impossible cost: treated as unknown"));
            return None;
        }
        let total = member::cost(cost, "total");
        let parts: Option<Vec<f64>> = COST_NAMES[..4].iter().map(|name| member::cost(cost, name)).collect();
        let sum: Option<f64> = parts.map(|parts| parts.iter().sum());
        let from_provider = cost.get("totalFromProvider").is_some_and(Json::is_true);
        let differs = match (total, sum) {
            (Some(total), Some(sum)) => !from_provider && (total - sum).abs() > 1e-12 * sum.abs(),
            _ => damaged_name(cost, &COST_NAMES).is_some(),
        };
        if differs {
            self.faults.push((FaultCode::UsageMismatch, "the costs don't add up to their total"));
        }
        total.map(|total| Cost { total })
    }
}

/// Figures of a request.
const USAGE_NAMES: [&str; 8] =
    ["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning", "totalTokens", "cost"];

/// What they cost, the total last.
const COST_NAMES: [&str; 5] = ["input", "output", "cacheRead", "cacheWrite", "total"];

/// Identifier of an entry.
pub(super) fn id(text: &str) -> EntryId {
    EntryId(text.into())
}

fn stop_reason(name: &str) -> StopReason {
    match name {
        "stop" => StopReason::Stop,
        "length" => StopReason::Length,
        "toolUse" => StopReason::ToolUse,
        "error" => StopReason::Error,
        "aborted" => StopReason::Aborted,
        other => StopReason::Other(other.to_owned()),
    }
}

// The three wrappers below are what Pi 1.6.0 puts on the wire; a summary in other words would hash and count differently
// from what was billed.

/// A summary in the words that follow a compaction.
pub(crate) fn compaction_summary(summary: &str) -> Message {
    let lead = "The conversation history before this point was compacted into the following summary:";
    Message::from_text(Role::User, format!("{lead}\n\n<summary>\n{summary}\n</summary>"))
}

/// A summary in the words that follow a branch that was left.
pub(crate) fn branch_summary(summary: &str) -> Message {
    let lead = "The following is a summary of a branch that this conversation came back from:";
    Message::from_text(Role::User, format!("{lead}\n\n<summary>\n{summary}</summary>"))
}

/// What the model reads of a shell command of the person.
pub(crate) fn shell_text(message: &Json<'_>) -> String {
    let output = message.str_at("output").unwrap_or("");
    let mut shown = format!("Ran `{}`\n", message.str_at("command").unwrap_or(""));
    match output {
        "" => shown.push_str("(no output)"),
        output => shown.push_str(&format!("```\n{output}\n```")),
    }
    let exit = message.get("exitCode").and_then(Json::as_f64).filter(|code| *code != 0.0);
    if message.get("cancelled").is_some_and(Json::is_true) {
        shown.push_str("\n\n(command cancelled)");
    } else if let Some(code) = exit {
        shown.push_str(&format!("\n\nCommand exited with code {code}"));
    }
    if let Some(path) = message.str_at("fullOutputPath")
        && message.get("truncated").is_some_and(Json::is_true)
    {
        shown.push_str(&format!("\n\n[Output truncated. Full output: {path}]"));
    }
    shown
}

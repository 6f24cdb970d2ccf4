//! One response item to the engine's types.

use engine::message::{Block, Json, Message, Reply, Role, StopReason, ToolAnswer};
use serde::de::IgnoredAny;

use crate::log::Content;
use crate::log::member::image;

/// What an item contributes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Item {
    /// Something the model wrote: a piece of a reply.
    Piece(Message),
    /// A message presented as the person's: a prompt, or context that Codex adds.
    User(Message),
    /// Instructions, or declarations of tools.
    System(Message),
    /// What another agent of the same tree says, shown to the model.
    Agent(Message),
    /// The result of a call.
    Result(Message),
    /// A message of a role that the format doesn't have.
    Foreign(String),
    /// Kept by Codex for itself, never sent.
    Unsent,
    /// A shape this reader doesn't know.
    Unknown,
}

/// What a conversion couldn't keep or had to say; the caller counts and reports it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Note {
    /// A type of item outside the vocabulary.
    ItemType(String),
    /// A type of content outside the vocabulary; left out.
    BlockType(String),
    /// An image without data.
    EmptyImage,
    /// Arguments that aren't JSON.
    BadArguments,
    /// An item without a member that it can't do without.
    Shape(&'static str),
}

/// Converts the items of one rollout.
#[derive(Debug)]
pub(super) struct Items {
    content: Content,
    /// Provider of the session.
    pub(super) provider: String,
    /// Model of the turn.
    pub(super) model: String,
    /// What was met since the caller last looked.
    pub(super) notes: Vec<Note>,
}

impl Items {
    /// A converter at the start of a rollout.
    pub(super) fn new(content: Content) -> Items {
        Items { content, provider: String::new(), model: String::new(), notes: Vec::new() }
    }

    /// What one item contributes.
    pub(super) fn item(&mut self, item: &Json<'_>) -> Item {
        match item.str_at("type").unwrap_or("") {
            // The oldest rollouts wrote messages without a type.
            "message" | "" if item.get("role").is_some() => self.message(item),
            "reasoning" => self.reasoning(item),
            "function_call" => self.call(item, "arguments"),
            "custom_tool_call" => self.call(item, "input"),
            "local_shell_call" => self.hosted(item, "local_shell"),
            "web_search_call" => self.hosted(item, "web_search"),
            "image_generation_call" => self.generated_image(item),
            // Asks for declarations; the answer is what the model gets to see.
            "tool_search_call" => self.piece(Vec::new(), false),
            "tool_search_output" => Item::System(self.declarations(item.get("tools"))),
            "compaction" | "compaction_summary" | "context_compaction" => {
                let blocks = self.opaque(String::new(), item.str_at("encrypted_content"));
                self.piece(blocks, false)
            }
            "function_call_output" | "custom_tool_call_output" => self.output(item),
            "agent_message" => {
                let blocks = self.blocks(item.get("content"));
                Item::Agent(Message { role: Role::User, blocks, answers: None, reply: None })
            }
            "ghost_snapshot" => Item::Unsent,
            other => {
                self.notes.push(Note::ItemType(other.to_owned()));
                Item::Unknown
            }
        }
    }

    /// The instructions and tools that a session's first line records.
    pub(super) fn instructions(&mut self, meta: &Json<'_>) -> Option<Message> {
        let told = |name: &str| meta.get(name).filter(|told| **told != Json::Null);
        let (base, tools) = (told("base_instructions"), told("dynamic_tools"));
        if base.is_none() && tools.is_none() {
            return None;
        }
        let text = base.and_then(|base| base.str_at("text").or(base.as_str()));
        let mut system = self.declarations(tools);
        if let Some(text) = text.filter(|text| !text.is_empty() && self.content == Content::Full) {
            system.blocks.insert(0, Block::Text(text.to_owned()));
        }
        Some(system)
    }

    fn message(&mut self, item: &Json<'_>) -> Item {
        let role = item.str_at("role").unwrap_or("");
        if item.get("content").is_none() {
            self.notes.push(Note::Shape("a message without content"));
            return Item::Unknown;
        }
        let blocks = self.blocks(item.get("content"));
        let message = |role| Message { role, blocks, answers: None, reply: None };
        match role {
            "user" => Item::User(message(Role::User)),
            "assistant" => self.piece(message(Role::Assistant).blocks, false),
            "developer" | "system" => Item::System(message(Role::System)),
            other => Item::Foreign(other.to_owned()),
        }
    }

    fn reasoning(&mut self, item: &Json<'_>) -> Item {
        let texts = ["summary", "content"]
            .iter()
            .filter_map(|name| item.get(name).and_then(Json::as_array))
            .flatten()
            .filter_map(|part| part.str_at("text"));
        let text = match self.content {
            Content::Full => texts.collect::<Vec<_>>().join("\n"),
            Content::Outline => String::new(),
        };
        let blocks = self.opaque(text, item.str_at("encrypted_content"));
        self.piece(blocks, false)
    }

    fn opaque(&self, text: String, payload: Option<&str>) -> Vec<Block> {
        match self.content {
            Content::Outline => Vec::new(),
            Content::Full => vec![Block::Thinking { text, signature: payload.map(str::to_owned) }],
        }
    }

    fn piece(&self, blocks: Vec<Block>, calls: bool) -> Item {
        let reply = Reply {
            provider: self.provider.clone(),
            model: self.model.clone(),
            api: String::new(),
            stop: if calls { StopReason::ToolUse } else { StopReason::Stop },
            usage: None,
            response_id: None,
            started_ms: None,
            continues: false,
        };
        Item::Piece(Message { role: Role::Assistant, blocks, answers: None, reply: Some(Box::new(reply)) })
    }

    /// A call that Codex answers. The arguments of a function are JSON in a string, the input of a custom tool is text.
    fn call(&mut self, item: &Json<'_>, member: &str) -> Item {
        let (Some(id), Some(name)) = (item.str_at("call_id"), item.str_at("name")) else {
            self.notes.push(Note::Shape("a call without identifier or name"));
            return Item::Unknown;
        };
        let given = item.get(member);
        let (arguments, json) = match given {
            Some(Json::String(text)) if member == "arguments" => self.parsed(text),
            Some(text @ Json::String(_)) => self.kept(text),
            Some(object @ Json::Object(_)) => self.kept(object),
            _ => {
                self.notes.push(Note::BadArguments);
                self.kept(&Json::Object(Vec::new()))
            }
        };
        let call = Block::ToolCall { id: id.to_owned(), name: name.to_owned(), arguments, json };
        self.piece(vec![call], true)
    }

    /// Arguments in a string: the string itself is what the model wrote and is sent again.
    fn parsed(&mut self, text: &str) -> (serde_json::Value, String) {
        let empty = || serde_json::Value::Object(serde_json::Map::new());
        if self.content == Content::Outline {
            if !text.is_empty() && serde_json::from_str::<IgnoredAny>(text).is_err() {
                self.notes.push(Note::BadArguments);
            }
            return (serde_json::Value::Null, String::new());
        }
        match serde_json::from_str(text) {
            Ok(value) => (value, text.to_owned()),
            Err(_) if text.is_empty() => (empty(), text.to_owned()),
            Err(_) => {
                self.notes.push(Note::BadArguments);
                (empty(), text.to_owned())
            }
        }
    }

    fn kept(&self, arguments: &Json<'_>) -> (serde_json::Value, String) {
        match self.content {
            Content::Outline => (serde_json::Value::Null, String::new()),
            Content::Full => (arguments.to_value(), arguments.to_source_order()),
        }
    }

    /// A call of a tool that has a type of its own: its action is its arguments.
    fn hosted(&mut self, item: &Json<'_>, name: &str) -> Item {
        let id = item.str_at("call_id").or(item.str_at("id")).unwrap_or("");
        let empty = Json::Object(Vec::new());
        let (arguments, json) = self.kept(item.get("action").unwrap_or(&empty));
        let call = Block::ToolCall { id: id.to_owned(), name: name.to_owned(), arguments, json };
        self.piece(vec![call], true)
    }

    /// The provider makes the image and returns it in the same item.
    fn generated_image(&mut self, item: &Json<'_>) -> Item {
        let data = item.str_at("result").filter(|data| !data.is_empty());
        let image = match (data, self.content) {
            (None, _) => {
                self.notes.push(Note::EmptyImage);
                None
            }
            (_, Content::Outline) => None,
            (Some(data), Content::Full) => Some(image("image/png", data)),
        };
        self.piece(image.into_iter().collect(), false)
    }

    fn output(&mut self, item: &Json<'_>) -> Item {
        let Some(call_id) = item.str_at("call_id") else {
            self.notes.push(Note::Shape("a result that names no call"));
            return Item::Unknown;
        };
        let output = item.get("output");
        let failed = output.and_then(|output| output.get("success")) == Some(&Json::Bool(false));
        let blocks = match output {
            // A wrapper with the content and whether the tool succeeded, or one block of content.
            Some(wrapper @ Json::Object(_)) => {
                match wrapper.get("content").or(wrapper.get("content_items")) {
                    Some(content) => self.blocks(Some(content)),
                    None => self.blocks_of(std::slice::from_ref(wrapper)),
                }
            }
            output => self.blocks(output),
        };
        let answer = ToolAnswer { call_id: call_id.to_owned(), tool: String::new(), is_error: failed };
        Item::Result(Message { role: Role::ToolResult, blocks, answers: Some(answer), reply: None })
    }

    /// Blocks of some content. A string is one block of text.
    fn blocks(&mut self, content: Option<&Json<'_>>) -> Vec<Block> {
        match content {
            Some(Json::String(text)) => {
                let keep = self.content == Content::Full && !text.is_empty();
                keep.then(|| Block::Text(text.clone().into_owned())).into_iter().collect()
            }
            Some(Json::Array(items)) => self.blocks_of(items),
            Some(Json::Null) | None => Vec::new(),
            Some(_) => {
                self.notes.push(Note::Shape("content that is neither text nor a list"));
                Vec::new()
            }
        }
    }

    fn blocks_of(&mut self, items: &[Json<'_>]) -> Vec<Block> {
        let mut blocks = Vec::new();
        for item in items {
            match item.str_at("type").unwrap_or("") {
                "input_text" | "output_text" | "text" | "summary_text" | "reasoning_text" => {
                    if self.content == Content::Full {
                        blocks.push(Block::Text(item.str_at("text").unwrap_or("").to_owned()));
                    }
                }
                "input_image" | "output_image" => blocks.extend(self.input_image(item.get("image_url"))),
                other => self.notes.push(Note::BlockType(other.to_owned())),
            }
        }
        blocks
    }

    fn input_image(&mut self, url: Option<&Json<'_>>) -> Option<Block> {
        let Some(url) = url.and_then(Json::as_str).filter(|url| !url.is_empty()) else {
            self.notes.push(Note::EmptyImage);
            return None;
        };
        if self.content == Content::Outline {
            return None;
        }
        let data = url.strip_prefix("data:").and_then(|url| url.split_once(";base64,"));
        Some(match data {
            Some((mime, data)) => image(mime, data),
            // An address: nothing but the address is known.
            None => image("", url),
        })
    }

    /// Declarations of tools: a list, one, or groups that hold lists of their own.
    fn declarations(&mut self, tools: Option<&Json<'_>>) -> Message {
        let mut blocks = Vec::new();
        if let (Some(tools), Content::Full) = (tools, self.content) {
            declare(tools, &mut blocks);
        }
        Message { role: Role::System, blocks, answers: None, reply: None }
    }
}

fn declare(tools: &Json<'_>, blocks: &mut Vec<Block>) {
    if let Some(list) = tools.as_array() {
        list.iter().for_each(|tool| declare(tool, blocks));
    } else if let Some(members) = tools.get("tools") {
        declare(members, blocks);
    } else if let Some(name) = tools.str_at("name") {
        blocks.push(Block::ToolDeclaration { name: name.to_owned(), json: tools.to_source_order() });
    }
}

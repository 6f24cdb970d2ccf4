//! A provider request as it came in: the blocks it is made of, in wire order, and the conversation they hold.

use engine::message::{Json, stable_json};
use serde_json::Value;

use crate::policy::{Call, Transcript, Turn};

/// Marks where a provider should cache. It moves at each request and says nothing about the content.
const CACHE_MARK: &str = "cache_control";

/// Members of a request that its blocks are made of, or that are told beside it.
const CONTENT: [&str; 4] = ["model", "tools", "system", "messages"];

/// Members that steer how a reply is carried, routed or cached, which may name the session. They don't change what the
/// model reads or how it answers.
const TRANSPORT: [&str; 8] = [
    "stream",
    "stream_options",
    "metadata",
    "user",
    "store",
    "prompt_cache_key",
    "prompt_cache_retention",
    CACHE_MARK,
];

/// Members that agents cut to the room that is left in the window, so that they differ from request to request.
const ROOM: [&str; 2] = ["max_tokens", "max_completion_tokens"];

/// Where the level of effort that a message without content sets is kept among the parameters.
const EFFORT: &str = "messages.output_config";

/// A provider's request format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI Chat Completions.
    OpenAi,
}

/// One message: its role and its blocks, each as JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageBlocks {
    /// Role on the wire.
    pub role: String,
    /// Blocks in order. What a message says beside role, content and calls (the call that it answers, reasoning that was
    /// sent back) is an object of its own before them, without a `type`.
    pub blocks: Vec<String>,
}

/// A request. Headers aren't part of it and are never kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Its format.
    pub api: Api,
    /// The model asked.
    pub model: String,
    /// Tool declarations, each as JSON text without its cache mark.
    pub tools: Vec<String>,
    /// System blocks, likewise.
    pub system: Vec<String>,
    /// Messages, likewise.
    pub messages: Vec<MessageBlocks>,
    /// How the model was asked to answer (temperature, thinking budget, choice of tools, …) as stable JSON: everything of
    /// the request that is neither content nor transport.
    pub parameters: String,
    /// The same as the model reads it.
    pub transcript: Transcript,
}

impl Request {
    /// Reads a request body.
    ///
    /// # Errors
    /// What is missing or of another kind than the format has.
    pub fn parse(api: Api, body: &[u8]) -> Result<Self, String> {
        let body: Json =
            serde_json::from_slice(body).map_err(|error| format!("request isn't JSON: {error}"))?;
        let model = body.str_at("model").ok_or("request names no model")?.to_owned();
        let messages = body.get("messages").and_then(Json::as_array).ok_or("request has no messages")?;
        let declared = body.get("tools").and_then(Json::as_array).unwrap_or_default();
        let mut request = Request {
            api,
            model,
            tools: declared.iter().map(block_text).collect(),
            system: Vec::new(),
            messages: Vec::new(),
            parameters: stable_json(&parameters(&body, messages)),
            transcript: Transcript { has_tools: !declared.is_empty(), ..Transcript::default() },
        };
        match api {
            Api::Anthropic => request.read_anthropic(body.get("system"), messages),
            Api::OpenAi => request.read_openai(messages),
        }
        Ok(request)
    }

    /// Every block in wire order: tools, system, messages. A message's role is part of its blocks' identity. Parameters
    /// aren't among them: no model reads them.
    pub fn wire_blocks(&self) -> impl Iterator<Item = (&str, &str)> {
        let head = self.tools.iter().chain(&self.system).map(|block| ("", block.as_str()));
        let body = self
            .messages
            .iter()
            .flat_map(|message| message.blocks.iter().map(|block| (message.role.as_str(), block.as_str())));
        head.chain(body)
    }

    fn read_anthropic(&mut self, system: Option<&Json>, messages: &[Json]) {
        let system = system.map(parts).unwrap_or_default();
        self.transcript.system = system.iter().map(text_of).collect::<Vec<_>>().join("\n");
        self.system = system.iter().map(block_text).collect();
        for message in messages.iter().filter(|message| effort(message).is_none()) {
            let role = message.str_at("role").unwrap_or_default().to_owned();
            let blocks = message.get("content").map(parts).unwrap_or_default();
            if role == "assistant" {
                let text = blocks.iter().map(text_of).collect::<Vec<_>>().join("");
                let calls = blocks.iter().filter_map(anthropic_call).collect();
                self.transcript.turns.push(Turn::Assistant { text, calls });
            } else {
                self.transcript.turns.extend(blocks.iter().map(anthropic_user_turn));
            }
            let told = beside(message).into_iter().chain(blocks.iter().map(block_text)).collect();
            self.messages.push(MessageBlocks { role, blocks: told });
        }
    }

    fn read_openai(&mut self, messages: &[Json]) {
        for message in messages {
            let role = message.str_at("role").unwrap_or_default().to_owned();
            let content = message.get("content").map(parts).unwrap_or_default();
            let mut blocks: Vec<String> =
                beside(message).into_iter().chain(content.iter().map(block_text)).collect();
            let text = content.iter().map(text_of).collect::<Vec<_>>().join("\n");
            match role.as_str() {
                "system" | "developer" => {
                    self.transcript.system.push_str(&text);
                    self.system.append(&mut blocks);
                    continue;
                }
                "assistant" => {
                    let calls = message.get("tool_calls").and_then(Json::as_array).unwrap_or_default();
                    blocks.extend(calls.iter().map(block_text));
                    let calls = calls.iter().filter_map(openai_call).collect();
                    self.transcript.turns.push(Turn::Assistant { text, calls });
                }
                "tool" => {
                    let call = message.str_at("tool_call_id").unwrap_or_default().to_owned();
                    // The format has no mark for a failed call.
                    self.transcript.turns.push(Turn::Result { call, text, failed: false });
                }
                _ => self.transcript.turns.push(Turn::User(text)),
            }
            self.messages.push(MessageBlocks { role, blocks });
        }
    }
}

/// A content field: a string stands for one block, an array for its elements.
fn parts<'j>(content: &Json<'j>) -> Vec<Json<'j>> {
    match content {
        Json::Array(items) => items.clone(),
        Json::Null => Vec::new(),
        other => vec![other.clone()],
    }
}

/// What a message says beside its role, its content and its calls, if it says anything.
fn beside(message: &Json) -> Option<String> {
    let members = message.as_object()?.iter();
    let told: Vec<_> = members
        .filter(|(name, value)| {
            !["role", "content", "tool_calls", CACHE_MARK].contains(&&**name) && *value != Json::Null
        })
        .cloned()
        .collect();
    (!told.is_empty()).then(|| Json::Object(told).to_source_order())
}

/// The level of effort that a message sets which says nothing else: some models are told so before each reply.
fn effort<'m>(message: &'m Json) -> Option<&'m Json<'m>> {
    let empty = message.get("content").is_some_and(|content| parts(content).is_empty());
    let told = message.get("output_config").filter(|_| empty)?;
    let mut names = message.as_object()?.iter().map(|(name, _)| &**name);
    names.all(|name| ["role", "content", "output_config"].contains(&name)).then_some(told)
}

/// Everything of a request that is neither content nor transport, with the effort that its last message sets.
fn parameters(body: &Json, messages: &[Json]) -> Value {
    let members = body.as_object().unwrap_or_default().iter();
    let kept = members.filter(|(name, value)| {
        let name = &&**name;
        *value != Json::Null && !CONTENT.contains(name) && !TRANSPORT.contains(name) && !ROOM.contains(name)
    });
    let effort = messages.iter().rev().find_map(effort).map(|told| (EFFORT.to_owned(), told.to_value()));
    Value::Object(kept.map(|(name, value)| (name.to_string(), value.to_value())).chain(effort).collect())
}

fn text_of(block: &Json) -> String {
    match block {
        Json::String(text) => text.clone().into_owned(),
        Json::Array(items) => items.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        other => other.str_at("text").unwrap_or_default().to_owned(),
    }
}

fn block_text(block: &Json) -> String {
    match block {
        Json::Object(members) => {
            let kept = members.iter().filter(|(name, _)| name != CACHE_MARK).cloned().collect();
            Json::Object(kept).to_source_order()
        }
        other => other.to_source_order(),
    }
}

fn anthropic_call(block: &Json) -> Option<Call> {
    if block.str_at("type") != Some("tool_use") {
        return None;
    }
    Some(Call {
        id: block.str_at("id")?.to_owned(),
        name: block.str_at("name")?.to_owned(),
        arguments: block.get("input")?.to_value(),
    })
}

fn anthropic_user_turn(block: &Json) -> Turn {
    match block.str_at("tool_use_id") {
        Some(call) => Turn::Result {
            call: call.to_owned(),
            text: block.get("content").map(text_of).unwrap_or_default(),
            failed: block.get("is_error").is_some_and(Json::is_true),
        },
        None => Turn::User(text_of(block)),
    }
}

fn openai_call(call: &Json) -> Option<Call> {
    let function = call.get("function")?;
    let arguments = function.str_at("arguments").and_then(|text| serde_json::from_str(text).ok());
    Some(Call {
        id: call.str_at("id")?.to_owned(),
        name: function.str_at("name")?.to_owned(),
        // Arguments that aren't JSON are the model's mistake; the agent has answered it with an error.
        arguments: arguments.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANTHROPIC: &str = r#"{"model":"m","stream":true,
        "system":[{"type":"text","text":"be brief\n<cwd>\n/home/user/x\n</cwd>","cache_control":{"type":"ephemeral"}}],
        "tools":[{"name":"read","description":"d","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}],
        "messages":[{"role":"user","content":"fix it"},
            {"role":"assistant","content":[{"type":"text","text":"ok"},{"type":"tool_use","id":"t1","name":"read","input":{"path":"a.py"}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x = 1\n","is_error":true,"cache_control":{"type":"ephemeral"}}]}]}"#;

    const OPENAI: &str = r#"{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"read"}}],
        "messages":[{"role":"system","content":"be brief\n<cwd>\n/home/user/x\n</cwd>"},
            {"role":"user","content":[{"type":"text","text":"fix it"}]},
            {"role":"assistant","content":"ok","tool_calls":[{"id":"t1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a.py\"}"}}]},
            {"role":"tool","tool_call_id":"t1","content":"x = 1\n"}]}"#;

    #[test]
    fn both_formats_hold_the_same_conversation() {
        let anthropic = Request::parse(Api::Anthropic, ANTHROPIC.as_bytes()).unwrap().transcript;
        let mut openai = Request::parse(Api::OpenAi, OPENAI.as_bytes()).unwrap().transcript;
        if let Some(Turn::Result { failed, .. }) = openai.turns.last_mut() {
            *failed = true;
        }
        assert_eq!(anthropic, openai);
        assert!(anthropic.has_tools);
    }

    #[test]
    fn blocks_keep_their_bytes_and_lose_their_cache_marks() {
        let request = Request::parse(Api::Anthropic, ANTHROPIC.as_bytes()).unwrap();
        let blocks: Vec<(&str, &str)> = request.wire_blocks().collect();
        assert_eq!(
            blocks,
            [
                (
                    "",
                    r#"{"name":"read","description":"d","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}"#
                ),
                ("", r#"{"type":"text","text":"be brief\n<cwd>\n/home/user/x\n</cwd>"}"#),
                ("user", r#""fix it""#),
                ("assistant", r#"{"type":"text","text":"ok"}"#),
                ("assistant", r#"{"type":"tool_use","id":"t1","name":"read","input":{"path":"a.py"}}"#),
                ("user", r#"{"type":"tool_result","tool_use_id":"t1","content":"x = 1\n","is_error":true}"#),
            ]
        );
    }

    #[test]
    fn parameters_are_what_neither_content_nor_transport_is() {
        let body = r#"{"model":"m","max_tokens":9,"temperature":0.5,"stream":true,"metadata":{"user_id":"s1"},
            "thinking":{"type":"enabled","budget_tokens":1024},"tool_choice":null,"messages":[
            {"role":"system","content":[],"output_config":{"effort":"low"}},{"role":"user","content":"go"},
            {"role":"system","content":[],"output_config":{"effort":"high"}}]}"#;
        let request = Request::parse(Api::Anthropic, body.as_bytes()).unwrap();
        let told = r#"{"messages.output_config":{"effort":"high"},"temperature":0.5,"thinking":{"budget_tokens":1024,"type":"enabled"}}"#;
        assert_eq!(request.parameters, told);
        assert_eq!(request.messages.len(), 1, "a message that only sets the effort says nothing");
    }

    #[test]
    fn what_stands_beside_a_messages_content_is_kept() {
        let body = r#"{"model":"m","messages":[
            {"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[{"id":"t1","type":"function"}]},
            {"role":"tool","tool_call_id":"t1","content":"x"}]}"#;
        let request = Request::parse(Api::OpenAi, body.as_bytes()).unwrap();
        let blocks: Vec<&[String]> = request.messages.iter().map(|message| &*message.blocks).collect();
        assert_eq!(
            blocks,
            [
                [r#"{"reasoning_content":"hm"}"#, r#"{"id":"t1","type":"function"}"#],
                [r#"{"tool_call_id":"t1"}"#, r#""x""#]
            ]
        );
    }

    #[test]
    fn what_is_no_request_is_refused() {
        for body in ["", "[]", "{\"model\":\"m\"}", "{\"messages\":[]}"] {
            assert!(Request::parse(Api::OpenAi, body.as_bytes()).is_err(), "{body}");
        }
    }
}

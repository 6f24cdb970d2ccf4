//! The server-sent events of a reply, in both providers' formats.

use serde_json::{Value, json};

use crate::policy::{Action, Tool};

use super::request::Api;
use super::usage::Usage;

/// Time that OpenAI chunks bear: fixed, because a clock would make replies differ.
const CREATED: u64 = 1_796_000_000;
/// Characters of one text delta.
const DELTA: usize = 48;

/// What a reply needs besides its content.
pub struct Envelope<'a> {
    /// Identifier of the reply.
    pub id: &'a str,
    /// Model, as the request named it.
    pub model: &'a str,
    /// Usage reported.
    pub usage: Usage,
}

/// The content of a reply as one text, for counting its tokens.
pub fn counted_text(action: &Action) -> String {
    match action {
        Action::Answer { say } => say.clone(),
        Action::Call { say, tool } => {
            let (name, arguments) = tool.call();
            format!("{say}\n{name} {arguments}")
        }
    }
}

/// The body of a streamed reply.
pub fn stream(api: Api, action: &Action, envelope: &Envelope<'_>) -> String {
    let (say, tool) = match action {
        Action::Answer { say } => (say.as_str(), None),
        Action::Call { say, tool } => (say.as_str(), Some(tool)),
    };
    match api {
        Api::Anthropic => anthropic(say, tool, envelope),
        Api::OpenAi => openai(say, tool, envelope),
    }
}

/// Usage as the provider's format has it.
pub fn usage_json(api: Api, usage: Usage) -> Value {
    let prompt = usage.input + usage.cache_read + usage.cache_creation;
    match api {
        Api::Anthropic => json!({
            "input_tokens": usage.input,
            "cache_read_input_tokens": usage.cache_read,
            "cache_creation_input_tokens": usage.cache_creation,
            "output_tokens": usage.output,
        }),
        Api::OpenAi => json!({
            "prompt_tokens": prompt,
            "completion_tokens": usage.output,
            "total_tokens": prompt + usage.output,
            "prompt_tokens_details": { "cached_tokens": usage.cache_read },
        }),
    }
}

fn deltas(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(DELTA).map(|chunk| chunk.iter().collect()).collect()
}

fn event(out: &mut String, name: &str, mut data: Value) {
    data["type"] = name.into();
    out.push_str(&format!("event: {name}\ndata: {data}\n\n"));
}

fn anthropic(say: &str, tool: Option<&Tool>, envelope: &Envelope<'_>) -> String {
    let mut out = String::new();
    let started = usage_json(Api::Anthropic, Usage { output: 1, ..envelope.usage });
    let message = json!({
        "id": envelope.id, "type": "message", "role": "assistant", "model": envelope.model,
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": started,
    });
    event(&mut out, "message_start", json!({ "message": message }));
    event(
        &mut out,
        "content_block_start",
        json!({ "index": 0, "content_block": { "type": "text", "text": "" } }),
    );
    for text in deltas(say) {
        event(
            &mut out,
            "content_block_delta",
            json!({ "index": 0, "delta": { "type": "text_delta", "text": text } }),
        );
    }
    event(&mut out, "content_block_stop", json!({ "index": 0 }));
    if let Some(tool) = tool {
        let (name, arguments) = tool.call();
        let id = format!("toolu_{}", envelope.id);
        let block = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
        event(&mut out, "content_block_start", json!({ "index": 1, "content_block": block }));
        let delta = json!({ "type": "input_json_delta", "partial_json": arguments.to_string() });
        event(&mut out, "content_block_delta", json!({ "index": 1, "delta": delta }));
        event(&mut out, "content_block_stop", json!({ "index": 1 }));
    }
    let stop = if tool.is_some() { "tool_use" } else { "end_turn" };
    let usage = usage_json(Api::Anthropic, envelope.usage);
    let delta = json!({ "stop_reason": stop, "stop_sequence": null });
    event(&mut out, "message_delta", json!({ "delta": delta, "usage": usage }));
    event(&mut out, "message_stop", json!({}));
    out
}

fn openai(say: &str, tool: Option<&Tool>, envelope: &Envelope<'_>) -> String {
    let mut out = String::new();
    let mut chunk = |choices: Value, usage: Value| {
        let data = json!({
            "id": envelope.id, "object": "chat.completion.chunk", "created": CREATED, "model": envelope.model,
            "choices": choices, "usage": usage,
        });
        out.push_str(&format!("data: {data}\n\n"));
    };
    let choice =
        |delta: Value, reason: Value| json!([{ "index": 0, "delta": delta, "finish_reason": reason }]);
    chunk(choice(json!({ "role": "assistant", "content": "" }), Value::Null), Value::Null);
    for text in deltas(say) {
        chunk(choice(json!({ "content": text }), Value::Null), Value::Null);
    }
    if let Some(tool) = tool {
        let (name, arguments) = tool.call();
        let id = format!("call_{}", envelope.id);
        let function = json!({ "name": name, "arguments": arguments.to_string() });
        let call = json!({ "index": 0, "id": id, "type": "function", "function": function });
        chunk(choice(json!({ "tool_calls": [call] }), Value::Null), Value::Null);
    }
    let reason = if tool.is_some() { "tool_calls" } else { "stop" };
    chunk(choice(json!({}), reason.into()), Value::Null);
    chunk(json!([]), usage_json(Api::OpenAi, envelope.usage));
    out.push_str("data: [DONE]\n\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(api: Api, tool: Option<Tool>) -> String {
        let say = "Looking at it.".to_owned();
        let action = match tool {
            Some(tool) => Action::Call { say, tool },
            None => Action::Answer { say },
        };
        let usage = Usage { input: 0, cache_read: 1100, cache_creation: 70, output: 12 };
        stream(api, &action, &Envelope { id: "msg_1", model: "m", usage })
    }

    #[test]
    fn anthropic_events() {
        insta::assert_snapshot!(reply(Api::Anthropic, Some(Tool::Read { path: "a/b.py".into() })));
        insta::assert_snapshot!(reply(Api::Anthropic, None));
    }

    #[test]
    fn openai_events() {
        insta::assert_snapshot!(reply(Api::OpenAi, Some(Tool::Read { path: "a/b.py".into() })));
        insta::assert_snapshot!(reply(Api::OpenAi, None));
    }
}

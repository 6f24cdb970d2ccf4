//! Provider requests as they were stored: one line a request, blocks by hash.

use std::collections::HashMap;
use std::sync::Arc;

use engine::message::sha256_hex;
use foldhash::fast::RandomState;
use serde::Deserialize;
use serde_json::Value;

use engine::message::Usage;

use super::unique::{self, Text};

/// Version of a stored request.
pub(crate) const WIRE_SCHEMA: &str = "wire/2";

/// SHA-256 over hashes in their order, one a line: equal lists, equal hash.
pub(crate) fn of_list(hashes: &[impl AsRef<str>]) -> String {
    let text: String = hashes.iter().flat_map(|hash| [hash.as_ref(), "\n"]).collect();
    sha256_hex(text.as_bytes())
}

/// One stored request.
#[derive(Debug, Clone, PartialEq)]
pub struct WireRequest {
    /// Path of the endpoint; it tells the format.
    pub path: String,
    /// Identifier of the reply.
    pub response_id: Option<String>,
    /// Model asked for.
    pub model: String,
    /// Hashes of the tool declarations.
    pub tools: Vec<Arc<str>>,
    /// Hashes of the instructions.
    pub system: Vec<Arc<str>>,
    /// The instructions, shared with all requests that hold them.
    pub instructions: Vec<Arc<Value>>,
    /// Hash of the parameters that the model was asked with.
    pub parameters: Arc<str>,
    /// The messages in wire order; instructions aren't among them.
    pub messages: Vec<WireMessage>,
    /// Tokens as sent back, normalised; `None` where none were.
    pub usage: Option<Usage>,
}

/// One message of a stored request.
#[derive(Debug, Clone, PartialEq)]
pub struct WireMessage {
    /// Role as the provider's format names it.
    pub role: String,
    /// Its content blocks, shared with all requests that hold them.
    pub blocks: Vec<Arc<Value>>,
}

/// The blocks of a scenario by hash.
pub(super) type Blocks = HashMap<Arc<str>, Arc<Value>, RandomState>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireLine<'t> {
    #[serde(borrow)]
    schema: Text<'t>,
    index: usize,
    path: String,
    response_id: Option<String>,
    model: String,
    #[serde(borrow)]
    tools: Vec<Text<'t>>,
    #[serde(borrow)]
    system: Vec<Text<'t>>,
    #[serde(borrow)]
    messages: Vec<MessageLine<'t>>,
    #[serde(borrow)]
    parameters: Text<'t>,
    usage: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MessageLine<'t> {
    role: String,
    #[serde(borrow)]
    blocks: Vec<Text<'t>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockLine<'t> {
    #[serde(borrow)]
    sha256: Text<'t>,
    #[serde(borrow)]
    json: Text<'t>,
}

/// Why stored requests can't be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WireFault {
    /// What is wrong, with the line.
    Malformed(String),
    /// The hash of a block that the scenario's blocks lack.
    UnknownBlock(String),
}

/// Reads the requests of a run, whose blocks are among the scenario's.
///
/// # Errors
/// [`WireFault`]; a line that is malformed before any block that isn't known.
pub(super) fn read_wire(text: &str, blocks: &Blocks) -> Result<Vec<WireRequest>, WireFault> {
    let mut requests = Vec::new();
    let mut unknown: Option<String> = None;
    for (index, line) in text.lines().enumerate() {
        let fault = |message: String| WireFault::Malformed(format!("line {}: {message}", index + 1));
        let wire: WireLine<'_> = unique::parse_as(line).map_err(&fault)?;
        if wire.schema.0 != WIRE_SCHEMA || wire.index != index {
            return Err(fault(format!(
                "schema `{}`, index {}: isn't {WIRE_SCHEMA} in order",
                wire.schema.0, wire.index
            )));
        }
        let usage = match wire.usage {
            None | Some(Value::Null) => None,
            Some(usage) => {
                Some(normalised(&usage).ok_or_else(|| fault("unknown shape of usage".to_owned()))?)
            }
        };
        let mut find = |Text(name): &Text<'_>| {
            let known = blocks.get_key_value(&**name);
            if known.is_none() {
                unknown.get_or_insert_with(|| name.as_ref().to_owned());
            }
            known.map(|(name, block)| (Arc::clone(name), Arc::clone(block)))
        };
        let tools = wire.tools.iter().filter_map(&mut find).map(|(name, _)| name).collect();
        let (system, instructions) = wire.system.iter().filter_map(&mut find).unzip();
        let mut messages = Vec::with_capacity(wire.messages.len());
        for MessageLine { role, blocks: names } in wire.messages {
            let blocks = names.iter().filter_map(&mut find).map(|(_, block)| block).collect();
            messages.push(WireMessage { role, blocks });
        }
        let parameters = find(&wire.parameters).map(|(name, _)| name).unwrap_or_default();
        let WireLine { path, response_id, model, .. } = wire;
        requests.push(WireRequest {
            path,
            response_id,
            model,
            tools,
            system,
            instructions,
            parameters,
            messages,
            usage,
        });
    }
    match unknown {
        Some(hash) => Err(WireFault::UnknownBlock(hash)),
        None => Ok(requests),
    }
}

/// Reads a scenario's blocks, each checked against its hash.
///
/// # Errors
/// What is wrong, with the line.
pub(super) fn read_blocks(text: &str) -> Result<Blocks, String> {
    let mut blocks = Blocks::default();
    for (index, line) in text.lines().enumerate() {
        let fault = |message: String| format!("line {}: {message}", index + 1);
        let block: BlockLine<'_> = unique::parse_as(line).map_err(&fault)?;
        let json = &*block.json.0;
        if sha256_hex(json.as_bytes()) != block.sha256.0 {
            return Err(fault(format!("block {} has other bytes", block.sha256.0)));
        }
        let value = serde_json::from_str(json).map_err(|error| fault(error.to_string()))?;
        blocks.insert(Arc::from(block.sha256.0), Arc::new(value));
    }
    Ok(blocks)
}

/// More than any request can bill: a count above it is damage, and sums below it can't overflow.
const MAX_TOKENS: u64 = 1_000_000_000_000;

/// Anthropic's and OpenAI's forms: in the first the parts are disjoint, in the second cached tokens are among the prompt's.
/// A part that isn't told is 0; one that is no count, or more than it is a part of, makes the whole unknown.
fn normalised(usage: &Value) -> Option<Usage> {
    let part = |holder: &Value, name: &str| match holder.get(name) {
        None | Some(Value::Null) => Some(0),
        Some(count) => count.as_u64().filter(|count| *count <= MAX_TOKENS),
    };
    let count = |name: &str| usage.get(name).filter(|count| !count.is_null()).and_then(|_| part(usage, name));
    let within = |name: &str| match usage.get(name) {
        None | Some(Value::Null) => Some(&Value::Null),
        Some(holder) => holder.is_object().then_some(holder),
    };
    if usage.get("input_tokens").is_some() {
        let cache_write = part(usage, "cache_creation_input_tokens")?;
        let cache_write_1h = part(within("cache_creation")?, "ephemeral_1h_input_tokens")?;
        return Some(Usage {
            input: count("input_tokens")?,
            output: count("output_tokens")?,
            cache_read: part(usage, "cache_read_input_tokens")?,
            cache_write,
            cache_write_1h: Some(cache_write_1h).filter(|part| *part <= cache_write)?,
            ..Usage::default()
        });
    }
    let cached = part(within("prompt_tokens_details")?, "cached_tokens")?;
    Some(Usage {
        input: count("prompt_tokens")?.checked_sub(cached)?,
        output: count("completion_tokens")?,
        cache_read: cached,
        ..Usage::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_usage_become_disjoint_parts() {
        let anthropic = serde_json::json!({"input_tokens": 4, "output_tokens": 9, "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 20});
        let usage = normalised(&anthropic).unwrap();
        assert_eq!((usage.input, usage.cache_read, usage.cache_write, usage.prompt()), (4, 100, 20, 124));
        let openai = serde_json::json!({"prompt_tokens": 124, "completion_tokens": 9,
            "prompt_tokens_details": {"cached_tokens": 100}});
        let usage = normalised(&openai).unwrap();
        assert_eq!((usage.input, usage.cache_read, usage.prompt()), (24, 100, 124));
    }

    #[test]
    fn a_part_that_is_no_count_makes_the_whole_unknown() {
        let sound = serde_json::json!({"input_tokens": 4, "output_tokens": 9, "cache_read_input_tokens": 100,
            "cache_creation_input_tokens": 20, "cache_creation": {"ephemeral_1h_input_tokens": 20}});
        assert!(normalised(&sound).is_some());
        let damaged = ["-1", "12.0", "1e3", "0.5", "\"4\"", "true", "[]", "9007199254740993", "1e400"];
        let places = [
            "/input_tokens",
            "/output_tokens",
            "/cache_read_input_tokens",
            "/cache_creation_input_tokens",
            "/cache_creation/ephemeral_1h_input_tokens",
            "/cache_creation",
        ];
        for text in damaged {
            let Ok(value) = serde_json::from_str::<Value>(text) else { continue };
            for place in places {
                let mut usage = sound.clone();
                *usage.pointer_mut(place).unwrap() = value.clone();
                assert_eq!(normalised(&usage), None, "{place} {text}");
            }
        }
        let mut usage = sound;
        usage["cache_creation"]["ephemeral_1h_input_tokens"] = 21.into();
        assert_eq!(normalised(&usage), None, "more than was written in all");
        let openai = |cached: Value| {
            let details = serde_json::json!({ "cached_tokens": cached });
            normalised(
                &serde_json::json!({"prompt_tokens": 124, "completion_tokens": 9, "prompt_tokens_details": details}),
            )
        };
        assert!(openai(Value::Null).is_some_and(|usage| usage.cache_read == 0));
        for cached in [serde_json::json!(-1), serde_json::json!(1.0), serde_json::json!("100"), 125.into()] {
            assert_eq!(openai(cached.clone()), None, "{cached}");
        }
    }

    #[test]
    fn a_block_with_other_bytes_is_refused() {
        let line = format!(r#"{{"sha256":"{}","json":"{{}}"}}"#, sha256_hex(b"[]"));
        assert!(read_blocks(&line).unwrap_err().contains("other bytes"));
    }

    #[test]
    fn a_block_that_nobody_holds_is_named_unless_a_line_is_malformed() {
        let known = sha256_hex(b"{}");
        let blocks = read_blocks(&format!(r#"{{"sha256":"{known}","json":"{{}}"}}"#)).unwrap();
        let line = |index: usize, system: &str, block: &str| {
            format!(
                r#"{{"schema":"wire/2","index":{index},"path":"/v1/messages","response_id":null,"model":"m","tools":["{known}"],"system":["{system}"],"messages":[{{"role":"user","blocks":["{block}"]}}],"parameters":"{known}","usage":null}}"#
            )
        };
        let read = |lines: &[String]| read_wire(&lines.join("\n"), &blocks);
        let sound = read(&[line(0, &known, &known)]).unwrap();
        assert_eq!(sound[0].messages[0].blocks, [Arc::new(serde_json::json!({}))]);
        let lost = |hash: &str| Err(WireFault::UnknownBlock(hash.to_owned()));
        assert_eq!(read(&[line(0, "other", "more")]), lost("other"));
        assert_eq!(read(&[line(0, &known, "more"), line(1, "other", &known)]), lost("more"));
        let broken = read(&[line(0, &known, "more"), line(7, &known, &known)]);
        assert!(matches!(broken, Err(WireFault::Malformed(message)) if message.starts_with("line 2: ")));
    }
}

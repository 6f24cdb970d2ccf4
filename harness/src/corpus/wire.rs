//! Provider requests as they were stored: one line a request, blocks by hash.

use std::collections::BTreeMap;

use engine::message::sha256_hex;
use serde::Deserialize;
use serde_json::Value;

use engine::message::Usage;

use super::unique;

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
    pub tools: Vec<String>,
    /// Hashes of the instruction blocks.
    pub system: Vec<String>,
    /// The messages in wire order.
    pub messages: Vec<WireMessage>,
    /// Tokens as sent back, normalised; `None` where none were.
    pub usage: Option<Usage>,
}

/// One message of a stored request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct WireMessage {
    /// Role as the provider's format names it.
    pub role: String,
    /// Hashes of its content blocks.
    pub blocks: Vec<String>,
}

/// The blocks of a scenario by hash.
pub type Blocks = BTreeMap<String, Value>;

#[derive(Deserialize)]
struct WireLine {
    schema: String,
    index: usize,
    path: String,
    response_id: Option<String>,
    model: String,
    tools: Vec<String>,
    system: Vec<String>,
    messages: Vec<WireMessage>,
    usage: Option<Value>,
}

#[derive(Deserialize)]
struct BlockLine {
    sha256: String,
    json: String,
}

/// Reads the requests of a run.
///
/// # Errors
/// What is wrong, with the line.
pub(super) fn read_wire(text: &str) -> Result<Vec<WireRequest>, String> {
    let mut requests = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let fault = |message: String| format!("line {}: {message}", index + 1);
        let wire: WireLine = unique::parse_as(line).map_err(&fault)?;
        if wire.schema != "wire/1" || wire.index != index {
            return Err(fault(format!(
                "schema `{}`, index {}: isn't wire/1 in order",
                wire.schema, wire.index
            )));
        }
        let usage = match wire.usage {
            None | Some(Value::Null) => None,
            Some(usage) => {
                Some(normalised(&usage).ok_or_else(|| fault("unknown shape of usage".to_owned()))?)
            }
        };
        requests.push(WireRequest {
            path: wire.path,
            response_id: wire.response_id,
            model: wire.model,
            tools: wire.tools,
            system: wire.system,
            messages: wire.messages,
            usage,
        });
    }
    Ok(requests)
}

/// Reads a scenario's blocks, each checked against its hash.
///
/// # Errors
/// What is wrong, with the line.
pub(super) fn read_blocks(text: &str) -> Result<Blocks, String> {
    let mut blocks = Blocks::new();
    for (index, line) in text.lines().enumerate() {
        let fault = |message: String| format!("line {}: {message}", index + 1);
        let block: BlockLine = unique::parse_as(line).map_err(&fault)?;
        if sha256_hex(block.json.as_bytes()) != block.sha256 {
            return Err(fault(format!("block {} has other bytes", block.sha256)));
        }
        let value = serde_json::from_str(&block.json).map_err(|error| fault(error.to_string()))?;
        blocks.insert(block.sha256, value);
    }
    Ok(blocks)
}

/// More than any request can bill: a count above it is damage, and sums below it can't overflow.
const MAX_TOKENS: u64 = 1_000_000_000_000;

/// Anthropic's and OpenAI's forms: in the first the parts are disjoint, in the second cached tokens are among the prompt's.
fn normalised(usage: &Value) -> Option<Usage> {
    let count = |name: &str| usage.get(name).and_then(Value::as_u64).filter(|count| *count <= MAX_TOKENS);
    if let Some(input) = count("input_tokens") {
        let details = &usage["cache_creation"]["ephemeral_1h_input_tokens"];
        return Some(Usage {
            input,
            output: count("output_tokens")?,
            cache_read: count("cache_read_input_tokens").unwrap_or(0),
            cache_write: count("cache_creation_input_tokens").unwrap_or(0),
            cache_write_1h: details.as_u64().unwrap_or(0),
            ..Usage::default()
        });
    }
    let cached = usage["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap_or(0);
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
    fn a_block_with_other_bytes_is_refused() {
        let line = format!(r#"{{"sha256":"{}","json":"{{}}"}}"#, sha256_hex(b"[]"));
        assert!(read_blocks(&line).unwrap_err().contains("other bytes"));
    }
}

//! Requests as they are stored: one line each, blocks by their hash and once a scenario. Headers are never kept.

use std::collections::BTreeMap;

use engine::message::sha256_hex;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::request::Request;
use crate::corpus::{WIRE_SCHEMA, of_list};

/// One stored request (`wire/2`).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WireLine {
    schema: &'static str,
    index: usize,
    path: String,
    response_id: Option<String>,
    model: String,
    tools: Vec<String>,
    system: Vec<String>,
    messages: Vec<WireMessage>,
    parameters: String,
    usage: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct WireMessage {
    role: String,
    blocks: Vec<String>,
}

/// One stored block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct BlockLine {
    sha256: String,
    json: String,
}

/// The requests of one run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Wire {
    lines: Vec<WireLine>,
    blocks: BTreeMap<String, String>,
}

impl Wire {
    /// Keeps a request. `response_id` and `usage` are those sent back, where they are known.
    pub fn push(&mut self, path: &str, request: &Request, response_id: Option<String>, usage: Option<Value>) {
        let tools = request.tools.iter().map(|block| self.keep(block)).collect();
        let system = request.system.iter().map(|block| self.keep(block)).collect();
        let mut messages = Vec::new();
        for message in &request.messages {
            let blocks = message.blocks.iter().map(|block| self.keep(block)).collect();
            messages.push(WireMessage { role: message.role.clone(), blocks });
        }
        let parameters = self.keep(&request.parameters);
        self.lines.push(WireLine {
            schema: WIRE_SCHEMA,
            index: self.lines.len(),
            path: path.to_owned(),
            response_id,
            model: request.model.clone(),
            tools,
            system,
            messages,
            parameters,
            usage,
        });
    }

    fn keep(&mut self, block: &str) -> String {
        let hash = sha256_hex(block.as_bytes());
        self.blocks.entry(hash.clone()).or_insert_with(|| block.to_owned());
        hash
    }

    /// Number of requests.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there was no request.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// SHA-256 over the hashes of the first request's tool declarations, one a line: equal tools, equal hash.
    pub fn tools_sha256(&self) -> Option<String> {
        Some(of_list(&self.lines.first()?.tools))
    }

    /// SHA-256 over the hashes of the first request's instructions, likewise.
    pub fn instructions_sha256(&self) -> Option<String> {
        Some(of_list(&self.lines.first()?.system))
    }

    /// SHA-256 of the first request's parameters.
    pub fn parameters_sha256(&self) -> Option<String> {
        Some(self.lines.first()?.parameters.clone())
    }

    /// The file of requests.
    pub fn to_jsonl(&self) -> String {
        let line = |line| {
            serde_json::to_string(line).expect("a wire line holds only strings, numbers and JSON values")
        };
        self.lines.iter().map(|wire| line(wire) + "\n").collect()
    }

    /// The blocks, as a file of [`merge_blocks`].
    pub fn blocks_jsonl(&self) -> String {
        blocks_text(&self.blocks)
    }

    /// The texts of all blocks.
    pub fn block_texts(&self) -> impl Iterator<Item = &str> {
        self.blocks.values().map(String::as_str)
    }
}

/// Joins files of blocks: each block once, sorted by hash.
///
/// # Errors
/// The first line that isn't a block, or whose hash is another's.
pub fn merge_blocks<'a>(files: impl IntoIterator<Item = &'a str>) -> Result<String, String> {
    let mut all = BTreeMap::new();
    for line in files.into_iter().flat_map(str::lines) {
        let block: BlockLine = serde_json::from_str(line).map_err(|error| format!("not a block: {error}"))?;
        if sha256_hex(block.json.as_bytes()) != block.sha256 {
            return Err(format!("block {}: its text has another hash", block.sha256));
        }
        all.insert(block.sha256, block.json);
    }
    Ok(blocks_text(&all))
}

fn blocks_text(blocks: &BTreeMap<String, String>) -> String {
    let mut out = String::new();
    for (sha256, json) in blocks {
        let line = BlockLine { sha256: sha256.clone(), json: json.clone() };
        out.push_str(&serde_json::to_string(&line).expect("two strings are JSON"));
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::request::{Api, Request};
    use super::*;

    fn wire(texts: &[&str]) -> Wire {
        let mut wire = Wire::default();
        for text in texts {
            let body = format!(
                r#"{{"model":"m","tools":[{{"name":"t"}}],"messages":[{{"role":"user","content":"{text}"}}]}}"#
            );
            wire.push("/v1/messages", &Request::parse(Api::Anthropic, body.as_bytes()).unwrap(), None, None);
        }
        wire
    }

    #[test]
    fn each_block_is_kept_once() {
        let wire = wire(&["a", "b", "a"]);
        assert_eq!(wire.to_jsonl().lines().count(), 3);
        assert_eq!(wire.blocks_jsonl().lines().count(), 4, "the tool, the parameters and two texts");
        assert_eq!(
            merge_blocks([wire.blocks_jsonl().as_str(), wire.blocks_jsonl().as_str()]).unwrap(),
            wire.blocks_jsonl()
        );
    }

    #[test]
    fn tools_have_a_hash_of_their_own() {
        assert_eq!(wire(&["a"]).tools_sha256(), wire(&["b", "c"]).tools_sha256());
        assert_eq!(wire(&[]).tools_sha256(), None);
        assert_eq!(wire(&["a"]).parameters_sha256().unwrap(), sha256_hex(b"{}"));
        assert_eq!(wire(&["a"]).instructions_sha256().unwrap(), sha256_hex(b""));
    }

    #[test]
    fn a_forged_block_is_refused() {
        let forged = wire(&["a"]).blocks_jsonl().replace(r#"\"a\""#, r#"\"b\""#);
        assert!(merge_blocks([forged.as_str()]).unwrap_err().contains("another hash"));
    }
}

//! One run as it would have happened: session entries and provider requests grow together.

use std::collections::BTreeMap;

use engine::message::sha256_hex;
use serde_json::{Value, json};

use super::behaviour::{Behaviour, SessionLength};
use crate::corpus::{WIRE_SCHEMA, of_list};

use super::task::{gold, patch, prompt, source, sum, verify};

/// Provider and model of every run.
pub(super) const MODEL: (&str, &str) = ("synthetic", "drawn-1");
/// What every model is instructed to do.
const INSTRUCTIONS: &str = "be brief";
/// Tokens that each request but the first writes to the cache.
const LATER_WRITES: u64 = 50;

/// Files of a run, and what its row says of them.
pub(super) struct RunFiles {
    pub session: String,
    pub wire: String,
    pub patch: String,
    pub grader: String,
    /// What every request of the run offers.
    pub offered: Offered,
}

/// Hashes over what a request offers beside the conversation.
pub(super) struct Offered {
    pub tools: String,
    pub instructions: String,
    pub parameters: String,
}

/// What a run is of.
pub(super) struct Subject<'a> {
    pub scenario: &'a str,
    pub cluster: &'a str,
    pub arm: &'a str,
    pub repetition: usize,
    pub sessions: SessionLength,
}

/// Writes a run; its blocks are added to the scenario's.
pub(super) fn run(
    subject: &Subject<'_>,
    behaviour: Behaviour,
    blocks: &mut BTreeMap<String, String>,
) -> RunFiles {
    let mut log = Log::new(subject, behaviour);
    log.work();
    let (session, wire) = (log.session(), log.wire(blocks));
    let patch = patch(subject.scenario, sum(behaviour.accepted));
    let grader = json!({
        "schema": "grade/1", "command": ["sh", "grader_check.sh"], "exit_code": i32::from(!behaviour.accepted),
        "timed_out": false, "stdout_tail": "", "stderr_tail": "", "patch_sha256": sha256_hex(patch.as_bytes()),
        "tree_after_sha256": "", "protected_touched": [], "secrets_in_patch": [], "accepted": behaviour.accepted,
    });
    let hash = |block: Value| sha256_hex(block.to_string().as_bytes());
    let (tools, instructions) = (of_list(&[hash(tool())]), of_list(&[hash(instructions())]));
    let offered = Offered { tools, instructions, parameters: hash(parameters()) };
    RunFiles { session, wire, patch, grader: grader.to_string() + "\n", offered }
}

/// One call and what came of it.
#[derive(Clone)]
struct Step<'a> {
    tool: &'static str,
    arguments: Value,
    result: &'a str,
    failed: bool,
}

struct Log<'a> {
    subject: &'a Subject<'a>,
    behaviour: Behaviour,
    entries: Vec<Value>,
    /// Role and content blocks.
    messages: Vec<(&'static str, Vec<Value>)>,
    /// What all requests but the first write to the cache.
    later_writes: u64,
    calls: usize,
    requests: Vec<(usize, String, Value)>,
    held: u64,
}

impl<'a> Log<'a> {
    fn new(subject: &'a Subject<'a>, behaviour: Behaviour) -> Log<'a> {
        let (entries, messages, requests) = (Vec::new(), Vec::new(), Vec::new());
        Log { subject, behaviour, entries, messages, later_writes: 0, calls: 0, requests, held: 0 }
    }

    fn work(&mut self) {
        let Subject { scenario, cluster, arm, repetition, sessions } = *self.subject;
        let id = format!("{scenario}-{arm}-{repetition}");
        self.entries.push(json!({ "type": "session", "version": 3, "id": id,
            "timestamp": "2026-01-01T00:00:00.000Z", "cwd": format!("/home/user/{cluster}") }));
        // What is told again by every reply, or holds without being told, is left out of a brief session.
        if sessions == SessionLength::Usual {
            self.push(json!({ "type": "model_change", "provider": MODEL.0, "modelId": MODEL.1 }));
            self.push(json!({ "type": "thinking_level_change", "thinkingLevel": "off" }));
        }
        self.push(json!({ "type": "message", "message": { "role": "system", "content": "",
            "sections": { "preamble": INSTRUCTIONS }, "toolsAdded": [tool()] } }));
        let file = gold(scenario);
        let text = source(scenario, "a - b", sessions);
        let pack = match arm {
            "auto-context" => Some(format!("{file}:1-4\n{text}")),
            "auto-context-known-bad" => Some("nothing of the project matches\n".to_owned()),
            _ => None,
        };
        if let Some(pack) = pack {
            self.push(
                json!({ "type": "custom_message", "customType": crate::corpus::PACK_SOURCE, "content": pack,
                "display": false, "details": { "schema": "manifest/1", "confidence": "high" } }),
            );
            self.messages.push(("user", vec![json!({ "type": "text", "text": pack })]));
        }
        let prompt = prompt(scenario);
        self.push(json!({ "type": "message", "message": { "role": "user",
            "content": [{ "type": "text", "text": prompt }] } }));
        self.messages.push(("user", vec![json!({ "type": "text", "text": prompt })]));
        let read = Step { tool: "read", arguments: json!({ "path": file }), result: &text, failed: false };
        let mut steps = vec![read; self.behaviour.reads];
        let new = format!("return {}", sum(self.behaviour.accepted));
        let edits = json!({ "path": file, "edits": [{ "oldText": "return a - b", "newText": new }] });
        let told = "Successfully replaced 1 block(s).";
        steps.push(Step { tool: "edit", arguments: edits, result: told, failed: false });
        let told = if self.behaviour.accepted { "" } else { "\n\nCommand exited with code 1" };
        let command = json!({ "command": verify(scenario) });
        steps.push(Step { tool: "bash", arguments: command, result: told, failed: !self.behaviour.accepted });
        let a_reply = match sessions {
            SessionLength::Usual => 1,
            SessionLength::Brief => steps.len(),
        };
        let replies: Vec<&[Step<'_>]> = steps.chunks(a_reply).collect();
        self.later_writes = LATER_WRITES * replies.len() as u64;
        replies.into_iter().for_each(|steps| self.take(steps));
        self.reply(&[json!({ "type": "text", "text": "Done." })], "stop");
    }

    fn push(&mut self, mut entry: Value) {
        let last = self.entries.last().filter(|_| self.entries.len() > 1);
        entry["parentId"] = last.map_or(Value::Null, |last| last["id"].clone());
        entry["id"] = format!("{:08x}", self.entries.len()).into();
        entry["timestamp"] = format!("2026-01-01T00:00:{:02}.000Z", self.entries.len().min(59)).into();
        self.entries.push(entry);
    }

    /// One reply that makes some calls, and their results.
    fn take(&mut self, steps: &[Step<'_>]) {
        let first = self.calls;
        self.calls += steps.len();
        let named = || steps.iter().enumerate().map(|(at, step)| (format!("call_{}", first + at), step));
        let calls: Vec<Value> = named()
            .map(|(id, step)| {
                json!({ "type": "toolCall", "id": id, "name": step.tool, "arguments": step.arguments })
            })
            .collect();
        self.reply(&calls, "toolUse");
        let used = named()
            .map(|(id, step)| {
                json!({ "type": "tool_use", "id": id, "name": step.tool, "input": step.arguments })
            })
            .collect();
        self.messages.push(("assistant", used));
        let mut results = Vec::new();
        for (id, Step { tool, result, failed, .. }) in named() {
            self.push(json!({ "type": "message", "message": { "role": "toolResult", "toolCallId": id,
                "toolName": tool, "content": [{ "type": "text", "text": result }], "isError": failed } }));
            results.push(
                json!({ "type": "tool_result", "tool_use_id": id, "content": result, "is_error": failed }),
            );
        }
        self.messages.push(("user", results));
    }

    fn reply(&mut self, content: &[Value], stop: &str) {
        let number = self.requests.len();
        let first = self.behaviour.fresh_tokens.saturating_sub(self.later_writes);
        let write = if number == 0 { first } else { LATER_WRITES };
        let read = self.held;
        self.held += write;
        let id = format!("msg_{number:04}");
        let usage = json!({ "input_tokens": 0, "output_tokens": 20, "cache_read_input_tokens": read,
            "cache_creation_input_tokens": write });
        self.requests.push((self.messages.len(), id.clone(), usage));
        self.push(json!({ "type": "message", "message": { "role": "assistant", "content": content,
            "api": "anthropic-messages", "provider": MODEL.0, "model": MODEL.1, "stopReason": stop, "responseId": id,
            "usage": { "input": 0, "output": 20, "cacheRead": read, "cacheWrite": write, "totalTokens": 20 + read + write,
                "cost": { "total": 0.0 } } } }));
    }

    fn session(&self) -> String {
        self.entries.iter().map(|entry| entry.to_string() + "\n").collect()
    }

    fn wire(&self, blocks: &mut BTreeMap<String, String>) -> String {
        let mut keep = |block: &Value| {
            let json = block.to_string();
            let hash = sha256_hex(json.as_bytes());
            blocks.insert(hash.clone(), json);
            hash
        };
        let mut lines = String::new();
        for (index, (until, response_id, usage)) in self.requests.iter().enumerate() {
            let messages: Vec<Value> = self.messages[..*until]
                .iter()
                .map(|(role, content)| {
                    let blocks: Vec<String> = content.iter().map(&mut keep).collect();
                    json!({ "role": role, "blocks": blocks })
                })
                .collect();
            let line = json!({ "schema": WIRE_SCHEMA, "index": index, "path": "/v1/messages",
                "response_id": response_id, "model": MODEL.1, "tools": [keep(&tool())],
                "system": [keep(&instructions())], "messages": messages, "parameters": keep(&parameters()),
                "usage": usage });
            lines.push_str(&(line.to_string() + "\n"));
        }
        lines
    }
}

fn instructions() -> Value {
    json!({ "type": "text", "text": INSTRUCTIONS })
}

fn parameters() -> Value {
    json!({ "temperature": 1.0 })
}

fn tool() -> Value {
    json!({ "name": "read", "description": "Read file contents", "input_schema": { "type": "object" } })
}

//! A tiny synthetic campaign on disk: three scenarios of three repositories, four arms, three runs. Everything in it
//! agrees, so that a test can plant exactly one fault.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use engine::message::sha256_hex;
use harness::scenario::{Scenario, ScenarioSet};
use harness::variant::VariantSet;
use serde_json::{Value, json};

/// The feature that the campaign is recorded for.
pub const FEATURE: &str = "auto-context";
/// Hash of the policy section that the runs name.
pub const POLICY: &str = "0000000000000000000000000000000000000000000000000000000000000000";
pub const ARMS: [&str; 4] = ["native", "native-again", "auto-context", "auto-context-known-bad"];
const MODEL: &str = "tiny-1";
const VERIFY: &str = "sh check.sh";

/// The folders of a campaign; removed when dropped.
pub struct Tiny {
    root: tempfile::TempDir,
}

impl Tiny {
    pub fn new() -> Tiny {
        let tiny = Tiny { root: tempfile::tempdir().unwrap() };
        for name in ["alpha", "beta", "gamma"] {
            tiny.write_scenario(name);
        }
        tiny.write("scenarios/variants.toml", VARIANTS);
        tiny.write("scenarios/features.toml", FEATURES);
        tiny.write("scenarios/packs/prices-scripted.toml", PRICES);
        let manifest = include_str!("tiny_corpus.toml");
        tiny.write("corpus/corpus.toml", manifest);
        tiny.record();
        tiny
    }

    pub fn scenarios_folder(&self) -> PathBuf {
        self.root.path().join("scenarios")
    }

    pub fn corpus_folder(&self) -> PathBuf {
        self.root.path().join("corpus")
    }

    pub fn write(&self, name: &str, content: &str) {
        let path = self.root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root.path().join(name)).unwrap()
    }

    /// Rows of `runs.jsonl`, to be changed and written back.
    pub fn rows(&self) -> Vec<Value> {
        self.read("corpus/runs.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub fn write_rows(&self, rows: &[Value]) {
        let lines: String = rows.iter().map(|row| row.to_string() + "\n").collect();
        self.write("corpus/runs.jsonl", &lines);
    }

    /// Changes the rows that `wanted` picks.
    pub fn edit_rows(&self, wanted: impl Fn(&Value) -> bool, edit: impl Fn(&mut Value)) {
        let mut rows = self.rows();
        rows.iter_mut().filter(|row| wanted(row)).for_each(edit);
        self.write_rows(&rows);
    }

    /// Changes one file of a run and its hash in the row.
    pub fn edit_file(&self, scenario: &str, arm: &str, field: &str, edit: impl Fn(&str) -> String) {
        let is_run =
            |row: &Value| row["scenario"] == scenario && row["variant"] == arm && row["repetition"] == 0;
        let mut rows = self.rows();
        let row = rows.iter_mut().find(|row| is_run(row)).unwrap();
        let name = format!("corpus/{}", row[field].as_str().unwrap());
        let content = edit(&self.read(&name));
        self.write(&name, &content);
        let hash = if field == "session" { "sha256".to_owned() } else { format!("{field}_sha256") };
        row[hash.as_str()] = sha256_hex(content.as_bytes()).into();
        if field == "session" {
            row["bytes"] = content.len().into();
        }
        self.write_rows(&rows);
    }

    fn write_scenario(&self, name: &str) {
        let repo = format!("scenarios/repos/{name}-repo");
        self.write(&format!("{repo}/{name}/total.py"), &source(name, "a - b"));
        self.write(&format!("{repo}/{name}/label.py"), &source(name, "b"));
        self.write(&format!("{repo}/data/closed.csv"), "2023-12-31,closing balance,1204.50\n");
        self.write(&format!("{repo}/check.sh"), &format!("grep -q 'return a + b' {name}/total.py\n"));
        let task = format!("scenarios/tasks/{name}");
        let scenario = SCENARIO.replace("NAME", name);
        self.write(&format!("{task}/scenario.toml"), &scenario);
        self.write(&format!("{task}/prompt.md"), &prompt(name));
        self.write(&format!("{task}/reference.patch"), &patch(name));
        self.write(&format!("{task}/grader/grader_check.sh"), &format!("grep -q 'a + b' {name}/total.py\n"));
        self.write(
            &format!("{task}/policy.toml"),
            "schema = \"scripted-knowledge/1\"\nsearch = [\"total\"]\n[[edit]]\nfind = \"return a - b\"\nreplace = \"return a + b\"\n",
        );
    }

    fn record(&self) {
        let scenarios = ScenarioSet::load(&self.scenarios_folder()).unwrap();
        let variants = VariantSet::load(&self.scenarios_folder().join("variants.toml")).unwrap();
        let mut rows = Vec::new();
        for scenario in &scenarios.scenarios {
            let mut blocks = BTreeMap::new();
            for arm in ARMS {
                let digest = variants.get(arm).unwrap().engine_digest();
                for repetition in 0..3 {
                    rows.push(self.record_run(scenario, arm, repetition, &digest, &mut blocks));
                }
            }
            let lines: String = blocks
                .iter()
                .map(|(sha256, json)| json!({ "sha256": sha256, "json": json }).to_string() + "\n")
                .collect();
            self.write(&format!("corpus/blocks/{}.jsonl", scenario.id), &lines);
        }
        self.write_rows(&rows);
    }

    fn record_run(
        &self,
        scenario: &Scenario,
        arm: &str,
        repetition: u32,
        digest: &str,
        blocks: &mut BTreeMap<String, String>,
    ) -> Value {
        let name = scenario.id.as_str();
        let run = format!("{name}/{arm}-{repetition}");
        let mut log = Log::new(name, arm, repetition);
        log.run();
        let (session, wire) = (log.session(), log.wire(blocks));
        let tools = blocks.keys().find(|hash| blocks[*hash].contains("input_schema")).unwrap();
        let patch = patch(name);
        let patch_sha256 = sha256_hex(patch.as_bytes());
        let grader = json!({
            "schema": "grade/1", "command": ["sh", "grader_check.sh"], "exit_code": 0, "timed_out": false,
            "stdout_tail": "", "stderr_tail": "", "patch_sha256": patch_sha256, "tree_after_sha256": "",
            "protected_touched": [], "secrets_in_patch": [], "accepted": true,
        })
        .to_string();
        let files = [
            (format!("sessions/{run}.jsonl"), session),
            (format!("wire/{run}.jsonl"), wire),
            (format!("patches/{run}.patch"), patch),
            (format!("grader/{run}.json"), grader),
        ];
        let hashes = files.each_ref().map(|(path, content)| {
            self.write(&format!("corpus/{path}"), content);
            sha256_hex(content.as_bytes())
        });
        let [session_hash, wire_hash, _, grader_hash] = hashes;
        json!({
            "schema": "run/1", "scenario": name, "variant": arm, "repetition": repetition,
            "session": files[0].0, "sha256": session_hash, "bytes": files[0].1.len(),
            "agent": "pi", "agent_version": "1.6.0", "provider": "scripted", "model": MODEL,
            "thinking_level": "off", "tree_sha256": scenario.fixture_sha256().unwrap(),
            "engine_digest": digest, "policy_sha256": POLICY, "tier": "synthetic",
            "wire": files[1].0, "wire_sha256": wire_hash, "patch": files[2].0, "patch_sha256": patch_sha256,
            "grader_log": files[3].0, "grader_log_sha256": grader_hash,
            "prompt_sha256": sha256_hex(scenario.prompt.as_bytes()),
            "tools_sha256": sha256_hex(format!("{tools}\n").as_bytes()),
            "scenario_sha256": scenario.sha256().unwrap(), "order": 0, "attempts": [],
            "outcome": { "accepted": true, "verify_exit": 0, "verify_attempts": 1, "verify_failures": 0,
                "wall_seconds": 1.5, "infrastructure_failure": null },
        })
    }
}

/// One run as it happens: session entries and provider requests grow together.
struct Log {
    arm: String,
    name: String,
    /// Text of the pack; none in the native arms.
    pack: Option<String>,
    /// Whether the agent must read the file before it edits.
    reads: bool,
    repetition: u32,
    entries: Vec<Value>,
    messages: Vec<(String, Vec<Value>)>,
    requests: Vec<(usize, String, Value)>,
}

impl Log {
    fn new(name: &str, arm: &str, repetition: u32) -> Log {
        let pack = match arm {
            "auto-context" => Some(format!("{name}/total.py:1-4\n{}", source(name, "a - b"))),
            "auto-context-known-bad" => Some(format!("{name}/label.py:1-4\n{}", source(name, "b"))),
            _ => None,
        };
        let reads = arm != "auto-context";
        let name = name.to_owned();
        Log {
            name,
            arm: arm.to_owned(),
            pack,
            reads,
            repetition,
            entries: Vec::new(),
            messages: Vec::new(),
            requests: Vec::new(),
        }
    }

    fn run(&mut self) {
        let session = json!({ "type": "session", "version": 3, "id": format!("{}-{}-{}", self.name, self.arm, self.repetition),
            "timestamp": "2026-11-30T00:00:00.000Z", "cwd": format!("/home/user/{}-repo", self.name) });
        self.entries.push(session);
        self.push(json!({ "type": "model_change", "provider": "scripted", "modelId": MODEL }));
        self.push(json!({ "type": "thinking_level_change", "thinkingLevel": "off" }));
        self.push(json!({ "type": "message", "message": { "role": "system", "content": "",
            "sections": { "preamble": "be brief" }, "toolsAdded": [tool()] } }));
        if let Some(pack) = self.pack.clone() {
            self.push(json!({ "type": "custom_message", "customType": "sluice.pack", "content": pack,
                "display": false, "details": { "schema": "manifest/1", "confidence": "high" } }));
            self.say("user", json!({ "type": "text", "text": pack }));
        }
        let prompt = prompt(&self.name);
        self.push(json!({ "type": "message", "message": { "role": "user",
            "content": [{ "type": "text", "text": prompt }] } }));
        self.say("user", json!({ "type": "text", "text": prompt }));
        let path = format!("{}/total.py", self.name);
        if self.reads {
            let text = source(&self.name, "a - b");
            self.step("read", json!({ "path": path }), &text);
            if self.repetition == 2 {
                self.step("read", json!({ "path": path }), &text);
            }
        }
        let edits =
            json!({ "path": path, "edits": [{ "oldText": "return a - b", "newText": "return a + b" }] });
        self.step("edit", edits, "Successfully replaced 1 block(s).");
        self.step("bash", json!({ "command": VERIFY }), "");
        self.reply(vec![json!({ "type": "text", "text": "Done." })], "stop");
    }

    fn push(&mut self, mut entry: Value) {
        let last = self.entries.last().filter(|_| self.entries.len() > 1);
        entry["parentId"] = last.map_or(Value::Null, |last| last["id"].clone());
        entry["id"] = format!("{:08x}", self.entries.len()).into();
        entry["timestamp"] = "2026-11-30T00:00:01.000Z".into();
        self.entries.push(entry);
    }

    fn say(&mut self, role: &str, block: Value) {
        self.messages.push((role.to_owned(), vec![block]));
    }

    fn step(&mut self, tool: &str, arguments: Value, result: &str) {
        let id = format!("call_{}", self.requests.len());
        self.reply(
            vec![json!({ "type": "toolCall", "id": id, "name": tool, "arguments": arguments })],
            "toolUse",
        );
        self.say("assistant", json!({ "type": "tool_use", "id": id, "name": tool, "input": arguments }));
        self.push(
            json!({ "type": "message", "message": { "role": "toolResult", "toolCallId": id, "toolName": tool,
            "content": [{ "type": "text", "text": result }], "isError": false } }),
        );
        self.say(
            "user",
            json!({ "type": "tool_result", "tool_use_id": id, "content": result, "is_error": false }),
        );
    }

    fn reply(&mut self, content: Vec<Value>, stop: &str) {
        let number = self.requests.len() as u64;
        let pack = if self.pack.is_some() { 100 } else { 0 };
        let (read, write) = if number == 0 { (0, 1_000 + pack) } else { (1_000 + pack, 50 * number) };
        let id = format!("msg_{number:04}");
        let usage = json!({ "input_tokens": 4, "output_tokens": 20, "cache_read_input_tokens": read,
            "cache_creation_input_tokens": write });
        self.requests.push((self.messages.len(), id.clone(), usage));
        self.push(json!({ "type": "message", "message": { "role": "assistant", "content": content,
            "api": "anthropic-messages", "provider": "scripted", "model": MODEL, "stopReason": stop, "responseId": id,
            "usage": { "input": 4, "output": 20, "cacheRead": read, "cacheWrite": write, "totalTokens": 24 + read + write,
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
                .map(|(role, content)| json!({ "role": role, "blocks": content.iter().map(&mut keep).collect::<Vec<_>>() }))
                .collect();
            let line = json!({ "schema": "wire/1", "index": index, "path": "/v1/messages", "response_id": response_id,
                "model": MODEL, "tools": [keep(&tool())], "system": [keep(&json!({ "type": "text", "text": "be brief" }))],
                "messages": messages, "usage": usage });
            lines.push_str(&(line.to_string() + "\n"));
        }
        lines
    }
}

fn tool() -> Value {
    json!({ "name": "read", "description": "Read file contents", "input_schema": { "type": "object" } })
}

fn source(name: &str, result: &str) -> String {
    format!(
        "# {name}: how amounts are put together\ndef total(a, b):\n    # of two amounts\n    return {result}\n"
    )
}

fn prompt(name: &str) -> String {
    format!("The total of two {name} amounts is wrong, it subtracts. Check with `{VERIFY}`.\n")
}

fn patch(name: &str) -> String {
    format!(
        "diff --git a/{name}/total.py b/{name}/total.py\n--- a/{name}/total.py\n+++ b/{name}/total.py\n@@ -1,4 +1,4 @@\n # \
         {name}: how amounts are put together\n def total(a, b):\n     # of two amounts\n-    return a - b\n+    return a + b\n"
    )
}

const SCENARIO: &str = r#"schema = "scenario/1"
id = "NAME"
repo = "NAME-repo"
title = "NAME total"
language = "python"
kind = "fix"
runtime = ["git"]
verify = ["sh", "check.sh"]
grade = ["sh", "grader_check.sh"]
gold = ["NAME/total.py"]
protected = ["data/**"]
secrets = ["FAKE-TOKEN-0001"]
timeout_seconds = 20
"#;

const VARIANTS: &str = r#"schema = "variants/1"
[[variant]]
id = "native"
engine = "pass-through"
[[variant]]
id = "native-again"
engine = "pass-through"
aa_of = "native"
[[variant]]
id = "auto-context"
engine = "built-in"
[variant.config]
pack_tokens = 1400
[[variant]]
id = "auto-context-known-bad"
engine = "built-in"
withhold = "gold"
[variant.config]
pack_tokens = 1400
"#;

const FEATURES: &str = r#"schema = "features/1"
[[feature]]
id = "auto-context"
state = "shadow"
baseline = "native"
candidate = "auto-context"
known_bad = "auto-context-known-bad"
aa = "native-again"
corpora = ["tiny"]
"#;

const PRICES: &str = r#"schema = "prices/1"
id = "tiny"
source = "made up for the tests"
checked_on = "2026-11-30"
[[price]]
provider = "scripted"
model = "tiny-1"
effective_from = "2026-01-01"
input = 3.0
output = 15.0
cache_read = 0.3
cache_write_5m = 3.75
cache_write_1h = 6.0
validated = false
"#;

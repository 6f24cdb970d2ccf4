//! What the recording tests share: a tiny set of scenarios and an agent that takes no time.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use harness::record::{
    Agent, Api, Identity, Job, Observer, PackMessage, PackSource, Plan, Ran, RecordError, Request, RunRow,
    Summary, Wire, record,
};
use harness::scenario::{Scenario, ScenarioSet};
use harness::variant::{Variant, VariantSet};

const VARIANTS: &str = "schema = \"variants/1\"\n\n[[variant]]\nid = \"native\"\nengine = \"pass-through\"\n\n\
    [[variant]]\nid = \"auto\"\nengine = \"built-in\"\n";

const REFERENCE: &str = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n";

/// A folder with scenarios, a home and a corpus.
pub struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    pub fn new(scenarios: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = folder.path().join("scenarios").join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put("repos/small/a.txt", "one\n");
        put("variants.toml", VARIANTS);
        for id in scenarios {
            put(
                &format!("tasks/{id}/scenario.toml"),
                &format!(
                    "schema = \"scenario/1\"\nid = \"{id}\"\nrepo = \"small\"\ntitle = \"t\"\nlanguage = \"python\"\n\
                     kind = \"fix\"\nruntime = [\"python3\"]\nverify = [\"python3\", \"test.py\"]\n\
                     grade = [\"grep\", \"-q\", \"two\", \"a.txt\"]\ngold = [\"a.txt\"]\ntimeout_seconds = 20\n"
                ),
            );
            put(&format!("tasks/{id}/prompt.md"), "Make it two.\n\nCheck: `python3 test.py`\n");
            put(&format!("tasks/{id}/reference.patch"), REFERENCE);
            put(&format!("tasks/{id}/policy.toml"), "");
            put(&format!("tasks/{id}/grader/hidden.txt"), "x\n");
        }
        Place { folder }
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    /// Gives a task another grader.
    pub fn grade_with(&self, task: &str, command: &str) {
        let path = self.path().join(format!("scenarios/tasks/{task}/scenario.toml"));
        let text = fs::read_to_string(&path).unwrap();
        let (before, rest) = text.split_once("grade = ").unwrap();
        let (_, after) = rest.split_once('\n').unwrap();
        fs::write(path, format!("{before}grade = {command}\n{after}")).unwrap();
    }

    pub fn plan(&self, out: &str, repetitions: u32) -> Plan {
        let scenarios = ScenarioSet::load(&self.path().join("scenarios")).unwrap().scenarios;
        let variants = VariantSet::load(&self.path().join("scenarios/variants.toml")).unwrap();
        let variants: Vec<Variant> = variants.iter().cloned().collect();
        Plan {
            name: "tiny".to_owned(),
            feature: "auto-context".to_owned(),
            policy_sha256: "0".repeat(64),
            scenarios,
            engine_digests: variants
                .iter()
                .map(|variant| (variant.id.clone(), variant.canonical_config()))
                .collect(),
            variants,
            repetitions,
            seed: 5,
            home: self.path().join("user"),
            out: self.path().join(out),
            private: Vec::new(),
            limit: Duration::from_secs(20),
        }
    }
}

/// What goes wrong in a run of the quick agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mishap {
    /// The whole recording stops, as if it were killed.
    Killed,
    /// The agent fails for a reason that isn't its own.
    Void,
    /// The session names a place on this machine.
    Leak,
}

/// Edits the file at once, unless the repetition is the second one, and says so in a session.
#[derive(Default)]
pub struct Quick {
    /// Mishaps by number of the call.
    pub mishaps: BTreeMap<usize, Mishap>,
    /// Runs begun.
    pub calls: Cell<usize>,
    /// Whether it claims to be a real model.
    pub real: bool,
    /// Sessions of the runs that were made, in order.
    pub made: RefCell<Vec<String>>,
}

impl Quick {
    pub fn with(mishaps: impl IntoIterator<Item = (usize, Mishap)>) -> Self {
        Quick { mishaps: mishaps.into_iter().collect(), ..Quick::default() }
    }
}

impl Agent for Quick {
    fn identity(&self) -> Identity {
        Identity {
            agent: "quick".to_owned(),
            agent_version: "1".to_owned(),
            node_version: "none".to_owned(),
            provider: "none".to_owned(),
            model: "none".to_owned(),
            thinking_level: "off".to_owned(),
            tier: if self.real { "recorded-model" } else { "recorded-scripted" },
        }
    }

    fn run(&self, job: &Job<'_>) -> Result<Ran, RecordError> {
        let call = self.calls.replace(self.calls.get() + 1);
        let mishap = self.mishaps.get(&call).copied();
        if mishap == Some(Mishap::Killed) {
            return Err(RecordError::Usage("killed".to_owned()));
        }
        if job.repetition != 1 {
            fs::write(job.root.join("a.txt"), "two\n").unwrap();
        }
        fs::write(job.root.join("new.txt"), "n\n").unwrap();
        let seen = if job.pack.is_some() { "with a pack" } else { "without a pack" };
        let place = if mishap == Some(Mishap::Leak) { "/mnt/secret" } else { "nowhere" };
        let said = serde_json::json!({ "type": "message", "message": {
            "role": "assistant", "stopReason": "stop", "content": [{ "type": "text", "text": format!("{seen} {place}") }],
        } });
        let session = format!("{{\"type\":\"session\",\"id\":\"{}\"}}\n{said}\n", job.session_id);
        let mut wire = Wire::default();
        let body = format!(
            r#"{{"model":"m","tools":[{{"name":"t"}}],"messages":[{{"role":"user","content":"{seen}"}}]}}"#
        );
        wire.push("/v1/messages", &Request::parse(Api::Anthropic, body.as_bytes()).unwrap(), None, None);
        self.made.borrow_mut().push(job.session_id.to_owned());
        let failure = (mishap == Some(Mishap::Void)).then(|| "the provider was away".to_owned());
        Ok(Ran { session: Some(session), wire, failure, wall_seconds: 0.0 })
    }
}

/// A pack for every arm but the native one.
pub struct Packs;

impl PackSource for Packs {
    fn pack(&self, _: &Scenario, variant: &Variant) -> Result<Option<PackMessage>, RecordError> {
        let pack = PackMessage { text: "a.txt".to_owned(), manifest: serde_json::json!({}) };
        Ok((variant.id != "native").then_some(pack))
    }
}

/// Notes what it is told.
#[derive(Default)]
pub struct Notes(pub Vec<String>);

impl Observer for Notes {
    fn began(&mut self, _: usize, _: usize) {}
    fn running(&mut self, _: &str) {}
    fn stored(&mut self, _: &RunRow) {}
    fn note(&mut self, line: String) {
        self.0.push(line);
    }
}

pub fn go(plan: &Plan, agent: &Quick) -> Result<(Summary, Vec<String>), RecordError> {
    let mut notes = Notes::default();
    let summary = record(plan, agent, "quick", &Packs, &mut notes)?;
    Ok((summary, notes.0))
}

/// All files of a corpus but its working state.
pub fn files(root: &Path) -> BTreeMap<String, String> {
    fn walk(root: &Path, folder: &Path, found: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.ends_with(".record") {
                continue;
            }
            if path.is_dir() {
                walk(root, &path, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(root, root, &mut found);
    found
}

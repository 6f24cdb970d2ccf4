//! Simulated campaigns on disk that would be promoted but for their tier or size, and ways to break them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use engine::message::sha256_hex;
use harness::corpus::Corpus;
use harness::failure::Failure;
use harness::gate::campaign::{Asked, Session};
use harness::gate::document;
use harness::gate::look::Look;
use harness::gate::paths::Paths;
use harness::gate::policy::Policy;
use harness::gate::progress::Progress;
use harness::scenario::tree;
use harness::synthetic::behaviour::{Behaviour, Plan, ScenarioRuns};
use harness::synthetic::{Canary, Emission, SessionLength, emit};
use harness::variant::OpenEngine;
use harness::workspace::WorkspaceRoot;
use jiff::civil::{Date, date};
use serde_json::Value;
use verdict::Population;

const SHIPPED: &str = include_str!("../../../scenarios/gate.toml");
const CORPUS: &str = "corpora/synthetic";
/// Fields of a row that are of its run and of no other: its files, with what the row says of them.
pub const RUN_FILES: [&str; 9] = [
    "session",
    "sha256",
    "bytes",
    "wire",
    "wire_sha256",
    "patch",
    "patch_sha256",
    "grader_log",
    "grader_log_sha256",
];
/// Scenarios: the fewest with which a silent guard passes at the widest margin that a policy may have.
pub const SCENARIOS: usize = 30;
/// Scenarios of a campaign that is about its rows and files alone, each of a repository of its own.
const FEW: usize = 3;
/// Runs of a scenario in an arm.
pub const RUNS: usize = 3;
pub const FEATURE: &str = "auto-context";

/// The shipped policy at the nightly level with margins that thirty scenarios can hold, so that tests stay quick.
pub fn policy() -> String {
    SHIPPED
        .replace("alpha = 0.025", "alpha = 0.05")
        .replace("resamples = 9999", "resamples = 999")
        .replace("margin = 0.05", "margin = 0.1")
        .replace("margin = 0.02\nrange", "margin = 0.1\nrange")
        .replace("quantile = 0.95\nmargin = 0.10", "quantile = 0.9\nmargin = 0.5")
}

/// Hash of the section that the campaigns are recorded under.
pub fn policy_sha256() -> String {
    Policy::parse(&policy(), "policy").unwrap().sections[FEATURE].sha256.clone()
}

/// What the runs of [`Project::small`] do, by scenario and arm.
pub fn drawn() -> Plan {
    Plan::of(&population(FEW, 0.6), 0, Canary::Sound).unwrap()
}

/// What the baseline's runs of [`Project::small`] do.
pub fn drawn_of_baseline() -> Vec<Behaviour> {
    let Plan { scenarios } = drawn();
    scenarios.into_iter().flat_map(|ScenarioRuns { arms: [baseline, ..], .. }| baseline).flatten().collect()
}

/// Requests of a run: each read, the edit, the check and the answer take one.
pub fn requests(run: &Behaviour) -> usize {
    run.reads + 3
}

pub fn as_of() -> Date {
    date(2026, 11, 30)
}

/// A campaign in which every run succeeds and the candidate costs this share of the baseline.
fn population(scenarios: usize, cost_ratio: f64) -> Population {
    Population {
        cost_ratio,
        run_variance: 1e-4,
        interaction_variance: 0.0,
        log_cost_sd: 0.2,
        runaway_share: 0.0,
        ..Population::new(scenarios, RUNS, 5)
    }
}

/// A project around a simulated campaign; removed when dropped.
pub struct Project {
    root: tempfile::TempDir,
}

/// What a gate said: verdict, then codes of its reasons; or the exit code of its refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said {
    pub verdict: String,
    pub codes: Vec<String>,
}

/// Campaigns are emitted once a process.
static SOUND: OnceLock<tempfile::TempDir> = OnceLock::new();
static BROKEN: OnceLock<tempfile::TempDir> = OnceLock::new();
static FUTILE: OnceLock<tempfile::TempDir> = OnceLock::new();
static BRIEF: OnceLock<tempfile::TempDir> = OnceLock::new();
static SMALL: OnceLock<tempfile::TempDir> = OnceLock::new();

impl Project {
    /// A fresh copy of the campaign.
    pub fn new() -> Project {
        Project::copy_of(&SOUND, &population(SCENARIOS, 0.6), Canary::Sound, SessionLength::Usual)
    }

    /// A fresh copy of a campaign whose A/A arm gains as the candidate does.
    pub fn with_broken_canary() -> Project {
        Project::copy_of(&BROKEN, &population(SCENARIOS, 0.6), Canary::Broken, SessionLength::Usual)
    }

    /// Hashes of what the copies are copies of.
    pub fn originals() -> Vec<String> {
        drop(Project::new());
        let hash = |first: &tempfile::TempDir| tree::sha256(first.path()).unwrap();
        SOUND.get().into_iter().map(hash).collect()
    }

    /// A fresh copy of a campaign whose candidate saves nothing.
    pub fn without_benefit() -> Project {
        Project::copy_of(&FUTILE, &population(SCENARIOS, 1.0), Canary::Sound, SessionLength::Usual)
    }

    /// A fresh copy of a campaign whose sessions are brief.
    pub fn with_brief_sessions() -> Project {
        Project::copy_of(&BRIEF, &population(SCENARIOS, 0.6), Canary::Sound, SessionLength::Brief)
    }

    /// A fresh copy of a campaign of three scenarios, three repositories and three runs in each of the four arms.
    pub fn small() -> Project {
        Project::copy_of(&SMALL, &population(FEW, 0.6), Canary::Sound, SessionLength::Usual)
    }

    fn copy_of(
        once: &OnceLock<tempfile::TempDir>,
        population: &Population,
        canary: Canary,
        sessions: SessionLength,
    ) -> Project {
        let first = once.get_or_init(|| {
            let root = tempfile::tempdir().unwrap();
            let emission =
                Emission { population, index: 0, canary, sessions, policy: &policy(), as_of: as_of() };
            emit(emission, root.path()).unwrap();
            root
        });
        Project::linked(first.path())
    }

    fn linked(from: &Path) -> Project {
        let root = tempfile::tempdir().unwrap();
        link(from, root.path());
        Project { root }
    }

    /// The project as it is now, in another place.
    pub fn elsewhere(&self) -> Project {
        Project::linked(self.root.path())
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// A file of the corpus; the corpus's folder for no name.
    pub fn corpus(&self, name: &str) -> PathBuf {
        self.root.path().join(CORPUS).join(name)
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn write(&self, name: &str, content: &str) {
        put(&self.path(name), content);
    }

    pub fn edit(&self, name: &str, from: &str, to: &str) {
        let text = self.read(name);
        assert!(text.contains(from), "{name} lacks {from}");
        self.write(name, &text.replacen(from, to, 1));
    }

    pub fn rows(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.corpus("runs.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub fn write_rows(&self, rows: &[Value]) {
        let lines: String = rows.iter().map(|row| row.to_string() + "\n").collect();
        put(&self.corpus("runs.jsonl"), lines);
    }

    pub fn edit_rows(&self, wanted: impl Fn(&Value) -> bool, edit: impl Fn(&mut Value)) {
        let mut rows = self.rows();
        rows.iter_mut().filter(|row| wanted(row)).for_each(edit);
        self.write_rows(&rows);
    }

    /// What the row of a run (its first repetition) says in a field.
    pub fn told(&self, scenario: &str, arm: &str, field: &str) -> Value {
        self.rows().into_iter().find(is_run(scenario, arm, 0)).unwrap()[field].take()
    }

    /// Changes a file of a run (its first repetition), and what its row says of it. The file gets a name of its own, as runs
    /// share patches and transcripts.
    pub fn edit_file(&self, scenario: &str, arm: &str, field: &str, edit: impl Fn(&str) -> String) {
        let mut rows = self.rows();
        let row = rows.iter_mut().find(|row| is_run(scenario, arm, 0)(row)).unwrap();
        let name = Path::new(row[field].as_str().unwrap());
        let before = fs::read_to_string(self.corpus("").join(name)).unwrap();
        let content = edit(&before);
        assert_ne!(before, content, "{scenario} {arm} {field}: nothing was changed");
        let ending = name.extension().unwrap().to_str().unwrap();
        let own = name.with_file_name(format!("{arm}-0.{ending}")).to_str().unwrap().to_owned();
        put(&self.corpus(&own), &content);
        row[field] = own.into();
        let hash = if field == "session" { "sha256".to_owned() } else { format!("{field}_sha256") };
        row[hash.as_str()] = sha256_hex(content.as_bytes()).into();
        if field == "session" {
            row["bytes"] = content.len().into();
        }
        self.write_rows(&rows);
    }

    /// Adds a block to a scenario's; its hash.
    pub fn keep(&self, scenario: &str, block: &Value) -> String {
        let block = block.to_string();
        let hash = sha256_hex(block.as_bytes());
        let blocks = self.corpus(&format!("blocks/{scenario}.jsonl"));
        let line = serde_json::json!({ "sha256": hash, "json": block });
        let mut all = fs::read_to_string(&blocks).unwrap();
        all.push_str(&format!("{line}\n"));
        put(&blocks, all);
        hash
    }

    /// Changes each request of a run (its first repetition), given its number.
    pub fn edit_requests(
        &self,
        scenario: &str,
        arm: &str,
        edit: impl Fn(usize, &mut serde_json::Map<String, Value>),
    ) {
        self.edit_file(scenario, arm, "wire", |wire| {
            let lines = wire.lines().enumerate().map(|(number, line)| {
                let mut request: Value = serde_json::from_str(line).unwrap();
                edit(number, request.as_object_mut().unwrap());
                format!("{request}\n")
            });
            lines.collect()
        });
    }

    /// Adds a text to what a run's requests said to the model: as a block of its own with its hash.
    pub fn smuggle(&self, scenario: &str, arm: &str, text: &str) {
        let hash = self.keep(scenario, &serde_json::json!({ "type": "text", "text": text }));
        let first = "\"messages\":[";
        self.edit_file(scenario, arm, "wire", |wire| {
            wire.replace(first, &format!("{first}{{\"role\":\"user\",\"blocks\":[\"{hash}\"]}},"))
        });
    }

    /// [`Project::smuggle`], told by the session too: what an engine that adds the text leaves behind.
    pub fn smuggle_everywhere(&self, scenario: &str, arm: &str, text: &str) {
        self.smuggle(scenario, arm, text);
        self.edit_file(scenario, arm, "session", |session| {
            let mut lines: Vec<Value> =
                session.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            // Behind the instructions and before all else that the model is shown.
            let at = lines.iter().position(|line| line["type"] == "custom_message").unwrap();
            let added = serde_json::json!({ "type": "custom_message", "customType": "sluice.pack", "id": "added",
                "parentId": lines[at]["parentId"], "timestamp": lines[at]["timestamp"], "content": text,
                "display": false, "details": { "schema": "manifest/1" } });
            lines[at]["parentId"] = "added".into();
            lines.insert(at, added);
            lines.iter().map(|line| format!("{line}\n")).collect()
        });
    }

    /// Registers the corpus as it is now: what somebody does who covers up a change.
    pub fn look_anew(&self) {
        let looks = self.corpus("looks.jsonl");
        if looks.exists() {
            fs::remove_file(looks).unwrap();
        }
        let Ok(policy) = Policy::load(&self.path("scenarios/gate.toml")) else { return };
        let folder = self.corpus("");
        let Ok((corpus, _)) = Corpus::load(&folder) else { return };
        let section = &policy.sections[FEATURE];
        let look = Look::at(&corpus, &section.sha256, FEATURE, &as_of().to_string());
        let Ok(prices) = section.prices_sha256(&self.path("scenarios")) else { return };
        look.at_prices(prices).record(&folder).unwrap();
    }

    /// What the gate says of the feature, and its document.
    pub fn gate(
        &self,
        asked: Asked<'_>,
        engines: Option<Box<dyn OpenEngine + Send>>,
    ) -> Result<document::Document, Failure> {
        let root = WorkspaceRoot::find(self.root.path())?;
        let session = Session::open(&Paths::of(&root), as_of())?;
        let session = match engines {
            Some(engines) => session.with_engines(engines),
            None => session,
        };
        Ok(session.answer(asked, &Progress::new(false), |_| ())?.0.document)
    }

    /// [`Project::gate`] in a few words.
    pub fn says(&self, asked: Asked<'_>, engines: Option<Box<dyn OpenEngine + Send>>) -> Said {
        match self.gate(asked, engines) {
            Ok(document) => {
                let feature = &document.features[0];
                let codes = feature.reasons.iter().map(|reason| reason.code.clone()).collect();
                Said { verdict: feature.verdict.clone(), codes }
            }
            Err(failure) => {
                Said { verdict: format!("exit {}", failure.kind.exit_code()), codes: vec![failure.message] }
            }
        }
    }
}

pub fn is_run<'a>(scenario: &'a str, arm: &'a str, repetition: u32) -> impl Fn(&Value) -> bool + 'a {
    move |row| row["scenario"] == scenario && row["variant"] == arm && row["repetition"] == repetition
}

pub fn of_arm(arm: &str) -> impl Fn(&Value) -> bool + '_ {
    move |row| row["variant"] == arm
}

/// Takes a run's result away, as if it had never ended.
pub fn lose(row: &mut Value) {
    for field in RUN_FILES {
        row[field] = Value::Null;
    }
    row["outcome"]["infrastructure_failure"] = "agent-crashed".into();
}

/// Writes a file anew. It isn't written in place: the copies of a campaign share their files until one is changed.
pub fn put(path: &Path, content: impl AsRef<[u8]>) {
    if path.exists() {
        fs::remove_file(path).unwrap();
    }
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

/// A copy that shares its files with the original.
fn link(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&target).unwrap();
            link(&entry.path(), &target);
        } else {
            fs::hard_link(entry.path(), target).unwrap();
        }
    }
}

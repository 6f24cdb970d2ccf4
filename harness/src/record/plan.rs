//! What a campaign is to record.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use engine::message::{sha256_hex, stable_json};
use serde_json::json;

use crate::policy::verify_command;
use crate::scenario::{Scenario, tree};
use crate::variant::Variant;

use super::agent::Identity;
use super::error::RecordError;

/// A campaign: every scenario in every arm, a number of times.
#[derive(Debug)]
pub struct Plan {
    /// Name of the corpus.
    pub name: String,
    /// The gated feature that it is evidence for.
    pub feature: String,
    /// Hash of that feature's section of the gate's policy.
    pub policy_sha256: String,
    /// Tasks.
    pub scenarios: Vec<Scenario>,
    /// Arms.
    pub variants: Vec<Variant>,
    /// Digest of the engine in each arm, by variant.
    pub engine_digests: BTreeMap<String, String>,
    /// Runs of each scenario in each arm.
    pub repetitions: u32,
    /// Seed of the order.
    pub seed: u64,
    /// The neutral home.
    pub home: PathBuf,
    /// The corpus folder.
    pub out: PathBuf,
    /// Folders of this machine that must not be named in anything stored.
    pub private: Vec<PathBuf>,
    /// Limit of one run.
    pub limit: Duration,
}

impl Plan {
    /// Refuses what couldn't be recorded to its end.
    ///
    /// # Errors
    /// Nothing to record, or a prompt that doesn't name its own verify command.
    pub fn check(&self) -> Result<(), RecordError> {
        if self.scenarios.is_empty() || self.variants.is_empty() || self.repetitions == 0 {
            let message = "nothing to record: name at least one scenario, one variant and one run";
            return Err(RecordError::Usage(message.to_owned()));
        }
        for scenario in &self.scenarios {
            if verify_command(&scenario.prompt) != Some(scenario.verify.join(" ").as_str()) {
                let path = scenario.folder.join("prompt.md");
                let message = "the last command in it isn't the task's verify command: end it with that";
                return Err(RecordError::Data(format!("{}: {message}", path.display())));
            }
        }
        Ok(())
    }

    /// Hash of everything that could change a result: a resumed campaign must have the same.
    ///
    /// # Errors
    /// A scenario's files can't be read.
    pub fn sha256(&self, identity: &Identity, settings: &str) -> Result<String, RecordError> {
        let mut scenarios = BTreeMap::new();
        for scenario in &self.scenarios {
            let hashes = [tree::sha256(&scenario.folder)?, scenario.fixture_sha256()?];
            scenarios.insert(scenario.id.clone(), hashes);
        }
        let variants: Vec<&str> = self.variants.iter().map(|variant| variant.id.as_str()).collect();
        let plan = json!({
            "schema": "plan/1", "name": self.name, "feature": self.feature, "policy_sha256": self.policy_sha256,
            "scenarios": scenarios, "variants": variants, "engine_digests": self.engine_digests,
            "repetitions": self.repetitions, "seed": self.seed, "home": self.home, "settings": settings,
            "limit": self.limit.as_secs_f64(),
            "agent": [identity.agent, identity.agent_version, identity.node_version],
            "model": [identity.provider, identity.model, identity.thinking_level, identity.tier],
        });
        Ok(sha256_hex(stable_json(&plan).as_bytes()))
    }

    /// `corpus.toml`.
    pub fn manifest(&self, identity: &Identity) -> String {
        let list = |names: Vec<&str>| {
            let mut names: Vec<String> =
                names.into_iter().map(|name| format!("  {},\n", quoted(name))).collect();
            names.sort();
            format!("[\n{}]", names.concat())
        };
        let scenarios = list(self.scenarios.iter().map(|scenario| scenario.id.as_str()).collect());
        let variants = list(self.variants.iter().map(|variant| variant.id.as_str()).collect());
        let what = match identity.tier {
            "recorded-model" => "Runs of a real agent with a real model.",
            _ => {
                "Runs of a real agent whose model was a script: they prove plumbing and can veto, nothing more. Token \
                 counts are the loopback server's own, so they validate nothing; prices are made up."
            }
        };
        let mut text = String::from("schema = \"corpus/1\"\n");
        for (key, value) in [
            ("name", self.name.as_str()),
            ("version", "1"),
            ("description", what),
            ("licence", "MIT OR Apache-2.0"),
            ("tier", identity.tier),
        ] {
            text.push_str(&format!("{key} = {}\n", quoted(value)));
        }
        text.push_str("\n[recorded]\n");
        let recipe = format!("harness record --runs {} --seed {}", self.repetitions, self.seed);
        for (key, value) in [
            (
                "how",
                "the agent's own command in a fresh work tree a run; the grader enters after it has ended",
            ),
            ("agent", identity.agent.as_str()),
            ("agent_version", identity.agent_version.as_str()),
            ("node_version", identity.node_version.as_str()),
            ("model", &format!("{}/{}", identity.provider, identity.model)),
            ("recipe", recipe.as_str()),
        ] {
            text.push_str(&format!("{key} = {}\n", quoted(value)));
        }
        let home = self.home.to_string_lossy();
        text.push_str(&format!("\n[redaction]\nhome = {}\nrewritten = false\n", quoted(&home)));
        text.push_str(&format!("\n[campaign]\nfeature = {}\nseed = {}\n", quoted(&self.feature), self.seed));
        text.push_str(&format!(
            "\n[schedule]\nscenarios = {scenarios}\nvariants = {variants}\nrepetitions = {}\n",
            self.repetitions
        ));
        text
    }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

//! One run from an empty home to a row.

use std::collections::BTreeMap;

use engine::message::sha256_hex;

use crate::scenario::{Scenario, tree};
use crate::variant::Variant;

use super::agent::{Agent, Identity, Job, Ran};
use super::error::RecordError;
use super::grade::{GraderLog, grade};
use super::home::Home;
use super::leak::LeakScanner;
use super::outcome;
use super::pack::PackSource;
use super::plan::Plan;
use super::row::{OutcomeRow, RunRow};
use super::schedule::Block;
use super::store::{Store, Stored};
use super::worktree::WorkTree;

/// What all runs of a campaign share.
pub(super) struct Bench<'a> {
    pub plan: &'a Plan,
    pub agent: &'a dyn Agent,
    pub packs: &'a dyn PackSource,
    pub home: Home,
    pub store: Store,
    /// What each scenario's grader answered, by scenario.
    pub qualified: BTreeMap<String, Stored>,
}

/// Which run.
#[derive(Clone, Copy)]
pub(super) struct Slot<'a> {
    pub block: &'a Block,
    pub place: usize,
    pub attempt: u32,
}

impl Slot<'_> {
    pub fn variant(&self) -> &str {
        &self.block.variants[self.place]
    }

    /// Name of the run's files without an ending, relative to the folder of their kind.
    pub fn name(&self) -> String {
        let Block { scenario, repetition, .. } = self.block;
        let again = if self.attempt == 0 { String::new() } else { format!("-again{}", self.attempt) };
        format!("{scenario}/{}-{repetition}{again}", self.variant())
    }

    /// Identifier of the session: it names the run without telling the agent the arm.
    fn session_id(&self, plan_sha256: &str) -> String {
        sha256_hex(format!("{plan_sha256}/{}", self.name()).as_bytes())[..16].to_owned()
    }
}

/// The artefacts of a graded run.
struct Made {
    session: String,
    patch: String,
    log: GraderLog,
}

impl Bench<'_> {
    /// Makes one run and stores it. A leak found in it is told to `note` in full, because a row must not repeat it.
    pub fn make(
        &self,
        slot: Slot<'_>,
        plan_sha256: &str,
        note: &mut dyn FnMut(String),
    ) -> Result<RunRow, RecordError> {
        let scenario = self.scenario(&slot.block.scenario)?;
        let variant = self.variant(slot.variant())?;
        self.home.reset()?;
        let work = WorkTree::create(self.home.path(), scenario)?;
        let pack = self.packs.pack(scenario, variant)?;
        let session_id = slot.session_id(plan_sha256);
        let ran = self.agent.run(&Job {
            scenario,
            repetition: slot.block.repetition,
            session_id: &session_id,
            home: self.home.path(),
            root: &work.root,
            surroundings: self.home.surroundings(),
            pack: pack.as_ref(),
            limit: self.plan.limit,
        })?;
        let mut row = self.row(slot, (scenario, variant), &ran)?;
        let Some(session) = ran.session.clone() else { return Ok(row) };
        let patch = match work.patch() {
            Ok(patch) => patch,
            Err(error) => return Ok(void(row, error.to_string())),
        };
        let log = grade(scenario, &work, &patch, &self.home.surroundings())?;
        let made = Made { session, patch, log };
        if let Some(path) = self.leak(scenario, &ran, &made)? {
            let run = slot.name();
            note(format!("{run}: not stored, it names {path}"));
            let root = path.split('/').nth(1).unwrap_or_default().to_owned();
            return Ok(void(
                row,
                format!("something in it names a place below /{root} of the recording machine"),
            ));
        }
        self.keep(slot, &ran, &made, &mut row)?;
        Ok(row)
    }

    fn scenario(&self, id: &str) -> Result<&Scenario, RecordError> {
        let mut scenarios = self.plan.scenarios.iter();
        scenarios
            .find(|scenario| scenario.id == id)
            .ok_or_else(|| RecordError::Data(format!("no scenario {id}")))
    }

    fn variant(&self, id: &str) -> Result<&Variant, RecordError> {
        let mut variants = self.plan.variants.iter();
        variants.find(|variant| variant.id == id).ok_or_else(|| RecordError::Data(format!("no variant {id}")))
    }

    fn row(
        &self,
        slot: Slot<'_>,
        (scenario, variant): (&Scenario, &Variant),
        ran: &Ran,
    ) -> Result<RunRow, RecordError> {
        let qualified = self.qualified.get(&scenario.id).ok_or_else(|| {
            RecordError::Data(format!("{}: its grader wasn't asked before its first run", scenario.id))
        })?;
        let Identity { agent, agent_version, provider, model, thinking_level, tier, .. } =
            self.agent.identity();
        let verify = scenario.verify.join(" ");
        let read = outcome::read(ran.session.as_deref().unwrap_or_default(), &verify);
        let failure = ran
            .failure
            .clone()
            .or_else(|| ran.session.is_none().then(|| "the agent left no session".to_owned()));
        Ok(RunRow {
            schema: "run/1".to_owned(),
            scenario: scenario.id.clone(),
            variant: slot.variant().to_owned(),
            repetition: slot.block.repetition,
            session: None,
            sha256: None,
            bytes: None,
            agent,
            agent_version,
            provider,
            model,
            thinking_level,
            tree_sha256: scenario.fixture_sha256()?,
            engine_digest: self.plan.engine_digests.get(slot.variant()).cloned().unwrap_or_default(),
            policy_sha256: self.plan.policy_sha256.clone(),
            tier: tier.to_owned(),
            wire: None,
            wire_sha256: None,
            patch: None,
            patch_sha256: None,
            grader_log: None,
            grader_log_sha256: None,
            prompt_sha256: sha256_hex(scenario.prompt.as_bytes()),
            tools_sha256: ran.wire.tools_sha256(),
            instructions_sha256: ran.wire.instructions_sha256(),
            parameters_sha256: ran.wire.parameters_sha256(),
            scenario_sha256: scenario.sha256()?,
            model_artifact_sha256: variant.model_artifact_sha256(),
            qualification: qualified.path.clone(),
            qualification_sha256: qualified.sha256.clone(),
            order: slot.block.first + slot.place,
            attempts: Vec::new(),
            outcome: OutcomeRow {
                accepted: false,
                verify_exit: read.verify_exit,
                verify_attempts: read.verify_attempts,
                verify_failures: read.verify_failures,
                // Milliseconds are more than a scripted run's time is worth.
                wall_seconds: (ran.wall_seconds * 1000.0).round() / 1000.0,
                infrastructure_failure: failure,
            },
        })
    }

    fn leak(&self, scenario: &Scenario, ran: &Ran, made: &Made) -> Result<Option<String>, RecordError> {
        let mut given = vec![scenario.prompt.clone()];
        for folder in [&scenario.fixture, &scenario.grader()] {
            for name in tree::files(folder)? {
                let path = folder.join(name);
                let content = std::fs::read(&path).map_err(|error| RecordError::io(&path, error))?;
                given.push(String::from_utf8_lossy(&content).into_owned());
            }
        }
        let scanner =
            LeakScanner::new(self.home.path(), &self.plan.private, given.iter().map(String::as_str));
        let in_wire = ran.wire.block_texts().find_map(|block| scanner.in_jsonl(block));
        Ok(scanner
            .in_jsonl(&made.session)
            .or(in_wire)
            .or_else(|| scanner.in_text(&made.patch))
            .or_else(|| scanner.in_value(&serde_json::from_str(&made.log.to_json()).unwrap_or_default())))
    }

    fn keep(&self, slot: Slot<'_>, ran: &Ran, made: &Made, row: &mut RunRow) -> Result<(), RecordError> {
        let name = slot.name();
        self.store.put_blocks(&name, &ran.wire.blocks_jsonl())?;
        let put = |kind: &str, ending: &str, content: &str| {
            let stored = self.store.put(&format!("{kind}/{name}.{ending}"), content)?;
            Ok::<_, RecordError>((Some(stored.path), Some(stored.sha256)))
        };
        (row.session, row.sha256) = put("sessions", "jsonl", &made.session)?;
        row.bytes = Some(made.session.len() as u64);
        (row.wire, row.wire_sha256) = put("wire", "jsonl", &ran.wire.to_jsonl())?;
        (row.patch, row.patch_sha256) = put("patches", "patch", &made.patch)?;
        (row.grader_log, row.grader_log_sha256) = put("grader", "json", &made.log.to_json())?;
        row.outcome.accepted = made.log.accepted;
        Ok(())
    }
}

fn void(mut row: RunRow, why: String) -> RunRow {
    row.outcome.infrastructure_failure.get_or_insert(why);
    row
}

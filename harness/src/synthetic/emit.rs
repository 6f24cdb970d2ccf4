//! Writing the project around a drawn campaign.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use engine::message::{sha256_hex, stable_json};
use jiff::civil::Date;
use rayon::prelude::*;
use serde_json::{Value, json};
use verdict::{Population, Tier};

use super::behaviour::{ARMS, Behaviour, Canary, Plan, ScenarioRuns, SessionLength};
use super::run::{MODEL, Offered, RunFiles, Subject, run};
use super::task::{self, FEATURES, VARIANTS};
use crate::corpus::Corpus;
use crate::failure::Failure;
use crate::gate::look::Look;
use crate::gate::policy::Policy;
use crate::qualify::{Qualification, file_name, to_json};
use crate::scenario::{Scenario, ScenarioSet};
use crate::variant::VariantSet;

/// The feature that a simulated campaign is about.
const FEATURE: &str = "auto-context";
/// Folder and name of the corpus.
const CORPUS: &str = "synthetic";

/// Files of a run: the field of its row that names each, the one with its hash, and the folder that it lies in.
const FILES: [(&str, &str, &str); 4] = [
    ("session", "sha256", "sessions"),
    ("wire", "wire_sha256", "wire"),
    ("patch", "patch_sha256", "patches"),
    ("grader_log", "grader_log_sha256", "grader"),
];

/// Fields of a row with the hashes of what its requests offer.
const OFFERED: [&str; 3] = ["tools_sha256", "instructions_sha256", "parameters_sha256"];

/// What is emitted.
#[derive(Debug, Clone, Copy)]
pub struct Emission<'a> {
    /// What is true.
    pub population: &'a Population,
    /// Which of its campaigns.
    pub index: u64,
    /// What its A/A arm does.
    pub canary: Canary,
    /// How many requests its runs are.
    pub sessions: SessionLength,
    /// Text of the policy that the campaign is "recorded" under; its section of `auto-context` counts.
    pub policy: &'a str,
    /// Date of the look and of the prices.
    pub as_of: Date,
}

/// What was emitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emitted {
    /// The corpus.
    pub corpus: PathBuf,
    /// Its hash.
    pub sha256: String,
    /// Scheduled runs.
    pub runs: usize,
    /// Runs that are missing by the draw.
    pub missing: usize,
}

/// Draws a campaign and writes a project around it: `scenarios/` and `corpora/synthetic/` below `out`, which mustn't hold
/// anything yet.
///
/// # Errors
/// 64 for a policy or a population that can't be, or a folder that isn't empty; 74 where it can't be written.
pub fn emit(emission: Emission<'_>, out: &Path) -> Result<Emitted, Failure> {
    if fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::usage(format!("{}: not empty: choose a new folder", out.display())));
    }
    let policy = Policy::parse(emission.policy, "policy")?;
    let section = policy.sections.get(FEATURE).ok_or_else(|| {
        Failure::usage(format!("policy: feature.{FEATURE}: no section: choose a policy that has one"))
    })?;
    let plan = Plan::of(emission.population, emission.index, emission.canary)
        .map_err(|error| Failure::usage(error.to_string()))?;
    let scenarios = out.join("scenarios");
    project(&scenarios, emission, &section.prices, &plan)?;
    let declared = Declared {
        tasks: ScenarioSet::load(&scenarios)?,
        variants: VariantSet::load(&scenarios.join("variants.toml"))?,
        policy_sha256: section.sha256.clone(),
    };
    let folder = out.join("corpora").join(CORPUS);
    let missing = corpus(&folder, emission, &plan, &declared)?;
    let (written, _) = Corpus::load(&folder)?;
    let date = emission.as_of.to_string();
    let look = Look::at(&written, &section.sha256, FEATURE, &date);
    look.at_prices(section.prices_sha256(&scenarios)?).record(&folder)?;
    let runs = written.manifest.schedule.runs();
    Ok(Emitted { corpus: folder, sha256: written.sha256, runs, missing })
}

fn write(path: &Path, content: &str) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| Failure::io(folder, &error))?;
    }
    fs::write(path, content).map_err(|error| Failure::io(path, &error))
}

fn project(scenarios: &Path, emission: Emission<'_>, prices: &str, plan: &Plan) -> Result<(), Failure> {
    write(&scenarios.join("gate.toml"), emission.policy)?;
    write(&scenarios.join("variants.toml"), VARIANTS)?;
    write(&scenarios.join("features.toml"), FEATURES)?;
    write(&scenarios.join(format!("packs/{prices}.toml")), &task::prices(emission.as_of))?;
    for ScenarioRuns { id: scenario, cluster, .. } in &plan.scenarios {
        for (name, content) in task::repository(scenario, emission.sessions) {
            write(&scenarios.join("repos").join(cluster).join(name), &content)?;
        }
        for (name, content) in task::task(scenario, cluster) {
            write(&scenarios.join("tasks").join(scenario).join(name), &content)?;
        }
    }
    Ok(())
}

/// What rows refer to.
struct Declared {
    tasks: ScenarioSet,
    variants: VariantSet,
    policy_sha256: String,
}

/// Writes the corpus; the number of missing runs. Runs on the current rayon pool; the files don't depend on its size.
fn corpus(folder: &Path, emission: Emission<'_>, plan: &Plan, declared: &Declared) -> Result<usize, Failure> {
    write(&folder.join("corpus.toml"), &manifest(emission, plan))?;
    let written: Vec<Result<(Vec<Keyed>, usize), Failure>> =
        plan.scenarios.par_iter().map(|runs| scenario(folder, emission, runs, declared)).collect();
    let mut rows = Vec::new();
    let mut missing = 0;
    for written in written {
        let (some, without) = written?;
        rows.extend(some);
        missing += without;
    }
    rows.sort_by(|(one, _), (other, _)| one.cmp(other));
    let lines: String = rows.into_iter().map(|(_, row)| row + "\n").collect();
    write(&folder.join("runs.jsonl"), &lines)?;
    Ok(missing)
}

/// Writes the runs of a scenario: their rows, and how many are missing.
fn scenario(
    folder: &Path,
    emission: Emission<'_>,
    runs: &ScenarioRuns,
    declared: &Declared,
) -> Result<(Vec<Keyed>, usize), Failure> {
    let ScenarioRuns { id, cluster, arms } = runs;
    let scenario = declared
        .tasks
        .get(id)
        .ok_or_else(|| Failure::internal(format!("scenario {id}: written and not found again")))?;
    let answers = to_json(scenario, &Qualification::sound())?;
    write(&folder.join(file_name(id)), &answers)?;
    let hashes = TaskHashes::of(scenario, &answers)?;
    let mut blocks = BTreeMap::new();
    let mut rows = Vec::new();
    let mut missing = 0;
    for (arm, runs) in ARMS.iter().zip(arms) {
        for (repetition, behaviour) in runs.iter().enumerate() {
            let subject = Subject { scenario: id, cluster, arm, repetition, sessions: emission.sessions };
            missing += usize::from(behaviour.is_none());
            let (key, row) = row(folder, &subject, *behaviour, &hashes, declared, &mut blocks)?;
            rows.push((key, stable_json(&row)));
        }
    }
    let lines: String = blocks
        .iter()
        .map(|(sha256, json)| json!({ "sha256": sha256, "json": json }).to_string() + "\n")
        .collect();
    write(&folder.join(format!("blocks/{id}.jsonl")), &lines)?;
    Ok((rows, missing))
}

struct TaskHashes {
    tree: String,
    task: String,
    prompt: String,
    answers: String,
}

impl TaskHashes {
    fn of(scenario: &Scenario, answers: &str) -> Result<TaskHashes, Failure> {
        let [prompt, answers] = [&scenario.prompt, answers].map(|text| sha256_hex(text.as_bytes()));
        Ok(TaskHashes { tree: scenario.fixture_sha256()?, task: scenario.sha256()?, prompt, answers })
    }
}

/// Place of a row in the order of keys: scenario, arm, repetition.
type Place = (String, String, usize);

/// A row as it is stored, with its place.
type Keyed = (Place, String);

fn row(
    folder: &Path,
    subject: &Subject<'_>,
    behaviour: Option<Behaviour>,
    hashes: &TaskHashes,
    declared: &Declared,
    blocks: &mut BTreeMap<String, String>,
) -> Result<(Place, Value), Failure> {
    let Subject { scenario, arm, repetition, .. } = *subject;
    let digest = declared.variants.get(arm).map(|variant| variant.engine_digest()).unwrap_or_default();
    let mut row = json!({
        "schema": "run/1", "scenario": scenario, "variant": arm, "repetition": repetition,
        "agent": "simulator", "agent_version": env!("CARGO_PKG_VERSION"), "provider": MODEL.0, "model": MODEL.1,
        "thinking_level": "off", "tree_sha256": hashes.tree, "engine_digest": digest,
        "policy_sha256": declared.policy_sha256, "tier": Tier::Synthetic.as_str(),
        "prompt_sha256": hashes.prompt, "scenario_sha256": hashes.task, "order": 0, "attempts": [],
        "qualification": file_name(scenario), "qualification_sha256": hashes.answers,
    });
    let key = (scenario.to_owned(), arm.to_owned(), repetition);
    let Some(behaviour) = behaviour else {
        for field in
            FILES.into_iter().flat_map(|(field, hash, _)| [field, hash]).chain(["bytes"]).chain(OFFERED)
        {
            row[field] = Value::Null;
        }
        row["outcome"] = json!({ "accepted": false, "verify_exit": null, "verify_attempts": 0,
            "verify_failures": 0, "wall_seconds": 0.0, "infrastructure_failure": "drawn as missing" });
        return Ok((key, row));
    };
    let files = run(subject, behaviour, blocks);
    store(folder, subject, &files, &mut row)?;
    let Offered { tools, instructions, parameters } = &files.offered;
    for (field, hash) in OFFERED.into_iter().zip([tools, instructions, parameters]) {
        row[field] = hash.as_str().into();
    }
    let failed = u64::from(!behaviour.accepted);
    row["outcome"] = json!({ "accepted": behaviour.accepted, "verify_exit": failed, "verify_attempts": 1,
        "verify_failures": failed, "wall_seconds": 1.0, "infrastructure_failure": null });
    Ok((key, row))
}

/// Writes the files of a run. What many runs of a scenario have in common, a patch and a grader's transcript, is named by its
/// content and written once.
fn store(folder: &Path, subject: &Subject<'_>, files: &RunFiles, row: &mut Value) -> Result<(), Failure> {
    let Subject { scenario, arm, repetition, .. } = subject;
    let own = format!("{scenario}/{arm}-{repetition}");
    let contents = [&files.session, &files.wire, &files.patch, &files.grader];
    for ((field, hash, kind), content) in FILES.into_iter().zip(contents) {
        let sha256 = sha256_hex(content.as_bytes());
        let name = match kind {
            "patches" => format!("patches/{scenario}/{sha256}.patch"),
            "grader" => format!("grader/{scenario}/{sha256}.json"),
            _ => format!("{kind}/{own}.jsonl"),
        };
        let path = folder.join(&name);
        if !path.exists() {
            write(&path, content)?;
        }
        row[hash] = sha256.into();
        row[field] = name.into();
    }
    row["bytes"] = files.session.len().into();
    Ok(())
}

fn manifest(emission: Emission<'_>, plan: &Plan) -> String {
    let list = |names: Vec<&str>| {
        let lines: String = names.into_iter().map(|name| format!("  \"{name}\",\n")).collect();
        format!("[\n{lines}]")
    };
    let scenarios = list(plan.scenarios.iter().map(|scenario| scenario.id.as_str()).collect());
    let variants = list(ARMS.to_vec());
    let Population { effect, cost_ratio, seed, runs, .. } = emission.population;
    let (brief, flag) = match emission.sessions {
        SessionLength::Usual => ("", ""),
        SessionLength::Brief => (" Its sessions are brief, of two requests each.", " --brief"),
    };
    format!(
        "schema = \"corpus/1\"\nname = \"{CORPUS}\"\nversion = \"1\"\ndescription = \"A simulated campaign: true effect \
         {effect}, true cost ratio {cost_ratio}.{brief} It proves the gate and says nothing about a feature.\"\nlicence = \"MIT OR \
         Apache-2.0\"\ntier = \"synthetic\"\n\n[recorded]\nhow = \"drawn, nothing was recorded\"\nrecipe = \"harness power \
         --emit{flag}\"\n\n[redaction]\nhome = \"/home/user\"\nrewritten = false\n\n[campaign]\nfeature = \"{FEATURE}\"\nseed = \
         {seed}\n\n[schedule]\nscenarios = {scenarios}\nvariants = {variants}\nrepetitions = {runs}\n"
    )
}

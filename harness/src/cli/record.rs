//! `harness record`: arguments in, a campaign out.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use engine::message::sha256_hex;
use indicatif::ProgressBar;
use serde_json::json;

use crate::corpus::Corpus;
use crate::failure::{Failure, read_bytes};
use crate::gate::look::Look;
use crate::gate::policy::{Policy, Section};
use crate::policy::Parameters;
use crate::record::{
    EnginePacks, INSTALL, Installation, ModelChoice, Observer, PI_DIR_VARIABLE, Pi, Plan, RunRow, Summary,
    corpus_salt, record,
};
use crate::scenario::{Scenario, ScenarioSet};
use crate::variant::{FeatureSet, Variant, VariantSet};
use crate::workspace::WorkspaceRoot;

use super::progress::progress;
use super::{Outcome, output};

/// Record the real agent on scenarios, in each arm, paired and interleaved
///
/// Before the first run each scenario's grader is asked five times about the reference patch and five times about the
/// untouched repository; what it answers is kept. Each run gets an empty home, a fresh work tree and a listed environment; the hidden grader enters after the agent has
/// ended. This is no sandbox: the agent's tools run as you. A campaign that was stopped goes on where it was when the same
/// command is given again.
///
/// Example: harness record --scenario ledger-invoice-tax --variant native auto-context --runs 3 --out /tmp/corpus
#[derive(Debug, Args)]
pub struct RecordArgs {
    /// Scenarios; all if none is named
    #[arg(long, value_name = "ID", num_args = 1..)]
    scenario: Vec<String>,
    /// Variants; the arms of the feature if none is named
    #[arg(long, value_name = "ID", num_args = 1..)]
    variant: Vec<String>,
    /// Runs of each scenario in each variant
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// The agent to record
    #[arg(long, value_enum, default_value_t = AgentName::Pi)]
    agent: AgentName,
    /// `scripted`, or a model as the agent names it
    #[arg(long, value_name = "scripted|PROVIDER/ID", default_value = "scripted")]
    model: String,
    /// The corpus folder to fill; its name becomes the corpus's
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Folder whose node_modules holds Pi and its Node
    #[arg(long, value_name = "DIR", env = PI_DIR_VARIABLE)]
    pi_dir: Option<PathBuf>,
    /// The neutral home that recorded paths lie in; made and removed by this command
    #[arg(long, value_name = "DIR", default_value = "/home/user")]
    home: PathBuf,
    /// Seed of order and dice; the policy's if none is given
    #[arg(long)]
    seed: Option<u64>,
    /// The feature that the campaign is evidence for
    #[arg(long, value_name = "ID", default_value = "auto-context")]
    feature: String,
    /// The gate's policy that the campaign is recorded for [default: gate.toml among the scenarios]
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Folder of tasks, repositories, variants and policies
    #[arg(long, value_name = "DIR")]
    scenarios: Option<PathBuf>,
    /// Thinking level of the model
    #[arg(long, value_name = "LEVEL", default_value = "off")]
    thinking: String,
    /// Pi's models.json for another model; copied into the home, never stored
    #[arg(long, value_name = "FILE")]
    models_json: Option<PathBuf>,
    /// Environment variable that the agent may see, for keys
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pass_env: Vec<String>,
    /// Seconds that one run may take
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    limit_seconds: u64,
    /// Print the rows as one JSON value
    #[arg(long)]
    json: bool,
}

/// Agents that can be recorded.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum AgentName {
    /// The Pi coding agent
    Pi,
}

/// Runs the verb.
pub fn run(arguments: &RecordArgs) -> Outcome {
    let AgentName::Pi = arguments.agent;
    let scenarios = match &arguments.scenarios {
        Some(folder) => folder.clone(),
        None => WorkspaceRoot::current()?.scenarios(),
    };
    let mut parameters = Parameters::load(&scenarios.join("policy.toml"))?;
    parameters.seed = arguments.seed.unwrap_or(parameters.seed);
    let plan = plan(arguments, &scenarios, parameters.seed)?;
    let prices = section(arguments, &scenarios)?.prices_sha256(&scenarios)?;
    let installation = installation(arguments.pi_dir.as_deref())?;
    let settings = settings(arguments, &parameters, &prices)?;
    let model = model(arguments, parameters)?;
    let pi = Pi::new(installation, model, arguments.thinking.clone());
    let packs = EnginePacks::new(&corpus_salt(&arguments.out)?);
    let mut observer = Terminal::new();
    let summary = record(&plan, &pi, &settings, &packs, &mut observer)?;
    observer.finish();
    let (corpus, _) = Corpus::load(&plan.out)?;
    let today = super::gate::today().to_string();
    let look = Look::at(&corpus, &plan.policy_sha256, &plan.feature, &today);
    look.at_prices(prices).record(&plan.out)?;
    report(arguments, &plan, &summary)?;
    Ok(ExitCode::SUCCESS)
}

/// What a resumed campaign must have in common beside its plan: prices that change half-way would be registered as if they
/// had been known before the first run, and another file of models is another model.
fn settings(arguments: &RecordArgs, parameters: &Parameters, prices: &str) -> Result<String, Failure> {
    let models = arguments.models_json.as_deref().map(read_bytes).transpose()?;
    let models = models.map(|bytes| sha256_hex(&bytes));
    let RecordArgs { model, thinking, pass_env, .. } = arguments;
    Ok(format!("{parameters:?} {model:?} {thinking:?} {prices} {models:?} {pass_env:?}"))
}

fn installation(folder: Option<&Path>) -> Result<Installation, Failure> {
    let Some(folder) = folder else {
        let message = format!(
            "Pi isn't named: run `{INSTALL}` in a folder and give it with --pi-dir DIR or {PI_DIR_VARIABLE}"
        );
        return Err(Failure::usage(message));
    };
    Ok(Installation::find(folder)?)
}

fn model(arguments: &RecordArgs, parameters: Parameters) -> Result<ModelChoice, Failure> {
    if arguments.model == "scripted" {
        return Ok(ModelChoice::Scripted(parameters));
    }
    let Some((provider, model)) = arguments.model.split_once('/') else {
        let message = format!("model `{}`: give `scripted` or PROVIDER/ID", arguments.model);
        return Err(Failure::usage(message));
    };
    Ok(ModelChoice::Other {
        provider: provider.to_owned(),
        model: model.to_owned(),
        models_json: arguments.models_json.clone(),
        variables: arguments.pass_env.clone(),
    })
}

fn plan(arguments: &RecordArgs, folder: &Path, seed: u64) -> Result<Plan, Failure> {
    let set = ScenarioSet::load(folder)?;
    let variants = VariantSet::load(&folder.join("variants.toml"))?;
    let features = FeatureSet::load(&folder.join("features.toml"), &variants)?;
    let feature = features.get(&arguments.feature).ok_or_else(|| {
        Failure::usage(format!("feature `{}`: not in features.toml: name one of those", arguments.feature))
    })?;
    let arms = match (&feature.arms, arguments.variant.is_empty()) {
        (Some(arms), true) => arms.all().map(str::to_owned).to_vec(),
        (None, true) => {
            let message = format!("feature `{}`: has no arms: name variants with --variant", feature.id);
            return Err(Failure::usage(message));
        }
        (_, false) => arguments.variant.clone(),
    };
    let chosen = choose(arms, |id| variants.get(id).cloned(), "variant")?;
    let engine_digests =
        chosen.iter().map(|variant| (variant.id.clone(), engine::engine_digest(&variant.canonical_config())));
    let name = arguments.out.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    Ok(Plan {
        name: name
            .ok_or_else(|| Failure::usage(format!("--out {}: ends with no name", arguments.out.display())))?,
        feature: feature.id.clone(),
        policy_sha256: section(arguments, folder)?.sha256,
        scenarios: scenarios(arguments, &set)?,
        engine_digests: engine_digests.collect::<BTreeMap<_, _>>(),
        variants: chosen,
        repetitions: arguments.runs,
        seed,
        home: arguments.home.clone(),
        out: arguments.out.clone(),
        private: private_folders(arguments, folder),
        limit: Duration::from_secs(arguments.limit_seconds),
    })
}

fn scenarios(arguments: &RecordArgs, set: &ScenarioSet) -> Result<Vec<Scenario>, Failure> {
    if arguments.scenario.is_empty() {
        return Ok(set.scenarios.clone());
    }
    choose(arguments.scenario.clone(), |id| set.get(id).cloned(), "scenario")
}

/// The named ones, each once, in the order of their names.
fn choose<T>(mut ids: Vec<String>, find: impl Fn(&str) -> Option<T>, what: &str) -> Result<Vec<T>, Failure> {
    ids.sort();
    ids.dedup();
    ids.iter()
        .map(|id| {
            find(id)
                .ok_or_else(|| Failure::usage(format!("{what} `{id}`: no such {what}: look into scenarios/")))
        })
        .collect()
}

/// The feature's section of the gate's policy.
fn section(arguments: &RecordArgs, scenarios: &Path) -> Result<Section, Failure> {
    let path = arguments.policy.clone().unwrap_or_else(|| scenarios.join("gate.toml"));
    let feature = &arguments.feature;
    Policy::load(&path)?.sections.remove(feature).ok_or_else(|| {
        let path = path.display();
        Failure::usage(format!(
            "{path}: no section for feature `{feature}`: register its criteria before recording"
        ))
    })
}

/// Places on this machine that must not be named in a corpus.
fn private_folders(arguments: &RecordArgs, scenarios: &Path) -> Vec<PathBuf> {
    let mut folders = vec![scenarios.to_path_buf(), arguments.out.clone(), env::temp_dir().join("sluice")];
    folders.extend(arguments.pi_dir.clone());
    folders.extend(env::current_dir().ok());
    folders.extend(env::var_os("HOME").map(PathBuf::from));
    let real: Vec<PathBuf> = folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
    folders.extend(real);
    folders.retain(|folder| folder.is_absolute());
    folders
}

fn report(arguments: &RecordArgs, plan: &Plan, summary: &Summary) -> Result<(), Failure> {
    if arguments.json {
        return output::json(&json!({
            "schema": "record/1", "corpus": plan.name, "feature": plan.feature, "seed": plan.seed,
            "resumed": summary.resumed, "runs": summary.rows,
        }));
    }
    let mut text = String::new();
    for Variant { id, .. } in &plan.variants {
        let rows: Vec<&RunRow> = summary.rows.iter().filter(|row| row.variant() == id).collect();
        let accepted = rows.iter().filter(|row| row.accepted()).count();
        let void = rows.iter().filter(|row| row.is_void()).count();
        text.push_str(&format!("{id:<28} {accepted:>4} of {} accepted", rows.len()));
        text.push_str(&if void > 0 { format!(", {void} missing\n") } else { "\n".to_owned() });
    }
    text.push_str(&format!("{} runs in {}\n", summary.rows.len(), arguments.out.display()));
    output::data(&text)
}

/// Progress on a terminal; a line a run elsewhere only for what went wrong.
struct Terminal {
    bar: ProgressBar,
}

impl Terminal {
    fn new() -> Self {
        Terminal { bar: progress("runs", 0) }
    }

    fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Observer for Terminal {
    fn began(&mut self, total: usize, done: usize) {
        self.bar.set_length(total as u64);
        self.bar.set_position(done as u64);
        self.bar.reset_eta();
        if done > 0 {
            self.note(format!("{done} of {total} runs are there already: going on after them"));
        }
    }

    fn running(&mut self, run: &str) {
        self.bar.set_message(run.to_owned());
    }

    fn stored(&mut self, _row: &RunRow) {
        self.bar.inc(1);
    }

    fn note(&mut self, line: String) {
        self.bar.suspend(|| output::note(&line));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;

    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        record: RecordArgs,
    }

    /// A campaign went on at other prices, and registered them as if they had been known before its first run.
    #[test]
    fn prices_and_models_that_change_half_way_make_another_campaign() {
        let folder = tempfile::tempdir().unwrap();
        let models = folder.path().join("models.json");
        let parameters = Parameters::load(&WorkspaceRoot::current().unwrap().scenarios().join("policy.toml"));
        let parameters = parameters.unwrap();
        let told = |prices: &str, more: &[&str]| {
            let command = [&["record", "--out", "corpus"], more].concat();
            settings(&Command::parse_from(command).record, &parameters, prices).unwrap()
        };
        let named = ["--models-json", models.to_str().unwrap()];
        let mut all = vec![told("a", &[]), told("b", &[]), told("a", &["--pass-env", "KEY"])];
        for content in ["{}", "[]"] {
            fs::write(&models, content).unwrap();
            all.push(told("a", &named));
        }
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "{all:?}");
        assert_eq!(told("a", &[]), all[0]);
    }
}

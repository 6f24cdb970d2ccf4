//! `gate.json`: the gate's whole answer as a document. Every other report is drawn from it and adds nothing.
//!
//! It holds no path, no time of day and no duration: the same evidence, policy and date give the same bytes.

use serde::{Deserialize, Serialize};

use super::conclude;
use crate::failure::Failure;

/// Version of the document.
pub const SCHEMA: &str = "gate/1";

/// The document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// [`SCHEMA`].
    pub schema: String,
    /// `SUPPORTED`, or the worst unsupported verdict; with `--feature`, that feature's verdict.
    pub result: String,
    /// Process exit code that goes with it.
    pub exit_code: u8,
    /// The gate's only date, `YYYY-MM-DD`.
    pub as_of: String,
    /// The feature asked for with `--feature` or `--promote`; `null` for all.
    pub selected: Option<String>,
    /// Digest of the engine that ran this gate.
    pub engine_digest: String,
    /// Corpora read, by name.
    pub corpora: Vec<Corpus>,
    /// Features judged, in the order of `features.toml`.
    pub features: Vec<Feature>,
    /// Canary arms of all features.
    pub canaries: Vec<Canary>,
    /// How often replay was repeated and whether it gave the same plans.
    pub determinism: Determinism,
}

/// A corpus that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Corpus {
    /// Its name.
    pub name: String,
    /// SHA-256 over its canonical rows.
    pub sha256: String,
    /// Scheduled runs.
    pub runs: usize,
    /// Scheduled runs without a session.
    pub missing: usize,
    /// Scenarios.
    pub scenarios: usize,
    /// Tiers among its rows, sorted.
    pub tiers: Vec<String>,
    /// Whether acceptance was checked by running the graders again.
    #[serde(default)]
    pub graders: Graders,
}

/// Graders run again on the stored patches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Graders {
    /// Whether they were; otherwise acceptance rests on the stored transcripts.
    pub run_again: bool,
    /// Runs checked so.
    pub checked: u64,
    /// Runs whose graders can't be run here.
    pub skipped: u64,
    /// Scenarios whose grader was asked before the first run whether it tells a right patch from none; what it answered
    /// stands in the corpus.
    #[serde(default)]
    pub asked: usize,
}

/// What became of the runs of one arm.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attendance {
    /// The arm.
    pub arm: String,
    /// Scheduled runs.
    pub scheduled: usize,
    /// Runs without a result.
    pub missing: usize,
}

/// A shadow comparison: what a second opinion on the order of files changes, over the replayed requests of one arm that ask
/// for it and need a file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FileOrder {
    /// The arm.
    pub arm: String,
    /// Requests compared.
    pub requests: usize,
    /// Requests that kept the static order, by reason.
    pub kept_static: Vec<Kept>,
    /// Requests with another file first.
    pub first_changed: usize,
    /// Requests whose nDCG@10 rises.
    pub better: usize,
    /// Requests whose nDCG@10 falls.
    pub worse: usize,
    /// Mean nDCG@10 of the needed files in the static order.
    pub static_ndcg: f64,
    /// The same in the arm's order.
    pub ordered_ndcg: f64,
    /// Mean reciprocal rank of the first needed file in the static order.
    pub static_reciprocal_rank: f64,
    /// The same in the arm's order.
    pub ordered_reciprocal_rank: f64,
    /// Most units of work of a request.
    pub most_work: u64,
    /// Units that a request may take before it keeps the static order.
    pub work_budget: u64,
}

/// Requests that kept the static order for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Its code (`over-budget`, `checksum`, …).
    pub code: String,
    /// Requests.
    pub requests: usize,
}

/// The account of runs that were made again.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rerolls {
    /// Scheduled pairs of baseline and candidate.
    pub pairs: usize,
    /// Pairs that were run more than once.
    pub rerolled: usize,
    /// Attempts of both arms.
    pub attempts: usize,
    /// Attempts of the baseline that the infrastructure failed.
    pub baseline_failures: usize,
    /// Attempts of the candidate that the infrastructure failed.
    pub candidate_failures: usize,
}

/// Which look at the evidence this is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Looks {
    /// Looks taken, this one among them.
    pub taken: usize,
    /// Looks planned.
    pub planned: usize,
    /// Number of this look by the plan, from 1; `null` where the evidence is at no planned look.
    pub number: Option<usize>,
}

/// One of the six promised quantities.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Quantity {
    /// What was promised, in words.
    pub name: String,
    /// Metric behind it.
    pub metric: String,
    /// How it is compared.
    pub estimand: String,
    /// The criterion of the policy about it; `null` where it is compared without deciding anything.
    pub criterion: Option<String>,
    /// Level of the baseline.
    pub baseline: Option<f64>,
    /// Level of the candidate.
    pub candidate: Option<f64>,
    /// Point estimate.
    pub delta: Option<f64>,
    /// Lower bound.
    pub low: Option<f64>,
    /// Upper bound.
    pub high: Option<f64>,
}

/// A guard on a part of the scenarios, at twice its margin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slice {
    /// Criterion.
    pub criterion: String,
    /// `language` or `kind`.
    pub dimension: String,
    /// The part.
    pub slice: String,
    /// `pass`, `fail` (rejects) or `undecided` (told, decides nothing).
    pub outcome: String,
    /// Point estimate.
    pub delta: Option<f64>,
    /// Lower bound.
    pub low: Option<f64>,
    /// Upper bound.
    pub high: Option<f64>,
    /// Twice the declared margin.
    pub margin: Option<f64>,
    /// Scenarios with evidence.
    pub scenarios: usize,
}

/// A reason: a code for programs, a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// Stable kebab-case code.
    pub code: String,
    /// One line.
    pub message: String,
}

/// One gated feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Identifier.
    pub id: String,
    /// Declared state: `off`, `shadow` or `default-on`.
    pub state: String,
    /// Whether the verdict supports the declared state.
    pub supported: bool,
    /// Baseline arm; `null` for a feature without variants.
    pub baseline: Option<String>,
    /// Candidate arm.
    pub candidate: Option<String>,
    /// `PROMOTE`, `REJECT`, `INSUFFICIENT` or `INVALID`.
    pub verdict: String,
    /// Weakest tier among the evidence; `null` without evidence.
    pub tier: Option<String>,
    /// The tier that default-on needs.
    pub needs_tier: String,
    /// What the intervals cover, in words: noise of a real model, or a simulated one.
    pub noise: String,
    /// Hash of its section of the policy.
    pub policy_sha256: Option<String>,
    /// One-sided error level, of this look where several are planned.
    pub alpha: Option<f64>,
    /// Which look this is; `null` without evidence.
    #[serde(default)]
    pub looks: Option<Looks>,
    /// Seed of every resampling.
    pub seed: Option<u64>,
    /// Corpora that the evidence comes from.
    pub corpora: Vec<String>,
    /// Why it isn't PROMOTE.
    pub reasons: Vec<Reason>,
    /// What would settle it.
    pub next: Vec<String>,
    /// Every declared criterion.
    pub criteria: Vec<Criterion>,
    /// The six promised quantities.
    #[serde(default)]
    pub quantities: Vec<Quantity>,
    /// Guards by language and kind.
    #[serde(default)]
    pub slices: Vec<Slice>,
    /// What a learned order of files changes in replay; empty where no arm asks for one.
    #[serde(default)]
    pub file_orders: Vec<FileOrder>,
    /// Runs of each arm.
    #[serde(default)]
    pub attendance: Vec<Attendance>,
    /// Runs made again; `null` without evidence.
    #[serde(default)]
    pub rerolls: Option<Rerolls>,
    /// File name of the certificate that stands in, if one does.
    pub certificate: Option<String>,
}

/// One criterion. Deltas and bounds are candidate − baseline in the metric's unit, for ratios the relative change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// Identifier.
    pub id: String,
    /// `recorded` or `replayed`.
    pub plane: String,
    /// `superiority`, `non-inferiority` or `no-events`.
    pub kind: String,
    /// `pass`, `fail` or `undecided`.
    pub outcome: String,
    /// Metric behind it.
    pub metric: String,
    /// `mean-difference`, `geometric-ratio`, `total-ratio` or `tail-ratio`.
    pub estimand: String,
    /// `higher` or `lower`.
    pub better: String,
    /// Level of the baseline.
    pub baseline: Option<f64>,
    /// Level of the candidate.
    pub candidate: Option<f64>,
    /// Point estimate.
    pub delta: Option<f64>,
    /// Lower bound that counts.
    pub low: Option<f64>,
    /// Upper bound that counts.
    pub high: Option<f64>,
    /// Declared margin or smallest gain.
    pub margin: Option<f64>,
    /// Scenarios with evidence.
    pub scenarios: usize,
    /// Runs with a value, both arms.
    pub runs: usize,
    /// Clusters the scenarios come from.
    pub clusters: usize,
    /// Scheduled runs without a value, both arms.
    pub missing_runs: usize,
    /// Units that differ between the arms (clusters, where fewer).
    pub differing: usize,
    /// Units in which the candidate is worse.
    pub regressing: usize,
    /// Whether counting decided instead of t and bootstrap.
    pub below_floor: bool,
    /// One-sided p-value, the larger of t and bootstrap-t.
    pub p_value: Option<f64>,
    /// One-sided p-value of the sign-flip test.
    pub sign_flip_p: Option<f64>,
    /// Smallest effect that this design detects with power 0.8, in the margin's unit.
    pub detectable: Option<f64>,
    /// Designs that would settle an undecided criterion with power 0.8, fewest runs first.
    pub designs: Vec<Design>,
    /// Why it isn't a pass.
    pub reasons: Vec<Reason>,
    /// Arm means by scenario: the figures it rests on.
    pub units: Vec<Unit>,
}

/// A design that would settle a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Design {
    /// Scenarios, with as many in a cluster as now.
    pub scenarios: usize,
    /// Runs an arm and scenario.
    pub runs: usize,
}

/// Arm means of one scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Unit {
    /// Scenario.
    pub scenario: String,
    /// Its cluster (repository).
    pub cluster: String,
    /// Mean of the baseline's runs with a value.
    pub baseline: Option<f64>,
    /// Mean of the candidate's.
    pub candidate: Option<f64>,
    /// Runs with a value, both arms.
    pub runs: usize,
}

/// One canary arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Canary {
    /// Feature it belongs to.
    pub feature: String,
    /// `a-a` or `known-bad`.
    pub kind: String,
    /// The canary's arm.
    pub arm: String,
    /// The arm it was compared with.
    pub against: String,
    /// `ok`, `broken` or `undecided`.
    pub outcome: String,
    /// What was seen, in one line.
    pub message: String,
    /// The criteria that were computed for it.
    pub criteria: Vec<Criterion>,
}

/// Replay repeated.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Determinism {
    /// Times every variant was replayed.
    pub repeats: usize,
    /// Requests replayed.
    pub requests: usize,
    /// Plans made, all variants, one repetition.
    pub plans: usize,
    /// Plans equal, byte for byte, in all repetitions.
    pub identical: usize,
}

impl Document {
    /// The document as the bytes of `gate.json`.
    ///
    /// # Errors
    /// A bug: a document is always JSON.
    pub fn to_json(&self) -> Result<String, Failure> {
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|error| Failure::internal(format!("gate.json: {error}")))?;
        text.push('\n');
        Ok(text)
    }

    /// Reads the bytes of a `gate.json`; `file` is only named in errors.
    ///
    /// # Errors
    /// Bad data (65) for anything that isn't this version of the document.
    pub fn from_json(text: &str, file: &str) -> Result<Document, Failure> {
        let document: Document = serde_json::from_str(text).map_err(|error| {
            Failure::bad_data(format!("{file}: {error}: give a folder that `harness gate` wrote"))
        })?;
        if document.schema != SCHEMA {
            return Err(Failure::bad_data(format!(
                "{file}: schema \"{}\": this harness reads \"{SCHEMA}\"",
                document.schema
            )));
        }
        match document.contradiction() {
            None => Ok(document),
            Some(what) => {
                Err(Failure::bad_data(format!("{file}: {what}: altered: run `harness gate` again")))
            }
        }
    }

    /// What in the document doesn't follow from its verdicts, if anything.
    fn contradiction(&self) -> Option<String> {
        let unfounded = self.features.iter().find(|feature| {
            let certified = feature.certificate.is_some();
            feature.supported != conclude::supported(&feature.state, &feature.verdict, certified)
        });
        if let Some(feature) = unfounded {
            let (state, verdict) = (&feature.state, &feature.verdict);
            return Some(format!("feature {}: {verdict} is told of {state} as what it isn't", feature.id));
        }
        let result = conclude::answer(self.selected.is_some(), &self.features);
        if self.result != result || self.exit_code != conclude::exit_code(&self.result) {
            let (told, code) = (&self.result, self.exit_code);
            return Some(format!("result {told}, exit code {code}: its features give {result}"));
        }
        None
    }
}

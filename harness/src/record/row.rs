//! A row of `runs.jsonl` as it is written (`run/1`).

use serde::{Deserialize, Serialize};

/// A run, made or lost. Without a session everything that describes one is null.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    pub(super) schema: String,
    pub(super) scenario: String,
    pub(super) variant: String,
    pub(super) repetition: u32,
    pub(super) session: Option<String>,
    pub(super) sha256: Option<String>,
    pub(super) bytes: Option<u64>,
    pub(super) agent: String,
    pub(super) agent_version: String,
    pub(super) provider: String,
    pub(super) model: String,
    pub(super) thinking_level: String,
    pub(super) tree_sha256: String,
    pub(super) engine_digest: String,
    pub(super) policy_sha256: String,
    pub(super) tier: String,
    pub(super) wire: Option<String>,
    pub(super) wire_sha256: Option<String>,
    pub(super) patch: Option<String>,
    pub(super) patch_sha256: Option<String>,
    pub(super) grader_log: Option<String>,
    pub(super) grader_log_sha256: Option<String>,
    pub(super) prompt_sha256: String,
    pub(super) tools_sha256: Option<String>,
    pub(super) instructions_sha256: Option<String>,
    pub(super) parameters_sha256: Option<String>,
    pub(super) scenario_sha256: String,
    /// The learned model that ordered files in this arm; null for an arm without one.
    pub(super) model_artifact_sha256: Option<String>,
    /// What the scenario's grader answered before the first run.
    pub(super) qualification: String,
    pub(super) qualification_sha256: String,
    pub(super) order: usize,
    pub(super) attempts: Vec<Attempt>,
    pub(super) outcome: OutcomeRow,
}

/// What came out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OutcomeRow {
    pub(super) accepted: bool,
    pub(super) verify_exit: Option<i64>,
    pub(super) verify_attempts: u64,
    pub(super) verify_failures: u64,
    pub(super) wall_seconds: f64,
    pub(super) infrastructure_failure: Option<String>,
}

/// An attempt that was made again, because it or another arm of its block failed for a reason that isn't the agent's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    pub(super) attempt: u32,
    pub(super) session: Option<String>,
    pub(super) sha256: Option<String>,
    pub(super) accepted: bool,
    pub(super) infrastructure_failure: Option<String>,
}

impl RunRow {
    /// Whether the run is void.
    pub fn is_void(&self) -> bool {
        self.session.is_none() || self.outcome.infrastructure_failure.is_some()
    }

    /// The arm.
    pub fn variant(&self) -> &str {
        &self.variant
    }

    /// Whether the grader accepted the patch.
    pub fn accepted(&self) -> bool {
        self.outcome.accepted
    }

    /// Files of the run with their hashes, relative to the corpus.
    pub(super) fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        [
            (&self.session, &self.sha256),
            (&self.wire, &self.wire_sha256),
            (&self.patch, &self.patch_sha256),
            (&self.grader_log, &self.grader_log_sha256),
        ]
        .into_iter()
        .filter_map(|(path, hash)| Some((path.as_deref()?, hash.as_deref()?)))
        .chain([(self.qualification.as_str(), self.qualification_sha256.as_str())])
    }

    pub(super) fn as_attempt(&self, attempt: u32) -> Attempt {
        Attempt {
            attempt,
            session: self.session.clone(),
            sha256: self.sha256.clone(),
            accepted: self.outcome.accepted,
            infrastructure_failure: self.outcome.infrastructure_failure.clone(),
        }
    }
}

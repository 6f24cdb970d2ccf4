//! The seam between a campaign and the agent that it records.

use std::path::Path;
use std::time::Duration;

use crate::scenario::Scenario;
use crate::scenario::command::Surroundings;

use super::error::RecordError;
use super::pack::PackMessage;
use super::wire::Wire;

/// One run to make. The variant isn't in it: all that an arm is to the agent is the message beside the prompt.
pub struct Job<'a> {
    /// The task.
    pub scenario: &'a Scenario,
    /// Number of the repetition, from 0.
    pub repetition: u32,
    /// Identifier of the session: letters and digits.
    pub session_id: &'a str,
    /// The neutral home.
    pub home: &'a Path,
    /// The work tree.
    pub root: &'a Path,
    /// The listed environment.
    pub surroundings: Surroundings,
    /// Message beside the prompt.
    pub pack: Option<&'a PackMessage>,
    /// Limit of the whole run.
    pub limit: Duration,
}

/// What came of a run.
#[derive(Debug, Default)]
pub struct Ran {
    /// The session log; nothing if the agent left none.
    pub session: Option<String>,
    /// The requests.
    pub wire: Wire,
    /// Why the run says nothing about the arm, if so: the agent, its model or the machine failed.
    pub failure: Option<String>,
    /// Measured time.
    pub wall_seconds: f64,
}

/// Who is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Name of the agent.
    pub agent: String,
    /// Its version.
    pub agent_version: String,
    /// Version of the Node that runs it.
    pub node_version: String,
    /// Provider as the agent names it.
    pub provider: String,
    /// Model as the agent names it.
    pub model: String,
    /// Thinking level as the agent names it.
    pub thinking_level: String,
    /// Tier of the evidence.
    pub tier: &'static str,
}

/// An agent that can be run on a task.
pub trait Agent {
    /// Who it is.
    fn identity(&self) -> Identity;

    /// Makes one run. What goes wrong within the run is part of [`Ran`].
    ///
    /// # Errors
    /// The machine doesn't allow any run at all.
    fn run(&self, job: &Job<'_>) -> Result<Ran, RecordError>;
}

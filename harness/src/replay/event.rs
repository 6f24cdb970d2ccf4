//! The stream of a replay.

use std::sync::Arc;

use engine::plan::Plan;

use super::order::OrderScore;
use super::score::RequestScore;
use crate::corpus::{Fault, RunKey};

/// One plan of one request by one variant, with its score.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedRequest {
    /// The baseline's run that was replayed.
    pub session: RunKey,
    /// Repository of the scenario.
    pub cluster: Arc<str>,
    /// Variant that planned.
    pub variant: Arc<str>,
    /// Request, 0-based.
    pub request: usize,
    /// The plan, in which all repeats agreed.
    pub plan: Plan,
    /// How good it is.
    pub score: RequestScore,
    /// The variant's order of files against the static one; none where it retrieves nothing, or nothing is needed.
    pub order: Option<OrderScore>,
}

/// What a replay tells.
#[derive(Debug, Clone, PartialEq)]
pub enum ReplayEvent {
    /// A request was planned; all repeats agreed.
    Planned(Box<PlannedRequest>),
    /// A request couldn't be planned, or its repeats differ.
    Failed(Fault),
    /// All requests of a session were planned by all variants.
    SessionDone(RunKey),
}

/// A consumer of the stream.
pub trait ReplaySink {
    /// Takes the next event.
    ///
    /// # Errors
    /// What went wrong with the consumer's own output; the replay ends.
    fn take(&mut self, event: &ReplayEvent) -> Result<(), crate::failure::Failure>;
}

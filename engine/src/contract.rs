//! The engine seam: the one trait that the built-in engine, the native pass-through and (later) a subprocess implement.

use std::path::PathBuf;

use crate::plan::{Plan, PlanRequest, ProjectHits, ProjectText};
use crate::session::SharedEntry;
use crate::store::StoreError;

/// Version of the contract below; a change of meaning raises it.
pub const CONTRACT_VERSION: u32 = 1;

/// What an engine may offer beyond planning. Absent capabilities are named too, so that a report can say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Capability {
    /// Ranked search over the project.
    Search,
    /// Source quoted within a token budget.
    Pack,
    /// Changed files to tests.
    Impact,
    /// Files that helped rank higher for later tasks.
    Feedback,
    /// Excerpts of what the agent no longer holds.
    Recall,
    /// Own summaries instead of the agent's compaction.
    Compact,
    /// Provider-native continuation.
    Continuation,
}

impl Capability {
    /// Every capability, in order.
    pub const ALL: [Capability; 7] = [
        Capability::Search,
        Capability::Pack,
        Capability::Impact,
        Capability::Feedback,
        Capability::Recall,
        Capability::Compact,
        Capability::Continuation,
    ];

    /// The word used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Capability::Search => "search",
            Capability::Pack => "pack",
            Capability::Impact => "impact",
            Capability::Feedback => "feedback",
            Capability::Recall => "recall",
            Capability::Compact => "compact",
            Capability::Continuation => "continuation",
        }
    }
}

/// Who an engine is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Name, stable.
    pub name: &'static str,
    /// Version of the engine.
    pub version: &'static str,
    /// [`CONTRACT_VERSION`] it implements.
    pub contract: u32,
    /// What it offers, sorted.
    pub offers: Vec<Capability>,
    /// What it doesn't offer, sorted.
    pub lacks: Vec<Capability>,
}

impl Description {
    /// The failure of a call that needs a capability which the engine lacks.
    pub fn without(&self, capability: Capability) -> EngineError {
        EngineError::Lacks { engine: self.name, capability }
    }

    /// A description of this version with these capabilities; the others of [`Capability::ALL`] are named as lacking.
    pub(crate) fn of(name: &'static str, offers: &[Capability]) -> Description {
        let (offers, lacks) = Capability::ALL.into_iter().partition(|capability| offers.contains(capability));
        Description { name, version: env!("CARGO_PKG_VERSION"), contract: CONTRACT_VERSION, offers, lacks }
    }
}

/// What came of a task. Only praise: a file that was of no use to one task may be what another needs, so none is told.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// When the task ended, Unix milliseconds.
    pub at_ms: i64,
    /// Files that it read, relative to the root of the project. One in both lists counts twice.
    pub read: Vec<String>,
    /// Files that it changed.
    pub edited: Vec<String>,
}

/// Where an engine works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    /// Root of the project; `None` for a session without its files.
    pub root: Option<PathBuf>,
    /// Where derived state may be kept; `None` keeps it in memory.
    pub state: Option<PathBuf>,
}

/// Why an engine can't do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The engine lacks the capability.
    #[error("{engine}: no {}: choose an engine that offers it", .capability.name())]
    Lacks {
        /// Engine asked.
        engine: &'static str,
        /// Capability it lacks.
        capability: Capability,
    },
    /// The request names an entry that wasn't ingested.
    #[error("entry {0}: not ingested: ingest the session up to it first")]
    UnknownEntry(String),
    /// The project index failed.
    #[error("project index: {0}")]
    Project(String),
    /// What of the session can be recalled can't be kept.
    #[error(transparent)]
    Recall(#[from] StoreError),
}

/// A context engine. One value serves one session over one project; calls come in the order of the session.
///
/// What an engine may lack fails with [`EngineError::Lacks`] unless it is implemented: an engine never answers such a call with
/// nothing. [`Description::offers`] says beforehand.
pub trait ContextEngine: Send {
    /// Who it is and what it offers.
    fn describe(&self) -> Description;

    /// Takes entries in file order. Append-only and idempotent: an entry of an identifier and a line seen
    /// before is ignored. Nothing of an entry needs to be copied to hold it.
    fn ingest(&mut self, entries: &[SharedEntry]) -> Result<(), EngineError>;

    /// Decides what the model sees at one request. Pure with regard to what was ingested: the same call gives the same
    /// plan. Never fails on the content of a session: it fails open to the agent's own context and says so.
    fn plan(&mut self, request: &PlanRequest) -> Result<Plan, EngineError>;

    /// Ranks the project's files for a text and returns the first `limit`; the limit cuts and never changes the order.
    ///
    /// # Errors
    /// [`EngineError::Lacks`] without [`Capability::Search`], [`EngineError::Project`] where the project can't be read.
    fn search(&mut self, text: &str, limit: usize) -> Result<ProjectHits, EngineError> {
        let _ = (text, limit);
        Err(self.describe().without(Capability::Search))
    }

    /// Quotes the project for a task within a number of tokens, which the text never exceeds. Paths of `withhold`, relative to the
    /// root, are neither quoted nor named.
    ///
    /// # Errors
    /// [`EngineError::Lacks`] without [`Capability::Pack`], [`EngineError::Project`] where the project can't be read.
    fn pack(&mut self, task: &str, tokens: u64, withhold: &[String]) -> Result<ProjectText, EngineError> {
        let _ = (task, tokens, withhold);
        Err(self.describe().without(Capability::Pack))
    }

    /// Takes what came of a task. The order of outcomes changes nothing, and a request that is older than an outcome is planned
    /// as if it were unknown.
    ///
    /// # Errors
    /// [`EngineError::Lacks`] without [`Capability::Feedback`].
    fn observe(&mut self, outcome: &Outcome) -> Result<(), EngineError> {
        let _ = outcome;
        Err(self.describe().without(Capability::Feedback))
    }
}

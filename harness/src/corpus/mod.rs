//! The corpus: recorded evidence as it lies on disk, read without believing it.
//!
//! `corpus.toml` says what was scheduled and how it was recorded, `runs.jsonl` has one row for every scheduled run, and
//! everything else (sessions, wire, patches, grader transcripts) is named by a row and hashed there. Reading gives the
//! corpus *and* its faults: evidence that contradicts itself is a value to be judged, never an early return. Only a
//! folder that is no corpus at all is an error.
//!
//! Invariants: paths stay inside the folder and cross no symbolic link; the corpus hash is over canonical rows sorted by
//! key, so neither line order nor spacing matters; unknown fields of a row are kept and hashed.

mod activity;
mod attempt;
mod check;
mod content;
mod evidence;
mod fault;
mod folder;
mod grade;
mod load;
mod manifest;
mod pairing;
mod patch;
mod path;
mod row;
mod task;
mod unique;
mod wire;

pub use activity::{Action, Activity, Call, CallResult, Hunk, Request};
pub use attempt::{check_attempts, reroll_account};
pub use check::check_run;
pub(crate) use evidence::read_hashed;
pub use evidence::{EvidenceStore, RunEvidence, StoredDiff};
pub use fault::{Fault, FaultCode, Scope};
pub use grade::{GraderLog, secrets_added};
pub use load::{Corpus, CorpusError};
pub use manifest::{Manifest, Schedule};
pub use pairing::{Expectation, check_feature};
pub use patch::{FileChange, Patch};
pub use path::inside;
pub use row::{EarlierAttempt, Recorded, Row, RunKey, RunOutcome};
pub use task::{Task, TreeHash};
pub(crate) use unique::parse_as as parse_unique;
pub(crate) use wire::{WIRE_SCHEMA, of_list};
pub use wire::{WireMessage, WireRequest};

/// Name under which the engine's packs stand in a session.
pub const PACK_SOURCE: &str = "sluice.pack";

/// Provider under which the scripted model answers: never the tier of a real one.
pub const SCRIPTED_PROVIDER: &str = "scripted";

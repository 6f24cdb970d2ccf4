//! The corpus: recorded evidence as it lies on disk, read without believing it.
//!
//! `corpus.toml` says what was scheduled and how it was recorded, `runs.jsonl` has one row for every scheduled run, and
//! everything else (sessions, wire, patches, grader transcripts) is named by a row and hashed there. Reading gives the
//! corpus *and* its faults: evidence that contradicts itself is a value to be judged, never an early return. Only a
//! folder that is no corpus at all is an error.
//!
//! Invariants: paths stay inside the folder and cross no symbolic link; the corpus hash is over canonical rows sorted by
//! key, so neither line order nor spacing matters; unknown fields of a row are kept and hashed.

mod fault;
mod load;
mod manifest;
mod path;
mod row;

pub use fault::{Fault, FaultCode, Scope};
pub use load::{Corpus, CorpusError};
pub use manifest::{Manifest, Schedule};
pub use path::inside;
pub use row::{Recorded, Row, RunKey, RunOutcome};

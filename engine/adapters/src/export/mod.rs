//! Sessions of any format as session files of Pi, version 3.
//!
//! [`pi_v3`] writes the entries of one view of a log, so that Pi shows and sends what the log's own agent held at each of
//! them. What the format can't say is in the list of [`Loss`]es, never dropped in silence. The bytes depend on the log
//! alone: identifiers are hashes of the log's own, times are the log's. [`equal_model`] says what "the same" means.

mod compaction;
mod content;
mod edits;
mod entries;
mod equality;
mod loss;
mod lost_members;
mod pieces;
mod source;
mod wrapped;
mod write;

pub use equality::{Difference, equal_model, telling_entries};
pub use loss::{Loss, LossCode};
pub use source::{ReadRange, Source};
pub use write::{ExportError, Exported, pi_v3};

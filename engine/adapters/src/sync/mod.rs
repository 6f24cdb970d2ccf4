//! Live logs, read once: what was appended is read, distilled and kept with the place where reading goes on.
//!
//! A [`Store`] is a private SQLite database. One step reads a bounded piece of what a log has grown by and commits its
//! lines together with the checkpoint, so a process killed at any moment leaves a state from which the next one goes
//! on: no byte is counted twice or left out. What is kept of a line is what an outline needs (`log::distil`); only the
//! last line, while it has no end, is kept as it is. A log that doesn't continue what was read begins a new generation;
//! the old one stays until it is dropped.

mod error;
mod fingerprint;
mod lines;
mod schema;
mod state;
mod step;
mod store;
mod unsigned;

pub use error::SyncError;
pub use step::{Event, Synced};
pub use store::{Generation, Store};

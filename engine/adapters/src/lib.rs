//! Session formats of real agents.
//!
//! [`log::read`] turns a log's bytes into the engine's session tree, whichever agent wrote it; each format has a folder
//! with its rules. A reader never changes its source, never fails on the content of one line, and tells the two readings
//! of a damaged log apart: what the agent itself would make of it, and what can be salvaged.

mod claude;
pub mod cli;
mod codex;
mod dsh;
pub mod embedding;
pub mod export;
pub mod git;
mod group;
pub mod log;
mod pi;
mod regular;
pub mod sync;

pub use group::{end_group, lead_group};
pub use regular::open_regular;

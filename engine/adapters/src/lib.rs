//! Session formats of real agents.
//!
//! Each format has a folder with one entry point, `read`, that turns a log's bytes into the engine's session tree. A
//! reader never changes its source, never fails on the content of one line, and tells the two readings of a damaged log
//! apart: what the agent itself would make of it, and what can be salvaged.

pub mod cli;
pub mod pi;
mod regular;

pub use regular::open_regular;

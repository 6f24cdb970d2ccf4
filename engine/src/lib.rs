//! The context engine: what a coding agent's model sees at each request.
//!
//! The crate knows no agent's file format, no terminal, no network, no clock and no environment: time, seeds, paths and
//! settings come in as arguments. See `docs/ARCHITECTURE.md` for the walk of one request and the invariants.

pub mod builtin;
pub mod contract;
mod digest;
mod held;
pub mod learn;
pub mod message;
mod observed;
pub mod passthrough;
pub mod plan;
pub mod privacy;
pub mod project;
pub mod quality;
pub mod recall;
pub mod retrieve;
pub mod session;
pub mod store;
pub mod tokens;

pub use digest::{ENGINE_SOURCES_SHA256, engine_digest};

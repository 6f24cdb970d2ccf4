//! Scenarios: small repositories with planted faults, the tasks set in them, and the means to run a task's checks.
//!
//! A task folder holds what the agent may see (the prompt, the visible verify command) and what it may not (the
//! reference patch, the hidden grader, the policy's knowledge). This room only reads, copies and runs; who gets to see
//! what is decided by [`crate`]'s recording room, which copies the grader in after the agent has ended.
//!
//! * [`ScenarioSet`] loads and checks `scenarios/`; [`Knowledge`] is kept apart from [`Scenario`] so that a function
//!   that takes one can't reach the other.
//! * [`tree`] hashes and copies folders, [`patch`] applies unified diffs, [`command`] runs a program in an environment
//!   that is listed, with a time limit.

pub mod command;
mod error;
mod format;
mod knowledge;
pub mod patch;
mod project;
mod protected;
pub mod runtime;
mod set;
pub mod tree;

pub use error::ScenarioError;
pub use knowledge::{Knowledge, Replacement};
pub use project::FixtureProject;
pub use protected::Protected;
pub use set::{Kind, Language, Scenario, ScenarioSet};

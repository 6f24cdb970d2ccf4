//! A task as the checks of its runs need it: hashes of what they were recorded on, computed once for all of them.

use std::collections::BTreeSet;

use engine::message::sha256_hex;

use crate::scenario::{Scenario, tree};

/// A scenario with its hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task<'s> {
    /// The scenario.
    pub scenario: &'s Scenario,
    /// Hash of the prompt.
    pub(super) prompt_sha256: String,
    /// Hash of the task's files, or why there is none.
    pub(super) scenario_sha256: Result<String, String>,
    /// Hash of the repository's files, or why there is none.
    pub(super) tree_sha256: Result<String, String>,
}

impl<'s> Task<'s> {
    /// Reads and hashes the files of a scenario; `fixture` are those of its repository.
    pub fn of(scenario: &'s Scenario, fixture: &BTreeSet<String>) -> Task<'s> {
        Task {
            scenario,
            prompt_sha256: sha256_hex(scenario.prompt.as_bytes()),
            scenario_sha256: scenario.sha256().map_err(|error| error.to_string()),
            tree_sha256: tree::sha256_of(&scenario.fixture, fixture).map_err(|error| error.to_string()),
        }
    }
}

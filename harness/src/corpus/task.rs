//! A task as the checks of its runs need it: hashes of what they were recorded on, computed once for all of them.

use std::collections::BTreeSet;

use engine::message::sha256_hex;

use crate::scenario::{Scenario, tree};

/// Hash of a repository's files, or why there is none.
pub type TreeHash = Result<String, String>;

/// A scenario with its hashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task<'s> {
    /// The scenario.
    pub scenario: &'s Scenario,
    /// Hash of the prompt.
    pub(super) prompt_sha256: String,
    /// Hash of the task's files, or why there is none.
    pub(super) scenario_sha256: Result<String, String>,
    /// Hash of the repository's files.
    pub(super) tree_sha256: TreeHash,
}

impl<'s> Task<'s> {
    /// Reads and hashes the files of a scenario; `tree` is the hash of its repository, which it may share with others.
    pub fn of(scenario: &'s Scenario, tree: TreeHash) -> Task<'s> {
        Task {
            scenario,
            prompt_sha256: sha256_hex(scenario.prompt.as_bytes()),
            scenario_sha256: scenario.sha256().map_err(|error| error.to_string()),
            tree_sha256: tree,
        }
    }

    /// Reads and hashes the files of a scenario's repository; `fixture` are all of them.
    pub fn tree(scenario: &Scenario, fixture: &BTreeSet<String>) -> TreeHash {
        tree::sha256_of(&scenario.fixture, fixture).map_err(|error| error.to_string())
    }
}

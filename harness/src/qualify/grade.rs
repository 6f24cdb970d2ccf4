//! One grader on one patch, in a folder of its own.

use crate::scenario::command::Surroundings;
use crate::scenario::{Scenario, ScenarioError, patch, runtime, tree};

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Graded {
    /// The grader ran.
    Ran {
        /// Whether it accepted.
        accepted: bool,
    },
    /// The patch doesn't apply: why.
    Unappliable(String),
}

/// Programs that a scenario's grader needs and that are missing here, in one line.
///
/// # Errors
/// A temporary folder can't be made.
pub fn missing_programs(scenario: &Scenario) -> Result<Option<String>, ScenarioError> {
    let home = folder()?;
    let missing = runtime::missing(scenario, &Surroundings::new(home.path()), home.path());
    Ok((!missing.is_empty()).then(|| missing.join(", ")))
}

/// Applies a patch to a fresh copy of the scenario's repository, adds the grader's files and runs it. The programs that it
/// needs must be there ([`missing_programs`]).
///
/// # Errors
/// A temporary folder can't be made, the fixture can't be copied, or the grader can't be started.
pub fn grade_patch(scenario: &Scenario, final_patch: &str) -> Result<Graded, ScenarioError> {
    let place = folder()?;
    let (home, root) = (place.path().join("home"), place.path().join(&scenario.repo));
    std::fs::create_dir_all(&home).map_err(|source| ScenarioError::Io { path: home.clone(), source })?;
    tree::copy(&scenario.fixture, &root)?;
    if !final_patch.trim().is_empty()
        && let Err(error) = patch::apply(&root, final_patch)
    {
        return Ok(Graded::Unappliable(error.to_string()));
    }
    tree::copy(&scenario.grader(), &root)?;
    let ended = Surroundings::new(&home).run(&scenario.grade, &root, scenario.timeout)?;
    Ok(Graded::Ran { accepted: ended.success() })
}

fn folder() -> Result<tempfile::TempDir, ScenarioError> {
    tempfile::tempdir().map_err(|source| ScenarioError::Io { path: std::env::temp_dir(), source })
}

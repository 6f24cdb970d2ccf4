//! Why a scenario can't be loaded, copied or run.

use std::io;
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// A failure of this room, with the path it is about.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// A file or folder can't be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file isn't what it should be.
    #[error("{}: {message}", path.display())]
    Invalid {
        /// Where.
        path: PathBuf,
        /// What is wrong and what to do.
        message: String,
    },
    /// A program can't be started at all.
    #[error("{program}: {source}: install it or put it on PATH")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// A patch doesn't apply.
    #[error("patch doesn't apply in {}: {message}", root.display())]
    Patch {
        /// Root it was applied to.
        root: PathBuf,
        /// First line of git's answer.
        message: String,
    },
}

impl ScenarioError {
    pub(crate) fn io(path: impl AsRef<Path>, source: io::Error) -> Self {
        ScenarioError::Io { path: path.as_ref().to_path_buf(), source }
    }

    pub(super) fn invalid(path: impl AsRef<Path>, message: impl Into<String>) -> Self {
        ScenarioError::Invalid { path: path.as_ref().to_path_buf(), message: message.into() }
    }
}

impl From<ScenarioError> for Failure {
    fn from(error: ScenarioError) -> Self {
        match &error {
            ScenarioError::Io { path, source } => Failure::io(path, source),
            ScenarioError::Invalid { .. } | ScenarioError::Patch { .. } => {
                Failure::bad_data(error.to_string())
            }
            ScenarioError::Start { .. } => Failure::usage(error.to_string()),
        }
    }
}

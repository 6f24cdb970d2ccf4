//! Why recording stops.

use std::io;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::scenario::ScenarioError;

/// A failure that ends a campaign. What goes wrong within one run is no such failure: it stands in the run's row.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file or folder can't be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Something asked for can't be done: what to do stands in it.
    #[error("{0}")]
    Usage(String),
    /// A file isn't what it should be.
    #[error("{0}")]
    Data(String),
    /// A scenario can't be loaded, copied or run.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// What another part of this program says of a folder.
    #[error("{0}")]
    Failed(Failure),
}

impl RecordError {
    pub(super) fn io(path: impl AsRef<Path>, source: io::Error) -> Self {
        RecordError::Io { path: path.as_ref().to_path_buf(), source }
    }
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Io { path, source } => Failure::io(path, &source),
            RecordError::Usage(message) => Failure::usage(message),
            RecordError::Data(message) => Failure::bad_data(message),
            RecordError::Scenario(error) => error.into(),
            RecordError::Failed(failure) => failure,
        }
    }
}

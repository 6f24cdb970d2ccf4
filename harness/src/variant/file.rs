//! Reading a declaration; a fault names the file, the line and the key.

use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::failure::Failure;

/// Why a declaration can't be used.
#[derive(Debug, thiserror::Error)]
pub enum DeclarationError {
    /// The file can't be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file says something that isn't allowed.
    #[error("{}: {message}", path.display())]
    Invalid {
        /// Where.
        path: PathBuf,
        /// What, where in the file, and what to do.
        message: String,
    },
}

impl DeclarationError {
    pub(super) fn invalid(path: &Path, message: impl Into<String>) -> Self {
        DeclarationError::Invalid { path: path.to_path_buf(), message: message.into() }
    }
}

impl From<DeclarationError> for Failure {
    fn from(error: DeclarationError) -> Failure {
        match &error {
            DeclarationError::Io { path, source } => Failure::io(path, source),
            DeclarationError::Invalid { .. } => Failure::usage(error.to_string()),
        }
    }
}

/// Reads a TOML file whose type denies unknown keys.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, DeclarationError> {
    let text = adapters::read_regular_text(path)
        .map_err(|source| DeclarationError::Io { path: path.to_path_buf(), source })?;
    toml::from_str(&text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        DeclarationError::invalid(path, format!("line {line}: {}", error.message().trim()))
    })
}

/// Refuses a schema that this version doesn't read.
pub(super) fn require_schema(path: &Path, found: &str, expected: &str) -> Result<(), DeclarationError> {
    if found == expected {
        return Ok(());
    }
    let message = format!("schema `{found}` isn't `{expected}`: use a harness that knows it");
    Err(DeclarationError::invalid(path, message))
}

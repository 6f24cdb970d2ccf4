//! Files in which people declare things, in TOML: variants, features, prices, tasks, a corpus. A fault names the file, and
//! the line and the key where there is one.

use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

use crate::failure::Failure;
use crate::regular;

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
    pub(crate) fn invalid(path: &Path, message: impl Into<String>) -> Self {
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

/// What a file declares.
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, DeclarationError> {
    let text = regular::read_declaration(path)
        .map_err(|source| DeclarationError::Io { path: path.to_path_buf(), source })?;
    parse(&text).map_err(|message| DeclarationError::invalid(path, message))
}

/// What a text declares, or what is wrong with it: its line and why, in one line.
pub(crate) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| text[..span.start].matches('\n').count() + 1);
        format!("line {line}: {}", error.message().trim().replace('\n', " "))
    })
}

/// Refuses another schema than the one this version reads.
pub(crate) fn expect_schema(found: &str, expected: &str) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("schema `{found}` isn't `{expected}`: use a harness that knows it"))
}

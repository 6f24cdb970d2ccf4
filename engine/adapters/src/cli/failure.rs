//! What failed, and which documented exit code that means.

use std::fmt;

use engine::project::ProjectError;
use engine::store::StoreError;

use crate::sync::SyncError;

/// Exit codes of `sluice` beside 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// 64: an unknown flag, a pattern that can't be read.
    Usage,
    /// 65: a database that isn't what it should be.
    BadData,
    /// 70: a bug.
    Internal,
    /// 74: what can't be read or written.
    Io,
}

impl Kind {
    pub(super) fn exit_code(self) -> u8 {
        match self {
            Kind::Usage => 64,
            Kind::BadData => 65,
            Kind::Internal => 70,
            Kind::Io => 74,
        }
    }
}

/// A failed command: one line saying what, where and what to do.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: Kind,
    pub(super) message: String,
}

impl Failure {
    pub(super) fn usage(message: impl Into<String>) -> Failure {
        Failure { kind: Kind::Usage, message: message.into() }
    }

    pub(super) fn bad_data(message: impl Into<String>) -> Failure {
        Failure { kind: Kind::BadData, message: message.into() }
    }

    pub(super) fn internal(message: impl Into<String>) -> Failure {
        Failure { kind: Kind::Internal, message: message.into() }
    }

    pub(super) fn io(what: &str, error: &std::io::Error) -> Failure {
        Failure { kind: Kind::Io, message: format!("{what}: {error}: check the path and its permissions") }
    }
}

impl From<ProjectError> for Failure {
    fn from(error: ProjectError) -> Failure {
        let kind = match &error {
            ProjectError::Policy(_) => Kind::Usage,
            ProjectError::Schema { .. } | ProjectError::NotAnIndex { .. } => Kind::BadData,
            ProjectError::Stale { .. } => Kind::Internal,
            ProjectError::Io { .. }
            | ProjectError::NotAFolder { .. }
            | ProjectError::Symlink { .. }
            | ProjectError::NotWritable { .. }
            | ProjectError::Busy { .. }
            | ProjectError::Database { .. } => Kind::Io,
        };
        Failure { kind, message: error.to_string() }
    }
}

impl From<SyncError> for Failure {
    fn from(error: SyncError) -> Failure {
        let kind = match &error {
            SyncError::NotAState { .. } | SyncError::NotASession { .. } => Kind::BadData,
            SyncError::Unknown { .. } => Kind::Internal,
            SyncError::Io { .. }
            | SyncError::Symlink { .. }
            | SyncError::Busy { .. }
            | SyncError::Database { .. } => Kind::Io,
        };
        Failure { kind, message: error.to_string() }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Failure {
        let kind = match &error {
            StoreError::NotAnIndex { .. } => Kind::BadData,
            StoreError::Io { .. }
            | StoreError::Symlink { .. }
            | StoreError::Busy { .. }
            | StoreError::Replaced { .. }
            | StoreError::Database { .. } => Kind::Io,
        };
        Failure { kind, message: error.to_string() }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

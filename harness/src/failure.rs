//! The one error type of the command line: what failed, and which documented exit code that means.

use std::fmt;
use std::io;
use std::path::Path;

use crate::regular;

/// Exit codes of `harness` that aren't verdicts (verdicts: 0, 10, 20, 30).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// 64: an unknown flag or policy key, a value out of range.
    Usage,
    /// 65: a file that isn't what it should be.
    BadData,
    /// 70: a bug.
    Internal,
    /// 74: a file that can't be read or written.
    Io,
}

impl Kind {
    /// The process exit code.
    pub fn exit_code(self) -> u8 {
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
pub struct Failure {
    /// Decides the exit code.
    pub kind: Kind,
    /// Lower-case fragment: `what: where: what to do`.
    pub message: String,
}

impl Failure {
    /// Bad arguments or policy.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure { kind: Kind::Usage, message: message.into() }
    }

    /// Data that can't be what it claims.
    pub fn bad_data(message: impl Into<String>) -> Self {
        Failure { kind: Kind::BadData, message: message.into() }
    }

    /// A broken invariant of ours.
    pub fn internal(message: impl Into<String>) -> Self {
        Failure { kind: Kind::Internal, message: message.into() }
    }

    /// Input or output failed at `path`: bad data where it could be read, but isn't what is read there (text that isn't
    /// UTF-8, a broken archive).
    pub fn io(path: impl AsRef<Path>, error: &io::Error) -> Self {
        let path = path.as_ref().display();
        if error.kind() == io::ErrorKind::InvalidData {
            return Failure::bad_data(format!("{path}: {error}: mend or replace the file"));
        }
        Failure { kind: Kind::Io, message: format!("{path}: {error}: check the path and its permissions") }
    }
}

/// Reads a regular file that a person named.
///
/// # Errors
/// Input or output.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, Failure> {
    regular::read(path).map_err(|error| Failure::io(path, &error))
}

/// Reads a declaration: a text file that a person writes.
///
/// # Errors
/// As [`read_text`].
pub fn read_declaration(path: &Path) -> Result<String, Failure> {
    regular::read_declaration(path).map_err(|error| Failure::io(path, &error))
}

/// Reads a regular text file that a person named.
///
/// # Errors
/// Input or output; bad data where it isn't UTF-8.
pub fn read_text(path: &Path) -> Result<String, Failure> {
    regular::read_text(path).map_err(|error| Failure::io(path, &error))
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_can_be_read_but_is_no_text_is_bad_data() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("gate.json");
        let read = || std::fs::read_to_string(&file).map_err(|error| Failure::io("gate.json", &error));
        assert_eq!(read().unwrap_err().kind, Kind::Io);
        std::fs::write(&file, b"{\xff}").unwrap();
        let failure = read().unwrap_err();
        let message = "gate.json: stream did not contain valid UTF-8: mend or replace the file";
        assert_eq!((failure.kind, failure.message.as_str()), (Kind::BadData, message));
    }
}

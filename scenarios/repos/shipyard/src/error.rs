//! One error type: whatever goes wrong ends as one line for the user.

use std::fmt;

/// What can go wrong, with enough context for one clear line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// A line of a file that isn't what its format promises.
    Syntax {
        source: String,
        line: usize,
        reason: String,
    },
    /// Text that is no version.
    Version(String),
    /// Text that is no version range.
    Range { text: String, reason: String },
    /// A glob that can't be read.
    Glob { pattern: String, reason: String },
    /// Text that is no duration.
    Duration(String),
    /// A package that the yard doesn't have.
    UnknownPackage { name: String, wanted_by: String },
    /// Packages that wait for each other; the first is repeated at the end.
    Cycle(Vec<String>),
    /// No choice of versions satisfies everybody.
    Unresolvable { name: String, wanted: Vec<String> },
    /// A file that can't be read.
    Io { path: String, reason: String },
    /// Arguments that make no sense.
    Usage(String),
}

impl Error {
    /// Exit code of the command line, after `sysexits.h`.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Usage(_) => 64,
            Error::Io { .. } => 74,
            _ => 65,
        }
    }

    /// A syntax error at a line.
    pub fn syntax(source: &str, line: usize, reason: impl Into<String>) -> Error {
        Error::Syntax {
            source: source.to_string(),
            line,
            reason: reason.into(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Syntax {
                source,
                line,
                reason,
            } => write!(f, "{source}:{line}: {reason}"),
            Error::Version(text) => write!(f, "not a version: '{text}'"),
            Error::Range { text, reason } => write!(f, "not a version range: '{text}': {reason}"),
            Error::Glob { pattern, reason } => write!(f, "glob '{pattern}': {reason}"),
            Error::Duration(text) => write!(f, "not a duration: '{text}'"),
            Error::UnknownPackage { name, wanted_by } => {
                write!(f, "unknown package '{name}', wanted by {wanted_by}")
            }
            Error::Cycle(names) => {
                write!(f, "packages wait for each other: {}", names.join(" -> "))
            }
            Error::Unresolvable { name, wanted } if wanted.is_empty() => {
                write!(f, "'{name}' is not in the catalog")
            }
            Error::Unresolvable { name, wanted } => {
                write!(f, "no version of '{name}' satisfies {}", wanted.join(", "))
            }
            Error::Io { path, reason } => write!(f, "{path}: {reason}"),
            Error::Usage(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for Error {}

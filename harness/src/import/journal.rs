//! What a folder already holds: one line a file that was read, so that an import which was stopped goes on, and one that
//! is repeated reads only what changed.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::blob::BlobCount;
use super::journal_wire as wire;
use super::summary::Summary;
use crate::failure::Failure;

/// How a file looked when it was read. Any write to it changes one of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Device and inode.
    pub file: (u64, u64),
    /// Bytes.
    pub size: u64,
    /// Last change of the content, nanoseconds.
    pub modified: i128,
    /// Last change of content or attributes, nanoseconds: no program sets it at will.
    pub changed: i128,
}

impl Stamp {
    /// The stamp of an open file.
    ///
    /// # Errors
    /// What the system says.
    pub fn of(file: &File) -> io::Result<Stamp> {
        let found = file.metadata()?;
        let nanos = |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        Ok(Stamp {
            file: (found.dev(), found.ino()),
            size: found.size(),
            modified: nanos(found.mtime(), found.mtime_nsec()),
            changed: nanos(found.ctime(), found.ctime_nsec()),
        })
    }
}

/// One file that was dealt with.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Which file: its path, or under redaction what only the key can make of it.
    pub source: String,
    /// How it looked.
    pub stamp: Stamp,
    /// Version of the reader and the settings it was read with.
    pub made_with: String,
    /// What came of it.
    pub outcome: Outcome,
    /// Copies of earlier states of the file, which this one continues: they go at the end of the import.
    pub replaces: Vec<String>,
}

/// What came of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// A session.
    Session(Box<Stored>),
    /// No session.
    Refused {
        /// Code of the failure.
        code: String,
        /// One line for people.
        message: String,
    },
}

/// A session and its copy.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// Figures and faults.
    pub summary: Summary,
    /// SHA-256 of the file that was read, lower-case hexadecimal; under redaction a keyed hash, which tells copies of one
    /// file and confirms no guess about its content.
    pub source_hash: String,
    /// Bytes of the file that was read.
    pub source_bytes: u64,
    /// The copy; `None` where none is kept.
    pub copy: Option<Copy>,
}

/// A copy in the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    /// Path below the folder.
    pub name: String,
    /// SHA-256 of its bytes, lower-case hexadecimal.
    pub sha256: String,
    /// Its bytes.
    pub bytes: u64,
    /// Whether it has the bytes of the source.
    pub identical: bool,
    /// Strings cut out.
    pub blobs: BlobCount,
    /// Values replaced, by kind; `None` where the copy isn't redacted.
    pub redacted: Option<BTreeMap<String, u64>>,
}

/// The journal of a folder.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

/// What a journal holds.
#[derive(Debug, Default)]
pub struct Held {
    /// Records by source.
    pub records: BTreeMap<String, Record>,
    /// Lines that are none of this version. Copies they told of stay in the folder, but nothing counts them any more.
    pub unreadable: u64,
}

/// Name of the journal.
pub const NAME: &str = "journal.jsonl";

impl Journal {
    /// Opens the journal of a folder and reads what stands in it. A later line about a file replaces an earlier one; a line
    /// that can't be read, as the last one of a stopped import may be, is as if it weren't there: its file is read again.
    ///
    /// # Errors
    /// Where it can't be read or written.
    pub fn open(folder: &Path) -> Result<(Journal, Held), Failure> {
        let path = folder.join(NAME);
        let io = |error: io::Error| Failure::io(&path, &error);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(io(error)),
        };
        let mut held = Held::default();
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match wire::read(line) {
                Some(record) => drop(held.records.insert(record.source.clone(), record)),
                None => held.unreadable += 1,
            }
        }
        // The last line of an import that was stopped is torn, and no damage.
        held.unreadable -= u64::from(held.unreadable > 0 && bytes.last() != Some(&b'\n'));
        let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path).map_err(io)?;
        if bytes.last().is_some_and(|byte| *byte != b'\n') {
            file.write_all(b"\n").map_err(io)?;
        }
        Ok((Journal { path, file: Mutex::new(file) }, held))
    }

    /// Notes that a file was dealt with. Its copy has its name by then.
    ///
    /// # Errors
    /// Where it can't be written.
    pub fn note(&self, record: &Record) -> Result<(), Failure> {
        let line = wire::write(record)?;
        let mut file = self.file.lock().map_err(|_| Failure::internal("journal: a thread panicked"))?;
        file.write_all(line.as_bytes()).map_err(|error| Failure::io(&self.path, &error))
    }
}

/// The journal as it stands at the end of an import: a line a file, sorted.
///
/// # Errors
/// A record that isn't JSON: a bug.
pub fn sorted(records: &BTreeMap<String, Record>) -> Result<String, Failure> {
    records.values().map(wire::write).collect()
}

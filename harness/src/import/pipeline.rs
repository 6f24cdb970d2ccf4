//! One file: read once, hashed, copied and parsed in the same pass.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use adapters::log::{self, Content, ReadError, ReadOptions, SessionLog};
use adapters::open_regular;
use engine::message::hex;
use sha2::{Digest, Sha256};

use super::Destination;
use crate::failure::Failure;

/// A session that was imported.
#[derive(Debug)]
pub struct Imported {
    /// Where it was read from, as given.
    pub path: PathBuf,
    /// The copy, relative to the destination.
    pub stored: String,
    /// SHA-256 of the bytes, lower-case hexadecimal.
    pub sha256: String,
    /// The session.
    pub session: SessionLog,
}

/// A file that couldn't be imported; the others were.
#[derive(Debug)]
pub struct FileFailure {
    /// Where, as given.
    pub path: PathBuf,
    /// `unreadable` or `not-a-session`.
    pub code: &'static str,
    /// One line for people.
    pub message: String,
}

impl FileFailure {
    /// A file that can't be read.
    pub fn unreadable(path: &Path, error: &io::Error) -> FileFailure {
        FileFailure { path: path.to_owned(), code: "unreadable", message: error.to_string() }
    }
}

/// Imports one file.
///
/// # Errors
/// The outer failure where the destination can't be written: it ends the import. The inner one where this file is no
/// session or can't be read.
pub fn import_file(path: &Path, destination: &Destination) -> Result<Result<Imported, FileFailure>, Failure> {
    let source = match open_regular(path) {
        Ok(file) => file,
        Err(error) => return Ok(Err(FileFailure::unreadable(path, &error))),
    };
    let mut copy = destination.begin_copy()?;
    let options = ReadOptions { content: Content::Outline, ..ReadOptions::default() };
    let mut tee = Tee { source, hash: Sha256::new(), copy: copy.as_file_mut(), failed: None };
    let read = log::read(BufReader::with_capacity(1 << 16, &mut tee), &options);
    let (hash, failed) = (tee.hash, tee.failed);
    if let Some(error) = failed {
        return Err(Failure::io(copy.path(), &error));
    }
    let session = match read {
        Ok(session) => session,
        Err(error) => return Ok(Err(failure(path, error))),
    };
    let sha256 = hex(&hash.finalize());
    let stored = destination.finish_copy(copy, &sha256, path)?;
    Ok(Ok(Imported { path: path.to_owned(), stored, sha256, session }))
}

fn failure(path: &Path, error: ReadError) -> FileFailure {
    let code = match error {
        ReadError::Io { .. } => "unreadable",
        ReadError::NotASession { .. } => "not-a-session",
    };
    FileFailure { path: path.to_owned(), code, message: error.to_string() }
}

/// Hashes and copies what passes through.
struct Tee<'a> {
    source: File,
    hash: Sha256,
    copy: &'a mut File,
    /// Why the copy failed: told apart from a source that can't be read.
    failed: Option<io::Error>,
}

impl Read for Tee<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.hash.update(&buffer[..read]);
        if let Err(error) = self.copy.write_all(&buffer[..read]) {
            self.failed = Some(error);
            return Err(io::Error::other("the copy failed"));
        }
        Ok(read)
    }
}

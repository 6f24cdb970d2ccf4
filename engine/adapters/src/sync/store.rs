//! The state: opening it, and reading a log back from it.

use std::io::{BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::error::SyncError;
use super::fingerprint::Fingerprint;
use super::lines::StoredLine;
use super::unsigned::Unsigned;
use super::{schema, state};
use crate::log::line::Lines;
use crate::log::read::LogReader;
use crate::log::{Content, ReadError, ReadOptions, SessionLog};

/// Logs that are followed. One value serves one thread; several processes may share a state.
pub struct Store {
    pub(super) db: Connection,
    pub(super) place: PathBuf,
}

/// One content that a path had, from its first byte on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// 1 for the first.
    pub number: u64,
    /// Code of what ended it; `None` where it still grows.
    pub ended_by: Option<String>,
    /// Complete lines.
    pub lines: u64,
    /// Bytes of a last line that has no end yet.
    pub torn_tail_bytes: u64,
    /// Bytes that were read of it for its content: each once, so they are its length as far as it is known.
    pub bytes_read: u64,
    /// Bytes that were read again to see whether it goes on as it was.
    pub check_bytes: u64,
    /// Steps that were committed.
    pub steps: u64,
    /// Size of the file when it was last looked at.
    pub size: u64,
}

/// A generation with what syncing needs to know.
#[derive(Debug, Clone)]
pub(super) struct Checkpoint {
    pub(super) id: i64,
    pub(super) generation: Generation,
    pub(super) device: u64,
    pub(super) inode: u64,
    /// End of the last complete line.
    pub(super) line_offset: u64,
    pub(super) fingerprint: Fingerprint,
}

impl Checkpoint {
    /// Bytes that were read.
    pub(super) fn consumed(&self) -> u64 {
        self.line_offset + self.generation.torn_tail_bytes
    }

    fn from_row(row: &Row<'_>) -> rusqlite::Result<Checkpoint> {
        let number = |column: &str| row.get::<_, Unsigned>(column).map(|found| found.0);
        Ok(Checkpoint {
            id: row.get("id")?,
            generation: Generation {
                number: number("number")?,
                ended_by: row.get("ended_by")?,
                lines: number("line_number")?,
                torn_tail_bytes: number("tail_bytes")?,
                bytes_read: number("bytes_read")?,
                check_bytes: number("check_bytes")?,
                steps: number("steps")?,
                size: number("size")?,
            },
            device: number("device")?,
            inode: number("inode")?,
            line_offset: number("line_offset")?,
            fingerprint: Fingerprint {
                head_length: number("head_length")?,
                head_sha256: row.get("head_sha256")?,
                last_length: number("last_length")?,
                last_sha256: row.get("last_sha256")?,
            },
        })
    }
}

impl Store {
    /// Opens the state in a folder, making it where it is absent.
    ///
    /// # Errors
    /// Where the folder can't be made or isn't private to us, or the database is none of ours.
    pub fn open(folder: &Path) -> Result<Store, SyncError> {
        let place = state::prepare(folder)?;
        let mut db = Connection::open(&place).map_err(|error| SyncError::database(&place, error))?;
        match schema::prepare(&mut db) {
            Ok(Ok(())) => Ok(Store { db, place }),
            Ok(Err(reason)) => Err(SyncError::NotAState { path: place, reason }),
            Err(error) => Err(SyncError::database(&place, error)),
        }
    }

    /// The generations of a log, oldest first; empty for a log never synced.
    ///
    /// # Errors
    /// Where the database can't be read.
    pub fn generations(&self, log: &Path) -> Result<Vec<Generation>, SyncError> {
        let found = self.checkpoints(&absolute(log)?).map_err(|error| self.database(error))?;
        Ok(found.into_iter().map(|checkpoint| checkpoint.generation).collect())
    }

    /// A generation as [`read`](crate::log::read) would read its bytes in outline: the newest, or the one of a number.
    ///
    /// # Errors
    /// Where it isn't in this state, is no session, or the database can't be read.
    pub fn log(&self, log: &Path, number: Option<u64>) -> Result<SessionLog, SyncError> {
        let path = absolute(log)?;
        let checkpoints = self.checkpoints(&path).map_err(|error| self.database(error))?;
        let wanted = match number {
            Some(number) => checkpoints.iter().find(|found| found.generation.number == number),
            None => checkpoints.last(),
        };
        let checkpoint = wanted.ok_or_else(|| SyncError::Unknown { path: log.to_owned() })?;
        self.read_back(log, checkpoint)
    }

    fn read_back(&self, log: &Path, checkpoint: &Checkpoint) -> Result<SessionLog, SyncError> {
        let database = |error| self.database(error);
        let refused = |source: ReadError| SyncError::NotASession { path: log.to_owned(), source };
        let options = ReadOptions { content: Content::Outline, ..ReadOptions::default() };
        let mut reader = LogReader::new(options);
        let query =
            format!("SELECT {} FROM lines WHERE generation_id = ?1 ORDER BY number", StoredLine::COLUMNS);
        let mut statement = self.db.prepare_cached(&query).map_err(database)?;
        for row in statement.query_map([checkpoint.id], StoredLine::from_row).map_err(database)? {
            let row = row.map_err(database)?;
            let damaged = || SyncError::NotAState { path: self.place.clone(), reason: "a line is damaged" };
            reader.line(&row.line().ok_or_else(damaged)?).map_err(refused)?;
        }
        let tail = BufReader::new(Tail::new(&self.db, checkpoint.id));
        let mut tail =
            Lines::from(tail, options.limits.line_bytes, checkpoint.generation.lines, checkpoint.line_offset);
        let read = tail.next(|line| reader.line(&line));
        let read = read.map_err(|error| SyncError::io("read", &self.place, error))?;
        read.transpose().map_err(refused)?;
        reader.finish().map_err(refused)
    }

    /// Forgets the generations that no longer grow; returns how many there were.
    ///
    /// # Errors
    /// Where the database can't be written.
    pub fn drop_ended(&mut self, log: &Path) -> Result<usize, SyncError> {
        let path = absolute(log)?;
        self.db
            .execute(
                "DELETE FROM generations WHERE ended_by IS NOT NULL AND file_id = (SELECT id FROM files WHERE path = ?1)",
                [path.as_os_str().as_bytes()],
            )
            .map_err(|error| self.database(error))
    }

    pub(super) fn database(&self, error: rusqlite::Error) -> SyncError {
        SyncError::database(&self.place, error)
    }

    fn checkpoints(&self, path: &Path) -> rusqlite::Result<Vec<Checkpoint>> {
        self.db
            .prepare_cached(
                "SELECT g.* FROM generations g JOIN files f ON f.id = g.file_id WHERE f.path = ?1 ORDER BY g.number",
            )?
            .query_map([path.as_os_str().as_bytes()], Checkpoint::from_row)?
            .collect()
    }
}

/// The generation of a file that grows.
pub(super) fn growing(db: &Connection, file: i64) -> rusqlite::Result<Option<Checkpoint>> {
    db.prepare_cached("SELECT * FROM generations WHERE file_id = ?1 AND ended_by IS NULL")?
        .query_row([file], Checkpoint::from_row)
        .optional()
}

/// Begins a generation of which nothing was read.
pub(super) fn begin(db: &Connection, file: i64, device: u64, inode: u64) -> rusqlite::Result<()> {
    let nothing = super::fingerprint::Windows::default().fingerprint();
    db.prepare_cached(
        "INSERT INTO generations (file_id, number, device, inode, size, line_offset, line_number, tail_bytes,
            bytes_read, check_bytes, steps, head_length, head_sha256, last_length, last_sha256)
         SELECT ?1, coalesce(max(number), 0) + 1, ?2, ?3, 0, 0, 0, 0, 0, 0, 0, 0, ?4, 0, ?5
         FROM generations WHERE file_id = ?1",
    )?
    .execute(params![
        file,
        Unsigned(device),
        Unsigned(inode),
        nothing.head_sha256,
        nothing.last_sha256
    ])?;
    Ok(())
}

/// Writes what a step changed.
pub(super) fn update(db: &Connection, checkpoint: &Checkpoint) -> rusqlite::Result<()> {
    let (generation, print) = (&checkpoint.generation, &checkpoint.fingerprint);
    db.prepare_cached(
        "UPDATE generations SET ended_by = ?2, size = ?3, line_offset = ?4, line_number = ?5, tail_bytes = ?6,
            bytes_read = ?7, check_bytes = ?8, steps = ?9, head_length = ?10, head_sha256 = ?11, last_length = ?12,
            last_sha256 = ?13
         WHERE id = ?1",
    )?
    .execute(params![
        checkpoint.id,
        generation.ended_by,
        Unsigned(generation.size),
        Unsigned(checkpoint.line_offset),
        Unsigned(generation.lines),
        Unsigned(generation.torn_tail_bytes),
        Unsigned(generation.bytes_read),
        Unsigned(generation.check_bytes),
        Unsigned(generation.steps),
        Unsigned(print.head_length),
        print.head_sha256,
        Unsigned(print.last_length),
        print.last_sha256,
    ])?;
    Ok(())
}

/// Row of a path.
pub(super) fn file(db: &Connection, path: &Path) -> rusqlite::Result<i64> {
    let key = path.as_os_str().as_bytes();
    db.prepare_cached("INSERT OR IGNORE INTO files (path) VALUES (?1)")?.execute([key])?;
    db.prepare_cached("SELECT id FROM files WHERE path = ?1")?.query_row([key], |row| row.get(0))
}

/// The key of a log: its path made absolute, links left as they are.
pub(super) fn absolute(path: &Path) -> Result<PathBuf, SyncError> {
    std::path::absolute(path).map_err(|error| SyncError::io("find", path, error))
}

/// Bytes of the last line that has no end, piece by piece.
pub(super) struct Tail<'db> {
    db: &'db Connection,
    generation: i64,
    next: i64,
    piece: Vec<u8>,
    at: usize,
}

impl<'db> Tail<'db> {
    pub(super) fn new(db: &'db Connection, generation: i64) -> Tail<'db> {
        Tail { db, generation, next: 0, piece: Vec::new(), at: 0 }
    }

    fn load(&mut self) -> rusqlite::Result<bool> {
        let piece: Option<Vec<u8>> = self
            .db
            .prepare_cached("SELECT bytes FROM tails WHERE generation_id = ?1 AND ordinal = ?2")?
            .query_row([self.generation, self.next], |row| row.get(0))
            .optional()?;
        self.next += 1;
        self.at = 0;
        self.piece = piece.unwrap_or_default();
        Ok(!self.piece.is_empty())
    }
}

impl Read for Tail<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.at == self.piece.len() && !self.load().map_err(std::io::Error::other)? {
            return Ok(0);
        }
        let taken = buffer.len().min(self.piece.len() - self.at);
        buffer[..taken].copy_from_slice(&self.piece[self.at..self.at + taken]);
        self.at += taken;
        Ok(taken)
    }
}

//! One sync of one log: what became of the file, and what it has grown by.

use std::fs::{self, File, Metadata};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rusqlite::{Transaction, TransactionBehavior, params};

use super::error::SyncError;
use super::fingerprint::{Windows, read_at};
use super::lines;
use super::store::{Checkpoint, Generation, Store, Tail, absolute, begin, file, growing, update};
use crate::log::line::Lines;
use crate::log::read::{ZSTD, refuse_foreign_bytes};
use crate::log::{Limits, ReadError};
use crate::regular::open_regular;

/// Bytes that one step reads at most: what a kill can cost.
const STEP_BYTES: u64 = 8 << 20;

/// What became of a log since it was last looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Event {
    /// It was never looked at, or came back after it had been deleted.
    New,
    /// Nothing happened.
    Unchanged,
    /// It has grown.
    Appended,
    /// It is shorter than what was read: a new generation.
    Truncated,
    /// It doesn't begin or go on as it did: a new generation.
    Rewritten,
    /// The file was moved to another name beside it, and another one has its name or none has: a new generation. What
    /// the moved file had grown by was read first.
    Rotated,
    /// Another file took its name, and the old one is gone: a new generation.
    Replaced,
    /// It is gone.
    Deleted,
}

impl Event {
    /// The stable name in reports.
    pub fn code(self) -> &'static str {
        match self {
            Event::New => "new",
            Event::Unchanged => "unchanged",
            Event::Appended => "appended",
            Event::Truncated => "truncated",
            Event::Rewritten => "rewritten",
            Event::Rotated => "rotated",
            Event::Replaced => "replaced",
            Event::Deleted => "deleted",
        }
    }
}

/// What one sync of a log did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Synced {
    /// What became of the file.
    pub event: Event,
    /// The generation it is in now.
    pub generation: Generation,
    /// Bytes read for their content in this sync, those of a moved file among them.
    pub bytes_read: u64,
    /// Bytes read to see whether the file goes on as it was.
    pub check_bytes: u64,
}

/// What one step counted.
#[derive(Default)]
struct Count {
    bytes_read: u64,
    check_bytes: u64,
}

/// What is known of the file after a look at it.
enum Look {
    /// It is what was read, so far; its windows.
    Same(Checkpoint, Windows),
    /// There was nothing to compare with.
    First,
    /// It is something else.
    Other(Event, Checkpoint),
}

impl Store {
    /// Reads what a log has grown by and commits it, step by step.
    ///
    /// # Errors
    /// Where the log can't be read or is recognised as something else, or the state can't be written.
    pub fn sync(&mut self, log: &Path) -> Result<Synced, SyncError> {
        let path = absolute(log)?;
        let opened = match open_regular(&path) {
            Ok(opened) => opened,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return self.vanished(log, &path, error),
            Err(error) => return Err(SyncError::io("read", log, error)),
        };
        let mut count = Count::default();
        let mut event = None;
        loop {
            let place = self.place.clone();
            let database = |error| SyncError::database(&place, error);
            let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(database)?;
            let io = |error| SyncError::io("read", log, error);
            let metadata = opened.metadata().map_err(io)?;
            let id = file(&tx, &path).map_err(database)?;
            let looked =
                look(&tx, id, &opened, &metadata, &mut count).map_err(|error| error.at(log, &place))?;
            let (checkpoint, windows) = match looked {
                Look::Same(checkpoint, windows) => (checkpoint, windows),
                Look::First => {
                    event.get_or_insert(Event::New);
                    (fresh(&tx, id, &metadata).map_err(database)?, Windows::default())
                }
                Look::Other(Event::Replaced, ended) => {
                    let moved = moved_to(&path, &ended);
                    let what = if moved.is_some() { Event::Rotated } else { Event::Replaced };
                    event.get_or_insert(what);
                    if catch_up(&tx, moved, ended, what, &mut count).map_err(|error| error.at(log, &place))? {
                        tx.commit().map_err(database)?;
                        continue;
                    }
                    (fresh(&tx, id, &metadata).map_err(database)?, Windows::default())
                }
                Look::Other(what, ended) => {
                    event.get_or_insert(what);
                    end(&tx, ended, what).map_err(database)?;
                    (fresh(&tx, id, &metadata).map_err(database)?, Windows::default())
                }
            };
            let before = count.bytes_read;
            let checkpoint = grow(&tx, &opened, metadata.len(), checkpoint, windows, &mut count)
                .map_err(|error| error.at(log, &place))?;
            tx.commit().map_err(database)?;
            if checkpoint.consumed() >= metadata.len() || count.bytes_read == before {
                let grown = if count.bytes_read > 0 { Event::Appended } else { Event::Unchanged };
                return Ok(Synced {
                    event: event.unwrap_or(grown),
                    generation: checkpoint.generation,
                    bytes_read: count.bytes_read,
                    check_bytes: count.check_bytes,
                });
            }
        }
    }

    /// A log that isn't there: deleted, moved, or never known.
    fn vanished(&mut self, log: &Path, path: &Path, error: io::Error) -> Result<Synced, SyncError> {
        let mut count = Count::default();
        let place = self.place.clone();
        let database = |error| SyncError::database(&place, error);
        let mut event = Event::Deleted;
        loop {
            let tx = self.db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(database)?;
            let id = file(&tx, path).map_err(database)?;
            let Some(ended) = growing(&tx, id).map_err(database)? else { break };
            let moved = moved_to(path, &ended);
            event = if moved.is_some() { Event::Rotated } else { Event::Deleted };
            let more =
                catch_up(&tx, moved, ended, event, &mut count).map_err(|error| error.at(log, &place))?;
            tx.commit().map_err(database)?;
            if !more {
                break;
            }
        }
        match self.generations(log)?.pop() {
            Some(generation) => {
                Ok(Synced { event, generation, bytes_read: count.bytes_read, check_bytes: count.check_bytes })
            }
            None => Err(SyncError::io("read", log, error)),
        }
    }
}

/// What went wrong within a step; the caller knows where.
enum StepError {
    Log(io::Error),
    Refused(ReadError),
    State(rusqlite::Error),
}

impl StepError {
    fn at(self, log: &Path, place: &Path) -> SyncError {
        match self {
            StepError::Log(error) => SyncError::io("read", log, error),
            StepError::Refused(source) => SyncError::NotASession { path: log.to_owned(), source },
            StepError::State(error) => SyncError::database(place, error),
        }
    }
}

impl From<io::Error> for StepError {
    fn from(error: io::Error) -> StepError {
        StepError::Log(error)
    }
}

impl From<rusqlite::Error> for StepError {
    fn from(error: rusqlite::Error) -> StepError {
        StepError::State(error)
    }
}

/// Whether the file is the one that was read, and goes on as it was.
fn look(
    tx: &Transaction<'_>,
    file: i64,
    opened: &File,
    metadata: &Metadata,
    count: &mut Count,
) -> Result<Look, StepError> {
    let Some(mut known) = growing(tx, file)? else { return Ok(Look::First) };
    if (known.device, known.inode) != (metadata.dev(), metadata.ino()) {
        return Ok(Look::Other(Event::Replaced, known));
    }
    if metadata.len() < known.consumed() {
        return Ok(Look::Other(Event::Truncated, known));
    }
    let (windows, read) = Windows::check(opened, known.consumed(), &known.fingerprint)?;
    count.check_bytes += read;
    known.generation.check_bytes += read;
    Ok(match windows {
        Some(windows) => Look::Same(known, windows),
        None => Look::Other(Event::Rewritten, known),
    })
}

/// Begins a generation.
fn fresh(tx: &Transaction<'_>, file: i64, metadata: &Metadata) -> rusqlite::Result<Checkpoint> {
    begin(tx, file, metadata.dev(), metadata.ino())?;
    growing(tx, file)?.ok_or(rusqlite::Error::QueryReturnedNoRows)
}

fn end(tx: &Transaction<'_>, mut ended: Checkpoint, why: Event) -> rusqlite::Result<()> {
    ended.generation.ended_by = Some(why.code().to_owned());
    update(tx, &ended)
}

/// Ends a generation whose file lost its name, after one step of what the file had grown by where it still is. Returns
/// whether it has to be called again.
fn catch_up(
    tx: &Transaction<'_>,
    moved: Option<PathBuf>,
    ended: Checkpoint,
    why: Event,
    count: &mut Count,
) -> Result<bool, StepError> {
    let Some(moved) = moved else {
        end(tx, ended, why)?;
        return Ok(false);
    };
    let opened = open_regular(&moved)?;
    let metadata = opened.metadata()?;
    let is_it = (metadata.dev(), metadata.ino()) == (ended.device, ended.inode);
    let mut ended = ended;
    if is_it && metadata.len() >= ended.consumed() {
        let (windows, read) = Windows::check(&opened, ended.consumed(), &ended.fingerprint)?;
        count.check_bytes += read;
        ended.generation.check_bytes += read;
        if let Some(windows) = windows {
            let before = count.bytes_read;
            ended = grow(tx, &opened, metadata.len(), ended, windows, count)?;
            if ended.consumed() < metadata.len() && count.bytes_read > before {
                return Ok(true);
            }
        }
    }
    end(tx, ended, why)?;
    Ok(false)
}

/// Where the file of a generation is now, if it still is beside its old name.
fn moved_to(path: &Path, known: &Checkpoint) -> Option<PathBuf> {
    let entries = fs::read_dir(path.parent()?).ok()?;
    let is_it = |path: &PathBuf| {
        fs::symlink_metadata(path)
            .is_ok_and(|found| found.is_file() && (found.dev(), found.ino()) == (known.device, known.inode))
    };
    // One inode may have several names: the first by name, so that the answer doesn't depend on the folder's order.
    entries.flatten().map(|entry| entry.path()).filter(is_it).min()
}

/// Reads the next piece, keeps its complete lines and the beginning of the one without an end.
fn grow(
    tx: &Transaction<'_>,
    opened: &File,
    size: u64,
    mut checkpoint: Checkpoint,
    mut windows: Windows,
    count: &mut Count,
) -> Result<Checkpoint, StepError> {
    let consumed = checkpoint.consumed();
    let piece = read_at(opened, consumed, STEP_BYTES.min(size.saturating_sub(consumed)))?;
    windows.extend(&piece);
    refuse_what_cannot_be_followed(windows.head()).map_err(StepError::Refused)?;
    let complete = memchr::memrchr(b'\n', &piece).map_or(0, |at| at + 1);
    let id = checkpoint.id;
    if complete > 0 {
        let bytes = BufReader::new(Tail::new(tx, id)).chain(&piece[..complete]);
        let limit = Limits::default().line_bytes;
        let mut lines = Lines::from(bytes, limit, checkpoint.generation.lines, checkpoint.line_offset);
        while let Some(kept) = lines.next(|line| lines::insert(tx, id, &line))? {
            kept?;
        }
        checkpoint.generation.lines = lines.number();
        checkpoint.line_offset = consumed + complete as u64;
        checkpoint.generation.torn_tail_bytes = 0;
        tx.prepare_cached("DELETE FROM tails WHERE generation_id = ?1")?.execute([id])?;
    }
    let torn = &piece[complete..];
    if !torn.is_empty() {
        tx.prepare_cached(
            "INSERT INTO tails SELECT ?1, coalesce(max(ordinal), -1) + 1, ?2 FROM tails WHERE generation_id = ?1",
        )?
        .execute(params![id, torn])?;
        checkpoint.generation.torn_tail_bytes += torn.len() as u64;
    }
    let read = piece.len() as u64;
    count.bytes_read += read;
    checkpoint.generation.bytes_read += read;
    checkpoint.generation.steps += u64::from(read > 0);
    checkpoint.generation.size = size;
    checkpoint.fingerprint = windows.fingerprint();
    update(tx, &checkpoint)?;
    Ok(checkpoint)
}

fn refuse_what_cannot_be_followed(head: &[u8]) -> Result<(), ReadError> {
    refuse_foreign_bytes(head)?;
    if head.starts_with(ZSTD) {
        let reason = "the file is packed (zstd), so it doesn't grow by lines: import it instead";
        return Err(ReadError::NotASession { format: None, reason });
    }
    Ok(())
}

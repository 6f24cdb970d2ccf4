//! One file: read once, hashed, copied and parsed in the same pass.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::ops::Range;
use std::path::Path;

use adapters::log::{self, Content, Format, ReadError, ReadOptions};
use adapters::open_regular;
use engine::message::hex;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use super::blob::{BlobCount, BlobCutter};
use super::summary::Summary;
use crate::failure::Failure;

/// Bytes read at once: the pieces that are hashed, copied and split into lines while they are in the cache.
const PIECE: usize = 128 << 10;

/// Why a file wasn't imported; the others were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// `unreadable`, `not-a-session`, `changed` or `not-redactable`.
    pub code: &'static str,
    /// One line for people.
    pub message: String,
}

impl Refusal {
    /// A file that can't be read.
    pub fn unreadable(error: &io::Error) -> Refusal {
        Refusal { code: "unreadable", message: error.to_string() }
    }
}

/// A failure that ends the import (its folder can't be written), or one of this file alone.
#[derive(Debug)]
pub enum Stop {
    /// Ends the import.
    Import(Failure),
    /// Ends this file.
    File(Refusal),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Stop {
        Stop::Import(failure)
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Stop {
        Stop::File(refusal)
    }
}

/// A file that was read to its end.
#[derive(Debug)]
pub struct FileRead {
    /// Figures and faults.
    pub summary: Summary,
    /// SHA-256 of the bytes of the file.
    pub sha256: [u8; 32],
    /// Bytes of the file.
    pub bytes: u64,
    /// SHA-256 of as many first bytes as were asked for; `None` where the file is shorter.
    pub prefix_sha256: Option<[u8; 32]>,
    /// Bytes of the longest line of the file, as it lies on the disk.
    pub longest_line: u64,
    /// Whether the file is packed with zstd.
    pub packed: bool,
}

/// Reads the session at `path`; what passes by is written to `copy` and told to `passed`.
///
/// # Errors
/// [`Stop::Import`] where the copy can't be written, [`Stop::File`] where the file is no session or can't be read.
pub fn read_file(
    path: &Path,
    source: File,
    format: Option<Format>,
    prefix: Option<u64>,
    copy: Option<&mut NamedTempFile>,
    passed: &(dyn Fn(u64) + Sync),
) -> Result<FileRead, Stop> {
    let options = ReadOptions { format, content: Content::Outline, ..ReadOptions::default() };
    let copy_path = copy.as_ref().map(|copy| copy.path().to_owned());
    let mut tee = Tee {
        source,
        hash: Sha256::new(),
        bytes: 0,
        prefix: prefix.map(Prefix::Wanted),
        lines: LineLengths::default(),
        head: Vec::new(),
        copy: copy.map(NamedTempFile::as_file_mut),
        failed: None,
        passed,
    };
    let read = log::read(BufReader::with_capacity(PIECE, &mut tee), &options);
    if let (Some(error), Some(path)) = (&tee.failed, &copy_path) {
        return Err(Stop::Import(Failure::io(path, error)));
    }
    let mut log = read.map_err(refusal)?;
    if let Some(fault) = log::name_fault(path, &log) {
        *log.warning_counts.entry(fault.code).or_default() += 1;
        log.warnings.push(fault);
        log.warnings.sort();
    }
    // A log may end before its file: at a limit, or where packed data break off.
    io::copy(&mut tee, &mut io::sink()).map_err(|error| match (&tee.failed, &copy_path) {
        (Some(error), Some(path)) => Stop::Import(Failure::io(path, error)),
        _ => Stop::File(Refusal::unreadable(&error)),
    })?;
    Ok(FileRead {
        summary: Summary::of(log),
        sha256: tee.hash.finalize().into(),
        bytes: tee.bytes,
        prefix_sha256: match tee.prefix {
            Some(Prefix::Taken(hash)) => Some(hash),
            _ => None,
        },
        longest_line: tee.lines.longest.max(tee.lines.current),
        packed: is_packed(&tee.head),
    })
}

const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// Whether a file with these first bytes is packed with zstd.
pub fn is_packed(head: &[u8]) -> bool {
    head.starts_with(ZSTD)
}

fn refusal(error: ReadError) -> Refusal {
    let code = match error {
        ReadError::Io { .. } => "unreadable",
        ReadError::NotASession { .. } => "not-a-session",
    };
    Refusal { code, message: error.to_string() }
}

/// Hashes and copies what passes through.
struct Tee<'a> {
    source: File,
    hash: Sha256,
    bytes: u64,
    prefix: Option<Prefix>,
    lines: LineLengths,
    head: Vec<u8>,
    copy: Option<&'a mut File>,
    /// Why the copy failed: told apart from a source that can't be read.
    failed: Option<io::Error>,
    passed: &'a (dyn Fn(u64) + Sync),
}

enum Prefix {
    Wanted(u64),
    Taken([u8; 32]),
}

#[derive(Default)]
struct LineLengths {
    current: u64,
    longest: u64,
}

impl LineLengths {
    fn take(&mut self, bytes: &[u8]) {
        // Within one piece only the first and the last line feed can end a line that is longer than a piece.
        let (Some(first), Some(last)) = (memchr::memchr(b'\n', bytes), memchr::memrchr(b'\n', bytes)) else {
            self.current += bytes.len() as u64;
            return;
        };
        self.longest = self.longest.max(self.current + first as u64 + 1).max((last - first) as u64);
        self.current = (bytes.len() - last - 1) as u64;
    }
}

impl Tee<'_> {
    fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.take_prefix(bytes);
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        self.lines.take(bytes);
        if self.head.len() < ZSTD.len() {
            self.head.extend_from_slice(&bytes[..bytes.len().min(ZSTD.len() - self.head.len())]);
        }
        (self.passed)(bytes.len() as u64);
        if let Some(copy) = &mut self.copy
            && let Err(error) = copy.write_all(bytes)
        {
            self.failed = Some(error);
            return Err(io::Error::other("the copy failed"));
        }
        Ok(())
    }

    fn take_prefix(&mut self, bytes: &[u8]) {
        let Some(Prefix::Wanted(end)) = self.prefix else { return };
        if self.bytes + bytes.len() as u64 >= end {
            let mut hash = self.hash.clone();
            hash.update(&bytes[..(end - self.bytes) as usize]);
            self.prefix = Some(Prefix::Taken(hash.finalize().into()));
        }
    }
}

impl Read for Tee<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.take(&buffer[..read])?;
        Ok(read)
    }
}

/// A log as plain lines, whether it is packed or not. Where packed data break off, so does the log.
///
/// # Errors
/// Where unpacking can't begin.
pub fn plain<'r>(source: impl Read + 'r, packed: bool) -> io::Result<Box<dyn Read + 'r>> {
    if !packed {
        return Ok(Box::new(source));
    }
    Ok(Box::new(UntilBroken { unpacked: zstd::Decoder::new(source)?, any: false }))
}

/// The bytes of an entry as they stand in its log.
///
/// # Errors
/// Where the log can't be read that far.
pub fn entry_bytes(path: &Path, range: &Range<u64>) -> io::Result<Vec<u8>> {
    let mut source = BufReader::with_capacity(PIECE, open_regular(path)?);
    let packed = is_packed(source.fill_buf()?);
    let mut plain = plain(source, packed)?;
    io::copy(&mut plain.by_ref().take(range.start), &mut io::sink())?;
    let mut bytes = Vec::new();
    plain.take(range.end - range.start).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == range.end - range.start {
        return Ok(bytes);
    }
    Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the log was cut while it was read"))
}

struct UntilBroken<R> {
    unpacked: R,
    any: bool,
}

impl<R: Read> Read for UntilBroken<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.unpacked.read(buffer) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted && self.any => Ok(0),
            other => other.inspect(|read| self.any |= *read > 0),
        }
    }
}

/// A copy with its long strings cut out.
#[derive(Debug)]
pub struct CutCopy {
    /// The copy, without its name yet.
    pub file: NamedTempFile,
    /// SHA-256 of its bytes and how many they are.
    pub hash: (String, u64),
}

/// The copy with its long strings cut out; `None` where it has none.
///
/// # Errors
/// Where reading or writing fails.
pub fn cut_blobs(
    copy: &mut NamedTempFile,
    packed: bool,
    bound: usize,
    folder: &Path,
    blobs: &Path,
) -> io::Result<Option<(CutCopy, BlobCount)>> {
    let source = copy.reopen()?;
    let out = HashingWriter::new(NamedTempFile::new_in(folder)?);
    let mut cutter = BlobCutter::new(out, bound, Some(blobs));
    io::copy(&mut BufReader::with_capacity(PIECE, plain(source, packed)?), &mut cutter)?;
    let (out, count) = cutter.finish()?;
    let (file, sha256, bytes) = out.finish()?;
    Ok((count.strings > 0).then_some((CutCopy { file, hash: (sha256, bytes) }, count)))
}

/// A buffered file that hashes what is written to it.
#[derive(Debug)]
pub struct HashingWriter {
    out: BufWriter<NamedTempFile>,
    hash: Sha256,
    bytes: u64,
}

impl HashingWriter {
    /// A writer at the start of a file.
    pub fn new(file: NamedTempFile) -> HashingWriter {
        HashingWriter { out: BufWriter::with_capacity(PIECE, file), hash: Sha256::new(), bytes: 0 }
    }

    /// The file, the SHA-256 of its bytes, and how many they are.
    ///
    /// # Errors
    /// Where the rest can't be written.
    pub fn finish(self) -> io::Result<(NamedTempFile, String, u64)> {
        let file = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok((file, hex(&self.hash.finalize()), self.bytes))
    }
}

impl Write for HashingWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

//! Copies without anything private: the same value becomes the same pseudonym in every copy under one key.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;

use engine::message::hex;
use engine::privacy::{Class, Policy, Redactor, map_strings};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use super::blob::{self, BlobCount, BlobCutter};
use super::destination::Destination;
use super::pipeline::{HashingWriter, Refusal, is_packed, plain};
use crate::failure::{Failure, read_bytes};

/// Name of the key that an import makes for itself.
const KEY_FILE: &str = "redaction.key";
/// Bytes of such a key.
const KEY_BYTES: usize = 32;
/// Shortest key that is taken from a person.
const MIN_KEY_BYTES: usize = 16;
/// Longest line that is held in memory to be redacted, its long strings cut out.
const LINE_BYTES: usize = 64 << 20;

/// The key that decides pseudonyms. Whoever has it can test guesses against them.
#[derive(Clone)]
pub struct RedactionKey(Vec<u8>);

impl std::fmt::Debug for RedactionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("RedactionKey")
    }
}

impl RedactionKey {
    /// A key of a person's own.
    ///
    /// # Errors
    /// Input or output; usage where it is too short to withstand guessing.
    pub fn read(path: &Path) -> Result<RedactionKey, Failure> {
        let bytes = read_bytes(path)?;
        if bytes.len() < MIN_KEY_BYTES {
            return Err(Failure::usage(format!(
                "--redact-key {}: {} bytes: choose a file of at least {MIN_KEY_BYTES} random bytes",
                path.display(),
                bytes.len()
            )));
        }
        Ok(RedactionKey(bytes))
    }

    /// The key of a folder, made once from the system's randomness.
    ///
    /// # Errors
    /// Input or output.
    pub fn of_folder(destination: &Destination) -> Result<RedactionKey, Failure> {
        let path = destination.root().join(KEY_FILE);
        if path.exists() {
            return RedactionKey::read(&path);
        }
        let mut bytes = vec![0; KEY_BYTES];
        let random = Path::new("/dev/urandom");
        let filled = File::open(random).and_then(|mut source| source.read_exact(&mut bytes));
        filled.map_err(|error| Failure::io(random, &error))?;
        // The name comes last: an import that is killed here leaves no key, not half of one.
        let io = |error: io::Error| Failure::io(&path, &error);
        let mut file = NamedTempFile::new_in(destination.partial()).map_err(io)?;
        file.write_all(&bytes).and_then(|()| file.as_file().sync_all()).map_err(io)?;
        file.persist_noclobber(&path).map_err(|failed| io(failed.error))?;
        Ok(RedactionKey(bytes))
    }

    /// A keyed hash of something private: tells equal things, confirms no guess.
    pub fn mac(&self, label: &str, bytes: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(label.as_bytes());
        mac.update(&[0]);
        mac.update(bytes);
        hex(&mac.finalize().into_bytes())
    }
}

/// Users' names that the paths in a log tell: they go from every log of the import.
///
/// # Errors
/// Where the log can't be read.
pub fn names_in(source: File) -> io::Result<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    let mut source = BufReader::with_capacity(128 << 10, source);
    let packed = is_packed(source.fill_buf()?);
    let mut reader = BufReader::with_capacity(128 << 10, plain(source, packed)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        // A longer line is taken in pieces: a name at their border is missed here.
        let read = reader.by_ref().take(LINE_BYTES as u64).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(names);
        }
        names.append(&mut Redactor::names_in(&String::from_utf8_lossy(&line)));
    }
}

/// Redacts under one key with the names that all logs of an import told.
#[derive(Debug)]
pub struct Copyist {
    redactor: Redactor,
    key: RedactionKey,
    names: String,
}

/// A redacted copy.
#[derive(Debug)]
pub struct RedactedCopy {
    /// The copy, without its name yet.
    pub file: NamedTempFile,
    /// SHA-256 of its bytes.
    pub sha256: String,
    /// Its bytes.
    pub bytes: u64,
    /// Strings cut out.
    pub blobs: BlobCount,
    /// Values replaced, by kind.
    pub replaced: BTreeMap<String, u64>,
}

/// Why there is no redacted copy.
#[derive(Debug)]
pub enum RedactError {
    /// The copy can't be written.
    Copy(io::Error),
    /// The source is at fault.
    Source(Refusal),
}

impl Copyist {
    /// A copyist; `names` is the union over all logs.
    pub fn new(key: RedactionKey, names: BTreeSet<String>) -> Copyist {
        let all: Vec<&str> = names.iter().map(String::as_str).collect();
        let fingerprint = key.mac("names", all.join("\n").as_bytes());
        let redactor = Redactor::new(Policy::ALL, key.mac("pseudonyms", b"").as_bytes()).with_names(names);
        Copyist { redactor, key, names: fingerprint }
    }

    /// What tells one set of names under one key from another.
    pub fn fingerprint(&self) -> &str {
        &self.names
    }

    /// A path or a message without anything private.
    pub fn text(&self, text: &str) -> String {
        self.redactor.redact_text(text).text.into_owned()
    }

    /// An identifier as the copies have it.
    pub fn identifier(&self, id: &str) -> String {
        self.tie(id, &mut |_| {})
    }

    /// A redacted copy of the first `bytes` of a log, which must have the hash that they had before.
    ///
    /// # Errors
    /// See [`RedactError`]. No part of the log is left in the folder then.
    pub fn copy(
        &self,
        source: File,
        (bytes, sha256): (u64, &[u8; 32]),
        packed: bool,
        bound: usize,
        folder: &Path,
    ) -> Result<RedactedCopy, RedactError> {
        let mut hashed = Hashed { source: source.take(bytes), hash: Sha256::new() };
        let file = NamedTempFile::new_in(folder).map_err(RedactError::Copy)?;
        let mut cutter = BlobCutter::new(RedactedLines::new(self, file), bound, None);
        pour(plain(&mut hashed, packed).map_err(source_error)?, &mut cutter)?;
        let (lines, blobs) = cutter.finish().map_err(RedactError::Copy)?;
        io::copy(&mut hashed, &mut io::sink()).map_err(source_error)?;
        if hashed.hash.finalize()[..] != sha256[..] {
            return Err(refused("changed", "it was changed while it was read: import it again"));
        }
        lines.finish(blobs)
    }

    /// One line without anything private: strings of JSON are decoded first, anything else is text.
    fn line(&self, line: &[u8], replaced: &mut BTreeMap<String, u64>) -> String {
        let text = String::from_utf8_lossy(line);
        let mut count = |kind: &str| *replaced.entry(kind.to_owned()).or_default() += 1;
        match map_strings(&text, |name, value| self.string(name, value, &mut count)) {
            Ok(redacted) => redacted,
            Err(_) => {
                let redacted = self.redactor.redact_text(&text);
                redacted.findings.iter().for_each(|finding| count(finding.kind));
                redacted.text.into_owned()
            }
        }
    }

    fn string(&self, name: Option<&str>, value: &str, count: &mut impl FnMut(&str)) -> String {
        if name.is_some_and(|name| ties(name, value)) {
            return self.tie(value, count);
        }
        // What an image shows can't be redacted.
        if value.len() > MIN_IMAGE && blob::kind(value.as_bytes()) == "image" {
            count("image");
            let mac = self.key.mac("image", value.as_bytes());
            return format!("[image of {} bytes, hmac-sha256:{mac}]", value.len());
        }
        let redacted = match name {
            Some(name) => self.redactor.redact_field(name, value),
            None => self.redactor.redact_text(value),
        };
        redacted.findings.iter().for_each(|finding| count(finding.kind));
        redacted.text.into_owned()
    }

    /// An identifier stays as it is, unless it is itself a secret: then it becomes the same pseudonym wherever it stands.
    fn tie(&self, value: &str, count: &mut impl FnMut(&str)) -> String {
        let redacted = self.redactor.redact_text(value);
        if redacted.findings.iter().all(|finding| finding.class != Class::Secret) {
            return value.to_owned();
        }
        redacted.findings.iter().for_each(|finding| count(finding.kind));
        redacted.text.into_owned()
    }
}

/// Shorter strings that begin like an image are no images.
const MIN_IMAGE: usize = 64;

/// Whether a string ties entries together or says what they are: such strings are kept.
fn ties(name: &str, value: &str) -> bool {
    const NAMES: [&str; 34] = [
        "id",
        "parentId",
        "uuid",
        "parentUuid",
        "logicalParentUuid",
        "leafUuid",
        "sessionId",
        "session_id",
        "messageId",
        "message_id",
        "requestId",
        "request_id",
        "responseId",
        "response_id",
        "turn_id",
        "turnId",
        "thread_id",
        "threadId",
        "call_id",
        "callId",
        "toolCallId",
        "toolUseId",
        "toolUseID",
        "tool_use_id",
        "parentToolUseID",
        "sourceToolAssistantUUID",
        "targetId",
        "firstKeptEntryId",
        "agentId",
        "type",
        "role",
        "timestamp",
        "model",
        "version",
    ];
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.:|#+".contains(&byte);
    NAMES.contains(&name) && value.len() <= 256 && value.bytes().all(is_plain)
}

fn refused(code: &'static str, message: &str) -> RedactError {
    RedactError::Source(Refusal { code, message: message.to_owned() })
}

fn source_error(error: io::Error) -> RedactError {
    RedactError::Source(Refusal::unreadable(&error))
}

/// Everything that can be read, with errors of the two sides told apart.
fn pour(mut from: impl Read, to: &mut impl Write) -> Result<(), RedactError> {
    let mut piece = vec![0; 128 << 10];
    loop {
        match from.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(read) => to.write_all(&piece[..read]).map_err(written)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(source_error(error)),
        }
    }
}

/// A line that is too long is the source's fault.
fn written(error: io::Error) -> RedactError {
    match error.kind() {
        io::ErrorKind::InvalidData => {
            RedactError::Source(Refusal { code: "not-redactable", message: error.to_string() })
        }
        _ => RedactError::Copy(error),
    }
}

struct Hashed {
    source: io::Take<File>,
    hash: Sha256,
}

impl Read for Hashed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.source.read(buffer)?;
        self.hash.update(&buffer[..read]);
        Ok(read)
    }
}

/// Writes each line without anything private.
struct RedactedLines<'c> {
    copyist: &'c Copyist,
    out: HashingWriter,
    line: Vec<u8>,
    number: u64,
    replaced: BTreeMap<String, u64>,
}

impl<'c> RedactedLines<'c> {
    fn new(copyist: &'c Copyist, file: NamedTempFile) -> RedactedLines<'c> {
        RedactedLines {
            copyist,
            out: HashingWriter::new(file),
            line: Vec::new(),
            number: 1,
            replaced: BTreeMap::new(),
        }
    }

    fn end_line(&mut self) -> io::Result<()> {
        let line = std::mem::take(&mut self.line);
        let redacted = self.copyist.line(&line, &mut self.replaced);
        self.out.write_all(redacted.as_bytes())?;
        self.line = line;
        self.line.clear();
        Ok(())
    }

    fn within_line(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.line.len() + bytes.len() > LINE_BYTES {
            let message = format!(
                "line {}: longer than {} MiB without its long strings: can't be redacted: leave the file out",
                self.number,
                LINE_BYTES >> 20
            );
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(mut self, blobs: BlobCount) -> Result<RedactedCopy, RedactError> {
        self.end_line().map_err(RedactError::Copy)?;
        let (file, sha256, bytes) = self.out.finish().map_err(RedactError::Copy)?;
        Ok(RedactedCopy { file, sha256, bytes, blobs, replaced: self.replaced })
    }
}

impl Write for RedactedLines<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            self.within_line(&rest[..end])?;
            self.end_line()?;
            self.out.write_all(b"\n")?;
            self.number += 1;
            rest = &rest[end + 1..];
        }
        self.within_line(rest)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

//! One file of an import, on any thread: read unless an earlier import noted it, copied, noted.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Seek;
use std::path::Path;

use adapters::log::Format;
use adapters::open_regular;
use engine::engine_digest;
use engine::message::hex;

use super::blob::BlobCount;
use super::destination::Destination;
use super::discover::Source;
use super::imported::FileFailure;
use super::journal::{Copy, Journal, Outcome, Record, Stamp, Stored};
use super::pipeline::{FileRead, Refusal, Stop, cut_blobs, read_file};
use super::redact::{Copyist, RedactError, RedactionKey};
use super::summary::Summary;
use crate::failure::Failure;

/// Counts changes of the readers and of [`Summary`] that give other figures for the same bytes: what an older one noted is
/// read again.
const FIGURES: u32 = 2;

/// How to import.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Format of the files; told by content where absent.
    pub format: Option<Format>,
    /// Strings longer than this are cut out of the copies, in bytes.
    pub max_blob: usize,
    /// Whether every session counts all it holds, copied history too.
    pub each_alone: bool,
    /// Key of the pseudonyms, where copies are redacted.
    pub redaction: Option<RedactionKey>,
    /// Whether everything is read again, stamps or not.
    pub verify: bool,
}

/// What is told while an import runs, from any thread.
pub struct Progress<'p> {
    /// Bytes were read.
    pub bytes: &'p (dyn Fn(u64) + Sync),
    /// A file was dealt with; its size where it wasn't read again.
    pub file: &'p (dyn Fn(u64) + Sync),
}

/// What came of one file in this run.
pub(super) enum Done {
    /// It is a session, or known to be none.
    Record {
        /// What the journal has of it.
        record: Box<Record>,
        /// Whether it wasn't read again.
        reused: bool,
        /// What an earlier import read under this path, where the log doesn't continue it: it stays.
        retained: Option<Record>,
    },
    /// It couldn't be read.
    Failed(Refusal),
}

/// What every file of an import is read with.
pub(super) struct Job<'j> {
    pub settings: &'j Settings,
    pub destination: Option<&'j Destination>,
    pub journal: Option<Journal>,
    /// What earlier imports noted, by source.
    pub held: BTreeMap<String, Record>,
    pub copyist: Option<Copyist>,
    /// See [`made_with`].
    pub made_with: String,
    pub progress: &'j Progress<'j>,
}

/// Version of the readers and the settings that a record depends on.
pub(super) fn made_with(settings: &Settings, mode: &str, copyist: Option<&Copyist>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let engine = engine_digest("");
    let format = settings.format.map_or("auto", Format::name);
    let names = copyist.map_or("", |copyist| copyist.fingerprint());
    let strings = settings.max_blob;
    format!("{mode};figures {FIGURES};{version};{engine};format {format};strings {strings};names {names}")
}

/// What copies of one folder have in common.
pub(super) fn mode(settings: &Settings) -> String {
    match &settings.redaction {
        Some(key) => format!("redacted under {}", &key.mac("key", b"")[..16]),
        None => "plain".to_owned(),
    }
}

/// Refuses a folder whose copies were made in another [`mode`].
pub(super) fn refuse_other_mode(held: &BTreeMap<String, Record>, mode: &str) -> Result<(), Failure> {
    let is_other = |record: &&Record| record.made_with.split(';').next() != Some(mode);
    match held.values().find(is_other) {
        Some(_) => Err(Failure::usage(
            "output folder: holds copies that are redacted otherwise, or not at all: choose another folder",
        )),
        None => Ok(()),
    }
}

impl Job<'_> {
    /// A path or a message as documents show it.
    pub(super) fn shown(&self, path: &Path) -> String {
        let path = path.to_string_lossy();
        self.copyist.as_ref().map_or_else(|| path.to_string(), |copyist| copyist.text(&path))
    }

    /// A refusal as documents show it.
    pub(super) fn failure(&self, path: &Path, refusal: &Refusal) -> FileFailure {
        FileFailure {
            path: self.shown(path),
            code: refusal.code.to_owned(),
            message: refusal.message.clone(),
        }
    }

    /// What the journal calls a file.
    fn source_key(&self, source: &Source) -> String {
        let path = source.real.as_os_str().as_encoded_bytes();
        match (&self.settings.redaction, std::str::from_utf8(path)) {
            (Some(key), _) => key.mac("path", path),
            (None, Ok(path)) => path.to_owned(),
            (None, Err(_)) => format!("bytes:{}", hex(path)),
        }
    }

    /// Imports a file; an error ends the whole import.
    pub(super) fn file(&self, source: &Source) -> Result<Done, Failure> {
        match self.open_and_read(source) {
            Ok(done) => Ok(done),
            Err(Stop::Import(failure)) => Err(failure),
            Err(Stop::File(refusal)) => {
                (self.progress.file)(0);
                Ok(Done::Failed(refusal))
            }
        }
    }

    fn open_and_read(&self, source: &Source) -> Result<Done, Stop> {
        let file = open_regular(&source.path).map_err(|error| Refusal::unreadable(&error))?;
        let stamp = Stamp::of(&file).map_err(|error| Refusal::unreadable(&error))?;
        let key = self.source_key(source);
        let held = self.held.get(&key);
        if let Some(record) = held.filter(|record| self.stands(record, &stamp)) {
            (self.progress.file)(stamp.size);
            return Ok(Done::Record { record: Box::new(record.clone()), reused: true, retained: None });
        }
        let old = held.and_then(|record| match &record.outcome {
            Outcome::Session(stored) => Some((record, stored)),
            Outcome::Refused { .. } => None,
        });
        let (outcome, continued) = self.read(&source.path, file, old.map(|(_, stored)| stored.as_ref()))?;
        let retained = old.filter(|_| !continued).map(|(record, stored)| Record {
            source: format!("{key}#{}", &stored.source_hash[..16]),
            ..record.clone()
        });
        let replaced = old.filter(|_| continued);
        let replaces = replaced.map_or(Vec::new(), |(record, stored)| {
            let name = stored.copy.as_ref().map(|copy| copy.name.clone());
            record.replaces.iter().cloned().chain(name).collect()
        });
        let record = Record { source: key, stamp, made_with: self.made_with.clone(), outcome, replaces };
        if let Some(journal) = &self.journal {
            retained.iter().try_for_each(|retained| journal.note(retained))?;
            journal.note(&record)?;
        }
        (self.progress.file)(0);
        Ok(Done::Record { record: Box::new(record), reused: false, retained })
    }

    /// Whether what was noted of a file still holds.
    fn stands(&self, record: &Record, stamp: &Stamp) -> bool {
        let copy_stands = match (&record.outcome, self.destination) {
            (Outcome::Session(stored), Some(destination)) => {
                stored.copy.as_ref().is_some_and(|copy| destination.has_copy(copy))
            }
            _ => true,
        };
        !self.settings.verify && record.stamp == *stamp && record.made_with == self.made_with && copy_stands
    }

    /// Reads a file; tells beside whether it continues what an earlier import read under its path.
    fn read(&self, path: &Path, file: File, old: Option<&Stored>) -> Result<(Outcome, bool), Stop> {
        let again = file.try_clone().map_err(|error| Refusal::unreadable(&error))?;
        let mut copy = match (self.destination, &self.copyist) {
            (Some(destination), None) => Some(destination.begin_copy()?),
            _ => None,
        };
        let prefix = old.map(|old| old.source_bytes);
        let read = read_file(path, file, self.settings.format, prefix, copy.as_mut(), self.progress.bytes);
        let read = match read {
            Ok(read) => read,
            // Noted, so that it isn't read again for the same answer.
            Err(Stop::File(refusal)) if refusal.code == "not-a-session" => {
                let outcome = Outcome::Refused { code: refusal.code.to_owned(), message: refusal.message };
                return Ok((outcome, false));
            }
            Err(stop) => return Err(stop),
        };
        let hash = |sha256: &[u8; 32]| match &self.settings.redaction {
            Some(key) => key.mac("file", sha256),
            None => hex(sha256),
        };
        let continued = match (old, &read.prefix_sha256) {
            (Some(old), Some(prefix)) => old.source_hash == hash(prefix),
            _ => false,
        };
        let source_hash = hash(&read.sha256);
        let source_bytes = read.bytes;
        let copy = match (self.destination, &self.copyist, copy) {
            (Some(destination), Some(copyist), _) => {
                Some(self.redacted_copy(destination, copyist, again, &read)?)
            }
            (Some(destination), None, Some(copy)) => Some(self.plain_copy(destination, copy, &read)?),
            _ => None,
        };
        let mut summary = read.summary;
        if let Some(copyist) = &self.copyist {
            redact_summary(&mut summary, copyist);
        }
        let stored = Stored { summary, source_hash, source_bytes, copy };
        Ok((Outcome::Session(Box::new(stored)), continued))
    }

    fn plain_copy(
        &self,
        destination: &Destination,
        mut copy: tempfile::NamedTempFile,
        read: &FileRead,
    ) -> Result<Copy, Failure> {
        let bound = self.settings.max_blob;
        // Lines of packed logs are longer than they look on the disk.
        let may_be_long = if read.packed { read.summary.bytes } else { read.longest_line };
        if may_be_long > bound as u64 {
            let folder = destination.partial();
            let cut = cut_blobs(&mut copy, read.packed, bound, &folder, &destination.blobs())
                .map_err(|error| Failure::io(&folder, &error))?;
            if let Some((cut, blobs)) = cut {
                let (sha256, bytes) = cut.hash;
                let name = destination.finish_copy(cut.file, &sha256, false)?;
                return Ok(Copy { name, sha256, bytes, identical: false, blobs, redacted: None });
            }
        }
        let sha256 = hex(&read.sha256);
        let name = destination.finish_copy(copy, &sha256, read.packed)?;
        let (bytes, blobs) = (read.bytes, BlobCount::default());
        Ok(Copy { name, sha256, bytes, identical: true, blobs, redacted: None })
    }

    fn redacted_copy(
        &self,
        destination: &Destination,
        copyist: &Copyist,
        mut source: File,
        read: &FileRead,
    ) -> Result<Copy, Stop> {
        source.rewind().map_err(|error| Refusal::unreadable(&error))?;
        let folder = destination.partial();
        let made =
            copyist.copy(source, (read.bytes, &read.sha256), read.packed, self.settings.max_blob, &folder);
        let made = made.map_err(|error| match error {
            RedactError::Copy(error) => Stop::Import(Failure::io(&folder, &error)),
            RedactError::Source(refusal) => Stop::File(refusal),
        })?;
        let name = destination.finish_copy(made.file, &made.sha256, false)?;
        Ok(Copy {
            name,
            sha256: made.sha256,
            bytes: made.bytes,
            identical: false,
            blobs: made.blobs,
            redacted: Some(made.replaced),
        })
    }
}

/// What a log says of itself in words of its own.
fn redact_summary(summary: &mut Summary, copyist: &Copyist) {
    let shown = |text: &mut Option<String>| {
        if let Some(text) = text {
            *text = copyist.text(text);
        }
    };
    summary.id = summary.id.take().map(|id| copyist.identifier(&id));
    shown(&mut summary.cwd);
    shown(&mut summary.parent_session);
    for counts in [&mut summary.lost, &mut summary.deduplicated] {
        let old = std::mem::take(counts);
        for (what, count) in old {
            *counts.entry(copyist.text(&what)).or_default() += count;
        }
    }
    for warning in &mut summary.warnings {
        warning.message = copyist.text(&warning.message);
    }
}

//! A whole import: every file found, in parallel; the accounts of all sessions settled at the end.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::File;
use std::io::Seek;
use std::path::Path;

use adapters::log::{Format, View};
use adapters::open_regular;
use engine::engine_digest;
use engine::message::hex;
use rayon::prelude::*;

use super::blob::BlobCount;
use super::dedup::{Account, Member, settle};
use super::destination::Destination;
use super::discover::{Found, Source};
use super::document::manifest_json;
use super::journal::{self, Copy, Held, Journal, Outcome, Record, Stamp, Stored};
use super::pipeline::{FileRead, Refusal, Stop, cut_blobs, read_file};
use super::redact::{Copyist, RedactError, RedactionKey, names_in};
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

/// A session that was imported.
#[derive(Debug, Clone, Copy)]
pub struct Imported<'r> {
    /// Where it was read from, as named; redacted where its copy is.
    pub path: &'r str,
    /// Figures, faults and copy.
    pub stored: &'r Stored,
    /// What it adds to the accounts of all.
    pub account: &'r Account,
}

/// A file that couldn't be imported; the others were.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFailure {
    /// Where, as named; redacted where copies are.
    pub path: String,
    /// Code of the failure.
    pub code: String,
    /// One line for people.
    pub message: String,
}

/// What an import did.
#[derive(Debug)]
pub struct Run {
    /// Files that are no session or can't be read, in the order of their paths.
    pub failed: Vec<FileFailure>,
    /// Names of all sessions of the folder: of the copy, or the path where none is kept.
    pub names: Vec<String>,
    /// Files that weren't read again.
    pub reused: u64,
    /// Lines of the journal that can't be read.
    pub journal_damage: u64,
    /// Everything the folder holds, by source.
    records: BTreeMap<String, Record>,
    /// Of all its sessions, in the order of the sources.
    accounts: Vec<Account>,
    /// Path and index of the sessions of this run, in the order of their paths.
    listed: Vec<(String, usize)>,
}

impl Run {
    /// The sessions of this run in the order of their paths.
    pub fn sessions(&self) -> Vec<Imported<'_>> {
        let all = sessions(&self.records);
        let listed = self.listed.iter().map(|(path, at)| Imported {
            path,
            stored: all[*at].1,
            account: &self.accounts[*at],
        });
        listed.collect()
    }
}

/// What came of one file in this run.
enum Done {
    Record {
        record: Box<Record>,
        reused: bool,
        /// What an earlier import read under this path, where the log doesn't continue it: it stays.
        retained: Option<Record>,
    },
    Failed(Refusal),
}

struct Job<'j> {
    settings: &'j Settings,
    destination: Option<&'j Destination>,
    journal: Option<Journal>,
    held: BTreeMap<String, Record>,
    copyist: Option<Copyist>,
    made_with: String,
    progress: &'j Progress<'j>,
}

/// Imports what was found; without a destination only figures are made.
///
/// # Errors
/// Where the destination can't be written, and usage where it holds copies made under another key or none.
pub fn import(
    found: &Found,
    destination: Option<&Destination>,
    settings: &Settings,
    view: View,
    progress: &Progress<'_>,
) -> Result<Run, Failure> {
    let (journal, held) = match destination {
        Some(destination) => {
            let (journal, held) = Journal::open(destination.root())?;
            (Some(journal), held)
        }
        None => (None, Held::default()),
    };
    let mode = mode(settings);
    refuse_other_mode(&held.records, &mode)?;
    let journal_damage = held.unreadable;
    let copyist = settings.redaction.as_ref().map(|key| Copyist::new(key.clone(), names(found)));
    let made_with = made_with(settings, &mode, copyist.as_ref());
    let mut job = Job { settings, destination, journal, held: held.records, copyist, made_with, progress };
    let done = found.files.par_iter().map(|source| job.file(source)).collect::<Result<_, _>>()?;
    let records = std::mem::take(&mut job.held);
    let mut gathered = Gathered { records, ..Gathered::default() };
    gathered.take(&job, found, done);
    if let Some(destination) = destination {
        gathered.retire(destination)?;
        let records = &gathered.records;
        destination.publish(Path::new(journal::NAME), journal::sorted(records)?.as_bytes())?;
        destination.write_manifest(&manifest_json(records, settings.each_alone))?;
    }
    Ok(gathered.settle(settings, view, journal_damage))
}

/// What all threads found.
#[derive(Default)]
struct Gathered {
    records: BTreeMap<String, Record>,
    failed: Vec<FileFailure>,
    reused: u64,
    /// Path as shown, and source.
    imported: Vec<(String, String)>,
}

impl Gathered {
    fn take(&mut self, job: &Job<'_>, found: &Found, done: Vec<Done>) {
        let unreadable = found.unreadable.iter();
        self.failed.extend(unreadable.map(|(path, error)| job.failure(path, &Refusal::unreadable(error))));
        for (source, done) in found.files.iter().zip(done) {
            match done {
                Done::Failed(refusal) => self.failed.push(job.failure(&source.path, &refusal)),
                Done::Record { record, reused, retained } => {
                    self.reused += u64::from(reused);
                    self.records.extend(retained.map(|old| (old.source.clone(), old)));
                    self.take_record(job.shown(&source.path), *record);
                }
            }
        }
        self.failed.sort_by(|a, b| a.path.cmp(&b.path));
    }

    fn take_record(&mut self, path: String, record: Record) {
        match &record.outcome {
            Outcome::Session(_) => self.imported.push((path, record.source.clone())),
            Outcome::Refused { code, message } => {
                self.failed.push(FileFailure { path, code: code.clone(), message: message.clone() });
            }
        }
        self.records.insert(record.source.clone(), record);
    }

    /// Removes the copies that longer ones of the same logs replaced. The journal has their names until they are gone.
    fn retire(&mut self, destination: &Destination) -> Result<(), Failure> {
        let kept: BTreeSet<String> = sessions(&self.records)
            .into_iter()
            .filter_map(|(_, stored)| stored.copy.as_ref().map(|copy| copy.name.clone()))
            .collect();
        for record in self.records.values_mut() {
            for name in record.replaces.drain(..).filter(|name| !kept.contains(name)) {
                destination.remove_copy(&name)?;
            }
        }
        Ok(())
    }

    fn settle(self, settings: &Settings, view: View, journal_damage: u64) -> Run {
        let all = sessions(&self.records);
        let accounts = settle(&members(&all), view, settings.each_alone);
        let names = all.iter().map(|(source, stored)| name(source, stored)).collect();
        let place: HashMap<&str, usize> =
            all.iter().enumerate().map(|(at, (source, _))| (*source, at)).collect();
        let listed = self.imported.into_iter().map(|(path, source)| (path, place[source.as_str()])).collect();
        let (failed, reused, records) = (self.failed, self.reused, self.records);
        Run { failed, names, reused, journal_damage, accounts, listed, records }
    }
}

/// Version of the readers and the settings that a record depends on.
fn made_with(settings: &Settings, mode: &str, copyist: Option<&Copyist>) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let engine = engine_digest("");
    let format = settings.format.map_or("auto", Format::name);
    let names = copyist.map_or("", |copyist| copyist.fingerprint());
    let strings = settings.max_blob;
    format!("{mode};figures {FIGURES};{version};{engine};format {format};strings {strings};names {names}")
}

/// Sessions among the records, by source.
pub fn sessions(records: &BTreeMap<String, Record>) -> Vec<(&str, &Stored)> {
    let all = records.values().filter_map(|record| match &record.outcome {
        Outcome::Session(stored) => Some((record.source.as_str(), stored.as_ref())),
        Outcome::Refused { .. } => None,
    });
    all.collect()
}

/// What [`settle`] is given of them.
pub fn members<'m>(sessions: &[(&'m str, &'m Stored)]) -> Vec<Member<'m>> {
    let file_name =
        |source: &'m str| Path::new(source).file_name().and_then(|name| name.to_str()).unwrap_or("");
    let members = sessions.iter().map(|(source, stored)| Member {
        name: source,
        file_name: file_name(source),
        source_hash: &stored.source_hash,
        summary: &stored.summary,
    });
    members.collect()
}

/// A session's name in documents: that of its copy, or its path where none is kept.
pub fn name(source: &str, stored: &Stored) -> String {
    stored.copy.as_ref().map_or_else(|| source.to_owned(), |copy| copy.name.clone())
}

/// What copies of one folder have in common.
fn mode(settings: &Settings) -> String {
    match &settings.redaction {
        Some(key) => format!("redacted under {}", &key.mac("key", b"")[..16]),
        None => "plain".to_owned(),
    }
}

fn refuse_other_mode(held: &BTreeMap<String, Record>, mode: &str) -> Result<(), Failure> {
    let is_other = |record: &&Record| record.made_with.split(';').next() != Some(mode);
    match held.values().find(is_other) {
        Some(_) => Err(Failure::usage(
            "output folder: holds copies that are redacted otherwise, or not at all: choose another folder",
        )),
        None => Ok(()),
    }
}

/// Users' names that any of the files or their paths tell. What can't be read here is told when it is imported.
fn names(found: &Found) -> BTreeSet<String> {
    let of_file = |source: &Source| {
        let mut names = engine::privacy::Redactor::names_in(&source.real.to_string_lossy());
        if let Ok(read) = open_regular(&source.path).and_then(names_in) {
            names.extend(read);
        }
        names
    };
    found.files.par_iter().map(of_file).reduce(BTreeSet::new, |mut a, b| {
        a.extend(b);
        a
    })
}

impl Job<'_> {
    /// A path or a message as documents show it.
    fn shown(&self, path: &Path) -> String {
        let path = path.to_string_lossy();
        self.copyist.as_ref().map_or_else(|| path.to_string(), |copyist| copyist.text(&path))
    }

    fn failure(&self, path: &Path, refusal: &Refusal) -> FileFailure {
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

    fn file(&self, source: &Source) -> Result<Done, Failure> {
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

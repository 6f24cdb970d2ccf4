//! A whole import: every file found, in parallel; the accounts of all sessions settled at the end.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use adapters::log::View;
use adapters::open_regular;
use rayon::prelude::*;

use super::dedup::settle;
use super::destination::Destination;
use super::discover::{Found, Source};
use super::document::manifest_json;
use super::imported::{FileFailure, Run};
use super::job::{Done, Job, Progress, Settings, made_with, mode, refuse_other_mode};
use super::journal::{self, Held, Journal, Outcome, Record};
use super::pipeline::Refusal;
use super::redact::{Copyist, names_in};
use super::sessions::{members, name, sessions};
use crate::failure::Failure;

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

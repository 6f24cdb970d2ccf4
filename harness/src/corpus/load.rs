//! Reading a corpus folder.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use engine::message::hex;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use verdict::Tier;

use super::row::Names;
use super::{Fault, FaultCode, Manifest, Row, RunKey, SCRIPTED_PROVIDER, Scope, inside};
use crate::failure::Failure;

/// Why a folder can't be read as a corpus.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// A file can't be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The folder isn't a corpus.
    #[error("{}: {message}", path.display())]
    NotACorpus {
        /// Where.
        path: PathBuf,
        /// Why not.
        message: String,
    },
}

impl From<CorpusError> for Failure {
    fn from(error: CorpusError) -> Failure {
        match &error {
            CorpusError::Io { path, source } => Failure::io(path, source),
            CorpusError::NotACorpus { .. } => Failure::bad_data(error.to_string()),
        }
    }
}

/// A corpus that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Corpus {
    /// Its folder.
    pub folder: PathBuf,
    /// Its manifest.
    pub manifest: Manifest,
    /// Its readable rows by key; of two rows with one key, the one that sorts first.
    pub rows: BTreeMap<RunKey, Row>,
    /// SHA-256 over the canonical rows sorted by key, lower-case hex.
    pub sha256: String,
}

impl Corpus {
    /// Reads a corpus and what is wrong with its rows against its schedule. Files that rows name aren't read yet.
    ///
    /// # Errors
    /// [`CorpusError::Io`] where the folder, `corpus.toml` or `runs.jsonl` can't be read, [`CorpusError::NotACorpus`]
    /// where they aren't what they should be.
    pub fn load(folder: &Path) -> Result<(Corpus, Vec<Fault>), CorpusError> {
        let (manifest_path, manifest) = read_text(folder, "corpus.toml")?;
        let manifest = Manifest::parse(&manifest_path, &manifest)?;
        let (rows, mut faults, sha256) = {
            let (_, text) = read_text(folder, "runs.jsonl")?;
            let (rows, faults) = parse_rows(&text);
            let sha256 = hash_rows(&rows);
            let rows: Vec<Row> = rows.into_iter().map(|(row, _)| row).collect();
            (rows, faults, sha256)
        };
        // The text of a large campaign takes as much memory as its rows: it is gone before their map is made.
        let rows = by_key(rows, &mut faults);
        against_schedule(&manifest, &rows, &mut faults);
        each_once(&rows, &mut faults);
        faults.sort();
        Ok((Corpus { folder: folder.to_path_buf(), manifest, rows, sha256 }, faults))
    }

    /// Rows of a variant, in the order of keys.
    pub fn of_variant<'c>(&'c self, variant: &'c str) -> impl Iterator<Item = &'c Row> {
        self.rows.values().filter(move |row| row.key.variant == variant)
    }
}

/// The path and the text of a file that lies in the folder itself: what a link leads to could change unseen.
fn read_text(folder: &Path, name: &str) -> Result<(PathBuf, String), CorpusError> {
    let path = inside(folder, name).map_err(|message| CorpusError::NotACorpus {
        path: folder.join(name),
        message: format!("{message}: put the file itself there"),
    })?;
    let bytes = fs::read(&path).map_err(|source| match source.kind() {
        // A readable folder without the file isn't a corpus; an absent or closed folder is an input error.
        io::ErrorKind::NotFound if folder.is_dir() => CorpusError::NotACorpus {
            path: path.clone(),
            message: "missing: choose a folder with corpus.toml and runs.jsonl".to_owned(),
        },
        _ => CorpusError::Io { path: path.clone(), source },
    })?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok((path, text)),
        Err(error) => {
            let message = format!("not UTF-8 from byte {}", error.utf8_error().valid_up_to());
            Err(CorpusError::NotACorpus { path, message })
        }
    }
}

/// A row with its line in canonical form.
type Canonical<'t> = (Row, Cow<'t, str>);

/// Lines that are read side by side: what stands beyond the rows is kept for so many only.
const LINES: usize = 8_192;

/// The readable rows in the order of keys, on all threads of the current pool.
fn parse_rows(text: &str) -> (Vec<Canonical<'_>>, Vec<Fault>) {
    let mut rows = Vec::new();
    let mut faults = Vec::new();
    let mut names = Names::default();
    let lines: Vec<(usize, &str)> =
        text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).collect();
    for some in lines.chunks(LINES) {
        let parsed: Vec<_> = some.par_iter().map(|(index, line)| (index, Row::parse(line))).collect();
        for (index, row) in parsed {
            match row {
                Ok((mut row, canonical)) => {
                    names.share(&mut row);
                    rows.push((row, canonical));
                }
                Err(message) => faults.push(Fault::new(
                    FaultCode::RowMalformed,
                    Scope::default(),
                    format!("runs.jsonl line {}: {message}", index + 1),
                )),
            }
        }
    }
    // Rows that compare alike are alike: nothing has to keep their order, and no copy of the list is made.
    rows.sort_unstable_by(|(a, line), (b, other)| (&a.key, line).cmp(&(&b.key, other)));
    (rows, faults)
}

fn hash_rows(rows: &[Canonical<'_>]) -> String {
    let mut hash = Sha256::new();
    for (_, canonical) in rows {
        hash.update(canonical.as_bytes());
        hash.update(b"\n");
    }
    hex(&hash.finalize())
}

fn by_key(rows: Vec<Row>, faults: &mut Vec<Fault>) -> BTreeMap<RunKey, Row> {
    let mut by_key = BTreeMap::new();
    for row in rows {
        if by_key.contains_key(&row.key) {
            let message = "two rows for one run: which is the evidence can't be known";
            faults.push(Fault::of_corpus(FaultCode::RowDuplicate, &row.key, message));
        } else {
            by_key.insert(row.key.clone(), row);
        }
    }
    by_key
}

/// A run is evidence once: two rows with one session, by name or by content, count one run twice.
fn each_once(rows: &BTreeMap<RunKey, Row>, faults: &mut Vec<Fault>) {
    let mut seen: BTreeMap<&str, &RunKey> = BTreeMap::new();
    for row in rows.values() {
        let Some(recorded) = row.result() else { continue };
        for name in [recorded.session.as_str(), recorded.sha256.as_str()] {
            if let Some(first) = seen.insert(name, &row.key) {
                let message = format!("the same session as {first}: a run counts once");
                faults.push(Fault::of_corpus(FaultCode::RunRepeated, &row.key, message));
                break;
            }
        }
    }
}

fn against_schedule(manifest: &Manifest, rows: &BTreeMap<RunKey, Row>, faults: &mut Vec<Fault>) {
    let schedule = &manifest.schedule;
    for key in schedule.keys().filter(|key| !rows.contains_key(key)) {
        let message = "scheduled, but runs.jsonl has no row: a run may be missing, its row may not";
        faults.push(Fault::of_corpus(FaultCode::RowMissing, &key, message));
    }
    for row in rows.values() {
        if !schedule.contains(&row.key) {
            let message = "a row that the manifest doesn't schedule";
            faults.push(Fault::of_corpus(FaultCode::RowUnscheduled, &row.key, message));
        }
        let Some(recorded) = &row.recorded else { continue };
        if *recorded.provider == *SCRIPTED_PROVIDER && *recorded.tier == *Tier::RecordedModel.as_str() {
            let message = "the scripted model answered: no real model was recorded";
            faults.push(Fault::of_run(FaultCode::TierMismatch, &row.key, message));
        }
        if *recorded.tier != *manifest.tier.as_str() {
            let message =
                format!("tier `{}` in a corpus of tier `{}`", recorded.tier, manifest.tier.as_str());
            faults.push(Fault::of_run(FaultCode::TierMismatch, &row.key, message));
        }
    }
}

//! The corpus folder that a campaign fills. Every file is published by rename; `.record/` holds what only this program
//! needs and may be deleted once the corpus is complete: nothing is recorded into the folder again then.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use engine::message::{sha256_hex, stable_json};

use crate::hold::Hold;

use super::error::RecordError;
use super::row::RunRow;
use super::server::random_token;
use super::wire::merge_blocks;

/// Working state, never part of the corpus.
const STATE: &str = ".record";
/// The journal in it.
const JOURNAL: &str = "journal.jsonl";

/// The key of the hashes in a corpus's manifests: drawn once, kept among the working state, never part of the corpus.
///
/// # Errors
/// It can't be read or written.
pub fn corpus_salt(root: &Path) -> Result<Vec<u8>, RecordError> {
    let store = Store::open(root)?;
    let path = format!("{STATE}/salt");
    if !store.has(&path) {
        store.put(&path, &random_token())?;
    }
    Ok(store.read(&path)?.into_bytes())
}

/// A corpus that is complete, or whose journal is gone, would be written over file by file, under the manifest of the former
/// campaign.
fn refuse_foreign(root: &Path) -> Result<(), RecordError> {
    let entries = match fs::read_dir(root) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(|error| RecordError::io(root, error))?,
    };
    for entry in entries {
        let name = entry.map_err(|error| RecordError::io(root, error))?.file_name();
        if name != STATE {
            let (out, name) = (root.display(), name.display());
            let message = format!("{out}: holds {name}, and no journal of a recording: choose another --out");
            return Err(RecordError::Usage(message));
        }
    }
    Ok(())
}

/// A corpus folder under construction, held by one recording at a time.
#[derive(Debug)]
pub(super) struct Store {
    root: PathBuf,
    // The corpus folder itself is held by whoever adds a look to it.
    _alone: Hold,
}

/// A stored file: its path relative to the corpus, and the hash of its content.
pub(super) struct Stored {
    pub path: String,
    pub sha256: String,
}

impl Store {
    /// Makes the folder if need be.
    ///
    /// # Errors
    /// It can't be written, another recording holds it, or it holds files and no journal of a recording.
    pub fn open(root: &Path) -> Result<Self, RecordError> {
        let state = root.join(STATE);
        if !state.join(JOURNAL).exists() {
            refuse_foreign(root)?;
        }
        fs::create_dir_all(&state).map_err(|error| RecordError::io(&state, error))?;
        let mode = fs::Permissions::from_mode(0o700);
        fs::set_permissions(&state, mode).map_err(|error| RecordError::io(&state, error))?;
        let alone = Hold::now(&state).map_err(RecordError::Failed)?;
        let store = Store { root: root.to_path_buf(), _alone: alone };
        store.put(&format!("{STATE}/.gitignore"), "*\n")?;
        Ok(store)
    }

    /// Refuses a folder that holds more than working state, where the journal doesn't tell whose files these are.
    ///
    /// # Errors
    /// It holds files, or can't be read.
    pub fn refuse_foreign(&self) -> Result<(), RecordError> {
        refuse_foreign(&self.root)
    }

    pub fn journal(&self) -> PathBuf {
        self.root.join(STATE).join(JOURNAL)
    }

    /// Publishes a file: whole or not at all, whenever the process is killed.
    pub fn put(&self, path: &str, content: &str) -> Result<Stored, RecordError> {
        let target = self.root.join(path);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder).map_err(|error| RecordError::io(folder, error))?;
        }
        let staged = self.root.join(STATE).join("staged");
        let written = File::create(&staged).and_then(|mut file| {
            file.write_all(content.as_bytes())?;
            file.sync_data()
        });
        written.map_err(|error| RecordError::io(&staged, error))?;
        fs::rename(&staged, &target).map_err(|error| RecordError::io(&target, error))?;
        Ok(Stored { path: path.to_owned(), sha256: sha256_hex(content.as_bytes()) })
    }

    /// Keeps the blocks of one run until the scenario's are joined.
    pub fn put_blocks(&self, run: &str, blocks: &str) -> Result<(), RecordError> {
        self.put(&format!("{STATE}/blocks/{run}.jsonl"), blocks).map(|_| ())
    }

    /// Whether everything that a row speaks of is there, unchanged.
    pub fn holds(&self, row: &RunRow, run: &str) -> bool {
        let intact = |path: &str, hash: &str| {
            fs::read(self.root.join(path)).is_ok_and(|content| sha256_hex(&content) == hash)
        };
        let blocks = self.root.join(STATE).join(format!("blocks/{run}.jsonl"));
        row.files().all(|(path, hash)| intact(path, hash)) && (row.session.is_none() || blocks.is_file())
    }

    pub fn has(&self, path: &str) -> bool {
        self.root.join(path).is_file()
    }

    pub fn read(&self, path: &str) -> Result<String, RecordError> {
        let path = self.root.join(path);
        fs::read_to_string(&path).map_err(|error| RecordError::io(&path, error))
    }

    /// Joins each scenario's blocks and publishes the rows, in the order of their keys.
    ///
    /// `runs` names for each row the run whose blocks it uses.
    pub fn finish(&self, rows: &[RunRow], runs: &[String]) -> Result<(), RecordError> {
        let mut blocks: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (row, run) in rows.iter().zip(runs).filter(|(row, _)| row.session.is_some()) {
            blocks.entry(&row.scenario).or_default().push(self.read(&format!("{STATE}/blocks/{run}.jsonl"))?);
        }
        for (scenario, files) in blocks {
            let merged = merge_blocks(files.iter().map(String::as_str)).map_err(RecordError::Data)?;
            self.put(&format!("blocks/{scenario}.jsonl"), &merged)?;
        }
        let mut sorted: Vec<&RunRow> = rows.iter().collect();
        sorted.sort_by(|a, b| {
            (&a.scenario, &a.variant, a.repetition).cmp(&(&b.scenario, &b.variant, b.repetition))
        });
        let mut text = String::new();
        for row in sorted {
            // In the form that the corpus is hashed in: a reader has it without writing the row again.
            let row = serde_json::to_value(row).expect("a row holds only strings, numbers and flags");
            text.push_str(&stable_json(&row));
            text.push('\n');
        }
        self.put("runs.jsonl", &text).map(|_| ())
    }
}

//! The folder of a gate's reports. Its files belong together: one gate at a time holds the folder, withdraws what an earlier one
//! left there before it begins, and publishes `verdict` last. Where that file stands, the others are of the same run.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::render::verdict_word;
use crate::apart::apart_from_evidence;
use crate::failure::{Failure, read_text};
use crate::gate::document::Document;
use crate::hold::Hold;
use crate::publish::publish;
use crate::staged::{STAGED, Staged};

/// What a gate publishes, in the order in which it is withdrawn.
const REPORTS: [&str; 6] =
    ["verdict", "gate.json", "junit.xml", "report.html", "report.md", "metrics.parquet"];

/// The folder that a gate publishes its reports in.
#[derive(Debug)]
pub struct Reports {
    folder: PathBuf,
    hold: Option<Hold>,
}

impl Reports {
    /// Withdraws what an earlier gate left in the folder, so that nobody takes it for what this one says, whatever becomes
    /// of it. A folder that isn't there is made by [`Reports::make`].
    ///
    /// # Errors
    /// Input and output (74): another gate holds the folder, it is none, or a report in it can't be removed. Usage (64): it is
    /// a corpus, lies in one, or has no name.
    pub fn withdraw(folder: &Path) -> Result<Reports, Failure> {
        let mut reports = Reports { folder: folder.to_path_buf(), hold: None };
        if folder.as_os_str().is_empty() {
            return Err(Failure::usage("out: an empty name: name a folder"));
        }
        apart_from_evidence(folder)?;
        match folder.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(Failure::io(folder, &error)),
            Ok(_) => reports.take()?,
        }
        Ok(reports)
    }

    /// Makes the folder where it isn't there.
    ///
    /// # Errors
    /// As [`Reports::withdraw`].
    pub fn make(&mut self) -> Result<(), Failure> {
        if self.hold.is_some() {
            return Ok(());
        }
        fs::create_dir_all(&self.folder).map_err(|error| Failure::io(&self.folder, &error))?;
        self.take()
    }

    fn take(&mut self) -> Result<(), Failure> {
        self.hold = Some(Hold::now(&self.folder)?);
        for name in REPORTS {
            remove(&self.folder.join(name))?;
        }
        // What a gate left that was killed while it wrote.
        for entry in fs::read_dir(&self.folder).map_err(|error| Failure::io(&self.folder, &error))? {
            let entry = entry.map_err(|error| Failure::io(&self.folder, &error))?;
            let staged = entry.file_name().to_string_lossy().starts_with(STAGED);
            if staged && entry.file_type().is_ok_and(|kind| kind.is_file()) {
                remove(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Begins one of the reports, which stands nowhere until it is published.
    ///
    /// # Errors
    /// Input and output (74), with the path.
    pub fn stage(&self, name: &str) -> Result<Staged, Failure> {
        debug_assert!(REPORTS.contains(&name), "{name} would outlive the run that it is of");
        Staged::create(&self.folder, name)
    }

    /// Publishes one of the reports.
    ///
    /// # Errors
    /// Input and output (74), with the path.
    pub fn publish(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        debug_assert!(REPORTS.contains(&name), "{name} would outlive the run that it is of");
        publish(&self.folder, name, bytes)
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// What a gate that ended left in a folder, held so that no other begins while it is read and drawn again.
#[derive(Debug)]
pub struct Ended {
    /// `gate.json` as it stands there.
    pub text: String,
    /// The same, read.
    pub document: Document,
    _hold: Hold,
}

impl Ended {
    /// Reads it.
    ///
    /// # Errors
    /// Input and output (74): a gate holds the folder, or it can't be read. Bad data (65): it holds no document of this version,
    /// or no `verdict` of the same run: the gate was killed or failed, and what it left counts for nothing.
    pub fn read(folder: &Path) -> Result<Ended, Failure> {
        let hold = Hold::now(folder)?;
        let path = folder.join("gate.json");
        let text = read_text(&path)?;
        let document = Document::from_json(&text, &path.display().to_string())?;
        let path = folder.join("verdict");
        let told = match crate::regular::read(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                let message = "missing: the gate that wrote beside it didn't end: run `harness gate` again";
                return Err(Failure::bad_data(format!("{}: {message}", path.display())));
            }
            told => told.map_err(|error| Failure::io(&path, &error))?,
        };
        if told != verdict_word(&document) {
            let message = format!("isn't {} as in gate.json: run `harness gate` again", document.result);
            return Err(Failure::bad_data(format!("{}: {message}", path.display())));
        }
        Ok(Ended { text, document, _hold: hold })
    }
}

fn remove(file: &Path) -> Result<(), Failure> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Failure::io(file, &error)),
        _ => Ok(()),
    }
}

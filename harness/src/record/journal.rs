//! The journal: what has been done, one JSON object a line, appended and synced after the files it speaks of are in place.
//!
//! A kill can tear its last line. Reading it again cuts that line off: what it would have said is done again, with the
//! same result. A line that isn't the last and can't be read is damage, and refused.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::RecordError;
use super::row::RunRow;

/// One thing done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// The campaign began; everything that could change its result is in the hash.
    Began {
        /// Hash of the plan.
        plan_sha256: String,
    },
    /// A run is complete: its files are in place.
    Run {
        /// Number of the block.
        block: usize,
        /// Attempt at the block, from 0.
        attempt: u32,
        /// The row.
        row: Box<RunRow>,
    },
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the journal, reads what it holds and cuts off a torn last line.
    ///
    /// # Errors
    /// It can't be read or written, or a line before the last is damaged.
    pub fn open(path: &Path) -> Result<(Self, Vec<Event>), RecordError> {
        let io = |error| RecordError::io(path, error);
        let text = match fs::read(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(io(error)),
        };
        let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
        let mut events = Vec::new();
        for (number, line) in text[..whole].split(|byte| *byte == b'\n').enumerate() {
            if line.is_empty() {
                continue;
            }
            let event = serde_json::from_slice(line).map_err(|error| {
                let line = number + 1;
                let path = path.display();
                RecordError::Data(format!("{path}: line {line}: {error}: record into another folder"))
            })?;
            events.push(event);
        }
        let file = File::options().create(true).append(true).open(path).map_err(io)?;
        if whole < text.len() {
            file.set_len(whole as u64).map_err(io)?;
        }
        Ok((Journal { path: path.to_path_buf(), file }, events))
    }

    /// Appends one event and waits until it is on the disk.
    ///
    /// # Errors
    /// It can't be written.
    pub fn append(&mut self, event: &Event) -> Result<(), RecordError> {
        let mut line = serde_json::to_vec(event).expect("an event holds only strings, numbers and flags");
        line.push(b'\n');
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        written.map_err(|error| RecordError::io(&self.path, error))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn began(text: &str) -> Event {
        Event::Began { plan_sha256: text.to_owned() }
    }

    proptest! {
        #[test]
        fn whatever_byte_the_kill_tears_at_whole_lines_stay(
            texts in proptest::collection::vec("[a-zäλ\\n\"]{0,12}", 1..5),
            cut in 0.0..1.0_f64,
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("journal.jsonl");
            let (mut journal, _) = Journal::open(&path).unwrap();
            for text in &texts {
                journal.append(&began(text)).unwrap();
            }
            let bytes = fs::read(&path).unwrap();
            let kept = (bytes.len() as f64 * cut) as usize;
            fs::write(&path, &bytes[..kept]).unwrap();
            let lines = bytes[..kept].iter().filter(|byte| **byte == b'\n').count();

            let (mut journal, events) = Journal::open(&path).unwrap();
            let expected: Vec<Event> = texts[..lines].iter().map(|text| began(text)).collect();
            prop_assert_eq!(&events, &expected);
            journal.append(&began("next")).unwrap();
            let (_, events) = Journal::open(&path).unwrap();
            prop_assert_eq!(events.len(), lines + 1);
        }
    }

    #[test]
    fn damage_before_the_last_line_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        fs::write(&path, "{\"event\":\"beg\n{\"event\":\"began\",\"plan_sha256\":\"x\"}\n").unwrap();
        assert!(Journal::open(&path).unwrap_err().to_string().contains("line 1"));
    }
}

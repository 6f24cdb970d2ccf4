//! What the assistant has done so far, read off the conversation alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::scenario::Knowledge;

use super::Transcript;
use super::task::Task;

/// State of a region that has to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Region {
    /// As it came.
    Pristine,
    /// Changed in the plausible wrong way.
    Bad,
    /// Changed as it should be.
    Right,
}

/// One run of the check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Check {
    /// Whether it passed.
    pub passed: bool,
    /// Edits made before it.
    pub edits: u32,
}

/// Everything done.
#[derive(Debug, Clone, Default)]
pub(super) struct Progress {
    /// State of each right edit's region.
    pub regions: Vec<Region>,
    /// The file in which each plausible neighbour is changed at the moment.
    pub loose: Vec<Option<String>>,
    /// Neighbours that were changed at any time.
    pub tried: BTreeSet<usize>,
    /// The file in which the first region was changed in the wrong way.
    pub bad_path: Option<String>,
    /// Successful edit calls.
    pub edits: u32,
    /// Failed edit calls.
    pub failed_edits: u32,
    /// Files whose last edit failed and that weren't read since.
    pub doubtful: BTreeSet<String>,
    /// Runs of the check, in order.
    pub checks: Vec<Check>,
    /// Files read or tried to, and how often.
    pub read: BTreeMap<String, u32>,
    /// Number of read calls.
    pub reads: u32,
    /// Read calls since the last search.
    pub reads_since_search: u32,
    /// The last call, if it was a read: its path.
    pub just_read: Option<String>,
    /// Commands run.
    pub commands: BTreeSet<String>,
    /// Folders listed.
    pub listed: BTreeSet<String>,
}

impl Progress {
    /// Reads it off a request.
    pub fn of(view: &Transcript, knowledge: &Knowledge, task: &Task) -> Self {
        let mut progress = Progress {
            regions: vec![Region::Pristine; knowledge.edits.len()],
            loose: vec![None; knowledge.distractors.len()],
            ..Progress::default()
        };
        for (call, text, failed) in view.answered() {
            progress.just_read = None;
            match call.name.as_str() {
                "edit" => progress.edited(call, failed, knowledge),
                "read" => progress.has_read(call.text("path").unwrap_or_default(), failed),
                "ls" => {
                    progress.listed.insert(call.text("path").unwrap_or(".").to_owned());
                }
                "bash" => progress.ran(call.text("command").unwrap_or_default(), text, failed, task),
                _ => {}
            }
        }
        progress
    }

    fn edited(&mut self, call: &super::Call, failed: bool, knowledge: &Knowledge) {
        let path = call.text("path").unwrap_or_default().to_owned();
        if failed {
            self.failed_edits += 1;
            self.doubtful.insert(path);
            return;
        }
        self.edits += 1;
        let changes = call.arguments.get("edits").and_then(serde_json::Value::as_array);
        for change in changes.into_iter().flatten() {
            let text = |name| change.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
            self.changed(&path, text("oldText"), text("newText"), knowledge);
        }
    }

    fn changed(&mut self, path: &str, old: &str, new: &str, knowledge: &Knowledge) {
        for (state, edit) in self.regions.iter_mut().zip(&knowledge.edits) {
            if new == edit.replace {
                *state = Region::Right;
            }
        }
        if knowledge.bad_first_edit.as_ref().is_some_and(|bad| new == bad.replace) {
            self.regions[0] = Region::Bad;
            self.bad_path = Some(path.to_owned());
        }
        for (number, neighbour) in knowledge.distractors.iter().enumerate() {
            if old == neighbour.find && new == neighbour.replace {
                self.loose[number] = Some(path.to_owned());
                self.tried.insert(number);
            } else if old == neighbour.replace && new == neighbour.find {
                self.loose[number] = None;
            }
        }
    }

    fn has_read(&mut self, path: &str, failed: bool) {
        self.reads += 1;
        self.reads_since_search += 1;
        *self.read.entry(path.to_owned()).or_default() += 1;
        if !failed {
            self.doubtful.remove(path);
            self.just_read = Some(path.to_owned());
        }
    }

    fn ran(&mut self, command: &str, text: &str, failed: bool, task: &Task) {
        self.commands.insert(command.to_owned());
        if task.check.as_deref() == Some(command) {
            // Not every wire format has a mark for a failed call; the agent's own note is in the text.
            let passed = !failed && !text.contains("Command exited with code");
            self.checks.push(Check { passed, edits: self.edits });
        } else {
            self.reads_since_search = 0;
        }
    }

    /// The last run of the check, if nothing was edited since.
    pub fn fresh_check(&self) -> Option<Check> {
        self.checks.last().copied().filter(|check| check.edits == self.edits)
    }

    /// Failed runs of the check that came after an edit.
    pub fn failed_checks(&self) -> u32 {
        let failed = self.checks.iter().filter(|check| !check.passed && check.edits > 0).count();
        u32::try_from(failed).unwrap_or(u32::MAX)
    }

    /// Whether every region is as it should be.
    pub fn complete(&self) -> bool {
        self.regions.iter().all(|region| *region == Region::Right)
    }
}

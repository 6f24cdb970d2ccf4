//! What an import did.

use std::collections::BTreeMap;

use super::dedup::Account;
use super::journal::{Record, Stored};
use super::sessions::sessions;

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
    pub(super) records: BTreeMap<String, Record>,
    /// Of all its sessions, in the order of the sources.
    pub(super) accounts: Vec<Account>,
    /// Path and index of the sessions of this run, in the order of their paths.
    pub(super) listed: Vec<(String, usize)>,
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

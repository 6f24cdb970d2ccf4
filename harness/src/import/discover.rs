//! Paths on the command line to session files.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// How names of logs end.
pub const ENDINGS: [&str; 3] = [".jsonl", ".jsonl.zst", ".jsonl.zstd"];

/// What was found below the paths named.
#[derive(Debug, Default)]
pub struct Found {
    /// Files named, and every log below the folders named: sorted by the bytes of their paths, each file once.
    pub files: Vec<Source>,
    /// Files and folders that can't be looked at.
    pub unreadable: Vec<(PathBuf, io::Error)>,
    /// Folders named that hold no log.
    pub empty: Vec<PathBuf>,
}

/// One file to import.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// As it was named.
    pub path: PathBuf,
    /// The same place in its one spelling.
    pub real: PathBuf,
}

/// Bytes of a path: a total order that no locale changes.
pub fn sort_key(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// Lists the files named and the logs below the folders named, those below `except` aside: an import doesn't read what it
/// writes. Symbolic links below a folder aren't followed; a link that is named itself is.
pub fn discover(paths: &[PathBuf], except: Option<&Path>) -> Found {
    let except = except.and_then(|folder| folder.canonicalize().ok());
    let mut found = Found::default();
    let mut named = Vec::new();
    for path in paths {
        if path.is_dir() {
            let before = named.len() + found.unreadable.len();
            walk(path, except.as_deref(), &mut named, &mut found.unreadable);
            if named.len() + found.unreadable.len() == before {
                found.empty.push(path.clone());
            }
        } else {
            named.push(path.clone());
        }
    }
    named.sort_by(|a, b| sort_key(a).cmp(sort_key(b)));
    let mut seen = BTreeSet::new();
    for path in named {
        match fs::canonicalize(&path) {
            Ok(real) if seen.contains(&real) => {}
            Ok(real) => {
                seen.insert(real.clone());
                found.files.push(Source { path, real });
            }
            Err(error) => found.unreadable.push((path, error)),
        }
    }
    found.unreadable.sort_by(|(a, _), (b, _)| sort_key(a).cmp(sort_key(b)));
    found.unreadable.dedup_by(|(a, _), (b, _)| a == b);
    found.empty.sort_by(|a, b| sort_key(a).cmp(sort_key(b)));
    found.empty.dedup();
    found
}

fn walk(
    folder: &Path,
    except: Option<&Path>,
    files: &mut Vec<PathBuf>,
    unreadable: &mut Vec<(PathBuf, io::Error)>,
) {
    if except.is_some_and(|except| folder.canonicalize().is_ok_and(|real| real == except)) {
        return;
    }
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return unreadable.push((folder.to_owned(), error)),
    };
    for entry in entries {
        let listed = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)));
        match listed {
            Ok((path, kind)) if kind.is_dir() => walk(&path, except, files, unreadable),
            Ok((path, kind)) if kind.is_file() && path.file_name().is_some_and(is_log_name) => {
                files.push(path);
            }
            Ok(_) => {}
            Err(error) => unreadable.push((folder.to_owned(), error)),
        }
    }
}

fn is_log_name(name: &OsStr) -> bool {
    ENDINGS.iter().any(|ending| name.as_encoded_bytes().ends_with(ending.as_bytes()))
}

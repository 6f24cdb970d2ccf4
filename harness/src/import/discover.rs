//! Paths on the command line to session files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Bytes of a path: a total order that no locale changes.
pub fn sort_key(path: &Path) -> Vec<u8> {
    path.as_os_str().as_encoded_bytes().to_vec()
}

/// Files named, and every `.jsonl` file below the folders named, sorted, each once. Symbolic links below a folder aren't
/// followed. What can't be listed is returned beside.
pub fn discover(paths: &[PathBuf]) -> (Vec<PathBuf>, Vec<(PathBuf, io::Error)>) {
    let mut files = Vec::new();
    let mut unreadable = Vec::new();
    for path in paths {
        if path.is_dir() {
            walk(path, &mut files, &mut unreadable);
        } else {
            files.push(path.clone());
        }
    }
    files.sort_by_key(|path| sort_key(path));
    files.dedup();
    unreadable.sort_by_key(|(path, _)| sort_key(path));
    (files, unreadable)
}

fn walk(folder: &Path, files: &mut Vec<PathBuf>, unreadable: &mut Vec<(PathBuf, io::Error)>) {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => return unreadable.push((folder.to_owned(), error)),
    };
    for entry in entries {
        let listed = entry.and_then(|entry| Ok((entry.path(), entry.file_type()?)));
        match listed {
            Ok((path, kind)) if kind.is_dir() => walk(&path, files, unreadable),
            Ok((path, kind)) if kind.is_file() && path.extension().is_some_and(|e| e == "jsonl") => {
                files.push(path)
            }
            Ok(_) => {}
            Err(error) => unreadable.push((folder.to_owned(), error)),
        }
    }
}

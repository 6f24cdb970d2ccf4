//! Paths within a corpus.

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::folder::Folder;

/// The file that `relative` names inside `root`.
///
/// # Errors
/// What is unsafe about the path: empty, absolute, with a backslash, `.` or `..`, or across a symbolic link.
pub fn inside(root: &Path, relative: &str) -> Result<PathBuf, String> {
    plain(relative)?;
    let mut walked = root.to_path_buf();
    for part in Path::new(relative).components() {
        walked.push(part);
        if is_link(&walked) {
            return Err(crosses(relative));
        }
    }
    Ok(walked)
}

/// Bytes that are set aside for a file on its word.
const USUAL_BYTES: u64 = 1 << 20;
/// Bytes of a file at most: far more than a session of days.
const MOST_BYTES: u64 = 1 << 28;

/// Folders that are held open at most, far below what a process may have.
const MOST_FOLDERS: usize = 64;

/// Files named as [`inside`] takes their names; a folder that many of them lie in is looked at once.
#[derive(Debug)]
pub(super) struct Folders<'c> {
    root: &'c Path,
    /// Open folders by their path relative to the root, which is the empty one.
    open: Mutex<HashMap<String, Arc<Folder>>>,
}

/// Why a file can't be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// What is unsafe about its path.
    Unsafe(String),
    /// What the system said.
    Io(io::ErrorKind),
}

impl<'c> Folders<'c> {
    pub(super) fn new(root: &'c Path) -> Folders<'c> {
        Folders { root, open: Mutex::default() }
    }

    /// Reads the file that `relative` names [`inside`] the root.
    pub(super) fn read(&self, relative: &str) -> Result<Vec<u8>, Unread> {
        plain(relative).map_err(Unread::Unsafe)?;
        let (folder, name) = relative.rsplit_once('/').unwrap_or(("", relative));
        let folder = self.folder(folder, relative)?;
        let mut file = folder.file(name).map_err(|error| unread(&folder, name, relative, &error))?;
        let io = |error: io::Error| Unread::Io(error.kind());
        let metadata = file.metadata().map_err(io)?;
        let kind = metadata.file_type();
        if !kind.is_file() && !kind.is_dir() {
            return Err(Unread::Unsafe(format!("path `{relative}` is no regular file")));
        }
        // As long as it is now: what is written meanwhile isn't what a row has the hash of. A folder's length isn't of bytes.
        let length = if kind.is_dir() { 1 } else { metadata.len() };
        let mut bytes = Vec::with_capacity(length.min(USUAL_BYTES) as usize);
        if length <= MOST_BYTES {
            (&mut file).take(length).read_to_end(&mut bytes).map_err(io)?;
        } else {
            return Err(Unread::Unsafe(format!("path `{relative}` has more bytes than a file of a run may")));
        }
        Ok(bytes)
    }

    /// The folder of this name; `relative` is the file that is looked for in it.
    fn folder(&self, name: &str, relative: &str) -> Result<Arc<Folder>, Unread> {
        let open = || self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = open().get(name) {
            return Ok(Arc::clone(folder));
        }
        let opened = if name.is_empty() {
            Folder::at(self.root).map_err(|error| Unread::Io(error.kind()))?
        } else {
            let (outer, last) = name.rsplit_once('/').unwrap_or(("", name));
            let outer = self.folder(outer, relative)?;
            outer.folder(last).map_err(|error| unread(&outer, last, relative, &error))?
        };
        let opened = Arc::new(opened);
        let mut open = open();
        if open.len() >= MOST_FOLDERS {
            open.clear();
        }
        open.insert(name.to_owned(), Arc::clone(&opened));
        Ok(opened)
    }
}

/// Why what stands under a name in a folder can't be opened.
fn unread(folder: &Folder, name: &str, relative: &str, error: &io::Error) -> Unread {
    if folder.has_link(name) { Unread::Unsafe(crosses(relative)) } else { Unread::Io(error.kind()) }
}

fn plain(relative: &str) -> Result<(), String> {
    let path = Path::new(relative);
    let plain = !relative.is_empty()
        && !relative.contains(['\\', '\0'])
        && path.components().all(|part| matches!(part, Component::Normal(_)))
        // `components` drops inner `.` and doubled separators silently.
        && relative.split('/').all(|name| !name.is_empty() && name != ".");
    if plain { Ok(()) } else { Err(format!("path `{relative}` isn't relative and plain")) }
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|meta| meta.file_type().is_symlink())
}

fn crosses(relative: &str) -> String {
    format!("path `{relative}` crosses a symbolic link")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_relative_paths_pass() {
        let root = Path::new("/nowhere");
        for bad in ["", "/etc/passwd", "../a", "a/../b", "./a", "a//b", "a/./b", "a\\b", "a/"] {
            assert!(inside(root, bad).is_err(), "{bad:?}");
            assert_eq!(Folders::new(root).read(bad), Err(Unread::Unsafe(inside(root, bad).unwrap_err())));
        }
        assert_eq!(inside(root, "sessions/a/b-0.jsonl"), Ok(root.join("sessions/a/b-0.jsonl")));
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_is_refused() {
        let root = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", root.path().join("out")).unwrap();
        assert!(inside(root.path(), "out/passwd").unwrap_err().contains("symbolic link"));
        std::fs::create_dir(root.path().join("in")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", root.path().join("in/link")).unwrap();
        std::os::unix::fs::symlink("/nowhere", root.path().join("in/loose")).unwrap();
        std::fs::write(root.path().join("in/file"), "held").unwrap();
        let pipe = std::process::Command::new("mkfifo").arg(root.path().join("in/pipe")).status();
        let folders = Folders::new(root.path());
        assert!(pipe.unwrap().success());
        let told = Err(Unread::Unsafe("path `in/pipe` is no regular file".to_owned()));
        assert_eq!(folders.read("in/pipe"), told);
        for name in ["out/passwd", "out/passwd", "in/link", "in/loose", "out"] {
            let refused = inside(root.path(), name).unwrap_err();
            assert_eq!(folders.read(name), Err(Unread::Unsafe(refused)), "{name}");
        }
        for _ in 0..2 {
            assert_eq!(folders.read("in/file"), Ok(b"held".to_vec()));
            for name in ["in/other", "other", "nowhere/other"] {
                assert_eq!(folders.read(name), Err(Unread::Io(io::ErrorKind::NotFound)), "{name}");
            }
        }
    }
}

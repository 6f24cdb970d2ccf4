//! Paths within a corpus.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

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

/// Files named as [`inside`] takes their names; a folder that many of them lie in is looked at once.
#[derive(Debug)]
pub(super) struct Folders<'c> {
    root: &'c Path,
    /// Folders relative to the root, none of which a link leads to.
    sound: Mutex<HashMap<String, PathBuf>>,
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
        Folders { root, sound: Mutex::default() }
    }

    /// Reads the file that `relative` names [`inside`] the root.
    pub(super) fn read(&self, relative: &str) -> Result<Vec<u8>, Unread> {
        let path = self.path(relative).map_err(Unread::Unsafe)?;
        let linked = |error: io::Error| {
            if is_link(&path) { Unread::Unsafe(crosses(relative)) } else { Unread::Io(error.kind()) }
        };
        let mut file = open_itself(&path).map_err(linked)?;
        let io = |error: io::Error| Unread::Io(error.kind());
        let metadata = file.metadata().map_err(io)?;
        let kind = metadata.file_type();
        if !kind.is_file() && !kind.is_dir() {
            return Err(Unread::Unsafe(format!("path `{relative}` is no regular file")));
        }
        // Room for a whole file of usual size, and for its end to be seen: `File::read_to_end` would ask for its length again.
        let mut bytes = Vec::with_capacity(metadata.len().min(USUAL_BYTES) as usize + 64);
        if metadata.len() <= MOST_BYTES {
            (&mut file).take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
        }
        if metadata.len().max(bytes.len() as u64) > MOST_BYTES {
            return Err(Unread::Unsafe(format!("path `{relative}` has more bytes than a file of a run may")));
        }
        Ok(bytes)
    }

    /// Where a file lies whose folder is sound; it may itself be a link.
    fn path(&self, relative: &str) -> Result<PathBuf, String> {
        plain(relative)?;
        let Some((folder, name)) = relative.rsplit_once('/') else { return Ok(self.root.join(relative)) };
        let sound = || self.sound.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sound().get(folder).map(|path| path.join(name));
        if let Some(path) = known {
            return Ok(path);
        }
        let path = inside(self.root, folder).map_err(|_| crosses(relative))?;
        let file = path.join(name);
        sound().insert(folder.to_owned(), path);
        Ok(file)
    }
}

/// Opens a file, and nothing that a link leads to. A pipe is opened without waiting for a writer, who may never come.
#[cfg(unix)]
fn open_itself(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    File::options().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
}

#[cfg(not(unix))]
fn open_itself(path: &Path) -> io::Result<File> {
    if is_link(path) {
        return Err(io::Error::other("a link"));
    }
    adapters::open_regular(path)
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

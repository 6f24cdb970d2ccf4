//! Paths within a corpus.

use std::collections::HashMap;
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

/// Names of files as [`inside`] takes them; a folder that many of them lie in is looked at once.
#[derive(Debug)]
pub(super) struct Folders<'c> {
    root: &'c Path,
    /// Folders relative to the root, none of which a link leads to.
    sound: Mutex<HashMap<String, PathBuf>>,
}

impl<'c> Folders<'c> {
    pub(super) fn new(root: &'c Path) -> Folders<'c> {
        Folders { root, sound: Mutex::default() }
    }

    /// As [`inside`] the root.
    pub(super) fn inside(&self, relative: &str) -> Result<PathBuf, String> {
        plain(relative)?;
        let Some((folder, name)) = relative.rsplit_once('/') else { return inside(self.root, relative) };
        let sound = || self.sound.lock().unwrap_or_else(PoisonError::into_inner);
        let known = sound().get(folder).cloned();
        let mut path = match known {
            Some(path) => path,
            None => {
                let path = inside(self.root, folder).map_err(|_| crosses(relative))?;
                sound().insert(folder.to_owned(), path.clone());
                path
            }
        };
        path.push(name);
        if is_link(&path) { Err(crosses(relative)) } else { Ok(path) }
    }
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
            assert_eq!(Folders::new(root).inside(bad), inside(root, bad));
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
        let folders = Folders::new(root.path());
        for name in ["in/file", "in/other", "out/passwd", "out/passwd", "in/link", "out", "file"] {
            assert_eq!(folders.inside(name), inside(root.path(), name), "{name}");
        }
    }
}

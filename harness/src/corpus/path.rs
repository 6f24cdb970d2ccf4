//! Paths within a corpus.

use std::path::{Component, Path, PathBuf};

/// The file that `relative` names inside `root`.
///
/// # Errors
/// What is unsafe about the path: empty, absolute, with a backslash, `.` or `..`, or across a symbolic link.
pub fn inside(root: &Path, relative: &str) -> Result<PathBuf, String> {
    let path = Path::new(relative);
    let plain = !relative.is_empty()
        && !relative.contains(['\\', '\0'])
        && path.components().all(|part| matches!(part, Component::Normal(_)))
        // `components` drops inner `.` and doubled separators silently.
        && relative.split('/').all(|name| !name.is_empty() && name != ".");
    if !plain {
        return Err(format!("path `{relative}` isn't relative and plain"));
    }
    let mut walked = root.to_path_buf();
    for part in path.components() {
        walked.push(part);
        let linked = walked.symlink_metadata().is_ok_and(|meta| meta.file_type().is_symlink());
        if linked {
            return Err(format!("path `{relative}` crosses a symbolic link"));
        }
    }
    Ok(walked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_relative_paths_pass() {
        let root = Path::new("/nowhere");
        for bad in ["", "/etc/passwd", "../a", "a/../b", "./a", "a//b", "a/./b", "a\\b", "a/"] {
            assert!(inside(root, bad).is_err(), "{bad:?}");
        }
        assert_eq!(inside(root, "sessions/a/b-0.jsonl"), Ok(root.join("sessions/a/b-0.jsonl")));
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_is_refused() {
        let root = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", root.path().join("out")).unwrap();
        assert!(inside(root.path(), "out/passwd").unwrap_err().contains("symbolic link"));
    }
}

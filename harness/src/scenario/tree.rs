//! Folders as values: which files they hold, their hash, and a safe copy.
//!
//! Only regular files count. Symbolic links and special files are refused: a fixture must not reach outside itself.
//! What running a fixture in place leaves behind ([`LITTER`]) is passed over, so that a hash doesn't depend on it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use engine::message::{hex, sha256_hex};
use sha2::{Digest, Sha256};

use super::ScenarioError;

/// Folder names that are passed over, at any depth: version control, caches of interpreters, installed packages.
pub const LITTER: [&str; 3] = [".git", "__pycache__", "node_modules"];
/// Passed over at the root only: Cargo's build folder.
const ROOT_LITTER: &str = "target";

/// Relative paths (with `/`) of all regular files, in byte order.
pub fn files(root: &Path) -> Result<BTreeSet<String>, ScenarioError> {
    let mut found = BTreeSet::new();
    collect(root, "", &mut found)?;
    Ok(found)
}

fn collect(folder: &Path, prefix: &str, found: &mut BTreeSet<String>) -> Result<(), ScenarioError> {
    for entry in fs::read_dir(folder).map_err(|error| ScenarioError::io(folder, error))? {
        let entry = entry.map_err(|error| ScenarioError::io(folder, error))?;
        let path = entry.path();
        let name = entry
            .file_name()
            .into_string()
            .map_err(|_| ScenarioError::invalid(&path, "the name isn't UTF-8: rename it"))?;
        let kind = entry.file_type().map_err(|error| ScenarioError::io(&path, error))?;
        if kind.is_dir() {
            let litter = LITTER.contains(&name.as_str()) || (prefix.is_empty() && name == ROOT_LITTER);
            if !litter {
                collect(&path, &format!("{prefix}{name}/"), found)?;
            }
        } else if kind.is_file() {
            found.insert(format!("{prefix}{name}"));
        } else {
            return Err(ScenarioError::invalid(&path, "neither a file nor a folder: remove it"));
        }
    }
    Ok(())
}

/// SHA-256 over the sorted lines `<sha256 of content>  <path>\n` of all files; file modes and empty folders don't count.
pub fn sha256(root: &Path) -> Result<String, ScenarioError> {
    sha256_of(root, &files(root)?)
}

/// [`sha256`] over some of the files.
pub fn sha256_of(root: &Path, files: &BTreeSet<String>) -> Result<String, ScenarioError> {
    let mut all = Sha256::new();
    for name in files {
        let path = root.join(name);
        let content = crate::regular::read(&path).map_err(|error| ScenarioError::io(&path, error))?;
        all.update(format!("{}  {name}\n", sha256_hex(&content)));
    }
    Ok(hex(&all.finalize()))
}

/// Copies all files into `to`, over what is there.
pub fn copy(from: &Path, to: &Path) -> Result<(), ScenarioError> {
    for name in files(from)? {
        let target = to.join(&name);
        make_parent(to, &target)?;
        let source = from.join(&name);
        let content = fs::read(&source).map_err(|error| ScenarioError::io(&source, error))?;
        replace(&target, &content)?;
    }
    Ok(())
}

/// Creates the folders down to `target`. A link where a folder should be would lead the copy outside: refused.
fn make_parent(root: &Path, target: &Path) -> Result<(), ScenarioError> {
    fs::create_dir_all(root).map_err(|error| ScenarioError::io(root, error))?;
    let relative = target.parent().and_then(|parent| parent.strip_prefix(root).ok());
    let mut folder: PathBuf = root.to_path_buf();
    for component in relative.iter().flat_map(|path| path.components()) {
        folder.push(component);
        match fs::symlink_metadata(&folder) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => {
                return Err(ScenarioError::invalid(&folder, "stands where a folder should be: remove it"));
            }
            Err(_) => fs::create_dir(&folder).map_err(|error| ScenarioError::io(&folder, error))?,
        }
    }
    Ok(())
}

/// Writes a file anew: a link at its place is removed, not followed.
fn replace(target: &Path, content: &[u8]) -> Result<(), ScenarioError> {
    if fs::symlink_metadata(target).is_ok_and(|found| !found.is_dir()) {
        fs::remove_file(target).map_err(|error| ScenarioError::io(target, error))?;
    }
    fs::write(target, content).map_err(|error| ScenarioError::io(target, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, name: &str, content: &str) {
        let path = root.join(name);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder is ours");
        fs::write(path, content).expect("the folder is ours");
    }

    #[test]
    fn the_hash_is_that_of_sha256sum_over_sorted_names() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "b.txt", "two\n");
        write(folder.path(), "a/x.txt", "one\n");
        // printf 'one\n' | sha256sum; printf 'two\n' | sha256sum; then sha256sum over both lines
        assert_eq!(
            sha256(folder.path()).unwrap(),
            "c631bf5cfead32c00975a75ca467d507b20ce7a865a4a1147b4d71dd3076b71f"
        );
    }

    #[test]
    fn litter_does_not_count_but_nested_target_folders_do() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a.py", "__pycache__/a.pyc", "target/debug/x", ".git/HEAD", "src/target/mod.rs"] {
            write(folder.path(), name, "");
        }
        assert_eq!(files(folder.path()).unwrap(), ["a.py", "src/target/mod.rs"].map(String::from).into());
    }

    #[test]
    fn a_copy_has_the_same_hash_and_replaces_files() {
        let from = tempfile::tempdir().unwrap();
        let to = tempfile::tempdir().unwrap();
        write(from.path(), "a/b.txt", "new");
        write(to.path(), "a/b.txt", "old");
        copy(from.path(), to.path()).unwrap();
        assert_eq!(sha256(from.path()).unwrap(), sha256(to.path()).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_refused_when_read_and_never_followed_when_written() {
        let from = tempfile::tempdir().unwrap();
        let to = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(outside.path(), from.path().join("link")).unwrap();
        assert!(files(from.path()).unwrap_err().to_string().contains("neither a file nor a folder"));

        fs::remove_file(from.path().join("link")).unwrap();
        write(from.path(), "tests/hidden.py", "x");
        write(from.path(), "top.py", "x");
        std::os::unix::fs::symlink(outside.path(), to.path().join("tests")).unwrap();
        assert!(copy(from.path(), to.path()).unwrap_err().to_string().contains("where a folder should be"));

        fs::remove_file(to.path().join("tests")).unwrap();
        std::os::unix::fs::symlink(outside.path().join("top.py"), to.path().join("top.py")).unwrap();
        copy(from.path(), to.path()).unwrap();
        assert!(!outside.path().join("top.py").exists());
    }
}

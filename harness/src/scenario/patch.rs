//! Unified diffs, through `git apply`: one implementation that everybody can check by hand.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::ScenarioError;

/// Applies a patch with `a/` and `b/` prefixes at `root`; all of it or nothing.
///
/// `git` refuses paths that leave the root and links that lead out of it.
pub fn apply(root: &Path, patch: &str) -> Result<(), ScenarioError> {
    run(root, &["apply", "--whitespace=nowarn", "-"], patch).map(|_| ())
}

/// Paths that a patch creates, changes or deletes, in byte order. Nothing is read or written at `root`.
///
/// A patch that moves or copies files is refused, because only one end of a move would be listed:
/// make it with `git diff --no-renames`.
pub fn touched(root: &Path, patch: &str) -> Result<BTreeSet<String>, ScenarioError> {
    if patch.trim().is_empty() {
        return Ok(BTreeSet::new());
    }
    let moves = ["rename from ", "rename to ", "copy from ", "copy to "];
    if patch.lines().any(|line| moves.iter().any(|word| line.starts_with(word))) {
        return Err(refused(root, "it moves or copies files: make it with `git diff --no-renames`"));
    }
    let output = run(root, &["apply", "--numstat", "-z", "-"], patch)?;
    let text = String::from_utf8(output.stdout).map_err(|_| refused(root, "a path isn't UTF-8"))?;
    let path = |record: &str| record.splitn(3, '\t').nth(2).map(str::to_owned);
    let records = text.split('\0').filter(|record| !record.is_empty());
    records
        .map(|record| path(record).ok_or_else(|| refused(root, "git's list of paths can't be read")))
        .collect()
}

fn run(root: &Path, arguments: &[&str], patch: &str) -> Result<Output, ScenarioError> {
    let root = root.canonicalize().map_err(|error| ScenarioError::io(root, error))?;
    let mut command = Command::new("git");
    command.args(arguments).current_dir(&root).env_remove("GIT_DIR").env_remove("GIT_WORK_TREE");
    // Within a repository, `git apply` would silently pass over files that aren't below the current folder.
    command.env("GIT_CEILING_DIRECTORIES", root.parent().unwrap_or(&root));
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null").env("LC_ALL", "C");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let start = |source| ScenarioError::Start { program: "git".to_owned(), source };
    let mut child = command.spawn().map_err(start)?;
    // Dropped at the end of the statement, which closes the pipe; git reads all of it before it answers.
    let written = child.stdin.take().map_or(Ok(()), |mut pipe| pipe.write_all(patch.as_bytes()));
    let output = child.wait_with_output().map_err(start)?;
    if output.status.success() {
        written.map_err(|error| ScenarioError::io(&root, error))?;
        return Ok(output);
    }
    let answer = String::from_utf8_lossy(&output.stderr);
    Err(refused(&root, answer.lines().next().unwrap_or("git said nothing").trim_start_matches("error: ")))
}

fn refused(root: &Path, message: &str) -> ScenarioError {
    ScenarioError::Patch { root: root.to_path_buf(), message: message.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const PATCH: &str = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n\
        diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
        diff --git a/new dir/n.txt b/new dir/n.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new dir/n.txt\n@@ -0,0 +1 @@\n+n\n";

    fn root() -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a temporary folder");
        fs::write(root.path().join("a.txt"), "one\n").expect("the folder is ours");
        fs::write(root.path().join("gone.txt"), "x\n").expect("the folder is ours");
        root
    }

    #[test]
    fn applies_and_lists_changes_creations_and_deletions() {
        let root = root();
        let names = touched(root.path(), PATCH).unwrap();
        assert_eq!(names, ["a.txt", "gone.txt", "new dir/n.txt"].map(String::from).into());
        apply(root.path(), PATCH).unwrap();
        assert_eq!(fs::read_to_string(root.path().join("a.txt")).unwrap(), "two\n");
        assert!(!root.path().join("gone.txt").exists());
    }

    #[test]
    fn a_patch_in_a_subfolder_of_a_repository_is_not_passed_over() {
        let repository = tempfile::tempdir().unwrap();
        let init = Command::new("git").args(["init", "-q"]).current_dir(repository.path()).status().unwrap();
        assert!(init.success());
        let inner = repository.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("a.txt"), "one\n").unwrap();
        fs::write(inner.join("gone.txt"), "x\n").unwrap();
        apply(&inner, PATCH).unwrap();
        assert_eq!(fs::read_to_string(inner.join("a.txt")).unwrap(), "two\n");
    }

    #[test]
    fn refuses_what_does_not_fit_and_what_leaves_the_root() {
        let root = root();
        let other = PATCH.replace("-one", "-three");
        assert!(apply(root.path(), &other).unwrap_err().to_string().contains("a.txt"));
        assert!(root.path().join("gone.txt").exists(), "all or nothing");
        let outside = PATCH.replace("a.txt", "../a.txt");
        assert!(apply(root.path(), &outside).is_err());
    }

    #[test]
    fn refuses_moves() {
        let root = root();
        let moved = "diff --git a/a.txt b/b.txt\nsimilarity index 100%\nrename from a.txt\nrename to b.txt\n";
        assert!(touched(root.path(), moved).unwrap_err().to_string().contains("--no-renames"));
    }
}

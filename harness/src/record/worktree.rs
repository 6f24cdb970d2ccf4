//! The work tree of one run: a copy of the fixture as a git repository with one commit, and the final patch.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::scenario::{Scenario, tree};

use super::error::RecordError;

/// Who made the commit, and when: the same on every machine, so the commit's name is, too.
const IDENTITY: [(&str, &str); 6] = [
    ("GIT_AUTHOR_NAME", "User"),
    ("GIT_AUTHOR_EMAIL", "user@example.com"),
    ("GIT_AUTHOR_DATE", "2026-01-05T09:00:00+00:00"),
    ("GIT_COMMITTER_NAME", "User"),
    ("GIT_COMMITTER_EMAIL", "user@example.com"),
    ("GIT_COMMITTER_DATE", "2026-01-05T09:00:00+00:00"),
];
/// What running the fixture leaves behind: never part of a patch.
const LITTER: &str = "__pycache__/\n*.pyc\n/target/\nnode_modules/\n";

/// A fresh work tree.
#[derive(Debug)]
pub struct WorkTree {
    /// Its root.
    pub root: PathBuf,
    base: String,
}

impl WorkTree {
    /// Copies the scenario's fixture to `home/<repo>` and commits it.
    ///
    /// # Errors
    /// The copy or git fails.
    pub fn create(home: &Path, scenario: &Scenario) -> Result<Self, RecordError> {
        let root = home.join(&scenario.repo);
        tree::copy(&scenario.fixture, &root)?;
        git(&root, &["init", "-q", "-b", "main"])?;
        let exclude = root.join(".git/info/exclude");
        fs::create_dir_all(root.join(".git/info")).map_err(|error| RecordError::io(&exclude, error))?;
        let mut file = fs::File::create(&exclude).map_err(|error| RecordError::io(&exclude, error))?;
        file.write_all(LITTER.as_bytes()).map_err(|error| RecordError::io(&exclude, error))?;
        git(&root, &["add", "-A"])?;
        git(&root, &["commit", "-q", "--no-gpg-sign", "-m", "Start"])?;
        let base = git(&root, &["rev-parse", "HEAD"])?.trim().to_owned();
        Ok(WorkTree { root, base })
    }

    /// Everything that differs from the first commit now, new files included, as a unified diff without renames.
    ///
    /// # Errors
    /// Git fails, for instance because the agent broke the repository.
    pub fn patch(&self) -> Result<String, RecordError> {
        git(&self.root, &["add", "-A"])?;
        let arguments =
            ["diff", "--cached", "--no-renames", "--no-color", "--no-ext-diff", "--binary", &self.base];
        git(&self.root, &arguments)
    }
}

fn git(root: &Path, arguments: &[&str]) -> Result<String, RecordError> {
    let mut command = Command::new("git");
    command.args(arguments).current_dir(root).env_clear().stdin(Stdio::null());
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command.envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1"), ("LC_ALL", "C")]);
    command.envs(IDENTITY).env("HOME", root);
    let output = command.output().map_err(|error| RecordError::io("git", error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let answer = String::from_utf8_lossy(&output.stderr);
    let line = answer.lines().next().unwrap_or("git said nothing").to_owned();
    Err(RecordError::Data(format!("git {}: {line}", arguments.first().unwrap_or(&""))))
}

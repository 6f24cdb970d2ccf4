//! The neutral home: one folder that every recorded path lies in, whoever records.
//!
//! It is leased by a lock, emptied before each run, and never taken from somebody: a home that exists and wasn't made by
//! this program is refused.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::scenario::command::Surroundings;

use super::error::RecordError;

/// Marks a home that this program made; the lock lies on it.
const MARKER: &str = ".harness-record";
/// Where programs are looked for; anything else is linked into the home.
const SYSTEM_PATH: [&str; 3] = ["/usr/local/bin", "/usr/bin", "/bin"];
/// Programs that a fixture or the agent may need.
const PROGRAMS: [&str; 7] = ["bash", "cargo", "git", "node", "python3", "rustc", "rustdoc"];

/// A leased home.
#[derive(Debug)]
pub struct Home {
    path: PathBuf,
    made: bool,
    // Held for its lock.
    _lock: File,
}

impl Home {
    /// Leases `path`, creating it if need be.
    ///
    /// # Errors
    /// It belongs to somebody, another recording uses it, or it can't be written.
    pub fn lease(path: &Path) -> Result<Self, RecordError> {
        let made = !path.exists();
        let foreign = |why: &str| {
            let path = path.display();
            RecordError::Usage(format!("home {path}: {why}: choose another with --home DIR"))
        };
        fs::create_dir_all(path).map_err(|error| foreign(&format!("can't be made ({error})")))?;
        if path.canonicalize().map_err(|error| RecordError::io(path, error))? != path {
            return Err(foreign("isn't an absolute path without links"));
        }
        let marker = path.join(MARKER);
        if !made && !marker.is_file() && has_entries(path)? {
            return Err(foreign("holds files that this program didn't make"));
        }
        let lock = File::options().create(true).append(true).open(&marker);
        let lock = lock.map_err(|error| RecordError::io(&marker, error))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => foreign("another recording uses it"),
            TryLockError::Error(error) => RecordError::io(&marker, error),
        })?;
        let mode = fs::Permissions::from_mode(0o700);
        fs::set_permissions(path, mode).map_err(|error| RecordError::io(path, error))?;
        end_leftovers(path);
        Ok(Home { path: path.to_path_buf(), made, _lock: lock })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Empties the home and links the programs that a fixture needs and the system folders don't hold.
    ///
    /// # Errors
    /// Something in it can't be removed or made.
    pub fn reset(&self) -> Result<(), RecordError> {
        self.empty()?;
        let bin = self.path.join("bin");
        fs::create_dir(&bin).map_err(|error| RecordError::io(&bin, error))?;
        for (name, program) in programs_outside_of_the_system() {
            let link = bin.join(name);
            symlink(&program, &link).map_err(|error| RecordError::io(&link, error))?;
        }
        Ok(())
    }

    fn empty(&self) -> Result<(), RecordError> {
        let entries = fs::read_dir(&self.path).map_err(|error| RecordError::io(&self.path, error))?;
        for entry in entries {
            let entry = entry.map_err(|error| RecordError::io(&self.path, error))?;
            if entry.file_name() != MARKER {
                let path = entry.path();
                remove(&path).map_err(|error| RecordError::io(&path, error))?;
            }
        }
        Ok(())
    }

    /// The listed environment of a program that runs in this home.
    pub fn surroundings(&self) -> Surroundings {
        let mut surroundings = Surroundings::new(&self.path);
        let mut path = OsString::from(self.path.join("bin"));
        for folder in SYSTEM_PATH {
            path.push(":");
            path.push(folder);
        }
        surroundings.set("PATH", path);
        surroundings.set("USER", "user");
        surroundings.set("LOGNAME", "user");
        surroundings.set("SHELL", "/bin/bash");
        surroundings.set("GIT_CONFIG_GLOBAL", "/dev/null");
        surroundings.set("GIT_CONFIG_NOSYSTEM", "1");
        surroundings.set("GIT_PAGER", "cat");
        surroundings
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        // What is left is taken over by the next recording; there is nobody to tell.
        let emptied = self.empty();
        if emptied.is_ok() && self.made && fs::remove_file(self.path.join(MARKER)).is_ok() {
            fs::remove_dir(&self.path).ok();
        }
    }
}

/// Ends what a killed recording left running in this home. Its processes are known by the environment that
/// [`Home::surroundings`] gives them; a system without `/proc` can't tell, and such a process then ends by itself once
/// its model doesn't answer.
fn end_leftovers(home: &Path) {
    let marks =
        [format!("HOME={}", home.display()), format!("CARGO_TARGET_DIR={}", home.join("target").display())];
    let Ok(processes) = fs::read_dir("/proc") else { return };
    for process in processes.flatten() {
        let name = process.file_name().to_string_lossy().into_owned();
        let Ok(environment) = fs::read(process.path().join("environ")) else { continue };
        let has = |mark: &String| environment.split(|byte| *byte == 0).any(|item| item == mark.as_bytes());
        if name.bytes().all(|byte| byte.is_ascii_digit()) && marks.iter().all(has) {
            // It may have ended in the meantime, which is as good.
            Command::new("kill").args(["-KILL", &name]).stderr(Stdio::null()).status().ok();
        }
    }
}

fn has_entries(path: &Path) -> Result<bool, RecordError> {
    let mut entries = fs::read_dir(path).map_err(|error| RecordError::io(path, error))?;
    Ok(entries.next().is_some())
}

fn remove(path: &Path) -> io::Result<()> {
    if fs::symlink_metadata(path)?.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }
}

/// Programs that this process finds on its own path only. A link, because the name decides what a toolchain proxy does.
fn programs_outside_of_the_system() -> Vec<(&'static str, PathBuf)> {
    let is_program = |path: &Path| path.is_file();
    let in_system = |name: &str| SYSTEM_PATH.iter().any(|folder| is_program(&Path::new(folder).join(name)));
    let searched = env::var_os("PATH").unwrap_or_default();
    PROGRAMS
        .iter()
        .filter(|name| !in_system(name))
        .filter_map(|name| {
            let found =
                env::split_paths(&searched).map(|folder| folder.join(name)).find(|path| is_program(path))?;
            Some((*name, found))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parent() -> (tempfile::TempDir, PathBuf) {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().canonicalize().unwrap().join("user");
        (parent, path)
    }

    #[test]
    fn a_home_is_emptied_for_each_run_and_removed_at_the_end() {
        let (_parent, path) = parent();
        let home = Home::lease(&path).unwrap();
        fs::create_dir(path.join("ledger")).unwrap();
        fs::write(path.join("ledger/x"), "x").unwrap();
        symlink("/nowhere", path.join("link")).unwrap();
        home.reset().unwrap();
        assert!(!path.join("ledger").exists() && path.join("bin").is_dir());
        drop(home);
        assert!(!path.exists());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_a_killed_recording_left_running_is_ended() {
        let (_parent, path) = parent();
        let target = path.join("target");
        let sleeper = |target: &Path| {
            let mut command = Command::new("sleep");
            command.arg("600").env_clear().env("HOME", &path).env("CARGO_TARGET_DIR", target);
            command.spawn().unwrap()
        };
        let mut left = sleeper(&target);
        let mut other = sleeper(Path::new("/elsewhere"));
        let _home = Home::lease(&path).unwrap();
        assert!(!left.wait().unwrap().success());
        assert!(other.try_wait().unwrap().is_none(), "another's process lives on");
        other.kill().unwrap();
        other.wait().unwrap();
    }

    #[test]
    fn somebodys_home_is_refused() {
        let (_parent, path) = parent();
        fs::create_dir(&path).unwrap();
        fs::write(path.join("letter"), "dear").unwrap();
        let error = Home::lease(&path).unwrap_err().to_string();
        assert!(error.contains("didn't make") && path.join("letter").exists(), "{error}");
    }

    #[test]
    fn a_home_in_use_is_refused_and_one_left_by_a_kill_is_taken_over() {
        let (_parent, path) = parent();
        let first = Home::lease(&path).unwrap();
        assert!(Home::lease(&path).unwrap_err().to_string().contains("another recording"));
        drop(first);
        fs::create_dir(&path).unwrap();
        fs::write(path.join(MARKER), "").unwrap();
        fs::write(path.join("left"), "x").unwrap();
        let home = Home::lease(&path).unwrap();
        home.reset().unwrap();
        assert!(!path.join("left").exists());
    }
}

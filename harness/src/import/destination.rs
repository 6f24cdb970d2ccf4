//! The folder that an import fills.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::NamedTempFile;

use super::journal;
use crate::failure::Failure;

/// Name of the manifest.
const MANIFEST: &str = "import.json";
/// Folder of the copies.
const SESSIONS: &str = "sessions";
/// Folder of the strings cut out of them.
const BLOBS: &str = "blobs";
/// Folder of what has no name yet; emptied by the next import.
const PARTIAL: &str = "partial";
/// Held while an import runs.
const LOCK: &str = "import.lock";

/// A folder made by an import, private and ignored by Git. One import at a time fills it.
#[derive(Debug)]
pub struct Destination {
    root: PathBuf,
    /// Held until the import ends, however it ends.
    _lock: File,
}

impl Destination {
    /// Opens the folder, making it where it is absent. What a stopped import left without a name is removed.
    ///
    /// # Errors
    /// Usage where it holds files that no import made (an import never mixes with foreign, perhaps tracked files), or where
    /// another import fills it. Input or output where it can't be made.
    pub fn open(root: &Path) -> Result<Destination, Failure> {
        let io = |error: io::Error| Failure::io(root, &error);
        let is_ours = [LOCK, journal::NAME].iter().any(|name| root.join(name).exists());
        if root.exists() && !is_ours && fs::read_dir(root).map_err(io)?.next().is_some() {
            let place = root.display();
            return Err(Failure::usage(format!(
                "output folder: {place}: holds files that no import made: choose an empty folder"
            )));
        }
        private_folder(root)?;
        let lock = lock(&root.join(LOCK))?;
        let destination = Destination { root: root.to_owned(), _lock: lock };
        for folder in [SESSIONS, BLOBS, PARTIAL] {
            private_folder(&root.join(folder))?;
        }
        for left in fs::read_dir(root.join(PARTIAL)).map_err(io)? {
            fs::remove_file(left.map_err(io)?.path()).map_err(io)?;
        }
        destination.publish(Path::new(".gitignore"), b"*\n")?;
        Ok(destination)
    }

    /// The folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Folder of files that have no name yet.
    pub fn partial(&self) -> PathBuf {
        self.root.join(PARTIAL)
    }

    /// Folder of strings cut out of copies.
    pub fn blobs(&self) -> PathBuf {
        self.root.join(BLOBS)
    }

    /// A private file that doesn't have its name yet.
    ///
    /// # Errors
    /// Where it can't be made.
    pub fn begin_copy(&self) -> Result<NamedTempFile, Failure> {
        let folder = self.partial();
        NamedTempFile::new_in(&folder).map_err(|error| Failure::io(&folder, &error))
    }

    /// Gives a copy its name, which its content alone decides; returns the path relative to the folder. One file that
    /// stands in several places is one copy.
    ///
    /// # Errors
    /// Where it can't be written.
    pub fn finish_copy(&self, copy: NamedTempFile, sha256: &str, packed: bool) -> Result<String, Failure> {
        let ending = if packed { "jsonl.zst" } else { "jsonl" };
        let relative = format!("{SESSIONS}/{}.{ending}", &sha256[..32]);
        persist(copy, &self.root.join(&relative))?;
        Ok(relative)
    }

    /// Whether a copy stands there with the bytes it should have.
    pub fn has_copy(&self, copy: &journal::Copy) -> bool {
        let found = fs::symlink_metadata(self.root.join(&copy.name));
        found.is_ok_and(|found| found.is_file() && found.len() == copy.bytes)
    }

    /// Removes a copy that a longer one of the same log replaced.
    ///
    /// # Errors
    /// Where it can't be removed.
    pub fn remove_copy(&self, name: &str) -> Result<(), Failure> {
        let path = self.root.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Failure::io(&path, &error)),
            _ => Ok(()),
        }
    }

    /// Publishes the manifest.
    ///
    /// # Errors
    /// Where it can't be written.
    pub fn write_manifest(&self, manifest: &Value) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(manifest)
            .map_err(|e| Failure::internal(format!("manifest: {e}")))?;
        self.publish(Path::new(MANIFEST), format!("{text}\n").as_bytes())
    }

    /// Publishes a file.
    ///
    /// # Errors
    /// Where it can't be written.
    pub fn publish(&self, name: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.root.join(name);
        if fs::read(&path).is_ok_and(|found| found == bytes) {
            return Ok(());
        }
        let error = |error: io::Error| Failure::io(&path, &error);
        let mut file = NamedTempFile::new_in(self.partial()).map_err(error)?;
        file.write_all(bytes).map_err(error)?;
        persist(file, &path)
    }
}

fn lock(path: &Path) -> Result<File, Failure> {
    let error = |error: io::Error| Failure::io(path, &error);
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path).map_err(error)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let folder = path.parent().unwrap_or(path).display();
            Err(Failure::usage(format!("output folder: {folder}: another import fills it: wait for its end")))
        }
        Err(TryLockError::Error(failed)) => Err(error(failed)),
    }
}

/// Makes a folder that only its owner may enter; refuses a symbolic link in its place.
fn private_folder(folder: &Path) -> Result<(), Failure> {
    let error = |error: io::Error| Failure::io(folder, &error);
    match fs::symlink_metadata(folder) {
        Ok(found) if found.is_symlink() => Err(Failure::usage(format!(
            "output folder: {}: a symbolic link: choose a folder",
            folder.display()
        ))),
        Ok(_) => fs::set_permissions(folder, Permissions::from_mode(0o700)).map_err(error),
        Err(_) => DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(error),
    }
}

/// Data to the disk, then the name.
fn persist(file: NamedTempFile, path: &Path) -> Result<(), Failure> {
    let error = |error: io::Error| Failure::io(path, &error);
    let opened: &File = file.as_file();
    opened.set_permissions(Permissions::from_mode(0o600)).map_err(error)?;
    opened.sync_all().map_err(error)?;
    file.persist(path).map_err(|failed| error(failed.error))?;
    Ok(())
}

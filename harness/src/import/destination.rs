//! The folder that an import fills.

use std::fs::{self, DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::NamedTempFile;

use crate::failure::Failure;

/// Name of the manifest.
const MANIFEST: &str = "import.json";
/// Folder of the copies.
const SESSIONS: &str = "sessions";

/// A folder made by an import, private and ignored by Git.
#[derive(Debug)]
pub struct Destination {
    root: PathBuf,
}

impl Destination {
    /// Opens the folder, making it where it is absent.
    ///
    /// # Errors
    /// Usage where it holds files that no import made: an import never mixes with foreign, perhaps tracked files. Input or
    /// output where it can't be made.
    pub fn open(root: &Path) -> Result<Destination, Failure> {
        let io = |error: io::Error| Failure::io(root, &error);
        if root.exists() && !root.join(MANIFEST).exists() && fs::read_dir(root).map_err(io)?.next().is_some()
        {
            let place = root.display();
            return Err(Failure::usage(format!(
                "output folder: {place}: holds files that no import made: choose an empty folder"
            )));
        }
        let destination = Destination { root: root.to_owned() };
        for folder in [root.to_owned(), root.join(SESSIONS)] {
            private_folder(&folder)?;
        }
        destination.publish(Path::new(".gitignore"), b"*\n")?;
        Ok(destination)
    }

    /// A private file that doesn't have its name yet.
    ///
    /// # Errors
    /// Where it can't be made.
    pub fn begin_copy(&self) -> Result<NamedTempFile, Failure> {
        let folder = self.root.join(SESSIONS);
        NamedTempFile::new_in(&folder).map_err(|error| Failure::io(&folder, &error))
    }

    /// Gives a copy its name, which says its content; returns the path relative to the folder. The same content under
    /// the same name is replaced by itself.
    ///
    /// # Errors
    /// Where it can't be written.
    pub fn finish_copy(&self, copy: NamedTempFile, sha256: &str, source: &Path) -> Result<String, Failure> {
        let stem = source.file_name().map_or_else(|| "session.jsonl".into(), |name| name.to_string_lossy());
        let relative = format!("{SESSIONS}/{}-{stem}", &sha256[..16]);
        persist(copy, &self.root.join(&relative))?;
        Ok(relative)
    }

    /// Sessions of the manifest that stands there, by the name of their copy.
    ///
    /// # Errors
    /// Bad data where it isn't a manifest of this format.
    pub fn manifest_sessions(&self) -> Result<Vec<Value>, Failure> {
        let path = self.root.join(MANIFEST);
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Failure::io(&path, &error)),
        };
        let bad = || {
            Failure::bad_data(format!("{}: no manifest of an import: choose another folder", path.display()))
        };
        let manifest: Value = serde_json::from_slice(&bytes).map_err(|_| bad())?;
        match (manifest["schema"].as_str(), manifest["sessions"].as_array()) {
            (Some("import-manifest/1"), Some(sessions)) => Ok(sessions.clone()),
            _ => Err(bad()),
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

    fn publish(&self, name: &Path, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.root.join(name);
        let error = |error: io::Error| Failure::io(&path, &error);
        let mut file = NamedTempFile::new_in(&self.root).map_err(error)?;
        file.write_all(bytes).map_err(error)?;
        persist(file, &path)
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

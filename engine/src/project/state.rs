//! The folder in which an index keeps its database.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use super::error::ProjectError;

/// Name of the database within the state folder.
pub const DATABASE_FILE: &str = "index.sqlite";

/// Name of the state folder below a project's root, unless the caller chooses another place.
pub const STATE_FOLDER: &str = ".sluice";

/// Makes the folder and an empty database file, both for the owner only, and tells version control to leave them alone.
/// A folder that exists keeps its mode. Refuses symbolic links.
pub(super) fn prepare(folder: &Path) -> Result<PathBuf, ProjectError> {
    refuse_symlink(folder)?;
    if !folder.exists() {
        create_private_folder(folder).map_err(|e| ProjectError::state(folder, e))?;
    }
    let ignore = folder.join(".gitignore");
    refuse_symlink(&ignore)?;
    if !ignore.exists() {
        create_private_file(&ignore).map_err(|e| ProjectError::state(&ignore, e))?;
        fs::write(&ignore, "*\n").map_err(|e| ProjectError::state(&ignore, e))?;
    }
    let database = folder.join(DATABASE_FILE);
    for name in [DATABASE_FILE, "index.sqlite-wal", "index.sqlite-shm"] {
        refuse_symlink(&folder.join(name))?;
    }
    create_private_file(&database).map_err(|e| ProjectError::state(&database, e))?;
    Ok(database)
}

fn refuse_symlink(path: &Path) -> Result<(), ProjectError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.file_type().is_symlink() => {
            Err(ProjectError::Symlink { path: path.to_owned() })
        }
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn create_private_folder(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create_private_folder(path: &Path) -> std::io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(unix)]
fn create_private_file(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    // SQLite gives its side files the mode of the database.
    file.set_permissions(fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn create_private_file(path: &Path) -> std::io::Result<()> {
    OpenOptions::new().create(true).append(true).open(path).map(|_| ())
}

//! The folder in which the state is kept.

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::error::SyncError;

const DATABASE: &str = "sync.sqlite";

/// Makes the folder and an empty database, both for the owner only, and tells version control to leave them alone. A
/// folder that exists keeps its mode. Refuses symbolic links.
pub(super) fn prepare(folder: &Path) -> Result<PathBuf, SyncError> {
    refuse_symlink(folder)?;
    if !folder.exists() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(|error| SyncError::io("create", folder, error))?;
    }
    for name in [".gitignore", DATABASE, "sync.sqlite-wal", "sync.sqlite-shm"] {
        refuse_symlink(&folder.join(name))?;
    }
    let ignore = folder.join(".gitignore");
    if !ignore.exists() {
        private_file(&ignore)
            .and_then(|()| fs::write(&ignore, "*\n"))
            .map_err(|error| SyncError::io("create", &ignore, error))?;
    }
    let database = folder.join(DATABASE);
    private_file(&database).map_err(|error| SyncError::io("create", &database, error))?;
    Ok(database)
}

fn refuse_symlink(path: &Path) -> Result<(), SyncError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_symlink() => Err(SyncError::Symlink { path: path.to_owned() }),
        _ => Ok(()),
    }
}

/// SQLite gives its side files the mode of the database.
fn private_file(path: &Path) -> io::Result<()> {
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))
}

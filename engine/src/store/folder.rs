//! The folder in which state is kept: private, real, and left alone by version control.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// Why a folder can't hold state.
pub(crate) enum FolderError {
    /// A symbolic link: state may not be redirected.
    Symlink(PathBuf),
    /// It can't be made.
    Io(PathBuf, io::Error),
}

/// Makes the folder and an empty database file, both for the owner only, and tells version control to leave them alone.
/// A folder that exists keeps its mode. Refuses symbolic links.
pub(crate) fn prepare(folder: &Path, database: &str) -> Result<PathBuf, FolderError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| FolderError::Io(path, source)
    };
    refuse_symlink(folder)?;
    if !folder.exists() {
        create_private_folder(folder).map_err(io(folder))?;
    }
    let ignore = folder.join(".gitignore");
    refuse_symlink(&ignore)?;
    if !ignore.exists() {
        create_private_file(&ignore).map_err(io(&ignore))?;
        fs::write(&ignore, "*\n").map_err(io(&ignore))?;
    }
    for suffix in ["", "-wal", "-shm"] {
        refuse_symlink(&folder.join(format!("{database}{suffix}")))?;
    }
    let database = folder.join(database);
    create_private_file(&database).map_err(io(&database))?;
    Ok(database)
}

fn refuse_symlink(path: &Path) -> Result<(), FolderError> {
    match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.file_type().is_symlink() => Err(FolderError::Symlink(path.to_owned())),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn create_private_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn create_private_folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

#[cfg(unix)]
fn create_private_file(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    // SQLite gives its side files the mode of the database.
    file.set_permissions(fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn create_private_file(path: &Path) -> io::Result<()> {
    OpenOptions::new().create(true).append(true).open(path).map(|_| ())
}

//! Publishing files: written beside their place and renamed into it, so that a reader sees the old file or the new one.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use crate::failure::Failure;

/// Writes `bytes` to `folder/name` atomically; the folder is made where it is absent.
///
/// # Errors
/// Input and output (74), with the path.
pub fn publish(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|error| Failure::io(folder, &error))?;
    let target = folder.join(name);
    let failed = |error: &std::io::Error| Failure::io(&target, error);
    let mut file =
        tempfile::Builder::new().prefix(".new-").tempfile_in(folder).map_err(|error| failed(&error))?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(|error| failed(&error))?;
    readable(file.as_file()).map_err(|error| failed(&error))?;
    file.persist(&target).map_err(|error| failed(&error.error))?;
    Ok(())
}

/// Removes `folder/name` if it is there: what an earlier run published must not stand while its successor is written.
///
/// # Errors
/// Input and output (74), with the path.
pub fn withdraw(folder: &Path, name: &str) -> Result<(), Failure> {
    let target = folder.join(name);
    match fs::remove_file(&target) {
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Err(Failure::io(&target, &error))
        }
        _ => Ok(()),
    }
}

/// Temporary files are private; a published report is as readable as any other file.
#[cfg(unix)]
fn readable(file: &fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &fs::File) -> std::io::Result<()> {
    Ok(())
}

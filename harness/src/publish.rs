//! Publishing files: written beside their place and renamed into it, so that a reader sees the old file or the new one.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::failure::Failure;
use crate::staged::Staged;

/// Writes `bytes` to `folder/name` atomically; the folder is made where it is absent.
///
/// # Errors
/// Input and output (74), with the path.
pub fn publish(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Failure> {
    let mut staged = Staged::create(folder, name)?;
    staged.write(bytes)?;
    staged.publish()
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

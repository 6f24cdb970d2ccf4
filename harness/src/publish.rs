//! Publishing files: written beside their place and renamed into it, so that a reader sees the old file or the new one.

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

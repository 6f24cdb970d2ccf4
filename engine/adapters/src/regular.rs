//! Opening files that a person named.

use std::fs::File;
use std::io;
use std::path::Path;

/// Opens a regular file for reading. A pipe could block for ever and a device could never end, so both are refused
/// before they are opened.
///
/// # Errors
/// What the system says, or that it is no regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    File::open(path)
}

//! Opening files that a person named, or that stand where anybody may have put something else.

use std::fs::File;
use std::io::{self, Read as _};
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

/// The bytes of a regular file.
///
/// # Errors
/// As [`open_regular`], and where it can't be read.
pub(crate) fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

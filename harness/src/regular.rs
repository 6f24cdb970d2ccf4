//! Reading files whole. A pipe in a file's place could block for ever: it is refused.

use std::io::{self, Read as _};
use std::path::Path;

use adapters::open_regular;

/// The bytes of a regular file.
///
/// # Errors
/// What the system says, or that it is no regular file.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The text of a regular file.
///
/// # Errors
/// As [`read`], and for what isn't UTF-8.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open_regular(path)?.read_to_string(&mut text)?;
    Ok(text)
}

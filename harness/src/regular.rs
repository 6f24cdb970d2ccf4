//! Reading files whole. A pipe in a file's place could block for ever, and a file of any size could take all memory: both
//! are refused.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use adapters::open_regular;

/// Largest file that is read whole: rows of a campaign of a million runs in whatever order.
const LARGEST: u64 = 1 << 30;
/// Largest declaration: what its parser makes of it takes several times its size.
const LARGEST_DECLARATION: u64 = 1 << 23;

/// The bytes of a regular file.
///
/// # Errors
/// What the system says, that it is no regular file, or that it is too large.
pub(crate) fn read(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(&open_regular(path)?, LARGEST)
}

/// The text of a regular file.
///
/// # Errors
/// As [`read`], and for what isn't UTF-8.
pub(crate) fn read_text(path: &Path) -> io::Result<String> {
    text(read(path)?)
}

/// The text of a declaration: a file that a person writes.
///
/// # Errors
/// As [`read_text`].
pub(crate) fn read_declaration(path: &Path) -> io::Result<String> {
    text(declaration(path)?)
}

/// The bytes of a declaration.
///
/// # Errors
/// As [`read`].
pub(crate) fn declaration(path: &Path) -> io::Result<Vec<u8>> {
    read_at_most(&open_regular(path)?, LARGEST_DECLARATION)
}

/// The bytes of an open file of at most so many.
///
/// # Errors
/// What the system says, or that there are more.
pub(crate) fn read_at_most(file: &File, most: u64) -> io::Result<Vec<u8>> {
    let size = file.metadata()?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(most)).unwrap_or(0));
    // A file that grows meanwhile isn't read on for ever.
    let read = if size > most { size } else { file.take(most + 1).read_to_end(&mut bytes)? as u64 };
    if read > most {
        let message = format!("more than {most} bytes, which no file of its kind needs");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    Ok(bytes)
}

fn text(bytes: Vec<u8>) -> io::Result<String> {
    // The words of the standard library, whichever way a file is read.
    let no_text = |_| io::Error::new(io::ErrorKind::InvalidData, "stream did not contain valid UTF-8");
    String::from_utf8(bytes).map_err(no_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sparse file of three gigabytes in the place of a policy took all memory.
    #[test]
    fn a_file_of_any_size_is_refused_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("huge");
        File::create(&path).unwrap().set_len(3 << 30).unwrap();
        for refused in [read(&path).map(drop), read_text(&path).map(drop), read_declaration(&path).map(drop)]
        {
            let error = refused.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            assert!(error.to_string().starts_with("more than "), "{error}");
        }
    }

    #[test]
    fn a_file_may_have_so_many_bytes_and_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "12345").unwrap();
        let file = || File::open(&path).unwrap();
        assert_eq!(read_at_most(&file(), 5).unwrap(), b"12345");
        assert!(read_at_most(&file(), 4).is_err());
    }
}

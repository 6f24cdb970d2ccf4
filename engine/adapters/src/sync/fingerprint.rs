//! Whether a file still begins and goes on as it did: two bounded windows of what was read.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use sha2::{Digest, Sha256};

/// Length of each window.
const WINDOW: usize = 4096;

/// Hashes of the windows, and their lengths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fingerprint {
    pub(super) head_length: u64,
    pub(super) head_sha256: Vec<u8>,
    pub(super) last_length: u64,
    pub(super) last_sha256: Vec<u8>,
}

/// The first bytes of what was read, and the last ones behind those. They never overlap, so a check reads at most
/// twice the length of a window.
#[derive(Debug, Default)]
pub(super) struct Windows {
    head: Vec<u8>,
    last: Vec<u8>,
}

impl Windows {
    /// The windows as the file has them now, `consumed` bytes having been read of it, where they are what they were;
    /// `None` where they aren't. The count of bytes read for this is beside.
    pub(super) fn check(
        file: &File,
        consumed: u64,
        expected: &Fingerprint,
    ) -> io::Result<(Option<Windows>, u64)> {
        let head = read_at(file, 0, expected.head_length)?;
        let last = read_at(file, consumed.saturating_sub(expected.last_length), expected.last_length)?;
        let read = (head.len() + last.len()) as u64;
        let windows = Windows { head, last };
        let same = windows.fingerprint() == *expected;
        Ok((same.then_some(windows), read))
    }

    /// Takes the next bytes of the file.
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        let to_head = bytes.len().min(WINDOW - self.head.len());
        self.head.extend_from_slice(&bytes[..to_head]);
        let rest = &bytes[to_head..];
        self.last.extend_from_slice(&rest[rest.len().saturating_sub(WINDOW)..]);
        self.last.drain(..self.last.len().saturating_sub(WINDOW));
    }

    /// First bytes of the file, as far as they were read.
    pub(super) fn head(&self) -> &[u8] {
        &self.head
    }

    pub(super) fn fingerprint(&self) -> Fingerprint {
        Fingerprint {
            head_length: self.head.len() as u64,
            head_sha256: Sha256::digest(&self.head).to_vec(),
            last_length: self.last.len() as u64,
            last_sha256: Sha256::digest(&self.last).to_vec(),
        }
    }
}

/// Bytes at a place; fewer where the file ends.
pub(super) fn read_at(file: &File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_any_size_give_the_windows_of_the_whole() {
        let bytes: Vec<u8> = (0..20_000_u32).map(|at| (at % 251) as u8).collect();
        let mut whole = Windows::default();
        whole.extend(&bytes);
        assert_eq!(whole.head, bytes[..WINDOW]);
        assert_eq!(whole.last, bytes[bytes.len() - WINDOW..]);
        for size in [1, 7, 4095, 4096, 4097, 9000] {
            let mut pieces = Windows::default();
            bytes.chunks(size).for_each(|piece| pieces.extend(piece));
            assert_eq!(pieces.fingerprint(), whole.fingerprint(), "{size}");
        }
    }
}

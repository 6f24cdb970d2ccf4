//! Reading an indexed file again, for quoting: only what the index knows, only if it is still that.

use std::path::Path;

use super::analyse;
use super::index::Index;
use super::view::FileView;

/// What reading a file for quoting gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quotable {
    /// Its text, byte for byte.
    Text(String),
    /// Its bytes aren't those that were indexed: line numbers would lie.
    Changed,
    /// It is gone, no regular file below the root any more, or not UTF-8.
    Unreadable,
}

impl Index {
    /// Reads an indexed file below the root of the last refresh. A file replaced by a symbolic link, or reached through
    /// one, isn't read: a link may lead outside the root.
    pub fn quote(&self, file: &FileView) -> Quotable {
        let Some(root) = &self.root else { return Quotable::Unreadable };
        // The policy was checked when the rows were loaded; a second look costs nothing and keeps secrets in.
        if self.policy.excludes(&file.path, false).is_some() {
            return Quotable::Unreadable;
        }
        match read_inside(root, &file.path) {
            Some(bytes) if analyse::identity(&bytes) != file.sha256 => Quotable::Changed,
            Some(bytes) => String::from_utf8(bytes).map_or(Quotable::Unreadable, Quotable::Text),
            None => Quotable::Unreadable,
        }
    }
}

fn read_inside(root: &Path, path: &str) -> Option<Vec<u8>> {
    let file = root.join(path);
    let real = file.canonicalize().ok()?;
    let expected = root.canonicalize().ok()?.join(path);
    if real != expected || !real.is_file() {
        return None;
    }
    std::fs::read(real).ok()
}

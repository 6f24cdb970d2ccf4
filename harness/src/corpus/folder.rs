//! An open folder: what lies in it is reached without walking to it again, and never across a symbolic link.

#[cfg(not(unix))]
use std::path::PathBuf;
use std::{fs::File, io, path::Path};

#[cfg(unix)]
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};

/// An open folder.
#[derive(Debug)]
pub(super) struct Folder {
    #[cfg(unix)]
    handle: rustix::fd::OwnedFd,
    #[cfg(not(unix))]
    path: PathBuf,
}

#[cfg(unix)]
impl Folder {
    /// Opens the folder that a path names, wherever a link leads.
    pub(super) fn at(path: &Path) -> io::Result<Folder> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Folder { handle: rustix::fs::openat(CWD, path, flags, Mode::empty())? })
    }

    /// Opens a folder in it, and nothing that a link leads to.
    pub(super) fn folder(&self, name: &str) -> io::Result<Folder> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(Folder { handle: rustix::fs::openat(&self.handle, name, flags, Mode::empty())? })
    }

    /// Opens a file in it, and nothing that a link leads to. A pipe is opened without waiting for a writer, who may never
    /// come.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        Ok(File::from(rustix::fs::openat(&self.handle, name, flags, Mode::empty())?))
    }

    /// Whether a link stands under this name.
    pub(super) fn has_link(&self, name: &str) -> bool {
        rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_symlink())
    }
}

#[cfg(not(unix))]
impl Folder {
    /// The folder that a path names, wherever a link leads.
    pub(super) fn at(path: &Path) -> io::Result<Folder> {
        Ok(Folder { path: path.to_path_buf() })
    }

    /// A folder in it, and nothing that a link leads to.
    pub(super) fn folder(&self, name: &str) -> io::Result<Folder> {
        if self.has_link(name) { Err(io::Error::other("a link")) } else { Folder::at(&self.path.join(name)) }
    }

    /// Opens a file in it, and nothing that a link leads to.
    pub(super) fn file(&self, name: &str) -> io::Result<File> {
        if self.has_link(name) {
            return Err(io::Error::other("a link"));
        }
        adapters::open_regular(&self.path.join(name))
    }

    /// Whether a link stands under this name.
    pub(super) fn has_link(&self, name: &str) -> bool {
        self.path.join(name).symlink_metadata().is_ok_and(|meta| meta.file_type().is_symlink())
    }
}

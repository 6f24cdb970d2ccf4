//! A folder that one command holds at a time.

use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use crate::failure::{Failure, Kind};

/// A folder held by one command at a time, by a lock on the folder itself that ends with the process however it ends.
#[derive(Debug)]
pub(crate) struct Hold(Option<File>);

impl Drop for Hold {
    /// To close the file isn't enough: a program that another thread is just starting shares it until it runs.
    fn drop(&mut self) {
        if let Some(held) = &self.0 {
            // Where it fails, the lock ends with the file.
            drop(held.unlock());
        }
    }
}

impl Hold {
    /// Holds a folder once no other command does. For what takes a moment: a line added to a list.
    ///
    /// # Errors
    /// Input and output (74).
    pub(crate) fn wait(folder: &Path) -> Result<Hold, Failure> {
        let Some(opened) = open(folder)? else { return Ok(Hold(None)) };
        match opened.lock() {
            Err(error) if error.kind() != ErrorKind::Unsupported => Err(Failure::io(folder, &error)),
            _ => Ok(Hold(Some(opened))),
        }
    }

    /// Holds a folder, or says that another command does.
    ///
    /// # Errors
    /// As [`Hold::wait`], and where it is held.
    pub(crate) fn now(folder: &Path) -> Result<Hold, Failure> {
        let Some(opened) = open(folder)? else { return Ok(Hold(None)) };
        match opened.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let message = "another command writes there: wait for its end, or name another folder";
                Err(Failure { kind: Kind::Io, message: format!("{}: {message}", folder.display()) })
            }
            Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => {
                Err(Failure::io(folder, &error))
            }
            // A file system without locks has no second gate either, as far as anybody can tell.
            _ => Ok(Hold(Some(opened))),
        }
    }
}

#[cfg(unix)]
fn open(folder: &Path) -> Result<Option<File>, Failure> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let opened = File::options().read(true).custom_flags(libc::O_DIRECTORY).open(folder);
    opened.map(Some).map_err(|error| Failure::io(folder, &error))
}

/// Folders can't be opened as files elsewhere.
#[cfg(not(unix))]
fn open(_: &Path) -> Result<Option<File>, Failure> {
    Ok(None)
}

//! A file under construction, beside its place.

use std::fs;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::Failure;

/// How the name of a file begins until it is renamed into its place.
pub(crate) const STAGED: &str = ".new-";

/// A file that is written beside its place; it is gone unless it is published.
pub struct Staged {
    target: PathBuf,
    file: BufWriter<NamedTempFile>,
}

impl Staged {
    /// Begins `folder/name`; the folder is made where it is absent.
    ///
    /// # Errors
    /// Input and output (74), with the path.
    pub fn create(folder: &Path, name: &str) -> Result<Staged, Failure> {
        fs::create_dir_all(folder).map_err(|error| Failure::io(folder, &error))?;
        let target = folder.join(name);
        match tempfile::Builder::new().prefix(STAGED).tempfile_in(folder) {
            Ok(file) => Ok(Staged { target, file: BufWriter::new(file) }),
            Err(error) => Err(Failure::io(&target, &error)),
        }
    }

    /// Adds to it.
    ///
    /// # Errors
    /// Input and output (74), with the path.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.file.write_all(bytes).map_err(|error| Failure::io(&self.target, &error))
    }

    /// Sees to it that what was written so far is on the disk, so that it is in its place at once when it is published.
    ///
    /// # Errors
    /// Input and output (74), with the path.
    pub fn sync(&mut self) -> Result<(), Failure> {
        let synced = self.file.flush().and_then(|()| self.file.get_ref().as_file().sync_data());
        synced.map_err(|error| Failure::io(&self.target, &error))
    }

    /// Puts it in its place: data to the disk, then the name.
    ///
    /// # Errors
    /// Input and output (74), with the path.
    pub fn publish(self) -> Result<(), Failure> {
        let Staged { target, file } = self;
        let placed = || -> io::Result<()> {
            let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
            readable(file.as_file())?;
            file.as_file().sync_all()?;
            file.persist(&target).map_err(|failed| failed.error)?;
            Ok(())
        };
        placed().map_err(|error| Failure::io(&target, &error))
    }
}

impl io::Write for Staged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Temporary files are private; a published report is as readable as any other file.
#[cfg(unix)]
fn readable(file: &fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(fs::Permissions::from_mode(0o644))
}

#[cfg(not(unix))]
fn readable(_: &fs::File) -> std::io::Result<()> {
    Ok(())
}

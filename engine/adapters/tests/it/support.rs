//! Where test input lies.

use std::io::Write as _;
use std::path::PathBuf;

/// A folder of real input that doesn't ship with the project, or `None` (said on standard error) where it is absent:
/// `SLUICE_SHARED`, else the folder `shared` beside the repository.
pub fn shared(under: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let root = std::env::var_os("SLUICE_SHARED").map_or_else(beside, PathBuf::from);
    let folder = root.join(under);
    if folder.is_dir() {
        return Some(folder);
    }
    // Past the capture of test output: a skipped test must be seen.
    writeln!(std::io::stderr(), "skipped: {} is absent", folder.display()).expect("standard error is open");
    None
}

//! Where test input lies.

use std::io::Write as _;
use std::path::{Path, PathBuf};

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

/// Session logs below a folder, sorted: what ends in `.jsonl`, hooks and wires of recordings aside. Empty where the
/// folder is absent.
pub fn session_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let Ok(entries) = std::fs::read_dir(folder) else { return files };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            files.extend(session_files(&path));
        } else if name.ends_with(".jsonl")
            && !["hooks", "wire", "rpc-events"].iter().any(|kind| name.contains(&format!(".{kind}.")))
        {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Numbers that look random and are the same in every run of one seed (SplitMix64).
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// A number below a bound above zero.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }
}

//! Which files of a root are candidates for the index, and what was left out and why.

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::error::ProjectError;
use super::policy::{ExcludePolicy, Exclusion};
use super::role::is_lockfile;

/// Name of the ignore files of our own, beside `.gitignore`.
pub const IGNORE_FILE: &str = ".sluiceignore";

/// Size limits of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Largest file read, bytes.
    pub max_file_bytes: u64,
    /// Largest file read whose language isn't known to us (data, documents), bytes.
    pub max_other_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_file_bytes: 1 << 20, max_other_bytes: 256 << 10 }
    }
}

/// Facts by which an unchanged file is recognised without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Size in bytes.
    pub bytes: u64,
    /// Modification time, nanoseconds since the epoch.
    pub modified_ns: i64,
    /// Time of the last change of the inode, nanoseconds since the epoch (0 where the system has none): a program that sets
    /// the modification time back can't set this one.
    pub changed_ns: i64,
}

/// A file that may be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Path relative to the root, forward slashes.
    pub path: String,
    /// Where it stands on disk.
    pub stamp: Stamp,
}

/// Why a file isn't indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkipReason {
    /// Larger than the limit.
    TooLarge,
    /// Not text.
    Binary,
    /// A lock file of a package manager: long, generated, never what a task is about.
    Lockfile,
    /// May hold a secret.
    Protected,
    /// Excluded by a stated pattern.
    Excluded,
    /// The path isn't Unicode.
    NotUnicode,
    /// The path holds a control character, a line separator or a mark that turns the reading direction: in a list or in the
    /// header of a pack it could pass for other text.
    ControlCharacter,
    /// It can't be read, or vanished meanwhile.
    Unreadable,
}

impl SkipReason {
    /// The stable name in tables and reports.
    pub fn code(self) -> &'static str {
        match self {
            SkipReason::TooLarge => "too-large",
            SkipReason::Binary => "binary",
            SkipReason::Lockfile => "lockfile",
            SkipReason::Protected => "protected",
            SkipReason::Excluded => "excluded",
            SkipReason::NotUnicode => "not-unicode",
            SkipReason::ControlCharacter => "control-character",
            SkipReason::Unreadable => "unreadable",
        }
    }
}

/// A file left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Path relative to the root; lossy where it isn't Unicode.
    pub path: String,
    /// Why.
    pub reason: SkipReason,
}

/// What a walk found, each list sorted by path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discovery {
    /// Files that may be indexed.
    pub found: Vec<Found>,
    /// Files left out. Build output and what an ignore file names isn't listed: it may be millions of files.
    pub skipped: Vec<Skipped>,
}

/// Walks `root`: regular files only, symbolic links never followed, `.gitignore` and `.sluiceignore` obeyed at every level
/// below the root (what stands above it has no say, nor has the user's global configuration), the policy on top.
pub fn discover(root: &Path, policy: &ExcludePolicy, limits: Limits) -> Result<Discovery, ProjectError> {
    let metadata = std::fs::metadata(root).map_err(|e| ProjectError::io("read", root, e))?;
    if !metadata.is_dir() {
        return Err(ProjectError::NotAFolder { path: root.to_owned() });
    }
    let mut out = Discovery::default();
    for entry in walker(root, policy).build() {
        match entry {
            Ok(entry) if entry.file_type().is_some_and(|t| t.is_file()) => {
                admit(root, entry.path(), policy, limits, &mut out);
            }
            Ok(_) => {}
            Err(error) => out.skipped.extend(unreadable(root, &error)),
        }
    }
    out.found.sort_by(|a, b| a.path.cmp(&b.path));
    out.skipped.sort();
    Ok(out)
}

fn walker(root: &Path, policy: &ExcludePolicy) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder
        .hidden(false)
        .parents(false)
        .ignore(false)
        .git_ignore(true)
        .git_exclude(true)
        .git_global(false)
        .require_git(false)
        .follow_links(false)
        .add_custom_ignore_filename(IGNORE_FILE);
    let (root, policy) = (root.to_owned(), policy.clone());
    // A folder that the policy excludes isn't entered: a secret folder isn't even listed.
    builder.filter_entry(move |entry| {
        let is_dir = entry.file_type().is_some_and(|t| t.is_dir());
        !is_dir || relative(&root, entry.path()).is_none_or(|path| policy.excludes(&path, true).is_none())
    });
    builder
}

fn admit(root: &Path, file: &Path, policy: &ExcludePolicy, limits: Limits, out: &mut Discovery) {
    let Some(path) = relative(root, file) else {
        let path = file.strip_prefix(root).unwrap_or(file).to_string_lossy().into_owned();
        out.skipped.push(Skipped { path, reason: SkipReason::NotUnicode });
        return;
    };
    let reason = match policy.excludes(&path, false) {
        Some(Exclusion::Protected) => Some(SkipReason::Protected),
        Some(Exclusion::Stated) => Some(SkipReason::Excluded),
        Some(Exclusion::Derived) => return,
        None if path.chars().any(forges_lines) => Some(SkipReason::ControlCharacter),
        None if is_lockfile(&path) => Some(SkipReason::Lockfile),
        None => None,
    };
    match (reason, std::fs::symlink_metadata(file)) {
        (Some(reason), _) => out.skipped.push(Skipped { path, reason }),
        (None, Err(_)) => out.skipped.push(Skipped { path, reason: SkipReason::Unreadable }),
        (None, Ok(metadata)) if metadata.len() > limit_of(&path, limits) => {
            out.skipped.push(Skipped { path, reason: SkipReason::TooLarge });
        }
        (None, Ok(metadata)) => out.found.push(Found { path, stamp: Stamp::of(&metadata) }),
    }
}

/// Whether a character of a path could forge what stands around the path.
fn forges_lines(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn limit_of(path: &str, limits: Limits) -> u64 {
    match super::role::is_code_path(path) {
        true => limits.max_file_bytes,
        false => limits.max_other_bytes,
    }
}

fn unreadable(root: &Path, error: &ignore::Error) -> Option<Skipped> {
    let path = path_of(error)?;
    let path = relative(root, &path)?;
    Some(Skipped { path, reason: SkipReason::Unreadable })
}

fn path_of(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path.clone()),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        _ => None,
    }
}

/// The path relative to the root with forward slashes; `None` where it isn't Unicode or is the root itself.
fn relative(root: &Path, path: &Path) -> Option<String> {
    let path = path.strip_prefix(root).ok()?.to_str()?;
    let path = path.replace(std::path::MAIN_SEPARATOR, "/");
    (!path.is_empty()).then_some(path)
}

impl Stamp {
    /// The facts of a file on disk.
    pub fn of(metadata: &Metadata) -> Stamp {
        let modified_ns = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .and_then(|since| i64::try_from(since.as_nanos()).ok())
            .unwrap_or(0);
        Stamp { bytes: metadata.len(), modified_ns, changed_ns: changed_ns(metadata) }
    }
}

#[cfg(unix)]
fn changed_ns(metadata: &Metadata) -> i64 {
    use std::os::unix::fs::MetadataExt;
    metadata.ctime().saturating_mul(1_000_000_000).saturating_add(metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn changed_ns(_: &Metadata) -> i64 {
    0
}

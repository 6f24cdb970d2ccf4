//! Whether the history of a work tree ends where the queries' changes begin.
//!
//! A query is a later commit's message: a ranker that knows the commit knows the answer. Rankers read the history that the
//! checked-out commit reaches, so that commit must not reach what came after the queries' base.

use std::collections::BTreeSet;
use std::path::Path;

use adapters::git::{command, head};

use crate::failure::Failure;

/// How a checked-out commit stands to the commit after which queries were mined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// It is that commit.
    At,
    /// That commit reaches it: the history is shorter than it might be.
    Before,
    /// No query names a base, or there is no history to hold anything.
    Untold,
    /// The repository doesn't hold that commit: what its history tells can't be known.
    Unknown,
    /// It reaches commits that the base doesn't: some may be the answers.
    After,
}

impl Standing {
    /// The stable name in reports.
    pub fn code(self) -> &'static str {
        match self {
            Standing::At => "at-base",
            Standing::Before => "before-base",
            Standing::Untold => "untold",
            Standing::Unknown => "unknown-base",
            Standing::After => "after-base",
        }
    }
}

/// The standing of the commit checked out at `root` to these bases: the worst of all.
///
/// # Errors
/// Git can't compare two commits that the repository holds (65).
pub fn standing<'q>(root: &Path, bases: impl IntoIterator<Item = &'q str>) -> Result<Standing, Failure> {
    let bases: BTreeSet<&str> = bases.into_iter().collect();
    let Ok(head) = head(root) else { return Ok(Standing::Untold) };
    let mut worst = if bases.is_empty() { Standing::Untold } else { Standing::At };
    for base in bases {
        worst = worst.max(against(root, &head, base)?);
    }
    Ok(worst)
}

fn against(root: &Path, head: &str, base: &str) -> Result<Standing, Failure> {
    if base == head {
        return Ok(Standing::At);
    }
    let wanted = format!("{base}^{{commit}}");
    // An object of that name says nothing else: a name of a branch may move.
    let named = base.len() >= 7 && base.bytes().all(|byte| byte.is_ascii_hexdigit());
    let base = named.then(|| said(root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &wanted]));
    let Some(base) = base.flatten() else { return Ok(Standing::Unknown) };
    if base == head {
        return Ok(Standing::At);
    }
    match said(root, &["rev-list", "--count", head, &format!("^{base}")]).as_deref() {
        Some("0") => Ok(Standing::Before),
        Some(_) => Ok(Standing::After),
        None => Err(Failure::bad_data(format!(
            "{}: git can't compare {head} with {base}: look at `git fsck`",
            root.display()
        ))),
    }
}

/// What a command of Git that succeeded says, on one line.
fn said(root: &Path, arguments: &[&str]) -> Option<String> {
    let output = command(root).args(arguments).output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok().map(|text| text.trim().to_owned())
}

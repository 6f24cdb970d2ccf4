//! Outputs are kept apart from evidence: nothing is written into a corpus but by what records one.

use std::path::Path;

use crate::failure::Failure;

/// Refuses an output folder that is a corpus or lies in one, behind whatever links.
///
/// # Errors
/// Usage (64).
pub(crate) fn apart_from_evidence(out: &Path) -> Result<(), Failure> {
    let told = |what: &str| {
        let told = format!("out: {}: {what}: its evidence is kept apart from reports", out.display());
        Err(Failure::usage(told))
    };
    let holds_corpus = |folder: &Path| folder.join("corpus.toml").symlink_metadata().is_ok();
    if holds_corpus(out) {
        return told("a corpus");
    }
    let Ok(absolute) = std::path::absolute(out) else { return Ok(()) };
    // What isn't there yet will be made below the nearest folder that is.
    let Some(real) = absolute.ancestors().find_map(|folder| folder.canonicalize().ok()) else {
        return Ok(());
    };
    if real.ancestors().any(holds_corpus) { told("in a corpus") } else { Ok(()) }
}

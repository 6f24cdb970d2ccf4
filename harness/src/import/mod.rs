//! Sessions of real agents into a corpus folder: copies, figures, faults, what was lost.
//!
//! The source is only read. The folder is private (0700, files 0600), ignores itself for Git, and every file in it is
//! published by rename; an import that was stopped goes on where it was. The walk of one file: [`discover()`] →
//! `job` → `pipeline` (read once: hashed, copied, parsed) → `blob` or `redact` where the copy isn't the file itself →
//! `journal`. Then, over all files (`run`): `dedup` settles whose request is counted where, `document` tells it.

mod blob;
mod dedup;
mod destination;
mod discover;
mod document;
mod imported;
mod job;
mod journal;
mod journal_wire;
mod pipeline;
mod redact;
mod run;
mod sessions;
mod summary;
mod tracked;

pub use dedup::{Account, Duplicates};
pub use destination::Destination;
pub use discover::{ENDINGS, Found, Source, discover};
pub use document::{Totals, import_json, warning_counts, warnings};
pub use imported::{FileFailure, Imported, Run};
pub use job::{Progress, Settings};
pub use journal::Stored;
pub use pipeline::entry_bytes;
pub use redact::RedactionKey;
pub use run::import;
pub use summary::Summary;
pub use tracked::tracking_tree;

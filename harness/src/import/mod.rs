//! Sessions of real agents into a corpus folder: byte-identical copies, figures, faults, what was lost.
//!
//! The source is only read. The folder is private (0700, files 0600), ignores itself for Git, and every file in it is
//! published by rename.

mod destination;
mod discover;
mod document;
mod pipeline;

pub use destination::Destination;
pub use discover::{discover, sort_key};
pub use document::{failure_json, import_json, session_json};
pub use pipeline::{FileFailure, Imported, import_file};

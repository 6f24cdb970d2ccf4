//! Session files of the Pi coding agent, versions 1 to 3.

mod convert;
mod read;
mod views;

pub(crate) use convert::{branch_summary, compaction_summary, shell_text};
pub(crate) use read::{EVENT_STREAM, PiDialect, is_event};

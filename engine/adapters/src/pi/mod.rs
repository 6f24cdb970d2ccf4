//! Session files of the Pi coding agent, versions 1 to 3.
//!
//! [`read`] streams a log line by line: memory is bounded by the tree and the longest line. Every fault is a
//! [`Warning`] with a code of a closed list and the line it stands on.

mod convert;
mod fault;
mod frame;
mod read;
mod stats;
mod time;
mod views;

pub use fault::{FaultCode, ReadError, Warning};
pub use read::{Header, PiSession, View, read};
pub use stats::{Stats, UsageTotals};

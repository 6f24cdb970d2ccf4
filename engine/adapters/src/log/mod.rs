//! The common reading of session logs.
//!
//! One way for every format: bytes become lines ([`line`]), lines objects (`frame`), objects entries (the format's
//! dialect in a folder of its own), entries trees (`links`). [`read()`] streams: memory is bounded by the tree and the
//! longest line. Every fault is a [`Warning`] with a code of a closed list and the line it stands on.

mod blocks;
pub(crate) mod dialect;
pub(crate) mod distil;
mod fault;
pub(crate) mod format;
pub(crate) mod frame;
pub(crate) mod ids;
pub(crate) mod line;
pub(crate) mod links;
mod long_line;
pub(crate) mod member;
mod name;
pub(crate) mod read;
pub(crate) mod salvaged;
mod session;
mod stats;
pub(crate) mod suspect;
pub(crate) mod time;

pub use fault::{FaultCode, ReadError, Warning};
pub use format::Format;
pub use name::name_fault;
pub use read::read;
pub use salvaged::Salvaged;
pub use session::{Content, Header, Limits, Purpose, ReadOptions, Request, SessionLog, Version, View};
pub use stats::{Stats, UsageTotals};

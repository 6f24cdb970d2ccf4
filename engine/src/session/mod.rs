//! The session tree: entries with parents, as an agent's log holds them, and the path to one of them.

mod tree;

pub use tree::{Entry, EntryId, EntryKind, SessionTree};

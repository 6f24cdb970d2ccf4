//! The session tree: entries with parents, as an agent's log holds them; the path to one of them; what the agent
//! holds there; and the atomic groups that may only be kept or dropped together.

mod group;
mod replace;
mod select;
mod shared;
mod tree;

pub use group::{Exchange, Group, GroupKind, Groups};
pub use select::{Fate, SelectedMessage, Selection, TreeIndex, select};
pub(crate) use shared::Known;
pub use shared::SharedEntry;
pub use tree::{Entry, EntryId, EntryKind, SessionTree};

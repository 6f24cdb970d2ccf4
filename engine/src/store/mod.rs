//! What is kept in SQLite beside the project index: the folder for it, checksummed migrations, and the index of a session's
//! entries, and vectors of a project's files.
//!
//! Everything stored is derived: deleting it loses nothing.

mod database;
mod error;
pub(crate) mod folder;
pub(crate) mod migrate;
mod rows;
mod schema;
mod session;
mod vectors;

pub use error::StoreError;
pub use schema::SESSIONS_FILE;
pub use session::{SessionIndex, Synced};
pub use vectors::{EmbeddedFile, Maker, VECTORS_FILE, VectorStore};

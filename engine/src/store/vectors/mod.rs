//! Vectors of a project's files, kept beside its index so that a text is sent to an embedding provider once.

mod schema;
mod store;

pub use schema::VECTORS_FILE;
pub use store::{EmbeddedFile, Maker, VectorStore};

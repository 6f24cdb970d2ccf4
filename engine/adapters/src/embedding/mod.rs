//! Embeddings from a program that the user names: the engine's port over the standard streams of a child process.
//!
//! The protocol is one JSON value a line (`docs/embeddings.md`). A program that is missing, speaks another version, hangs,
//! floods, ends or writes what isn't an answer is a failure with a code; it is ended with its whole process group, and the
//! engine ranks without embeddings.

mod arguments;
mod child;
mod subprocess;
mod wire;

pub use arguments::EmbeddingArguments;
pub use child::Program;
pub use subprocess::{Limits, Subprocess};
pub use wire::PROTOCOL;

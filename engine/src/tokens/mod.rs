//! Token estimates: counters of text behind one trait, and what a message costs beyond its text.

mod counter;
mod framing;

#[cfg(feature = "exact-tokens")]
pub use counter::O200k;
pub use counter::{ByteClass, TokenCounter};
pub use framing::{BLOCK_FRAMING, IMAGE_TOKENS, MESSAGE_FRAMING, message_tokens};

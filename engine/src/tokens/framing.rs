//! What a message costs beyond its text.

use super::TokenCounter;
use crate::message::{Block, Message};

/// Tokens of a message's role and separators: 4, as chat formats of the field have it.
pub const MESSAGE_FRAMING: u64 = 4;
/// Tokens of a call's or result's identifiers and separators.
pub const BLOCK_FRAMING: u64 = 8;
/// Tokens of an image. Providers bill by size in pixels, which a log doesn't tell; 1,200 is what Pi assumes.
pub const IMAGE_TOKENS: u64 = 1_200;

/// Estimated tokens of one message in a prompt: framing, plus the text of each block.
///
/// Opaque signatures aren't counted: providers bill the reasoning they stand for or nothing at all, and no log tells
/// which.
pub fn message_tokens(counter: &dyn TokenCounter, message: &Message) -> u64 {
    let answer = if message.answers.is_some() { BLOCK_FRAMING } else { 0 };
    MESSAGE_FRAMING + answer + message.blocks.iter().map(|block| block_tokens(counter, block)).sum::<u64>()
}

fn block_tokens(counter: &dyn TokenCounter, block: &Block) -> u64 {
    match block {
        Block::Text(text) | Block::Thinking { text, .. } => counter.text(text),
        Block::ToolCall { name, json, .. } => BLOCK_FRAMING + counter.text(name) + counter.text(json),
        Block::Image { .. } => IMAGE_TOKENS,
        Block::ToolDeclaration { json, .. } => BLOCK_FRAMING + counter.text(json),
    }
}

//! Text and hashes of messages.

use sha2::{Digest, Sha256};

use super::{Block, Message};

/// Lower-case hexadecimal text of some bytes.
pub fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// SHA-256 of some bytes, lower-case hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

impl Block {
    /// What the block says, as text: a tool call is its name followed by its arguments as JSON in the model's own
    /// order; an image is `image:<media type>:<length of the encoded data>`; a declaration is its JSON.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        match self {
            Block::Text(text) | Block::Thinking { text, .. } => text.into(),
            Block::ToolCall { name, json, .. } => format!("{name}{json}").into(),
            Block::Image { mime, bytes, .. } => format!("image:{mime}:{bytes}").into(),
            Block::ToolDeclaration { json, .. } => json.into(),
        }
    }
}

impl Message {
    /// Texts of all blocks, joined by line feeds.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for (index, block) in self.blocks.iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            out.push_str(&block.text());
        }
        out
    }

    /// SHA-256 of [`Message::text`], lower-case hexadecimal. It identifies what the model reads, whatever log the
    /// message came from; role and framing aren't part of it.
    pub fn text_sha256(&self) -> String {
        sha256_hex(self.text().as_bytes())
    }

    /// SHA-256 over role, answered call and every block with its kind, unambiguously framed: equal exactly when two
    /// messages would be sent alike. Signatures count, billing and times don't.
    pub fn wire_sha256(&self) -> String {
        let mut hash = Sha256::new();
        frame(&mut hash, self.role.name());
        match &self.answers {
            Some(answer) => {
                frame(&mut hash, &answer.call_id);
                frame(&mut hash, &answer.tool);
                frame(&mut hash, if answer.is_error { "error" } else { "ok" });
            }
            None => frame(&mut hash, "-"),
        }
        for block in &self.blocks {
            frame_block(&mut hash, block);
        }
        hex(&hash.finalize())
    }
}

fn frame_block(hash: &mut Sha256, block: &Block) {
    match block {
        Block::Text(text) => {
            frame(hash, "text");
            frame(hash, text);
        }
        Block::Thinking { text, signature } => {
            frame(hash, "thinking");
            frame(hash, text);
            frame(hash, signature.as_deref().unwrap_or(""));
        }
        Block::ToolCall { id, name, json, .. } => {
            frame(hash, "tool_call");
            frame(hash, id);
            frame(hash, name);
            frame(hash, json);
        }
        Block::Image { mime, sha256, .. } => {
            frame(hash, "image");
            frame(hash, mime);
            frame(hash, sha256);
        }
        Block::ToolDeclaration { name, json } => {
            frame(hash, "tool_declaration");
            frame(hash, name);
            frame(hash, json);
        }
    }
}

/// Length before content: no two sequences of fields give the same bytes.
fn frame(hash: &mut Sha256, text: &str) {
    hash.update((text.len() as u64).to_le_bytes());
    hash.update(text.as_bytes());
}

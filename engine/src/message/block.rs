//! Content blocks.

/// One piece of a message's content.
#[derive(Debug, Clone, PartialEq)]
pub enum Block {
    /// Plain text.
    Text(String),
    /// The model's reasoning. `signature` is opaque and may carry the whole payload while `text` is empty.
    Thinking {
        /// Readable reasoning, possibly empty.
        text: String,
        /// Provider's opaque signature or encrypted payload.
        signature: Option<String>,
    },
    /// A call of a tool.
    ToolCall {
        /// Identifier, unique only within its turn.
        id: String,
        /// Tool name.
        name: String,
        /// Arguments; an empty object where the log's arguments could not be parsed.
        arguments: serde_json::Value,
        /// The same arguments as compact JSON in the model's own order: what is sent, billed and cached.
        json: String,
    },
    /// An image, kept by hash: its bytes never enter the engine.
    Image {
        /// Media type.
        mime: String,
        /// SHA-256 of the encoded data, lower-case hex.
        sha256: String,
        /// Length of the encoded data in bytes.
        bytes: u64,
    },
    /// A tool offered to the model, declared by a system message.
    ToolDeclaration {
        /// Tool name.
        name: String,
        /// The declaration (name, description, parameters) as compact JSON in source order.
        json: String,
    },
}

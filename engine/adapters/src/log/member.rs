//! Members of an object that the formats name differently and mean alike.

use engine::message::{Block, Json, sha256_hex};

/// More than any request can bill, and more than any thread has: a count above it is damage, and sums of counts below it
/// can't overflow.
pub(crate) const MAX_TOKENS: u64 = 1_000_000_000_000;

/// The text of a member; empty where it is absent or no text.
pub(crate) fn text(holder: &Json<'_>, name: &str) -> String {
    holder.str_at(name).unwrap_or("").to_owned()
}

/// Billed tokens that a member tells, 0 where it is absent or null; `None` where it tells what can't be.
pub(crate) fn tokens(holder: &Json<'_>, name: &str) -> Option<u64> {
    match holder.get(name) {
        None | Some(Json::Null) => Some(0),
        Some(value) => value.as_count().filter(|count| *count <= MAX_TOKENS),
    }
}

/// An image by the hash and the length of its data as the log has them.
pub(crate) fn image(mime: &str, data: &str) -> Block {
    Block::Image { mime: mime.to_owned(), sha256: sha256_hex(data.as_bytes()), bytes: data.len() as u64 }
}

/// Declarations of tools, none where there is no list of them.
pub(crate) fn declarations(tools: Option<&Json<'_>>) -> impl Iterator<Item = Block> {
    let tools = tools.and_then(Json::as_array).unwrap_or(&[]).iter();
    tools.map(|tool| Block::ToolDeclaration { name: text(tool, "name"), json: tool.to_source_order() })
}

//! Members of an object that the formats name differently and mean alike.

use engine::message::{Block, Json, sha256_hex};

/// More than any request can bill, and more than any thread has: a count above it is damage, and sums of counts below it
/// can't overflow.
const MAX_TOKENS: u64 = 1_000_000_000_000;

/// More than any request can cost, in any currency.
const MAX_COST: f64 = 1e9;

/// What a member says that something cost; `None` where it is no amount that can be.
pub(crate) fn cost(holder: &Json<'_>, name: &str) -> Option<f64> {
    holder.get(name)?.as_f64().filter(|cost| (0.0..=MAX_COST).contains(cost) && cost.is_sign_positive())
}

/// The text of a member; empty where it is absent or no text.
pub(crate) fn text(holder: &Json<'_>, name: &str) -> String {
    holder.str_at(name).unwrap_or("").to_owned()
}

/// Billed tokens that a member tells, 0 where it is absent or null; `None` where it tells what can't be: anything but an
/// integer in plain digits. A fraction, `12.0` too, was computed by somebody and counted by nobody.
pub(crate) fn tokens(holder: &Json<'_>, name: &str) -> Option<u64> {
    match holder.get(name) {
        None | Some(Json::Null) => Some(0),
        Some(Json::Number(number)) => number.as_u64().filter(|count| *count <= MAX_TOKENS),
        Some(_) => None,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_integers_in_plain_digits() {
        let read = |number: &str| {
            let text = format!("{{\"n\":{number}}}");
            tokens(&serde_json::from_str(&text).unwrap(), "n")
        };
        assert_eq!(["0", "12", "null", "1000000000000"].map(read), [0, 12, 0, 1_000_000_000_000].map(Some));
        for odd in
            ["12.0", "1e3", "-0", "-1", "0.5", "1000000000001", "9007199254740993", "\"12\"", "true", "[]"]
        {
            assert_eq!(read(odd), None, "{odd}");
        }
    }

    #[test]
    fn costs_are_amounts_that_can_be() {
        let read = |number: &str| {
            let text = format!("{{\"n\":{number}}}");
            cost(&serde_json::from_str(&text).unwrap(), "n")
        };
        assert_eq!(["0", "0.25", "1e9"].map(read), [0.0, 0.25, 1e9].map(Some));
        for odd in ["-0.0", "-0.25", "1e10", "null", "\"1\"", "{}"] {
            assert_eq!(read(odd), None, "{odd}");
        }
    }
}

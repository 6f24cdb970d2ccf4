//! JSON with comments and trailing commas, as configurations of TypeScript are written.

use serde_json::Value;

/// Reads a document; `None` where it isn't one.
pub(super) fn parse(text: &str) -> Option<Value> {
    serde_json::from_str(&strip(text)).ok()
}

/// The text without comments and trailing commas.
fn strip(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.trim_start_matches('\u{feff}');
    while let Some(c) = rest.chars().next() {
        let taken = if c == '"' {
            string_length(rest)
        } else if rest.starts_with("//") {
            rest = &rest[rest.find('\n').unwrap_or(rest.len())..];
            continue;
        } else if rest.starts_with("/*") {
            rest = rest[2..].find("*/").map_or("", |at| &rest[at + 4..]);
            continue;
        } else {
            c.len_utf8()
        };
        if matches!(c, '}' | ']') {
            drop_comma(&mut out);
        }
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out
}

fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn drop_comma(out: &mut String) {
    let end = out.trim_end().len();
    if out[..end].ends_with(',') {
        out.truncate(end - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_trailing_commas_go_and_strings_stay() {
        let text = "\u{feff}{ // a\n \"x\": [1, /* b */ 2,], \"y\": \"// no, \\\" /* comment */ ,]\",\n}";
        assert_eq!(strip(text), "{ \n \"x\": [1,  2], \"y\": \"// no, \\\" /* comment */ ,]\"}");
        assert_eq!(parse(text).unwrap()["x"][1], 2);
        for torn in ["", "{", "\"", "/*", "//", "{\"a\": /* ", "\\"] {
            assert_eq!(parse(torn), None, "{torn}");
        }
    }
}

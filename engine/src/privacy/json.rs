//! JSON text with its strings rewritten and every other byte kept.

use serde::de::IgnoredAny;

/// A text that isn't one JSON value.
#[derive(Debug, thiserror::Error)]
#[error("json: line {line}, column {column}: not a JSON value: redact it as text")]
pub struct JsonError {
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes.
    pub column: usize,
}

/// Rewrites every string of `text`: `map` gets the name of the member whose value the string is (the string stands right after
/// the name, or in a list after it), or `None`, and the string, decoded. Names of members are rewritten with `None`.
///
/// # Errors
/// Where `text` isn't one JSON value.
pub fn map_strings(
    text: &str,
    mut map: impl FnMut(Option<&str>, &str) -> String,
) -> Result<String, JsonError> {
    serde_json::from_str::<IgnoredAny>(text).map_err(|e| JsonError { line: e.line(), column: e.column() })?;
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    // By depth: the name of the member that is being read.
    let mut names: Vec<Option<String>> = vec![None];
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'{' => names.push(None),
            b'[' => names.push(names.last().cloned().flatten()),
            b'}' | b']' => {
                names.pop();
            }
            b'"' => {
                let end = string_end(bytes, at);
                let raw = &text[at..end];
                let Ok(decoded) = serde_json::from_str::<String>(raw) else {
                    // A lone surrogate: no text. Its escapes can't be told, so the raw form is looked at.
                    out.push_str(&text[from..at + 1]);
                    out.push_str(&map(names.last().and_then(Option::as_deref), &text[at + 1..end - 1]));
                    (from, at) = (end - 1, end);
                    continue;
                };
                let is_name = bytes[end..].iter().find(|b| !b.is_ascii_whitespace()) == Some(&b':');
                let name = names.last().and_then(Option::as_deref).filter(|_| !is_name);
                let new = map(name, &decoded);
                if new != decoded {
                    out.push_str(&text[from..at]);
                    out.push_str(&serde_json::to_string(&new).expect("a string is JSON"));
                    from = end;
                }
                if is_name && let Some(slot) = names.last_mut() {
                    *slot = Some(decoded);
                }
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    out.push_str(&text[from..]);
    Ok(out)
}

/// The end of the string that begins at `at`, in text known to be JSON.
fn string_end(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while bytes[end] != b'"' {
        end += if bytes[end] == b'\\' { 2 } else { 1 };
    }
    end + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_rewritten_and_the_rest_kept() {
        let text = "{ \"a\" : [\"x\", {\"b\":\"y\\n\"}], \"c\":1.50 }\n";
        let marked = map_strings(text, |name, value| format!("{}/{value}", name.unwrap_or("-"))).unwrap();
        assert_eq!(marked, "{ \"-/a\" : [\"a/x\", {\"-/b\":\"b/y\\n\"}], \"-/c\":1.50 }\n");
        assert_eq!(map_strings(text, |_, value| value.to_owned()).unwrap(), text);
        assert!(map_strings("{\"a\":", |_, v| v.to_owned()).is_err());
    }
}

//! The values of `Cookie` and `Set-Cookie`.

use std::ops::Range;

use super::{assign, value};

/// Longest list of cookies read.
const MAX_LIST: usize = 8192;

/// Attributes of a cookie, which aren't cookies.
const ATTRIBUTES: &[&str] = &["domain", "expires", "max-age", "partitioned", "path", "priority", "samesite"];

/// Parts of the names of cookies that open a session.
const SESSION_PARTS: &[&str] =
    &["sess", "sid", "auth", "token", "jwt", "csrf", "xsrf", "remember", "login", "secret", "key"];

/// The private values of the list of cookies that follows the word `cookie`, which ends at `end`, and where the list ends.
pub(super) fn values(text: &str, end: usize) -> (usize, Vec<Range<usize>>) {
    let rest = assign::clip(text, end, MAX_LIST);
    let opening = rest.len() - rest.trim_start_matches(['\\', '"', '\'', ':', '=', ' ', '\t', ',']).len();
    if opening == 0 {
        return (end, Vec::new());
    }
    let list = &rest[opening..];
    let length = list.find(['\n', '"', '\'', '\\', '`']).unwrap_or(list.len());
    let start = end + opening;
    let mut found = Vec::new();
    let mut at = start;
    for pair in list[..length].split(';') {
        if let Some((name, value)) = pair.split_once('=') {
            let from = at + name.len() + 1;
            let value = value.split([' ', ',']).next().unwrap_or("");
            if is_private(name.trim(), value) {
                found.push(from..from + value.len());
            }
        }
        at += pair.len() + 1;
    }
    (start + length, found)
}

fn is_private(name: &str, value: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let plain_name = !name.is_empty() && name.len() <= 80 && !name.contains(char::is_whitespace);
    if !plain_name || ATTRIBUTES.contains(&name.as_str()) || !value::is_password(value) {
        return false;
    }
    let session = SESSION_PARTS.iter().any(|part| name.contains(part));
    let random = value::looks_random(value) && !value::is_number(value) && !value::is_code(value);
    random && value.len() >= if session { 8 } else { 20 }
        || session && value.len() >= 8 && value::has_letter_and_other(value)
}

//! Who someone is: names in the paths of home folders, e-mail addresses, names beside them.

use std::collections::BTreeSet;
use std::ops::Range;

use super::words::{COMMON_WORDS, NEUTRAL_ACCOUNTS, NEUTRAL_MAILBOXES};

/// Domains that belong to nobody, beside the reserved ones.
const NEUTRAL_DOMAINS: &[&str] = &[
    "domain.com",
    "email.com",
    "company.com",
    "test.com",
    "foo.com",
    "acme.com",
    "yourdomain.com",
    "mail.com",
    "host.com",
];

/// Last labels that are endings of files or units and not of domains.
const FILE_ENDINGS: &[&str] = &[
    "css", "gif", "html", "ico", "jpeg", "jpg", "js", "json", "jsx", "lock", "map", "md", "mjs", "mount",
    "patch", "path", "png", "py", "rb", "rs", "service", "sh", "slice", "socket", "svg", "target", "timer",
    "toml", "ts", "tsx", "txt", "webp", "yaml", "yml", "zip",
];

/// The openings after which a user's name stands, each with what ends the name.
pub(super) const HOME_OPENINGS: &[&str] = &[
    "/home/",
    "/Users/",
    "\\Users\\",
    "\\\\Users\\\\",
    "/home\\/",
    "\\/home\\/",
    "\\/Users\\/",
    "-home-",
    "-Users-",
];

/// The name in a home folder's path of which `opening` was found at `at`.
pub(super) fn home_name(text: &str, at: usize, opening: &str) -> Option<Range<usize>> {
    let start = at + opening.len();
    let dashed = opening.starts_with('-');
    let windows = opening.starts_with("\\Users") || opening.starts_with("\\\\Users");
    if !home_may_begin(text, at, dashed, windows) {
        return None;
    }
    let rest = super::assign::clip(text, start, 64);
    let length = if windows { windows_name(rest) } else { unix_name(rest, dashed) }?;
    let name = &rest[..length];
    let personal = !is_neutral_account(name) && !name.starts_with(['$', '{', '<', '[', '%', '*', '.']);
    personal.then_some(start..start + length)
}

/// `example.com/home/about` is no home folder; `/mnt/c/Users/x`, `/var/home/x` are.
fn home_may_begin(text: &str, at: usize, dashed: bool, windows: bool) -> bool {
    let before = &text[..at];
    let Some(last) = before.bytes().next_back() else { return true };
    if dashed {
        return !last.is_ascii_alphanumeric() && last != b'_';
    }
    if windows {
        // A drive: `C:\Users`. `\\host\Users` isn't a home folder's usual place, but says as much.
        return last == b':' || last == b'\\' || !last.is_ascii_alphanumeric();
    }
    const PARENTS: &[&str] =
        &["/var", "/usr", "/export", "/Data", "/mnt/c", "/mnt/d", "/c", "/d", "/host", "/rootfs", "/private"];
    let escaped_break = before.ends_with("\\n") || before.ends_with("\\t") || before.ends_with("\\r");
    escaped_break
        || PARENTS.iter().any(|parent| before.ends_with(parent))
        || !(last.is_ascii_alphanumeric()
            || matches!(last, b'_' | b'.' | b'-' | b'}' | b')' | b'$' | b'~')
            || last >= 0x80)
}

fn unix_name(rest: &str, dashed: bool) -> Option<usize> {
    let part = |c: char| c.is_alphanumeric() || c == '_' || c == '.' || (c == '-' && !dashed);
    let mut length = rest.find(|c: char| !part(c)).unwrap_or(rest.len());
    while rest[..length].ends_with(['.', '-']) {
        length -= 1;
    }
    let real =
        length > 0 && length <= 40 && rest[..length].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    // `-home-page-2`: a dash-encoded path goes on, or ends there.
    (real && !(dashed && rest[length..].starts_with(|c: char| c.is_alphanumeric()))).then_some(length)
}

/// A Windows profile may hold blanks: `Jane Doe`, if a separator follows.
fn windows_name(rest: &str) -> Option<usize> {
    let stop = rest
        .find(['\\', '/', ':', '"', '\'', '<', '>', '|', '*', '?', '\n', '\r', ',', ';', '`', ')'])
        .unwrap_or(rest.len());
    if rest[stop..].starts_with('\\') && stop > 0 && stop <= 40 {
        return Some(stop);
    }
    let word =
        rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-'))).unwrap_or(rest.len());
    (word > 0).then_some(word)
}

/// Whether an account's name belongs to nobody: `user`, `runner`, or a name that this redactor gave (`user4k2`).
pub(super) fn is_neutral_account(name: &str) -> bool {
    let lower = name.to_lowercase();
    NEUTRAL_ACCOUNTS.contains(&lower.replace(' ', "-")) || is_given_name(&lower)
}

/// `user` and at least one digit, as this redactor writes them.
fn is_given_name(lower: &str) -> bool {
    lower.strip_prefix("user").is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// Whether a name is specific enough to be looked for outside of paths: at least four letters, no service account, no word
/// that ordinary text or code holds.
pub(super) fn is_specific(name: &str) -> bool {
    let lower = name.to_lowercase();
    name.chars().count() >= 4
        && name.chars().any(char::is_alphabetic)
        && !is_neutral_account(name)
        && !COMMON_WORDS.contains(&lower)
}

/// The whole words of `text` that are one of `names` (lower case), ignoring the case of letters.
pub(super) fn mentions(text: &str, names: &BTreeSet<String>) -> Vec<Range<usize>> {
    if names.is_empty() {
        return Vec::new();
    }
    let automaton = aho_corasick::AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(aho_corasick::MatchKind::LeftmostLongest)
        .build(names)
        .expect("a few short names fit in an automaton");
    automaton.find_iter(text).map(|m| m.start()..m.end()).filter(|range| is_whole_word(text, range)).collect()
}

fn is_whole_word(text: &str, range: &Range<usize>) -> bool {
    let part = |c: char| c.is_alphanumeric();
    let before = text[..range.start].chars().next_back();
    let escaped = text[..range.start].ends_with("\\n") || text[..range.start].ends_with("\\t");
    let after = text[range.end..].chars().next();
    (escaped || !before.is_some_and(part)) && !after.is_some_and(part)
}

/// The e-mail address around the `@` at `at`.
pub(super) fn address(text: &str, at: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let local = |b: u8| b.is_ascii_alphanumeric() || b"._%+-".contains(&b);
    let mut start = at;
    while start > 0 && local(bytes[start - 1]) && at - start < 65 {
        start -= 1;
    }
    if start > 0 && start < at && bytes[start - 1] == b'\\' && matches!(bytes[start], b'n' | b'r' | b't') {
        start += 1;
    }
    while start < at && !bytes[start].is_ascii_alphanumeric() {
        start += 1;
    }
    let mut end = at + 1;
    while end < bytes.len()
        && (bytes[end].is_ascii_alphanumeric() || matches!(bytes[end], b'.' | b'-'))
        && end - at < 120
    {
        end += 1;
    }
    while end > at + 1 && !bytes[end - 1].is_ascii_alphanumeric() {
        end -= 1;
    }
    let in_url =
        text[..start].ends_with("://") || text[..start].ends_with(':') && text[..start].contains("://");
    let beyond = at - start >= 65 || end - at >= 120;
    if start == at || beyond || in_url || bytes.get(end) == Some(&b'(') {
        return None;
    }
    is_personal_address(&text[start..at], &text[at + 1..end]).then_some(start..end)
}

fn is_personal_address(local: &str, domain: &str) -> bool {
    let (local, domain) = (local.to_ascii_lowercase(), domain.to_ascii_lowercase());
    let Some((_, last)) = domain.rsplit_once('.') else { return false };
    let version = domain.starts_with(|c: char| c.is_ascii_digit())
        || domain.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_domain = last.len() >= 2
        && last.len() <= 24
        && last.bytes().all(|b| b.is_ascii_alphabetic())
        && !version
        && !FILE_ENDINGS.contains(&last)
        && domain.split('.').all(|label| !label.is_empty());
    let reserved =
        |name: &str| domain == name || domain.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'));
    let neutral_domain =
        ["example.com", "example.org", "example.net", "example", "invalid", "test", "localhost"]
            .iter()
            .any(|name| reserved(name))
            || NEUTRAL_DOMAINS.contains(&domain.as_str());
    is_domain && !neutral_domain && !NEUTRAL_MAILBOXES.contains(&local)
}

/// The name that stands before `<address>`: up to four words that begin with a capital.
pub(super) fn name_before(text: &str, address: &Range<usize>) -> Option<Range<usize>> {
    let before = text[..address.start].strip_suffix('<')?;
    let before = before.trim_end_matches(' ');
    let from = before.floor_char_boundary(before.len().saturating_sub(80));
    let mut start = before.len();
    for _ in 0..4 {
        let word = before[from..start].trim_end_matches(' ');
        let begin = word
            .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '\'' | '-')))
            .map_or(0, |at| at + word[at..].chars().next().map_or(1, char::len_utf8));
        let found = &word[begin..];
        if !found.starts_with(char::is_uppercase) || word.len() == begin {
            break;
        }
        start = from + begin;
        if !before[..start].ends_with(' ') {
            break;
        }
    }
    (start < before.len() && before[start..].chars().count() >= 3).then_some(start..before.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_specific_names_are_looked_for_elsewhere() {
        assert!(is_specific("marisol") && is_specific("jdoe42"));
        for name in ["bob", "user", "runner", "rust", "user4k2", "1234"] {
            assert!(!is_specific(name), "{name}");
        }
    }

    #[test]
    fn mentions_are_whole_words() {
        let names = BTreeSet::from(["marisol".to_owned()]);
        let text = "Marisol and marisol's, not marisolana";
        let found: Vec<&str> = mentions(text, &names).into_iter().map(|r| &text[r]).collect();
        assert_eq!(found, ["Marisol", "marisol"]);
    }
}

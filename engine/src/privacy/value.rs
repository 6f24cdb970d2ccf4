//! Whether a value passes for a secret: what placeholders, references, words and hashes look like.
//!
//! All functions are linear in the value's length and know nothing of where it stands.

use super::name;
use super::words::{NUMBERED_PLACEHOLDERS, PLACEHOLDER_WORDS, REFERENCES, STATE_WORDS, TECHNICAL_STEMS};

/// The word with which every pseudonym of a secret begins.
pub(super) const PSEUDONYM_MARK: &str = "redacted";

/// Whether the value was written by this redactor.
pub(super) fn is_replaced(value: &str) -> bool {
    value.starts_with("[redacted:") || value.starts_with(PSEUDONYM_MARK)
}

/// Whether the value stands for a secret: a blank, a row of one character, words such as `your-api-key`, an elided value.
pub(super) fn is_placeholder(value: &str) -> bool {
    let bytes = value.as_bytes();
    if value.contains("[redacted:") || starts_with_ignoring_case(value, PSEUDONYM_MARK) {
        return true;
    }
    if distinct_alphanumerics(bytes) <= 2 || value.contains("...") || value.contains('…') {
        return true;
    }
    longest_run(bytes) >= 6 || is_sequence(bytes) || is_placeholder_words(value)
}

/// Whether the value names a place from which a secret is read: a variable, a file, an address.
pub(super) fn is_reference(value: &str) -> bool {
    let wrapped = |open: &str, close: &str| value.starts_with(open) && value.ends_with(close);
    REFERENCES.iter().any(|opening| starts_with_ignoring_case(value, opening))
        || is_variable(value)
        || wrapped("<", ">")
        || wrapped("{", "}")
        || wrapped("[", "]")
        || wrapped("%", "%")
        || wrapped("__", "__")
        || value.contains("${")
        || value.contains("{{")
        || value.contains("$(")
        || value.contains("#{")
        || (value.starts_with('%') && value.len() <= 3)
        || is_path(value)
        || is_colour(value)
}

/// Whether the value is a date, a version, a size: digits and the marks between them.
pub(super) fn is_number(value: &str) -> bool {
    value.bytes().filter(u8::is_ascii_alphabetic).count() <= value.len() / 10
        && value.bytes().any(|b| b.is_ascii_digit())
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || b".,:_+-/T%".contains(&b))
}

/// Whether the value has the shape of a hash, a commit or an identifier: hexadecimal of a usual length, or a UUID.
pub(super) fn is_digest(value: &str) -> bool {
    let hex = value.bytes().all(|b| b.is_ascii_hexdigit());
    (hex && matches!(value.len(), 7..=12 | 16 | 24 | 32 | 40 | 48 | 56 | 64 | 96 | 128)) || is_uuid(value)
}

fn is_uuid(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => *b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
}

/// Whether the value can't be spoken: letters and digits interleave, or its letters make no words.
///
/// Words are runs of three letters or more of one case (the first may be a capital) with a vowel and without five consonants
/// in a row. A random string of 62 letters and digits has few of them, and its runs are short; identifiers and sentences are
/// made of words.
pub(super) fn looks_random(value: &str) -> bool {
    let bytes = value.as_bytes();
    let letters = bytes.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let digits = bytes.iter().filter(|b| b.is_ascii_digit()).count();
    if bytes.len() < 8 || distinct_alphanumerics(bytes) < 6 || letters == 0 {
        return false;
    }
    let (worded, joints) = word_letters(bytes);
    let short_runs = joints >= 3 && letters * 5 < (joints + 1) * 16;
    let mixes = mixes(bytes);
    if digits == 0 {
        return letters >= 10 && (short_runs || worded * 5 < letters * 2);
    }
    mixes >= 5
        || (mixes >= 3 && worded * 4 <= letters * 3)
        || (mixes >= 1 && short_runs)
        || worded * 2 < letters
}

/// How often a letter stands beside a digit.
fn mixes(bytes: &[u8]) -> usize {
    bytes
        .windows(2)
        .filter(|w| w[0].is_ascii_digit() != w[1].is_ascii_digit() && both_alphanumeric(w))
        .count()
}

/// Letters of both cases in no order that names have, without marks: the body of a token that happens to hold no digit.
pub(super) fn is_mixed_case_run(value: &str) -> bool {
    let bytes = value.as_bytes();
    bytes.iter().all(u8::is_ascii_alphabetic)
        && distinct_alphanumerics(bytes) >= 8
        && bytes.windows(2).filter(|w| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase()).count() >= 2
}

/// [`looks_random`] and long and varied enough to be taken for a secret without a name that says so.
pub(super) fn is_high_entropy(value: &str) -> bool {
    let count = |class: fn(&u8) -> bool| value.as_bytes().iter().filter(|b| class(b)).count();
    let (lower, upper, digits) =
        (count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase), count(u8::is_ascii_digit));
    value.len() >= 20
        && lower >= 3
        && upper >= 3
        && digits >= 2
        && looks_random(value)
        && (word_letters(value.as_bytes()).0 * 5 <= (lower + upper) * 3
            || mixes(value.as_bytes()) * 4 >= value.len())
        && !is_digest(value)
        && !value.contains("://")
}

/// Whether the value reads like code: a call, an index, a path of names, a type.
pub(super) fn is_code(value: &str) -> bool {
    if is_syntax(value) {
        return true;
    }
    let mut segments = value.split(['.', '?']).filter(|s| !s.is_empty());
    value.contains('.') && segments.all(is_identifier)
}

/// Whether the value holds what only code holds: brackets, paths of types, an operator at an end.
pub(super) fn is_syntax(value: &str) -> bool {
    has_brackets(value)
        || value.contains("::")
        || value.contains("->")
        || value.starts_with(['&', '*', '.', ',', '=', '|', '?', ':'])
        || value.ends_with([',', ';'])
}

/// A name in code: no digit at its beginning, and digits elsewhere only in short or speakable names.
fn is_identifier(segment: &str) -> bool {
    let bytes = segment.as_bytes();
    let letters = bytes.iter().filter(|b| b.is_ascii_alphabetic()).count();
    let digits = bytes.iter().filter(|b| b.is_ascii_digit()).count();
    bytes.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'$')
        && !bytes[0].is_ascii_digit()
        && (digits == 0 || bytes.len() <= 3 || word_letters(bytes).0 * 2 >= letters)
}

/// Whether the value holds what calls, indexes, types and templates are written with.
pub(super) fn has_brackets(value: &str) -> bool {
    value.bytes().any(|b| b"()[]{}<>`".contains(&b))
}

/// Whether somebody would set this as a password where one is asked for by syntax: no placeholder, no reference, no number,
/// no word for a state.
pub(super) fn is_password(value: &str) -> bool {
    if value.len() < 4 || is_placeholder(value) || is_reference(value) || is_printf(value) {
        return false;
    }
    if value.bytes().all(|b| b.is_ascii_digit()) {
        return value.len() >= 6;
    }
    if is_number(value) && value.len() < 12 {
        return false;
    }
    let lower = value.to_ascii_lowercase();
    let word = lower.trim_end_matches(|c: char| !c.is_ascii_alphabetic());
    let state = STATE_WORDS.contains(word) && lower.len() <= word.len() + 1;
    !state && (value.len() >= 6 || has_letter_and_other(value)) && !is_technical(&lower)
}

/// A letter together with a digit, or with a mark that words don't hold.
pub(super) fn has_letter_and_other(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_alphabetic() || b >= 0x80)
        && value.bytes().any(|b| b.is_ascii_digit() || b"!@#$%^&*+=~?".contains(&b))
}

/// Names of algorithms, encodings and types that hold digits: `sha256`, `utf-8`, `u64`, `OAuth2`.
pub(super) fn is_technical(lower: &str) -> bool {
    let stem = lower.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, 'b' | '_' | '-' | 's'));
    lower.len() <= 12 && stem.len() < lower.len() && TECHNICAL_STEMS.contains(stem)
}

/// `$NAME` and nothing else.
fn is_variable(value: &str) -> bool {
    value
        .strip_prefix('$')
        .is_some_and(|name| name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_:.{}()".contains(&b)))
}

/// `#1a6e3c`.
fn is_colour(value: &str) -> bool {
    value
        .strip_prefix('#')
        .is_some_and(|hex| matches!(hex.len(), 3 | 4 | 6 | 8) && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

fn is_printf(value: &str) -> bool {
    value.len() <= 4 && value.starts_with('%')
}

/// A path of files: segments between slashes that are mostly words. Base64 holds slashes too, but no words.
fn is_path(value: &str) -> bool {
    let bytes = value.as_bytes();
    let slashes = bytes.iter().filter(|b| **b == b'/' || **b == b'\\').count();
    if slashes == 0 {
        const ENDINGS: &[&str] = &[
            ".pem", ".key", ".json", ".txt", ".crt", ".yaml", ".yml", ".toml", ".env", ".pub", ".ts", ".js",
            ".py", ".rs", ".go",
        ];
        return ENDINGS.iter().any(|ending| value.len() > ending.len() && value.ends_with(ending));
    }
    let letters = bytes.iter().filter(|b| b.is_ascii_alphabetic()).count();
    (value.starts_with('/') || slashes >= 2) && word_letters(bytes).0 * 2 > letters && mixes(bytes) < 4
}

fn both_alphanumeric(pair: &[u8]) -> bool {
    pair.iter().all(u8::is_ascii_alphanumeric)
}

/// How many letters stand in runs that could be words, and how many runs follow another without a mark between.
fn word_letters(bytes: &[u8]) -> (usize, usize) {
    let (mut worded, mut joints) = (0, 0);
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphabetic() {
            at += 1;
            continue;
        }
        let start = at;
        at += 1;
        if at < bytes.len() && bytes[start].is_ascii_uppercase() && bytes[at].is_ascii_uppercase() {
            while at < bytes.len() && bytes[at].is_ascii_uppercase() {
                at += 1;
            }
        } else {
            while at < bytes.len() && bytes[at].is_ascii_lowercase() {
                at += 1;
            }
        }
        joints += usize::from(start > 0 && bytes[start - 1].is_ascii_alphanumeric());
        worded += if is_wordlike(&bytes[start..at]) { at - start } else { 0 };
    }
    (worded, joints)
}

fn is_wordlike(run: &[u8]) -> bool {
    let mut consonants = 0;
    let mut longest = 0;
    let mut vowels = 0;
    for byte in run {
        if b"aeiouyAEIOUY".contains(byte) {
            vowels += 1;
            consonants = 0;
        } else {
            consonants += 1;
            longest = longest.max(consonants);
        }
    }
    run.len() >= 3 && vowels > 0 && longest <= 4 && vowels * 5 >= run.len()
}

fn distinct_alphanumerics(bytes: &[u8]) -> usize {
    let mut seen = [false; 256];
    let mut count = 0;
    for byte in bytes.iter().filter(|b| b.is_ascii_alphanumeric() || **b >= 0x80) {
        count += usize::from(!seen[usize::from(*byte)]);
        seen[usize::from(*byte)] = true;
    }
    count
}

/// The longest row of one character.
fn longest_run(bytes: &[u8]) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for (at, byte) in bytes.iter().enumerate() {
        run = if at > 0 && bytes[at - 1] == *byte { run + 1 } else { 1 };
        longest = longest.max(run);
    }
    longest
}

/// Mostly `1234…`, `abcd…`: each character follows the one before.
fn is_sequence(bytes: &[u8]) -> bool {
    let steps =
        bytes.windows(2).filter(|w| w[1] == w[0].wrapping_add(1) || (w[0] == b'9' && w[1] == b'0')).count();
    bytes.len() >= 4 && steps * 5 >= (bytes.len() - 1) * 4
}

/// Nothing but placeholder words, marks, and at most four digits; or the name of a secret (`MY_APP_API_KEY`, `fake-jwt-token`).
fn is_placeholder_words(value: &str) -> bool {
    let letters = value.bytes().all(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'-' | b' '));
    if letters && value.contains(['_', '-']) && !looks_random(value) && name::meaning(value).is_some() {
        return true;
    }
    if value.bytes().filter(u8::is_ascii_digit).count() > 4
        || !value.is_ascii()
        || value.contains(['!', '@', '#', '^', '&'])
    {
        return false;
    }
    // With a number, only what can't be anybody's word: `password123`, not `account14`.
    let list =
        if value.bytes().any(|b| b.is_ascii_digit()) { &NUMBERED_PLACEHOLDERS } else { &PLACEHOLDER_WORDS };
    let mut words = 0;
    for piece in value.split(|c: char| !c.is_ascii_alphabetic()).filter(|p| !p.is_empty()) {
        for word in name::camel_words(piece) {
            if !list.contains(&word) {
                return false;
            }
            words += 1;
        }
    }
    words > 0
}

fn starts_with_ignoring_case(value: &str, opening: &str) -> bool {
    value.len() >= opening.len() && value.as_bytes()[..opening.len()].eq_ignore_ascii_case(opening.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_and_references_are_no_secrets() {
        for value in [
            "",
            "xxxxxxxx",
            "********",
            "YOUR_API_KEY",
            "your-token-here",
            "changeme",
            "sk-...",
            "1234567890",
            "abcdefgh",
            "password123",
            "redacted9f3k2m",
            "[redacted:token]",
            "<token>",
            "00000000000000000000000000000000",
            "myPassword",
        ] {
            assert!(is_placeholder(value) || is_reference(value), "{value}");
        }
        for value in [
            "${SECRET}",
            "$TOKEN",
            "{{ token }}",
            "%s",
            "op://vault/item",
            "process.env.X",
            "./key.pem",
            "/run/secrets/db",
        ] {
            assert!(is_reference(value), "{value}");
        }
    }

    #[test]
    fn what_people_set_is_a_password() {
        for value in [
            "hunter2",
            "hunter2-Zx9!",
            "Tr0ub4dor&3",
            "P@ssw0rd!",
            "swordfish",
            "s3cr3t-9f",
            "correcthorsebatterystaple",
        ] {
            assert!(is_password(value), "{value}");
        }
        for value in
            ["str", "string", "required", "true", "None", "sha256", "OAuth2", "2026-11-30", "pw", "123"]
        {
            assert!(!is_password(value), "{value}");
        }
    }

    #[test]
    fn random_strings_are_told_from_identifiers() {
        for value in ["q9Xk2mPz7RtL", "a8f3k2m9x1c7", "qWkzPtRmVbLsDf", "9f86d081884c7d65"] {
            assert!(looks_random(value), "{value}");
        }
        for value in [
            "next_token_of_the_line",
            "user2Settings",
            "test-fixture-2024-01",
            "getAccessTokenSilently",
            "utf8_to_utf16",
        ] {
            assert!(!looks_random(value), "{value}");
        }
    }
}

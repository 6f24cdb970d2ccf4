//! Pseudonyms: the same value always becomes the same replacement, whoever meets it first.
//!
//! A replacement is derived from the value and a key by HMAC-SHA-256 (RFC 2104), so no order of files and no number of threads
//! can change it, and without the key nobody can test a guess against it. It keeps the length and the class of each character
//! where it can, holds no quote, backslash or control character that the value didn't hold, and is recognised as a replacement:
//! redacting twice changes nothing.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use super::value::PSEUDONYM_MARK;

/// Shortest replacement of a secret: the mark and enough characters that two secrets rarely get the same.
const MIN_SECRET: usize = PSEUDONYM_MARK.len() + 6;
/// Shortest replacement of a user's name.
const MIN_NAME: usize = 6;
const MAX_NAME: usize = 32;

/// Derives replacements under one key.
#[derive(Clone)]
pub(super) struct Pseudonyms(Hmac<Sha256>);

impl std::fmt::Debug for Pseudonyms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Pseudonyms")
    }
}

impl Pseudonyms {
    pub(super) fn new(key: &[u8]) -> Pseudonyms {
        Pseudonyms(Hmac::new_from_slice(key).expect("HMAC takes a key of any length"))
    }

    /// Of a secret: the mark, then one character of the same class for each that follows. Escapes (`\n`) and line breaks stay.
    pub(super) fn secret(&self, value: &str) -> String {
        let mut stream = self.stream("secret", value);
        let mut out = String::from(PSEUDONYM_MARK);
        let mut at = 0;
        for unit in units(value) {
            let hidden = at < PSEUDONYM_MARK.len();
            at += unit.chars().count();
            if unit == "\n" || unit == "\r" || (unit.len() > 1 && unit.starts_with('\\')) {
                if !hidden || unit == "\n" {
                    out.push_str(unit);
                }
            } else if !hidden {
                out.extend(unit.chars().map(|c| stream.like(c)));
            }
        }
        while out.len() < MIN_SECRET {
            out.push(stream.of(LOWER_AND_DIGITS));
        }
        out
    }

    /// Of a user's name: `user`, a digit, and letters and digits, as long as the name (6 to 32).
    pub(super) fn user(&self, name: &str) -> String {
        let length = name.chars().count().clamp(MIN_NAME, MAX_NAME);
        let mut stream = self.stream("user", &name.to_lowercase());
        let mut out = String::from("user");
        out.push(stream.of(DIGITS));
        while out.len() < length {
            out.push(stream.of(LOWER_AND_DIGITS));
        }
        out
    }

    /// Of an e-mail address: a mailbox under `example.com`, as long as the address where that has room.
    pub(super) fn mail(&self, address: &str) -> String {
        const DOMAIN: &str = "@example.com";
        let length = address.chars().count().saturating_sub(DOMAIN.len()).clamp(MIN_NAME, 64);
        let mut stream = self.stream("mail", &address.to_lowercase());
        let mut out = String::from("user");
        out.push(stream.of(DIGITS));
        while out.len() < length {
            out.push(stream.of(LOWER_AND_DIGITS));
        }
        out + DOMAIN
    }

    /// Of a person's name: for each word a capital and letters that can be spoken, as long as the word. A word gets the same
    /// replacement in every name.
    pub(super) fn person(&self, name: &str) -> String {
        let word = |word: &str| {
            let mut stream = self.stream("person", &word.to_lowercase());
            let mut out = String::new();
            for at in 0..word.chars().count() {
                let letter = stream.of(if at % 2 == 0 { CONSONANTS } else { VOWELS });
                out.push(if at == 0 { letter.to_ascii_uppercase() } else { letter });
            }
            out
        };
        name.split(' ').map(word).collect::<Vec<_>>().join(" ")
    }

    fn stream(&self, label: &'static str, value: &str) -> Stream {
        let mut mac = self.0.clone();
        mac.update(label.as_bytes());
        mac.update(&[0]);
        mac.update(value.as_bytes());
        Stream {
            seed: mac.finalize().into_bytes().into(),
            mac: self.0.clone(),
            block: 0,
            bytes: [0; 32],
            used: 32,
        }
    }
}

const DIGITS: &[u8] = b"0123456789";
const LOWER: &[u8] = b"abcdefghijklmnopqrstuvwxyz";
const UPPER: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const LOWER_AND_DIGITS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";
const CONSONANTS: &[u8] = b"bdfgklmnprstvz";
const VOWELS: &[u8] = b"aeiou";

/// An endless row of bytes that only value and key decide: HMAC in counter mode.
struct Stream {
    mac: Hmac<Sha256>,
    seed: [u8; 32],
    block: u64,
    bytes: [u8; 32],
    used: usize,
}

impl Stream {
    fn next(&mut self) -> u8 {
        if self.used == self.bytes.len() {
            let mut mac = self.mac.clone();
            mac.update(&self.seed);
            mac.update(&self.block.to_be_bytes());
            self.bytes = mac.finalize().into_bytes().into();
            self.block += 1;
            self.used = 0;
        }
        self.used += 1;
        self.bytes[self.used - 1]
    }

    fn of(&mut self, alphabet: &[u8]) -> char {
        char::from(alphabet[usize::from(self.next()) % alphabet.len()])
    }

    /// A character of the same class; marks stay.
    fn like(&mut self, c: char) -> char {
        match c {
            '0'..='9' => self.of(DIGITS),
            'a'..='z' => self.of(LOWER),
            'A'..='Z' => self.of(UPPER),
            c if c.is_ascii() => c,
            _ => self.of(LOWER),
        }
    }
}

/// Characters, with escapes (`\n`, `\"`, `\u0041`) as one.
fn units(value: &str) -> impl Iterator<Item = &str> {
    let mut rest = value;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let mut length = first.len_utf8();
        if first == '\\' {
            let escapes = rest.bytes().take_while(|b| *b == b'\\').count();
            let mark = rest[escapes..].chars().next();
            length = escapes + mark.map_or(0, char::len_utf8);
            let digits = rest[length..].bytes().take(4).take_while(u8::is_ascii_hexdigit).count();
            length += if mark == Some('u') && digits == 4 { 4 } else { 0 };
        }
        let (unit, tail) = rest.split_at(length);
        rest = tail;
        Some(unit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyed() -> Pseudonyms {
        Pseudonyms::new(b"a key of this test")
    }

    #[test]
    fn length_and_classes_stay() {
        let secret = "Ab3-Ab3-Ab3-Ab3-Ab3-Ab3-";
        let replaced = keyed().secret(secret);
        assert_eq!(replaced.len(), secret.len());
        assert!(replaced.starts_with("redacted"), "{replaced}");
        for (old, new) in secret.chars().zip(replaced.chars()).skip(8) {
            assert_eq!(old.is_ascii_digit(), new.is_ascii_digit(), "{replaced}");
            assert_eq!(old.is_ascii_uppercase(), new.is_ascii_uppercase(), "{replaced}");
        }
        assert_eq!(keyed().user("marisol").len(), 7);
        assert_eq!(keyed().mail("marisol@kent-works.org").len(), "marisol@kent-works.org".len());
        assert_eq!(keyed().person("Marisol Kent").len(), "Marisol Kent".len());
    }

    #[test]
    fn value_and_key_decide_alone() {
        assert_eq!(keyed().secret("hunter2-Zx9!"), keyed().secret("hunter2-Zx9!"));
        assert_ne!(keyed().secret("hunter2-Zx9!"), keyed().secret("hunter3-Zx9!"));
        assert_ne!(keyed().secret("hunter2-Zx9!"), Pseudonyms::new(b"another").secret("hunter2-Zx9!"));
        assert_eq!(keyed().user("Marisol"), keyed().user("marisol"));
    }

    #[test]
    fn escapes_and_line_breaks_stay_whole() {
        let replaced = keyed().secret("-----BEGIN X-----\\nabcd\\nefgh\n\\u0041");
        assert_eq!(replaced.matches("\\n").count(), 2, "{replaced}");
        assert!(replaced.ends_with("\n\\u0041"), "{replaced}");
    }
}

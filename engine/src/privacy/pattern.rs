//! A pattern in two forms: of Unicode's classes, and of ASCII's for texts that hold nothing else, which are most. `[^\\s]{1,64}`
//! is sixty-four times every character that UTF-8 can write in the one, and takes longer to compile than a small project to
//! read; in the other it is a few ranges of bytes. Both are compiled when first tried.

use std::iter::Peekable;
use std::str::Chars;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

#[derive(Debug)]
pub(super) struct Pattern {
    source: String,
    any: OnceLock<Regex>,
    ascii: OnceLock<Option<Regex>>,
}

impl Pattern {
    pub(super) fn new(source: String) -> Pattern {
        Pattern { source, any: OnceLock::new(), ascii: OnceLock::new() }
    }

    /// The form for a text: on it both say the same.
    pub(super) fn of(&self, text: &str) -> &Regex {
        let ascii = || self.ascii.get_or_init(|| ascii(&self.source)).as_ref();
        if text.is_ascii()
            && let Some(regex) = ascii()
        {
            return regex;
        }
        self.any.get_or_init(|| Regex::new(&self.source).expect("patterns compile: a test tries all of them"))
    }
}

/// The form for ASCII; `None` where the pattern can't be said so.
fn ascii(source: &str) -> Option<Regex> {
    let mut out = String::with_capacity(source.len() + 32);
    let mut rest = source.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => out.extend(['\\', rest.next()?]),
            '[' => class(&mut rest, &mut out)?,
            // Left out, it would leave an alternative that is empty.
            _ if !c.is_ascii() => return None,
            _ => out.push(c),
        }
    }
    RegexBuilder::new(&out).unicode(false).build().ok()
}

/// Copies a class behind its opening bracket without what isn't ASCII; of all but some characters, within ASCII.
fn class(rest: &mut Peekable<Chars<'_>>, out: &mut String) -> Option<()> {
    let is_negated = rest.peek() == Some(&'^');
    if is_negated {
        rest.next();
    }
    out.push_str(if is_negated { "[\\x00-\\x7F--[" } else { "[" });
    loop {
        match rest.next()? {
            '\\' => out.extend(['\\', rest.next()?]),
            ']' => break,
            // A class within a class isn't taken apart here.
            '[' => return None,
            c if c.is_ascii() => out.push(c),
            _ => {}
        }
    }
    out.push_str(if is_negated { "]]" } else { "]" });
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_say_the_same_of_ascii() {
        let texts = [
            "",
            "a b",
            "user:pass@host",
            "Key = \"x\"",
            "\u{1c}\u{b} _-",
            "TOKEN is `abc`\n",
            "kK sS [a]",
            "x".repeat(70).as_str(),
        ]
        .map(str::to_owned);
        for source in [
            r"\A[^\s:]{0,20}:(?<s>[^@]+)@",
            r"(?i)\bkey\b",
            r"(?im)^token\s+[i“]s",
            r"[\w./@-]{1,40}\z",
            r"[^)\n]{3,5}?",
        ] {
            let any = Regex::new(source).unwrap();
            let ascii = ascii(source).unwrap();
            for text in &texts {
                assert_eq!(
                    any.find(text).map(|m| m.range()),
                    ascii.find(text).map(|m| m.range()),
                    "{source} {text:?}"
                );
            }
        }
    }

    #[test]
    fn what_cannot_be_said_in_ascii_keeps_its_one_form() {
        for source in ["a|\u{2192}|b", r".", r"\S"] {
            assert!(ascii(source).is_none(), "{source}");
            assert_eq!(Pattern::new(source.to_owned()).of("a").as_str(), source);
        }
    }
}

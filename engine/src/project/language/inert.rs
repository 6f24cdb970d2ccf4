//! What of a tree needn't be looked into: most of an expression is names and values, in which no pattern of its language finds
//! anything.

/// Parts of a tree in which no pattern of the language finds anything.
pub(super) struct Inert {
    /// Kinds of node below which nothing that a pattern begins with can stand, ever.
    pub(super) closed: &'static [&'static str],
    /// Kinds of expression below which it can't where their text is plain: outside strings none of `marks` in it behind its
    /// beginning, no word behind an operand (`a as B`, `new A`) and no brace behind one (`class {`). Whatever a pattern begins
    /// with has one of those, or is of no kind that stands in an expression.
    pub(super) plain: &'static [&'static str],
    pub(super) marks: &'static [u8],
}

/// What a byte says of a text that may be plain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    Other,
    Word,
    Blank,
    Sign,
    /// `!`, which negates, compares, or ends an operand.
    Bang,
    /// `=` where an assignment is a mark.
    Equals,
    Brace,
    /// Ends an operand that isn't a word.
    Close,
    Quote,
    Mark,
}

/// What stands before a place in a plain text: no operand, a word under way, or an operand that has ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Open,
    Word,
    Closed,
}

/// Text longer than this is taken for not plain: most of it isn't, and what is within it is asked again.
const MAX_PLAIN_BYTES: usize = 400;

/// Tells texts that are plain in one language.
pub(super) struct Plain([Byte; 256]);

impl Plain {
    pub(super) fn new(marks: &[u8]) -> Plain {
        let mut bytes = [Byte::Other; 256];
        for (byte, of_byte) in (0..=u8::MAX).zip(&mut bytes) {
            *of_byte = match byte {
                // Beyond ASCII there are blanks as well as letters.
                0x80.. => Byte::Mark,
                b'!' => Byte::Bang,
                b'=' if marks.contains(&byte) => Byte::Equals,
                _ if marks.contains(&byte) => Byte::Mark,
                b'_' | b'$' => Byte::Word,
                _ if byte.is_ascii_alphanumeric() => Byte::Word,
                _ if byte.is_ascii_whitespace() || byte == b'\x0b' => Byte::Blank,
                b'+' | b'-' => Byte::Sign,
                b'{' => Byte::Brace,
                b')' | b']' | b'}' => Byte::Close,
                b'"' | b'\'' => Byte::Quote,
                _ => Byte::Other,
            };
        }
        Plain(bytes)
    }

    /// Whether a text is plain.
    pub(super) fn holds(&self, text: &[u8]) -> bool {
        if text.len() > MAX_PLAIN_BYTES {
            return false;
        }
        // The parenthesis that an expression begins with belongs to no call in it; nor does the opening of a template's part.
        let text = text.strip_prefix(b"(").or_else(|| text.strip_prefix(b"${")).unwrap_or(text);
        let mut place = Place::Open;
        let (mut at, mut last) = (0, 0);
        while let Some(&byte) = text.get(at) {
            at += 1;
            place = match (self.0[byte as usize], place) {
                (Byte::Word, Place::Open | Place::Word) => Place::Word,
                (Byte::Blank, Place::Word) | (Byte::Close, _) => Place::Closed,
                (Byte::Blank, _) => place,
                (Byte::Brace, Place::Open) => Place::Open,
                (Byte::Quote, Place::Open) => match past_string(text, at) {
                    Some(end) => {
                        at = end;
                        Place::Closed
                    }
                    None => return false,
                },
                (Byte::Bang, Place::Open) => Place::Open,
                (Byte::Bang, _) if text.get(at) == Some(&b'=') => Place::Open,
                // A comparison: two of them, or one behind `!` or `>`.
                (Byte::Equals, _) if matches!(last, b'=' | b'!' | b'>') || text.get(at) == Some(&b'=') => {
                    Place::Open
                }
                // `a++ as B`
                (Byte::Sign, _) if last == byte => return false,
                (Byte::Sign | Byte::Other, _) => Place::Open,
                (Byte::Mark | Byte::Word | Byte::Brace | Byte::Quote | Byte::Bang | Byte::Equals, _) => {
                    return false;
                }
            };
            last = byte;
        }
        true
    }
}

/// The place behind a string whose content begins at `at`; `None` where its line doesn't end it.
fn past_string(text: &[u8], mut at: usize) -> Option<usize> {
    let quote = text[at - 1];
    loop {
        match text.get(at)? {
            b'\\' => at += 2,
            b'\n' => return None,
            byte if *byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Language;
    use super::*;

    #[test]
    fn text_is_plain_where_no_pattern_can_begin_in_it() {
        let plain =
            |language: Language, text: &str| Plain::new(language.row().inert.marks).holds(text.as_bytes());
        for text in [
            "(a, 1)",
            "(a.b?.c, { d: [\"(e f\", 'g as h'] })",
            "${a.b}",
            "a + -b * c[0] ? \"\\\"(\" : d",
            "{ \"a\": 1, b, ...c }",
            "(a === b && !c || d !== \"e\" && f >= 1 && g != h)",
        ] {
            assert!(plain(Language::TypeScript, text), "{text}");
        }
        for text in [
            "(a(b))",
            "a[0] as [B]",
            "(\"a\" as B)",
            "\"a\"as B",
            "new A",
            "a! as B",
            "a == b! as C",
            "a = b",
            "a++ as B",
            "a satisfies B",
            "a`b`",
            "{ a: class { b: C } }",
            "{ a: class{ b: C } }",
            "{ a: /\"/, b: c(\"d\") }",
            "a /* ' */, b('c')",
            "{ a: b => c }",
            "<A>b",
            "a\u{a0}as\u{a0}B",
            "\"a\nb\"",
        ] {
            assert!(!plain(Language::Tsx, text), "{text}");
        }
        assert!(plain(Language::Rust, "(a.b, &c[1], \"(d\", e::F)"));
        for text in [
            "(a, r\"\\\", b(\"\"))",
            "(A { b })",
            "a? as B",
            "(|a: B| a)",
            "('\"', b(\"\"))",
            "a![b]",
            "a! {b}",
        ] {
            assert!(!plain(Language::Rust, text), "{text}");
        }
    }
}

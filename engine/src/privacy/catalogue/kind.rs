//! What a kind is made of.

/// How private a kind is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// It opens something: a key, a token, a password.
    Secret,
    /// It says who someone is: a home folder, a user name, an e-mail address, a person's name.
    Personal,
}

impl Class {
    /// The name used in output.
    pub fn name(self) -> &'static str {
        match self {
            Class::Secret => "secret",
            Class::Personal => "personal",
        }
    }
}

/// One kind of what must not leave, as data. A test runs every example of every kind.
#[derive(Debug)]
pub struct Kind {
    /// Its stable name, in masks and findings.
    pub name: &'static str,
    /// How private it is.
    pub class: Class,
    /// How it is recognised.
    pub(in crate::privacy) shape: Shape,
    /// Texts in which exactly the part between `«` and `»` is found as this kind. `{hex:32}` and the like are filled in at run
    /// time, so that no scanner takes this repository for a leak.
    pub positive: &'static [&'static str],
    /// Texts that resemble this kind and hold nothing private.
    pub negative: &'static [&'static str],
}

/// How a kind is recognised.
#[derive(Debug)]
pub(in crate::privacy) enum Shape {
    /// A pattern that is tried only where one of its literals occurs.
    Pattern {
        /// Case-sensitive; at least one must occur. The pattern is anchored at the literal's first byte, or before it as
        /// [`Left`] says.
        literals: &'static [&'static str],
        /// What may stand before.
        left: Left,
        /// Linear-time; the group `s` is the secret.
        pattern: &'static str,
        /// What the secret must be beyond the pattern.
        check: Check,
        /// One of these stands between the literal and the end of its line wherever the pattern matches; empty: nothing is
        /// known. Spares the pattern where its literal is common.
        needs: &'static [&'static str],
    },
    /// The value of a name: all of `words` are among the words of the name, and the value matches.
    Named {
        /// Words of the name, lower case. Empty: any name that means a secret of this meaning.
        words: &'static [&'static str],
        /// What the whole value must match, where the kind is a vendor's; empty: any value that passes for a secret.
        value: &'static str,
    },
    /// Recognised by a function of its own module: structure that a pattern can't say.
    Own,
}

/// What may stand before a literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::privacy) enum Left {
    /// Anything.
    Any,
    /// No letter, digit or underscore.
    Edge,
    /// The secret begins before the literal: at most this many letters, digits and `_~.-` further left.
    Back(usize),
    /// [`Left::Edge`], and one of these words somewhere in the 200 bytes before.
    After(&'static [&'static str]),
}

/// What a match must be beyond its pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::privacy) enum Check {
    /// Nothing more.
    Any,
    /// The part after the literal is no placeholder and holds a digit.
    Token,
    /// As `Token`, and it doesn't read like words.
    Random,
    /// A password somebody would set: no placeholder, no reference to a variable, no plain number.
    Password,
    /// Base64 of `user:password`.
    BasicCredential,
    /// A key block whose body isn't a placeholder.
    KeyBlock,
}

/// A kind of secret that a pattern recognises.
pub(super) const fn pattern(
    name: &'static str,
    literals: &'static [&'static str],
    left: Left,
    pattern: &'static str,
    check: Check,
    positive: &'static [&'static str],
    negative: &'static [&'static str],
) -> Kind {
    Kind {
        name,
        class: Class::Secret,
        shape: Shape::Pattern { literals, left, pattern, check, needs: &[] },
        positive,
        negative,
    }
}

/// The kind, whose pattern isn't tried where none of `needs` stands behind the literal on its line.
pub(super) const fn needing(mut kind: Kind, needed: &'static [&'static str]) -> Kind {
    if let Shape::Pattern { needs, .. } = &mut kind.shape {
        *needs = needed;
    }
    kind
}

/// A token with a documented prefix: nothing like a word before it, no placeholder after it.
pub(super) const fn token(
    name: &'static str,
    literals: &'static [&'static str],
    text: &'static str,
    positive: &'static [&'static str],
    negative: &'static [&'static str],
) -> Kind {
    pattern(name, literals, Left::Edge, text, Check::Token, positive, negative)
}

/// A vendor's secret without a prefix: only the name it is given to tells.
pub(super) const fn named(
    name: &'static str,
    words: &'static [&'static str],
    value: &'static str,
    positive: &'static [&'static str],
    negative: &'static [&'static str],
) -> Kind {
    Kind { name, class: Class::Secret, shape: Shape::Named { words, value }, positive, negative }
}

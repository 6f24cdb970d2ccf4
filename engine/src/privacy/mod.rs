//! What must not leave: secrets and personal data, found by one catalogue and replaced in one of two ways.
//!
//! * [`mask_secrets`] and [`Redactor::mask`] replace by `[redacted:KIND]`: for quotations and reports.
//! * [`Redactor::redact_text`], [`Redactor::redact_field`] and [`Redactor::redact_json`] replace by consistent pseudonyms: for
//!   session logs that must keep their structure.
//!
//! Excluding protected files isn't enough: keys also lie in ordinary source. No catalogue is complete, though: what has neither
//! a known shape nor a name beside it that says what it is passes. `docs/redaction.md` tells what is found and what isn't.
//!
//! Pure: no clock, no environment, no disk. Linear in the text, hostile text too.

mod assign;
mod base64;
mod catalogue;
mod cookie;
mod json;
mod mask;
mod name;
mod pattern;
mod person;
mod pseudonym;
mod redactor;
mod scan;
mod value;
mod words;

use std::sync::LazyLock;

pub use catalogue::{Class, Kind, kinds};
pub use json::{JsonError, map_strings};
pub use redactor::{Finding, Policy, Redacted, Redactor};

/// Replaces every secret in `text` by its mask; personal data stays.
pub fn mask_secrets(text: &str) -> Redacted<'_> {
    static MASKER: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(Policy::SECRETS, &[]));
    MASKER.mask(text)
}

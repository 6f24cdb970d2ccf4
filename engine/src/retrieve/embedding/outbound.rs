//! What may leave: text that was masked, under consent.

use std::sync::LazyLock;

use crate::privacy::{Policy, Redactor};

/// Most bytes of one text: about what small models read before they cut it off themselves.
pub(super) const MAX_TEXT_BYTES: usize = 1_000;

/// The caller's word that text of a project, masked, may go to one destination. It has no default and isn't read from
/// anywhere: someone has to give it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    destination: String,
}

impl Consent {
    /// Consent to this destination, and to no other; see [`EmbeddingProvider::destination`](super::EmbeddingProvider).
    pub fn given_to(destination: impl Into<String>) -> Consent {
        Consent { destination: destination.into() }
    }

    pub(super) fn covers(&self, destination: &str) -> bool {
        self.destination == destination
    }
}

/// Text that may leave: secrets and personal data are masked, and it is at most 1,000 bytes long. Made inside the engine only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outbound(String);

impl Outbound {
    /// Masks, then cuts: a cut first could leave half a secret that no longer looks like one.
    pub(super) fn masked(text: &str) -> Outbound {
        let mut text = mask(text).into_owned();
        text.truncate(text.floor_char_boundary(MAX_TEXT_BYTES));
        Outbound(text)
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Text without secrets and personal data; line numbers stay true.
pub(super) fn mask(text: &str) -> std::borrow::Cow<'_, str> {
    static MASKER: LazyLock<Redactor> = LazyLock::new(|| Redactor::new(Policy::ALL, &[]));
    MASKER.mask(text).text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_masked_before_it_is_cut() {
        let key = format!("{}{}", "sk_live_", "4eC39HqLyjWDarjtT1zdp7dc");
        let padding = "x ".repeat((MAX_TEXT_BYTES - 10) / 2);
        let out = Outbound::masked(&format!("{padding}{key} mail bob.smith@corp-mail.io"));
        assert!(out.as_str().len() <= MAX_TEXT_BYTES);
        assert!(!out.as_str().contains("sk_live"), "{}", out.as_str());
    }

    #[test]
    fn a_cut_falls_between_characters() {
        let out = Outbound::masked(&"ü".repeat(MAX_TEXT_BYTES));
        assert_eq!(out.as_str().len(), MAX_TEXT_BYTES);
        let out = Outbound::masked(&format!("a{}", "ü".repeat(MAX_TEXT_BYTES)));
        assert_eq!(out.as_str().len(), MAX_TEXT_BYTES - 1);
    }
}

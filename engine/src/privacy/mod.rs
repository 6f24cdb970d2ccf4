//! What must not leave in text that the engine adds: secrets are masked in every quotation.
//!
//! Excluding protected files isn't enough: keys also lie in ordinary source. The catalogue here is deliberately small and
//! precise; the full redactor (personal data, more kinds, structure-aware forms) will replace it behind the same call.

mod secrets;

pub use secrets::{Finding, Masked, SecretKind, mask_secrets};

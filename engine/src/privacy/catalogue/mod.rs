//! The catalogue: every kind of secret and of personal data, as tables, one file a family.
//!
//! To add a kind, add a row with examples that hold it and examples that only look like it; a test runs them all. The order is
//! the precedence: where two kinds cover the same bytes, the earlier one names the finding, so the particular stand before the
//! general.

mod assigned;
mod cloud;
#[cfg(test)]
mod example;
mod forge;
mod http;
mod key;
mod kind;
mod messaging;
mod model;
mod payment;
mod personal;
mod service;

use std::sync::LazyLock;

pub(super) use kind::{Check, Left, Shape};
pub use kind::{Class, Kind};

static KINDS: LazyLock<Vec<&'static Kind>> = LazyLock::new(|| {
    [
        key::KINDS,
        cloud::KINDS,
        forge::KINDS,
        messaging::KINDS,
        payment::KINDS,
        model::KINDS,
        service::KINDS,
        http::KINDS,
        assigned::KINDS,
        personal::KINDS,
    ]
    .into_iter()
    .flatten()
    .collect()
});

/// Every kind, in order of precedence.
pub fn kinds() -> &'static [&'static Kind] {
    &KINDS
}

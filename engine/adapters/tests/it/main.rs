//! Integration tests of the adapters.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and says when it skips"
)]

mod pi_faults;
mod pi_oracle;
mod sluice;
mod support;
mod token_error;

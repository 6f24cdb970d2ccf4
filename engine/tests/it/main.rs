//! Integration tests of the engine.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and says when it skips"
)]

mod plan;
mod quality;
mod support;

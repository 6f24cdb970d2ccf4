//! Integration tests of the engine.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and says when it skips"
)]

mod fixture;
mod languages;
mod plan;
mod project;
mod quality;
mod retrieve;
mod support;

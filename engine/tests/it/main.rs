//! Integration tests of the engine.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod adversarial;
mod centroid;
mod embedding;
mod fixture;
mod impact;
mod languages;
mod learn;
mod plan;
mod project;
mod quality;
mod recall;
mod redaction;
mod retrieve;
mod seal;
mod support;

//! Integration tests of the package.

mod laws;
mod missing;
mod outcomes;
mod power;
mod simulation;

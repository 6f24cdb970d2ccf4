//! Integration tests of the package.

mod laws;
mod outcomes;
mod power;
mod simulation;

//! Integration tests of the package.

mod outcomes;
mod power;
mod simulation;

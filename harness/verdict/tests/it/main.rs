//! Integration tests of the package.

mod fixtures;
mod laws;
mod missing;
mod outcomes;
mod power;
mod simulation;
mod slices;

//! Integration tests of the package.

mod criteria;
mod fixtures;
mod laws;
mod missing;
mod outcomes;
mod simulation;
mod slices;

//! Integration tests of the package.

mod outcomes;

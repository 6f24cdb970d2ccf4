//! The harness's one integration binary: a module a theme.

mod command;
mod dependencies;
mod scenarios;

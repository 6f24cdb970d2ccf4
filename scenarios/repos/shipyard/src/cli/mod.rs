//! The command line: `args` reads it, `commands` does it.

mod args;
mod commands;

pub use args::{Arguments, Format};

/// Runs one command and returns what goes to standard output.
pub fn run(arguments: &[String]) -> Result<String, crate::Error> {
    commands::run(&Arguments::parse(arguments)?)
}

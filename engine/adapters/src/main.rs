//! The command `sluice`.

use std::process::ExitCode;

fn main() -> ExitCode {
    adapters::cli::main()
}

//! The command `harness`.

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::cli::main()
}

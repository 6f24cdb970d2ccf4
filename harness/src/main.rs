//! The command `harness`.

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// A large campaign is many small texts: a quarter of a gate's time is theirs with the system's allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    harness::cli::main()
}

//! The command `sluice`.

use std::process::ExitCode;

/// A first index is some ten million pieces of syntax trees, which C code allocates: on Linux that too gets its memory here.
#[cfg(feature = "allocator")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    adapters::cli::main()
}

//! The command `harness`.

fn main() {}

//! The command `sluice`.

fn main() {}

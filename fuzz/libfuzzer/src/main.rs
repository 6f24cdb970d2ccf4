//! One target under libFuzzer: the variable `FUZZ_TARGET` names it. Run by `fuzz/run`.
#![no_main]

use std::sync::LazyLock;

static TARGET: LazyLock<String> =
    LazyLock::new(|| std::env::var("FUZZ_TARGET").expect("the variable FUZZ_TARGET names a target"));

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| fuzz::run(&TARGET, bytes));

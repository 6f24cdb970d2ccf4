//! What must hold for any input, one function a target.
//!
//! A target takes bytes and panics where a promise is broken. The binaries below `targets/` give each to libFuzzer; the
//! test `replay` gives each every file of its folder below `seeds/`.

mod export;
mod json;
mod redact;
mod session;
mod sync;

/// A target: its name, which is also that of its binary and of its folder of seeds, and its function.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: &[Target] = &[
    ("json", json::json),
    ("mask", redact::mask),
    ("redact", redact::redact),
    ("session", session::session),
    ("pi", session::pi),
    ("claude", session::claude),
    ("codex", session::codex),
    ("dsh", session::dsh),
    ("sync", sync::sync),
    ("export", export::export),
];

/// Runs a target.
///
/// # Panics
/// Where the target's promise is broken, or there is no such target.
pub fn run(target: &str, bytes: &[u8]) {
    let (_, check) = TARGETS.iter().find(|(name, _)| *name == target).expect("the binary names a target");
    check(bytes);
}

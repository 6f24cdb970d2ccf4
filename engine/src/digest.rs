//! Which engine made a piece of evidence.

use crate::message::sha256_hex;

/// SHA-256 over the engine's sources, data files, switched features and resolved dependency versions, fixed at compile
/// time by `build.rs`.
pub const ENGINE_SOURCES_SHA256: &str = env!("SLUICE_ENGINE_SOURCES_SHA256");

/// Identity of an engine under a configuration: SHA-256 over the canonical configuration (stable JSON: sorted members, no
/// spaces) and [`ENGINE_SOURCES_SHA256`]. Evidence of another digest is stale; equal digests on two arms are one engine.
pub fn engine_digest(canonical_config_json: &str) -> String {
    sha256_hex(format!("engine/1\n{ENGINE_SOURCES_SHA256}\n{canonical_config_json}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_depends_on_the_configuration() {
        assert_eq!(ENGINE_SOURCES_SHA256.len(), 64);
        assert_eq!(engine_digest("{}"), engine_digest("{}"));
        assert_ne!(engine_digest("{}"), engine_digest(r#"{"pack_tokens":1}"#));
    }
}

//! Integration tests of the adapters.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod claude;
mod claude_corpora;
mod codex;
mod codex_corpus;
mod dsh;
mod embeddings;
mod export;
mod export_real_pi;
mod faults;
mod history;
mod pi_faults;
mod pi_oracle;
mod reading;
mod recall;
mod redact;
mod sluice;
mod support;
mod sync;
mod token_error;

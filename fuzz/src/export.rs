//! Any session as a session file of Pi.

use adapters::export::{Source, equal_model, pi_v3, telling_entries};
use adapters::log::{self, FaultCode, Format, Limits, ReadOptions, View};

/// What was exported reads without a warning of damage and holds the same messages, or a loss says that it doesn't; the same
/// log gives the same bytes.
///
/// # Panics
/// Where one of these doesn't hold.
pub fn export(bytes: &[u8]) {
    let limits = Limits { log_bytes: 1 << 20, ..Limits::default() };
    let Ok(log) = log::read(bytes, &ReadOptions { limits, ..ReadOptions::default() }) else { return };
    for view in [View::Agent, View::Salvaged] {
        let tree = log.view(view);
        if tree.entries.is_empty() {
            continue;
        }
        let exported = pi_v3(&log, view, Source::Absent).expect("a view with entries is written");
        let twice = pi_v3(&log, view, Source::Absent).expect("it was written before");
        assert_eq!(exported, twice, "the same log gives the same bytes");
        let pi = ReadOptions { format: Some(Format::Pi), ..ReadOptions::default() };
        let again = log::read(&exported.bytes[..], &pi).expect("what was written is a session of Pi");
        assert!(again.salvaged.is_none(), "what was written is sound: {:?}", again.warnings);
        // Which of two entries with one identifier is meant, or where a ring begins, depends on what is read from.
        let ambiguous = [FaultCode::DuplicateId, FaultCode::Cycle, FaultCode::ForwardParent];
        if ambiguous.iter().any(|code| log.warning_counts.contains_key(code)) {
            continue;
        }
        let result = equal_model(tree, &again.tree, &exported.states, telling_entries(tree, 16));
        let told = exported.losses.iter().any(|loss| loss.code.changes_messages());
        assert!(result.is_ok() || told, "{result:?}: {:?}", exported.losses);
    }
}

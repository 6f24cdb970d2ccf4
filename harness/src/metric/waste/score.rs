//! `contextWasteScore`: 0 to 100, lower is better.
//!
//! round(100 × (0.30 duplicate-read rate + 0.25 duplicate-output rate + 0.20 min(1, 3 × tool-schema share) + 0.15
//! low-confidence rate + 0.10 active-tool excess)), the seed's published formula. Rates of nothing are 0. Parts:
//!
//! * duplicate reads: `read`, `grep`, `find`, `ls` calls whose tool and target occurred before (the target of `read` is
//!   its path, so two ranges of one file count), of all such calls. This is the seed's coarse count; the gated metric is
//!   `duplicate-reads`;
//! * duplicate output: characters of tool results whose text occurred before, of all characters of tool results;
//! * tool-schema share: tokens of tool declarations over tokens of the instructions with them;
//! * low confidence: packs of confidence none or low, of all packs;
//! * active-tool excess: (declared tools − 12) / 24, between 0 and 1.

use std::collections::BTreeSet;

use engine::message::{Block, Json, Role};
use engine::session::{EntryKind, SessionTree};
use engine::tokens::TokenCounter;

use crate::corpus::{Action, Activity};

/// The parts of the score, each between 0 and 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScoreParts {
    /// Duplicate-read rate.
    pub duplicate_reads: f64,
    /// Duplicate-output rate.
    pub duplicate_output: f64,
    /// Tool-schema share.
    pub tool_schema: f64,
    /// Low-confidence rate.
    pub low_confidence: f64,
    /// Active-tool excess.
    pub tool_excess: f64,
}

impl ScoreParts {
    /// The score.
    pub fn score(&self) -> f64 {
        let weighted = 0.30 * self.duplicate_reads
            + 0.25 * self.duplicate_output
            + 0.20 * (3.0 * self.tool_schema).min(1.0)
            + 0.15 * self.low_confidence
            + 0.10 * self.tool_excess;
        (100.0 * weighted).round()
    }
}

/// The parts of a session's score. `session_bytes` are its log, which alone holds a pack's manifest.
pub fn parts(
    tree: &SessionTree,
    session_bytes: &[u8],
    activity: &Activity,
    counter: &dyn TokenCounter,
) -> ScoreParts {
    let mut parts = ScoreParts {
        duplicate_reads: duplicate_reads(activity),
        duplicate_output: duplicate_output(activity),
        low_confidence: low_confidence(tree, session_bytes),
        ..ScoreParts::default()
    };
    let (mut tools, mut schema, mut system) = (0_u64, 0, 0);
    for entry in &tree.entries {
        let EntryKind::Message(message) = &entry.kind else { continue };
        if message.role != Role::System {
            continue;
        }
        for block in &message.blocks {
            let tokens = counter.text(&block.text());
            system += tokens;
            if matches!(block, Block::ToolDeclaration { .. }) {
                tools += 1;
                schema += tokens;
            }
        }
    }
    parts.tool_schema = ratio(schema, system);
    parts.tool_excess = ((tools as f64 - 12.0) / 24.0).clamp(0.0, 1.0);
    parts
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn duplicate_reads(activity: &Activity) -> f64 {
    let mut seen = BTreeSet::new();
    let (mut repeats, mut reads) = (0, 0);
    for call in &activity.calls {
        let target = match &call.action {
            Action::Read { path } => path.as_str(),
            Action::Search => call.arguments.as_str(),
            _ => continue,
        };
        reads += 1;
        repeats += u64::from(!seen.insert((call.tool.as_str(), target)));
    }
    ratio(repeats, reads)
}

fn duplicate_output(activity: &Activity) -> f64 {
    let mut seen = BTreeSet::new();
    let (mut repeated, mut all) = (0, 0);
    for text in activity.calls.iter().filter_map(|call| call.result.as_ref()).map(|result| &result.text) {
        let characters = text.chars().count() as u64;
        all += characters;
        if !seen.insert(text.as_str()) {
            repeated += characters;
        }
    }
    ratio(repeated, all)
}

fn low_confidence(tree: &SessionTree, session_bytes: &[u8]) -> f64 {
    let (mut low, mut packs) = (0, 0);
    for entry in &tree.entries {
        if !matches!(&entry.kind, EntryKind::Injected { source, .. } if source == crate::corpus::PACK_SOURCE)
        {
            continue;
        }
        packs += 1;
        let range = entry.bytes.start as usize..entry.bytes.end as usize;
        let raw = session_bytes.get(range).and_then(|bytes| serde_json::from_slice::<Json<'_>>(bytes).ok());
        let confidence = raw.as_ref().and_then(|raw| raw.get("details")?.str_at("confidence"));
        low += u64::from(matches!(confidence, Some("none" | "low")));
    }
    ratio(low, packs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_example_of_the_seed() {
        // One prompt with 30 tools, 10,000 tokens of instructions, 2,000 of them declarations; three reads, one
        // repeated; two results of equal length, one repeated; one pack of low confidence.
        let parts = ScoreParts {
            duplicate_reads: 1.0 / 3.0,
            duplicate_output: 0.5,
            tool_schema: 0.2,
            low_confidence: 1.0,
            tool_excess: 0.75,
        };
        assert_eq!(parts.score(), 57.0);
    }
}

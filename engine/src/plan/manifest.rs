//! The manifest of a plan: metadata only, safe to store and to share.

use std::collections::BTreeMap;

use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::Sha256;

use super::{Decision, ItemSource, Plan};
use crate::message::hex;

/// The secret under which a manifest's hashes are keyed. One for each corpus, and never shipped with what it keys:
/// short private text can be guessed from plain hashes.
pub struct ManifestKey(Hmac<Sha256>);

impl ManifestKey {
    /// A key from a salt of any length.
    pub fn new(salt: &[u8]) -> ManifestKey {
        ManifestKey(Hmac::new_from_slice(salt).expect("HMAC takes a key of any length"))
    }

    /// Keyed hash (HMAC-SHA-256, RFC 2104) of some bytes, lower-case hexadecimal.
    pub fn hash(&self, bytes: &[u8]) -> String {
        let mut mac = self.0.clone();
        mac.update(bytes);
        hex(&mac.finalize().into_bytes())
    }
}

/// Count and cost of the items that share a reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ReasonTotal {
    /// Items.
    pub items: u64,
    /// Tokens.
    pub tokens: u64,
}

/// Disk form of one item: no text, no path; entries by their identifier's keyed hash, project ranges by their path's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ManifestItem {
    /// `entry`, `project` or `recalled`.
    pub source: &'static str,
    /// Keyed hash of the entry's identifier or of the path.
    pub key: String,
    /// First line of a project range or an excerpt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    /// Last line of a project range or an excerpt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    /// Cost.
    pub tokens: u64,
    /// Reason code.
    pub reason: &'static str,
    /// Atomic group.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<u32>,
}

/// Limits, as in [`super::Budget`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct ManifestBudget {
    /// Whole prompt.
    pub total: u64,
    /// Project pack.
    pub project: u64,
    /// Recent tail.
    pub recent: u64,
    /// Older history.
    pub history: u64,
}

/// Disk form of a plan's metadata, `manifest/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Manifest {
    /// `manifest/1`.
    pub schema: &'static str,
    /// Engine that planned.
    pub engine: String,
    /// How the plan came about.
    pub mode: &'static str,
    /// Counter that the figures were made with.
    pub counter: &'static str,
    /// Limits.
    pub budget: ManifestBudget,
    /// Estimated tokens of the whole prompt.
    pub tokens: u64,
    /// Tokens of the text that the engine added.
    pub supplement_tokens: u64,
    /// Keyed hash of the text that the engine added.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supplement_hash: Option<String>,
    /// Whether the estimate exceeds the limit.
    pub overflow: bool,
    /// What is in, by reason code.
    pub selected_by_reason: BTreeMap<&'static str, ReasonTotal>,
    /// What is out, by reason code.
    pub dropped_by_reason: BTreeMap<&'static str, ReasonTotal>,
    /// What is in, in prompt order.
    pub selected: Vec<ManifestItem>,
    /// What is out: at most [`Manifest::MAX_DROPPED`], the first ones; the totals are complete.
    pub dropped: Vec<ManifestItem>,
    /// Diagnostics without content.
    pub diagnostics: Vec<String>,
}

impl Manifest {
    /// Most items listed among what is out, so that a manifest of a long session stays small.
    pub const MAX_DROPPED: usize = 256;

    /// The manifest of a plan.
    pub fn of(plan: &Plan, engine: &str, counter: &'static str, key: &ManifestKey) -> Manifest {
        let items = |decisions: &[Decision], limit: usize| {
            decisions.iter().take(limit).map(|decision| item(decision, key)).collect()
        };
        let budget = plan.budget;
        Manifest {
            schema: "manifest/1",
            engine: engine.to_owned(),
            mode: plan.mode.name(),
            counter,
            budget: ManifestBudget {
                total: budget.total,
                project: budget.project,
                recent: budget.recent,
                history: budget.history,
            },
            tokens: plan.tokens,
            supplement_tokens: plan.supplement.as_ref().map_or(0, |supplement| supplement.tokens),
            supplement_hash: plan.supplement.as_ref().map(|supplement| key.hash(supplement.text.as_bytes())),
            overflow: plan.overflow,
            selected_by_reason: totals(&plan.selected),
            dropped_by_reason: totals(&plan.dropped),
            selected: items(&plan.selected, usize::MAX),
            dropped: items(&plan.dropped, Manifest::MAX_DROPPED),
            diagnostics: plan.diagnostics.clone(),
        }
    }
}

fn item(decision: &Decision, key: &ManifestKey) -> ManifestItem {
    let (source, name, lines) = match &decision.source {
        ItemSource::Entry(id) => ("entry", &*id.0, None),
        ItemSource::Project { path, start_line, end_line } => {
            ("project", path.as_str(), Some((*start_line, *end_line)))
        }
        ItemSource::Recalled { entry, start_line, end_line, .. } => {
            ("recalled", &*entry.0, Some((*start_line, *end_line)))
        }
    };
    ManifestItem {
        source,
        key: key.hash(name.as_bytes()),
        start_line: lines.map(|(start, _)| start),
        end_line: lines.map(|(_, end)| end),
        tokens: decision.tokens,
        reason: decision.reason.code(),
        group: decision.group,
    }
}

fn totals(decisions: &[Decision]) -> BTreeMap<&'static str, ReasonTotal> {
    let mut totals: BTreeMap<&'static str, ReasonTotal> = BTreeMap::new();
    for decision in decisions {
        let total = totals.entry(decision.reason.code()).or_default();
        total.items += 1;
        total.tokens += decision.tokens;
    }
    totals
}

//! How good a plan is for one request.
//!
//! * *gold recall* at an equal budget: the plan's evidence in the order in which it would be kept (quoted project files,
//!   then messages from the newest to the oldest; instructions and the request being answered aside, which every
//!   variant keeps) is counted up to [`EVIDENCE_BUDGET`] tokens; recall is the share of gold files shown by what fits. What
//!   a variant adds pushes out what it held, so adding text alone can't win;
//! * *pack nDCG*: the files that this evidence shows, in its order and each once, as a ranking of the gold files: nDCG at 10,
//!   whatever fits;
//! * *irrelevant tokens*: evidence tokens that show no needed file, of all evidence tokens of the plan; 0 of none;
//! * *quality*: the counts of `context-quality-v1`, with the gold files as expected evidence;
//! * *prefix*: tokens of the blocks, from the start, that the previous plan of the session has too.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::plan::{Decision, ItemSource, Plan, PlanMode};
use engine::quality::Measures;

use super::moment::{Moment, shows};
use super::quality::quality_counts;
use crate::evidence::{Account, RequestNeeds, accounts};
use crate::ranking::RankingScores;

/// Evidence tokens that every variant is allowed when recall is compared.
pub const EVIDENCE_BUDGET: u64 = 4_096;

/// One block of a planned prompt: hash and tokens.
pub type PromptBlock = (Arc<str>, u64);

/// The figures of one planned request.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RequestScore {
    /// Gold files shown within the budget, of the gold files.
    pub gold_recall: f64,
    /// nDCG at 10 of the gold files in the order in which the plan offers files; 0 without gold files.
    pub pack_ndcg: f64,
    /// Evidence tokens that show nothing needed, of all evidence tokens.
    pub irrelevant_ratio: f64,
    /// Counts of `context-quality-v1`, without kinds and reasons.
    pub quality: Measures,
    /// Estimated tokens of the prompt.
    pub tokens: u64,
    /// Tokens of the common prefix with the previous request's plan; `None` for the first request.
    pub reusable_tokens: Option<u64>,
    /// Tokens of the previous request's plan; `None` for the first request.
    pub previous_tokens: Option<u64>,
    /// First block that differs from the previous plan's; `None` where the previous plan is a prefix, or for the first.
    pub first_divergent_block: Option<usize>,
    /// Blocks in prompt order.
    pub blocks: Arc<[PromptBlock]>,
    /// Accounts by source of need: labels, edited later, read later.
    pub accounts: [Account; 3],
    /// Whether the plan exceeds the window or failed open.
    pub failed: bool,
}

/// Judges a plan; `previous` are the blocks of the session's previous plan.
pub(super) fn score(plan: &Plan, moment: &Moment<'_>, previous: Option<&[PromptBlock]>) -> RequestScore {
    let blocks = blocks(plan, moment);
    let evidence: Vec<&Decision> = plan.selected.iter().filter(|item| is_evidence(item, moment)).collect();
    let planned: BTreeSet<&str> = evidence.iter().flat_map(|item| shows(item, moment)).collect();
    let common = previous.map(|previous| common_prefix(previous, &blocks));
    RequestScore {
        gold_recall: gold_recall(&evidence, moment),
        pack_ndcg: pack_ndcg(&evidence, moment),
        irrelevant_ratio: irrelevant_ratio(&evidence, moment),
        quality: quality_counts(plan, moment),
        tokens: plan.tokens,
        reusable_tokens: common.map(|length| sum(&blocks[..length])),
        previous_tokens: previous.map(sum),
        first_divergent_block: previous.and_then(|previous| common.filter(|length| *length < previous.len())),
        accounts: accounts(moment.needs, moment.held, &planned),
        failed: plan.overflow || plan.mode == PlanMode::FailOpen,
        blocks: blocks.into(),
    }
}

fn sum(blocks: &[PromptBlock]) -> u64 {
    blocks.iter().map(|(_, tokens)| tokens).sum()
}

fn common_prefix(previous: &[PromptBlock], blocks: &[PromptBlock]) -> usize {
    previous.iter().zip(blocks).take_while(|(old, new)| old == new).count()
}

fn is_evidence(item: &Decision, moment: &Moment<'_>) -> bool {
    match &item.source {
        ItemSource::Project { .. } | ItemSource::Recalled { .. } => true,
        ItemSource::Entry(id) => moment.request != Some(id) && !moment.instructions.contains(id),
    }
}

fn gold_recall(evidence: &[&Decision], moment: &Moment<'_>) -> f64 {
    let gold = &moment.needs.labels;
    let mut left = EVIDENCE_BUDGET;
    let mut found: BTreeSet<&str> = BTreeSet::new();
    for item in offered(evidence) {
        let Some(rest) = left.checked_sub(item.tokens) else { break };
        left = rest;
        found.extend(shows(item, moment).filter(|path| gold.contains(*path)));
    }
    if gold.is_empty() { 0.0 } else { found.len() as f64 / gold.len() as f64 }
}

/// Evidence in the order in which it would be kept: quoted project files, then messages from the newest to the oldest.
fn offered<'e, 'd>(evidence: &'e [&'d Decision]) -> impl Iterator<Item = &'e &'d Decision> {
    let project = evidence.iter().filter(|item| matches!(item.source, ItemSource::Project { .. }));
    let messages = evidence.iter().rev().filter(|item| matches!(item.source, ItemSource::Entry(_)));
    project.chain(messages)
}

fn pack_ndcg(evidence: &[&Decision], moment: &Moment<'_>) -> f64 {
    let gold: BTreeSet<&str> = moment.needs.labels.iter().map(String::as_str).collect();
    if gold.is_empty() {
        return 0.0;
    }
    let mut seen = BTreeSet::new();
    let shown = offered(evidence).flat_map(|item| shows(item, moment));
    let ranked: Vec<&str> = shown.filter(|path| seen.insert(*path)).collect();
    RankingScores::of(&ranked, &gold).ndcg_10
}

fn irrelevant_ratio(evidence: &[&Decision], moment: &Moment<'_>) -> f64 {
    let RequestNeeds { labels, edited_later, read_later } = moment.needs;
    let needed = |path: &str| [labels, edited_later, read_later].iter().any(|set| set.contains(path));
    let (mut irrelevant, mut all) = (0, 0);
    for item in evidence {
        all += item.tokens;
        if !shows(item, moment).any(needed) {
            irrelevant += item.tokens;
        }
    }
    if all == 0 { 0.0 } else { irrelevant as f64 / all as f64 }
}

/// Blocks in prompt order. What the engine quotes is one block: its text is one message.
fn blocks(plan: &Plan, moment: &Moment<'_>) -> Vec<PromptBlock> {
    let mut blocks = Vec::new();
    let mut supplement = plan.supplement.as_ref();
    for item in &plan.selected {
        match &item.source {
            ItemSource::Entry(id) => {
                blocks.push((moment.hashes.get(id).cloned().unwrap_or_default(), item.tokens));
            }
            ItemSource::Project { .. } | ItemSource::Recalled { .. } => {
                let quoted = supplement.take();
                blocks.extend(
                    quoted
                        .map(|text| (engine::message::sha256_hex(text.text.as_bytes()).into(), text.tokens)),
                );
            }
        }
    }
    blocks
}

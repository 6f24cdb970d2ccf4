//! Choosing segments within a budget.

use crate::tokens::TokenCounter;

use super::super::fuse::descending;
use super::PackBudget;
use super::render;
use super::segment::{FileText, Range};

/// How much a segment's own words count against the rank of its file.
const OWN_WORDS: f64 = 0.75;

/// Tokens added to each segment's cost when value is set against cost, so that crumbs don't win.
const COST_OFFSET: f64 = 120.0;

/// One segment that may be quoted.
pub(super) struct Candidate {
    /// Position of its file.
    pub(super) source: usize,
    pub(super) range: Range,
    /// Score by the task's words.
    pub(super) score: f64,
    /// Tokens of its lines.
    pub(super) tokens: u64,
}

/// Takes the segments with the most value for their cost while the rendered text fits. Returns ranges by file, neighbours
/// joined, in the order of the text.
pub(super) fn select(
    sources: &[FileText<'_>],
    candidates: &[Candidate],
    budget: PackBudget,
    counter: &dyn TokenCounter,
) -> Vec<(usize, Range)> {
    let top = candidates.iter().map(|c| c.score).fold(0.0, f64::max);
    let mut order: Vec<(f64, usize)> = candidates
        .iter()
        .enumerate()
        .map(|(at, c)| (value(c, sources, top), at))
        .filter(|(v, _)| *v > 0.0)
        .collect();
    // Candidates stand by rank of the file, then by line: a total order.
    order.sort_by(|a, b| descending(a.0, b.0).then(a.1.cmp(&b.1)));
    let mut chosen: Vec<(usize, Range)> = Vec::new();
    let mut used = 0;
    for (_, at) in order {
        let candidate = &candidates[at];
        // Lines cost about the same alone and together: no need to render what can't fit.
        if used + candidate.tokens > budget.tokens {
            continue;
        }
        let mut attempt = chosen.clone();
        insert(&mut attempt, sources, candidate.source, candidate.range);
        let mut files: Vec<usize> = attempt.iter().map(|(source, _)| *source).collect();
        files.dedup();
        if files.len() > budget.files {
            continue;
        }
        let tokens = render::tokens(sources, &attempt, counter);
        if tokens <= budget.tokens {
            chosen = attempt;
            used = tokens;
        }
    }
    chosen
}

fn value(candidate: &Candidate, sources: &[FileText<'_>], top: f64) -> f64 {
    if candidate.score <= 0.0 || top <= 0.0 {
        return 0.0;
    }
    let worth = 1.0 - OWN_WORDS + OWN_WORDS * candidate.score / top;
    sources[candidate.source].share * worth / (candidate.tokens as f64 + COST_OFFSET).sqrt()
}

/// Adds a range in order and joins it to neighbours from which only blank lines part it.
fn insert(chosen: &mut Vec<(usize, Range)>, sources: &[FileText<'_>], source: usize, range: Range) {
    chosen.push((source, range));
    chosen.sort();
    chosen.dedup_by(|later, first| {
        let joins = later.0 == first.0 && only_blank(&sources[first.0], first.1.end + 1, later.1.start);
        if joins {
            first.1.end = first.1.end.max(later.1.end);
        }
        joins
    });
}

/// Whether the lines from `from` up to, not including, `to` are blank; true where there are none.
fn only_blank(source: &FileText<'_>, from: u32, to: u32) -> bool {
    from >= to || source.lines(from, to - 1).trim().is_empty()
}

//! What of the relevant files a pack of a budget holds.

use engine::retrieve::{PackBudget, pack};
use engine::tokens::{O200k, TokenCounter};

use crate::failure::Failure;

use super::run::{Project, failed};

/// Packs of one budget over all queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PackShare {
    /// The budget, tokens of o200k.
    pub budget: u64,
    /// Packs made.
    pub packs: usize,
    /// Packs over the budget, counted anew over their text.
    pub exceeded: usize,
    /// Tokens of the largest pack.
    pub largest: u64,
    /// Mean tokens.
    pub mean_tokens: f64,
    /// Share of the relevant files that are quoted, mean over queries.
    pub quoted: f64,
    /// Share of them that are quoted or in the map.
    pub inside: f64,
}

/// Makes a pack of every budget for every query.
///
/// # Errors
/// Where the index can't be read.
pub fn pack_shares(project: &Project<'_>, budgets: &[u64]) -> Result<Vec<PackShare>, Failure> {
    budgets.iter().map(|&budget| pack_share(project, budget)).collect()
}

fn pack_share(project: &Project<'_>, budget: u64) -> Result<PackShare, Failure> {
    let (mut exceeded, mut largest, mut total) = (0, 0, 0);
    let (mut quoted, mut inside) = (0.0, 0.0);
    for query in project.queries {
        let packed =
            pack(project.index, &query.query, PackBudget::tokens(budget), &[], &O200k).map_err(failed)?;
        let tokens = O200k.text(&packed.text);
        exceeded += usize::from(tokens > budget);
        largest = largest.max(tokens);
        total += tokens;
        let count = query.gold.len() as f64;
        let in_quotes = query.gold.iter().filter(|path| packed.files.contains(path)).count();
        let in_map = query.gold.iter().filter(|path| packed.map.iter().any(|m| m.path == **path)).count();
        quoted += in_quotes as f64 / count;
        inside += (in_quotes + in_map) as f64 / count;
    }
    let packs = project.queries.len();
    let mean = |sum: f64| sum / packs.max(1) as f64;
    Ok(PackShare {
        budget,
        packs,
        exceeded,
        largest,
        mean_tokens: mean(total as f64),
        quoted: mean(quoted),
        inside: mean(inside),
    })
}

//! Means over repositories, each counting once.

use crate::metric::RankingScores;

use super::ablate::Ablation;
use super::calibration::Calibration;
use super::packs::PackShare;
use super::run::{Localization, Slice};

/// Figures over all repositories.
#[derive(Debug, Clone, PartialEq)]
pub struct Mean {
    /// All queries, candidates only.
    pub all: Slice,
    /// All queries over every indexed file; `None` where no repository has candidates.
    pub every_file: Option<Slice>,
    /// Queries without an identifier of a relevant file; repositories without such queries don't count.
    pub without_identifier: Slice,
    /// All queries pooled.
    pub calibration: Calibration,
    /// Variants of the ranking.
    pub ablation: Vec<Ablation>,
    /// Packs by budget.
    pub packs: Vec<PackShare>,
    /// Milliseconds of all queries of all repositories.
    pub latency_ms: Vec<f64>,
}

/// Joins what was found in each repository. All must have been asked for the same.
pub fn mean(parts: &[(&Localization, &[Ablation], &[PackShare])]) -> Mean {
    let mut calibration = Calibration::default();
    parts.iter().for_each(|(part, _, _)| calibration.merge(&part.calibration));
    let variants = parts.first().map_or(&[][..], |part| part.1);
    let budgets = parts.first().map_or(&[][..], |part| part.2);
    let ablation = |(at, first): (usize, &Ablation)| Ablation {
        variant: first.variant.clone(),
        slice: slice(parts.iter().map(|part| part.1[at].slice)),
    };
    Mean {
        all: slice(parts.iter().map(|part| part.0.all)),
        every_file: parts
            .iter()
            .any(|part| part.0.every_file.is_some())
            .then(|| slice(parts.iter().map(|part| part.0.every_file.unwrap_or(part.0.all)))),
        without_identifier: slice(parts.iter().map(|part| part.0.without_identifier)),
        calibration,
        ablation: variants.iter().enumerate().map(ablation).collect(),
        packs: (0..budgets.len()).map(|at| packs(parts.iter().map(|part| part.2[at]))).collect(),
        latency_ms: parts.iter().flat_map(|part| part.0.latency_ms.iter().copied()).collect(),
    }
}

fn slice(parts: impl Iterator<Item = Slice>) -> Slice {
    let parts: Vec<Slice> = parts.filter(|slice| slice.queries > 0).collect();
    let scores: Vec<RankingScores> = parts.iter().map(|slice| slice.scores).collect();
    Slice { queries: parts.iter().map(|slice| slice.queries).sum(), scores: RankingScores::mean(&scores) }
}

/// Counts add up; shares are means over repositories.
fn packs(parts: impl Iterator<Item = PackShare>) -> PackShare {
    let parts: Vec<PackShare> = parts.collect();
    let mean = |of: fn(&PackShare) -> f64| parts.iter().map(of).sum::<f64>() / parts.len().max(1) as f64;
    PackShare {
        budget: parts.first().map_or(0, |part| part.budget),
        packs: parts.iter().map(|part| part.packs).sum(),
        exceeded: parts.iter().map(|part| part.exceeded).sum(),
        largest: parts.iter().map(|part| part.largest).max().unwrap_or(0),
        mean_tokens: mean(|part| part.mean_tokens),
        quoted: mean(|part| part.quoted),
        inside: mean(|part| part.inside),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_repository_counts_once_and_an_empty_one_not_at_all() {
        let part = |queries: usize, mrr: f64| Slice {
            queries,
            scores: RankingScores { mrr, ..RankingScores::default() },
        };
        let joined = slice([part(10, 1.0), part(1, 0.5), part(0, 0.0)].into_iter());
        assert_eq!((joined.queries, joined.scores.mrr), (11, 0.75));
    }
}

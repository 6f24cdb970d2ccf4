//! Means over repositories, each counting once.

use crate::gain::{Compared, Gain, SEED};
use crate::ranking::RankingScores;

use super::ablate::Ablation;
use super::calibration::Calibration;
use super::impact::ImpactShare;
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
    /// What `impact` finds.
    pub impact: Vec<ImpactShare>,
    /// Milliseconds of all queries of all repositories.
    pub latency_ms: Vec<f64>,
}

/// What re-ordering gains over the static ranking, each query of each repository counting once; none where no model re-orders.
pub fn gain(parts: &[Found]) -> Option<Gain> {
    let compared: Vec<Compared<'_>> = parts.iter().flat_map(Found::compared).collect();
    (!compared.is_empty()).then(|| Gain::of(&compared, SEED))
}

impl Found {
    /// The queries whose static ranking was re-ordered, under both.
    fn compared(&self) -> impl Iterator<Item = Compared<'_>> {
        self.localization.runs.iter().filter_map(|run| {
            Some(Compared { repository: &self.name, before: run.by_static?, after: run.scores })
        })
    }
}

/// What was found in one repository.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The root's last folder: what the repository is called in reports.
    pub name: String,
    /// Rankings.
    pub localization: Localization,
    /// Variants of the ranking, where asked for.
    pub ablation: Vec<Ablation>,
    /// Packs by budget, where asked for.
    pub packs: Vec<PackShare>,
    /// What `impact` finds, where asked for.
    pub impact: Vec<ImpactShare>,
}

/// Joins what was found in each repository. All must have been asked for the same.
pub fn mean(parts: &[Found]) -> Mean {
    let mut calibration = Calibration::default();
    parts.iter().for_each(|part| calibration.merge(&part.localization.calibration));
    let variants = parts.first().map_or(&[][..], |part| &part.ablation);
    let budgets = parts.first().map_or(&[][..], |part| &part.packs);
    let impacts = parts.first().map_or(&[][..], |part| &part.impact);
    let ablation = |(at, first): (usize, &Ablation)| Ablation {
        variant: first.variant.clone(),
        slice: slice(parts.iter().map(|part| part.ablation[at].slice)),
    };
    Mean {
        all: slice(parts.iter().map(|part| part.localization.all)),
        every_file: parts.iter().any(|part| part.localization.every_file.is_some()).then(|| {
            slice(parts.iter().map(|part| part.localization.every_file.unwrap_or(part.localization.all)))
        }),
        without_identifier: slice(parts.iter().map(|part| part.localization.without_identifier)),
        calibration,
        ablation: variants.iter().enumerate().map(ablation).collect(),
        packs: (0..budgets.len()).map(|at| packs(parts.iter().map(|part| part.packs[at]))).collect(),
        impact: (0..impacts.len()).map(|at| impact(parts.iter().map(|part| part.impact[at]))).collect(),
        latency_ms: parts.iter().flat_map(|part| part.localization.latency_ms.iter().copied()).collect(),
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

/// Counts add up; shares are means over repositories with such queries.
fn impact(parts: impl Iterator<Item = ImpactShare>) -> ImpactShare {
    let all: Vec<ImpactShare> = parts.collect();
    let asked: Vec<&ImpactShare> = all.iter().filter(|part| part.queries > 0).collect();
    let mean = |of: fn(&ImpactShare) -> f64| {
        asked.iter().map(|part| of(part)).sum::<f64>() / asked.len().max(1) as f64
    };
    ImpactShare {
        over: all.first().map_or("", |part| part.over),
        depth: all.first().map_or(0, |part| part.depth),
        queries: all.iter().map(|part| part.queries).sum(),
        found: mean(|part| part.found),
        precise: mean(|part| part.precise),
        named: mean(|part| part.named),
        tests: all.iter().map(|part| part.tests).sum(),
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

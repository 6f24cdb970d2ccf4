//! What a feature's verdict rests on: its corpora's values, faults and tiers. Plain values, so that judging is a function
//! and tests can take pieces away.

use std::collections::BTreeSet;

use verdict::{Fault, Tier, Unit};

use super::certificate::CertifiedPack;
use super::document::{self, Determinism};
use crate::metric::{Metric, MetricFrame};

/// One corpus, measured and replayed.
#[derive(Debug, Clone)]
pub struct CorpusEvidence {
    /// What the document says of it.
    pub facts: document::Corpus,
    /// Feature that the campaign was recorded for.
    pub feature: String,
    /// Scheduled scenarios.
    pub scenarios: BTreeSet<String>,
    /// Scheduled runs of a scenario in an arm.
    pub repetitions: u32,
    /// The weakest tier among its rows.
    pub tier: Tier,
    /// Values of both planes.
    pub frame: MetricFrame,
    /// Faults, each with what it concerns.
    pub faults: Vec<crate::corpus::Fault>,
    /// Why costs don't count, if they don't: the price pack isn't in force at the gate's date.
    pub stale_prices: Option<String>,
    /// Price packs that the costs rest on.
    pub packs: Vec<CertifiedPack>,
    /// What replay repeated.
    pub determinism: Determinism,
}

/// All evidence of one feature.
#[derive(Debug, Clone, Default)]
pub struct Evidence<'a> {
    /// Its corpora, by name.
    pub corpora: Vec<&'a CorpusEvidence>,
}

impl Evidence<'_> {
    /// Scheduled scenarios over all corpora.
    pub fn scenarios(&self) -> usize {
        self.corpora.iter().map(|corpus| corpus.scenarios.len()).sum()
    }

    /// Fewest scheduled runs of a scenario in an arm.
    pub fn repetitions(&self) -> u32 {
        self.corpora.iter().map(|corpus| corpus.repetitions).min().unwrap_or(0)
    }

    /// The weakest tier; none without evidence.
    pub fn tier(&self) -> Option<Tier> {
        self.corpora.iter().map(|corpus| corpus.tier).min()
    }

    /// Paired units of a metric, of every corpus. A scenario that stands in two corpora counts in the first only; that it
    /// does is a fault of its own.
    pub fn units(&self, feature: &str, metric: Metric, baseline: &str, candidate: &str) -> Vec<Unit> {
        let of = |corpus: &&CorpusEvidence| {
            corpus.frame.units(feature, metric, baseline, candidate, corpus.repetitions)
        };
        let mut seen = BTreeSet::new();
        self.corpora.iter().flat_map(of).filter(|unit| seen.insert(unit.scenario.clone())).collect()
    }

    /// Why costs don't count, if they don't.
    pub fn stale_prices(&self) -> Option<&str> {
        self.corpora.iter().find_map(|corpus| corpus.stale_prices.as_deref())
    }

    /// Scenarios that stand in more than one corpus: their runs would count twice.
    pub fn repeated_scenarios(&self) -> Option<Fault> {
        let mut seen = BTreeSet::new();
        let repeated =
            self.corpora.iter().flat_map(|corpus| &corpus.scenarios).find(|scenario| !seen.insert(*scenario));
        repeated.map(|scenario| {
            let message = format!("scenario {scenario}: in two corpora of one feature: name one of them");
            Fault::invalid("scenario-repeated", message)
        })
    }
}

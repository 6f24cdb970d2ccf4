//! What a feature's verdict rests on: its corpora's values, faults and tiers. Plain values, so that judging is a function
//! and tests can take pieces away.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use verdict::{Fault, RerollAccount, Tier, Unit};

use super::certificate::CertifiedPack;
use super::document::{self, Determinism};
use crate::metric::{Metric, MetricFrame, OrderComparison};

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
    /// Hashes of its runs' sessions, the first half of each.
    pub sessions: Vec<u128>,
    /// Language and kind of each scheduled scenario.
    pub labels: BTreeMap<String, Labels>,
    /// Different corpora among the looks that are kept beside it; 1 where it is as it was first looked at.
    pub looks: usize,
    /// What became of the runs of each arm.
    pub attendance: Vec<document::Attendance>,
    /// What was run again.
    pub rerolls: RerollAccount,
    /// The weakest tier among its rows.
    pub tier: Tier,
    /// Values of both planes.
    pub frame: MetricFrame,
    /// Faults, each with what it concerns.
    pub faults: Vec<crate::corpus::Fault>,
    /// Why costs don't count, if they don't: the price pack isn't in force at the gate's date.
    pub stale_prices: Option<String>,
    /// SHA-256 of every learned model that the candidate's rows name.
    pub models: BTreeSet<String>,
    /// Price packs that the costs rest on.
    pub packs: Vec<CertifiedPack>,
    /// What replay repeated.
    pub determinism: Determinism,
    /// What a second opinion on the order of files changes, by variant.
    pub orders: BTreeMap<String, OrderComparison>,
}

/// What a scenario's slices are named by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels {
    /// Language of its repository.
    pub language: String,
    /// What it asks for.
    pub kind: String,
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
        // A row beyond the schedule is a fault of its own and no evidence.
        let scheduled =
            |unit: &Unit| self.corpora.iter().any(|corpus| corpus.scenarios.contains(&unit.scenario));
        let mut seen = BTreeSet::new();
        // The units of one corpus are of a scenario each.
        let mut first = |unit: &Unit| self.corpora.len() == 1 || seen.insert(unit.scenario.clone());
        let units = self.corpora.iter().flat_map(of);
        units.filter(|unit| scheduled(unit) && first(unit)).collect()
    }

    /// Scheduled scenarios by what they are divided by: `language`, `kind`. A scenario without a task is `unknown`.
    pub fn labels(&self) -> [(&'static str, BTreeMap<String, String>); 2] {
        let by = |label: fn(&Labels) -> &String| {
            let of = |corpus: &&CorpusEvidence| {
                let labels = &corpus.labels;
                let named = |scenario: &String| {
                    let name =
                        labels.get(scenario).map_or_else(|| "unknown".to_owned(), |all| label(all).clone());
                    (scenario.clone(), name)
                };
                corpus.scenarios.iter().map(named).collect::<Vec<_>>()
            };
            self.corpora.iter().flat_map(of).collect()
        };
        [("language", by(|labels| &labels.language)), ("kind", by(|labels| &labels.kind))]
    }

    /// Why costs don't count, if they don't.
    pub fn stale_prices(&self) -> Option<&str> {
        self.corpora.iter().find_map(|corpus| corpus.stale_prices.as_deref())
    }

    /// A session that stands in more than one corpus, under whatever name: its run would count twice. Within one corpus that is
    /// a fault of the corpus.
    pub fn repeated_runs(&self) -> Option<Fault> {
        let [first, others @ ..] = &self.corpora[..] else { return None };
        let mut seen: HashSet<u128> = first.sessions.iter().copied().collect();
        for corpus in others {
            if corpus.sessions.iter().any(|session| seen.contains(session)) {
                let message = format!(
                    "{}: a session of it stands in another corpus too: a run counts once",
                    corpus.facts.name
                );
                return Some(Fault::invalid("run-repeated", message));
            }
            seen.extend(&corpus.sessions);
        }
        None
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

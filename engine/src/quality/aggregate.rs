//! Sums over samples, and strategies side by side.

use std::collections::{BTreeMap, BTreeSet};

use super::{Fixture, Measures, QualityError, Strategy, measure, replay, round6, score};

/// Use of one limited category.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CategoryUse {
    /// Limit, tokens.
    pub limit: u64,
    /// Tokens in.
    pub selected: u64,
    /// Tokens out.
    pub dropped: u64,
    /// Selected over limit; for a limit of 0, 1 if anything is in, else 0.
    pub utilization: f64,
}

/// Metrics of one strategy over a corpus.
#[derive(Debug, Clone, PartialEq)]
pub struct Aggregate {
    /// Summed counts.
    pub sums: Measures,
    /// Samples.
    pub samples: u64,
    /// Samples with expected evidence.
    pub labelled: u64,
    /// Planner versions, sorted.
    pub planners: BTreeSet<String>,
    /// Model profiles, sorted.
    pub profiles: BTreeSet<String>,
    /// Outcome labels and how many samples bear them.
    pub labels: BTreeMap<String, u64>,
    /// The score over summed counts; 0 where no sample has expected evidence, because nothing was shown then.
    pub score: f64,
}

impl Aggregate {
    /// Use of each limited category.
    pub fn categories(&self) -> BTreeMap<&str, CategoryUse> {
        let category = |(limit, selected, dropped): &(u64, u64, u64)| CategoryUse {
            limit: *limit,
            selected: *selected,
            dropped: *dropped,
            utilization: match limit {
                0 => f64::from(u8::from(*selected > 0)),
                limit => round6(*selected as f64 / *limit as f64),
            },
        };
        self.sums.categories.iter().map(|(kind, tokens)| (kind.as_str(), category(tokens))).collect()
    }
}

/// Sums samples (a micro average: counts first, rates after) and scores the sums once.
pub fn aggregate<'f>(samples: impl IntoIterator<Item = (&'f Fixture, Measures)>) -> Aggregate {
    let mut all = Aggregate {
        sums: Measures::default(),
        samples: 0,
        labelled: 0,
        planners: BTreeSet::new(),
        profiles: BTreeSet::new(),
        labels: BTreeMap::new(),
        score: 0.0,
    };
    for (fixture, measures) in samples {
        all.sums.add(&measures);
        all.samples += 1;
        all.labelled += u64::from(measures.evidence_recall.denominator > 0);
        all.planners.insert(fixture.planner_version.clone());
        all.profiles.insert(fixture.profile.clone());
        for label in fixture.labels.iter().collect::<BTreeSet<_>>() {
            *all.labels.entry(label.clone()).or_default() += 1;
        }
    }
    if all.labelled > 0 {
        all.score = score(&all.sums.rates());
    }
    all
}

/// One strategy's result.
#[derive(Debug, Clone, PartialEq)]
pub struct StrategyResult {
    /// Strategy.
    pub strategy: Strategy,
    /// Its metrics.
    pub aggregate: Aggregate,
}

/// Strategies side by side; the first is the baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Results in the order given.
    pub results: Vec<StrategyResult>,
}

/// Plans and measures every fixture under every strategy.
///
/// # Errors
/// Where a fixture is invalid or there is no strategy.
pub fn compare(fixtures: &[Fixture], strategies: &[Strategy]) -> Result<Comparison, QualityError> {
    if strategies.is_empty() {
        return Err(QualityError::NoStrategies);
    }
    fixtures.iter().try_for_each(Fixture::validate)?;
    let result = |strategy: &Strategy| {
        let sample = |fixture| Ok((fixture, measure(fixture, &replay(*strategy, fixture), strategy.id())?));
        let samples: Vec<_> = fixtures.iter().map(sample).collect::<Result<_, QualityError>>()?;
        Ok(StrategyResult { strategy: *strategy, aggregate: aggregate(samples) })
    };
    Ok(Comparison { results: strategies.iter().map(result).collect::<Result<_, QualityError>>()? })
}

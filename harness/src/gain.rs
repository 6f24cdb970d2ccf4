//! What a ranking gains over another at the same queries: paired bootstrap over queries, drawn within each repository.

use std::collections::BTreeMap;

use rand::RngExt as _;
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use crate::ranking::RankingScores;

/// Resamples of the intervals.
const RESAMPLES: u32 = 10_000;
/// Seed of the resamples where none is asked for.
pub const SEED: u64 = 20_261_130;

/// A mean with the 2.5 % and 97.5 % quantiles of its resamples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Mean of all differences.
    pub mean: f64,
    /// Lower bound, 95 % two-sided.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// Differences.
    pub count: usize,
}

/// One query under both rankings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared<'r> {
    /// Its repository.
    pub repository: &'r str,
    /// The ranking that is there.
    pub before: RankingScores,
    /// The other.
    pub after: RankingScores,
}

/// What the other ranking gains, each figure its own minus that of the ranking that is there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gain {
    /// nDCG@10.
    pub ndcg_10: Interval,
    /// Reciprocal rank.
    pub mrr: Interval,
    /// Recall@10.
    pub recall_10: Interval,
}

impl Gain {
    /// The gain over all queries, each counting once; `seed` decides the resamples.
    pub fn of(queries: &[Compared<'_>], seed: u64) -> Gain {
        let interval = |of: fn(&RankingScores) -> f64| {
            let mut differences: BTreeMap<String, Vec<f64>> = BTreeMap::new();
            for query in queries {
                let difference = of(&query.after) - of(&query.before);
                differences.entry(query.repository.to_owned()).or_default().push(difference);
            }
            paired(&differences, RESAMPLES, seed)
        };
        Gain {
            ndcg_10: interval(|scores| scores.ndcg_10),
            mrr: interval(|scores| scores.mrr),
            recall_10: interval(|scores| scores.recall[2]),
        }
    }

    /// Each figure with its name in reports.
    pub fn figures(&self) -> [(&'static str, Interval); 3] {
        [("nDCG@10", self.ndcg_10), ("MRR", self.mrr), ("recall@10", self.recall_10)]
    }
}

/// Percentile interval of the mean difference (Efron and Tibshirani 1993, chapter 13). Differences are drawn with
/// replacement within each stratum, each stratum as often as it is large; resample i has random stream i.
fn paired(differences: &BTreeMap<String, Vec<f64>>, resamples: u32, seed: u64) -> Interval {
    let count = differences.values().map(Vec::len).sum::<usize>();
    let mean = |sum: f64| if count == 0 { 0.0 } else { sum / count as f64 };
    let mut means: Vec<f64> = (0..resamples)
        .map(|number| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(u64::from(number));
            let mut sum = 0.0;
            for stratum in differences.values() {
                for _ in 0..stratum.len() {
                    sum += stratum[random.random_range(0..stratum.len())];
                }
            }
            mean(sum)
        })
        .collect();
    means.sort_by(f64::total_cmp);
    let quantile = |share: f64| {
        let rank = (share * f64::from(resamples)).ceil() as usize;
        means.get(rank.max(1) - 1).copied().unwrap_or(0.0)
    };
    Interval {
        mean: mean(differences.values().flatten().sum()),
        low: quantile(0.025),
        high: quantile(0.975),
        count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strata(values: &[(&str, &[f64])]) -> BTreeMap<String, Vec<f64>> {
        values.iter().map(|(name, values)| ((*name).to_owned(), values.to_vec())).collect()
    }

    #[test]
    fn constant_strata_leave_no_doubt() {
        let interval = paired(&strata(&[("a", &[0.1; 8]), ("b", &[0.3; 8])]), 200, 1);
        assert!((interval.mean - 0.2).abs() < 1e-12);
        assert!((interval.low - 0.2).abs() < 1e-12 && (interval.high - 0.2).abs() < 1e-12);
    }

    #[test]
    fn noise_around_nothing_spans_nothing() {
        let noise: Vec<f64> = (0..100).map(|at| if at % 2 == 0 { 0.2 } else { -0.2 }).collect();
        let interval = paired(&strata(&[("a", &noise)]), 2_000, 7);
        assert!(interval.low < 0.0 && interval.high > 0.0, "{interval:?}");
        // About two standard errors: 0.2 / sqrt(100) each.
        assert!((interval.high - 0.039).abs() < 0.008, "{interval:?}");
    }
}

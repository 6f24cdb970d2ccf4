//! Resampling of clusters with replacement, shared by all statistics of a campaign.
//!
//! Resample number i uses random stream number i, so the result is the same at any number of threads and whatever else
//! is resampled. Clusters are drawn once a resample, as counts, and every statistic reads the same counts: a dozen
//! criteria over the same scenarios cost one set of draws. All sums run over the clusters in their order, in a fixed
//! number of lanes ([`crate::moments`]).

use rayon::prelude::*;

use crate::bootstrap::Kernel;
use crate::random::{Below, Purpose, stream};
use crate::tail::TailKernel;

/// Resamples a task takes at once.
const CHUNK: usize = 32;

/// What a resample is asked.
#[derive(Debug, Clone)]
pub(crate) enum Statistic {
    /// The studentised deviation of a mean or a ratio of sums.
    Studentised(Kernel),
    /// The gain of a tail.
    Tail(TailKernel),
}

impl Statistic {
    fn of(&self, weights: &[f64]) -> f64 {
        match self {
            Self::Studentised(kernel) => kernel.deviation(weights),
            Self::Tail(kernel) => kernel.gain(weights),
        }
    }
}

/// The values of each statistic over `resamples` resamples of the clusters, ascending; none where the number of clusters
/// can't be drawn from.
pub(crate) fn resample(
    statistics: &[Statistic],
    clusters: usize,
    resamples: usize,
    seed: u64,
) -> Option<Vec<Vec<f64>>> {
    let below = Below::new(clusters)?;
    let chunks: Vec<Vec<f64>> = (0..resamples.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let indexes = chunk * CHUNK..resamples.min((chunk + 1) * CHUNK);
            let mut values = Vec::with_capacity(indexes.len() * statistics.len());
            let mut drawn = Drawn::new(clusters);
            for index in indexes {
                let weights = drawn.fill(below, seed, index as u64);
                values.extend(statistics.iter().map(|statistic| statistic.of(weights)));
            }
            values
        })
        .collect();
    let column = |number: usize| {
        let mut values: Vec<f64> = chunks
            .iter()
            .flat_map(|chunk| chunk.iter().skip(number).step_by(statistics.len()))
            .copied()
            .collect();
        values.sort_unstable_by(f64::total_cmp);
        values
    };
    Some((0..statistics.len()).into_par_iter().map(column).collect())
}

/// How often each cluster was drawn.
struct Drawn {
    counts: Vec<u32>,
    weights: Vec<f64>,
}

impl Drawn {
    fn new(clusters: usize) -> Self {
        Self { counts: vec![0; clusters], weights: vec![0.0; clusters] }
    }

    /// The counts of resample number `index`.
    fn fill(&mut self, below: Below, seed: u64, index: u64) -> &[f64] {
        let mut rng = stream(seed, Purpose::Bootstrap, index);
        self.counts.fill(0);
        for _ in 0..self.counts.len() {
            self.counts[below.draw(&mut rng)] += 1;
        }
        for (weight, &count) in self.weights.iter_mut().zip(&self.counts) {
            *weight = f64::from(count);
        }
        &self.weights
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::ClusterSums;

    #[test]
    fn a_resample_draws_as_many_clusters_as_there_are() {
        let mut drawn = Drawn::new(17);
        let below = Below::new(17).unwrap();
        let first = drawn.fill(below, 5, 0).to_vec();
        let second = drawn.fill(below, 5, 1).to_vec();
        assert_eq!((first.iter().sum::<f64>(), second.iter().sum::<f64>()), (17.0, 17.0));
        assert_ne!(first, second);
        assert_eq!(drawn.fill(below, 5, 0), first);
    }

    /// Every resample is asked once and by its own number, whatever chunks they are worked off in.
    #[test]
    fn resamples_are_those_of_their_numbers() {
        let clusters = [(1.0, 1.0), (2.0, 3.0), (4.0, 2.0), (8.0, 1.0), (3.0, 2.0)];
        let kernel = |numerator: fn(&(f64, f64)) -> f64| {
            let sums = ClusterSums {
                numerator: clusters.iter().map(numerator).collect(),
                denominator: vec![1.0; clusters.len()],
                log: false,
                resolution: 0.0,
            };
            Kernel::new(&sums).unwrap()
        };
        let kernels = [kernel(|pair| pair.0), kernel(|pair| pair.1)];
        let statistics = kernels.clone().map(Statistic::Studentised);
        for resamples in [1, CHUNK - 1, CHUNK, 2 * CHUNK + 5] {
            let found = resample(&statistics, clusters.len(), resamples, 7).unwrap();
            let mut drawn = Drawn::new(clusters.len());
            let below = Below::new(clusters.len()).unwrap();
            let expected = kernels.each_ref().map(|kernel| {
                let value = |index| kernel.deviation(drawn.fill(below, 7, index));
                let mut values: Vec<f64> = (0..resamples as u64).map(value).collect();
                values.sort_by(f64::total_cmp);
                values
            });
            assert_eq!(found, expected);
        }
        assert_eq!(resample(&statistics, 0, 5, 7), None);
    }
}

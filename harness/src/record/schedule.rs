//! The order of a campaign: paired, interleaved, drawn from a seed.
//!
//! Repetitions come one after the other, so a campaign that is stopped has whole repetitions. Within one, scenarios are
//! shuffled; within a scenario all arms follow each other, shuffled, so that whatever drifts on the machine hits the arms
//! of a pair alike. Such a group of arms is a *block*: it is made again as a whole if one of its runs fails for a reason
//! that isn't the agent's.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha12Rng;

/// All arms of one scenario in one repetition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Scenario.
    pub scenario: String,
    /// Repetition, from 0.
    pub repetition: u32,
    /// Arms in the order in which they are run.
    pub variants: Vec<String>,
    /// Position of the first arm in the whole schedule.
    pub first: usize,
}

/// The blocks of a campaign, in order.
pub fn blocks(scenarios: &[String], variants: &[String], repetitions: u32, seed: u64) -> Vec<Block> {
    let mut random = ChaCha12Rng::seed_from_u64(seed);
    let mut blocks = Vec::new();
    for repetition in 0..repetitions {
        let mut order = scenarios.to_vec();
        order.shuffle(&mut random);
        for scenario in order {
            let mut arms = variants.to_vec();
            arms.shuffle(&mut random);
            let first = blocks.len() * variants.len();
            blocks.push(Block { scenario, repetition, variants: arms, first });
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("n{number}")).collect()
    }

    #[test]
    fn every_run_stands_once_and_repetitions_follow_each_other() {
        let blocks = blocks(&names(5), &names(4), 3, 1);
        let runs: BTreeSet<(String, u32, String)> = blocks
            .iter()
            .flat_map(|block| {
                block.variants.iter().map(|arm| (block.scenario.clone(), block.repetition, arm.clone()))
            })
            .collect();
        assert_eq!((blocks.len(), runs.len()), (15, 60));
        assert!(blocks.is_sorted_by_key(|block| block.repetition));
        assert_eq!(
            blocks.iter().map(|block| block.first).collect::<Vec<_>>(),
            (0..15).map(|n| n * 4).collect::<Vec<_>>()
        );
    }

    #[test]
    fn the_seed_decides_the_order_and_arms_change_places() {
        let of = |seed| blocks(&names(6), &names(4), 3, seed);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        let firsts: BTreeSet<String> = of(1).into_iter().map(|block| block.variants[0].clone()).collect();
        assert!(firsts.len() > 1);
    }
}

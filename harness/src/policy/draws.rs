//! The dice: hashes instead of a generator, so that a draw depends on nothing but its own name.

use sha2::{Digest, Sha256};

/// Kinds of draws. Each has a probability in [`Parameters`](super::Parameters).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// The first attempt at the right region is the plausible wrong one. Step: 0.
    BadFirstEdit,
    /// A plausible neighbour is edited first. Step: the neighbour's number.
    Distractor,
    /// The second-best file is read first. Step: number of reads so far.
    WrongFile,
    /// A file whose region is in view is read again before it is edited. Step: number of edits so far.
    Reread,
    /// An earlier file is read again before the next one is. Step: number of reads so far.
    Forget,
    /// The check is run before anything else. Step: 0.
    CheckFirst,
    /// The file of the check is read early. Step: 0.
    ReadCheck,
    /// After a failed check the model stops and leaves its edit in place. Step: number of failed checks so far.
    Abandon,
}

impl Mistake {
    fn name(self) -> &'static str {
        match self {
            Mistake::BadFirstEdit => "bad-first-edit",
            Mistake::Distractor => "distractor",
            Mistake::WrongFile => "wrong-file",
            Mistake::Reread => "reread",
            Mistake::Forget => "forget",
            Mistake::CheckFirst => "check-first",
            Mistake::ReadCheck => "read-check",
            Mistake::Abandon => "abandon",
        }
    }
}

/// The dice of one run. The variant isn't part of them: both arms of a pair are thrown the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draws {
    /// Seed of the campaign.
    pub seed: u64,
    /// Identifier of the scenario.
    pub scenario: String,
    /// Number of the repetition, from 0.
    pub repetition: u32,
}

impl Draws {
    /// A number in [0, 1) for the `step`-th decision of a kind.
    pub fn number(&self, kind: Mistake, step: u32) -> f64 {
        let mut hash = Sha256::new();
        hash.update(self.seed.to_le_bytes());
        hash.update(self.repetition.to_le_bytes());
        hash.update(step.to_le_bytes());
        hash.update(kind.name().as_bytes());
        hash.update([0]);
        hash.update(self.scenario.as_bytes());
        let digest = hash.finalize();
        let mut bytes = [0_u8; 8];
        bytes.copy_from_slice(&digest[..8]);
        // 53 bits are what a double holds exactly.
        (u64::from_le_bytes(bytes) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Whether a decision of probability `probability` falls.
    pub fn falls(&self, kind: Mistake, step: u32, probability: f64) -> bool {
        self.number(kind, step) < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share(kind: Mistake, probability: f64) -> f64 {
        let mut fallen = 0;
        for scenario in 0..40 {
            for repetition in 0..50 {
                let draws = Draws { seed: 7, scenario: format!("task-{scenario}"), repetition };
                fallen += u32::from(draws.falls(kind, 0, probability));
            }
        }
        f64::from(fallen) / 2000.0
    }

    /// Over 2,000 draws the standard deviation is at most 0.0112; four of them are allowed.
    #[test]
    fn shares_are_the_stated_probabilities() {
        for kind in [Mistake::Distractor, Mistake::BadFirstEdit, Mistake::Abandon] {
            for probability in [0.1, 0.35, 0.5, 0.8] {
                let found = share(kind, probability);
                assert!((found - probability).abs() < 0.045, "{kind:?} {probability}: {found}");
            }
        }
        assert_eq!((share(Mistake::Reread, 0.0), share(Mistake::Reread, 1.0)), (0.0, 1.0));
    }

    #[test]
    fn a_draw_depends_on_each_part_of_its_name() {
        let draws = Draws { seed: 1, scenario: "a".into(), repetition: 0 };
        let base = draws.number(Mistake::Distractor, 0);
        let others = [
            draws.number(Mistake::Distractor, 1),
            draws.number(Mistake::WrongFile, 0),
            Draws { seed: 2, ..draws.clone() }.number(Mistake::Distractor, 0),
            Draws { repetition: 1, ..draws.clone() }.number(Mistake::Distractor, 0),
            Draws { scenario: "b".into(), ..draws.clone() }.number(Mistake::Distractor, 0),
        ];
        assert!(others.iter().all(|other| *other != base));
        assert_eq!(draws.number(Mistake::Distractor, 0), base);
    }
}

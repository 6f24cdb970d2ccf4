//! Whether the engine's confidence means what it says.

use std::collections::BTreeMap;

use engine::plan::Confidence;
use verdict::{share_lower, share_upper};

/// Each side of an interval of 95 %.
const ALPHA: f64 = 0.025;

/// How often the first file was right where the engine said so of itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibrationRow {
    /// The engine's confidence.
    pub confidence: Confidence,
    /// Queries with it.
    pub queries: usize,
    /// Those whose first file is relevant.
    pub first_right: usize,
}

impl CalibrationRow {
    /// Share of right first files.
    pub fn share(&self) -> f64 {
        self.first_right as f64 / self.queries.max(1) as f64
    }

    /// The 95 % interval of the share (Clopper and Pearson 1934).
    pub fn interval(&self) -> [f64; 2] {
        [
            share_lower(self.first_right, self.queries, ALPHA),
            share_upper(self.first_right, self.queries, ALPHA),
        ]
    }
}

/// Counts by confidence.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Calibration {
    counts: BTreeMap<Confidence, (usize, usize)>,
    named: (usize, usize),
}

impl Calibration {
    /// Counts one query. Where a path in the query names the first file it counts apart: the paths of relevant files are cut
    /// out of such queries, so that one left in names another file by construction.
    pub fn add(&mut self, confidence: Confidence, named: bool, first_right: bool) {
        let count = if named { &mut self.named } else { self.counts.entry(confidence).or_default() };
        count.0 += 1;
        count.1 += usize::from(first_right);
    }

    /// Adds the counts of another repository.
    pub fn merge(&mut self, other: &Calibration) {
        for (confidence, (queries, right)) in &other.counts {
            let count = self.counts.entry(*confidence).or_default();
            count.0 += queries;
            count.1 += right;
        }
        self.named.0 += other.named.0;
        self.named.1 += other.named.1;
    }

    /// Rows with at least one query, lowest confidence first.
    pub fn rows(&self) -> Vec<CalibrationRow> {
        let row = |(&confidence, &(queries, first_right)): (&Confidence, &(usize, usize))| CalibrationRow {
            confidence,
            queries,
            first_right,
        };
        self.counts.iter().map(row).collect()
    }

    /// Queries whose first file a path in them names, and those where it is relevant all the same.
    pub fn named(&self) -> (usize, usize) {
        self.named
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_repositories_add_up_and_named_files_stand_apart() {
        let mut one = Calibration::default();
        one.add(Confidence::High, false, true);
        one.add(Confidence::High, true, false);
        let mut two = Calibration::default();
        two.add(Confidence::High, false, false);
        two.add(Confidence::Low, false, false);
        one.merge(&two);
        let rows: Vec<_> = one.rows().iter().map(|r| (r.confidence, r.queries, r.first_right)).collect();
        assert_eq!(rows, [(Confidence::Low, 1, 0), (Confidence::High, 2, 1)]);
        assert_eq!(one.named(), (1, 0));
        let [low, high] = one.rows()[1].interval();
        assert!(low > 0.0 && low < 0.5 && high > 0.5 && high < 1.0, "{low} {high}");
    }
}

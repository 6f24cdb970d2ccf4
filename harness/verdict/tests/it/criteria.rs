//! The two criteria that most designs of these tests are judged by.

use verdict::{Better, Claim, Criterion, Estimand, Range};

/// Acceptance may be five points worse.
pub fn acceptance(scenarios: usize) -> Criterion {
    Criterion {
        id: "acceptance".to_owned(),
        claim: Claim::NonInferiority { margin: 0.05 },
        estimand: Estimand::MeanDifference,
        better: Better::Higher,
        alpha: 0.025,
        scenarios,
        range: Some(Range::UNIT),
    }
}

/// Costs must be lower.
pub fn cost(scenarios: usize) -> Criterion {
    Criterion {
        id: "cost".to_owned(),
        claim: Claim::Superiority { at_least: 0.0 },
        estimand: Estimand::GeometricRatio,
        better: Better::Lower,
        alpha: 0.025,
        scenarios,
        range: None,
    }
}

//! What the evidence says about one criterion: three-way outcome, reasons, and every figure behind it.

use crate::criterion::Criterion;

/// Why something was decided: a stable code for programs and a sentence for people.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// Stable kebab-case code.
    pub code: String,
    /// One lower-case line: what, where, what would help.
    pub message: String,
}

impl Reason {
    /// A reason from its parts.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }
}

/// Three-way outcome of a criterion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The claim is shown at the criterion's level.
    Pass,
    /// The opposite of the claim is shown at that level.
    Fail,
    /// Neither is shown.
    Undecided,
}

impl Outcome {
    /// `pass`, `fail` or `undecided`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Undecided => "undecided",
        }
    }
}

/// One-sided bounds of a delta at the criterion's level, each on its own (together they hold at 1 − 2·alpha).
/// `None` is no bound on that side.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lower bound.
    pub low: Option<f64>,
    /// Upper bound.
    pub high: Option<f64>,
}

/// The sign-flip test of the criterion's null hypothesis; reported beside the bounds, it decides nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SignFlip {
    /// One-sided p-value of the claim.
    pub p: f64,
    /// Whether all sign patterns were visited.
    pub exact: bool,
}

/// Every figure of a criterion. Deltas and bounds are candidate − baseline in the metric's unit, for ratios the
/// relative change (ratio − 1). `None`: can't be computed from this evidence.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Figures {
    /// The baseline's mean (geometric mean, total or quantile, as the estimand says).
    pub baseline: Option<f64>,
    /// The candidate's.
    pub candidate: Option<f64>,
    /// Point estimate; a missing run counts as the worst value of its own arm (intention to treat).
    pub delta: Option<f64>,
    /// The lower bound that counts: the worse of the methods, widened by missing runs.
    pub low: Option<f64>,
    /// The upper bound that counts.
    pub high: Option<f64>,
    /// The declared margin or smallest gain.
    pub margin: Option<f64>,
    /// Paired (clustered) t bounds.
    pub t: Option<Bounds>,
    /// Bootstrap-t bounds; for a tail ratio the percentile bootstrap.
    pub bootstrap: Option<Bounds>,
    /// One-sided p-value of the claim, the larger of t and bootstrap-t; for Holm and Benjamini-Hochberg.
    pub p_value: Option<f64>,
    /// Third opinion.
    pub sign_flip: Option<SignFlip>,
    /// Standard error of the estimate on the analysis scale (difference or log ratio), widened by missing runs.
    pub standard_error: Option<f64>,
    /// Scenarios with evidence.
    pub scenarios: usize,
    /// Clusters they come from.
    pub clusters: usize,
    /// Runs with a value, both arms together.
    pub runs: usize,
    /// Fewest scheduled runs of a scenario in an arm.
    pub runs_per_arm: usize,
    /// Scheduled runs without a value, both arms together.
    pub missing_runs: usize,
    /// Units that differ between the arms (clusters, where fewer).
    pub differing: usize,
    /// Units in which the candidate is worse (clusters, where there are fewer clusters than units).
    pub regressing: usize,
    /// Clopper-Pearson upper bound of the share of regressing units.
    pub regressing_upper: Option<f64>,
    /// Whether the discordance floor decided instead of t and bootstrap.
    pub below_floor: bool,
}

/// The assessed criterion. Only [`assess`](crate::assess) makes one with an outcome other than undecided.
#[derive(Debug, Clone, PartialEq)]
pub struct CriterionOutcome {
    criterion: Criterion,
    outcome: Outcome,
    figures: Figures,
    reasons: Vec<Reason>,
}

impl CriterionOutcome {
    pub(crate) fn new(
        criterion: &Criterion,
        outcome: Outcome,
        figures: Figures,
        reasons: Vec<Reason>,
    ) -> Self {
        Self { criterion: criterion.clone(), outcome, figures, reasons }
    }

    /// A criterion for which there is nothing to assess, or whose evidence is void (a stale price pack, a
    /// simulator off by more than its tolerance): undecided for the reason given.
    #[must_use]
    pub fn undecided(criterion: &Criterion, reason: Reason) -> Self {
        let figures = Figures { margin: criterion.margin(), ..Figures::default() };
        Self::new(criterion, Outcome::Undecided, figures, vec![reason])
    }

    /// The same figures with a pass or fail taken back, because the caller knows a reason why they don't count.
    #[must_use]
    pub fn voided(mut self, reason: Reason) -> Self {
        self.outcome = Outcome::Undecided;
        self.reasons.push(reason);
        self
    }

    /// The criterion as declared.
    #[must_use]
    pub fn criterion(&self) -> &Criterion {
        &self.criterion
    }

    /// Pass, fail or undecided.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The figures behind it.
    #[must_use]
    pub fn figures(&self) -> &Figures {
        &self.figures
    }

    /// Why it isn't a pass, and what is worth knowing about a pass.
    #[must_use]
    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::criterion::{Better, Claim, Estimand};

    #[test]
    fn what_is_not_assessed_keeps_its_margin() {
        let criterion = Criterion {
            id: "x".to_owned(),
            claim: Claim::NonInferiority { margin: 0.07 },
            estimand: Estimand::MeanDifference,
            better: Better::Higher,
            alpha: 0.025,
            scenarios: 12,
            range: None,
        };
        let (stale, odd) = (Reason::new("stale", "x: old prices"), Reason::new("odd", "x: odd prices"));
        let undecided = CriterionOutcome::undecided(&criterion, stale.clone());
        assert_eq!(
            (undecided.outcome(), undecided.reasons()),
            (Outcome::Undecided, [stale.clone()].as_slice())
        );
        assert_eq!((undecided.figures().margin, undecided.criterion()), (Some(0.07), &criterion));
        let passed =
            CriterionOutcome::new(&criterion, Outcome::Pass, Figures::default(), vec![stale.clone()]);
        let voided = passed.voided(odd.clone());
        assert_eq!((voided.outcome(), voided.reasons()), (Outcome::Undecided, [stale, odd].as_slice()));
        let words = [Outcome::Pass, Outcome::Fail, Outcome::Undecided].map(Outcome::as_str);
        assert_eq!(words, ["pass", "fail", "undecided"]);
    }
}

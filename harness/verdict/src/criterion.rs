//! What a policy declares before the run: one claim about one metric, with its margin and its error level.

use crate::error::DesignError;

/// Which direction of a metric is an improvement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// Acceptance, recall, nDCG.
    Higher,
    /// Cost, waste, rework, requests.
    Lower,
}

/// What a criterion claims about candidate against baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Claim {
    /// The candidate is worse by less than `margin`: in the metric's unit for [`Estimand::MeanDifference`], as a
    /// relative change for ratios (0.02 = at most 2 % worse).
    NonInferiority {
        /// The largest loss one would trade, 0 or more.
        margin: f64,
    },
    /// The candidate is better by more than `at_least` (same units as a margin; 0 asks for any improvement).
    Superiority {
        /// The smallest gain that counts, 0 or more.
        at_least: f64,
    },
    /// Safety counters: no run of the candidate has an event. The baseline isn't asked.
    NoEvents,
}

/// The quantity compared. Runs of a scenario are averaged first; runs are never pooled over scenarios.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Estimand {
    /// Mean over scenarios of the difference of run means; for shares and for counts that have zeros.
    MeanDifference,
    /// Geometric mean over scenarios of the ratio of geometric run means; for costs. Every value must be positive.
    GeometricRatio,
    /// Ratio of the arms' totals of run means (money is a sum).
    TotalRatio,
    /// Ratio of the arms' quantiles of run means over scenarios.
    TailRatio {
        /// Which quantile, for instance 0.95.
        quantile: f64,
    },
}

impl Estimand {
    /// Whether deltas, bounds and margins are relative changes (ratio − 1) instead of the metric's unit.
    #[must_use]
    pub fn is_ratio(self) -> bool {
        !matches!(self, Self::MeanDifference)
    }
}

/// Limits of the value of one run, in the metric's unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Smallest possible value.
    pub low: f64,
    /// Largest possible value.
    pub high: f64,
}

impl Range {
    /// Shares: 0..1.
    pub const UNIT: Self = Self { low: 0.0, high: 1.0 };
}

/// One pre-registered criterion.
#[derive(Debug, Clone, PartialEq)]
pub struct Criterion {
    /// Stable name, for instance `acceptance`.
    pub id: String,
    /// What is claimed.
    pub claim: Claim,
    /// Which quantity carries the claim.
    pub estimand: Estimand,
    /// Which direction is an improvement.
    pub better: Better,
    /// One-sided error level (0.025 for a release, 0.05 nightly).
    pub alpha: f64,
    /// Scenarios the plan scheduled. Fewer units than that is missing evidence: undecided.
    pub scenarios: usize,
    /// Values a run can take. Without it a missing run could have been anything, so one missing run leaves the
    /// criterion undecided.
    pub range: Option<Range>,
}

impl Criterion {
    /// Checks what can be checked without evidence.
    ///
    /// # Errors
    /// [`DesignError`] for a level, margin, range or quantile outside its domain.
    pub fn validate(&self) -> Result<(), DesignError> {
        let criterion = || self.id.clone();
        if !(self.alpha > 0.0 && self.alpha < 0.5) {
            return Err(DesignError::Alpha { criterion: criterion(), alpha: self.alpha });
        }
        if let Some(margin) = self.margin() {
            let falls = self.estimand.is_ratio()
                && matches!(
                    (self.claim, self.better),
                    (Claim::NonInferiority { .. }, Better::Higher)
                        | (Claim::Superiority { .. }, Better::Lower)
                );
            if !(margin >= 0.0 && margin.is_finite()) || (falls && margin >= 1.0) {
                return Err(DesignError::Margin { criterion: criterion(), margin });
            }
        }
        if let Some(Range { low, high }) = self.range
            && !(low.is_finite() && high.is_finite() && low < high)
        {
            return Err(DesignError::Range { criterion: criterion(), low, high });
        }
        if let Estimand::TailRatio { quantile } = self.estimand
            && !(quantile > 0.0 && quantile < 1.0)
        {
            return Err(DesignError::Quantile { criterion: criterion(), quantile });
        }
        if self.claim == Claim::NoEvents && self.estimand.is_ratio() {
            return Err(DesignError::EventsOnRatio { criterion: criterion() });
        }
        Ok(())
    }

    /// The margin or smallest gain as declared; none for safety counters.
    #[must_use]
    pub fn margin(&self) -> Option<f64> {
        match self.claim {
            Claim::NonInferiority { margin } => Some(margin),
            Claim::Superiority { at_least } => Some(at_least),
            Claim::NoEvents => None,
        }
    }

    /// +1 when a rise is a gain, −1 when a fall is.
    pub(crate) fn sign(&self) -> f64 {
        match self.better {
            Better::Higher => 1.0,
            Better::Lower => -1.0,
        }
    }

    /// The gain that separates pass from fail on the analysis scale (difference, or log ratio), where a rise is good.
    pub(crate) fn threshold(&self) -> f64 {
        let relative = match self.claim {
            Claim::NonInferiority { margin } => -margin,
            Claim::Superiority { at_least } => at_least,
            Claim::NoEvents => 0.0,
        };
        if self.estimand.is_ratio() { self.sign() * (self.sign() * relative).ln_1p() } else { relative }
    }
}

/// Settings of the analysis, from the policy. Equal settings and units give equal bytes at any thread count.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The policy's seed; every random draw comes from it.
    pub seed: u64,
    /// Bootstrap resamples.
    pub resamples: usize,
    /// Draws of the sign-flip test where it isn't exact.
    pub flips: usize,
    /// Below this many differing units (clusters, where fewer) t and bootstrap don't count towards a pass.
    pub discordance_floor: usize,
    /// Below this many units (clusters, where fewer) t and bootstrap don't count towards a non-inferiority, however many
    /// of them differ: bootstraps are known to run hot at ten units and to be near nominal from twenty on.
    pub fewest_units: usize,
    /// Largest share of missing runs that imputation may bridge.
    pub max_missing: f64,
    /// Whether figures that can't change the outcome are left out (bootstrap after an undecided t, sign-flip). For
    /// simulations only: outcomes are the same, the report is poorer.
    pub outcome_only: bool,
}

impl Settings {
    /// The defaults of the gate for a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            resamples: 9_999,
            flips: 9_999,
            discordance_floor: 10,
            fewest_units: 20,
            max_missing: 0.05,
            outcome_only: false,
        }
    }
}

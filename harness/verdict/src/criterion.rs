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

#[cfg(test)]
mod tests {
    use super::*;

    fn criterion() -> Criterion {
        Criterion {
            id: "x".to_owned(),
            claim: Claim::NonInferiority { margin: 0.02 },
            estimand: Estimand::MeanDifference,
            better: Better::Higher,
            alpha: 0.025,
            scenarios: 12,
            range: Some(Range::UNIT),
        }
    }

    /// What a criterion is told, or that it is fine.
    fn told(criterion: &Criterion) -> String {
        criterion.validate().map_or_else(|error| error.to_string(), |()| "fine".to_owned())
    }

    #[test]
    fn levels_and_quantiles_are_open_intervals() {
        let level = |alpha| told(&Criterion { alpha, ..criterion() }) == "fine";
        assert_eq!(
            [-0.1, 0.0, 1e-9, 0.499, 0.5, 0.7, f64::NAN].map(level),
            [false, false, true, true, false, false, false]
        );
        let tail = |quantile| {
            told(&Criterion { estimand: Estimand::TailRatio { quantile }, ..criterion() }) == "fine"
        };
        assert_eq!(
            [-0.1, 0.0, 1e-9, 0.999, 1.0, 1.7, f64::NAN].map(tail),
            [false, false, true, true, false, false, false]
        );
    }

    #[test]
    fn ranges_are_finite_and_have_a_width() {
        let range =
            |low, high| told(&Criterion { range: Some(Range { low, high }), ..criterion() }) == "fine";
        assert!(range(-1.0, 1.0));
        assert!(!range(1.0, 1.0) && !range(1.0, -1.0));
        assert!(!range(f64::NEG_INFINITY, 1.0) && !range(0.0, f64::INFINITY) && !range(f64::NAN, 1.0));
    }

    /// A ratio can fall by less than itself, and rise by any number.
    #[test]
    fn margins_leave_something_of_a_ratio() {
        let margin =
            |claim, estimand, better| told(&Criterion { claim, estimand, better, ..criterion() }) == "fine";
        let (guard, gain) =
            (|margin| Claim::NonInferiority { margin }, |at_least| Claim::Superiority { at_least });
        for estimand in
            [Estimand::GeometricRatio, Estimand::TotalRatio, Estimand::TailRatio { quantile: 0.9 }]
        {
            assert!(
                margin(guard(0.99), estimand, Better::Higher)
                    && !margin(guard(1.0), estimand, Better::Higher)
            );
            assert!(
                margin(gain(0.99), estimand, Better::Lower) && !margin(gain(1.0), estimand, Better::Lower)
            );
            assert!(
                margin(guard(2.0), estimand, Better::Lower) && margin(gain(2.0), estimand, Better::Higher)
            );
        }
        let mean = Estimand::MeanDifference;
        assert!(margin(guard(2.0), mean, Better::Higher) && margin(gain(2.0), mean, Better::Lower));
        assert!(margin(guard(0.0), mean, Better::Higher) && margin(gain(0.0), mean, Better::Lower));
        for odd in [-0.01, f64::INFINITY, f64::NAN] {
            assert!(
                !margin(guard(odd), mean, Better::Higher) && !margin(gain(odd), mean, Better::Lower),
                "{odd}"
            );
        }
    }

    #[test]
    fn events_are_counted_not_divided() {
        let events = |estimand| told(&Criterion { claim: Claim::NoEvents, estimand, ..criterion() });
        assert_eq!(events(Estimand::MeanDifference), "fine");
        assert_eq!(
            events(Estimand::TotalRatio),
            "criterion x: no-events on a ratio: use the mean-difference estimand"
        );
        assert_eq!(told(&Criterion { estimand: Estimand::TotalRatio, ..criterion() }), "fine");
    }

    /// Thresholds on the analysis scale: costs may rise by 2 % (a log gain of −ln 1.02), must fall by 10 % (−ln 0.9); a
    /// metric where more is better may fall by 2 % (ln 0.98), must rise by 10 % (ln 1.1).
    #[test]
    fn thresholds_of_each_claim() {
        let of = |claim, estimand, better| Criterion { claim, estimand, better, ..criterion() }.threshold();
        let (guard, gain) = (Claim::NonInferiority { margin: 0.02 }, Claim::Superiority { at_least: 0.1 });
        let (mean, ratio) = (Estimand::MeanDifference, Estimand::TotalRatio);
        for better in [Better::Higher, Better::Lower] {
            assert_eq!((of(guard, mean, better), of(gain, mean, better)), (-0.02, 0.1));
            assert_eq!(of(Claim::NoEvents, mean, better), 0.0);
        }
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        close(of(guard, ratio, Better::Lower), -1.02_f64.ln());
        close(of(gain, ratio, Better::Lower), -0.9_f64.ln());
        close(of(guard, ratio, Better::Higher), 0.98_f64.ln());
        close(of(gain, ratio, Better::Higher), 1.1_f64.ln());
        let margins = [guard, gain, Claim::NoEvents].map(|claim| Criterion { claim, ..criterion() }.margin());
        assert_eq!(margins, [Some(0.02), Some(0.1), None]);
    }
}

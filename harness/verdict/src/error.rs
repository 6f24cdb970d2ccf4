//! Faults of a design: what the caller declared or handed over can't be analysed at all.

/// A criterion, its units or the settings contradict themselves. A *weak* design isn't an error: it is assessed as
/// undecided.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DesignError {
    /// The one-sided level is outside (0, 0.5).
    #[error("criterion {criterion}: alpha {alpha}: state a one-sided level above 0 and below 0.5")]
    Alpha {
        /// Criterion id.
        criterion: String,
        /// The level as declared.
        alpha: f64,
    },
    /// The margin is negative, not finite, or leaves nothing of a ratio.
    #[error(
        "criterion {criterion}: margin {margin}: state a finite margin of 0 or more, below 1 for a ratio that may fall"
    )]
    Margin {
        /// Criterion id.
        criterion: String,
        /// The margin as declared.
        margin: f64,
    },
    /// The range of a run's value is empty or not finite.
    #[error("criterion {criterion}: range {low}..{high}: state finite limits with low below high")]
    Range {
        /// Criterion id.
        criterion: String,
        /// Lower limit as declared.
        low: f64,
        /// Upper limit as declared.
        high: f64,
    },
    /// The quantile of a tail ratio is outside (0, 1).
    #[error("criterion {criterion}: quantile {quantile}: state a share above 0 and below 1")]
    Quantile {
        /// Criterion id.
        criterion: String,
        /// The quantile as declared.
        quantile: f64,
    },
    /// A claim of no events on anything but a difference of means.
    #[error("criterion {criterion}: no-events on a ratio: use the mean-difference estimand")]
    EventsOnRatio {
        /// Criterion id.
        criterion: String,
    },
    /// Two units have the same scenario id.
    #[error("criterion {criterion}: scenario {scenario} appears twice: give one unit a scenario")]
    DuplicateScenario {
        /// Criterion id.
        criterion: String,
        /// The scenario named twice.
        scenario: String,
    },
    /// A unit whose scenario belongs to no slice.
    #[error("criterion {criterion}: scenario {scenario} has no slice: label every planned scenario")]
    UnlabelledScenario {
        /// Criterion id.
        criterion: String,
        /// The scenario without a label.
        scenario: String,
    },
    /// More units than the plan scheduled.
    #[error(
        "criterion {criterion}: {found} scenarios where {planned} are planned: judge the planned ones only"
    )]
    UnplannedScenarios {
        /// Criterion id.
        criterion: String,
        /// Units handed over.
        found: usize,
        /// Units planned.
        planned: usize,
    },
    /// A recorded value lies outside the range the criterion declares.
    #[error(
        "criterion {criterion}: scenario {scenario}: value {value} outside {low}..{high}: correct the range or the run"
    )]
    OutOfRange {
        /// Criterion id.
        criterion: String,
        /// Scenario of the run.
        scenario: String,
        /// The value.
        value: f64,
        /// Lower limit as declared.
        low: f64,
        /// Upper limit as declared.
        high: f64,
    },
    /// A parameter of a power calculation or simulation is out of its domain.
    #[error("{name} {value}: {expected}")]
    Parameter {
        /// Parameter name.
        name: &'static str,
        /// The value given.
        value: f64,
        /// What is allowed, as an instruction.
        expected: &'static str,
    },
}

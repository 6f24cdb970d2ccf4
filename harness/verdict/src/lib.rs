//! Statistics, criteria and verdicts on plain slices.

mod analysis;
mod assess;
mod bootstrap;
mod criterion;
mod discordance;
mod error;
mod estimate;
mod holm;
mod missing;
mod outcome;
mod paired;
mod quantile;
mod random;
mod ratio;
mod signflip;
mod t;
mod verdict;

pub use assess::assess;
pub use criterion::{Better, Claim, Criterion, Estimand, Range, Settings};
pub use discordance::{share_lower, share_upper, silent_units_needed};
pub use error::DesignError;
pub use holm::{benjamini_hochberg, holm};
pub use missing::{Attendance, attendance_faults, fisher_exact};
pub use outcome::{Bounds, CriterionOutcome, Figures, Outcome, Reason, SignFlip};
pub use paired::Unit;
pub use verdict::{Case, Fault, Judgement, Promotion, Severity, Tier, Verdict, judge};

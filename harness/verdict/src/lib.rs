//! Statistics, criteria and verdicts on plain slices: no files, no frames, no clock.
//!
//! A policy declares [`Criterion`]s before the run. Evidence comes as [`Unit`]s: one scenario each, with the runs of both
//! arms. [`assess`] makes of them a [`CriterionOutcome`] (pass, fail or undecided, with every figure), and [`judge`]
//! makes of all outcomes, of the faults found elsewhere and of the evidence's [`Tier`] a [`Verdict`].
//!
//! What holds throughout:
//! * a promotion can be had from [`judge`] alone, and only where every declared criterion passes at
//!   [`Tier::PROMOTION`];
//! * nothing passes for want of evidence: a missing run, a missing criterion, a figure that isn't a number, a single
//!   cluster or too few differing scenarios leave a criterion undecided;
//! * equal input gives equal bytes, whatever the order of units and runs and the number of threads; all draws
//!   come from the seed in [`Settings`].
//!
//! ```
//! use verdict::{Better, Case, Claim, Criterion, Estimand, Outcome, Range, Settings, Tier, Unit, Verdict, assess, judge};
//!
//! // Acceptance may fall by less than five points; cost must fall.
//! let acceptance = Criterion {
//!     id: "acceptance".into(),
//!     claim: Claim::NonInferiority { margin: 0.05 },
//!     estimand: Estimand::MeanDifference,
//!     better: Better::Higher,
//!     alpha: 0.025,
//!     scenarios: 80,
//!     range: Some(Range::UNIT),
//! };
//! let cost = Criterion {
//!     id: "cost".into(),
//!     claim: Claim::Superiority { at_least: 0.0 },
//!     estimand: Estimand::GeometricRatio,
//!     better: Better::Lower,
//!     range: None,
//!     ..acceptance.clone()
//! };
//!
//! // 80 scenarios of as many repositories, three runs an arm: all accepted, about a tenth cheaper.
//! let accepted: Vec<Unit> = (0..80)
//!     .map(|n| Unit::complete(format!("s{n}"), format!("repository {n}"), &[1.0; 3], &[1.0; 3]))
//!     .collect();
//! let costs: Vec<Unit> = (0..80)
//!     .map(|n| {
//!         let saved = 0.88 + 0.01 * f64::from(n % 5);
//!         Unit::complete(format!("s{n}"), format!("repository {n}"), &[2.0; 3], &[2.0 * saved; 3])
//!     })
//!     .collect();
//!
//! let settings = Settings::new(2026);
//! let outcomes = [assess(&acceptance, &accepted, &settings)?, assess(&cost, &costs, &settings)?];
//! // No scenario differs in acceptance: the exact bound of the share that regresses (4.5 %) decides, not a t interval.
//! assert_eq!(outcomes[0].outcome(), Outcome::Pass);
//! assert!(outcomes[0].figures().below_floor);
//! assert!((outcomes[1].figures().delta.unwrap() + 0.1).abs() < 0.001);
//!
//! let declared = [acceptance, cost];
//! let case = Case { declared: &declared, outcomes: &outcomes, faults: &[], tier: Some(Tier::RecordedModel) };
//! assert!(matches!(judge(&case).verdict, Verdict::Promote(_)));
//!
//! // The same figures from a scripted model prove plumbing only.
//! let scripted = judge(&Case { tier: Some(Tier::RecordedScripted), ..case });
//! assert_eq!(scripted.verdict, Verdict::Insufficient);
//! assert_eq!(scripted.reasons[0].code, "tier");
//! # Ok::<(), verdict::DesignError>(())
//! ```
//!
//! A promotion can't be made up:
//!
//! ```compile_fail
//! let forged = verdict::Verdict::Promote(verdict::Promotion(()));
//! ```

mod analysis;
mod assess;
mod bootstrap;
mod criterion;
mod discordance;
pub mod distribution;
mod error;
mod estimate;
mod holm;
mod missing;
mod moments;
mod outcome;
mod paired;
mod plan;
mod population;
mod power;
mod random;
mod ratio;
mod reroll;
mod resample;
mod signflip;
mod simulate;
mod slices;
mod spending;
mod t;
mod tail;
mod variance;
mod variate;
mod verdict;

pub use assess::{assess, assess_all};
pub use criterion::{Better, Claim, Criterion, Estimand, Range, Settings};
pub use discordance::{share_lower, share_upper, silent_units_needed};
pub use error::DesignError;
pub use holm::{benjamini_hochberg, holm};
pub use missing::{Attendance, attendance_faults, fisher_exact};
pub use outcome::{Bounds, CriterionOutcome, Figures, Outcome, Reason, SignFlip};
pub use paired::Unit;
pub use population::{Campaign, Population};
pub use power::{Design, Settlement, Target, Variance, minimum_detectable_effect, scenarios_needed, settle};
pub use reroll::{Attempt, MOST_REROLLS, Pair, RerollAccount, reroll_faults};
pub use simulate::{Promise, Tally, passes, simulate};
pub use slices::{SliceOutcome, slice_outcomes};
pub use spending::Spending;
pub use variance::{Components, Interval};
pub use verdict::{Case, Fault, Judgement, Promotion, Severity, Tier, Verdict, judge};

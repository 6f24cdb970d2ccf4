//! Metrics: one definition a module with a worked example, one frame for all values, paired units for the statistics.
//!
//! The *recorded* plane tells what runs of the agent did; the *replayed* plane what each variant would have planned over
//! the baseline's sessions. Values of a plane are never compared with the other's. Every value is reproducible from the
//! corpus, the scenarios, the price pack and this build; nothing reads a clock or the environment.

mod duplicate_read;
#[cfg(test)]
mod examples;
mod first_edit;
mod frame;
mod id;
mod order;
pub mod price;
mod recorded;
mod replayed;
mod rework;
pub mod safety;
#[cfg(test)]
mod testing;
mod tokens;
mod verification;
pub mod waste;

pub use frame::{MetricFrame, MetricRow, RunValues};
pub use id::{Metric, Plane};
pub use order::OrderComparison;
pub use recorded::{Yardsticks, run_values};
pub use replayed::{ReplayedMetrics, SessionValues};

//! Metrics: one definition a module, one frame for all values, paired units for the statistics.

mod frame;
mod id;

pub use frame::{MetricFrame, MetricRow};
pub use id::{Metric, Plane};

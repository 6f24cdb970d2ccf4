//! Localisation: how well an engine finds the files that a task's change touched.
//!
//! The ranker sees a query's text and the files below the root, nothing else: the relevant files join the ranking only after
//! it is made.

mod queries;
mod run;

pub use queries::{LocalizeQuery, read_candidates, read_queries};
pub use run::{Ablation, CalibrationRow, Localization, QueryRun, Ranker, localize};

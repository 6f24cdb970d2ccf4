//! The context-quality metrics `context-quality-v1`: how good a context plan is, from metadata alone.
//!
//! A fixture lists candidates with tokens, groups and sources, and the evidence that was expected. A strategy decides what
//! is selected; [`measure`] turns a decision into counts; [`aggregate`] sums counts before it takes rates; [`score`] is
//! the published formula. Names, formula and figures follow the ds4-context-engine's published corpus, which serves as
//! the reference.

mod aggregate;
mod fixture;
mod measure;
mod strategy;
pub mod wire;

pub use aggregate::{Aggregate, CategoryUse, Comparison, StrategyResult, aggregate, compare};
pub use fixture::{Candidate, Fixture, QualityError, is_safe_id};
pub use measure::{Count, Measures, ScoreRates, measure, round6, score};
pub use strategy::{Decision, Strategy, replay};

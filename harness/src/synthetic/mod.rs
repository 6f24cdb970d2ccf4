//! Simulated campaigns as corpora: what `harness power --emit` writes, so that the whole gate runs on a campaign whose truth
//! is known.
//!
//! A [`Population`](verdict::Population) says what is true; [`emit`] draws one campaign of it and writes a project around
//! it: repositories, tasks with real graders, arms, the policy, and a corpus of tier `synthetic` in which sessions, requests,
//! patches and transcripts agree. Nothing of it was recorded, so it proves the gate and never a feature.
//!
//! * [`behaviour`] from draws to what a run does · `run` a run's files · `task` repositories and tasks · [`emit`] the
//!   whole.

pub mod behaviour;
mod emit;
mod run;
mod task;

pub use behaviour::{Canary, SessionLength};
pub use emit::{Emission, Emitted, emit};

//! The gate: from evidence and a pre-registered policy to a verdict a feature, and one result.
//!
//! The order is fixed: faults of the evidence, criteria on both planes, canary arms, the verdict by precedence, then what
//! would settle it. Nothing here reads the clock or measures time: the only date is an argument.
//!
//! * [`campaign`] files in, answer out · [`policy`] what a feature must show · [`evidence`] what a feature's verdict rests on · [`judge`] one feature ·
//!   [`canary`] its canary arms · [`advice`] what would settle it · [`conclude`] one result · [`certificate`] the proof of
//!   a promotion · [`look`] which corpus was judged under which policy · [`document`] `gate.json`.

pub mod advice;
pub mod campaign;
pub mod canary;
pub mod certificate;
pub mod conclude;
pub mod document;
pub mod evidence;
pub mod judge;
pub mod look;
pub mod policy;
pub mod run;

#[cfg(test)]
mod tests;

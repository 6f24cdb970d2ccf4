//! The gate: from evidence and a pre-registered policy to a verdict a feature, and one result.
//!
//! The order is fixed: faults of the evidence, criteria on both planes, canary arms, the verdict by precedence, then what
//! would settle it. Nothing here reads the clock or measures time: the only date is an argument.
//!
//! * [`campaign`] files in, answer out · [`paths`] where they lie · [`progress`] what it is at · [`policy`] what a feature must
//!   show · [`evidence`] what a feature's verdict rests on · [`judge`] one feature · [`canary`] its canary arms · [`advice`] what
//!   would settle it · [`conclude`] one result
//! * [`certificate`] the proof of a promotion · [`recheck`] made again from its evidence · [`revocation`] certificates that never
//!   count again · [`look`] which corpus was judged under which policy · [`plan`] what a look may spend · [`mod@slice`] harm to a part
//!   of the scenarios · [`quantity`] the six promised quantities · [`document`] `gate.json`

pub mod advice;
pub mod campaign;
pub mod canary;
pub mod certificate;
pub mod conclude;
pub mod document;
pub mod evidence;
mod facts;
pub mod judge;
pub mod look;
pub mod paths;
pub mod plan;
pub mod policy;
pub mod progress;
pub mod quantity;
pub mod recheck;
pub mod revocation;
pub mod run;
pub mod slice;

#[cfg(test)]
mod tests;

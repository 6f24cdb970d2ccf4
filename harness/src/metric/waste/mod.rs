//! Waste: `contextWasteScore`, and the ledger that gives every prompt token exactly one class.

mod ledger;
mod score;

pub use ledger::{Class, Ledger, ledger};
pub use score::{ScoreParts, parts};

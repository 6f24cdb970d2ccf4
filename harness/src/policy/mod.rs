//! The scripted model: a pure function from the text of one request to the next action.
//!
//! It stands in for a language model where none may be called. It reacts only to what a request holds: if a region to
//! change is in the text, it edits; if only a promising path is, it reads; otherwise it searches. After an edit it runs
//! the check that the prompt names, undoes what failed and tries again. It knows the right change of each task
//! ([`Knowledge`](crate::scenario::Knowledge)), but no path: where a region lies is something it has to read.
//!
//! * [`Transcript`] is one request, whatever the provider's wire format.
//! * [`Parameters`] are the probabilities of its mistakes and habits, [`Draws`] the dice. A draw depends on the seed, the
//!   scenario, the repetition, the kind of the mistake and how often that kind came up before, so both arms of a pair
//!   are thrown the same dice.
//! * [`decide`] is the function. The variant, the origin of a message and the gold files aren't among its arguments, so
//!   it can't favour an arm; a test holds that equal text gives equal actions.
//!
//! What it proves is plumbing: that context which holds the right region saves requests, and that context which holds a
//! wrong one costs some. How much a real model would gain or lose is not in it.

mod action;
mod decide;
mod draws;
mod parameters;
mod paths;
mod progress;
mod ranking;
mod sight;
mod task;
#[cfg(test)]
mod tests;
mod transcript;

pub use action::{Action, Tool, search_command};
pub use decide::decide;
pub use draws::{Draws, Mistake};
pub use parameters::Parameters;
pub use task::verify_command;
pub use transcript::{Call, Transcript, Turn};

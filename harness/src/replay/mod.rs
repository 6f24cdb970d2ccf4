//! Replay: what each variant would have planned at every request of the baseline's sessions.
//!
//! For each reply of a recorded session the context that the agent held at that moment is rebuilt, with what an engine
//! had injected taken out, and every variant plans it anew, several times, from a fresh engine each time. The plans of a
//! request must agree byte for byte. One stream of events, in a fixed order at any number of threads, feeds the files and
//! the metrics alike.

mod event;
mod injected;
mod moment;
mod order;
mod plan_form;
mod quality;
mod score;
mod session;
mod writer;

pub use event::{PlannedRequest, ReplayEvent, ReplaySink};
pub use order::OrderScore;
pub use plan_form::plan_value;
pub use score::{EVIDENCE_BUDGET, PromptBlock, RequestScore};
pub use session::{Baseline, ReplayOptions};
pub use writer::JsonlWriter;

//! Logs of DeepSeek Harness.
//!
//! A log is a header and a list of numbered events. Three types of events make up what the model sees (the surface); an
//! event may also take the place of a range of it. The harness refuses a log whose events contradict each other, so its own
//! reading is all or nothing; the salvaged one keeps every event. `docs/formats/dsh.md` states the rules.

mod event;
mod message;
mod order;
mod read;
mod surface;

pub(crate) use read::DshDialect;

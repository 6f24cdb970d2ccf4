//! Codex rollouts.
//!
//! A rollout is a list: what the model is sent comes from `response_item` and `compacted` lines; `event_msg` lines repeat
//! it for the interface and add times, outcomes, token counts and rollbacks. `docs/formats/codex.md` states the rules.

mod event;
mod item;
mod read;
mod request;
mod thread;
mod usage;
mod view;

pub(crate) use read::CodexDialect;

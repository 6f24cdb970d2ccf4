//! Transcripts of Claude Code: one line a content block, results that fork the chain, boundaries of compaction.
//!
//! A line becomes one entry, or one a tool result where it holds several. The rules, with what each rests on, stand in
//! `docs/formats/claude.md`.

mod chain;
mod compact;
mod convert;
mod draft;
mod envelope;
mod line;
mod read;
mod reply;
mod span;
mod view;

pub(crate) use read::ClaudeDialect;

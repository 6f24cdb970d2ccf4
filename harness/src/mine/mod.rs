//! Localisation queries mined from the history of a repository.
//!
//! A commit that came after a base commit is a task that was solved: its message is the query, the files it changed are the
//! answer. The ranker is later given the tree of the base commit, so neither the message nor what followed is in reach. What
//! no person wrote, what names no task and what gives the answer away is left out, each commit under the first rule that
//! applies (`rule`).

mod message;
mod repository;
mod rule;
mod run;
mod tree;
mod wire;

pub use rule::Rule;
pub use run::{MineLimits, Mined, MinedQuery, mine};
pub use wire::{candidates_text, meta_document, queries_text};

//! Recall: entries of a session found again for a request, and quoted within a budget of tokens.
//!
//! What a compaction took out of the context is still in the log. [`documents`] cuts an entry into texts, secrets masked;
//! [`Query`] reads a text; [`Scope`] says which entries may be found: those on the path to one entry, never those of
//! another branch, and not those that the model sees anyway. Two tiers: what the query names verbatim (quoted phrases,
//! paths, errors, identifiers) comes first, then words by BM25. [`rank()`] and [`quote()`] are pure functions; the words
//! stand in [`SessionIndex`](crate::store::SessionIndex).

mod document;
mod matching;
mod passage;
mod query;
mod quote;
mod rank;
mod scope;

pub use document::{Document, DocumentKind, documents};
pub use matching::{Matcher, Occurrence};
pub use passage::{Passage, passages, word_counts};
pub use query::{Needle, NeedleKind, Query, Word};
pub use quote::{Excerpt, Quoting, Recalled, Source, quote};
pub use rank::{Candidate, Collection, PassageHit, Ranked, rank};
pub use scope::{EntryKey, Scope};

//! Retrieval: which files, and which regions of them, matter for a task.
//!
//! Pure functions over values: a [`Task`] read from the text, a [`View`](crate::project::View) of the project and the
//! occurrences of the task's terms in, a ranking with reasons out. Only [`search`] and [`pack`] touch an index.
//!
//! The lists of scores are fused by a weighted sum of normalised scores, because ranks alone lose how clear a lead is.

mod cochange;
mod command;
mod confidence;
mod constants;
mod corpus;
mod embedding;
mod fuse;
mod hints;
mod impact;
mod lexical;
mod memory;
mod pack;
mod past;
mod port;
mod rank;
mod reorder;
mod search;
mod signal;
mod signals;
mod stop;
mod task;
mod unimported;
mod walk;

pub use crate::plan::Confidence;
pub use confidence::NAMED;
pub(crate) use constants::CONSTANTS;
pub use corpus::{Query, TermHits};
pub use embedding::{
    Consent, Embedder, EmbeddingFailure, EmbeddingModel, EmbeddingProvider, EmbeddingUse, MAX_BATCH,
    MAX_DIMENSIONS, Outbound, SEMANTIC_POOL, Semantic, Similarities, Synced, TextKind,
};
pub use fuse::{Fusion, fuse};
pub use hints::{Hints, UsefulFile};
pub use impact::{Affected, Dependence, IMPACT_DEPTH, Impact, ImportsSeen, Step, impact, impact_over};
pub use lexical::{Bm25F, CHUNK, FILE, best_chunk, score_chunks, score_files};
pub use pack::{Mapped, Omitted, Pack, PackBudget, Snippet, pack, pack_by, pack_with};
pub(crate) use past::halved;
pub use past::{PastHits, past};
pub use port::{IndexedProject, Orders};
pub use rank::{Ranked, Ranking, Source, Weights, rank, rank_signals};
pub use reorder::{Ranker, Reorder, Reordered};
pub use search::{
    SearchHit, SearchResult, ask, rank_task, rank_task_by, rank_task_with, search, search_by, search_with,
};
pub use signals::{Asked, Column, Signals};
pub use task::{QueryTerm, Task};

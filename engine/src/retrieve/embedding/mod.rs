//! Embeddings through a port: an optional source of scores, made by a provider that the caller brings.
//!
//! * Text goes to a provider as [`Outbound`] alone, which is masked where it is made, and only through an [`Embedder`], which
//!   can't be built without a [`Consent`] to that very provider. Protected files aren't indexed, so they are never read here.
//! * Vectors are kept by path, source hash, model and way of cutting ([`VectorStore`](crate::store::VectorStore)): files that
//!   haven't changed aren't sent again. A task's text is sent each time and kept nowhere.
//! * Whatever goes wrong, the answer is ranked as if there were no embeddings, and says why ([`EmbeddingFailure`]).
//! * The same vectors give the same ranking: exact cosines, summed in a fixed order, ties by path. Vectors are kept as 32-bit
//!   floats of length 1; there is no other quantisation.

mod embedder;
mod failure;
mod outbound;
mod piece;
mod provider;
mod similar;

pub use embedder::{Embedder, Synced};
pub use failure::EmbeddingFailure;
pub use outbound::{Consent, Outbound};
pub use provider::{EmbeddingModel, EmbeddingProvider, MAX_BATCH, MAX_DIMENSIONS, TextKind};
pub(super) use similar::semantic;
pub use similar::{EmbeddingUse, SEMANTIC_POOL, Semantic, Similarities};

//! What embeddings say of every query of a project, asked once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use adapters::embedding::EmbeddingArguments;
use engine::project::Index;
use engine::retrieve::{EmbeddingFailure, Semantic, Similarities, Synced};
use engine::store::{StoreError, VectorStore};

use crate::failure::{Failure, Kind};

use super::queries::LocalizeQuery;

/// Whom to ask, and where to keep vectors.
pub struct EmbeddingSource<'a> {
    /// The provider and the consent to it.
    pub arguments: &'a EmbeddingArguments,
    /// The folder in which the project's vectors are kept; `None` for memory.
    pub state: Option<PathBuf>,
}

/// What embeddings say of every query.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    /// Identifier of the model.
    pub model: String,
    /// What they count in the ranking.
    pub weight: f64,
    /// What bringing the vectors up to date did.
    pub synced: Synced,
    /// Wall seconds of that.
    pub seconds: f64,
    /// Wall milliseconds of asking for each query and comparing it with every vector, in the order of the queries.
    pub query_ms: Vec<f64>,
    by_query: BTreeMap<String, Similarities>,
}

impl Embedded {
    /// What is said of a query, counted by a weight.
    pub(super) fn semantic(&self, query: &str, weight: f64) -> Option<Semantic> {
        self.by_query.get(query).map(|similar| Semantic::Heard(Similarities { weight, ..similar.clone() }))
    }
}

/// Embeds a project and its queries. Unlike a search, a measurement doesn't go on without: its figures would bear a false name.
///
/// # Errors
/// Whatever keeps the provider from answering, or the vectors from being kept.
pub(super) fn embed(
    index: &Index,
    queries: &[LocalizeQuery],
    source: &EmbeddingSource<'_>,
) -> Result<Option<Embedded>, Failure> {
    let Some(started) = source.arguments.start() else { return Ok(None) };
    let mut embedder = started.map_err(|failure| unheard(&failure))?;
    let store = source.state.as_ref().map_or_else(VectorStore::in_memory, |folder| VectorStore::open(folder));
    let mut store = store.map_err(|error| unkept(&error))?;
    let start = Instant::now();
    let synced = embedder.sync(index, &mut store).map_err(|failure| unheard(&failure))?;
    let seconds = start.elapsed().as_secs_f64();
    let (mut by_query, mut query_ms) = (BTreeMap::new(), Vec::new());
    let mut model = String::new();
    let weight = source.arguments.weight();
    for query in queries {
        let start = Instant::now();
        let similar = embedder.similar(&store, &query.query, weight).map_err(|failure| unheard(&failure))?;
        query_ms.push(start.elapsed().as_secs_f64() * 1e3);
        model.clone_from(&similar.usage.model);
        by_query.insert(query.query.clone(), similar);
    }
    Ok(Some(Embedded { model, weight, synced, seconds, query_ms, by_query }))
}

fn unheard(failure: &EmbeddingFailure) -> Failure {
    let message = format!("embeddings ({}): {failure}", failure.code());
    match failure {
        EmbeddingFailure::Start { .. }
        | EmbeddingFailure::Timeout { .. }
        | EmbeddingFailure::Ended { .. }
        | EmbeddingFailure::Store { .. }
        | EmbeddingFailure::Index { .. } => Failure { kind: Kind::Io, message },
        _ => Failure::bad_data(message),
    }
}

fn unkept(error: &StoreError) -> Failure {
    let kind = if matches!(error, StoreError::NotAnIndex { .. }) { Kind::BadData } else { Kind::Io };
    Failure { kind, message: error.to_string() }
}

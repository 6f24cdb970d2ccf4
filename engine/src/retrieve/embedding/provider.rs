//! The port: what an embedding provider is to the engine.

use super::failure::EmbeddingFailure;
use super::outbound::Outbound;

/// Most numbers a vector.
pub const MAX_DIMENSIONS: usize = 4_096;

/// Most texts a request, whatever a provider offers.
pub const MAX_BATCH: usize = 64;

/// Longest identifier of a model, bytes.
const MAX_NAME_BYTES: usize = 200;

/// What a provider's texts are. Some models put another prompt before a question than before what may answer it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextKind {
    /// A task.
    Query,
    /// A piece of a file.
    Passage,
}

impl TextKind {
    /// The stable name in protocols.
    pub fn code(self) -> &'static str {
        match self {
            TextKind::Query => "query",
            TextKind::Passage => "passage",
        }
    }
}

/// What a provider says of its model; within bounds by construction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddingModel {
    name: String,
    dimensions: usize,
    batch: usize,
}

impl EmbeddingModel {
    /// A model of a name that changes whenever the model's vectors do, with the numbers a vector and the most texts a request.
    ///
    /// # Errors
    /// Where the name is empty, longer than 200 bytes or holds control characters, where the dimensions aren't
    /// 1 to [`MAX_DIMENSIONS`], or where a request may hold no text.
    pub fn new(name: &str, dimensions: usize, batch: usize) -> Result<EmbeddingModel, EmbeddingFailure> {
        let refused = |what: &'static str| Err(EmbeddingFailure::Handshake { what });
        if name.trim().is_empty() || name.len() > MAX_NAME_BYTES || name.chars().any(char::is_control) {
            return refused("the model's name is empty, too long or not one line");
        }
        if dimensions == 0 || dimensions > MAX_DIMENSIONS {
            return refused("the dimensions are out of bounds");
        }
        if batch == 0 {
            return refused("a batch of no texts");
        }
        Ok(EmbeddingModel { name: name.to_owned(), dimensions, batch: batch.min(MAX_BATCH) })
    }

    /// Its identifier.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Numbers a vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Most texts a request, at most [`MAX_BATCH`].
    pub fn batch(&self) -> usize {
        self.batch
    }
}

/// Turns texts into vectors. Nothing that it returns is trusted: an [`Embedder`](super::Embedder) checks every vector.
pub trait EmbeddingProvider {
    /// Where texts go, as consent was given to it: the program's name, an address.
    fn destination(&self) -> &str;

    /// Its model, the same for the life of the value.
    fn model(&self) -> &EmbeddingModel;

    /// One vector a text, in order; at most [`EmbeddingModel::batch`] texts.
    ///
    /// # Errors
    /// Whatever keeps it from answering, time limits among it. It isn't asked again afterwards.
    fn embed(&mut self, kind: TextKind, texts: &[Outbound]) -> Result<Vec<Vec<f32>>, EmbeddingFailure>;
}

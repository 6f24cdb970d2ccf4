//! The provider: requests and answers over a child process.

use std::time::Duration;

use engine::retrieve::{EmbeddingFailure, EmbeddingModel, EmbeddingProvider, Outbound, TextKind};

use super::child::{Child, Program};
use super::wire::{Hello, Request, line, vectors, welcome};

/// Time limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From its start to its handshake: loading a model takes long.
    pub start: Duration,
    /// From a request to its answer.
    pub request: Duration,
}

/// A provider that runs as a child process. It is ended, with all that it started, when the value goes or it fails.
pub struct Subprocess {
    destination: String,
    model: EmbeddingModel,
    limit: Duration,
    requests: u64,
    /// `None` once it failed.
    child: Option<Child>,
}

impl Subprocess {
    /// Starts the program and shakes hands. No text is sent.
    ///
    /// # Errors
    /// Where it can't be started, doesn't answer in time, or its first line isn't a handshake of this protocol.
    pub fn start(program: &Program, limits: Limits) -> Result<Subprocess, EmbeddingFailure> {
        let child = Child::start(program)?;
        child.tell(line(&Hello::new()));
        let model = welcome(&child.hear("handshake", limits.start)?)?;
        let destination = program.path.display().to_string();
        Ok(Subprocess { destination, model, limit: limits.request, requests: 0, child: Some(child) })
    }
}

impl EmbeddingProvider for Subprocess {
    fn destination(&self) -> &str {
        &self.destination
    }

    fn model(&self) -> &EmbeddingModel {
        &self.model
    }

    fn embed(&mut self, kind: TextKind, texts: &[Outbound]) -> Result<Vec<Vec<f32>>, EmbeddingFailure> {
        self.requests += 1;
        // Taken out: what leaves by an error takes the child along.
        let child = self.child.take().ok_or(EmbeddingFailure::Ended { awaited: "answer" })?;
        child.tell(line(&Request::new(self.requests, kind, texts)));
        let vectors = vectors(&child.hear("answer", self.limit)?, self.requests)?;
        self.child = Some(child);
        Ok(vectors)
    }
}

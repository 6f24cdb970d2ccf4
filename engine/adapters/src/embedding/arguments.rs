//! The flags by which a user names a provider and consents to it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use engine::project::Index;
use engine::retrieve::{Consent, Embedder, EmbeddingFailure, Semantic};
use engine::store::VectorStore;

use super::child::Program;
use super::subprocess::{Limits, Subprocess};

/// Whether embeddings are asked, of which program, and under which consent.
#[derive(Debug, Args)]
pub struct EmbeddingArguments {
    /// Also rank by embeddings, made by this program; see docs/embeddings.md
    #[arg(long, value_name = "PROGRAM")]
    embeddings: Option<PathBuf>,
    /// An argument of that program; may be repeated
    #[arg(long, value_name = "ARG", requires = "embeddings", allow_hyphen_values = true)]
    embeddings_argument: Vec<OsString>,
    /// Allow text of the project and the task, secrets masked, to be given to that program
    #[arg(long, requires = "embeddings")]
    embeddings_consent: bool,
    /// What embeddings count in the ranking, where words count 1
    #[arg(long, value_name = "WEIGHT", requires = "embeddings", default_value_t = 0.1)]
    embeddings_weight: f64,
    /// Longest wait for that program's start and for each of its answers, seconds
    #[arg(long, value_name = "SECONDS", requires = "embeddings", default_value_t = 120)]
    embeddings_timeout: u64,
}

impl EmbeddingArguments {
    /// Whether a provider is named.
    pub fn is_asked(&self) -> bool {
        self.embeddings.is_some()
    }

    /// What embeddings count.
    pub fn weight(&self) -> f64 {
        self.embeddings_weight
    }

    /// Refuses flags that can't be obeyed, before anything is started or read.
    ///
    /// # Errors
    /// What to change, in one line.
    pub fn check(&self) -> Result<(), String> {
        let Some(program) = &self.embeddings else { return Ok(()) };
        if !self.embeddings_consent {
            return Err(format!(
                "--embeddings: text of the project would be given to {}: add --embeddings-consent to allow it",
                program.display()
            ));
        }
        if !(0.0..=10.0).contains(&self.embeddings_weight) {
            return Err("--embeddings-weight: give a number from 0 to 10".to_owned());
        }
        if self.embeddings_timeout == 0 {
            return Err("--embeddings-timeout: nothing answers within 0 s: give at least 1".to_owned());
        }
        Ok(())
    }

    /// Starts the provider under the consent given; `None` where none is named.
    ///
    /// # Errors
    /// Why it can't be asked.
    pub fn start(&self) -> Option<Result<Embedder<Subprocess>, EmbeddingFailure>> {
        let path = self.embeddings.clone()?;
        let destination = path.display().to_string();
        if !self.embeddings_consent {
            return Some(Err(EmbeddingFailure::Consent { destination }));
        }
        let limit = Duration::from_secs(self.embeddings_timeout);
        let program = Program { path, arguments: self.embeddings_argument.clone() };
        let provider = Subprocess::start(&program, Limits { start: limit, request: limit });
        Some(provider.and_then(|provider| Embedder::new(provider, &Consent::given_to(destination))))
    }

    /// What embeddings say of a task, with vectors kept by `open`; `None` where no provider is named.
    pub fn hear(
        &self,
        index: &Index,
        open: impl FnOnce() -> Result<VectorStore, EmbeddingFailure>,
        task: &str,
    ) -> Option<Semantic> {
        let heard = self
            .start()?
            .and_then(|mut embedder| Ok(embedder.hear(index, &mut open()?, task, self.embeddings_weight)));
        Some(heard.unwrap_or_else(Semantic::Unheard))
    }
}

//! From an arm's declaration to a running engine: the one way, for recording and for replay alike.

use std::sync::Arc;

use engine::builtin::BuiltIn;
use engine::contract::ContextEngine;
use engine::passthrough::PassThrough;
use engine::plan::ProjectSource;
use engine::tokens::TokenCounter;

use super::{EngineKind, Variant, Withhold};
use crate::scenario::Scenario;

/// Window of the models that the campaigns declare, tokens. A session doesn't tell it.
pub const CONTEXT_WINDOW: u64 = 200_000;

/// What opens an arm's engine for one session over a project. The gate opens [`Declared`] engines; a test may open one
/// that breaks the contract, to see that it is caught.
pub trait OpenEngine: Sync {
    /// The engine.
    fn open(
        &self,
        variant: &Variant,
        counter: Arc<dyn TokenCounter>,
        project: Arc<dyn ProjectSource>,
    ) -> Box<dyn ContextEngine>;
}

/// Engines as their variants declare them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declared;

impl OpenEngine for Declared {
    fn open(
        &self,
        variant: &Variant,
        counter: Arc<dyn TokenCounter>,
        project: Arc<dyn ProjectSource>,
    ) -> Box<dyn ContextEngine> {
        variant.open_engine(counter, project)
    }
}

impl Variant {
    /// The engine of this arm for one session over `project`.
    pub fn open_engine(
        &self,
        counter: Arc<dyn TokenCounter>,
        project: Arc<dyn ProjectSource>,
    ) -> Box<dyn ContextEngine> {
        match self.engine {
            EngineKind::PassThrough => Box::new(PassThrough::new(counter)),
            EngineKind::BuiltIn => Box::new(BuiltIn::new(self.settings(), counter, Some(project))),
        }
    }

    /// Whether this arm's engine asks a project for files at all.
    pub fn retrieves(&self) -> bool {
        self.engine == EngineKind::BuiltIn && self.settings().pack_tokens > 0
    }

    /// Paths that this arm keeps from its pack in a scenario: its declared degradation.
    pub fn withheld(&self, scenario: &Scenario) -> Vec<String> {
        match self.withhold {
            Some(Withhold::Gold) => scenario.gold.iter().cloned().collect(),
            None => Vec::new(),
        }
    }
}

//! The built-in engine.

use std::cell::OnceCell;
use std::sync::Arc;

use crate::contract::{CONTRACT_VERSION, Capability, ContextEngine, Description, EngineError};
use crate::held::Held;
use crate::plan::compose::{ProjectUse, compose};
use crate::plan::{Budget, Plan, PlanRequest, ProjectSource};
use crate::session::Entry;
use crate::tokens::TokenCounter;

/// Settings of the built-in engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Limit of the project pack, tokens; 0 quotes nothing.
    pub pack_tokens: u64,
}

impl Settings {
    /// Limit of the pack where nothing else is said, tokens.
    pub const DEFAULT_PACK_TOKENS: u64 = 2_400;
}

impl Default for Settings {
    fn default() -> Self {
        Settings { pack_tokens: Settings::DEFAULT_PACK_TOKENS }
    }
}

/// Plans within token limits, keeps groups whole, and quotes the project before the request being answered.
pub struct BuiltIn {
    settings: Settings,
    counter: Arc<dyn TokenCounter>,
    project: Option<Arc<dyn ProjectSource>>,
    held: Held,
}

impl BuiltIn {
    /// An engine for one session. Without a project it quotes none.
    pub fn new(
        settings: Settings,
        counter: Arc<dyn TokenCounter>,
        project: Option<Arc<dyn ProjectSource>>,
    ) -> BuiltIn {
        BuiltIn { settings, counter, project, held: Held::default() }
    }
}

impl ContextEngine for BuiltIn {
    fn describe(&self) -> Description {
        let (mut offers, mut lacks) = (Vec::new(), Capability::ALL.to_vec());
        if self.project.is_some() {
            offers.push(Capability::Pack);
            lacks.retain(|capability| *capability != Capability::Pack);
        }
        Description {
            name: "built-in",
            version: env!("CARGO_PKG_VERSION"),
            contract: CONTRACT_VERSION,
            offers,
            lacks,
        }
    }

    fn ingest(&mut self, entries: &[Entry]) -> Result<(), EngineError> {
        self.held.ingest(entries, &*self.counter);
        Ok(())
    }

    fn plan(&mut self, request: &PlanRequest) -> Result<Plan, EngineError> {
        let budget = Budget::for_profile(&request.profile, self.settings.pack_tokens);
        let selection = self.held.select(&request.head)?;
        let fresh: Vec<OnceCell<Box<[u64]>>> = vec![OnceCell::new(); selection.messages.len()];
        let material =
            self.held.material(&selection, &fresh, budget, request.unrecorded_head_tokens, &*self.counter);
        let project = self
            .project
            .as_deref()
            .filter(|_| self.settings.pack_tokens > 0)
            .map(|source| ProjectUse { source, withhold: &request.withhold, counter: &*self.counter });
        Ok(compose(&material, project.as_ref()))
    }
}

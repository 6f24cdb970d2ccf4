//! The native pass-through: the agent's own context, unchanged. The baseline of every comparison.

use std::sync::{Arc, OnceLock};

use crate::contract::{ContextEngine, Description, EngineError};
use crate::held::Held;
use crate::plan::compose::native;
use crate::plan::{Budget, Plan, PlanMode, PlanRequest, Reason};
use crate::session::SharedEntry;
use crate::tokens::TokenCounter;

/// Sends what the agent itself would send.
pub struct PassThrough {
    counter: Arc<dyn TokenCounter>,
    held: Held,
}

impl PassThrough {
    /// An engine for one session. The counter only states what the context costs.
    pub fn new(counter: Arc<dyn TokenCounter>) -> PassThrough {
        PassThrough { counter, held: Held::default() }
    }
}

impl ContextEngine for PassThrough {
    fn describe(&self) -> Description {
        Description::of("pass-through", &[])
    }

    fn ingest(&mut self, entries: &[SharedEntry]) -> Result<(), EngineError> {
        self.held.ingest(entries, &*self.counter);
        Ok(())
    }

    fn plan(&mut self, request: &PlanRequest) -> Result<Plan, EngineError> {
        let budget = Budget::for_profile(&request.profile, 0);
        let selection = self.held.select(&request.head)?;
        let fresh: Vec<OnceLock<Box<[u64]>>> = vec![OnceLock::new(); selection.messages.len()];
        let material =
            self.held.material(&selection, &fresh, budget, request.unrecorded_head_tokens, &*self.counter);
        Ok(native(&material, PlanMode::Native, Reason::PassThrough))
    }
}

//! The built-in engine.

use std::cell::OnceCell;
use std::sync::{Arc, Mutex, PoisonError};

use crate::contract::{CONTRACT_VERSION, Capability, ContextEngine, Description, EngineError};
use crate::held::Held;
use crate::plan::compose::{ProjectUse, compose};
use crate::plan::{Budget, Plan, PlanRequest, ProjectQuery, ProjectSource, ProjectText};
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
    project: Option<Remembering>,
    held: Held,
}

/// A project that remembers its last answer: the requests of one turn ask the same, and a source is pure.
struct Remembering {
    source: Arc<dyn ProjectSource>,
    last: Mutex<Option<Answer>>,
}

struct Answer {
    task: String,
    tokens: u64,
    withhold: Vec<String>,
    text: Result<ProjectText, String>,
}

impl Answer {
    fn is_for(&self, query: &ProjectQuery<'_>) -> bool {
        self.task == query.task && self.tokens == query.tokens && self.withhold == query.withhold
    }
}

impl ProjectSource for Remembering {
    fn quote(&self, query: &ProjectQuery<'_>) -> Result<ProjectText, String> {
        // An answer is stored whole or not at all, so one behind a poisoned lock is good.
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(answer) = last.as_ref().filter(|answer| answer.is_for(query)) {
            return answer.text.clone();
        }
        let text = self.source.quote(query);
        *last = Some(Answer {
            task: query.task.to_owned(),
            tokens: query.tokens,
            withhold: query.withhold.to_vec(),
            text: text.clone(),
        });
        text
    }
}

impl BuiltIn {
    /// An engine for one session. Without a project it quotes none.
    pub fn new(
        settings: Settings,
        counter: Arc<dyn TokenCounter>,
        project: Option<Arc<dyn ProjectSource>>,
    ) -> BuiltIn {
        let project = project.map(|source| Remembering { source, last: Mutex::new(None) });
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
            .as_ref()
            .filter(|_| self.settings.pack_tokens > 0)
            .map(|source| ProjectUse { source, withhold: &request.withhold, counter: &*self.counter });
        Ok(compose(&material, project.as_ref()))
    }
}

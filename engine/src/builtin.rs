//! The built-in engine.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::{Value, json};

use crate::contract::{Capability, ContextEngine, Description, EngineError, Outcome};
use crate::held::Held;
use crate::message::stable_json;
use crate::observed::Observed;
use crate::plan::compose::{HistorySource, HistoryUse, ProjectUse, compose};
use crate::plan::{
    Budget, FileOrder, Plan, PlanRequest, ProjectHits, ProjectQuery, ProjectSearch, ProjectSource,
    ProjectText,
};
use crate::recall::{Query, Quoting, Recalled};
use crate::retrieve::UsefulFile;
use crate::session::{Selection, SharedEntry};
use crate::store::SessionIndex;
use crate::tokens::TokenCounter;

/// Its name, in descriptions and configurations.
const NAME: &str = "built-in";

/// Settings of the built-in engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Limit of the project pack, tokens; 0 quotes nothing.
    pub pack_tokens: u64,
    /// Limit of excerpts of earlier entries that a plan doesn't show, tokens; 0 recalls nothing.
    pub recall_tokens: u64,
    /// Which order of files the pack goes by.
    pub order: FileOrder,
}

impl Settings {
    /// Limit of the pack where nothing else is said, tokens.
    pub const DEFAULT_PACK_TOKENS: u64 = 2_400;

    /// Least share of the request's own words (see [`crate::recall::Ranked::coverage`]) in an excerpt that holds nothing of it
    /// verbatim.
    const MIN_COVERAGE: f64 = 1.0 / 3.0;

    /// The engine under these settings, every setting named: equal exactly for equal engines, whichever of them were left
    /// to their defaults.
    pub fn configuration(&self) -> Value {
        json!({
            "engine": NAME,
            "config": {
                "pack_tokens": self.pack_tokens,
                "recall_tokens": self.recall_tokens,
                "ranker": self.order.name(),
            },
        })
    }

    /// [`Settings::configuration`] as canonical JSON: what an engine's digest is taken over and a certificate names.
    pub fn canonical_config(&self) -> String {
        stable_json(&self.configuration())
    }
}

impl Default for Settings {
    fn default() -> Self {
        Settings { pack_tokens: Settings::DEFAULT_PACK_TOKENS, recall_tokens: 0, order: FileOrder::default() }
    }
}

/// Plans within token limits, keeps groups whole, and quotes the project before the request being answered.
pub struct BuiltIn {
    settings: Settings,
    counter: Arc<dyn TokenCounter>,
    project: Option<Remembering>,
    held: Held,
    /// Made with the first entry, where anything is to be recalled.
    past: Option<SessionIndex>,
    observed: Observed,
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
    useful: Vec<UsefulFile>,
    order: FileOrder,
    text: Result<ProjectText, String>,
}

impl Answer {
    fn is_for(&self, query: &ProjectQuery<'_>) -> bool {
        self.task == query.task
            && self.tokens == query.tokens
            && self.withhold == query.withhold
            && self.useful == query.useful
            && self.order == query.order
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
            useful: query.useful.to_vec(),
            order: query.order,
            text: text.clone(),
        });
        text
    }

    fn search(&self, search: &ProjectSearch<'_>) -> Result<ProjectHits, String> {
        self.source.search(search)
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
        BuiltIn {
            settings,
            counter,
            project,
            held: Held::default(),
            past: None,
            observed: Observed::default(),
        }
    }

    fn project(&self, capability: Capability) -> Result<&Remembering, EngineError> {
        self.project.as_ref().ok_or_else(|| self.describe().without(capability))
    }
}

/// The entries before one request.
struct Past<'p> {
    index: &'p SessionIndex,
    held: &'p Held,
    selection: &'p Selection<'p>,
    counter: &'p dyn TokenCounter,
}

impl HistorySource for Past<'_> {
    fn recall(&self, task: &str, tokens: u64, shown: &[usize], beside: &str) -> Result<Recalled, String> {
        let scope = self.held.scope(self.selection, shown).with_text_beside(beside);
        let quoting = Quoting { min_coverage: Settings::MIN_COVERAGE, ..Quoting::tokens(tokens) };
        let recalled = self.index.recall(&Query::new(task), &scope, false, quoting, self.counter);
        recalled.map_err(|_| "entries can't be read".to_owned())
    }
}

impl ContextEngine for BuiltIn {
    fn describe(&self) -> Description {
        let mut offers = Vec::new();
        if self.project.is_some() {
            offers.extend([Capability::Search, Capability::Pack, Capability::Feedback]);
        }
        if self.settings.recall_tokens > 0 {
            offers.push(Capability::Recall);
        }
        Description::of(NAME, &offers)
    }

    fn ingest(&mut self, entries: &[SharedEntry]) -> Result<(), EngineError> {
        if self.settings.recall_tokens > 0 {
            if self.past.is_none() {
                self.past = Some(SessionIndex::in_memory()?);
            }
            // Entries taken in twice are known there too.
            if let Some(past) = &mut self.past {
                past.append(entries)?;
            }
        }
        self.held.ingest(entries, &*self.counter);
        Ok(())
    }

    fn plan(&mut self, request: &PlanRequest) -> Result<Plan, EngineError> {
        let budget = Budget::for_profile(&request.profile, self.settings.pack_tokens);
        let selection = self.held.select(&request.head)?;
        let fresh: Vec<OnceLock<Box<[u64]>>> = vec![OnceLock::new(); selection.messages.len()];
        let material =
            self.held.material(&selection, &fresh, budget, request.unrecorded_head_tokens, &*self.counter);
        let useful = self.observed.useful(self.held.time_ms(&request.head));
        let quotes = self.project.as_ref().filter(|_| self.settings.pack_tokens > 0);
        let project = quotes.map(|source| ProjectUse {
            source,
            withhold: &request.withhold,
            useful: &useful,
            order: self.settings.order,
            counter: &*self.counter,
        });
        let past = self.past.as_ref().map(|index| Past {
            index,
            held: &self.held,
            selection: &selection,
            counter: &*self.counter,
        });
        let history = past.as_ref().map(|past| HistoryUse {
            source: past,
            tokens: self.settings.recall_tokens,
            counter: &*self.counter,
        });
        Ok(compose(&material, project.as_ref(), history.as_ref()))
    }

    fn search(&mut self, text: &str, limit: usize) -> Result<ProjectHits, EngineError> {
        let search =
            ProjectSearch { text, limit, useful: &self.observed.useful(None), order: self.settings.order };
        self.project(Capability::Search)?.search(&search).map_err(EngineError::Project)
    }

    fn pack(&mut self, task: &str, tokens: u64, withhold: &[String]) -> Result<ProjectText, EngineError> {
        let useful = self.observed.useful(None);
        let query = ProjectQuery { task, tokens, withhold, useful: &useful, order: self.settings.order };
        self.project(Capability::Pack)?.quote(&query).map_err(EngineError::Project)
    }

    fn observe(&mut self, outcome: &Outcome) -> Result<(), EngineError> {
        self.project(Capability::Feedback)?;
        self.observed.take(outcome);
        Ok(())
    }
}

//! Packs of the engine as built: what it would put beside the prompt at the first request of a session.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use engine::contract::EngineError;
use engine::message::{Message, Role};
use engine::plan::{Manifest, ManifestKey, ModelProfile, PlanRequest, ProjectSource};
use engine::session::{Entry, EntryId, EntryKind};
use engine::tokens::{O200k, TokenCounter};

use crate::scenario::{FixtureProject, Scenario};
use crate::variant::{EngineKind, Variant};

use super::error::RecordError;
use super::pack::{PackMessage, PackSource};

/// Context window that the plan is made for, tokens: that of the recorded models or less.
const CONTEXT_WINDOW: u64 = 200_000;
/// Kept free for the reply, tokens.
const RESERVE: u64 = 8_192;

/// The engine over fixtures, each indexed once.
pub struct EnginePacks {
    key: ManifestKey,
    projects: RefCell<BTreeMap<String, FixtureProject>>,
}

impl EnginePacks {
    /// Packs whose manifests bear hashes keyed with `salt`.
    pub fn new(salt: &[u8]) -> Self {
        EnginePacks { key: ManifestKey::new(salt), projects: RefCell::new(BTreeMap::new()) }
    }

    fn project(&self, scenario: &Scenario) -> Result<Arc<dyn ProjectSource>, RecordError> {
        let mut projects = self.projects.borrow_mut();
        if let Some(project) = projects.get(&scenario.id) {
            return Ok(project.source(0));
        }
        let project = FixtureProject::open(scenario, Arc::new(O200k))
            .map_err(|failure| RecordError::Data(failure.to_string()))?;
        let source = project.source(0);
        projects.insert(scenario.id.clone(), project);
        Ok(source)
    }
}

impl PackSource for EnginePacks {
    fn pack(&self, scenario: &Scenario, variant: &Variant) -> Result<Option<PackMessage>, RecordError> {
        if variant.engine == EngineKind::PassThrough {
            return Ok(None);
        }
        let mut engine = variant.open_engine(Arc::new(O200k), self.project(scenario)?);
        let name = engine.describe().name;
        let head = EntryId("prompt".into());
        let prompt = Entry {
            id: head.clone(),
            parent: None,
            line: 1,
            bytes: 0..0,
            time_ms: None,
            kind: EntryKind::Message(Message::from_text(Role::User, scenario.prompt.trim())),
        };
        let request = PlanRequest {
            head,
            // The plan depends on the window only; the names are there for reports.
            profile: ModelProfile {
                provider: String::new(),
                model: String::new(),
                context_window: CONTEXT_WINDOW,
                reserve_output: RESERVE,
            },
            unrecorded_head_tokens: 0,
            withhold: variant.withheld(scenario),
        };
        let fault = |error: EngineError| RecordError::Data(format!("{}: {error}", scenario.id));
        engine.ingest(&[prompt.into()]).map_err(fault)?;
        let plan = engine.plan(&request).map_err(fault)?;
        let manifest = Manifest::of(&plan, name, O200k.id(), &self.key);
        let Some(supplement) = plan.supplement else { return Ok(None) };
        let manifest = serde_json::to_value(&manifest)
            .map_err(|error| RecordError::Data(format!("{}: manifest: {error}", scenario.id)))?;
        Ok(Some(PackMessage { text: supplement.text, manifest }))
    }
}

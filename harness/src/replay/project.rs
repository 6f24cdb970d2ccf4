//! A scenario's fixture as a project that engines can quote.
//!
//! A fixture is indexed once and shared by all sessions. Answers are remembered for each repeat apart: the sessions of a
//! scenario ask the same question many times, but every repeat retrieves anew.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use engine::plan::{ProjectQuery, ProjectSource, ProjectText};
use engine::project::{ExcludePolicy, Index};
use engine::retrieve::IndexedProject;
use engine::tokens::TokenCounter;

use crate::failure::Failure;

/// A fixture, indexed in memory.
pub struct FixtureProject {
    project: Arc<Remembering>,
}

/// Repeat, task, tokens, withheld paths.
type Question = (u32, String, u64, Vec<String>);
type Answer = Result<ProjectText, String>;

struct Remembering {
    indexed: IndexedProject,
    known: Mutex<BTreeMap<Question, Answer>>,
}

/// The project as one repeat sees it.
struct Repeat {
    repeat: u32,
    project: Arc<Remembering>,
}

impl FixtureProject {
    /// Indexes the files under `root` under the built-in exclude policy; nothing is written to disk.
    ///
    /// # Errors
    /// The folder can't be indexed.
    pub fn open(root: &Path, counter: Arc<dyn TokenCounter>) -> Result<FixtureProject, Failure> {
        let failed = |error: engine::project::ProjectError| {
            Failure::bad_data(format!("{}: index: {error}", root.display()))
        };
        let mut index = Index::in_memory(ExcludePolicy::built_in_only()).map_err(failed)?;
        index.refresh(root).map_err(failed)?;
        let indexed = IndexedProject::new(index, Box::new(Shared(counter)));
        Ok(FixtureProject { project: Arc::new(Remembering { indexed, known: Mutex::default() }) })
    }

    /// The project for one repeat of a replay.
    pub fn source(&self, repeat: u32) -> Arc<dyn ProjectSource> {
        Arc::new(Repeat { repeat, project: Arc::clone(&self.project) })
    }
}

impl ProjectSource for Repeat {
    fn quote(&self, query: &ProjectQuery<'_>) -> Answer {
        let question = (self.repeat, query.task.to_owned(), query.tokens, query.withhold.to_vec());
        // The lock is held while retrieving: others with the same question wait for the answer instead of asking too.
        let mut known = self.project.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(question).or_insert_with(|| self.project.indexed.quote(query)).clone()
    }
}

struct Shared(Arc<dyn TokenCounter>);

impl TokenCounter for Shared {
    fn id(&self) -> &'static str {
        self.0.id()
    }

    fn text(&self, text: &str) -> u64 {
        self.0.text(text)
    }
}

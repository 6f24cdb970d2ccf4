//! A scenario's fixture as a project that engines can quote.
//!
//! A fixture is indexed and its files are read once, for all sessions. Answers are remembered for each repeat apart, and so
//! are rankings: the sessions of a scenario ask the same question many times, and its variants differ in what they leave
//! out, but every repeat ranks and packs anew.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use engine::plan::{FileOrder, ProjectHits, ProjectQuery, ProjectSearch, ProjectSource, ProjectText};
use engine::project::{ExcludePolicy, Index};
use engine::retrieve::{IndexedProject, Orders};
use engine::tokens::TokenCounter;

use super::Scenario;
use crate::failure::Failure;

/// A fixture, indexed in memory.
pub struct FixtureProject {
    project: Arc<Remembering>,
}

/// Repeat, task, tokens, withheld paths, useful files with their age, order of files.
type Question = (u32, String, u64, Vec<String>, Vec<(String, u64)>, FileOrder);
type Answer = Result<ProjectText, String>;
type Ordered = Result<Arc<Orders>, String>;

struct Remembering {
    indexed: IndexedProject,
    /// The project as each repeat remembers it.
    repeats: Mutex<BTreeMap<u32, Arc<IndexedProject>>>,
    known: Mutex<BTreeMap<Question, Answer>>,
    orders: Mutex<BTreeMap<(String, FileOrder), Ordered>>,
}

/// The project as one repeat sees it.
struct Repeat {
    repeat: u32,
    indexed: Arc<IndexedProject>,
    project: Arc<Remembering>,
}

impl Remembering {
    fn repeat(&self, repeat: u32) -> Arc<IndexedProject> {
        let mut repeats = self.repeats.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(repeats.entry(repeat).or_insert_with(|| Arc::new(self.indexed.remembering())))
    }
}

impl FixtureProject {
    /// Indexes a scenario's fixture in memory. What the scenario protects is excluded, as an agent's own configuration
    /// would have the engine do: such a file is never quoted.
    ///
    /// # Errors
    /// The fixture can't be indexed.
    pub fn open(scenario: &Scenario, counter: Arc<dyn TokenCounter>) -> Result<FixtureProject, Failure> {
        FixtureProject::open_excluding(scenario, FixtureProject::policy(scenario)?, counter)
    }

    /// What is excluded from a scenario's fixture: the same for all scenarios that protect the same files.
    ///
    /// # Errors
    /// What is protected isn't a pattern.
    pub fn policy(scenario: &Scenario) -> Result<ExcludePolicy, Failure> {
        ExcludePolicy::with_patterns(scenario.protected.patterns())
            .map_err(|error| unindexed(scenario, &error))
    }

    /// [`FixtureProject::open`] with the scenario's [`FixtureProject::policy`] at hand: to build one costs more than to
    /// index a small fixture.
    ///
    /// # Errors
    /// The fixture can't be indexed.
    pub fn open_excluding(
        scenario: &Scenario,
        policy: ExcludePolicy,
        counter: Arc<dyn TokenCounter>,
    ) -> Result<FixtureProject, Failure> {
        let mut index = Index::in_memory(policy).map_err(|error| unindexed(scenario, &error))?;
        index.refresh(&scenario.fixture).map_err(|error| unindexed(scenario, &error))?;
        let indexed = IndexedProject::new(index, Box::new(Shared(counter)));
        Ok(FixtureProject {
            project: Arc::new(Remembering {
                indexed,
                repeats: Mutex::default(),
                known: Mutex::default(),
                orders: Mutex::default(),
            }),
        })
    }

    /// The static order of the files for a task beside another order of them, as the first repeat ranks them; each question
    /// is answered once.
    ///
    /// # Errors
    /// The index can't be read.
    pub fn orders(&self, task: &str, order: FileOrder) -> Result<Arc<Orders>, String> {
        let indexed = self.project.repeat(0);
        let mut known = self.project.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = known.entry((task.to_owned(), order));
        answer.or_insert_with(|| indexed.orders(task, order).map(Arc::new)).clone()
    }

    /// The project for one repeat of a replay.
    pub fn source(&self, repeat: u32) -> Arc<dyn ProjectSource> {
        let (indexed, project) = (self.project.repeat(repeat), Arc::clone(&self.project));
        Arc::new(Repeat { repeat, indexed, project })
    }
}

fn unindexed(scenario: &Scenario, error: &dyn std::fmt::Display) -> Failure {
    Failure::bad_data(format!("{}: index: {error}", scenario.fixture.display()))
}

impl ProjectSource for Repeat {
    fn quote(&self, query: &ProjectQuery<'_>) -> Answer {
        let useful = query.useful.iter().map(|file| (file.path.clone(), file.age_s)).collect();
        let (task, withhold) = (query.task.to_owned(), query.withhold.to_vec());
        let question = (self.repeat, task, query.tokens, withhold, useful, query.order);
        // The lock is held while retrieving: others with the same question wait for the answer instead of asking too.
        let mut known = self.project.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(question).or_insert_with(|| self.indexed.quote(query)).clone()
    }

    fn search(&self, search: &ProjectSearch<'_>) -> Result<ProjectHits, String> {
        self.indexed.search(search)
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

//! Fills the planner's port with an index.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::learn::seal::{SealError, Sealed};
use crate::learn::{Learned, Trial, shipped_on_trial};
use crate::plan::{
    FileOrder, ProjectHit, ProjectHits, ProjectItem, ProjectQuery, ProjectSearch, ProjectSource, ProjectText,
    Reason,
};
use crate::project::{FileView, Index, ProjectError};
use crate::tokens::TokenCounter;

use super::hints::{Hints, UsefulFile};
use super::memory::{Memory, RankedTask, Texts, quoted};
use super::pack::{Omitted, Pack, PackBudget, pack_ranked};
use super::reorder::{Ranker, Reorder, Reordered};
use super::search::{SearchHit, SearchResult, search_by};

/// An index as the planner sees it. The index must have been refreshed; it isn't refreshed here, so that one plan sees one
/// state of the files.
pub struct IndexedProject {
    index: Arc<Mutex<Index>>,
    counter: Arc<dyn TokenCounter>,
    hints: Arc<Hints>,
    learned: Arc<Learned>,
    /// None where files may change between two questions.
    memory: Option<Mutex<Memory>>,
    /// For those of this index that remember.
    texts: Arc<Mutex<Texts>>,
}

impl IndexedProject {
    /// Joins a refreshed index and the counter by which packs are measured.
    pub fn new(index: Index, counter: Box<dyn TokenCounter>) -> IndexedProject {
        IndexedProject {
            index: Arc::new(Mutex::new(index)),
            counter: counter.into(),
            hints: Arc::default(),
            learned: Arc::new(Learned::active(Err(SealError::NoCertificate))),
            memory: None,
            texts: Arc::default(),
        }
    }

    /// The same index, beginning to remember: for files that don't change while it lives, such as a fixture's. How a task
    /// ranks them is found once for all packs of it, and a file's text is read once. Each value that is made ranks for itself,
    /// so that what one has found is no answer of another; what was read of the files they share.
    #[must_use]
    pub fn remembering(&self) -> IndexedProject {
        let IndexedProject { index, counter, hints, learned, texts, .. } = self;
        IndexedProject {
            index: Arc::clone(index),
            counter: Arc::clone(counter),
            hints: Arc::clone(hints),
            learned: Arc::clone(learned),
            memory: Some(Mutex::default()),
            texts: Arc::clone(texts),
        }
    }

    /// The same with a sealed model for who asks for the learned order; or with the reason why there is none, which every
    /// answer then names.
    pub fn with_seal(self, sealed: Result<Sealed, SealError>) -> IndexedProject {
        IndexedProject { learned: Arc::new(Learned::active(sealed)), ..self }
    }

    /// The same with what the caller knows beside every task: working changes, files that were useful.
    pub fn with_hints(self, hints: Hints) -> IndexedProject {
        IndexedProject { hints: Arc::new(hints), ..self }
    }

    /// What the caller knows beside every task, and what was useful by the time of this one.
    fn hints(&self, useful: &[UsefulFile]) -> Cow<'_, Hints> {
        if useful.is_empty() {
            return Cow::Borrowed(&self.hints);
        }
        let mut hints = Hints::clone(&self.hints);
        hints.useful.extend_from_slice(useful);
        Cow::Owned(hints)
    }

    /// The ranker that an order stands for: one for whatever is asked of a project, so that a search and a pack agree.
    fn ranker(&self, order: FileOrder) -> Ranker<'_> {
        let reorder: Option<&dyn Reorder> = match order {
            FileOrder::Static => None,
            FileOrder::Learned => Some(&*self.learned),
            FileOrder::Trial(trial) => Some(shipped_on_trial(trial)),
        };
        Ranker { reorder, ..Ranker::default() }
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        // Reading leaves nothing half done: an index behind a poisoned lock is as good as before.
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn memory(&self) -> Option<MutexGuard<'_, Memory>> {
        // What is remembered is stored whole or not at all.
        self.memory.as_ref().map(|memory| memory.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn texts(&self) -> MutexGuard<'_, Texts> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The files ranked for a task, by memory where there is one.
    fn ranked(
        &self,
        index: &Index,
        memory: Option<&mut Memory>,
        (task, order): (&str, FileOrder),
        (useful, hints): (&[UsefulFile], &Hints),
    ) -> Result<Arc<RankedTask>, ProjectError> {
        let rank = || RankedTask::of(index, task, hints, &self.ranker(order));
        match memory {
            Some(memory) => memory.ranking(task, order, useful, rank),
            None => rank().map(Arc::new),
        }
    }
}

/// What two orders say of one task: paths of every file that has a score, best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orders {
    /// The static order.
    pub by_weights: Vec<String>,
    /// The order that was asked for.
    pub ordered: Vec<String>,
    /// What became of the second opinion; none where the static order was asked for.
    pub reordered: Option<Reordered>,
}

impl IndexedProject {
    /// The static order of the files for a task beside another order of them, by the ranker that a plan of this order would
    /// ask; what was useful to earlier tasks is no part of it.
    ///
    /// # Errors
    /// The index can't be read.
    pub fn orders(&self, task: &str, order: FileOrder) -> Result<Orders, String> {
        let index = self.index();
        let mut memory = self.memory();
        let mut ranked = |order: FileOrder| {
            let ranked = self.ranked(&index, memory.as_deref_mut(), (task, order), (&[], &self.hints))?;
            let view = index.view()?;
            let paths = ranked.ranking.files.iter().map(|ranked| view.files[ranked.file].path.clone());
            Ok::<_, ProjectError>((paths.collect::<Vec<_>>(), ranked.reordered))
        };
        let mut both = || {
            let (by_weights, reordered) = ranked(FileOrder::Static)?;
            Ok::<_, ProjectError>(match order {
                FileOrder::Static => Orders { ordered: by_weights.clone(), by_weights, reordered },
                other => {
                    let (ordered, reordered) = ranked(other)?;
                    Orders { by_weights, ordered, reordered }
                }
            })
        };
        // The message may hold a path of this machine: what is printed must not.
        both().map_err(|_| "index can't be read".to_owned())
    }
}

impl ProjectSource for IndexedProject {
    fn quote(&self, query: &ProjectQuery<'_>) -> Result<ProjectText, String> {
        let index = self.index();
        let mut memory = self.memory();
        let ProjectQuery { task, tokens, withhold, useful, order } = *query;
        let hints = self.hints(useful);
        let ranked = self.ranked(&index, memory.as_deref_mut(), (task, order), (useful, &hints));
        let packed = ranked.and_then(|ranked| {
            let mut read = |file: &FileView| match &memory {
                Some(_) => self.texts().quoted(&index, file),
                None => quoted(&index, file),
            };
            let budget = PackBudget::tokens(tokens);
            pack_ranked(&index, &ranked, &hints, &mut read, budget, withhold, &*self.counter)
        });
        // The message may hold a path of this machine: the plan's diagnostics must not.
        packed.map(|pack| text_of(pack, order)).map_err(|_| "index can't be read".to_owned())
    }

    fn search(&self, search: &ProjectSearch<'_>) -> Result<ProjectHits, String> {
        let index = self.index();
        search_by(&index, search.text, &self.hints(search.useful), &self.ranker(search.order), search.limit)
            .map(hits_of)
            .map_err(|_| "index can't be read".to_owned())
    }
}

fn hits_of(found: SearchResult) -> ProjectHits {
    let hit = |hit: SearchHit| ProjectHit {
        path: hit.path,
        score: hit.score,
        reasons: hit.reasons.iter().map(|reason| reason.code()).collect(),
    };
    ProjectHits { hits: found.hits.into_iter().map(hit).collect(), confidence: found.confidence }
}

fn text_of(pack: Pack, order: FileOrder) -> ProjectText {
    let items = pack.snippets.into_iter().map(|s| ProjectItem {
        path: s.path,
        start_line: s.start_line,
        end_line: s.end_line,
        tokens: s.tokens,
    });
    let dropped = pack
        .omitted
        .into_iter()
        .filter(|(_, why)| *why == Omitted::Withheld)
        .map(|(path, _)| (ProjectItem { path, start_line: 0, end_line: 0, tokens: 0 }, Reason::Withheld));
    let on_trial = matches!(order, FileOrder::Trial(_)).then(|| Trial::NOTE.to_owned());
    let fallback = pack.fallback.map(|code| format!("static order kept: {code}"));
    ProjectText {
        text: pack.text,
        items: items.collect(),
        dropped: dropped.collect(),
        confidence: pack.confidence,
        notes: on_trial.into_iter().chain(fallback).collect(),
    }
}

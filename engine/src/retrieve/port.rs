//! Fills the planner's port with an index.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};

use crate::learn::seal::{SealError, Sealed};
use crate::learn::{Learned, Trial, shipped_on_trial};
use crate::plan::{
    FileOrder, ProjectHit, ProjectHits, ProjectItem, ProjectQuery, ProjectSearch, ProjectSource, ProjectText,
    Reason,
};
use crate::project::{Index, ProjectError};
use crate::tokens::TokenCounter;

use super::hints::{Hints, UsefulFile};
use super::pack::{Omitted, Pack, PackBudget, pack_by};
use super::reorder::{Ranker, Reorder, Reordered};
use super::search::{SearchHit, SearchResult, rank_task_with, search_by};
use super::task::Task;

/// An index as the planner sees it. The index must have been refreshed; it isn't refreshed here, so that one plan sees one
/// state of the files.
pub struct IndexedProject {
    index: Mutex<Index>,
    counter: Box<dyn TokenCounter>,
    hints: Hints,
    learned: Learned,
}

impl IndexedProject {
    /// Joins a refreshed index and the counter by which packs are measured.
    pub fn new(index: Index, counter: Box<dyn TokenCounter>) -> IndexedProject {
        let learned = Learned::active(Err(SealError::NoCertificate));
        IndexedProject { index: Mutex::new(index), counter, hints: Hints::default(), learned }
    }

    /// The same with a sealed model for who asks for the learned order; or with the reason why there is none, which every
    /// answer then names.
    pub fn with_seal(self, sealed: Result<Sealed, SealError>) -> IndexedProject {
        IndexedProject { learned: Learned::active(sealed), ..self }
    }

    /// The same with what the caller knows beside every task: working changes, files that were useful.
    pub fn with_hints(self, hints: Hints) -> IndexedProject {
        IndexedProject { hints, ..self }
    }

    /// What the caller knows beside every task, and what was useful by the time of this one.
    fn hints(&self, useful: &[UsefulFile]) -> Cow<'_, Hints> {
        if useful.is_empty() {
            return Cow::Borrowed(&self.hints);
        }
        let mut hints = self.hints.clone();
        hints.useful.extend_from_slice(useful);
        Cow::Owned(hints)
    }

    /// The ranker that an order stands for: one for whatever is asked of a project, so that a search and a pack agree.
    fn ranker(&self, order: FileOrder) -> Ranker<'_> {
        let reorder: Option<&dyn Reorder> = match order {
            FileOrder::Static => None,
            FileOrder::Learned => Some(&self.learned),
            FileOrder::Trial(trial) => Some(shipped_on_trial(trial)),
        };
        Ranker { reorder, ..Ranker::default() }
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
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let task = Task::new(task);
        let ranked = |order: FileOrder| {
            let (ranking, reordered) = rank_task_with(&index, &task, &self.hints, &self.ranker(order))?;
            let view = index.view()?;
            let paths = ranking.files.iter().map(|ranked| view.files[ranked.file].path.clone());
            Ok::<_, ProjectError>((paths.collect::<Vec<_>>(), reordered))
        };
        let both = || Ok::<_, ProjectError>((ranked(FileOrder::Static)?, ranked(order)?));
        // The message may hold a path of this machine: what is printed must not.
        let ((by_weights, _), (ordered, reordered)) = both().map_err(|_| "index can't be read".to_owned())?;
        Ok(Orders { by_weights, ordered, reordered })
    }
}

impl ProjectSource for IndexedProject {
    fn quote(&self, query: &ProjectQuery<'_>) -> Result<ProjectText, String> {
        // Reading leaves nothing half done: an index behind a poisoned lock is as good as before.
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let budget = PackBudget::tokens(query.tokens);
        let packed = pack_by(
            &index,
            query.task,
            &self.hints(query.useful),
            &self.ranker(query.order),
            budget,
            query.withhold,
            self.counter.as_ref(),
        );
        // The message may hold a path of this machine: the plan's diagnostics must not.
        packed.map(|pack| text_of(pack, query.order)).map_err(|_| "index can't be read".to_owned())
    }

    fn search(&self, search: &ProjectSearch<'_>) -> Result<ProjectHits, String> {
        let index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
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

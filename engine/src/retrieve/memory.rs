//! What retrieval may keep between questions over files that don't change: rankings of the last tasks, and texts of files.
//!
//! Each answer is what it would be without: a ranking follows from the index, the task, the hints and the ranker, a file's
//! text from the file.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::plan::FileOrder;
use crate::privacy::mask_secrets;
use crate::project::{FileView, Index, ProjectError, Quotable};

use super::hints::{Hints, UsefulFile};
use super::pack::Omitted;
use super::rank::Ranking;
use super::reorder::{Ranker, Reordered};
use super::search::rank_task_with;
use super::task::Task;

/// Rankings that are kept: the variants of one session ask about few tasks in turn, and two sessions may do so at once.
const RANKINGS: usize = 8;

/// Bytes of texts that are kept.
const TEXT_BYTES: usize = 4 << 20;

/// A task with the files of an index ranked for it.
#[derive(Debug)]
pub(super) struct RankedTask {
    pub(super) task: Task,
    pub(super) ranking: Ranking,
    /// What became of the ranker's second opinion, if it has one.
    pub(super) reordered: Option<Reordered>,
}

impl RankedTask {
    /// # Errors
    /// Where the index can't be read.
    pub(super) fn of(
        index: &Index,
        task: &str,
        hints: &Hints,
        ranker: &Ranker<'_>,
    ) -> Result<RankedTask, ProjectError> {
        let task = Task::new(task);
        let (ranking, reordered) = rank_task_with(index, &task, hints, ranker)?;
        Ok(RankedTask { task, ranking, reordered })
    }
}

/// The text of a file as it may be quoted, or why it may not.
pub(super) type Quoted = Result<Arc<str>, Omitted>;

/// Reads an indexed file, with secrets masked. Line breaks are kept, so the definitions' line numbers stay true.
pub(super) fn quoted(index: &Index, file: &FileView) -> Quoted {
    match index.quote(file) {
        Quotable::Text(text) => Ok(mask_secrets(&text).text.into()),
        Quotable::Changed => Err(Omitted::Changed),
        Quotable::Unreadable => Err(Omitted::Unreadable),
    }
}

/// What a ranking was asked for beside the index.
#[derive(Debug, PartialEq)]
struct Question {
    task: String,
    order: FileOrder,
    useful: Vec<UsefulFile>,
}

/// Rankings that were made before.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// The newest last.
    rankings: VecDeque<(Question, Arc<RankedTask>)>,
}

/// Texts of files that were read before.
#[derive(Debug, Default)]
pub(super) struct Texts {
    known: HashMap<String, Quoted>,
    bytes: usize,
}

impl Memory {
    /// The ranking for a task, made by `rank` unless it is known.
    ///
    /// # Errors
    /// As `rank`.
    pub(super) fn ranking<E>(
        &mut self,
        task: &str,
        order: FileOrder,
        useful: &[UsefulFile],
        rank: impl FnOnce() -> Result<RankedTask, E>,
    ) -> Result<Arc<RankedTask>, E> {
        let is_it = |(question, _): &&(Question, Arc<RankedTask>)| {
            question.task == task && question.order == order && question.useful == useful
        };
        if let Some((_, ranked)) = self.rankings.iter().rev().find(is_it) {
            return Ok(Arc::clone(ranked));
        }
        let ranked = Arc::new(rank()?);
        if self.rankings.len() == RANKINGS {
            self.rankings.pop_front();
        }
        let question = Question { task: task.to_owned(), order, useful: useful.to_vec() };
        self.rankings.push_back((question, Arc::clone(&ranked)));
        Ok(ranked)
    }
}

impl Texts {
    /// The text of a file; read where it isn't known.
    pub(super) fn quoted(&mut self, index: &Index, file: &FileView) -> Quoted {
        if let Some(known) = self.known.get(&file.path) {
            return known.clone();
        }
        let quoted = quoted(index, file);
        let bytes = quoted.as_ref().map_or(0, |text| text.len());
        if self.bytes + bytes <= TEXT_BYTES {
            self.bytes += bytes;
            self.known.insert(file.path.clone(), quoted.clone());
        }
        quoted
    }
}

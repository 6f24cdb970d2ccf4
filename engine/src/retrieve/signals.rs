//! The table that a ranking is made from: one column a source, one row a file, before anything is weighed.

use crate::project::position;

use super::cochange::co_change;
use super::constants::CONSTANTS;
use super::corpus::Query;
use super::embedding::semantic;
use super::fuse::descending;
use super::hints::{feedback, working_change};
use super::lexical::{self, CHUNK, FILE};
use super::past::past;
use super::rank::{Source, Weights, scores};
use super::signal;
use super::task::Task;
use super::walk::graph_walk;

/// A source of scores. The order is the order in which columns are summed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Column {
    /// Definitions named by the task.
    ExactSymbol,
    /// Definitions whose name's parts the task names.
    PartialSymbol,
    /// The file's name.
    FileName,
    /// The task's area.
    Area,
    /// Words of the whole file, by field.
    Lexical,
    /// Words of the best chunk.
    Chunk,
    /// Past commits in the words of the task.
    History,
    /// What a file that the task runs imports.
    RunImport,
    /// A path in the task, 0 to 1.
    ExplicitPath,
    /// A path that a command of the task runs, 0 to 1.
    RunTarget,
    /// Files changed in the work tree.
    WorkingChange,
    /// Files that earlier tasks found useful.
    Feedback,
    /// Files that changed together with the head of the ranking.
    CoChange,
    /// Files that a walk over imports reaches from the head of the ranking.
    GraphWalk,
}

impl Column {
    /// Every column, in order.
    pub const ALL: [Column; 14] = [
        Column::ExactSymbol,
        Column::PartialSymbol,
        Column::FileName,
        Column::Area,
        Column::Lexical,
        Column::Chunk,
        Column::History,
        Column::RunImport,
        Column::ExplicitPath,
        Column::RunTarget,
        Column::WorkingChange,
        Column::Feedback,
        Column::CoChange,
        Column::GraphWalk,
    ];

    /// The stable name, in features and reports.
    pub fn name(self) -> &'static str {
        match self {
            Column::RunImport => "run-import",
            other => other.source().code(),
        }
    }

    /// The reason that a score in the column is.
    pub fn source(self) -> Source {
        match self {
            Column::ExactSymbol => Source::ExactSymbol,
            Column::PartialSymbol => Source::PartialSymbol,
            Column::FileName => Source::FileName,
            Column::Area => Source::Area,
            Column::Lexical => Source::Lexical,
            Column::Chunk => Source::Chunk,
            Column::History => Source::History,
            Column::RunImport => Source::TestRelation,
            Column::ExplicitPath => Source::ExplicitPath,
            Column::RunTarget => Source::RunTarget,
            Column::WorkingChange => Source::WorkingChange,
            Column::Feedback => Source::Feedback,
            Column::CoChange => Source::CoChange,
            Column::GraphWalk => Source::GraphWalk,
        }
    }
}

/// Which sources are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Every one: what a model is trained on, or reads.
    Every,
    /// All but a walk over imports whose weight is 0: it costs the most of those that start from the head.
    Weighed,
}

/// Scores of every source for every file of a view. A score is never negative; 0 means that the source is silent.
#[derive(Debug, Clone, PartialEq)]
pub struct Signals {
    columns: [Vec<f64>; Column::ALL.len()],
    /// What embeddings say and what it counts, where the caller asked them. It stands apart: nothing is learnt from it, and
    /// without a provider it isn't there.
    pub semantic: Option<(f64, Vec<f64>)>,
    /// Score of every chunk, in the order of [`View::chunks`](crate::project::View::chunks).
    pub chunk_scores: Vec<f64>,
}

impl Signals {
    /// Asks every source. Pure: the same query gives the same table.
    pub fn of(query: &Query<'_>, task: &Task) -> Signals {
        Signals::seeded(query, task, &Weights::default(), Asked::Every)
    }

    /// Asks the sources; those that start from the head of a ranking start from that of the others under `weights`. One
    /// that isn't asked is silent.
    pub fn seeded(query: &Query<'_>, task: &Task, weights: &Weights, asked: Asked) -> Signals {
        let view = query.view;
        let chunk_scores = lexical::score_chunks(query, &CHUNK);
        let run_target = signal::run_target(view, task);
        let columns = Column::ALL.map(|column| match column {
            Column::ExactSymbol => signal::exact_symbol(view, task),
            Column::PartialSymbol => signal::partial_symbol(query),
            Column::FileName => signal::file_name(query),
            Column::Area => signal::area(view, task),
            Column::Lexical => lexical::score_files(query, &FILE),
            Column::Chunk => lexical::best_chunk(query, &chunk_scores),
            Column::History => past(view.files.len(), &view.commits, &query.past),
            Column::RunImport => signal::run_imports(view, &run_target),
            Column::ExplicitPath => signal::explicit_path(view, task),
            Column::RunTarget => run_target.clone(),
            Column::WorkingChange => working_change(view, query.hints),
            Column::Feedback => feedback(view, query.hints),
            Column::CoChange | Column::GraphWalk => vec![0.0; view.files.len()],
        });
        let mut signals =
            Signals { columns, semantic: semantic(view, query.hints.semantic.as_ref()), chunk_scores };
        let head = head(&scores(view, task, &signals, weights));
        signals.columns[Column::CoChange as usize] = co_change(view, &head);
        if asked == Asked::Every || weights.graph_walk != 0.0 {
            signals.columns[Column::GraphWalk as usize] = graph_walk(view, &head);
        }
        signals
    }

    /// One source's score of every file, in the order of [`View::files`](crate::project::View::files).
    pub fn column(&self, column: Column) -> &[f64] {
        &self.columns[column as usize]
    }
}

/// The best files with their share of the best one's score.
fn head(scores: &[f64]) -> Vec<(u32, f64)> {
    let mut files: Vec<usize> = (0..scores.len()).filter(|&file| scores[file] > 0.0).collect();
    files.sort_by(|&a, &b| descending(scores[a], scores[b]).then(a.cmp(&b)));
    files.truncate(CONSTANTS.following.head);
    let top = files.first().map_or(1.0, |&file| scores[file]);
    files.into_iter().map(|file| (position(file), (scores[file] / top).powi(2))).collect()
}

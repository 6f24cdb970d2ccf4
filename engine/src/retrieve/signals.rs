//! The table that a ranking is made from: one column a source, one row a file, before anything is weighed.

use super::corpus::Query;
use super::lexical::{self, CHUNK, FILE};
use super::past::past;
use super::rank::Source;
use super::signal;
use super::task::Task;

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
}

impl Column {
    /// Every column, in order.
    pub const ALL: [Column; 10] = [
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
        }
    }
}

/// Scores of every source for every file of a view. A score is never negative; 0 means that the source is silent.
#[derive(Debug, Clone, PartialEq)]
pub struct Signals {
    columns: [Vec<f64>; Column::ALL.len()],
    /// Score of every chunk, in the order of [`View::chunks`](crate::project::View::chunks).
    pub chunk_scores: Vec<f64>,
}

impl Signals {
    /// Asks every source. Pure: the same query gives the same table.
    pub fn of(query: &Query<'_>, task: &Task) -> Signals {
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
        });
        Signals { columns, chunk_scores }
    }

    /// One source's score of every file, in the order of [`View::files`](crate::project::View::files).
    pub fn column(&self, column: Column) -> &[f64] {
        &self.columns[column as usize]
    }
}

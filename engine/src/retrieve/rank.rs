//! From a task to a ranked list of files, each with the reasons that put it there. Pure: the same view, task and
//! occurrences give the same list.

use crate::plan::Confidence;
use crate::project::{Role, View};

use super::confidence::confidence;
use super::constants::CONSTANTS;
use super::corpus::Query;
use super::fuse::{Fusion, descending, fuse};
use super::signals::{Asked, Column, Signals};
use super::task::Task;

/// How much each source counts, and how they are joined.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// How lists are joined.
    pub fusion: Fusion,
    /// Words of the whole file, by field.
    pub lexical: f64,
    /// Words of the best chunk.
    pub chunk: f64,
    /// Definitions named by the task.
    pub exact_symbol: f64,
    /// Definitions whose name's parts the task names.
    pub partial_symbol: f64,
    /// The file's name.
    pub file_name: f64,
    /// The task's area.
    pub area: f64,
    /// Past commits in the words of the task.
    pub history: f64,
    /// A path in the task; enough to lead alone.
    pub explicit_path: f64,
    /// A file that a command of the task runs.
    pub run_target: f64,
    /// What such a file imports.
    pub run_import: f64,
    /// A file changed in the work tree.
    pub working_change: f64,
    /// What earlier tasks found useful.
    pub feedback: f64,
    /// What changed together with the head of the ranking.
    pub co_change: f64,
    /// What a walk over imports reaches from the head of the ranking; 0 by default: measured, it adds nothing to the others.
    pub graph_walk: f64,
    /// Share of a file's score that its test or tested partner gets.
    pub partner: f64,
    /// Factor on tests where the task doesn't speak of them.
    pub test: f64,
    /// Factor on documents and data where the task doesn't speak of them.
    pub document: f64,
    /// Factor on generated files.
    pub generated: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Weights {
            fusion: Fusion::NormalisedSum,
            lexical: 1.0,
            chunk: 0.35,
            exact_symbol: 0.15,
            partial_symbol: 0.1,
            file_name: 0.25,
            area: 0.25,
            history: 0.7,
            explicit_path: 2.0,
            run_target: 0.7,
            run_import: 0.35,
            working_change: 0.4,
            feedback: 0.2,
            co_change: 0.1,
            graph_walk: 0.0,
            partner: 0.15,
            test: 0.9,
            document: 0.4,
            generated: 0.5,
        }
    }
}

impl Weights {
    /// The reciprocal-rank baseline: paths, words, definitions, working changes, feedback and a walk over imports, joined by
    /// ranks with k = 60 and weighed as the engine that this one replaces weighed them.
    pub fn reciprocal_rank_baseline() -> Weights {
        Weights {
            fusion: Fusion::ReciprocalRank { k: 60.0 },
            lexical: 1.5,
            chunk: 0.0,
            exact_symbol: 2.2,
            partial_symbol: 0.0,
            file_name: 0.0,
            area: 0.0,
            history: 0.0,
            explicit_path: 3.0,
            run_target: 0.0,
            run_import: 0.0,
            working_change: 0.8,
            feedback: 0.45,
            co_change: 0.0,
            graph_walk: 1.0,
            partner: 0.0,
            test: 1.0,
            document: 1.0,
            generated: 1.0,
        }
    }
}

/// Why a file ranks where it does: the sources that speak for it. The order is the order in reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// A path in the task names it.
    ExplicitPath,
    /// It defines something the task names.
    ExactSymbol,
    /// The parts of a definition's name occur in the task.
    PartialSymbol,
    /// Its name's parts occur in the task.
    FileName,
    /// It lies in the area the task names.
    Area,
    /// Words of the task occur in it.
    Lexical,
    /// Words of the task occur close together in it.
    Chunk,
    /// Past commits in the words of the task touched it.
    History,
    /// It changed together with files that rank well.
    CoChange,
    /// Imports lead to it from files that rank well.
    GraphWalk,
    /// It is changed in the work tree.
    WorkingChange,
    /// Earlier tasks found it useful.
    Feedback,
    /// A command of the task runs it.
    RunTarget,
    /// It tests, or is tested by, a file that ranks well, or a test that the task runs imports it.
    TestRelation,
    /// Embeddings find it similar to the task.
    Embedding,
}

impl Source {
    /// The stable name in reports.
    pub fn code(self) -> &'static str {
        match self {
            Source::ExplicitPath => "explicit-path",
            Source::ExactSymbol => "exact-symbol",
            Source::PartialSymbol => "partial-symbol",
            Source::FileName => "file-name",
            Source::Area => "area",
            Source::Lexical => "lexical",
            Source::Chunk => "chunk",
            Source::History => "history",
            Source::CoChange => "co-change",
            Source::GraphWalk => "graph-walk",
            Source::WorkingChange => "working-change",
            Source::Feedback => "feedback",
            Source::RunTarget => "run-target",
            Source::TestRelation => "test-relation",
            Source::Embedding => "embedding",
        }
    }
}

/// One file of the ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranked {
    /// Position in [`View::files`].
    pub file: usize,
    /// Fused score, comparable within one ranking only.
    pub score: f64,
    /// The part of the score that doesn't come from the file being named by its path.
    pub base: f64,
    /// How well it answers to a path in the task, 0 to 1.
    pub explicit: f64,
    /// Sources that speak for it, in the order of [`Source`].
    pub reasons: Vec<Source>,
}

/// A whole ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// Files with a positive score: higher first, equal ones by path.
    pub files: Vec<Ranked>,
    /// How far the head of the list can be trusted.
    pub confidence: Confidence,
    /// Score of every chunk, in the order of [`View::chunks`].
    pub chunk_scores: Vec<f64>,
}

/// Columns that are joined by the fusion; those of paths are added as they are.
const JOINED: [Column; 12] = [
    Column::ExactSymbol,
    Column::PartialSymbol,
    Column::FileName,
    Column::Area,
    Column::Lexical,
    Column::Chunk,
    Column::History,
    Column::RunImport,
    Column::WorkingChange,
    Column::Feedback,
    Column::CoChange,
    Column::GraphWalk,
];

impl Weights {
    /// The weight of a column for a task.
    pub fn of(&self, column: Column, task: &Task) -> f64 {
        match column {
            // One word is the name of something more often than a task.
            Column::ExactSymbol if task.plain_words.len() == 1 => self.exact_symbol * CONSTANTS.name_query,
            Column::ExactSymbol => self.exact_symbol,
            Column::PartialSymbol => self.partial_symbol,
            Column::FileName => self.file_name,
            Column::Area => self.area,
            Column::Lexical => self.lexical,
            Column::Chunk => self.chunk,
            Column::History => self.history,
            Column::RunImport => self.run_import,
            Column::WorkingChange => self.working_change,
            Column::Feedback => self.feedback,
            Column::CoChange => self.co_change,
            Column::GraphWalk => self.graph_walk,
            Column::ExplicitPath => self.explicit_path,
            Column::RunTarget => self.run_target,
        }
    }
}

/// Ranks every file of the view.
pub fn rank(query: &Query<'_>, task: &Task, weights: &Weights) -> Ranking {
    rank_signals(query, task, &Signals::seeded(query, task, weights, Asked::Weighed), weights)
}

/// Ranks every file of the view by a table of its sources.
pub fn rank_signals(query: &Query<'_>, task: &Task, signals: &Signals, weights: &Weights) -> Ranking {
    let view = query.view;
    let (mut base, named) = (base(view, task, signals, weights), named(signals, weights));
    let related = share_with_partners(view, &mut base, weights.partner);
    let explicit = signals.column(Column::ExplicitPath);
    let run_target = signals.column(Column::RunTarget);
    let mut files: Vec<Ranked> = (0..base.len())
        .map(|file| {
            let mut reasons: Vec<Source> = JOINED
                .iter()
                .filter(|&&column| weights.of(column, task) > 0.0 && signals.column(column)[file] > 0.0)
                .map(|column| column.source())
                .collect();
            reasons.extend((explicit[file] > 0.0).then_some(Source::ExplicitPath));
            reasons.extend((run_target[file] > 0.0).then_some(Source::RunTarget));
            reasons.extend(related[file].then_some(Source::TestRelation));
            let similar = signals.semantic.as_ref().is_some_and(|(_, column)| column[file] > 0.0);
            reasons.extend(similar.then_some(Source::Embedding));
            reasons.sort();
            reasons.dedup();
            Ranked {
                file,
                score: base[file] + named[file],
                base: base[file],
                explicit: explicit[file],
                reasons,
            }
        })
        .filter(|ranked| ranked.score > 0.0)
        .collect();
    // Positions are in path order.
    files.sort_by(|a, b| descending(a.score, b.score).then(a.file.cmp(&b.file)));
    let confidence = confidence(query, files.first(), &files, signals);
    Ranking { files, confidence, chunk_scores: signals.chunk_scores.clone() }
}

/// Scores before partners have shared theirs.
pub(super) fn scores(view: &View, task: &Task, signals: &Signals, weights: &Weights) -> Vec<f64> {
    let (base, named) = (base(view, task, signals, weights), named(signals, weights));
    base.iter().zip(named).map(|(base, named)| base + named).collect()
}

/// The joined columns, by the role of each file.
fn base(view: &View, task: &Task, signals: &Signals, weights: &Weights) -> Vec<f64> {
    let mut joined: Vec<(f64, &[f64])> =
        JOINED.iter().map(|&column| (weights.of(column, task), signals.column(column))).collect();
    joined.extend(signals.semantic.as_ref().map(|(weight, column)| (*weight, column.as_slice())));
    let mut base = fuse(weights.fusion, &joined);
    for (score, file) in base.iter_mut().zip(&view.files) {
        *score *= role_factor(file.role, task, weights);
    }
    base
}

/// What paths in the task add.
fn named(signals: &Signals, weights: &Weights) -> Vec<f64> {
    let explicit = signals.column(Column::ExplicitPath).iter();
    let run = signals.column(Column::RunTarget);
    explicit.zip(run).map(|(path, run)| weights.explicit_path * path + weights.run_target * run).collect()
}

fn role_factor(role: Role, task: &Task, weights: &Weights) -> f64 {
    match role {
        Role::Test if !task.about_tests => weights.test,
        Role::Document if !task.about_documents => weights.document,
        Role::Data => weights.document,
        Role::Generated => weights.generated,
        Role::Source | Role::Test | Role::Document => 1.0,
    }
}

/// Gives each file a share of its best partner's own score. Tells which files got one.
fn share_with_partners(view: &View, scores: &mut [f64], share: f64) -> Vec<bool> {
    let own = scores.to_vec();
    let mut related = vec![false; own.len()];
    for (file, partners) in view.test_pairs().iter().enumerate() {
        let best = partners.iter().map(|&p| own[p as usize]).fold(0.0, f64::max);
        if best > 0.0 && share > 0.0 {
            scores[file] += share * best;
            related[file] = true;
        }
    }
    related
}

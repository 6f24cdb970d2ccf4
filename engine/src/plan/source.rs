//! Where quoted project files come from: a port, so that the planner stays a pure function and tests need no index.

use super::Reason;
use crate::learn::{Direction, Trial};
use crate::retrieve::UsefulFile;

/// Which order of files a project goes by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileOrder {
    /// Weighted sources.
    #[default]
    Static,
    /// The same, with its head re-ordered by a sealed model; where there is none, the static order and why.
    Learned,
    /// The same, with its head re-ordered by the shipped model, sealed or not: for evidence only.
    Trial(Trial),
}

impl FileOrder {
    /// The name in configurations. A trial bears the name of the order that it is evidence about.
    pub fn name(self) -> &'static str {
        match self {
            FileOrder::Static => "static",
            FileOrder::Learned => "learned",
            FileOrder::Trial(trial) => match trial.direction() {
                Direction::Forward => "learned",
                Direction::Reversed => "learned-reversed",
            },
        }
    }
}

/// What the planner asks a project for.
#[derive(Debug, Clone, Copy)]
pub struct ProjectQuery<'a> {
    /// The request being answered, as the person wrote it.
    pub task: &'a str,
    /// Tokens that the whole text may take.
    pub tokens: u64,
    /// Paths never to be quoted, relative to the root.
    pub withhold: &'a [String],
    /// Files that earlier tasks found useful.
    pub useful: &'a [UsefulFile],
    /// Which order of files it goes by.
    pub order: FileOrder,
}

/// What a project is searched for.
#[derive(Debug, Clone, Copy)]
pub struct ProjectSearch<'a> {
    /// A task, an identifier, a path.
    pub text: &'a str,
    /// Most files.
    pub limit: usize,
    /// Files that earlier tasks found useful.
    pub useful: &'a [UsefulFile],
    /// Which order of files it goes by.
    pub order: FileOrder,
}

/// How much a source trusts its own ranking.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Confidence {
    /// Nothing was found.
    None,
    /// Weak or scattered evidence.
    Low,
    /// Some evidence.
    Medium,
    /// Strong evidence.
    High,
}

impl Confidence {
    /// The word used in reports.
    pub fn name(self) -> &'static str {
        match self {
            Confidence::None => "none",
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }
}

/// A range of a project file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectItem {
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Cost of the range, tokens.
    pub tokens: u64,
}

/// Source text for one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectText {
    /// The text as the model will read it; empty where nothing was found.
    pub text: String,
    /// What it quotes, in the order of the text.
    pub items: Vec<ProjectItem>,
    /// What was considered and left out, and why, sorted by path.
    pub dropped: Vec<(ProjectItem, Reason)>,
    /// How much the ranking is to be trusted.
    pub confidence: Confidence,
    /// What the plan should report about the ranking, without content: why another order than the one asked for was used.
    pub notes: Vec<String>,
}

/// A file that a project ranks for a text.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectHit {
    /// Path relative to the root.
    pub path: String,
    /// Score, comparable within one answer only.
    pub score: f64,
    /// Codes of what speaks for the file.
    pub reasons: Vec<&'static str>,
}

/// The files that a project ranks for a text.
#[derive(Debug, Clone, PartialEq)]
pub struct ProjectHits {
    /// Files, best first, equal ones by path.
    pub hits: Vec<ProjectHit>,
    /// How much the ranking is to be trusted.
    pub confidence: Confidence,
}

/// A project that can quote itself and rank its files. Pure: the same question to the same project has the same answer.
pub trait ProjectSource: Send + Sync {
    /// Quotes what the task needs, within `query.tokens`.
    ///
    /// # Errors
    /// A content-free phrase saying what failed; the plan goes on without the project and reports it.
    fn quote(&self, query: &ProjectQuery<'_>) -> Result<ProjectText, String>;

    /// The first files for a text; the limit cuts and never changes the order.
    ///
    /// # Errors
    /// A content-free phrase saying what failed.
    fn search(&self, search: &ProjectSearch<'_>) -> Result<ProjectHits, String>;
}

//! The pack: regions of the best files, quoted within a token budget.
//!
//! Files are cut into segments along their definitions, segments are scored by the task's words, and the most valuable ones
//! are taken until the budget is spent. Behind them stands a map: the files that rank next, with the definitions that the
//! task's words name. The limit holds for the whole rendered text, by the counter that is used.

mod map;
mod render;
mod segment;
mod select;

use crate::plan::Confidence;
use crate::project::{FileView, Index, ProjectError, Role, View};
use crate::tokens::TokenCounter;

use super::embedding::{EmbeddingFailure, EmbeddingUse, Semantic};
use super::fuse::descending;
use super::hints::{Hints, NO_HINTS};
use super::memory::{Quoted, RankedTask, quoted};
use super::rank::{Ranked, Source};
use super::reorder::Ranker;
use super::task::Task;
use segment::{FileText, segments};
use select::{Candidate, select};

/// Files that are read and cut into segments.
const FILES_READ: usize = 12;

/// Files worth less than this share of the best aren't quoted.
const MIN_SHARE: f64 = 0.2;

/// Worth of a test's, of another file's and of a named document's text against source of the same score.
const TEST_WORTH: f64 = 0.35;
const OTHER_WORTH: f64 = 0.5;
const NAMED_DOCUMENT_WORTH: f64 = 0.4;

/// Files of the map: named, but not quoted.
const FILES_MAPPED: usize = 6;

/// Limits of one pack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PackBudget {
    /// Tokens of the whole rendered text, headings included.
    pub tokens: u64,
    /// Most files quoted.
    pub files: usize,
}

impl PackBudget {
    /// A limit of tokens with the usual limit of files.
    pub fn tokens(tokens: u64) -> PackBudget {
        PackBudget { tokens, files: 6 }
    }
}

/// A quoted range of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snippet {
    /// Path relative to the root.
    pub path: String,
    /// First line, 1-based.
    pub start_line: u32,
    /// Last line, inclusive.
    pub end_line: u32,
    /// Tokens of heading and lines as rendered.
    pub tokens: u64,
    /// The lines, as on disk apart from masked secrets.
    pub text: String,
    /// Why the file was chosen.
    pub reasons: Vec<Source>,
}

/// A file of the map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapped {
    /// Path relative to the root.
    pub path: String,
    /// Line and signature of definitions in it that the task's words name, best first; empty where there are none or they
    /// don't fit.
    pub definitions: Vec<(u32, String)>,
}

/// Why a well-ranked file isn't quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Omitted {
    /// The caller withheld it.
    Withheld,
    /// It has changed since it was indexed.
    Changed,
    /// It can't be read any more.
    Unreadable,
}

impl Omitted {
    /// The stable name in reports.
    pub fn code(self) -> &'static str {
        match self {
            Omitted::Withheld => "withheld",
            Omitted::Changed => "changed",
            Omitted::Unreadable => "unreadable",
        }
    }
}

/// Quoted source for one task.
#[derive(Debug, Clone, PartialEq)]
pub struct Pack {
    /// The text as the model will read it; empty where nothing was found or nothing fits.
    pub text: String,
    /// Tokens of the text.
    pub tokens: u64,
    /// How far the ranking behind it can be trusted.
    pub confidence: Confidence,
    /// Why a second opinion on the ranking wasn't heard: a reason code; none where it was, or wasn't asked for.
    pub fallback: Option<&'static str>,
    /// What embeddings were made for the ranking, or why it is one without them; `None` where they weren't asked.
    pub embeddings: Option<Result<EmbeddingUse, EmbeddingFailure>>,
    /// What is quoted: by rank of the file, then by line.
    pub snippets: Vec<Snippet>,
    /// Files quoted, by rank.
    pub files: Vec<String>,
    /// The map: files that rank next, named without being quoted.
    pub map: Vec<Mapped>,
    /// Well-ranked files left out, by path.
    pub omitted: Vec<(String, Omitted)>,
}

/// Quotes what a task needs from an index that was refreshed by this value. Paths of `withhold` are neither
/// quoted nor mapped.
///
/// Deterministic: the same files, task, budget and counter give the same text.
///
/// # Errors
/// Where the index can't be read; see [`Index::view`].
pub fn pack(
    index: &Index,
    task: &str,
    budget: PackBudget,
    withhold: &[String],
    counter: &dyn TokenCounter,
) -> Result<Pack, ProjectError> {
    pack_with(index, task, &NO_HINTS, budget, withhold, counter)
}

/// As [`pack`], with what the caller knows beside the task.
///
/// # Errors
/// As [`pack`].
pub fn pack_with(
    index: &Index,
    task: &str,
    hints: &Hints,
    budget: PackBudget,
    withhold: &[String],
    counter: &dyn TokenCounter,
) -> Result<Pack, ProjectError> {
    pack_by(index, task, hints, &Ranker::default(), budget, withhold, counter)
}

/// As [`pack_with`], by a ranker of the caller's choice.
///
/// # Errors
/// As [`pack`].
pub fn pack_by(
    index: &Index,
    task: &str,
    hints: &Hints,
    ranker: &Ranker<'_>,
    budget: PackBudget,
    withhold: &[String],
    counter: &dyn TokenCounter,
) -> Result<Pack, ProjectError> {
    let ranked = RankedTask::of(index, task, hints, ranker)?;
    pack_ranked(index, &ranked, hints, &mut |file| quoted(index, file), budget, withhold, counter)
}

/// Quotes what a ranked task needs; `read` reads a file.
pub(super) fn pack_ranked(
    index: &Index,
    RankedTask { task, ranking, reordered }: &RankedTask,
    hints: &Hints,
    read: &mut dyn FnMut(&FileView) -> Quoted,
    budget: PackBudget,
    withhold: &[String],
    counter: &dyn TokenCounter,
) -> Result<Pack, ProjectError> {
    let view = index.view()?;
    let mut omitted = Vec::new();
    let mut sources: Vec<FileText<'_>> = Vec::new();
    let mut rest: Vec<&FileView> = Vec::new();
    let mut worth: Vec<(f64, &Ranked)> = worth(&ranking.files, view, task);
    worth.retain(|(share, _)| *share >= MIN_SHARE);
    for (share, ranked) in worth {
        let file = &view.files[ranked.file];
        if withhold.contains(&file.path) {
            omitted.push((file.path.clone(), Omitted::Withheld));
        } else if sources.len() < FILES_READ {
            match read(file) {
                Ok(text) => sources.push(FileText { file, share, reasons: ranked.reasons.clone(), text }),
                Err(why) => omitted.push((file.path.clone(), why)),
            }
        } else {
            rest.push(file);
        }
    }
    omitted.sort();
    let candidates = candidates(&sources, task, index, counter)?;
    let chosen = select(&sources, &candidates, budget, counter);
    let snippets = render::snippets(&sources, &chosen, counter);
    let files = quoted_files(&sources, &snippets);
    let unquoted = sources.iter().map(|s| s.file).filter(|file| !files.contains(&file.path)).chain(rest);
    let next: Vec<&FileView> = unquoted.take(FILES_MAPPED).collect();
    let quoted = render::blocks(&sources, &chosen);
    let (text, map) = map::append(quoted, &next, task, budget.tokens, counter);
    let tokens = counter.text(&text);
    let fallback = reordered.as_ref().and_then(|reordered| reordered.fallback);
    let embeddings = hints.semantic.as_ref().map(Semantic::outcome);
    let confidence = ranking.confidence;
    Ok(Pack { tokens, confidence, fallback, embeddings, files, map, snippets, omitted, text })
}

/// How much each file's text is worth to the task, 0 to 1, best first. A pack is small and is read before the work begins:
/// what is to be changed comes before what checks or describes it, which is easy to find.
fn worth<'r>(files: &'r [Ranked], view: &View, task: &Task) -> Vec<(f64, &'r Ranked)> {
    let top = files.iter().map(|r| r.base).fold(f64::MIN_POSITIVE, f64::max);
    let share = |ranked: &Ranked| {
        let own = ranked.base / top;
        match view.files[ranked.file].role {
            Role::Source if ranked.explicit >= 0.8 => own.max(1.0),
            Role::Source => own,
            Role::Test if task.about_tests => own,
            Role::Document if task.about_documents => own,
            Role::Test => own * TEST_WORTH,
            Role::Document => (own * OTHER_WORTH).max(NAMED_DOCUMENT_WORTH * ranked.explicit),
            Role::Data | Role::Generated => own * OTHER_WORTH,
        }
    };
    let mut out: Vec<(f64, &Ranked)> = files.iter().map(|ranked| (share(ranked), ranked)).collect();
    out.sort_by(|a, b| descending(a.0, b.0).then(a.1.file.cmp(&b.1.file)));
    out
}

fn candidates(
    sources: &[FileText<'_>],
    task: &Task,
    index: &Index,
    counter: &dyn TokenCounter,
) -> Result<Vec<Candidate>, ProjectError> {
    let scorer = segment::Scorer::new(index, task)?;
    let mut out = Vec::new();
    for (at, source) in sources.iter().enumerate() {
        for range in segments(source) {
            let text = source.lines(range.start, range.end);
            let score = scorer.score(source, range, text);
            out.push(Candidate { source: at, range, score, tokens: counter.text(text) });
        }
    }
    Ok(out)
}

fn quoted_files(sources: &[FileText<'_>], snippets: &[Snippet]) -> Vec<String> {
    let quoted = |s: &&FileText<'_>| snippets.iter().any(|snippet| snippet.path == s.file.path);
    sources.iter().filter(quoted).map(|s| s.file.path.clone()).collect()
}

//! JSON documents of the verbs. A change of meaning raises the version in `schema`; a new field doesn't.

use std::collections::BTreeMap;

use engine::project::{LanguageStatus, RefreshReport, Symbol as IndexedSymbol};
use engine::retrieve::{EmbeddingFailure, EmbeddingUse, PackBudget, SearchResult, Source};
use engine::tokens::TokenCounter;
use serde::Serialize;

use crate::git::NoHistory;

#[derive(Serialize)]
pub(super) struct Index<'a> {
    schema: &'static str,
    files: u64,
    symbols: u64,
    imports: u64,
    reused: u64,
    changed: u64,
    removed: u64,
    /// Wall time; the only field that differs from run to run.
    seconds: f64,
    /// Bytes of the indexed files.
    bytes: u64,
    /// Files of a known language that go without symbols and imports, by reason.
    without_tree: &'a BTreeMap<String, u64>,
    /// Past commits known.
    commits: u64,
    /// Why there is no history; null where there is.
    no_history: Option<&'static str>,
    purged: bool,
    skipped: Vec<Skipped>,
}

#[derive(Serialize)]
struct Skipped {
    path: String,
    reason: &'static str,
}

impl<'a> Index<'a> {
    pub(super) fn new(
        report: &'a RefreshReport,
        history: &Result<u64, NoHistory>,
        seconds: f64,
    ) -> Index<'a> {
        let skipped = report
            .skipped
            .iter()
            .map(|s| Skipped { path: s.path.clone(), reason: s.reason.code() })
            .collect();
        Index {
            schema: "index/1",
            files: report.files,
            symbols: report.symbols,
            imports: report.imports,
            reused: report.reused,
            changed: report.changed,
            removed: report.removed,
            seconds,
            bytes: report.bytes,
            commits: *history.as_ref().unwrap_or(&0),
            no_history: history.as_ref().err().map(NoHistory::code),
            without_tree: &report.without_tree,
            purged: report.purged,
            skipped,
        }
    }
}

#[derive(Serialize)]
pub(super) struct Status<'a> {
    schema: &'static str,
    freshness: &'static str,
    files: u64,
    symbols: u64,
    imports: u64,
    bytes: u64,
    /// Files of a known language that go without symbols and imports, by reason.
    without_tree: &'a BTreeMap<String, u64>,
    languages: BTreeMap<&'a str, Language>,
    drifted: &'a [String],
}

impl<'a> Status<'a> {
    pub(super) fn new(status: &'a engine::project::Status) -> Status<'a> {
        Status {
            schema: "status/1",
            freshness: status.freshness.code(),
            files: status.files,
            symbols: status.symbols,
            imports: status.imports,
            bytes: status.bytes,
            without_tree: &status.without_tree,
            languages: status.languages.iter().map(|(name, l)| (name.as_str(), Language::new(l))).collect(),
            drifted: &status.drifted,
        }
    }
}

#[derive(Serialize)]
struct Language {
    files: u64,
    without_tree: u64,
    symbols: u64,
    imports: Imports,
}

/// Imports by what they mean. `resolved_share` is `resolved / (resolved + unresolved)`, null where both are 0.
#[derive(Serialize)]
struct Imports {
    resolved: u64,
    unresolved: u64,
    external: u64,
    resolved_share: Option<f64>,
}

impl Language {
    fn new(status: &LanguageStatus) -> Language {
        let imports = Imports {
            resolved: status.resolved,
            unresolved: status.unresolved,
            external: status.external,
            resolved_share: status.resolved_share().map(|share| (share * 1e4).round() / 1e4),
        };
        Language { files: status.files, without_tree: status.without_tree, symbols: status.symbols, imports }
    }
}

#[derive(Serialize)]
pub(super) struct Search {
    schema: &'static str,
    confidence: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    embeddings: Option<Embeddings>,
    results: Vec<Hit>,
}

/// What embeddings did; absent where they weren't asked.
#[derive(Serialize)]
#[serde(untagged)]
enum Embeddings {
    Used { used: bool, model: String, files: u64, left_out: u64, sent: u64 },
    Unused { used: bool, reason: &'static str, message: String },
}

impl Embeddings {
    fn new(outcome: &Result<EmbeddingUse, EmbeddingFailure>) -> Embeddings {
        match outcome {
            Ok(usage) => {
                let EmbeddingUse { model, files, sent, left_out } = usage.clone();
                Embeddings::Used { used: true, model, files, left_out, sent }
            }
            Err(failure) => {
                Embeddings::Unused { used: false, reason: failure.code(), message: failure.to_string() }
            }
        }
    }
}

#[derive(Serialize)]
struct Hit {
    path: String,
    score: f64,
    reasons: Vec<&'static str>,
    symbols: Vec<Symbol>,
}

#[derive(Serialize)]
struct Symbol {
    name: String,
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<String>,
    start_line: u32,
    end_line: u32,
    signature: String,
}

impl Search {
    pub(super) fn new(result: &SearchResult) -> Search {
        let hit = |hit: &engine::retrieve::SearchHit| Hit {
            path: hit.path.clone(),
            score: (hit.score * 1e6).round() / 1e6,
            reasons: codes(&hit.reasons),
            symbols: hit.symbols.iter().map(Symbol::new).collect(),
        };
        Search {
            schema: "search/1",
            confidence: result.confidence.name(),
            embeddings: result.embeddings.as_ref().map(Embeddings::new),
            results: result.hits.iter().map(hit).collect(),
        }
    }
}

impl Symbol {
    fn new(symbol: &IndexedSymbol) -> Symbol {
        Symbol {
            name: symbol.name.clone(),
            kind: symbol.kind.clone(),
            parent: symbol.parent.clone(),
            start_line: symbol.start_line,
            end_line: symbol.end_line,
            signature: symbol.signature.clone(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Pack<'a> {
    schema: &'static str,
    tokens: u64,
    budget: u64,
    counter: &'static str,
    confidence: &'static str,
    order: Order,
    #[serde(skip_serializing_if = "Option::is_none")]
    embeddings: Option<Embeddings>,
    files: &'a [String],
    /// Files that rank next, named at the end of the text.
    named: Vec<&'a str>,
    map: Vec<MappedFile<'a>>,
    omitted: Vec<OmittedFile<'a>>,
    snippets: Vec<Snippet<'a>>,
    text: &'a str,
}

/// Which order files went by.
#[derive(Serialize)]
pub(super) struct Order {
    /// `static` or `learned`.
    by: &'static str,
    /// Why the learned order that was asked for doesn't count.
    kept: Option<&'static str>,
}

impl Order {
    /// The order of a pack for which the learned one was asked or not, and what stood against it.
    pub(super) fn of(asked: bool, fallback: Option<&'static str>) -> Order {
        let by = if asked && fallback.is_none() { "learned" } else { "static" };
        Order { by, kept: fallback }
    }
}

/// A file of the map, with definitions in it that the task's words name.
#[derive(Serialize)]
struct MappedFile<'a> {
    path: &'a str,
    definitions: Vec<Definition<'a>>,
}

#[derive(Serialize)]
struct Definition<'a> {
    line: u32,
    signature: &'a str,
}

impl<'a> MappedFile<'a> {
    fn new(mapped: &'a engine::retrieve::Mapped) -> MappedFile<'a> {
        let definition = |(line, signature): &'a (u32, String)| Definition { line: *line, signature };
        MappedFile { path: &mapped.path, definitions: mapped.definitions.iter().map(definition).collect() }
    }
}

#[derive(Serialize)]
struct OmittedFile<'a> {
    path: &'a str,
    reason: &'static str,
}

#[derive(Serialize)]
struct Snippet<'a> {
    path: &'a str,
    start_line: u32,
    end_line: u32,
    tokens: u64,
    text: &'a str,
    reasons: Vec<&'static str>,
}

impl<'a> Pack<'a> {
    pub(super) fn new(
        pack: &'a engine::retrieve::Pack,
        order: Order,
        budget: PackBudget,
        counter: &dyn TokenCounter,
    ) -> Pack<'a> {
        let snippet = |s: &'a engine::retrieve::Snippet| Snippet {
            path: &s.path,
            start_line: s.start_line,
            end_line: s.end_line,
            tokens: s.tokens,
            text: &s.text,
            reasons: codes(&s.reasons),
        };
        Pack {
            schema: "pack/1",
            tokens: pack.tokens,
            budget: budget.tokens,
            counter: counter.id(),
            confidence: pack.confidence.name(),
            order,
            embeddings: pack.embeddings.as_ref().map(Embeddings::new),
            files: &pack.files,
            named: pack.map.iter().map(|mapped| mapped.path.as_str()).collect(),
            map: pack.map.iter().map(MappedFile::new).collect(),
            omitted: pack
                .omitted
                .iter()
                .map(|(path, why)| OmittedFile { path, reason: why.code() })
                .collect(),
            snippets: pack.snippets.iter().map(snippet).collect(),
            text: &pack.text,
        }
    }
}

fn codes(reasons: &[Source]) -> Vec<&'static str> {
    reasons.iter().map(|reason| reason.code()).collect()
}

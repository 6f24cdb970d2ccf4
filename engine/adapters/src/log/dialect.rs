//! What a format adds to the common reading of a log.

use std::collections::BTreeMap;
use std::ops::Range;

use engine::message::{Json, Usage};
use engine::session::SessionTree;

use super::fault::{FaultCode, ReadError, Warning};
use super::frame::Framed;
use super::salvaged::Salvaged;
use super::session::{Header, Request};

/// One value of a log and its place.
#[derive(Debug)]
pub(crate) struct Object<'o> {
    /// The value: an object unless the line is some other JSON.
    pub(crate) json: &'o Json<'o>,
    /// 1-based line.
    pub(crate) line: u64,
    /// 0-based among the objects of the line.
    pub(crate) part: usize,
    /// Its bytes in the log.
    pub(crate) bytes: Range<u64>,
    /// Whether the agent's own loader gets at it.
    pub(crate) agent_reads: bool,
    /// Whether only its short members were taken, because its line is too long.
    pub(crate) outline_only: bool,
}

impl Object<'_> {
    /// A name for an entry that has none: its place. Stable, because lines of an append-only log never move.
    pub(crate) fn place_id(&self) -> String {
        match self.part {
            0 => format!("line:{}", self.line),
            part => format!("line:{}#{}", self.line, part + 1),
        }
    }
}

/// What a format makes of a log.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// What the log says about itself.
    pub(crate) header: Option<Header>,
    /// As the agent reads it.
    pub(crate) tree: SessionTree,
    /// The salvaged tree, where it differs.
    pub(crate) salvaged: Option<Salvaged>,
    /// The requests, by line.
    pub(crate) requests: Vec<Request>,
    /// Running totals of billed tokens as the log last states them.
    pub(crate) stated: Option<Usage>,
}

/// The rules of one format. The common reader has dealt with bytes and lines; a dialect gets every object in the order of
/// the log and, at the end, links them.
pub(crate) trait Dialect {
    /// Takes the next object.
    ///
    /// # Errors
    /// Where the log turns out to be something else. The content of an object is never an error: it is a warning.
    fn object(&mut self, object: &Object<'_>, report: &mut Report) -> Result<(), ReadError>;

    /// Whether the agent's own loader gets at the objects of a line. The common answer: where a lenient JSON reader
    /// parses the line as one value.
    fn agent_reads(&self, framed: &Framed<'_>) -> bool {
        framed.agent_reads
    }

    /// Links what was taken.
    ///
    /// # Errors
    /// Where the log turns out to be something else.
    fn finish(self: Box<Self>, report: &mut Report) -> Result<Reading, ReadError>;
}

/// What the readers of one log have to say about it.
#[derive(Debug)]
pub(crate) struct Report {
    per_code: usize,
    warnings: Vec<Warning>,
    counts: BTreeMap<FaultCode, u64>,
    lost: BTreeMap<String, u64>,
    deduplicated: BTreeMap<String, u64>,
}

impl Report {
    /// A report that keeps at most so many warnings of one code.
    pub(crate) fn new(per_code: usize) -> Report {
        Report {
            per_code,
            warnings: Vec::new(),
            counts: BTreeMap::new(),
            lost: BTreeMap::new(),
            deduplicated: BTreeMap::new(),
        }
    }

    /// Notes a fault.
    pub(crate) fn warn(&mut self, line: u64, code: FaultCode, message: impl Into<String>) {
        let count = self.counts.entry(code).or_default();
        *count += 1;
        if *count <= self.per_code as u64 {
            self.warnings.push(Warning { line: line.max(1), code, message: message.into() });
        }
    }

    /// Notes something that is left out or kept only as a place.
    pub(crate) fn lose(&mut self, what: impl Into<String>) {
        *self.lost.entry(what.into()).or_default() += 1;
    }

    /// Notes something that was met before and is counted once.
    pub(crate) fn repeat(&mut self, what: impl Into<String>) {
        *self.deduplicated.entry(what.into()).or_default() += 1;
    }

    /// Whether a fault was noted.
    pub(crate) fn has(&self, code: FaultCode) -> bool {
        self.counts.contains_key(&code)
    }

    /// Warnings by line, counts by code, what was lost, what was deduplicated.
    #[expect(clippy::type_complexity, reason = "taken apart at once by the one caller")]
    pub(crate) fn into_parts(
        mut self,
    ) -> (Vec<Warning>, BTreeMap<FaultCode, u64>, BTreeMap<String, u64>, BTreeMap<String, u64>) {
        self.warnings.sort();
        (self.warnings, self.counts, self.lost, self.deduplicated)
    }
}

//! A log that was read, in the one model of all formats.

use std::collections::BTreeMap;

use engine::message::Usage;
use engine::session::{Entry, EntryKind, SessionTree};

use super::fault::{FaultCode, Warning};
use super::format::Format;
use super::salvaged::Salvaged;
use super::stats::Stats;

/// Which reading of a damaged log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// As the agent itself reads it: what it skips or cuts is missing.
    Agent,
    /// With everything that can be recovered.
    Salvaged,
}

impl View {
    /// The name used on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            View::Agent => "agent",
            View::Salvaged => "salvaged",
        }
    }
}

/// Version of a log, as its format counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Version {
    /// A number of the format.
    Number(u64),
    /// The release of the agent that wrote it, where the format has no number of its own.
    Release(String),
}

/// What a log says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Version; `None` where the log tells none.
    pub version: Option<Version>,
    /// Identifier of the session.
    pub id: String,
    /// Working directory.
    pub cwd: Option<String>,
    /// When it was begun, Unix milliseconds.
    pub time_ms: Option<i64>,
    /// Session that this one continues, was forked from or works for: a path or an identifier, as the log spells it.
    pub parent_session: Option<String>,
}

/// What a provider was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    /// A reply of the session's own model.
    #[default]
    Reply,
    /// Model work that a tool did of its own: its billed tokens count beside those of the requests, and it isn't counted as
    /// one, because a tool may make any number of them.
    ToolWork,
}

/// One request to a provider, or what a tool's own requests were billed.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What it was made for.
    pub purpose: Purpose,
    /// 1-based line of its first trace in the log.
    pub line: u64,
    /// What identifies it in every log that holds a copy; `None` where the format gives nothing to go by.
    pub key: Option<String>,
    /// Model that answered; empty where the log doesn't tell.
    pub model: String,
    /// Billed tokens; `None` where the log tells none, or none that can be.
    pub usage: Option<Usage>,
    /// Whether the agent's own reading of the log lacks it.
    pub salvaged_only: bool,
    /// Whether it was copied from another session, by the log's own account: its own log counts it.
    pub inherited: bool,
}

/// How much of the content is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Content {
    /// All of it.
    #[default]
    Full,
    /// What ties entries together and what is counted: calls by identifier and name, results by their call, replies with
    /// their billed tokens. Texts, images, arguments and declarations are left out, so memory follows the number of
    /// entries and not their size.
    Outline,
}

/// What a reader holds at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one line.
    pub line_bytes: usize,
    /// Bytes of one log, unpacked.
    pub log_bytes: u64,
    /// Warnings of one code that are kept one by one; further ones are only counted.
    pub warnings_per_code: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { line_bytes: 64 << 20, log_bytes: 64 << 30, warnings_per_code: 1000 }
    }
}

/// How to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// Format of the log; told by content where absent.
    pub format: Option<Format>,
    /// How much of the content is kept.
    pub content: Content,
    /// What is held at most.
    pub limits: Limits,
}

/// A log that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionLog {
    /// Whose it is; `None` where the file is too short to tell.
    pub format: Option<Format>,
    /// What it says about itself; `None` for an empty file and where the header is missing or torn.
    pub header: Option<Header>,
    /// The session as the agent reads it.
    pub tree: SessionTree,
    /// The salvaged session, where it differs.
    pub salvaged: Option<Salvaged>,
    /// Requests by line, those of abandoned branches included.
    pub requests: Vec<Request>,
    /// Running totals of billed tokens as the log last states them; `None` where its format has none. They may leave out what
    /// was billed before the totals began anew: the requests don't.
    pub stated: Option<Usage>,
    /// Faults, sorted by line. Of a code with very many the first are kept; [`SessionLog::warning_counts`] has all.
    pub warnings: Vec<Warning>,
    /// How often each code was met.
    pub warning_counts: BTreeMap<FaultCode, u64>,
    /// Lines of the file, blank ones and a torn last one included.
    pub lines: u64,
    /// Lines with content, the header among them.
    pub content_lines: u64,
    /// Bytes of the log, unpacked.
    pub bytes: u64,
    /// What the reader keeps only as a place in the tree or leaves out, by description, with counts.
    pub lost: BTreeMap<String, u64>,
    /// What the reader met more than once and counted once, by description, with counts.
    pub deduplicated: BTreeMap<String, u64>,
}

impl SessionLog {
    /// The tree of a view. The salvaged one is made at the first call.
    pub fn view(&self, view: View) -> &SessionTree {
        match self.salvaged_in(view) {
            Some(salvaged) => salvaged.tree(&self.tree),
            None => &self.tree,
        }
    }

    /// The entries of a view with their identifiers in it, without making its tree: identifier and parent in the entry itself
    /// may be those of the agent's view.
    pub fn entries(&self, view: View) -> impl Iterator<Item = (&str, &Entry)> {
        let salvaged = self.salvaged_in(view);
        let count = salvaged.map_or(self.tree.entries.len(), Salvaged::len);
        (0..count).map(move |at| match salvaged {
            Some(salvaged) => salvaged.entry(at, &self.tree),
            None => (self.tree.entries[at].id.as_str(), &self.tree.entries[at]),
        })
    }

    fn kinds(&self, view: View) -> impl Iterator<Item = &EntryKind> {
        self.entries(view).map(|(_, entry)| &entry.kind)
    }

    fn salvaged_in(&self, view: View) -> Option<&Salvaged> {
        self.salvaged.as_ref().filter(|_| view == View::Salvaged)
    }

    /// Figures of a view.
    pub fn stats(&self, view: View) -> Stats {
        let requests =
            self.requests.iter().filter(|request| view == View::Salvaged || !request.salvaged_only);
        Stats::of(|| self.kinds(view), requests)
    }
}

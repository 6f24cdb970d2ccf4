//! What an import keeps of a session: figures and faults, no content.

use std::collections::{BTreeMap, HashSet};

use adapters::log::{FaultCode, Format, Purpose, SessionLog, Stats, UsageTotals, Version, View, Warning};
use engine::message::Usage;
use engine::session::{Entry, EntryKind};
use sha2::{Digest, Sha256};

/// Figures and faults of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// Whose log it is; `None` where the file is too short to tell.
    pub format: Option<Format>,
    /// Version of the log.
    pub version: Option<Version>,
    /// Identifier of the session.
    pub id: Option<String>,
    /// Working directory, as the log spells it.
    pub cwd: Option<String>,
    /// When it was begun, Unix milliseconds.
    pub time_ms: Option<i64>,
    /// Session that it continues, was forked from or works for, as the log spells it.
    pub parent_session: Option<String>,
    /// Lines of the file.
    pub lines: u64,
    /// Lines with content.
    pub content_lines: u64,
    /// Bytes of the log, unpacked.
    pub bytes: u64,
    /// Faults one by one, as many of a code as the reader keeps.
    pub warnings: Vec<Warning>,
    /// How often each fault was met.
    pub warning_counts: BTreeMap<FaultCode, u64>,
    /// What the reader keeps only as a place or leaves out.
    pub lost: BTreeMap<String, u64>,
    /// What the log repeats and the reader counted once.
    pub deduplicated: BTreeMap<String, u64>,
    /// Running totals of billed tokens as the log last states them.
    pub stated: Option<UsageTotals>,
    /// Figures as the agent reads the log.
    pub agent: Stats,
    /// Figures of the salvaged log, where it differs.
    pub salvaged: Option<Stats>,
    /// Requests by line, then what was billed outside of requests.
    pub billed: Vec<Billed>,
}

/// One thing that was billed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Billed {
    /// 1-based line.
    pub line: u64,
    /// What identifies it in every copy of the history; `None` where the log gives nothing to go by.
    pub key: Option<Key>,
    /// Billed tokens; `None` where the log tells none.
    pub usage: Option<Usage>,
    /// Whether it is a request, and no summary, cache warming or model work of a tool.
    pub is_request: bool,
    /// Whether the agent's own reading lacks it.
    pub salvaged_only: bool,
    /// Whether the log itself says that it was copied from another session.
    pub inherited: bool,
}

/// The first half of a SHA-256 over the name that a reader gives to a request: small, and no content.
pub type Key = [u8; 16];

impl Summary {
    /// Takes what is kept out of a log that was read.
    pub fn of(log: SessionLog) -> Summary {
        let agent = log.stats(View::Agent);
        let salvaged = log.salvaged.is_some().then(|| log.stats(View::Salvaged));
        let mut billed: Vec<Billed> =
            log.requests.iter().map(|request| request_fact(&log, request)).collect();
        billed.extend(extra_facts(&log));
        let header = log.header;
        Summary {
            format: log.format,
            version: header.as_ref().and_then(|header| header.version.clone()),
            id: header.as_ref().map(|header| header.id.clone()),
            cwd: header.as_ref().and_then(|header| header.cwd.clone()),
            time_ms: header.as_ref().and_then(|header| header.time_ms),
            parent_session: header.and_then(|header| header.parent_session),
            lines: log.lines,
            content_lines: log.content_lines,
            bytes: log.bytes,
            warnings: log.warnings,
            warning_counts: log.warning_counts,
            lost: log.lost,
            deduplicated: log.deduplicated,
            stated: log.stated.as_ref().map(UsageTotals::from),
            agent,
            salvaged,
            billed,
        }
    }

    /// Figures of a view.
    pub fn stats(&self, view: View) -> &Stats {
        match (view, &self.salvaged) {
            (View::Salvaged, Some(stats)) => stats,
            _ => &self.agent,
        }
    }

    /// Lines that the agent's own reading skips; objects on some of them are in the salvaged one. Exact unless a code has
    /// more warnings than are kept one by one: then a line with two faults counts twice.
    pub fn skipped_lines(&self) -> u64 {
        const SKIPPED: [FaultCode; 7] = [
            FaultCode::UnparsableLine,
            FaultCode::TooDeep,
            FaultCode::NotAnEntry,
            FaultCode::FusedLine,
            FaultCode::NulPadding,
            FaultCode::SizeLimit,
            FaultCode::TornTail,
        ];
        let counted: u64 = SKIPPED.iter().filter_map(|code| self.warning_counts.get(code)).sum();
        let kept = self.warnings.iter().filter(|warning| SKIPPED.contains(&warning.code));
        let lines: Vec<u64> = kept.map(|warning| warning.line).collect();
        if counted > lines.len() as u64 {
            return counted;
        }
        lines.into_iter().collect::<HashSet<u64>>().len() as u64
    }

    /// Entries of the salvaged reading beyond the agent's.
    pub fn salvaged_entries(&self) -> u64 {
        self.salvaged.map_or(0, |salvaged| salvaged.tree_entries.saturating_sub(self.agent.tree_entries))
    }
}

impl Billed {
    /// Whether a view has it.
    pub fn is_in(&self, view: View) -> bool {
        view == View::Salvaged || !self.salvaged_only
    }
}

fn request_fact(log: &SessionLog, request: &adapters::log::Request) -> Billed {
    Billed {
        line: request.line,
        key: request.key.as_ref().map(|key| digest(log.format, "request", key)),
        usage: request.usage,
        is_request: request.purpose == Purpose::Reply,
        salvaged_only: request.salvaged_only,
        inherited: request.inherited,
    }
}

/// Summaries, cache warming: billed, and copied with the history like requests are.
fn extra_facts(log: &SessionLog) -> Vec<Billed> {
    let in_agent: HashSet<u64> = match &log.salvaged {
        Some(_) => log.tree.entries.iter().map(|entry| entry.bytes.start).collect(),
        None => HashSet::new(),
    };
    let facts = log.entries(View::Salvaged).filter_map(|(id, entry)| {
        let usage = extra_usage(&entry.kind)?;
        Some(Billed {
            line: entry.line,
            key: extra_key(log.format, (id, entry), usage),
            usage: Some(*usage),
            is_request: false,
            salvaged_only: log.salvaged.is_some() && !in_agent.contains(&entry.bytes.start),
            inherited: false,
        })
    });
    facts.collect()
}

fn extra_usage(kind: &EntryKind) -> Option<&Usage> {
    match kind {
        EntryKind::Compaction { usage, .. } | EntryKind::BranchSummary { usage, .. } => usage.as_ref(),
        EntryKind::ExtraUsage(usage) => Some(usage),
        _ => None,
    }
}

/// A copy of an entry has its time and its tokens, and its identifier where that isn't made from a place in one file.
fn extra_key(format: Option<Format>, (id, entry): (&str, &Entry), usage: &Usage) -> Option<Key> {
    let time = entry.time_ms?;
    let id = if id.starts_with("line:") { "" } else { id };
    Some(digest(format, "extra", &format!("{id}@{time}:{}:{}", usage.prompt(), usage.output)))
}

fn digest(format: Option<Format>, class: &str, name: &str) -> Key {
    let mut hash = Sha256::new();
    for part in [format.map_or("", Format::name), class, name] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let mut key = Key::default();
    key.copy_from_slice(&hash.finalize()[..16]);
    key
}

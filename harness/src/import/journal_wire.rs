//! The journal on disk: `import-journal/1`, one JSON object a line.

use std::collections::BTreeMap;

use adapters::log::{FaultCode, Format, Stats, UsageTotals, Version, Warning};
use engine::message::{Cost, Usage};
use serde::{Deserialize, Serialize};

use super::blob::BlobCount;
use super::journal::{Copy, Outcome, Record, Stamp, Stored};
use super::summary::{Billed, Key, Summary};
use crate::failure::Failure;

const SCHEMA: &str = "import-journal/1";

#[derive(Serialize, Deserialize)]
struct Line {
    schema: String,
    source: String,
    stamp: StampWire,
    made_with: String,
    #[serde(flatten)]
    outcome: OutcomeWire,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    replaces: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct StampWire {
    device: u64,
    inode: u64,
    size: u64,
    modified_ns: String,
    changed_ns: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum OutcomeWire {
    Session(Box<SessionWire>),
    Refused { code: String, message: String },
}

#[derive(Serialize, Deserialize)]
struct SessionWire {
    source_hash: String,
    source_bytes: u64,
    copy: Option<CopyWire>,
    format: Option<String>,
    version: Option<VersionWire>,
    id: Option<String>,
    cwd: Option<String>,
    time_ms: Option<i64>,
    parent_session: Option<String>,
    lines: u64,
    content_lines: u64,
    bytes: u64,
    warnings: Vec<(u64, String, String)>,
    warning_counts: BTreeMap<String, u64>,
    lost: BTreeMap<String, u64>,
    deduplicated: BTreeMap<String, u64>,
    stated: Option<TotalsWire>,
    agent: StatsWire,
    salvaged: Option<StatsWire>,
    billed: Vec<BilledWire>,
}

#[derive(Serialize, Deserialize)]
struct CopyWire {
    name: String,
    sha256: String,
    bytes: u64,
    identical: bool,
    blobs: u64,
    blob_bytes: u64,
    redacted: Option<BTreeMap<String, u64>>,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum VersionWire {
    Number(u64),
    Release(String),
}

#[derive(Serialize, Deserialize)]
struct StatsWire {
    tree_entries: u64,
    user_turns: u64,
    requests: u64,
    known_requests: u64,
    inherited_requests: u64,
    tool_calls: u64,
    unanswered_calls: u64,
    usage: TotalsWire,
    extra_usage: TotalsWire,
    tool_usage: TotalsWire,
}

/// Input, output, cache read, cache write, its part of one hour, reasoning, cost.
type TotalsWire = (u64, u64, u64, u64, u64, u64, Option<f64>);

/// Line, key, tokens, flags: 1 request, 2 salvaged only, 4 inherited.
type BilledWire = (u64, Option<String>, Option<TotalsWire>, u8);

/// One record as a line.
///
/// # Errors
/// A value that JSON can't hold: a bug.
pub fn write(record: &Record) -> Result<String, Failure> {
    let outcome = match &record.outcome {
        Outcome::Session(stored) => OutcomeWire::Session(Box::new(session_to_wire(stored))),
        Outcome::Refused { code, message } => {
            OutcomeWire::Refused { code: code.clone(), message: message.clone() }
        }
    };
    let line = Line {
        schema: SCHEMA.to_owned(),
        source: record.source.clone(),
        stamp: StampWire {
            device: record.stamp.file.0,
            inode: record.stamp.file.1,
            size: record.stamp.size,
            modified_ns: record.stamp.modified.to_string(),
            changed_ns: record.stamp.changed.to_string(),
        },
        made_with: record.made_with.clone(),
        outcome,
        replaces: record.replaces.clone(),
    };
    let text =
        serde_json::to_string(&line).map_err(|error| Failure::internal(format!("journal: {error}")))?;
    Ok(text + "\n")
}

/// One line as a record; `None` where it is none of this version.
pub fn read(line: &[u8]) -> Option<Record> {
    let line: Line = serde_json::from_slice(line).ok()?;
    if line.schema != SCHEMA {
        return None;
    }
    let outcome = match line.outcome {
        OutcomeWire::Session(session) => Outcome::Session(Box::new(session_from_wire(*session)?)),
        OutcomeWire::Refused { code, message } => Outcome::Refused { code, message },
    };
    let stamp = Stamp {
        file: (line.stamp.device, line.stamp.inode),
        size: line.stamp.size,
        modified: line.stamp.modified_ns.parse().ok()?,
        changed: line.stamp.changed_ns.parse().ok()?,
    };
    Some(Record { source: line.source, stamp, made_with: line.made_with, outcome, replaces: line.replaces })
}

fn session_to_wire(stored: &Stored) -> SessionWire {
    let summary = &stored.summary;
    let warning = |warning: &Warning| (warning.line, warning.code.code().to_owned(), warning.message.clone());
    SessionWire {
        source_hash: stored.source_hash.clone(),
        source_bytes: stored.source_bytes,
        copy: stored.copy.as_ref().map(|copy| CopyWire {
            name: copy.name.clone(),
            sha256: copy.sha256.clone(),
            bytes: copy.bytes,
            identical: copy.identical,
            blobs: copy.blobs.strings,
            blob_bytes: copy.blobs.bytes,
            redacted: copy.redacted.clone(),
        }),
        format: summary.format.map(|format| format.name().to_owned()),
        version: summary.version.as_ref().map(|version| match version {
            Version::Number(number) => VersionWire::Number(*number),
            Version::Release(release) => VersionWire::Release(release.clone()),
        }),
        id: summary.id.clone(),
        cwd: summary.cwd.clone(),
        time_ms: summary.time_ms,
        parent_session: summary.parent_session.clone(),
        lines: summary.lines,
        content_lines: summary.content_lines,
        bytes: summary.bytes,
        warnings: summary.warnings.iter().map(warning).collect(),
        warning_counts: summary.warning_counts.iter().map(|(c, n)| (c.code().to_owned(), *n)).collect(),
        lost: summary.lost.clone(),
        deduplicated: summary.deduplicated.clone(),
        stated: summary.stated.as_ref().map(totals_to_wire),
        agent: stats_to_wire(&summary.agent),
        salvaged: summary.salvaged.as_ref().map(stats_to_wire),
        billed: summary.billed.iter().map(billed_to_wire).collect(),
    }
}

fn session_from_wire(wire: SessionWire) -> Option<Stored> {
    let warning =
        |(line, code, message): (u64, String, String)| Some(Warning { line, code: fault(&code)?, message });
    let count = |(code, count): (String, u64)| Some((fault(&code)?, count));
    let summary = Summary {
        format: match wire.format {
            Some(name) => Some(format(&name)?),
            None => None,
        },
        version: wire.version.map(|version| match version {
            VersionWire::Number(number) => Version::Number(number),
            VersionWire::Release(release) => Version::Release(release),
        }),
        id: wire.id,
        cwd: wire.cwd,
        time_ms: wire.time_ms,
        parent_session: wire.parent_session,
        lines: wire.lines,
        content_lines: wire.content_lines,
        bytes: wire.bytes,
        warnings: wire.warnings.into_iter().map(warning).collect::<Option<_>>()?,
        warning_counts: wire.warning_counts.into_iter().map(count).collect::<Option<_>>()?,
        lost: wire.lost,
        deduplicated: wire.deduplicated,
        stated: wire.stated.map(totals_from_wire),
        agent: stats_from_wire(wire.agent),
        salvaged: wire.salvaged.map(stats_from_wire),
        billed: wire.billed.into_iter().map(billed_from_wire).collect::<Option<_>>()?,
    };
    let copy = wire.copy.map(|copy| Copy {
        name: copy.name,
        sha256: copy.sha256,
        bytes: copy.bytes,
        identical: copy.identical,
        blobs: BlobCount { strings: copy.blobs, bytes: copy.blob_bytes },
        redacted: copy.redacted,
    });
    Some(Stored { summary, source_hash: wire.source_hash, source_bytes: wire.source_bytes, copy })
}

fn fault(name: &str) -> Option<FaultCode> {
    FaultCode::ALL.iter().copied().find(|code| code.code() == name)
}

fn format(name: &str) -> Option<Format> {
    [Format::Pi, Format::Claude, Format::Codex, Format::Dsh].into_iter().find(|format| format.name() == name)
}

fn stats_to_wire(stats: &Stats) -> StatsWire {
    StatsWire {
        tree_entries: stats.tree_entries,
        user_turns: stats.user_turns,
        requests: stats.requests,
        known_requests: stats.known_requests,
        inherited_requests: stats.inherited_requests,
        tool_calls: stats.tool_calls,
        unanswered_calls: stats.unanswered_calls,
        usage: totals_to_wire(&stats.usage),
        extra_usage: totals_to_wire(&stats.extra_usage),
        tool_usage: totals_to_wire(&stats.tool_usage),
    }
}

fn stats_from_wire(wire: StatsWire) -> Stats {
    Stats {
        tree_entries: wire.tree_entries,
        user_turns: wire.user_turns,
        requests: wire.requests,
        known_requests: wire.known_requests,
        inherited_requests: wire.inherited_requests,
        tool_calls: wire.tool_calls,
        unanswered_calls: wire.unanswered_calls,
        usage: totals_from_wire(wire.usage),
        extra_usage: totals_from_wire(wire.extra_usage),
        tool_usage: totals_from_wire(wire.tool_usage),
    }
}

fn totals_to_wire(totals: &UsageTotals) -> TotalsWire {
    (
        totals.input,
        totals.output,
        totals.cache_read,
        totals.cache_write,
        totals.cache_write_1h,
        totals.reasoning,
        totals.cost,
    )
}

fn totals_from_wire(wire: TotalsWire) -> UsageTotals {
    let (input, output, cache_read, cache_write, cache_write_1h, reasoning, cost) = wire;
    UsageTotals { input, output, cache_read, cache_write, cache_write_1h, reasoning, cost }
}

fn billed_to_wire(billed: &Billed) -> BilledWire {
    let usage = billed.usage.map(|usage| {
        (
            usage.input,
            usage.output,
            usage.cache_read,
            usage.cache_write,
            usage.cache_write_1h,
            usage.reasoning,
            usage.cost.map(|cost| cost.total),
        )
    });
    let flag = |on: bool, bit: u8| if on { bit } else { 0 };
    let flags = flag(billed.is_request, 1) | flag(billed.salvaged_only, 2) | flag(billed.inherited, 4);
    (billed.line, billed.key.map(|key| engine::message::hex(&key)), usage, flags)
}

fn billed_from_wire((line, key, usage, flags): BilledWire) -> Option<Billed> {
    let usage =
        usage.map(|(input, output, cache_read, cache_write, cache_write_1h, reasoning, cost)| Usage {
            input,
            output,
            cache_read,
            cache_write,
            cache_write_1h,
            reasoning,
            cost: cost.map(|total| Cost { total }),
        });
    let key = match key {
        Some(text) => Some(key_from_hex(&text)?),
        None => None,
    };
    let has = |bit: u8| flags & bit != 0;
    Some(Billed { line, key, usage, is_request: has(1), salvaged_only: has(2), inherited: has(4) })
}

fn key_from_hex(text: &str) -> Option<Key> {
    let mut key = Key::default();
    if text.len() != 2 * key.len() || !text.is_ascii() {
        return None;
    }
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(key)
}

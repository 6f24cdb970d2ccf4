//! Wire forms: `import/1` for the caller, `import-manifest/1` for the folder.

use std::collections::BTreeMap;

use adapters::log::{Format, Stats, UsageTotals, Version, View};
use serde_json::{Value, json};

use super::dedup::{Account, settle};
use super::imported::{FileFailure, Imported, Run};
use super::journal::{Copy, Record, Stored};
use super::sessions::{members, name, sessions};

/// The answer of `harness import --json`.
pub fn import_json(run: &Run, view: View) -> Value {
    let imported = run.sessions();
    let session = |imported: &Imported<'_>| {
        let mut value = session_json(imported.stored, imported.account, &run.names, view);
        value["path"] = imported.path.into();
        value
    };
    json!({
        "schema": "import/1",
        "sessions": imported.iter().map(session).collect::<Vec<_>>(),
        "failed": run.failed.iter().map(failure_json).collect::<Vec<_>>(),
        "totals": totals_json(&Totals::of(imported.iter().map(|s| (s.stored, s.account)), view)),
        "reused": run.reused,
    })
}

/// What stands in the folder: every session of it, whichever import read it, with the figures of what happened in it.
pub fn manifest_json(records: &BTreeMap<String, Record>, each_alone: bool) -> Value {
    let all = sessions(records);
    let accounts = settle(&members(&all), View::Salvaged, each_alone);
    let names: Vec<String> = all.iter().map(|(source, stored)| name(source, stored)).collect();
    let mut rows: Vec<(&str, Value)> = all
        .iter()
        .zip(&accounts)
        .zip(&names)
        .map(|(((_, stored), account), name)| {
            (name.as_str(), session_json(stored, account, &names, View::Salvaged))
        })
        .collect();
    rows.sort_by_key(|(name, _)| *name);
    let sessions: Vec<Value> = rows.into_iter().map(|(_, value)| value).collect();
    let totals = Totals::of(all.iter().map(|(_, stored)| *stored).zip(&accounts), View::Salvaged);
    json!({"schema": "import-manifest/1", "sessions": sessions, "totals": totals_json(&totals)})
}

fn failure_json(failure: &FileFailure) -> Value {
    json!({"path": failure.path, "code": failure.code, "message": failure.message})
}

/// What all sessions of an import amount to, each request counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Totals {
    /// Sessions.
    pub sessions: u64,
    /// Entries.
    pub entries: u64,
    /// Turns of persons.
    pub user_turns: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Requests, each once.
    pub requests: u64,
    /// Those whose billed tokens are known.
    pub known_requests: u64,
    /// Requests that stand in a second session.
    pub duplicate_requests: u64,
    /// Billed tokens of the requests.
    pub usage: UsageTotals,
    /// Billed tokens outside of requests.
    pub extra_usage: UsageTotals,
    /// Faults.
    pub warnings: u64,
}

impl Totals {
    /// Sums in the order given.
    pub fn of<'t>(sessions: impl Iterator<Item = (&'t Stored, &'t Account)>, view: View) -> Totals {
        let mut totals = Totals::default();
        for (stored, account) in sessions {
            let summary = &stored.summary;
            let stats = summary.stats(view);
            totals.sessions += 1;
            totals.entries += summary.content_lines;
            totals.user_turns += stats.user_turns;
            totals.tool_calls += stats.tool_calls;
            totals.requests += account.requests;
            totals.known_requests += account.known_requests;
            totals.duplicate_requests += account.duplicate_requests();
            totals.warnings += summary.warning_counts.values().sum::<u64>();
            totals.warnings += account.duplicates.len() as u64;
            totals.usage.add_all(&account.usage);
            totals.extra_usage.add_all(&account.extra_usage);
        }
        totals
    }
}

fn totals_json(totals: &Totals) -> Value {
    let mut usage = usage_json(&totals.usage);
    usage["known_requests"] = totals.known_requests.into();
    json!({
        "sessions": totals.sessions,
        "entries": totals.entries,
        "user_turns": totals.user_turns,
        "tool_calls": totals.tool_calls,
        "requests": totals.requests,
        "duplicate_requests": totals.duplicate_requests,
        "usage": usage,
        "extra_usage": usage_json(&totals.extra_usage),
        "warnings": totals.warnings,
    })
}

/// Code, line and sentence of each fault of a session, those of the whole import too.
pub fn warnings(stored: &Stored, account: &Account, names: &[String]) -> Vec<(&'static str, u64, String)> {
    let own = stored.summary.warnings.iter();
    let mut all: Vec<_> = own.map(|w| (w.code.code(), w.line, w.message.clone())).collect();
    all.extend(account.duplicates.iter().map(|(owner, duplicates)| {
        let count = duplicates.requests;
        let what = if count == 1 { "1 request".to_owned() } else { format!("{count} requests") };
        let message = format!("{what} from this line on stand in {} too: counted there", names[*owner]);
        (DUPLICATE_HISTORY.code(), duplicates.first_line, message)
    }));
    all.sort_by(|a, b| (a.1, a.0, &a.2).cmp(&(b.1, b.0, &b.2)));
    all
}

const DUPLICATE_HISTORY: adapters::log::FaultCode = adapters::log::FaultCode::DuplicateHistory;

/// How often each fault was met, those of the whole import too.
pub fn warning_counts(stored: &Stored, account: &Account) -> BTreeMap<&'static str, u64> {
    let mut counts: BTreeMap<_, _> =
        stored.summary.warning_counts.iter().map(|(code, count)| (code.code(), *count)).collect();
    if !account.duplicates.is_empty() {
        *counts.entry(DUPLICATE_HISTORY.code()).or_default() += account.duplicates.len() as u64;
    }
    counts
}

/// One session: the figures of the view asked for, and those of the other view where the two differ. `path` is left
/// to the caller: the answer has the path as given, the manifest only the copy's name.
fn session_json(stored: &Stored, account: &Account, names: &[String], view: View) -> Value {
    let summary = &stored.summary;
    let warnings: Vec<Value> = warnings(stored, account, names)
        .into_iter()
        .map(|(code, line, message)| json!({"code": code, "line": line, "message": message}))
        .collect();
    let differs = summary.salvaged.is_some();
    let mut value = json!({
        "format": summary.format.map(Format::name),
        "version": summary.version.as_ref().map(version_json),
        "id": summary.id,
        "cwd": summary.cwd,
        "time_ms": summary.time_ms,
        "parent_session": summary.parent_session,
        "parent": account.parent.map(|parent| &names[parent]),
        "view": view.name(),
        "views_differ": differs,
        "lines": summary.lines,
        "entries": summary.content_lines,
        "skipped_lines": summary.skipped_lines(),
        "salvaged_entries": summary.salvaged_entries(),
        "warnings": warnings,
        "warning_counts": warning_counts(stored, account),
        "lost": counts_json(&summary.lost),
        "deduplicated": counts_json(&summary.deduplicated),
        "requests_own": account.requests,
        "duplicate_requests": account.duplicate_requests(),
        "copy_of": account.copy_of.map(|first| &names[first]),
        "usage_own": usage_json(&account.usage),
        "stated_totals": summary.stated.as_ref().map(usage_json),
        "bytes": summary.bytes,
        "source_bytes": stored.source_bytes,
    });
    merge(&mut value, copy_json(stored));
    merge(&mut value, stats_json(summary.stats(view)));
    for other in [View::Agent, View::Salvaged] {
        if differs && other != view {
            value[other.name()] = stats_json(summary.stats(other));
        }
    }
    value
}

/// The copy. Under redaction the source's own hash is told to nobody: it would confirm guesses.
fn copy_json(stored: &Stored) -> Value {
    let is_redacted = stored.copy.as_ref().is_some_and(|copy| copy.redacted.is_some());
    let of = |take: fn(&Copy) -> Value| stored.copy.as_ref().map(take);
    json!({
        "sha256": (!is_redacted).then_some(&stored.source_hash),
        "source_mac": is_redacted.then_some(&stored.source_hash),
        "stored": of(|copy| copy.name.as_str().into()),
        "stored_identical": of(|copy| copy.identical.into()),
        "stored_sha256": of(|copy| copy.sha256.as_str().into()),
        "stored_bytes": of(|copy| copy.bytes.into()),
        "blobs": of(|copy| json!({"strings": copy.blobs.strings, "bytes": copy.blobs.bytes})),
        "redacted": stored.copy.as_ref().and_then(|copy| copy.redacted.as_ref()),
    })
}

fn counts_json(counts: &BTreeMap<String, u64>) -> Vec<Value> {
    counts.iter().map(|(what, count)| json!({"what": what, "count": count})).collect()
}

fn version_json(version: &Version) -> Value {
    match version {
        Version::Number(number) => (*number).into(),
        Version::Release(release) => release.as_str().into(),
    }
}

fn stats_json(stats: &Stats) -> Value {
    let mut usage = usage_json(&stats.usage);
    usage["known_requests"] = stats.known_requests.into();
    json!({
        "tree_entries": stats.tree_entries,
        "user_turns": stats.user_turns,
        "requests": stats.requests,
        "inherited_requests": stats.inherited_requests,
        "tool_calls": stats.tool_calls,
        "unanswered_calls": stats.unanswered_calls,
        "usage": usage,
        "extra_usage": usage_json(&stats.extra_usage),
        "tool_usage": usage_json(&stats.tool_usage),
    })
}

fn usage_json(usage: &UsageTotals) -> Value {
    json!({
        "input": usage.input,
        "output": usage.output,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "cache_write_1h": usage.cache_write_1h,
        "reasoning": usage.reasoning,
        "cost": usage.cost,
    })
}

fn merge(value: &mut Value, with: Value) {
    if let (Value::Object(own), Value::Object(with)) = (value, with) {
        own.extend(with);
    }
}

//! Wire forms: `import/1` for the caller, `import-manifest/1` for the folder.

use adapters::log::{Format, Stats, UsageTotals, Version, View};
use serde_json::{Value, json};

use super::{FileFailure, Imported};

/// The answer of `harness import --json`.
pub fn import_json(sessions: Vec<Value>, failed: Vec<Value>) -> Value {
    json!({"schema": "import/1", "sessions": sessions, "failed": failed})
}

/// One file that wasn't imported.
pub fn failure_json(failure: &FileFailure) -> Value {
    json!({"path": failure.path.to_string_lossy(), "code": failure.code, "message": failure.message})
}

/// One session: the figures of the view asked for, and those of the other view where the two differ. `path` is left
/// to the caller: the answer has the path as given, the manifest only the copy's name.
pub fn session_json(imported: &Imported, view: View) -> Value {
    let session = &imported.session;
    let figures = session.stats(view);
    let warnings: Vec<Value> = session
        .warnings
        .iter()
        .map(|warning| json!({"code": warning.code.code(), "line": warning.line, "message": warning.message}))
        .collect();
    let lost: Vec<Value> =
        session.lost.iter().map(|(what, count)| json!({"what": what, "count": count})).collect();
    let differs = session.salvaged.is_some();
    let mut value = json!({
        "format": session.format.map(Format::name),
        "version": session.header.as_ref().and_then(|header| header.version.as_ref()).map(version_json),
        "view": view.name(),
        "views_differ": differs,
        "lines": session.lines,
        "entries": session.content_lines,
        "warnings": warnings,
        "lost": lost,
        "stored": imported.stored,
        "sha256": imported.sha256,
        "bytes": session.bytes,
    });
    merge(&mut value, stats_json(&figures));
    for other in [View::Agent, View::Salvaged] {
        if differs && other != view {
            value[other.name()] = stats_json(&session.stats(other));
        }
    }
    value
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
        "tool_calls": stats.tool_calls,
        "usage": usage,
        "extra_usage": usage_json(&stats.extra_usage),
    })
}

fn usage_json(usage: &UsageTotals) -> Value {
    json!({
        "input": usage.input,
        "output": usage.output,
        "cache_read": usage.cache_read,
        "cache_write": usage.cache_write,
        "reasoning": usage.reasoning,
    })
}

fn merge(value: &mut Value, with: Value) {
    if let (Value::Object(own), Value::Object(with)) = (value, with) {
        own.extend(with);
    }
}

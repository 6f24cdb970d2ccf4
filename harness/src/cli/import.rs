//! `harness import`.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use adapters::cli::{ViewArgument, visible};
use adapters::log::{self, View};
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};

use super::{Outcome, output};
use crate::failure::{Failure, Kind};
use crate::import::{
    Destination, ENDINGS, FileFailure, Found, Imported, Progress, RedactionKey, Run, Settings, Totals,
    discover, import, import_json, tracking_tree, warning_counts, warnings,
};

/// Import sessions of agents into a private folder: copies with figures, faults and hashes
///
/// Files are read whatever their names; folders are searched for `.jsonl`, `.jsonl.zst` and `.jsonl.zstd`. The source is
/// never changed. An import that was stopped goes on where it was, and one that is repeated reads only what changed.
/// History that stands in several files is counted once. Exit code 0 where every file was read (faults inside a session
/// are warnings, and a folder without logs is no fault), 65 where a file is no session, 74 where one can't be read.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  harness import ~/.pi/agent/sessions ~/.claude/projects --out my-sessions"
)]
pub struct ImportArguments {
    /// Session files, or folders that hold them
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Folder to fill: absent, empty, or made by an earlier import
    #[arg(long, required_unless_present = "dry_run")]
    out: Option<PathBuf>,
    /// Format of the files
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    format: Format,
    /// Which reading of a log the figures are of: all that happened in it, or what the agent itself would read again
    #[arg(long, value_enum, default_value_t = ViewArgument::Salvaged)]
    view: ViewArgument,
    /// Only make the figures: keep no copies, write nothing
    #[arg(long, conflicts_with_all = ["out", "redact", "verify"])]
    dry_run: bool,
    /// Replace secrets, users' names, e-mail addresses and images in the copies, consistently
    #[arg(long)]
    redact: bool,
    /// File of the key that decides what they are replaced by [default: one that the folder keeps]
    #[arg(long, value_name = "FILE", requires = "redact", conflicts_with = "dry_run")]
    redact_key: Option<PathBuf>,
    /// Count history in every session that holds it
    #[arg(long)]
    no_dedup: bool,
    /// Strings longer than this many bytes (images, data) are cut out of the copies and kept once
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20,
        value_parser = clap::value_parser!(u32).range(1024..))]
    max_blob: u32,
    /// Read everything again, also what didn't change since the last import
    #[arg(long)]
    verify: bool,
    /// Threads [default: one a core]; no output depends on it
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    jobs: usize,
    /// Print one JSON value
    #[arg(long)]
    json: bool,
}

/// Formats by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// By content.
    Auto,
    /// The Pi coding agent.
    Pi,
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// DeepSeek Harness.
    Dsh,
}

impl Format {
    fn named(self) -> Option<log::Format> {
        match self {
            Format::Auto => None,
            Format::Pi => Some(log::Format::Pi),
            Format::Claude => Some(log::Format::Claude),
            Format::Codex => Some(log::Format::Codex),
            Format::Dsh => Some(log::Format::Dsh),
        }
    }
}

/// Runs the verb.
///
/// # Errors
/// Usage for a folder that can't be used, input or output where it can't be written.
pub fn run(arguments: &ImportArguments) -> Outcome {
    let destination = destination(arguments)?;
    let settings = settings(arguments, destination.as_ref())?;
    let found = discover(&arguments.paths, arguments.out.as_deref());
    let bar = bar(&found);
    let (done, all) = (AtomicUsize::new(0), found.files.len());
    let progress = Progress {
        bytes: &|bytes| bar.inc(bytes),
        file: &|unread| {
            bar.inc(unread);
            bar.set_message(format!("{} of {all} files", done.fetch_add(1, Ordering::Relaxed) + 1));
        },
    };
    let view = View::from(arguments.view);
    let pool = super::pool(arguments.jobs)?;
    let run = pool.install(|| import(&found, destination.as_ref(), &settings, view, &progress));
    bar.finish_and_clear();
    let run = run?;
    notes(&found, &run);
    if arguments.json {
        output::json(&import_json(&run, view))?;
    } else {
        output::data(&text(&run, view))?;
    }
    Ok(exit_code(&run.failed))
}

fn destination(arguments: &ImportArguments) -> Result<Option<Destination>, Failure> {
    let Some(out) = &arguments.out else { return Ok(None) };
    if !arguments.redact
        && let Some(tree) = tracking_tree(out)
    {
        return Err(Failure::usage(format!(
            "output folder: {}: lies in the Git work tree {} and isn't ignored there: choose another folder, or pass --redact",
            out.display(),
            tree.display()
        )));
    }
    Destination::open(out).map(Some)
}

fn settings(arguments: &ImportArguments, destination: Option<&Destination>) -> Result<Settings, Failure> {
    let redaction = match (arguments.redact, &arguments.redact_key, destination) {
        (true, Some(key), _) => Some(RedactionKey::read(key)?),
        (true, None, Some(destination)) => Some(RedactionKey::of_folder(destination)?),
        _ => None,
    };
    Ok(Settings {
        format: arguments.format.named(),
        max_blob: arguments.max_blob as usize,
        each_alone: arguments.no_dedup,
        redaction,
        verify: arguments.verify,
    })
}

fn bar(found: &Found) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let size = |path: &Path| path.metadata().map_or(0, |found| found.len());
    let bytes = found.files.iter().map(|source| size(&source.path)).sum();
    let style = ProgressStyle::with_template("{msg}  {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left");
    let bar = ProgressBar::new(bytes).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// What isn't data: files that weren't imported, folders without logs, damage of the journal.
fn notes(found: &Found, run: &Run) {
    for failure in &run.failed {
        output::note(&format!("harness: {}: {}", visible(&failure.path), failure.message));
    }
    for folder in &found.empty {
        let looked_for = ENDINGS.map(|ending| format!("*{ending}")).join(", ");
        let folder = visible(&folder.to_string_lossy());
        output::note(&format!("harness: {folder}: nothing to import: no {looked_for} below"));
    }
    if run.journal_damage > 0 {
        output::note(&format!(
            "harness: journal.jsonl: {} lines can't be read: import the files they told of again",
            run.journal_damage
        ));
    }
}

/// One line a session, the faults by code, the sums.
fn text(run: &Run, view: View) -> String {
    let mut text = String::new();
    let sessions = run.sessions();
    for session in &sessions {
        text.push_str(&line(session, view));
    }
    text.push_str(&faults(&sessions, &run.names));
    text.push_str(&sums(run, &sessions, view));
    text
}

fn line(session: &Imported<'_>, view: View) -> String {
    let summary = &session.stored.summary;
    let stats = summary.stats(view);
    let usage = &stats.usage;
    let prompt = usage.input.saturating_add(usage.cache_read).saturating_add(usage.cache_write);
    let mut notes = Vec::new();
    let faults: u64 = summary.warning_counts.values().sum();
    let counts = [
        (faults, "warnings"),
        (session.account.duplicate_requests(), "requests counted elsewhere"),
        (summary.skipped_lines(), "lines skipped by the agent"),
        (summary.salvaged_entries(), "entries salvaged"),
    ];
    notes.extend(counts.into_iter().filter(|(count, _)| *count > 0).map(|(n, what)| format!("{n} {what}")));
    let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join(", ")) };
    format!(
        "{:<6} {:>7} entries {:>5} turns {:>6} requests {:>6} calls {:>11} in {:>9} out  {}{notes}\n",
        summary.format.map_or("-", log::Format::name),
        summary.content_lines,
        stats.user_turns,
        stats.requests,
        stats.tool_calls,
        prompt,
        usage.output,
        visible(session.path),
    )
}

/// Each code once: how often, in how many sessions, and where first.
fn faults(sessions: &[Imported<'_>], names: &[String]) -> String {
    struct Met {
        count: u64,
        sessions: u64,
        first: String,
    }
    let mut codes: BTreeMap<&str, Met> = BTreeMap::new();
    for session in sessions {
        let listed = warnings(session.stored, session.account, names);
        for (code, count) in warning_counts(session.stored, session.account) {
            let met = codes.entry(code).or_insert_with(|| {
                let first = listed.iter().find(|(listed, ..)| *listed == code);
                let place = first.map_or(String::new(), |(_, line, message)| format!(":{line}: {message}"));
                Met { count: 0, sessions: 0, first: format!("{}{place}", visible(session.path)) }
            });
            met.count += count;
            met.sessions += 1;
        }
    }
    let mut text = String::new();
    for (code, met) in codes {
        let Met { count, sessions, first } = met;
        text.push_str(&format!("{code}: {count} in {sessions} sessions, first {first}\n"));
    }
    text
}

fn sums(run: &Run, sessions: &[Imported<'_>], view: View) -> String {
    let totals = Totals::of(sessions.iter().map(|s| (s.stored, s.account)), view);
    let (usage, extra) = (&totals.usage, &totals.extra_usage);
    let aside = |count: u64, what: &str| match count {
        0 => String::new(),
        count => format!("  ({count} {what})"),
    };
    let unknown = totals.requests - totals.known_requests;
    let rows = [
        ("sessions", totals.sessions, aside(run.reused, "not read again")),
        ("failed", run.failed.len() as u64, String::new()),
        ("entries", totals.entries, String::new()),
        ("user turns", totals.user_turns, String::new()),
        ("tool calls", totals.tool_calls, String::new()),
        ("requests", totals.requests, aside(totals.duplicate_requests, "more are copied history")),
        ("input", usage.input, aside(unknown, "requests tell no usage")),
        ("cache read", usage.cache_read, String::new()),
        ("cache write", usage.cache_write, aside(usage.cache_write_1h, "for one hour")),
        ("output", usage.output, aside(usage.reasoning, "for reasoning")),
    ];
    let mut text: String =
        rows.iter().map(|(name, count, aside)| format!("{name:<12} {count:>14}{aside}\n")).collect();
    let beside = extra.input + extra.cache_read + extra.cache_write + extra.output;
    if beside > 0 {
        text.push_str(&format!(
            "{:<12} {beside:>14}  (tokens of summaries, cache warming, tools' own models)\n",
            "beside"
        ));
    }
    if let Some(cost) = usage.cost {
        text.push_str(&format!("{:<12} {cost:>14.4}  (US dollars, as the logs state them)\n", "cost"));
    }
    text
}

/// What can't be read outweighs what is no session.
fn exit_code(failed: &[FileFailure]) -> ExitCode {
    let any = |code: &str| failed.iter().any(|failure| failure.code == code);
    if any("unreadable") || any("changed") {
        ExitCode::from(Kind::Io.exit_code())
    } else if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(Kind::BadData.exit_code())
    }
}

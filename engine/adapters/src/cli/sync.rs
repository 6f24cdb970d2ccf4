//! `sluice sync`: read what live logs have grown by.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;

use super::failure::{Failure, Kind};
use super::sync_wire::{Answer, Failed, File};
use super::{Outcome, output};
use crate::log::{SessionLog, View};
use crate::sync::{Store, SyncError, Synced};

/// Read what session logs have grown by, each byte once
///
/// The state keeps what was read without its texts, so the next call reads only what was appended, and a call that was
/// killed costs nothing. A log that was truncated, rewritten, replaced or rotated begins a new generation; the old one
/// stays until --drop-ended.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  sluice sync ~/.pi/agent/sessions/*/*.jsonl --state ~/.local/state/sluice --json"
)]
pub(super) struct SyncArguments {
    /// Session logs
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder of the state; private to you
    #[arg(long, value_name = "DIR")]
    state: PathBuf,
    /// Only read and count: no figures, whose cost grows with the log
    #[arg(long)]
    no_figures: bool,
    /// Forget the generations of these logs that ended
    #[arg(long)]
    drop_ended: bool,
    /// One JSON value on standard output
    #[arg(long)]
    json: bool,
}

/// A log and what was done about it.
struct Done<'a> {
    path: &'a Path,
    synced: Synced,
    log: Option<SessionLog>,
}

pub(super) fn run(arguments: &SyncArguments) -> Outcome {
    let mut store = Store::open(&arguments.state)?;
    let mut done = Vec::new();
    let mut failures: Vec<(&Path, Failure)> = Vec::new();
    output::with_progress("syncing", || {
        for path in &arguments.files {
            match sync(&mut store, path, arguments) {
                Ok(synced) => done.push(synced),
                Err(error) => failures.push((path, error.into())),
            }
        }
    });
    for (_, failure) in &failures {
        output::note(&format!("sluice: {}", output::visible(&failure.message)));
    }
    print(&store, arguments, &done, &failures)?;
    conclude(&failures)
}

fn sync<'a>(store: &mut Store, path: &'a Path, arguments: &SyncArguments) -> Result<Done<'a>, SyncError> {
    let synced = store.sync(path)?;
    let log =
        if arguments.no_figures { None } else { Some(store.log(path, Some(synced.generation.number))?) };
    if arguments.drop_ended {
        store.drop_ended(path)?;
    }
    Ok(Done { path, synced, log })
}

fn print(
    store: &Store,
    arguments: &SyncArguments,
    done: &[Done<'_>],
    failures: &[(&Path, Failure)],
) -> Outcome {
    if !arguments.json {
        return output::data(&done.iter().map(text).collect::<String>());
    }
    let mut files = Vec::new();
    for one in done {
        files.push(File::new(one.path, &one.synced, &store.generations(one.path)?, one.log.as_ref()));
    }
    let failed = failures.iter().map(|(path, failure)| Failed::new(path, failure.message.clone())).collect();
    output::json(&Answer::new(files, failed))
}

fn text(done: &Done<'_>) -> String {
    let Synced { event, generation, bytes_read, .. } = &done.synced;
    let mut text = format!(
        "{}\n  {}: {bytes_read} bytes read, {} in generation {}, {} lines",
        output::visible(&done.path.to_string_lossy()),
        event.code(),
        generation.bytes_read,
        generation.number,
        generation.lines,
    );
    if generation.torn_tail_bytes > 0 {
        text.push_str(&format!(", {} bytes of a line without an end", generation.torn_tail_bytes));
    }
    text.push('\n');
    if let Some(log) = &done.log {
        let stats = log.stats(View::Agent);
        text.push_str(&format!(
            "  {} entries, {} turns, {} requests, {} tool calls\n",
            stats.tree_entries, stats.user_turns, stats.requests, stats.tool_calls
        ));
        for (code, count) in &log.warning_counts {
            // Writing to a string can't fail.
            let _ = writeln!(text, "  {}: {count}", code.code());
        }
    }
    text
}

/// The exit code of several failures: what can't be read or written outweighs what is no session. Each was told.
fn conclude(failures: &[(&Path, Failure)]) -> Outcome {
    let io = failures.iter().find(|(_, failure)| failure.kind == Kind::Io);
    match (failures.len(), io.or(failures.first())) {
        (_, None) => Ok(()),
        (count, Some((_, failure))) => Err(Failure {
            kind: failure.kind,
            message: format!("sync: {count} of the logs failed: see above"),
        }),
    }
}

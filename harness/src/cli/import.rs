//! `harness import`.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use adapters::log::View;
use clap::{Args, ValueEnum};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::{Outcome, output};
use crate::failure::{Failure, Kind};
use crate::import::{
    Destination, FileFailure, Imported, discover, failure_json, import_file, import_json, session_json,
};

/// Imports sessions of an agent into a private folder: byte-identical copies with figures, faults and hashes.
///
/// Folders are searched for `.jsonl` files. The source is never changed. Exit code 0 where every file was read (faults
/// inside a session are warnings), 65 where a file is no session, 74 where one can't be read.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  harness import ~/.pi/agent/sessions --out my-sessions --json")]
pub struct ImportArguments {
    /// Session files, or folders that hold them.
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Folder to fill: absent, empty, or made by an earlier import.
    #[arg(long)]
    out: PathBuf,
    /// Format of the files.
    #[arg(long, value_enum, default_value_t = Format::Auto)]
    format: Format,
    /// Which reading of a damaged log the figures are of.
    #[arg(long, value_enum, default_value_t = ViewArgument::Agent)]
    view: ViewArgument,
    /// Remove secrets while copying.
    #[arg(long)]
    redact: bool,
    /// Print one JSON value.
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

/// Views by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ViewArgument {
    /// As the agent itself reads the log.
    Agent,
    /// With everything that can be recovered.
    Salvaged,
}

impl From<ViewArgument> for View {
    fn from(view: ViewArgument) -> View {
        match view {
            ViewArgument::Agent => View::Agent,
            ViewArgument::Salvaged => View::Salvaged,
        }
    }
}

/// Runs the verb.
///
/// # Errors
/// Usage for what this version can't do, input or output where the folder can't be written.
pub fn run(arguments: &ImportArguments) -> Outcome {
    refuse_what_is_not_built(arguments)?;
    let destination = Destination::open(&arguments.out)?;
    let (files, unlisted) = discover(&arguments.paths);
    let mut failed: Vec<FileFailure> =
        unlisted.iter().map(|(path, error)| FileFailure::unreadable(path, error)).collect();
    let mut imported = Vec::new();
    let progress = progress(files.len());
    for file in &files {
        match import_file(file, &destination)? {
            Ok(session) => imported.push(session),
            Err(failure) => failed.push(failure),
        }
        progress.inc(1);
    }
    progress.finish_and_clear();
    publish_manifest(&destination, &imported)?;
    report(arguments, &imported, &failed)?;
    Ok(exit_code(&failed))
}

fn refuse_what_is_not_built(arguments: &ImportArguments) -> Result<(), Failure> {
    if arguments.redact {
        return Err(Failure::usage(
            "--redact: comes with a later version: import into a folder of your own and don't share it",
        ));
    }
    match arguments.format {
        Format::Auto | Format::Pi => Ok(()),
        Format::Claude | Format::Codex | Format::Dsh => {
            let name =
                arguments.format.to_possible_value().map_or(String::new(), |v| v.get_name().to_owned());
            Err(Failure::usage(format!("--format {name}: comes with a later version: only pi is read now")))
        }
    }
}

fn progress(files: usize) -> ProgressBar {
    if files < 2 || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{pos}/{len} sessions  {per_sec}  {eta} left");
    ProgressBar::new(files as u64).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// The manifest covers every copy in the folder, those of earlier imports too, sorted by name.
fn publish_manifest(destination: &Destination, imported: &[Imported]) -> Result<(), Failure> {
    let name = |session: &Value| session["stored"].as_str().unwrap_or("").to_owned();
    let mut sessions: BTreeMap<String, Value> =
        destination.manifest_sessions()?.into_iter().map(|session| (name(&session), session)).collect();
    sessions
        .extend(imported.iter().map(|session| (session.stored.clone(), session_json(session, View::Agent))));
    let sessions: Vec<Value> = sessions.into_values().collect();
    destination.write_manifest(&json!({"schema": "import-manifest/1", "sessions": sessions}))
}

fn report(arguments: &ImportArguments, imported: &[Imported], failed: &[FileFailure]) -> Result<(), Failure> {
    for failure in failed {
        output::note(&format!("harness: {}: {}", failure.path.display(), failure.message));
    }
    let view = View::from(arguments.view);
    let sessions: Vec<Value> = imported
        .iter()
        .map(|session| {
            let mut value = session_json(session, view);
            value["path"] = session.path.to_string_lossy().into();
            value
        })
        .collect();
    if arguments.json {
        return output::json(&import_json(sessions, failed.iter().map(failure_json).collect()));
    }
    let mut text = String::new();
    for (session, value) in imported.iter().zip(&sessions) {
        text.push_str(&summary(session, value));
    }
    text.push_str(&format!("{} imported, {} failed\n", imported.len(), failed.len()));
    output::data(&text)
}

/// One session for people, with its warnings below.
fn summary(session: &Imported, value: &Value) -> String {
    let figure = |name: &str| value[name].as_u64().unwrap_or(0);
    let usage = |name: &str| value["usage"][name].as_u64().unwrap_or(0);
    let mut text = format!(
        "{}\n  {} entries, {} turns, {} requests, {} tool calls\n  input {}, output {}, cache read {}, cache write {}\n",
        session.path.display(),
        figure("entries"),
        figure("user_turns"),
        figure("requests"),
        figure("tool_calls"),
        usage("input"),
        usage("output"),
        usage("cache_read"),
        usage("cache_write"),
    );
    for warning in &session.session.warnings {
        text.push_str(&format!("  line {}: {}: {}\n", warning.line, warning.code.code(), warning.message));
    }
    text
}

/// What can't be read outweighs what is no session.
fn exit_code(failed: &[FileFailure]) -> ExitCode {
    let any = |code: &str| failed.iter().any(|failure| failure.code == code);
    if any("unreadable") {
        ExitCode::from(Kind::Io.exit_code())
    } else if failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(Kind::BadData.exit_code())
    }
}

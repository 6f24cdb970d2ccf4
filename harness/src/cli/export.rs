//! `harness export`.

use std::fs::Permissions;
use std::io::{BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adapters::cli::ViewArgument;
use adapters::export::{ExportError, Exported, Source, pi_v3};
use adapters::log::{self, Format, ReadError, ReadOptions, View};
use adapters::open_regular;
use clap::Args;
use engine::message::sha256_hex;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use super::places::folder_of;
use super::{Outcome, output};
use crate::failure::Failure;

/// Write a session of any format as a session file of Pi (version 3), and tell what that format can't say
///
/// The file is for Pi: `pi --session FILE` goes on from where the session stood. The same session gives the same bytes.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  harness export session.jsonl --out pi-session.jsonl --json")]
pub struct ExportArguments {
    /// Session file.
    session: PathBuf,
    /// File to write; never one that exists.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Which reading of a damaged log.
    #[arg(long, value_enum, default_value_t = ViewArgument::Agent)]
    view: ViewArgument,
    /// Print one JSON value.
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
///
/// # Errors
/// Input or output where a file can't be read or written, bad data where it is no session, usage where the output exists.
pub fn run(arguments: &ExportArguments) -> Outcome {
    let path = arguments.session.display();
    let read = |error: std::io::Error| Failure::io(&arguments.session, &error);
    let file = open_regular(&arguments.session).map_err(read)?;
    let session = log::read(BufReader::new(file), &ReadOptions::default()).map_err(|error| match error {
        ReadError::Io { source, .. } => Failure::io(&arguments.session, &source),
        ReadError::NotASession { .. } => Failure::bad_data(format!("{path}: {error}")),
    })?;
    let view = View::from(arguments.view);
    let source = open_regular(&arguments.session).and_then(Source::of_file).map_err(read)?;
    let exported = pi_v3(&session, view, source).map_err(|error| match error {
        ExportError::Io { source } => Failure::io(&arguments.session, &source),
        ExportError::Empty => Failure::bad_data(format!("{path}: {error}")),
    })?;
    publish(&arguments.out, &exported.bytes)?;
    let document = document(arguments, session.format, view, &exported);
    if arguments.json {
        output::json(&document)?;
    } else {
        output::data(&text(arguments, &exported))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the file whole or not at all; for its owner only, as the session may be private.
fn publish(out: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let error = |error: std::io::Error| Failure::io(out, &error);
    let mut file = NamedTempFile::new_in(folder_of(out)).map_err(error)?;
    file.write_all(bytes).map_err(error)?;
    file.as_file().set_permissions(Permissions::from_mode(0o600)).map_err(error)?;
    file.as_file().sync_all().map_err(error)?;
    match file.persist_noclobber(out) {
        Ok(_) => Ok(()),
        Err(failed) if failed.error.kind() == std::io::ErrorKind::AlreadyExists => {
            Err(Failure::usage(format!("--out {}: exists: choose another name", out.display())))
        }
        Err(failed) => Err(error(failed.error)),
    }
}

fn document(arguments: &ExportArguments, format: Option<Format>, view: View, exported: &Exported) -> Value {
    let losses: Vec<Value> = exported
        .losses
        .iter()
        .map(|loss| json!({"code": loss.code.code(), "what": loss.what, "count": loss.count}))
        .collect();
    json!({
        "schema": "export/1",
        "session": arguments.session.to_string_lossy(),
        "out": arguments.out.to_string_lossy(),
        "format": format.map(Format::name),
        "view": view.name(),
        "entries": exported.entries,
        "bytes": exported.bytes.len(),
        "sha256": sha256_hex(&exported.bytes),
        "losses": losses,
    })
}

fn text(arguments: &ExportArguments, exported: &Exported) -> String {
    let mut text = format!("{}: {} entries\n", arguments.out.display(), exported.entries);
    for loss in &exported.losses {
        text.push_str(&format!("  {}: {}: {}\n", loss.code.code(), loss.what, loss.count));
    }
    text
}

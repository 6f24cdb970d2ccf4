//! `harness context`.

use std::collections::BTreeSet;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use adapters::cli::ViewArgument;
use adapters::log::{self, ReadError, ReadOptions, SessionLog, View, Warning};
use adapters::open_regular;
use clap::Args;
use engine::session::{Fate, Selection, SessionTree, select};
use engine::tokens::{O200k, TokenCounter, message_tokens};
use serde_json::{Value, json};

use super::{Outcome, output};
use crate::failure::Failure;
use crate::import::entry_bytes;

/// Show what the agent holds at an entry of a session: the lines it selects and the messages they become
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  harness context session.jsonl --leaf 120 --json")]
pub struct ContextArguments {
    /// Session file.
    session: PathBuf,
    /// Line of the entry, 1-based; where the session stands if absent.
    #[arg(long, value_name = "LINE")]
    leaf: Option<u64>,
    /// Which reading of a damaged log.
    #[arg(long, value_enum, default_value_t = ViewArgument::Agent)]
    view: ViewArgument,
    /// Print the bytes of the entry as they stand in the log, and nothing else
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    /// Print one JSON value.
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
///
/// # Errors
/// Input or output where the file can't be read, bad data where it is no session, usage where no entry stands on the line.
pub fn run(arguments: &ContextArguments) -> Outcome {
    let path = arguments.session.display();
    let file = open_regular(&arguments.session).map_err(|error| Failure::io(&arguments.session, &error))?;
    let session = log::read(BufReader::new(file), &ReadOptions::default()).map_err(|error| match error {
        ReadError::Io { source, .. } => Failure::io(&arguments.session, &source),
        ReadError::NotASession { .. } => Failure::bad_data(format!("{path}: {error}")),
    })?;
    for note in faults(&session) {
        output::note(&format!("harness: {path}: {note}"));
    }
    let view = View::from(arguments.view);
    let tree = session.view(view);
    let leaf = leaf(tree, arguments)?;
    let selection = select(tree, leaf);
    if arguments.raw {
        raw(tree, selection.leaf, &arguments.session)?;
    } else if arguments.json {
        output::json(&document(tree, &selection, view))?;
    } else {
        output::data(&table(tree, &selection))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The bytes of an entry; a packed log is unpacked up to it.
fn raw(tree: &SessionTree, leaf: Option<usize>, path: &Path) -> Result<(), Failure> {
    let io = |error: io::Error| Failure::io(path, &error);
    let Some(leaf) = leaf else {
        return Err(Failure::usage(format!("--raw: {}: no entry: choose another session", path.display())));
    };
    let bytes = entry_bytes(path, &tree.entries[leaf].bytes).map_err(io)?;
    output::bytes(&[bytes.as_slice(), b"\n"].concat())
}

/// Each fault of a session once: where first, how often.
fn faults(session: &SessionLog) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let first = session.warnings.iter().filter(|warning| seen.insert(warning.code));
    let note = |warning: &Warning| {
        let code = warning.code.code();
        let more = match session.warning_counts.get(&warning.code) {
            Some(count) if *count > 1 => format!(" ({} more such faults)", count - 1),
            _ => String::new(),
        };
        format!("line {}: {code}: {}{more}", warning.line, warning.message)
    };
    first.map(note).collect()
}

/// Index of the entry asked for: on a line of several objects, the last.
fn leaf(tree: &SessionTree, arguments: &ContextArguments) -> Result<Option<usize>, Failure> {
    let Some(line) = arguments.leaf else { return Ok(None) };
    match tree.entries.iter().rposition(|entry| entry.line == line) {
        Some(index) => Ok(Some(index)),
        None => Err(Failure::usage(format!(
            "--leaf {line}: {}: no entry on this line in the {} view: choose another line",
            arguments.session.display(),
            View::from(arguments.view).name(),
        ))),
    }
}

/// One message with what was counted of it.
struct Row {
    line: u64,
    role: &'static str,
    tokens: u64,
    sha256: String,
    sent: bool,
}

fn rows(tree: &SessionTree, selection: &Selection<'_>) -> Vec<Row> {
    let row = |(item, fate): (&engine::session::SelectedMessage<'_>, Fate)| Row {
        line: tree.entries[item.entry].line,
        role: item.message.role.name(),
        tokens: message_tokens(&O200k, &item.message),
        sha256: item.message.text_sha256(),
        sent: fate == Fate::Sent,
    };
    selection.messages.iter().zip(selection.fates()).map(row).collect()
}

fn document(tree: &SessionTree, selection: &Selection<'_>, view: View) -> Value {
    let lines: Vec<u64> = selection.entries.iter().map(|entry| tree.entries[*entry].line).collect();
    let rows = rows(tree, selection);
    let messages: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "role": row.role, "tokens": row.tokens, "sha256": row.sha256, "line": row.line, "sent": row.sent,
            })
        })
        .collect();
    json!({
        "schema": "context/1",
        "view": view.name(),
        "leaf_line": selection.leaf.map(|leaf| tree.entries[leaf].line),
        "selected": lines,
        "messages": messages,
        "counter": O200k.id(),
        "tokens": rows.iter().filter(|row| row.sent).map(|row| row.tokens).sum::<u64>(),
    })
}

fn table(tree: &SessionTree, selection: &Selection<'_>) -> String {
    let rows = rows(tree, selection);
    let mut text = String::new();
    for row in &rows {
        let note = if row.sent { "" } else { "  not sent" };
        text.push_str(&format!(
            "{:>7}  {:<11}  {:>8}  {}{note}\n",
            row.line,
            row.role,
            row.tokens,
            &row.sha256[..16]
        ));
    }
    let tokens: u64 = rows.iter().filter(|row| row.sent).map(|row| row.tokens).sum();
    text.push_str(&format!(
        "{} entries, {} messages, {tokens} tokens\n",
        selection.entries.len(),
        rows.len()
    ));
    text
}

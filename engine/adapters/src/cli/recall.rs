//! `sluice recall`: what a session said before, found again and quoted.

use std::io::BufReader;
use std::path::{Path, PathBuf};

use clap::Args;
use engine::recall::{Query, Quoting, Recalled, Scope};
use engine::session::{EntryId, SessionTree, TreeIndex};
use engine::store::{SessionIndex, StoreError};
use engine::tokens::O200k;

use super::failure::Failure;
use super::recall_wire::Answer;
use super::{Outcome, ViewArgument, output};
use crate::log::{self, ReadError, ReadOptions, SessionLog, View};
use crate::open_regular;

/// Find earlier entries of a session for a text, and quote them within a budget of tokens
///
/// Any log that sluice reads: Pi, Claude Code, Codex, DeepSeek Harness. What the text names verbatim (quoted phrases, paths,
/// errors, identifiers) comes first, then what shares its words. Only the path to the entry is searched, never another
/// branch; what the agent still holds there is left out unless --all is given. Secrets are masked.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  sluice recall session.jsonl 'why did `close_year` fail with \"year is open\"' --budget 1500"
)]
pub(super) struct RecallArguments {
    /// Session log
    session: PathBuf,
    /// What to look for
    query: String,
    /// Identifier of the entry at which to stand [default: where the session stands]
    #[arg(long, value_name = "ID")]
    leaf: Option<String>,
    /// Most tokens of the whole text, by o200k
    #[arg(long, value_name = "N", default_value_t = 2000)]
    budget: u64,
    /// Also what the agent still holds at that entry
    #[arg(long)]
    all: bool,
    /// Also summaries of compactions and of branches
    #[arg(long)]
    summaries: bool,
    /// Which reading of a damaged log
    #[arg(long, value_enum, default_value_t = ViewArgument::Agent)]
    view: ViewArgument,
    /// Keep the index in this folder, so that the next call only takes in what is new [default: in memory]
    #[arg(long, value_name = "DIR")]
    state: Option<PathBuf>,
    /// One JSON value on standard output
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &RecallArguments) -> Outcome {
    if arguments.budget == 0 {
        return Err(Failure::usage("--budget: 0 leaves no room: give at least 1"));
    }
    let view = View::from(arguments.view);
    let log = read(&arguments.session)?;
    let faults: u64 = log.warning_counts.values().sum();
    if faults > 0 {
        output::note(&format!("sluice: {}: {faults} faults in the log", shown(&arguments.session)));
    }
    let tree = log.view(view);
    let resolved = TreeIndex::new(tree);
    let leaf = leaf(tree, &resolved, arguments)?;
    let recalled = output::with_progress("searching", || recall(tree, &resolved, leaf, arguments))?;
    if arguments.json {
        let leaf = leaf.map(|leaf| &tree.entries[leaf]);
        return output::json(&Answer::new(&log, view, leaf, arguments.budget, &O200k, &recalled));
    }
    output::note(&format!(
        "{} tokens: {} excerpts of {} texts found",
        recalled.tokens,
        recalled.excerpts.len(),
        recalled.found
    ));
    output::data(&recalled.text)
}

fn read(path: &Path) -> Result<SessionLog, Failure> {
    let io = |error: &std::io::Error| Failure::io(&format!("read {}", shown(path)), error);
    let file = open_regular(path).map_err(|error| io(&error))?;
    log::read(BufReader::new(file), &ReadOptions::default()).map_err(|error| match error {
        ReadError::Io { source, .. } => io(&source),
        ReadError::NotASession { .. } => Failure::bad_data(format!("{}: {error}", shown(path))),
    })
}

fn leaf(
    tree: &SessionTree,
    resolved: &TreeIndex,
    arguments: &RecallArguments,
) -> Result<Option<usize>, Failure> {
    let Some(id) = &arguments.leaf else { return Ok(resolved.leaf(tree)) };
    let found = resolved.find(&EntryId(id.clone().into()));
    let unknown = || {
        let session = shown(&arguments.session);
        Failure::usage(format!(
            "--leaf {}: no entry of {session}: name one that it holds",
            output::visible(id)
        ))
    };
    found.map(Some).ok_or_else(unknown)
}

fn recall(
    tree: &SessionTree,
    resolved: &TreeIndex,
    leaf: Option<usize>,
    arguments: &RecallArguments,
) -> Result<Recalled, Failure> {
    let Some(leaf) = leaf else { return Ok(Recalled::default()) };
    let mut index = open(arguments)?;
    index.sync(&tree.entries)?;
    let scope = if arguments.all {
        Scope::whole_path(tree, resolved, leaf)
    } else {
        Scope::beside_the_agents_context(tree, resolved, leaf)
    };
    let query = Query::new(&arguments.query);
    Ok(index.recall(&query, &scope, arguments.summaries, Quoting::tokens(arguments.budget), &O200k)?)
}

/// In a state, a session goes by its path and view: identifiers recur in copies.
fn open(arguments: &RecallArguments) -> Result<SessionIndex, Failure> {
    let Some(state) = &arguments.state else { return Ok(SessionIndex::in_memory()?) };
    let path = std::fs::canonicalize(&arguments.session)
        .map_err(|error| Failure::io(&format!("read {}", shown(&arguments.session)), &error))?;
    let name = format!("{} {}", View::from(arguments.view).name(), path.display());
    SessionIndex::open(state, &name).map_err(|error: StoreError| error.into())
}

fn shown(path: &Path) -> String {
    output::visible(&path.to_string_lossy())
}

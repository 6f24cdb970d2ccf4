//! `harness mine`: localisation queries from the history of a repository.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::failure::Failure;
use crate::mine::{MineLimits, Mined, candidates_text, meta_document, mine, queries_text};
use crate::publish::publish;

use super::places::folder_of;
use super::progress::progress;
use super::{Outcome, output};

/// Mine localisation queries from the history of a repository
///
/// A commit after the base is a task that was solved: its message, cleaned of trailers, links, references and the names of
/// the files it changed, is the query; the program files it changed and that were there at the base are the answer. Beside
/// FILE.jsonl two more files are written: FILE.candidates.json, the program files of the base, and FILE.meta.json, counts and
/// what was left out by which rule. The same commits give the same bytes.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  harness mine ~/src/ripgrep --since e67c868 --out queries/ripgrep.jsonl")]
pub struct MineArguments {
    /// The repository, a work tree or a bare folder
    #[arg(value_name = "REPO")]
    repository: PathBuf,
    /// Base commit: its tree is searched, what came after it is asked [default: as many first parents back as --max, at
    /// most half of the history]
    #[arg(long, visible_alias = "base", value_name = "REV")]
    since: Option<String>,
    /// Last commit looked at
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    until: String,
    /// Most queries; the first after the base are kept
    #[arg(long, value_name = "N", default_value_t = MineLimits::default().max_queries)]
    max: usize,
    /// Most program files that a commit may touch
    #[arg(long, value_name = "N", default_value_t = MineLimits::default().max_files)]
    max_files: usize,
    /// Name of the repository in the queries [default: the folder's]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// File of queries to write, one JSON object a line
    #[arg(long, value_name = "FILE.jsonl")]
    out: PathBuf,
    /// One JSON value on standard output
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
///
/// # Errors
/// A commit or a file name that won't do (64); what isn't a whole repository or gives no query (65); files that can't be
/// written (74).
pub fn run(arguments: &MineArguments) -> Outcome {
    let (folder, stem) = place(&arguments.out)?;
    let limits = MineLimits { max_queries: arguments.max, max_files: arguments.max_files };
    let name = arguments.name.as_deref();
    let bar = progress("commits", 0);
    let told = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let (since, until) = (arguments.since.as_deref(), &arguments.until);
    let mined = mine(&arguments.repository, since, until, name, limits, &told);
    bar.finish_and_clear();
    let mined = mined?;
    let (queries, candidates) = (queries_text(&mined)?, candidates_text(&mined)?);
    let meta = meta_document(&mined, &queries, &candidates);
    if mined.queries.is_empty() {
        return Err(Failure::bad_data(format!(
            "{}: no commit after {} gives a query ({}): name an earlier base",
            arguments.repository.display(),
            mined.base,
            left_out(&mined)
        )));
    }
    let meta_text = output::json_text(&meta)?;
    publish(folder, &format!("{stem}.jsonl"), queries.as_bytes())?;
    publish(folder, &format!("{stem}.candidates.json"), candidates.as_bytes())?;
    publish(folder, &format!("{stem}.meta.json"), meta_text.as_bytes())?;
    if arguments.json {
        output::json(&meta)?
    } else {
        output::data(&text(&mined))?
    }
    Ok(ExitCode::SUCCESS)
}

/// Folder and stem of the file of queries.
fn place(out: &Path) -> Result<(&Path, &str), Failure> {
    let name = out.file_name().and_then(|name| name.to_str());
    let stem = name.and_then(|name| name.strip_suffix(".jsonl")).filter(|stem| !stem.is_empty());
    match stem {
        Some(stem) => Ok((folder_of(out), stem)),
        None => Err(Failure::usage(format!("{}: not a name that ends in .jsonl: rename it", out.display()))),
    }
}

fn text(mined: &Mined) -> String {
    let idents = mined.queries.iter().filter(|query| query.has_ident).count();
    let mut out = format!(
        "{}: {} queries from {} commits after {}, {idents} of them name an identifier of the answer\n",
        mined.name,
        mined.queries.len(),
        mined.commits,
        mined.base
    );
    // Writing to a string can't fail.
    let _ = writeln!(out, "left out: {}", left_out(mined));
    let _ = writeln!(out, "candidates: {} files, {} bytes", mined.candidates.len(), mined.bytes);
    if mined.masked > 0 {
        let _ = writeln!(out, "control characters: blanks stand for them in {} queries", mined.masked);
    }
    out
}

fn left_out(mined: &Mined) -> String {
    let rows: Vec<String> =
        mined.dropped.iter().map(|(rule, count)| format!("{} {count}", rule.code())).collect();
    if rows.is_empty() { "nothing".to_owned() } else { rows.join(", ") }
}

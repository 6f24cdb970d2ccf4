//! `sluice status`: whether the index is in line with the files.

use std::collections::BTreeMap;

use clap::Args;
use engine::project::{Freshness, Status};

use super::project::ProjectArguments;
use super::{Outcome, output, wire};

/// Most paths named in the text form.
const PATHS_SHOWN: usize = 20;

/// Tell whether the index is in line with the files; reads no file's content
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  sluice status --root ~/src/app --json")]
pub(super) struct StatusArguments {
    #[command(flatten)]
    project: ProjectArguments,
    /// One JSON value on standard output
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &StatusArguments) -> Outcome {
    let status = read(&arguments.project)?;
    if arguments.json {
        return output::json(&wire::Status::new(&status));
    }
    output::data(&text(&status))
}

/// Makes no state where there is none: asking must change nothing.
fn read(project: &ProjectArguments) -> Result<Status, super::Failure> {
    if !project.has_index() {
        return Ok(Status {
            freshness: Freshness::Missing,
            files: 0,
            symbols: 0,
            imports: 0,
            bytes: 0,
            without_tree: BTreeMap::new(),
            languages: BTreeMap::new(),
            drifted: Vec::new(),
        });
    }
    Ok(project.open()?.status(&project.root)?)
}

fn text(status: &Status) -> String {
    let next = match status.freshness {
        Freshness::Fresh => "",
        Freshness::Missing => ": run `sluice index`",
        Freshness::Stale => ": the next search or pack refreshes it",
        Freshness::PolicyStale => ": excludes changed, the next refresh purges it",
    };
    let mut out = format!(
        "{}{next}\n{} files, {} symbols, {} imports\n",
        status.freshness.code(),
        status.files,
        status.symbols,
        status.imports
    );
    out.push_str(&without_tree(&status.without_tree));
    for path in status.drifted.iter().take(PATHS_SHOWN) {
        out.push_str("changed: ");
        out.push_str(path);
        out.push('\n');
    }
    if status.drifted.len() > PATHS_SHOWN {
        out.push_str(&format!("and {} more\n", status.drifted.len() - PATHS_SHOWN));
    }
    out
}

/// Says which files of a known language are indexed by their words alone, where there are any.
pub(super) fn without_tree(reasons: &BTreeMap<String, u64>) -> String {
    if reasons.is_empty() {
        return String::new();
    }
    let files: u64 = reasons.values().sum();
    let by_reason: Vec<String> = reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    format!("without symbols: {files} ({})\n", by_reason.join(", "))
}

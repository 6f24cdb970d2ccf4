//! `sluice index`: bring the index in line with the files.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;

use clap::Args;
use engine::project::RefreshReport;

use super::project::{ProjectArguments, Refreshed};
use super::{Outcome, output, status, wire};
use crate::git::NoHistory;

/// Index the project, or bring its index up to date
///
/// Files named by .gitignore and .sluiceignore and files that may hold secrets are never indexed. Patterns given with
/// --exclude hold for the other verbs too, until `index` is called with others; what they newly exclude is purged.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  sluice index --root ~/src/app --exclude 'fixtures/'")]
pub(super) struct IndexArguments {
    #[command(flatten)]
    project: ProjectArguments,
    /// One JSON value on standard output
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &IndexArguments) -> Outcome {
    let start = Instant::now();
    let mut index = arguments.project.open_stating()?;
    let Refreshed { files: report, history } = arguments.project.refresh(&mut index)?;
    let seconds = start.elapsed().as_secs_f64();
    if arguments.json {
        return output::json(&wire::Index::new(&report, &history, seconds));
    }
    output::data(&text(&report, &history, seconds))
}

fn text(report: &RefreshReport, history: &Result<u64, NoHistory>, seconds: f64) -> String {
    let mut out = format!(
        "{} files, {} symbols, {} imports: {} analysed, {} unchanged, {} removed, {seconds:.2} s\n",
        report.files, report.symbols, report.imports, report.changed, report.reused, report.removed
    );
    // Writing to a string can't fail.
    let _ = match history {
        Ok(commits) => writeln!(out, "history: {commits} commits"),
        Err(none) => writeln!(out, "history: none ({})", none.code()),
    };
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for skipped in &report.skipped {
        *reasons.entry(skipped.reason.code()).or_default() += 1;
    }
    for (reason, count) in reasons {
        let _ = writeln!(out, "left out: {count} {reason}");
    }
    out.push_str(&status::without_tree(&report.without_tree));
    if report.purged {
        out.push_str("excluded content was purged\n");
    }
    out
}

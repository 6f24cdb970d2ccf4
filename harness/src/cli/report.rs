//! `harness report DIR`: draw the reports of a stored `gate.json` again.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::{Outcome, output};
use crate::publish;
use crate::report::folder::Ended;
use crate::report::{render, terminal, view};

/// Draw the reports of a stored gate.json again, where the gate that wrote it ended with a verdict
///
/// Example: harness report reports/latest
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// Folder with the gate.json and the verdict of a gate
    folder: PathBuf,
    /// Print gate.json instead of the summary
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
///
/// # Errors
/// 74 where the folder can't be read or written or a gate holds it, 65 where it holds no gate.json of this version or no
/// verdict of the same run.
pub fn run(arguments: &ReportArguments) -> Outcome {
    let ended = Ended::read(&arguments.folder)?;
    let document = &ended.document;
    for (name, bytes) in render::drawn(document)? {
        publish::publish(&arguments.folder, name, &bytes)?;
    }
    if arguments.json {
        output::bytes(ended.text.as_bytes())?;
    } else {
        let place = arguments.folder.join("report.html").display().to_string();
        output::coloured(&terminal::terminal(document, &view::view(document), &place))?;
    }
    Ok(ExitCode::SUCCESS)
}

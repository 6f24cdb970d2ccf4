//! `harness report DIR`: draw the reports of a stored `gate.json` again.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::{Outcome, output};
use crate::failure::read_text;
use crate::gate::document::Document;
use crate::publish;
use crate::report::{render, terminal, view};

/// Draw the reports of a stored gate.json again
///
/// Example: harness report reports/latest
#[derive(Debug, Args)]
pub struct ReportArguments {
    /// Folder with a gate.json
    folder: PathBuf,
    /// Print gate.json instead of the summary
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
///
/// # Errors
/// 74 where the folder can't be read or written, 65 where it holds no gate.json of this version.
pub fn run(arguments: &ReportArguments) -> Outcome {
    let path = arguments.folder.join("gate.json");
    let text = read_text(&path)?;
    let document = Document::from_json(&text, &path.display().to_string())?;
    for (name, bytes) in render::drawn(&document)? {
        publish::publish(&arguments.folder, name, &bytes)?;
    }
    if arguments.json {
        output::bytes(text.as_bytes())?;
    } else {
        let place = arguments.folder.join("report.html").display().to_string();
        output::coloured(&terminal::terminal(&document, &view::view(&document), &place))?;
    }
    Ok(ExitCode::SUCCESS)
}

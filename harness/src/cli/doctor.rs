//! `harness doctor`: which engine this is, and which programs a verb may need are found.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::{Outcome, output};
use crate::record::PI_DIR_VARIABLE;
use crate::workspace::WorkspaceRoot;

/// Programs on the path and what needs them.
const PROGRAMS: [(&str, &str); 6] = [
    ("python3", "grading and recording Python scenarios"),
    ("node", "grading and recording JavaScript scenarios, and the Pi agent"),
    ("cargo", "grading and recording Rust scenarios"),
    ("rustc", "grading and recording Rust scenarios"),
    ("git", "recording"),
    ("pi", "recording with the real agent (or name its folder with --pi-dir)"),
];

/// Show the engine's digest and find what verbs need: runtimes, git, the Pi agent
///
/// Example: harness doctor --json
#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Folder that holds node_modules with the Pi agent
    #[arg(long, value_name = "DIR", env = PI_DIR_VARIABLE)]
    pi_dir: Option<PathBuf>,
    /// Print one JSON value
    #[arg(long)]
    json: bool,
}

/// Runs the verb. The gate needs none of what it looks for, so that nothing missing is a failure.
///
/// # Errors
/// 74 where standard output fails.
pub fn run(arguments: &DoctorArguments) -> Outcome {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    if let Some(folder) = &arguments.pi_dir {
        folders.insert(0, folder.join("node_modules/.bin"));
    }
    let programs: Vec<Value> = PROGRAMS
        .iter()
        .map(|(name, needed_for)| {
            json!({ "name": name, "found": found(&folders, name), "needed_for": needed_for })
        })
        .collect();
    let root = WorkspaceRoot::current().ok();
    let value = json!({
        "schema": "doctor/1",
        "version": env!("CARGO_PKG_VERSION"),
        "engine_digest": engine::ENGINE_SOURCES_SHA256,
        "workspace": root.as_ref().map(|root| root.path().display().to_string()),
        "programs": programs,
    });
    if arguments.json {
        output::json(&value)?;
    } else {
        output::data(&text(&value))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a folder of the path holds the program. It isn't started.
fn found(folders: &[PathBuf], name: &str) -> bool {
    folders.iter().any(|folder| is_program(&folder.join(name)))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file() || path.with_extension("exe").is_file()
}

fn text(value: &Value) -> String {
    let words = |value: &Value| value.as_str().unwrap_or("not found").to_owned();
    let mut out = format!(
        "harness    {}\nengine     {}\nworkspace  {}\n\n",
        words(&value["version"]),
        words(&value["engine_digest"]),
        words(&value["workspace"])
    );
    for program in value["programs"].as_array().into_iter().flatten() {
        let state = if program["found"] == json!(true) { "found" } else { "missing" };
        out.push_str(&format!(
            "{:<9} {state:<8} {}\n",
            words(&program["name"]),
            words(&program["needed_for"])
        ));
    }
    out.push_str("\nthe gate itself needs none of these\n");
    out
}

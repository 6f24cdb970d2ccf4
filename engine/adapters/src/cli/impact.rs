//! `sluice impact`: which files and tests a change may break.

use std::fmt::Write;
use std::path::{Component, Path, PathBuf};

use clap::Args;
use engine::retrieve::{Affected, IMPACT_DEPTH, Impact, impact};

use super::failure::Failure;
use super::impact_wire::Answer;
use super::project::ProjectArguments;
use super::{Outcome, output, visible};
use crate::git::changed_paths;

/// Tell which tests and files may break when files change
///
/// Imports are followed backwards, so are names used without one (files of a package in Go, Java and C#, shared headers in C
/// and C++), and tests are found by their names. A lower bound: imports that aren't resolved are no links, and the answer
/// says how many there are. The index is brought up to date first.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  sluice impact src/ledger.py --depth 2")]
pub(super) struct ImpactArguments {
    /// Changed files, relative to the root [default: what changed in the work tree since the last commit]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    project: ProjectArguments,
    /// Most steps from a changed file
    #[arg(long, value_name = "N", default_value_t = IMPACT_DEPTH)]
    depth: u32,
    /// One JSON value on standard output
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &ImpactArguments) -> Outcome {
    let root = &arguments.project.root;
    let changed = match &arguments.paths[..] {
        [] => changed_paths(root).map_err(|why| {
            Failure::usage(format!("changed files: no history to ask ({}): name them", why.code()))
        })?,
        paths => paths.iter().map(|path| below(root, path)).collect::<Result<_, _>>()?,
    };
    let mut index = arguments.project.open()?;
    arguments.project.refresh(&mut index)?;
    let found = impact(&index, root, &changed, arguments.depth)?;
    if arguments.json {
        return output::json(&Answer::new(&found));
    }
    output::data(&text(&found))
}

/// A path as the index has it: relative to the root, forward slashes, no dots.
fn below(root: &Path, path: &Path) -> Result<String, Failure> {
    let outside = || {
        Failure::usage(format!(
            "{}: outside of the root {}: choose a file below it",
            path.display(),
            root.display()
        ))
    };
    let relative = if path.is_absolute() {
        let root =
            root.canonicalize().map_err(|error| Failure::io(&format!("read {}", root.display()), &error))?;
        // A deleted file has no canonical path of its own.
        path.strip_prefix(root).map_err(|_| outside())?.to_owned()
    } else {
        path.to_owned()
    };
    let mut names: Vec<&str> = Vec::new();
    for component in relative.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if names.pop().is_some() => {}
            Component::Normal(name) => names.push(name.to_str().ok_or_else(|| {
                Failure::usage(format!("{}: not UTF-8: such files aren't indexed", path.display()))
            })?),
            _ => return Err(outside()),
        }
    }
    Ok(names.join("/"))
}

fn text(found: &Impact) -> String {
    let mut out = String::new();
    // Writing to a string can't fail.
    for path in &found.unknown {
        let _ = writeln!(out, "not indexed: {}", visible(path));
    }
    for (title, list) in [("tests", &found.tests), ("files", &found.dependents)] {
        let _ = writeln!(out, "{title}: {}", list.len());
        for affected in list {
            let _ = writeln!(out, "{:>3}  {}", affected.distance, line(affected));
        }
    }
    if found.is_cut {
        let _ = writeln!(out, "more depend on these: raise --depth");
    }
    let inside = found.imports.resolved + found.imports.unresolved;
    let _ = writeln!(out, "imports that aren't resolved: {} of {inside}", found.imports.unresolved);
    out
}

fn line(affected: &Affected) -> String {
    let mut line = visible(&affected.path);
    for step in &affected.why {
        let _ = write!(line, " {} {}", step.how.code(), visible(&step.on));
    }
    if affected.why.is_empty() {
        line.push_str(" changed");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_taken_below_the_root() {
        let root = Path::new("/");
        let told = |path: &str| below(root, Path::new(path)).map_err(|failure| failure.message);
        assert_eq!(told("./src/../a.py").as_deref(), Ok("a.py"));
        assert_eq!(told("/src//a.py").as_deref(), Ok("src/a.py"));
        assert!(told("../a.py").is_err_and(|message| message.starts_with("../a.py: outside of the root")));
    }
}

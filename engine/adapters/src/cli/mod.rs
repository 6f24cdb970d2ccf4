//! The command line of `sluice`: one file a verb; arguments in, library calls out.

mod failure;
mod impact;
mod impact_wire;
mod index;
mod output;
mod pack;
mod project;
mod recall;
mod recall_wire;
mod redact;
mod seal;
mod search;
mod status;
mod sync;
mod sync_wire;
mod view;
mod wire;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;
pub use output::{acts, shown, usage_line, visible};
pub use view::ViewArgument;

/// Finds and quotes what a coding task needs from a project and its sessions.
#[derive(Debug, Parser)]
#[command(name = "sluice", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Index(index::IndexArguments),
    Status(status::StatusArguments),
    Search(search::SearchArguments),
    Pack(pack::PackArguments),
    Impact(impact::ImpactArguments),
    Recall(recall::RecallArguments),
    Sync(sync::SyncArguments),
    Redact(redact::RedactArguments),
}

/// What a verb ends with.
type Outcome = Result<(), Failure>;

/// Runs the command line and returns the process exit code: 0, 64 (usage), 65 (bad data), 70 (a bug), 74 (input or output).
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return output::clap_error(&error),
    };
    let outcome = match arguments.verb {
        Verb::Index(arguments) => index::run(&arguments),
        Verb::Status(arguments) => status::run(&arguments),
        Verb::Search(arguments) => search::run(&arguments),
        Verb::Pack(arguments) => pack::run(&arguments),
        Verb::Impact(arguments) => impact::run(&arguments),
        Verb::Recall(arguments) => recall::run(&arguments),
        Verb::Sync(arguments) => sync::run(&arguments),
        Verb::Redact(arguments) => redact::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => output::failure(&failure),
    }
}

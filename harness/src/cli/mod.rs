//! The command line: one file a verb; arguments in, library calls out. No logic lives here.

pub mod cert;
pub mod compare;
pub mod context;
pub mod doctor;
pub mod export;
pub mod faults;
mod gained;
pub mod gate;
pub mod import;
pub mod localize;
pub mod mine;
pub mod output;
pub mod places;
pub mod power;
pub mod progress;
pub mod quality;
pub mod record;
pub mod replay;
pub mod report;
pub mod sensitivity;
pub mod train;
pub mod verify_corpus;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::failure::Failure;

/// Records, replays, measures and gates context-engine variants.
#[derive(Debug, Parser)]
#[command(name = "harness", version, about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

/// What `harness` can do. Each verb's arguments live in the verb's own file.
#[derive(Debug, Subcommand)]
enum Verb {
    Gate(gate::GateArguments),
    Report(report::ReportArguments),
    Power(power::PowerArguments),
    Cert(cert::CertArguments),
    Doctor(doctor::DoctorArguments),
    Replay(replay::ReplayArguments),
    Compare(compare::CompareArguments),
    Localize(localize::LocalizeArguments),
    Mine(mine::MineArguments),
    Record(record::RecordArgs),
    Sensitivity(sensitivity::SensitivityArgs),
    VerifyCorpus(verify_corpus::VerifyCorpusArguments),
    Import(import::ImportArguments),
    Context(context::ContextArguments),
    Export(export::ExportArguments),
    Quality(quality::QualityArguments),
    Train(train::TrainArguments),
}

/// Most threads: more than any machine has cores, and few enough to be started at once.
const MOST_JOBS: usize = 1_024;

/// What a verb ends with: an exit code (a verdict's, or 0), or a failure.
pub type Outcome = Result<ExitCode, Failure>;

/// Runs the command line and returns the process exit code.
pub fn main() -> ExitCode {
    let given: Vec<OsString> = std::env::args_os().collect();
    let arguments = match Arguments::try_parse_from(&given) {
        Ok(arguments) => arguments,
        Err(error) => {
            if error.use_stderr() {
                gate::withdraw_of(&given);
            }
            return output::clap_error(&error);
        }
    };
    match dispatch(arguments.verb) {
        Ok(code) => code,
        Err(failure) => output::failure(&failure),
    }
}

fn dispatch(verb: Verb) -> Outcome {
    match verb {
        Verb::Gate(arguments) => gate::run(&arguments),
        Verb::Report(arguments) => report::run(&arguments),
        Verb::Power(arguments) => power::run(&arguments),
        Verb::Cert(arguments) => cert::run(&arguments),
        Verb::Doctor(arguments) => doctor::run(&arguments),
        Verb::Replay(arguments) => replay::run(&arguments),
        Verb::Compare(arguments) => compare::run(&arguments),
        Verb::Localize(arguments) => localize::run(&arguments),
        Verb::Mine(arguments) => mine::run(&arguments),
        Verb::Record(arguments) => record::run(&arguments),
        Verb::Sensitivity(arguments) => sensitivity::run(&arguments),
        Verb::VerifyCorpus(arguments) => verify_corpus::run(&arguments),
        Verb::Import(arguments) => import::run(&arguments),
        Verb::Context(arguments) => context::run(&arguments),
        Verb::Export(arguments) => export::run(&arguments),
        Verb::Quality(arguments) => quality::run(&arguments),
        Verb::Train(arguments) => train::run(&arguments),
    }
}

/// A pool of `jobs` threads, 0 for all cores. Nothing that is written depends on the number.
fn pool(jobs: usize) -> Result<rayon::ThreadPool, Failure> {
    if jobs > MOST_JOBS {
        return Err(Failure::usage(format!("jobs: {jobs}: choose at most {MOST_JOBS}, or 0 for all cores")));
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(jobs)
        .build()
        .map_err(|error| Failure::internal(format!("threads: {error}")))
}

//! `harness cert verify FILE`: is a certificate what the evidence gives today?

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use jiff::civil::Date;
use serde_json::json;

use super::{Outcome, output};
use crate::gate::campaign::{Paths, Progress, Session};
use crate::gate::conclude;
use crate::workspace::WorkspaceRoot;

/// Certificates of promotions
///
/// Example: harness cert verify certificates/0a1b….json
#[derive(Debug, Args)]
pub struct CertArguments {
    #[command(subcommand)]
    verb: CertVerb,
}

#[derive(Debug, Subcommand)]
enum CertVerb {
    /// Make the certificate again from the evidence and compare
    Verify {
        /// The certificate
        file: PathBuf,
        /// The date on which it should count, YYYY-MM-DD [default: today, UTC]
        #[arg(long, value_name = "DATE")]
        as_of: Option<Date>,
        /// Print one JSON value
        #[arg(long)]
        json: bool,
    },
}

/// Runs the verb: exit 0 for a certificate that counts, 20 for one that doesn't any more, 30 for one that the evidence
/// doesn't give.
///
/// # Errors
/// 65 for an altered certificate, 74 for what can't be read.
pub fn run(arguments: &CertArguments) -> Outcome {
    let CertVerb::Verify { file, as_of, json } = &arguments.verb;
    let root = WorkspaceRoot::current()?;
    let as_of = as_of.unwrap_or_else(super::gate::today);
    let session = Session::open(&Paths::of(&root), as_of)?;
    let finding = session.verify(file, &Progress::new(false))?;
    let word = finding.word();
    if *json {
        output::json(&json!({ "schema": "certificate-check/1", "state": word, "why": finding.why() }))?;
    } else {
        output::data(&format!("{word}: {}\n", finding.why()))?;
    }
    Ok(ExitCode::from(match word {
        "valid" => 0,
        "void" => conclude::exit_code("INSUFFICIENT"),
        _ => conclude::exit_code("INVALID"),
    }))
}

//! `harness cert verify FILE`: is a certificate what the evidence gives today? `harness cert revoke FILE`: it never counts
//! again.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use jiff::civil::Date;
use serde_json::json;

use super::places::folder_of;
use super::{Outcome, output};
use crate::failure::read_text;
use crate::gate::campaign::Session;
use crate::gate::certificate;
use crate::gate::conclude;
use crate::gate::paths::Paths;
use crate::gate::progress::Progress;
use crate::gate::recheck::Verified;
use crate::gate::revocation;
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
    /// Put a certificate on the list of those that never count again, revoked.jsonl beside it and beside the project's own copy
    Revoke {
        /// The certificate
        file: PathBuf,
        /// Why, in one line
        #[arg(long, value_name = "TEXT")]
        reason: String,
        /// The date of the revocation, YYYY-MM-DD [default: today, UTC]
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
    match &arguments.verb {
        CertVerb::Verify { file, as_of, json } => verify(file, *as_of, *json),
        CertVerb::Revoke { file, reason, as_of, json } => revoke(file, reason, *as_of, *json),
    }
}

fn revoke(file: &Path, reason: &str, as_of: Option<Date>, json: bool) -> Outcome {
    let text = read_text(file)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let certificate = certificate::open(&name, &text)?;
    let date = as_of.unwrap_or_else(super::gate::today);
    // A gate looks into the project's folder only: to revoke a copy elsewhere would leave the promotion standing.
    let project = WorkspaceRoot::current().map(|root| Paths::of(&root).certificates);
    let project = project.ok().filter(|folder| folder.join(&*name).symlink_metadata().is_ok());
    for folder in [Some(folder_of(file)), project.as_deref()].into_iter().flatten() {
        revocation::add(folder, &name, date, reason)?;
    }
    let feature = &certificate.feature;
    if json {
        output::json(
            &json!({ "schema": "revocation/1", "certificate": name, "feature": feature, "date": date.to_string() }),
        )?;
    } else {
        output::data(&format!("revoked: {name} of {feature}\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn verify(file: &Path, as_of: Option<Date>, json: bool) -> Outcome {
    let root = WorkspaceRoot::current()?;
    let as_of = as_of.unwrap_or_else(super::gate::today);
    let session = Session::open(&Paths::of(&root), as_of)?;
    let Verified { certificate, state, seal } = session.verify(file, &Progress::new(false))?;
    let word = state.word();
    let seal = seal.map(|seal| seal.map_or_else(|error| error.code(), |()| "sealed"));
    if json {
        output::json(&json!({
            "schema": "certificate-check/1",
            "feature": certificate.feature,
            "state": word,
            "why": state.why(),
            "model_artifact_sha256": certificate.model_artifact_sha256,
            "issued": certificate.issued,
            "expires": certificate.expires,
            "seal": seal,
        }))?;
    } else {
        let seal = seal.map(|code| format!("; the learned model: {code}")).unwrap_or_default();
        output::data(&format!("{word}: {}{seal}\n", state.why()))?;
    }
    Ok(ExitCode::from(match word {
        "valid" => 0,
        "void" => conclude::exit_code("INSUFFICIENT"),
        _ => conclude::exit_code("INVALID"),
    }))
}

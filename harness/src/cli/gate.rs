//! `harness gate`: the main job.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use jiff::civil::Date;

use super::{Outcome, output};
use crate::failure::Failure;
use crate::gate::campaign::{Asked, Session};
use crate::gate::document::Document;
use crate::gate::paths::Paths;
use crate::gate::progress::Progress;
use crate::gate::run::Answer;
use crate::metric::MetricFrame;
use crate::publish;
use crate::report::folder::Reports;
use crate::report::{render, terminal, view};
use crate::staged::Staged;
use crate::workspace::WorkspaceRoot;

/// Judge every gated feature on the evidence and write the reports
///
/// Example: harness gate --feature auto-context
#[derive(Debug, Args)]
pub struct GateArguments {
    /// Pre-registered policy [default: scenarios/gate.toml]
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
    /// Gated features; variants.toml lies beside it [default: scenarios/features.toml]
    #[arg(long, value_name = "FILE")]
    features: Option<PathBuf>,
    /// Corpora to judge on, instead of those that features.toml names
    #[arg(long, value_name = "DIR")]
    corpus: Vec<PathBuf>,
    /// Judge one feature and exit with its own verdict
    #[arg(long, value_name = "ID")]
    feature: Option<String>,
    /// Write a certificate for a feature whose verdict is PROMOTE, refuse otherwise
    #[arg(long, value_name = "ID", conflicts_with = "feature")]
    promote: Option<String>,
    /// Run the graders again on the stored patches; they run as you, on copies of the fixtures
    #[arg(long)]
    verify: bool,
    /// The gate's date, YYYY-MM-DD [default: today, UTC]
    #[arg(long, value_name = "DATE")]
    as_of: Option<Date>,
    /// Folder for the reports [default: reports/latest]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Folder of certificates [default: certificates]
    #[arg(long, value_name = "DIR")]
    certificates: Option<PathBuf>,
    /// Threads (0 = all cores); the answer doesn't depend on it
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// Print gate.json instead of the summary
    #[arg(long)]
    json: bool,
}

/// Runs the verb; the exit code is the result's.
///
/// # Errors
/// 64 for a policy or declaration that isn't allowed, 65 for a folder that is no corpus, 74 for what can't be read or
/// written.
pub fn run(arguments: &GateArguments) -> Outcome {
    let mut reports = Reports::withdraw(&folder(arguments.out.as_deref())?)?;
    small_pages();
    let root = WorkspaceRoot::current()?;
    reports.make()?;
    let paths = paths(arguments, &root);
    let as_of = arguments.as_of.unwrap_or_else(today);
    let selected = arguments.promote.as_ref().or(arguments.feature.as_ref());
    let progress = Progress::new(std::io::stderr().is_terminal());
    let pool = super::pool(arguments.jobs)?;
    let answer = pool.install(|| {
        let asked = Asked {
            feature: selected.map(String::as_str),
            promoting: arguments.promote.is_some(),
            graders: arguments.verify,
        };
        let session = Session::open(&paths, as_of)?;
        let (answer, parquet) = session.answer(asked, &progress, |values| stage(&reports, values))?;
        write(&reports, &answer.document, parquet?)?;
        Ok::<_, Failure>(answer)
    })?;
    report_invalid(&answer.document);
    let certificate = certify(&paths, &answer)?;
    if arguments.json {
        output::bytes(answer.document.to_json()?.as_bytes())?;
    } else {
        let view = view::view(&answer.document);
        let place = reports.folder().join("report.html").display().to_string();
        output::coloured(&terminal::terminal(&answer.document, &view, &place))?;
    }
    match (certificate, &arguments.promote) {
        (Some(name), _) => output::note(&format!("certificate {name}")),
        (None, Some(feature)) => output::note(&format!(
            "harness: promote {feature}: refused: its verdict is {}: see why and next",
            answer.document.result
        )),
        (None, None) => {}
    }
    // Last of all: where it stands, nothing of this run has failed.
    reports.publish("verdict", &render::verdict_word(&answer.document))?;
    Ok(ExitCode::from(answer.document.exit_code))
}

/// Withdraws the reports of an earlier gate when the arguments of this one can't be read: a script that looks into the
/// folder finds no verdict then either. What is told is what is wrong with the arguments, whether there is a folder or not.
pub(super) fn withdraw_of(arguments: &[OsString]) {
    if arguments.get(1).is_none_or(|verb| verb != "gate") {
        return;
    }
    let after =
        arguments.iter().position(|argument| argument == "--out").and_then(|at| arguments.get(at + 1));
    let joined = arguments.iter().filter_map(|argument| argument.to_str()?.strip_prefix("--out="));
    let named = after.map(Path::new).or_else(|| joined.map(Path::new).next());
    drop(folder(named).and_then(|folder| Reports::withdraw(&folder)));
}

/// Where the reports go.
fn folder(named: Option<&Path>) -> Result<PathBuf, Failure> {
    named.map_or_else(|| Ok(WorkspaceRoot::current()?.latest_reports()), |folder| Ok(folder.to_path_buf()))
}

fn paths(arguments: &GateArguments, root: &WorkspaceRoot) -> Paths {
    let mut paths = Paths::of(root);
    if let Some(policy) = &arguments.policy {
        paths.policy.clone_from(policy);
    }
    if let Some(features) = &arguments.features {
        let beside = features.with_file_name("variants.toml");
        if beside.is_file() {
            paths.variants = beside;
        }
        paths.features.clone_from(features);
    }
    if let Some(certificates) = &arguments.certificates {
        paths.certificates.clone_from(certificates);
    }
    paths.named.clone_from(&arguments.corpus);
    paths
}

/// A gate takes small pieces of memory and gives them back all the time. Where the system hands out large pages it clears
/// each of them whole, again and again. Where it can't be told so, the gate takes longer.
fn small_pages() {
    #[cfg(target_os = "linux")]
    rustix::thread::disable_transparent_huge_pages(true).ok();
}

/// The gate's only look at a clock.
pub(super) fn today() -> Date {
    jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now()).date()
}

/// The values as a file that waits for its place: to be sure that it is on the disk takes longer than to write it.
fn stage(reports: &Reports, values: &MetricFrame) -> Result<Staged, Failure> {
    let mut staged = reports.stage("metrics.parquet")?;
    values.write_parquet(&mut staged)?;
    staged.sync()?;
    Ok(staged)
}

/// Publishes every file but `verdict`. They don't wait for one another: to be sure that a large one is on the disk takes
/// longer than to write it.
fn write(reports: &Reports, document: &Document, parquet: Staged) -> Result<(), Failure> {
    let drawn = || {
        let mut files = render::drawn(document)?.into_iter();
        files.try_for_each(|(name, bytes)| reports.publish(name, &bytes))
    };
    let (json, (values, drawn)) = rayon::join(
        || reports.publish("gate.json", document.to_json()?.as_bytes()),
        || rayon::join(|| parquet.publish(), drawn),
    );
    json.and(values).and(drawn)
}

/// One line on standard error for evidence that is broken, so that a log shows it without the report.
fn report_invalid(document: &Document) {
    for feature in document.features.iter().filter(|feature| feature.verdict == "INVALID") {
        if let Some(reason) = feature.reasons.first() {
            output::note(&format!("harness: {}: INVALID: {}: {}", feature.id, reason.code, reason.message));
        }
    }
}

fn certify(paths: &Paths, answer: &Answer) -> Result<Option<String>, Failure> {
    let Some(certificate) = &answer.certificate else { return Ok(None) };
    let (name, text) = certificate.to_file();
    publish::publish(&paths.certificates, &name, text.as_bytes())?;
    Ok(Some(name))
}

//! `harness gate`: the main job.

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use jiff::civil::Date;

use super::{Outcome, output};
use crate::failure::Failure;
use crate::gate::campaign::{Asked, Paths, Progress, Session};
use crate::gate::document::Document;
use crate::gate::run::Answer;
use crate::metric::MetricFrame;
use crate::publish;
use crate::report::{render, terminal, view};
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
    let root = WorkspaceRoot::current()?;
    let paths = paths(arguments, &root);
    let as_of = arguments.as_of.unwrap_or_else(today);
    let out = arguments.out.clone().unwrap_or_else(|| root.latest_reports());
    publish::withdraw(&out, "verdict")?;
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
        let (answer, parquet) = session.answer(asked, &progress, MetricFrame::to_parquet)?;
        write(&out, &answer.document, &parquet?)?;
        Ok::<_, Failure>(answer)
    })?;
    report_invalid(&answer.document);
    let certificate = certify(&paths, &answer)?;
    if arguments.json {
        output::data(&answer.document.to_json()?)?;
    } else {
        let view = view::view(&answer.document);
        let place = out.join("report.html").display().to_string();
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
    Ok(ExitCode::from(answer.document.exit_code))
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

/// The gate's only look at a clock.
pub(super) fn today() -> Date {
    jiff::tz::TimeZone::UTC.to_datetime(jiff::Timestamp::now()).date()
}

/// Publishes every file; `verdict`, which says that the rest is there, comes last. The others don't wait for one another: to
/// be sure that a large one is on the disk takes longer than to write it.
fn write(out: &std::path::Path, document: &Document, parquet: &[u8]) -> Result<(), Failure> {
    let drawn = || {
        let mut files = render::drawn(document)?.into_iter();
        files.try_for_each(|(name, bytes)| publish::publish(out, name, &bytes))
    };
    let (json, (values, drawn)) = rayon::join(
        || publish::publish(out, "gate.json", document.to_json()?.as_bytes()),
        || rayon::join(|| publish::publish(out, "metrics.parquet", parquet), drawn),
    );
    json.and(values).and(drawn)?;
    publish::publish(out, "verdict", &render::verdict_word(document))
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

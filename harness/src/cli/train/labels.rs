//! `harness train --labels`: the linear model `bounded-linear-centroid-v1` from labels of sessions.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use adapters::cli::visible;
use engine::learn::centroid::{
    ALGORITHM, CentroidModel, FEATURE_NAMES, Labels, SourceKind, TrainingError, read_labels, train,
};
use engine::message::sha256_hex;
use serde_json::{Value, json};

use super::{TrainArguments, write};
use crate::cli::{Outcome, output};
use crate::failure::{Failure, read_text};

/// Faults shown; all are counted.
const FAULTS_SHOWN: usize = 5;

/// Trains on a file of labels.
///
/// # Errors
/// A minimum below two (64); labels that are malformed or repeated, too few, or of one kind (65); files that can't be read or
/// written (74).
pub(super) fn run(file: &Path, arguments: &TrainArguments) -> Outcome {
    let labels = read_labels(&read_text(file)?, arguments.newest);
    if labels.rejected > 0 && !arguments.skip_malformed {
        return Err(refused(file, &labels));
    }
    // The time is part of the artefact; without one given it is that of the newest label, so that equal labels give equal
    // bytes.
    let newest = labels.accepted.iter().map(|label| label.created_at).max().unwrap_or(0);
    let created_at = arguments.created_at.unwrap_or(newest);
    let model = train(&labels.accepted, created_at, arguments.minimum).map_err(|error| match error {
        TrainingError::Minimum(_) => Failure::usage(format!("--minimum: {error}")),
        _ => Failure::bad_data(format!("{}: {error}", file.display())),
    })?;
    let artefact = model.to_text();
    if let Some(out) = &arguments.out {
        write(out, &artefact)?;
    }
    if arguments.json {
        output::json(&document(&model, &labels, &artefact))?
    } else {
        output::data(&text(&model, &labels, &artefact))?
    }
    Ok(ExitCode::SUCCESS)
}

fn refused(file: &Path, labels: &Labels) -> Failure {
    let faults = labels.faults.iter().take(FAULTS_SHOWN);
    let lines: Vec<String> =
        faults.map(|fault| format!("line {}: {}", fault.line, visible(&fault.message))).collect();
    Failure::bad_data(format!(
        "{}: {} lines are no labels ({}): mend them, or pass them over with --skip-malformed",
        file.display(),
        labels.rejected,
        lines.join("; ")
    ))
}

fn document(model: &CentroidModel, labels: &Labels, artefact: &str) -> Value {
    let weights = model.weights();
    let features: serde_json::Map<String, Value> = FEATURE_NAMES
        .iter()
        .zip(weights.features)
        .map(|(name, weight)| ((*name).to_owned(), weight.into()))
        .collect();
    let kinds: serde_json::Map<String, Value> = SourceKind::ALL
        .iter()
        .zip(weights.source_kinds)
        .map(|(kind, weight)| (kind_name(*kind).to_owned(), weight.into()))
        .collect();
    json!({
        "schema": "train-labels/1",
        "algorithm": ALGORITHM,
        "model": {
            "id": model.id(), "checksum": model.checksum(), "bytes": artefact.len(),
            "sha256": sha256_hex(artefact.as_bytes()),
        },
        "training": model.training(),
        "rejected": labels.rejected,
        "weights": {"bias": weights.bias, "features": features, "source_kinds": kinds},
    })
}

/// The name in the artefact.
fn kind_name(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Memory => "memory",
        SourceKind::Retrieval => "retrieval",
        SourceKind::Project => "project",
    }
}

fn text(model: &CentroidModel, labels: &Labels, artefact: &str) -> String {
    let (training, weights) = (model.training(), model.weights());
    let mut out = format!(
        "{ALGORITHM}: {} labels of {} repositories, {} useful, {} irrelevant, {} lines passed over\n",
        training.sample_count,
        training.repository_count,
        training.positive_samples,
        training.negative_samples,
        labels.rejected
    );
    let features = FEATURE_NAMES.iter().copied().zip(weights.features);
    let kinds = SourceKind::ALL.iter().map(|kind| kind_name(*kind)).zip(weights.source_kinds);
    for (name, weight) in [("bias", weights.bias)].into_iter().chain(kinds).chain(features) {
        writeln!(out, "  {name:<24}{weight:>14.9}").expect("writing to a string can't fail");
    }
    let id = model.id();
    writeln!(out, "model: {id}, {} bytes, checksum {}", artefact.len(), model.checksum())
        .expect("writing to a string can't fail");
    out
}

//! `harness train`: the learned ranking from checked-out repositories, and what it is worth on others.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use comfy_table::{CellAlignment, Table, presets};
use engine::learn::{Feature, Model, Training};
use engine::message::sha256_hex;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::gain::SEED;
use crate::publish::publish;
use crate::ranking::{RECALL_DEPTHS, RankingScores};
use crate::train::{
    CrossValidation, Dataset, Example, Parameters, Slice, Split, checkouts, cross_validate, examples,
    read_rows, train, write_rows,
};

use super::places::folder_of;
use super::{Outcome, gained, output, pool};

mod labels;

/// Train the learned ranking, and tell what it is worth on repositories that it hasn't seen
///
/// With --labels another model is trained: the linear `bounded-linear-centroid-v1` from labels
/// `ds4-context-ranking-feedback-v1`, one a line, bare or as entries of a session log.
///
/// A folder of checkouts holds NAME/ at its base commit, NAME.jsonl with lines `{id, query, gold: [paths]}` about later commits,
/// and perhaps NAME.candidates.json with the paths that a ranking is judged on. The engine ranks and computes the features;
/// the same examples give the same model bytes on any number of threads.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  harness train --from ~/checkouts --cross-validate --out model.json")]
pub struct TrainArguments {
    /// Folder of checkouts and their queries
    #[arg(long, value_name = "DIR", required_unless_present_any = ["rows", "labels"])]
    from: Option<PathBuf>,
    /// Only these of them
    #[arg(long, value_name = "NAME", num_args = 1.., requires = "from", conflicts_with_all = ["rows", "labels"])]
    only: Vec<String>,
    /// Rows computed before, instead of checkouts
    #[arg(long, value_name = "FILE", conflicts_with = "from", num_args = 1..)]
    rows: Vec<PathBuf>,
    /// Labels of candidates, for the linear model
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "rows", "save_rows", "cross_validate"])]
    labels: Option<PathBuf>,
    /// Fewest labels to train on
    #[arg(long, value_name = "N", default_value_t = 20, requires = "labels", conflicts_with_all = ["from", "rows"])]
    minimum: usize,
    /// Most labels: the last ones of the file are kept
    #[arg(long, value_name = "N", default_value_t = 10_000, requires = "labels", conflicts_with_all = ["from", "rows"])]
    newest: usize,
    /// Time in the artefact, epoch milliseconds [default: that of the newest label]
    #[arg(long, value_name = "MS", requires = "labels", conflicts_with_all = ["from", "rows"])]
    created_at: Option<u64>,
    /// Pass over malformed and repeated labels instead of refusing the file
    #[arg(long, requires = "labels", conflicts_with_all = ["from", "rows"])]
    skip_malformed: bool,
    /// Keep the rows: paths, labels and features, no text
    #[arg(long, value_name = "FILE")]
    save_rows: Option<PathBuf>,
    /// Write the model
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Also judge the training on what is held out
    #[arg(long)]
    cross_validate: bool,
    /// What is held out: each repository in turn, or the last third of each one's queries
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "repository",
        requires = "cross_validate",
        conflicts_with = "labels"
    )]
    split: SplitName,
    /// Trees
    #[arg(long, value_name = "N", default_value_t = Parameters::default().trees, conflicts_with = "labels")]
    trees: usize,
    /// Most leaves of a tree
    #[arg(long, value_name = "N", default_value_t = Parameters::default().leaves, conflicts_with = "labels")]
    leaves: usize,
    /// Share of a tree's answer that is taken
    #[arg(long, value_name = "X", default_value_t = Parameters::default().rate, conflicts_with = "labels")]
    rate: f64,
    /// Fewest rows of a leaf
    #[arg(long, value_name = "N", default_value_t = Parameters::default().min_rows, conflicts_with = "labels")]
    min_rows: usize,
    /// Score of the first file of the static ranking before any tree
    #[arg(long, value_name = "X", default_value_t = Parameters::default().prior, conflicts_with = "labels")]
    prior: f64,
    /// Seed of the intervals' resampling
    #[arg(long, value_name = "N", default_value_t = SEED, conflicts_with = "labels")]
    seed: u64,
    /// Threads, 0 for all cores; nothing depends on it
    #[arg(long, value_name = "N", default_value_t = 0)]
    jobs: usize,
    /// One JSON value on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SplitName {
    /// Each repository in turn
    Repository,
    /// The last third of each repository's queries
    Time,
}

/// Runs the verb.
///
/// # Errors
/// Arguments out of range (64), files that aren't what they should be (65) or can't be read or written (74).
pub fn run(arguments: &TrainArguments) -> Outcome {
    refuse_overwriting(arguments)?;
    if let Some(file) = &arguments.labels {
        return labels::run(file, arguments);
    }
    let parameters = parameters(arguments)?;
    pool(arguments.jobs)?.install(|| {
        let examples = load(arguments)?;
        if let Some(file) = &arguments.save_rows {
            write(file, &write_rows(&examples))?;
        }
        let split = match arguments.split {
            SplitName::Repository => Split::Repository,
            SplitName::Time => Split::Time,
        };
        let mut document = json!({"schema": "train/1", "recipe": parameters.recipe()});
        let mut text = String::new();
        if arguments.cross_validate {
            let (forms, _) = cross_validate(&examples, split, &parameters, arguments.seed)?;
            document["split"] = split.name().into();
            document["cross_validation"] = forms.iter().map(validation_json).collect();
            forms.iter().for_each(|form| text.push_str(&validation_text(form, split)));
        }
        if let Some(file) = &arguments.out {
            let model = model(&examples, &parameters)?;
            let artefact = model.to_text();
            write(file, &artefact)?;
            document["model"] = model_json(&model, &artefact);
            text.push_str(&model_text(&model, &artefact));
        }
        if text.is_empty() {
            writeln!(text, "{} examples", examples.len()).expect("writing to a string can't fail");
        }
        document["examples"] = examples.len().into();
        if arguments.json {
            output::json(&document)?
        } else {
            output::data(&text)?
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Refuses to write over what is read, or one output over the other: labels and rows may have taken hours.
fn refuse_overwriting(arguments: &TrainArguments) -> Result<(), Failure> {
    let mut taken: Vec<PathBuf> =
        arguments.rows.iter().chain(&arguments.labels).map(|file| place(file)).collect();
    for file in [&arguments.save_rows, &arguments.out].into_iter().flatten() {
        let place = place(file);
        if taken.contains(&place) {
            let message = "is named twice: write to another file than is read or written beside";
            return Err(Failure::usage(format!("{}: {message}", file.display())));
        }
        taken.push(place);
    }
    Ok(())
}

/// One name for a file, whichever way it is given, and whether it is there yet or not.
fn place(file: &Path) -> PathBuf {
    let below = || Some(folder_of(file).canonicalize().ok()?.join(file.file_name()?));
    file.canonicalize().ok().or_else(below).unwrap_or_else(|| file.to_path_buf())
}

fn parameters(arguments: &TrainArguments) -> Result<Parameters, Failure> {
    let positive = |value: f64, most: f64| value.is_finite() && value > 0.0 && value <= most;
    if !positive(arguments.rate, 1.0) || !(0.0..=100.0).contains(&arguments.prior) {
        return Err(Failure::usage("training: want a rate over 0 and at most 1, a prior of 0 to 100"));
    }
    Ok(Parameters {
        trees: arguments.trees,
        leaves: arguments.leaves,
        rate: arguments.rate,
        min_rows: arguments.min_rows,
        prior: arguments.prior,
        ..Parameters::default()
    })
}

fn load(arguments: &TrainArguments) -> Result<Vec<Example>, Failure> {
    if let Some(folder) = &arguments.from {
        return examples(&checkouts(folder, &arguments.only)?);
    }
    let mut all = Vec::new();
    for file in &arguments.rows {
        all.extend(read_rows(file)?);
    }
    Ok(all)
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    let name = file.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| Failure::usage(format!("{}: ends with no name", file.display())))?;
    publish(folder_of(file), name, text.as_bytes())
}

fn model_json(model: &Model, artefact: &str) -> Value {
    let training = model.training();
    json!({
        "sha256": sha256_hex(artefact.as_bytes()), "bytes": artefact.len(), "trees": model.forest().trees().len(),
        "cost": model.forest().cost(), "queries": training.queries, "rows": training.rows,
        "rows_sha256": training.rows_sha256,
    })
}

fn model_text(model: &Model, artefact: &str) -> String {
    let training = model.training();
    format!(
        "model: {} trees from {} queries, {} rows, {} bytes, sha256 {}\n",
        model.forest().trees().len(),
        training.queries,
        training.rows,
        artefact.len(),
        sha256_hex(artefact.as_bytes())
    )
}

/// The model of all examples.
fn model(examples: &[Example], parameters: &Parameters) -> Result<Model, Failure> {
    let data = Dataset::new(examples, Feature::all().len());
    let forest = train(&data, &(0..data.groups.len()).collect::<Vec<_>>(), parameters)?;
    let mut repositories = std::collections::BTreeMap::<String, u64>::new();
    for group in &data.groups {
        *repositories.entry(group.key.0.clone()).or_default() += 1;
    }
    let training = Training {
        recipe: parameters.recipe(),
        repositories: repositories.into_iter().collect(),
        queries: data.groups.len() as u64,
        rows: data.gold.len() as u64,
        rows_sha256: data.sha256,
    };
    Ok(Model::new(forest, training))
}

fn scores_json(scores: &RankingScores) -> Value {
    let mut out = json!({"mrr": scores.mrr, "ndcg@10": scores.ndcg_10});
    for (depth, recall) in RECALL_DEPTHS.iter().zip(scores.recall) {
        out[format!("recall@{depth}")] = recall.into();
    }
    out
}

fn slice_json(slice: &Slice) -> Value {
    json!({
        "queries": slice.queries,
        "static": scores_json(&slice.by_static),
        "learned": scores_json(&slice.by_learned),
    })
}

fn validation_json(validation: &CrossValidation) -> Value {
    let folds: Vec<Value> = validation
        .folds
        .iter()
        .map(|fold| {
            let mut out = slice_json(&fold.slice);
            out["repository"] = fold.repository.clone().into();
            out["without_identifier"] = slice_json(&fold.without_identifier);
            out
        })
        .collect();
    json!({
        "form": validation.form.name(),
        "folds": folds,
        "all": slice_json(&validation.all),
        "macro": slice_json(&validation.macro_mean),
        "without_identifier": slice_json(&validation.without_identifier),
        "difference": gained::document(&validation.gain),
    })
}

fn validation_text(validation: &CrossValidation, split: Split) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(["held out", "queries", "nDCG@10", "learned", "MRR", "learned", "R@10", "learned"]);
    let mut row = |name: &str, slice: &Slice| {
        let (before, after) = (&slice.by_static, &slice.by_learned);
        let figure = |value: f64| format!("{value:.3}");
        table.add_row([
            name.to_owned(),
            slice.queries.to_string(),
            figure(before.ndcg_10),
            figure(after.ndcg_10),
            figure(before.mrr),
            figure(after.mrr),
            figure(before.recall[2]),
            figure(after.recall[2]),
        ]);
    };
    for fold in &validation.folds {
        row(&fold.repository, &fold.slice);
    }
    row("all queries", &validation.all);
    row("mean of repositories", &validation.macro_mean);
    row("no identifier named", &validation.without_identifier);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    format!(
        "queries {}, split by {}\n{}{}\n",
        validation.form.name(),
        split.name(),
        lines.concat(),
        gained::text(&validation.gain),
    )
}

//! `sluice pack`: quote what a task needs.

use clap::Args;
use engine::builtin::Settings;
use engine::plan::FileOrder;
use engine::retrieve::{PackBudget, Ranker, Reorder, pack_by};
use engine::tokens::O200k;

use super::failure::Failure;
use super::project::{ChangesArguments, ProjectArguments};
use super::seal::OrderArguments;
use super::{Outcome, output, wire};
use crate::embedding::EmbeddingArguments;

/// Quote what a task needs within a budget of tokens
///
/// The index is brought up to date first. Behind the quotations stands a map of the files that rank next. Tokens are those of
/// o200k; the whole text stays within the budget.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  sluice pack 'closing a year twice loses the opening balance' --tokens 1400"
)]
pub(super) struct PackArguments {
    /// The task, as a person would write it
    task: String,
    #[command(flatten)]
    project: ProjectArguments,
    #[command(flatten)]
    changes: ChangesArguments,
    #[command(flatten)]
    order: OrderArguments,
    #[command(flatten)]
    embeddings: EmbeddingArguments,
    /// Most tokens of the whole text
    #[arg(long, value_name = "N", default_value_t = 2400)]
    tokens: u64,
    /// A path that is neither quoted nor named; may be repeated
    #[arg(long, value_name = "PATH")]
    withhold: Vec<String>,
    /// One JSON value on standard output
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &PackArguments) -> Outcome {
    if arguments.tokens == 0 {
        return Err(Failure::usage("--tokens: 0 leaves no room: give at least 1"));
    }
    arguments.embeddings.check().map_err(Failure::usage)?;
    if arguments.order.is_asked() && arguments.embeddings.is_asked() {
        return Err(Failure::usage(
            "--certificate: it was earned without embeddings: leave out one of --certificate and --embeddings",
        ));
    }
    let mut index = arguments.project.open()?;
    arguments.project.refresh(&mut index)?;
    let budget = PackBudget::tokens(arguments.tokens);
    let mut hints = arguments.changes.hints(&arguments.project);
    hints.semantic = arguments.project.hear(&arguments.embeddings, &index, &arguments.task);
    let settings =
        Settings { pack_tokens: arguments.tokens, order: FileOrder::Learned, ..Settings::default() };
    let order = arguments.order.order(&settings)?;
    let reorder = order.as_ref().map(|order| &order.learned as &dyn Reorder);
    let ranker = Ranker { reorder, ..Ranker::default() };
    let withhold = &arguments.withhold;
    let packed = pack_by(&index, &arguments.task, &hints, &ranker, budget, withhold, &O200k)?;
    if let Some(refused) = order.as_ref().and_then(|order| order.refused.as_ref()) {
        output::note(&format!("static order kept: {}: {refused}", refused.code()));
    }
    if arguments.json {
        let order = wire::Order::of(order.is_some(), packed.fallback);
        return output::json(&wire::Pack::new(&packed, order, budget, &O200k));
    }
    output::note(&format!("{} tokens, confidence {}", packed.tokens, packed.confidence.name()));
    if let Some(embeddings) = &packed.embeddings {
        output::note(&output::embeddings(embeddings));
    }
    output::data(&packed.text)
}

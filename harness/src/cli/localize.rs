//! `harness localize`: how well an engine finds the files that a change touched.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use adapters::embedding::EmbeddingArguments;
use engine::learn::{Direction, Learned, Model, Trial, shipped_on_trial};
use engine::retrieve::Reorder;

use crate::failure::{Failure, read_text};
use crate::localize::{
    EmbeddingSource, Found, LocalizeQuery, Ranker, ablation, impact_shares, localize, pack_shares,
    read_candidates, read_queries,
};

use super::{Outcome, output};

mod document;
mod text;

/// Score how well an engine finds the files that a change touched
///
/// Queries are lines `{id, query, gold: [paths]}`. The ranker sees the query, the files below the root and the history that the
/// checked-out commit reaches, nothing else. Every query is ranked to full depth, what is no candidate is dropped, the rest is
/// scored as trec_eval does, then cut at --limit. Several repositories are scored one by one and as a mean over them: give
/// --root, --queries and --candidates as often as there are repositories.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  harness localize --root ~/src/ripgrep --queries ripgrep.jsonl \
                        --candidates ripgrep.candidates.json")]
pub struct LocalizeArguments {
    /// Root of a checked-out project; may be repeated
    #[arg(long, value_name = "DIR", required = true)]
    root: Vec<PathBuf>,
    /// Queries, one JSON object a line; one file a root
    #[arg(long, value_name = "FILE", required = true)]
    queries: Vec<PathBuf>,
    /// Paths that a ranking is scored on, a JSON array; one file a root [default: every indexed file]
    #[arg(long, value_name = "FILE")]
    candidates: Vec<PathBuf>,
    /// Ranker that answers [default: built-in; built-in-learned with --model]
    #[arg(long, value_name = "ID")]
    engine: Option<EngineId>,
    /// Learned model that re-orders [default: the shipped one, with --engine built-in-learned]
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Also score each source left out, each alone, and what callers can add
    #[arg(long)]
    ablate: bool,
    /// Also pack every query within these tokens, and say what of the relevant files is inside
    #[arg(long, value_name = "TOKENS", value_delimiter = ',')]
    pack: Vec<u64>,
    #[command(flatten)]
    embeddings: EmbeddingArguments,
    /// Keep the vectors of each root in a folder of its name below this one [default: in memory]
    #[arg(long, value_name = "DIR", requires = "embeddings")]
    embeddings_state: Option<PathBuf>,
    /// Also tell what the impact of changed sources names of the tests that changed with them
    #[arg(long)]
    impact: bool,
    /// Most paths reported for a query
    #[arg(long, value_name = "N", default_value_t = 20)]
    limit: usize,
    /// One JSON value on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum EngineId {
    /// Normalised sums of all sources
    #[value(name = "built-in")]
    Static,
    /// The same, its head re-ordered by a learned model
    #[value(name = "built-in-learned")]
    Learned,
    /// The baseline: reciprocal ranks of fewer sources, k = 60
    #[value(name = "built-in-rrf")]
    ReciprocalRank,
}

/// One repository as asked for.
struct Repository {
    root: PathBuf,
    queries: Vec<LocalizeQuery>,
    candidates: Option<BTreeSet<String>>,
}

/// Runs the verb.
///
/// # Errors
/// Flags that don't fit together (64), files that can't be read (74) or aren't what they should be (65).
pub fn run(arguments: &LocalizeArguments) -> Outcome {
    let ranker = match (arguments.engine, &arguments.model) {
        (Some(EngineId::Static), _) | (None, None) => Ranker::BuiltIn,
        (Some(EngineId::Learned), _) | (None, Some(_)) => Ranker::Learned,
        (Some(EngineId::ReciprocalRank), _) => Ranker::ReciprocalRank,
    };
    arguments.embeddings.check().map_err(Failure::usage)?;
    if arguments.embeddings.is_asked() && !arguments.pack.is_empty() {
        return Err(Failure::usage("--pack measures packs without embeddings: leave out --embeddings"));
    }
    let learned = learned(arguments, ranker)?;
    let reorder = learned.as_ref().map(|learned| learned as &dyn Reorder);
    let mut found = Vec::new();
    for repository in repositories(arguments)? {
        found.push(localize_one(arguments, repository, (ranker, reorder))?);
    }
    if arguments.json {
        output::json(&document::document(&found, ranker))?;
    } else {
        output::data(&text::text(&found, ranker))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The model that re-orders, if one is to.
fn learned(arguments: &LocalizeArguments, ranker: Ranker) -> Result<Option<Learned>, Failure> {
    if ranker != Ranker::Learned {
        return match arguments.model {
            Some(_) => Err(Failure::usage("--model: this engine hears no model: leave out --engine")),
            None => Ok(None),
        };
    }
    if arguments.ablate || !arguments.pack.is_empty() {
        let message = "--ablate and --pack measure the static ranking: choose --engine built-in";
        return Err(Failure::usage(message));
    }
    let trial = Trial::for_evidence(Direction::Forward);
    let Some(file) = &arguments.model else { return Ok(Some(shipped_on_trial(trial).clone())) };
    let model = Model::parse(&read_text(file)?)
        .map_err(|error| Failure::bad_data(format!("{}: {error}", file.display())))?;
    Ok(Some(Learned::on_trial(Ok(model), trial)))
}

/// Reads all inputs before anything is indexed.
fn repositories(arguments: &LocalizeArguments) -> Result<Vec<Repository>, Failure> {
    let roots = arguments.root.len();
    if arguments.queries.len() != roots {
        let count = arguments.queries.len();
        return Err(Failure::usage(format!("--queries: {count} files for {roots} roots: give one a root")));
    }
    if !arguments.candidates.is_empty() && arguments.candidates.len() != roots {
        let count = arguments.candidates.len();
        return Err(Failure::usage(format!(
            "--candidates: {count} files for {roots} roots: give one a root, or none"
        )));
    }
    let read = |at: usize| {
        Ok(Repository {
            root: arguments.root[at].clone(),
            queries: read_queries(&arguments.queries[at])?,
            candidates: arguments.candidates.get(at).map(|file| read_candidates(file)).transpose()?,
        })
    };
    (0..roots).map(read).collect()
}

fn localize_one(
    arguments: &LocalizeArguments,
    repository: Repository,
    (ranker, reorder): (Ranker, Option<&dyn Reorder>),
) -> Result<Found, Failure> {
    let Repository { root, queries, candidates } = repository;
    let name =
        root.file_name().map_or_else(|| root.display().to_string(), |n| n.to_string_lossy().into_owned());
    let embeddings = EmbeddingSource {
        arguments: &arguments.embeddings,
        state: arguments.embeddings_state.as_ref().map(|folder| folder.join(&name)),
    };
    let (localization, (ablation, packs, impact)) = localize(
        &root,
        &queries,
        candidates.as_ref(),
        (ranker, reorder),
        &embeddings,
        arguments.limit,
        |project| {
            let variants = arguments.ablate.then(|| ablation(project, &ranker.weights())).transpose()?;
            let impact = arguments.impact.then(|| impact_shares(project)).transpose()?;
            let packs = pack_shares(project, &arguments.pack)?;
            Ok((variants.unwrap_or_default(), packs, impact.unwrap_or_default()))
        },
    )?;
    Ok(Found { name, localization, ablation, packs, impact })
}

/// Nearest-rank percentile.
fn percentile(values: &[f64], percent: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let rank = (sorted.len() * percent).div_ceil(100).max(1);
    sorted.get(rank - 1).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(percentile(&values, 50), 10.0);
        assert_eq!(percentile(&values, 95), 19.0);
        assert_eq!(percentile(&[7.0], 95), 7.0);
        assert_eq!(percentile(&[], 50), 0.0);
    }
}

//! Judging a way of training on what it hasn't seen.

use std::collections::{BTreeMap, BTreeSet};

use engine::learn::Feature;
use rayon::prelude::*;

use super::boost::{Parameters, train};
use super::dataset::Dataset;
use super::example::{Example, Form};
use crate::failure::Failure;
use crate::gain::{Compared, Gain};
use crate::ranking::RankingScores;

/// What is held out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Split {
    /// Each repository in turn, trained on all others.
    Repository,
    /// The last third of every repository's queries by commit time, trained on the others.
    Time,
}

impl Split {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Split::Repository => "repository",
            Split::Time => "time",
        }
    }
}

/// One held-out query in one form under both rankings.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// Repository.
    pub repository: String,
    /// Query.
    pub query: String,
    /// Form.
    pub form: Form,
    /// As in the example.
    pub has_ident: bool,
    /// The static ranking.
    pub by_static: RankingScores,
    /// The learned ranking.
    pub by_learned: RankingScores,
}

/// Mean scores over some held-out queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slice {
    /// Queries.
    pub queries: usize,
    /// Static means.
    pub by_static: RankingScores,
    /// Learned means.
    pub by_learned: RankingScores,
}

/// One repository in one form.
#[derive(Debug, Clone, PartialEq)]
pub struct Fold {
    /// Repository.
    pub repository: String,
    /// Means.
    pub slice: Slice,
    /// Means over those whose text names nothing that a relevant file defines.
    pub without_identifier: Slice,
}

/// All of one form.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossValidation {
    /// Form of the queries' text.
    pub form: Form,
    /// By repository.
    pub folds: Vec<Fold>,
    /// Over all queries.
    pub all: Slice,
    /// Over those whose text names nothing that a relevant file defines.
    pub without_identifier: Slice,
    /// Means over repositories.
    pub macro_mean: Slice,
    /// Learned minus static.
    pub gain: Gain,
}

/// Trains and judges: every query once, by a model that hasn't seen what is held out with it.
///
/// # Errors
/// Fewer than two repositories for a split by repository; nothing to learn from.
pub fn cross_validate(
    examples: &[Example],
    split: Split,
    parameters: &Parameters,
    seed: u64,
) -> Result<(Vec<CrossValidation>, Vec<Held>), Failure> {
    let data = Dataset::new(examples, Feature::all().len());
    let folds = folds(examples, split)?;
    let judged = folds.par_iter().map(|held| judge(examples, &data, held, parameters));
    let mut held: Vec<Held> = judged.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    held.sort_by(|a, b| (&a.repository, &a.query, a.form).cmp(&(&b.repository, &b.query, b.form)));
    let summaries = Form::ALL.map(|form| {
        let of_form: Vec<&Held> = held.iter().filter(|held| held.form == form).collect();
        summary(form, &of_form, seed)
    });
    Ok((summaries.into(), held))
}

/// Keys (repository, query) of what is held out, a set a fold.
type HeldOut = BTreeSet<(String, String)>;

fn folds(examples: &[Example], split: Split) -> Result<Vec<HeldOut>, Failure> {
    let mut by_repository: BTreeMap<&str, BTreeSet<(i64, &str)>> = BTreeMap::new();
    for example in examples {
        by_repository.entry(&example.repository).or_default().insert((example.time, &example.query));
    }
    let key = |repository: &str, query: &str| (repository.to_owned(), query.to_owned());
    match split {
        Split::Repository if by_repository.len() < 2 => Err(Failure::usage(
            "cross-validation: one repository: name at least two, or split by time".to_owned(),
        )),
        Split::Repository => Ok(by_repository
            .iter()
            .map(|(repository, queries)| queries.iter().map(|(_, query)| key(repository, query)).collect())
            .collect()),
        Split::Time => {
            let last = |(repository, queries): (&&str, &BTreeSet<(i64, &str)>)| {
                let skipped = queries.len() - queries.len() / 3;
                queries.iter().skip(skipped).map(|(_, query)| key(repository, query)).collect::<Vec<_>>()
            };
            Ok(vec![by_repository.iter().flat_map(last).collect()])
        }
    }
}

fn judge(
    examples: &[Example],
    data: &Dataset,
    held_out: &HeldOut,
    parameters: &Parameters,
) -> Result<Vec<Held>, Failure> {
    let is_held =
        |repository: &String, query: &String| held_out.contains(&(repository.clone(), query.clone()));
    let seen: Vec<usize> = (0..data.groups.len())
        .filter(|&group| {
            let (repository, query, _) = &data.groups[group].key;
            !is_held(repository, query)
        })
        .collect();
    let forest = train(data, &seen, parameters)?;
    let held = examples.iter().filter(|example| is_held(&example.repository, &example.query));
    Ok(held
        .map(|example| Held {
            repository: example.repository.clone(),
            query: example.query.clone(),
            form: example.form,
            has_ident: example.has_ident,
            by_static: example.static_scores(),
            by_learned: example.scores(&example.order_by(|row| forest.score(row))),
        })
        .collect())
}

fn slice(held: &[&Held]) -> Slice {
    let mean = |of: fn(&Held) -> RankingScores| {
        RankingScores::mean(&held.iter().map(|held| of(held)).collect::<Vec<_>>())
    };
    Slice {
        queries: held.len(),
        by_static: mean(|held| held.by_static),
        by_learned: mean(|held| held.by_learned),
    }
}

/// Those whose text names nothing that a relevant file defines.
fn unnamed<'h>(held: &[&'h Held]) -> Vec<&'h Held> {
    held.iter().copied().filter(|held| !held.has_ident).collect()
}

fn summary(form: Form, held: &[&Held], seed: u64) -> CrossValidation {
    let mut by_repository: BTreeMap<&str, Vec<&Held>> = BTreeMap::new();
    for one in held {
        by_repository.entry(&one.repository).or_default().push(one);
    }
    let folds: Vec<Fold> = by_repository
        .iter()
        .map(|(repository, held)| Fold {
            repository: (*repository).to_owned(),
            slice: slice(held),
            without_identifier: slice(&unnamed(held)),
        })
        .collect();
    let compared: Vec<Compared<'_>> = held
        .iter()
        .map(|one| Compared { repository: &one.repository, before: one.by_static, after: one.by_learned })
        .collect();
    let macro_of = |of: fn(&Slice) -> RankingScores| {
        RankingScores::mean(&folds.iter().map(|fold| of(&fold.slice)).collect::<Vec<_>>())
    };
    CrossValidation {
        form,
        all: slice(held),
        without_identifier: slice(&unnamed(held)),
        macro_mean: Slice {
            queries: held.len(),
            by_static: macro_of(|slice| slice.by_static),
            by_learned: macro_of(|slice| slice.by_learned),
        },
        gain: Gain::of(&compared, seed),
        folds,
    }
}

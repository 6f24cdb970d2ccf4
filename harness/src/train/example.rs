//! One query as the learned ranking sees it: the head of the static list, a row of features a file.

use adapters::git::learn_history;
use engine::learn::{Context, Feature, HEAD, movable, quantise};
use engine::project::{ExcludePolicy, Index};
use engine::retrieve::{Signals, Task, Weights, ask, rank_signals};
use rayon::prelude::*;

use crate::failure::Failure;
use crate::localize::{Standing, standing};
use crate::ranking::RankingScores;

use super::source::{Checkout, Query};

/// How the text of a query is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// As it stands.
    Whole,
    /// Without the area before it (`fix(parser): …`).
    WithoutArea,
}

impl Form {
    /// Both forms.
    pub const ALL: [Form; 2] = [Form::Whole, Form::WithoutArea];

    /// The name in files and reports.
    pub fn name(self) -> &'static str {
        match self {
            Form::Whole => "whole",
            Form::WithoutArea => "without-area",
        }
    }

    /// The text in this form.
    pub fn of(self, text: &str) -> &str {
        match (self, text.split_once(':')) {
            (Form::WithoutArea, Some((_, rest))) if !Task::new(text).areas.is_empty() => rest.trim_start(),
            _ => text,
        }
    }
}

/// One file of the head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Path.
    pub path: String,
    /// Quantised features, in the order of [`Feature::all`]; none for a file that the model may not move.
    pub row: Option<Vec<u8>>,
    /// Whether it is judged.
    pub candidate: bool,
    /// Whether it is relevant.
    pub gold: bool,
}

/// One query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// Repository.
    pub repository: String,
    /// Identifier within it.
    pub query: String,
    /// Form of its text.
    pub form: Form,
    /// Whether the text has an area: without one both forms are one text.
    pub has_area: bool,
    /// Whether the text names an identifier that a relevant file defines.
    pub has_ident: bool,
    /// Commit time, seconds.
    pub time: i64,
    /// The head of the static ranking, best first.
    pub head: Vec<Entry>,
    /// Places of relevant files among the candidates behind the head, from 0.
    pub tail_gold: Vec<u32>,
    /// Relevant files, ranked or not.
    pub relevant: u32,
}

impl Example {
    /// Scores of the head in some order of its entries, with the rest of the list behind it.
    pub fn scores(&self, order: &[usize]) -> RankingScores {
        let head = order.iter().map(|&at| &self.head[at]).filter(|entry| entry.candidate);
        let mut hits: Vec<bool> = head.map(|entry| entry.gold).collect();
        let behind = hits.len();
        for &place in &self.tail_gold {
            hits.resize(behind + place as usize, false);
            hits.push(true);
        }
        let names: Vec<String> = (0..hits.len()).map(|at| at.to_string()).collect();
        let ranked: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = hits.iter().zip(&ranked).filter(|(hit, _)| **hit).map(|(_, name)| *name);
        let missed: Vec<String> = (0..self.relevant).map(|at| format!("missed {at}")).collect();
        let mut relevant: std::collections::BTreeSet<&str> = found.collect();
        let missing = (self.relevant as usize).saturating_sub(relevant.len());
        relevant.extend(missed.iter().take(missing).map(String::as_str));
        RankingScores::of(&ranked, &relevant)
    }

    /// Scores of the static order.
    pub fn static_scores(&self) -> RankingScores {
        self.scores(&(0..self.head.len()).collect::<Vec<_>>())
    }

    /// The order of the head by a score of its rows: files that may move change places among themselves, equal scores keep
    /// their static order.
    pub fn order_by(&self, score: impl Fn(&[u8]) -> i64) -> Vec<usize> {
        let places: Vec<usize> = (0..self.head.len()).filter(|&at| self.head[at].row.is_some()).collect();
        let mut scored: Vec<(i64, usize)> =
            places.iter().map(|&at| (self.head[at].row.as_deref().map_or(0, &score), at)).collect();
        scored.sort_by_key(|&(score, at)| (std::cmp::Reverse(score), at));
        let mut order: Vec<usize> = (0..self.head.len()).collect();
        for (place, (_, from)) in places.into_iter().zip(scored) {
            order[place] = from;
        }
        order
    }
}

/// The examples of checkouts, both forms of each query: by repository, query and form. Runs on the current rayon pool.
///
/// # Errors
/// What can't be read below a root, or has no history to learn from; a checkout that isn't at the base commit of its queries:
/// its history would hold the answers.
pub fn examples(checkouts: &[Checkout]) -> Result<Vec<Example>, Failure> {
    let of_each: Vec<Vec<Example>> = checkouts.par_iter().map(of_checkout).collect::<Result<_, _>>()?;
    Ok(of_each.into_iter().flatten().collect())
}

fn of_checkout(checkout: &Checkout) -> Result<Vec<Example>, Failure> {
    let failed =
        |error: &dyn std::fmt::Display| Failure::bad_data(format!("{}: {error}", checkout.root.display()));
    let bases = checkout.queries.iter().filter_map(|query| query.base_commit.as_deref());
    let standing = standing(&checkout.root, bases)?;
    if !matches!(standing, Standing::At | Standing::Untold) {
        return Err(failed(&format!(
            "doesn't stand at the base_commit of its queries ({}): check that out, or its history would hold the answers",
            standing.code()
        )));
    }
    let mut index = Index::in_memory(ExcludePolicy::built_in_only()).map_err(|e| failed(&e))?;
    index.refresh(&checkout.root).map_err(|e| failed(&e))?;
    let history = learn_history(&mut index, &checkout.root).map_err(|e| failed(&e))?;
    if let Err(none) = history {
        return Err(failed(&format!("no history ({}): a model without it would be another", none.code())));
    }
    let mut out = Vec::new();
    for query in &checkout.queries {
        for form in Form::ALL {
            out.push(example(checkout, &index, query, form).map_err(|e| failed(&e))?);
        }
    }
    Ok(out)
}

fn example(
    checkout: &Checkout,
    index: &Index,
    query: &Query,
    form: Form,
) -> Result<Example, engine::project::ProjectError> {
    let text = form.of(&query.query);
    let task = Task::new(text);
    let asked = ask(index, &task)?;
    let signals = Signals::of(&asked, &task);
    let ranking = rank_signals(&asked, &task, &signals, &Weights::default());
    let context = Context::new(&asked, &task, &signals, &ranking);
    let features = Feature::all();
    let view = index.view()?;
    let candidate = |path: &str| checkout.candidates.as_ref().is_none_or(|c| c.contains(path));
    let mut head = Vec::new();
    for ranked in ranking.files.iter().take(HEAD) {
        let path = &view.files[ranked.file].path;
        let row = movable(view, ranked)
            .then(|| features.iter().map(|f| quantise(f.value(&context, ranked.file))).collect());
        head.push(Entry {
            path: path.clone(),
            row,
            candidate: candidate(path),
            gold: query.gold.contains(path),
        });
    }
    let behind = ranking.files.iter().skip(HEAD).map(|ranked| view.files[ranked.file].path.as_str());
    let behind = behind.filter(|path| candidate(path)).zip(0_u32..);
    let tail_gold = behind.filter(|(path, _)| query.gold.contains(*path)).map(|(_, place)| place).collect();
    Ok(Example {
        repository: checkout.name.clone(),
        query: query.id.clone(),
        form,
        has_area: text.len() != query.query.len() || !task.areas.is_empty(),
        has_ident: query.has_ident,
        time: query.time,
        head,
        tail_gold,
        relevant: u32::try_from(query.gold.len()).unwrap_or(u32::MAX),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, row: Option<u8>, gold: bool) -> Entry {
        Entry { path: path.to_owned(), row: row.map(|value| vec![value]), candidate: path != "doc", gold }
    }

    fn example() -> Example {
        Example {
            repository: "r".to_owned(),
            query: "q".to_owned(),
            form: Form::Whole,
            has_area: false,
            has_ident: true,
            time: 0,
            head: vec![
                entry("a", Some(1), false),
                entry("doc", None, false),
                entry("b", Some(2), true),
                entry("c", Some(2), false),
            ],
            tail_gold: vec![1],
            relevant: 3,
        }
    }

    #[test]
    fn files_that_may_not_move_stay_and_ties_keep_their_order() {
        assert_eq!(example().order_by(|row| i64::from(row[0])), [2, 1, 3, 0]);
    }

    #[test]
    fn scores_count_candidates_only_and_what_is_missed() {
        let example = example();
        // a, b*, c, ?, x*: ranks 2 and 5 of three relevant files.
        let scores = example.static_scores();
        assert_eq!((scores.mrr, scores.recall[1]), (0.5, 2.0 / 3.0));
        assert_eq!(example.scores(&[2, 1, 3, 0]).mrr, 1.0);
    }

    #[test]
    fn the_area_is_what_the_engine_takes_for_one() {
        assert_eq!(Form::WithoutArea.of("fix(cli): print it"), "print it");
        assert_eq!(Form::WithoutArea.of("When I run it: it fails"), "When I run it: it fails");
        assert_eq!(Form::Whole.of("fix(cli): print it"), "fix(cli): print it");
    }
}

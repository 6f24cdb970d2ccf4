//! How far the head of a ranking can be trusted: how likely the file that is returned first is right, whoever put it first.
//!
//! A level says how often a first file like this one was among those that the change touched: a logistic regression over
//! 1,429 commit messages of twelve public repositories, each repository judged by a fit to the eleven others
//! (`docs/retrieval.md` has the table; `harness localize` prints it for any queries). Coefficients are rounded to tenths.

use crate::plan::Confidence;
use crate::project::Role;

use super::corpus::Query;
use super::rank::Ranked;
use super::signals::{Column, Signals};

/// Estimated chance that the first file is right from which a level holds.
const HIGH: f64 = 0.75;
const MEDIUM: f64 = 0.5;

/// From here on a path of the task names the file: the whole path, or a name that a single file bears.
pub const NAMED: f64 = 0.8;

/// Written as code in the task, and defined in one file.
const DEFINED: f64 = 0.9;

/// Share of the task's information that the first file must have, or nothing is said for it: few of the fitted queries fell
/// below, and a file that knows hardly any of the task's words leads for want of others.
const KNOWN: f64 = 0.2;

/// What the task has of its own to set a file first by.
const WITNESSES: [Column; 4] = [Column::Lexical, Column::Chunk, Column::History, Column::FileName];

/// Log-odds where nothing speaks for the first file.
const INTERCEPT: f64 = -2.5;

/// Judges the file that is returned first by what the static list says of it: `files`, best first, is the list that it stands
/// in, wherever. A file that something else than the scores put first has no lead there, mostly the contrary, and the less
/// is claimed for it.
pub(super) fn confidence(
    query: &Query<'_>,
    first: Option<&Ranked>,
    files: &[Ranked],
    signals: &Signals,
) -> Confidence {
    let Some(first) = first else { return Confidence::None };
    let named = first.explicit >= NAMED && query.view.files[first.file].role == Role::Source;
    let coverage = coverage(query, first.file);
    let chance = if coverage < KNOWN { 0.0 } else { chance(query, first.file, files, signals, coverage) };
    if named || chance >= HIGH {
        Confidence::High
    } else if chance >= MEDIUM {
        Confidence::Medium
    } else {
        Confidence::Low
    }
}

/// The estimated chance that the file is right. Every factor is between 0 and 1, but that a lead may be a lag down to −1.
fn chance(query: &Query<'_>, first: usize, files: &[Ranked], signals: &Signals, coverage: f64) -> f64 {
    let flag = |holds: bool| if holds { 1.0 } else { 0.0 };
    let firsts = WITNESSES.iter().filter(|&&column| share(signals, column, first) == 1.0).count();
    let log_odds = INTERCEPT
        + 0.3 * lead(first, files, 1)
        + 1.9 * lead(first, files, 4)
        + 1.2 * coverage
        + 1.0 * firsts as f64 / WITNESSES.len() as f64
        + 1.2 * flag(signals.column(Column::ExactSymbol)[first] >= DEFINED)
        + 0.5 * flag(query.view.files[first].role == Role::Source)
        + 0.9 * share(signals, Column::Area, first)
        + 0.6 * share(signals, Column::PartialSymbol, first);
    1.0 / (1.0 + (-log_odds).exp())
}

/// A file's score in a column over the best one there.
fn share(signals: &Signals, column: Column, file: usize) -> f64 {
    let scores = signals.column(column);
    let top = scores.iter().copied().fold(0.0, f64::max);
    if top > 0.0 { scores[file] / top } else { 0.0 }
}

/// Share of the task's own words, weighted by rarity, that occur in the file. A word that occurs nowhere counts as rarest.
fn coverage(query: &Query<'_>, file: usize) -> f64 {
    let (mut all, mut found) = (0.0, 0.0);
    for hits in query.terms.iter().filter(|hits| !hits.term.derived) {
        all += hits.idf;
        let occurs = hits.files.binary_search_by_key(&file, |&(file, _)| file as usize).is_ok();
        found += if occurs { hits.idf } else { 0.0 };
    }
    if all > 0.0 { found / all } else { 0.0 }
}

/// Relative lead of a file over the so-manieth best of the others, in the scores of the list.
fn lead(file: usize, files: &[Ranked], rival: usize) -> f64 {
    let own = files.iter().find(|ranked| ranked.file == file).map_or(0.0, |ranked| ranked.score);
    let rival = files.iter().filter(|ranked| ranked.file != file).nth(rival - 1);
    rival.map_or(1.0, |rival| (own - rival.score) / own.max(rival.score))
}

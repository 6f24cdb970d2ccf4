//! How far the head of a ranking can be trusted.

use crate::plan::Confidence;
use crate::project::Role;

use super::corpus::Query;
use super::rank::Ranked;

/// Share of the task's information (idf of its own words) that must occur in the first file for each level.
const COVERAGE_HIGH: f64 = 0.75;
const COVERAGE_MEDIUM: f64 = 0.45;

/// Relative lead of the first file over the fifth for each level.
const LEAD_HIGH: f64 = 0.45;
const LEAD_MEDIUM: f64 = 0.2;

/// Judges the first file. `exact` are the scores by file of definitions that the task names.
pub(super) fn confidence(query: &Query<'_>, files: &[Ranked], exact: &[f64]) -> Confidence {
    let Some(first) = files.first() else { return Confidence::None };
    let (coverage, lead) = (coverage(query, first.file), lead(files));
    // 0.8: the whole path, or a name that a single file bears. 0.9: written as code and defined in one file.
    let named = first.explicit >= 0.8 && query.view.files[first.file].role == Role::Source;
    let defines = exact[first.file] >= 0.9 && coverage >= COVERAGE_MEDIUM;
    if named || defines || (coverage >= COVERAGE_HIGH && lead >= LEAD_HIGH) {
        Confidence::High
    } else if coverage >= COVERAGE_MEDIUM && lead >= LEAD_MEDIUM {
        Confidence::Medium
    } else {
        Confidence::Low
    }
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

fn lead(files: &[Ranked]) -> f64 {
    let first = files[0].score;
    files.get(4).map_or(1.0, |fifth| (first - fifth.score) / first)
}

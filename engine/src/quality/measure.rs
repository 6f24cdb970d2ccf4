//! One decision to counts, and the score.

use std::collections::{BTreeMap, BTreeSet};

use super::strategy::sum;
use super::{Candidate, Decision, Fixture, QualityError};

/// A count of a count. The rate is taken after summing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Count {
    /// Part.
    pub numerator: u64,
    /// Whole.
    pub denominator: u64,
}

impl Count {
    pub(super) fn of(numerator: u64, denominator: u64) -> Count {
        Count { numerator, denominator }
    }

    /// Numerator over denominator, rounded to six decimals; `None` where there is nothing to take a part of.
    pub fn rate(&self) -> Option<f64> {
        (self.denominator > 0).then(|| round6(self.numerator as f64 / self.denominator as f64))
    }

    pub(super) fn add(&mut self, other: Count) {
        self.numerator = self.numerator.saturating_add(other.numerator);
        self.denominator = self.denominator.saturating_add(other.denominator);
    }
}

/// Rounds to six decimals, halves upwards, as the published figures are.
pub fn round6(value: f64) -> f64 {
    // Adding 0 turns a negative zero into zero.
    (value * 1e6 + 0.5).floor() / 1e6 + 0.0
}

/// Counts of one sample, or sums of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measures {
    /// Expected sources that some selected candidate carries, of all expected.
    pub evidence_recall: Count,
    /// Selected tokens that carry neither the current request nor an expected source, of all selected; nothing of
    /// nothing where no evidence was expected.
    pub irrelevant_tokens: Count,
    /// Source references of the selection beyond the first of each source, of all of them.
    pub duplicate_references: Count,
    /// Selected candidates that name a source, of those selected that must.
    pub provenance: Count,
    /// Selected candidates of the current request, of all of them.
    pub current_request: Count,
    /// Groups of several candidates that are whole in or whole out, of all such groups.
    pub atomic_groups: Count,
    /// Samples whose selection exceeds the budget.
    pub overflow: Count,
    /// Samples that fell back to keeping everything.
    pub fallback: Count,
    /// Tokens in.
    pub selected_tokens: u64,
    /// Tokens out.
    pub dropped_tokens: u64,
    /// Candidates by category: available, selected.
    pub kinds: BTreeMap<String, (u64, u64)>,
    /// Tokens by limited category: limit, selected, dropped.
    pub categories: BTreeMap<String, (u64, u64, u64)>,
    /// Reasons of what is in.
    pub selection_reasons: BTreeMap<String, u64>,
    /// Reasons of what is out.
    pub drop_reasons: BTreeMap<String, u64>,
}

/// The rates that the score is made of; `None` is neutral.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoreRates {
    /// Evidence recall.
    pub recall: Option<f64>,
    /// Irrelevant token ratio.
    pub irrelevant: Option<f64>,
    /// Provenance coverage.
    pub provenance: Option<f64>,
    /// Current-request retention.
    pub current: Option<f64>,
    /// Atomic-group validity.
    pub atomic: Option<f64>,
    /// Overflow rate.
    pub overflow: f64,
    /// Fallback rate.
    pub fallback: f64,
}

/// `context-quality-v1`: 0.35 recall + 0.20 (1 − irrelevant) + 0.15 provenance + 0.15 current + 0.10 atomic
/// + 0.05 max(0, 1 − max(overflow, fallback)), rounded to six decimals.
pub fn score(rates: &ScoreRates) -> f64 {
    let whole = |rate: Option<f64>| rate.unwrap_or(1.0);
    round6(
        0.35 * whole(rates.recall)
            + 0.20 * (1.0 - rates.irrelevant.unwrap_or(0.0))
            + 0.15 * whole(rates.provenance)
            + 0.15 * whole(rates.current)
            + 0.10 * whole(rates.atomic)
            + 0.05 * (1.0 - rates.overflow.max(rates.fallback)).max(0.0),
    )
}

impl Measures {
    /// The rates of these counts. Overflow and fallback of nothing count as none.
    pub fn rates(&self) -> ScoreRates {
        ScoreRates {
            recall: self.evidence_recall.rate(),
            irrelevant: self.irrelevant_tokens.rate(),
            provenance: self.provenance.rate(),
            current: self.current_request.rate(),
            atomic: self.atomic_groups.rate(),
            overflow: self.overflow.rate().unwrap_or(0.0),
            fallback: self.fallback.rate().unwrap_or(0.0),
        }
    }

    /// Adds the counts of another sample.
    pub fn add(&mut self, other: &Measures) {
        self.evidence_recall.add(other.evidence_recall);
        self.irrelevant_tokens.add(other.irrelevant_tokens);
        self.duplicate_references.add(other.duplicate_references);
        self.provenance.add(other.provenance);
        self.current_request.add(other.current_request);
        self.atomic_groups.add(other.atomic_groups);
        self.overflow.add(other.overflow);
        self.fallback.add(other.fallback);
        self.selected_tokens = self.selected_tokens.saturating_add(other.selected_tokens);
        self.dropped_tokens = self.dropped_tokens.saturating_add(other.dropped_tokens);
        for (kind, (available, selected)) in &other.kinds {
            let own = self.kinds.entry(kind.clone()).or_default();
            *own = (own.0 + available, own.1 + selected);
        }
        for (kind, (limit, selected, dropped)) in &other.categories {
            let own = self.categories.entry(kind.clone()).or_default();
            *own = (sum([own.0, *limit]), sum([own.1, *selected]), sum([own.2, *dropped]));
        }
        for (own, added) in [
            (&mut self.selection_reasons, &other.selection_reasons),
            (&mut self.drop_reasons, &other.drop_reasons),
        ] {
            for (reason, count) in added {
                *own.entry(reason.clone()).or_default() += count;
            }
        }
    }
}

/// Counts one decision over one fixture.
///
/// # Errors
/// Where the decision selects a candidate that the fixture doesn't have.
pub fn measure(fixture: &Fixture, decision: &Decision, strategy: &str) -> Result<Measures, QualityError> {
    let known: BTreeSet<&str> = fixture.candidates.iter().map(|candidate| candidate.id.as_str()).collect();
    if decision.selected.keys().any(|id| !known.contains(id.as_str())) {
        let (sample, strategy) = (fixture.sample.clone(), strategy.to_owned());
        return Err(QualityError::UnknownCandidate { sample, strategy });
    }
    let is_in = |candidate: &&Candidate| decision.selected.contains_key(&candidate.id);
    let (selected, dropped): (Vec<&Candidate>, Vec<&Candidate>) = fixture.candidates.iter().partition(is_in);
    let selected_tokens = sum(selected.iter().map(|candidate| candidate.tokens));
    let over = decision.overflow || selected_tokens > fixture.total_budget;
    Ok(Measures {
        evidence_recall: evidence_recall(fixture, &selected),
        irrelevant_tokens: irrelevant_tokens(fixture, &selected, selected_tokens),
        duplicate_references: duplicate_references(&selected),
        provenance: provenance(&selected),
        current_request: current_request(fixture, &selected),
        atomic_groups: atomic_groups(fixture, decision),
        overflow: Count::of(u64::from(over), 1),
        fallback: Count::of(u64::from(decision.fallback), 1),
        selected_tokens,
        dropped_tokens: sum(dropped.iter().map(|candidate| candidate.tokens)),
        kinds: kinds(fixture, decision),
        categories: categories(fixture, decision),
        selection_reasons: reasons(&selected, &decision.selected, "selected-unspecified"),
        drop_reasons: reasons(&dropped, &decision.dropped, "dropped-unspecified"),
    })
}

fn evidence_recall(fixture: &Fixture, selected: &[&Candidate]) -> Count {
    let expected: BTreeSet<&String> = fixture.expected.iter().collect();
    let carried: BTreeSet<&String> = selected.iter().flat_map(|candidate| &candidate.sources).collect();
    Count::of(expected.intersection(&carried).count() as u64, expected.len() as u64)
}

fn irrelevant_tokens(fixture: &Fixture, selected: &[&Candidate], selected_tokens: u64) -> Count {
    if fixture.expected.is_empty() {
        return Count::default();
    }
    let of_request = fixture.candidates.iter().filter(|candidate| candidate.current_request);
    let relevant: BTreeSet<&String> =
        fixture.expected.iter().chain(of_request.flat_map(|candidate| &candidate.sources)).collect();
    let is_irrelevant = |candidate: &&&Candidate| {
        !candidate.current_request && !candidate.sources.iter().any(|source| relevant.contains(source))
    };
    Count::of(sum(selected.iter().filter(is_irrelevant).map(|candidate| candidate.tokens)), selected_tokens)
}

fn duplicate_references(selected: &[&Candidate]) -> Count {
    let all: Vec<&String> = selected.iter().flat_map(|candidate| &candidate.sources).collect();
    let distinct: BTreeSet<&String> = all.iter().copied().collect();
    Count::of((all.len() - distinct.len()) as u64, all.len() as u64)
}

fn provenance(selected: &[&Candidate]) -> Count {
    let bound: Vec<_> = selected.iter().filter(|candidate| candidate.provenance_required).collect();
    let named = bound.iter().filter(|candidate| !candidate.sources.is_empty()).count();
    Count::of(named as u64, bound.len() as u64)
}

fn current_request(fixture: &Fixture, selected: &[&Candidate]) -> Count {
    let current = |candidates: &[&Candidate]| candidates.iter().filter(|c| c.current_request).count() as u64;
    let all: Vec<&Candidate> = fixture.candidates.iter().collect();
    Count::of(current(selected), current(&all))
}

fn atomic_groups(fixture: &Fixture, decision: &Decision) -> Count {
    let mut groups: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for candidate in &fixture.candidates {
        let (members, kept) = groups.entry(&candidate.group).or_default();
        *members += 1;
        *kept += u64::from(decision.selected.contains_key(&candidate.id));
    }
    let several: Vec<_> = groups.values().filter(|(members, _)| *members > 1).collect();
    let whole = several.iter().filter(|(members, kept)| *kept == 0 || kept == members).count();
    Count::of(whole as u64, several.len() as u64)
}

fn kinds(fixture: &Fixture, decision: &Decision) -> BTreeMap<String, (u64, u64)> {
    let mut kinds = BTreeMap::new();
    for candidate in &fixture.candidates {
        let (available, selected): &mut (u64, u64) = kinds.entry(candidate.kind.clone()).or_default();
        *available += 1;
        *selected += u64::from(decision.selected.contains_key(&candidate.id));
    }
    kinds
}

fn categories(fixture: &Fixture, decision: &Decision) -> BTreeMap<String, (u64, u64, u64)> {
    let used = |kind: &str, wanted: bool| {
        let of_kind = fixture.candidates.iter().filter(|candidate| candidate.kind == kind);
        sum(of_kind.filter(|c| decision.selected.contains_key(&c.id) == wanted).map(|c| c.tokens))
    };
    fixture
        .category_budgets
        .iter()
        .map(|(kind, limit)| (kind.clone(), (*limit, used(kind, true), used(kind, false))))
        .collect()
}

/// Counts reasons; one that isn't a key (lower-case letters, digits, `.` and `-`, at most 64) counts as `unnamed`.
fn reasons(
    candidates: &[&Candidate],
    reasons: &BTreeMap<String, String>,
    unnamed: &str,
) -> BTreeMap<String, u64> {
    let is_key = |reason: &&String| {
        let lower = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        reason.len() <= 64
            && reason.bytes().next().is_some_and(lower)
            && reason.bytes().all(|b| lower(b) || b == b'.' || b == b'-')
    };
    let mut counts = BTreeMap::new();
    for candidate in candidates {
        let reason = reasons.get(&candidate.id).filter(is_key).map_or(unnamed, String::as_str);
        *counts.entry(reason.to_owned()).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_rates_are_neutral_and_a_fallback_costs_its_share() {
        let mut rates = Measures::default().rates();
        assert_eq!(score(&rates), 1.0);
        rates.fallback = 1.0;
        assert_eq!(score(&rates), 0.95);
    }

    #[test]
    fn rounding_takes_halves_upwards() {
        assert_eq!([round6(0.0000005), round6(-0.0000005), round6(2.0 / 3.0)], [0.000001, 0.0, 0.666667]);
    }
}

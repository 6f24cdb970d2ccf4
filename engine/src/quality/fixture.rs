//! What is judged: candidates, budget, expected evidence.

use std::collections::{BTreeMap, BTreeSet};

/// Why a fixture or a decision can't be judged.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum QualityError {
    /// An identifier outside the safe alphabet.
    #[error(
        "{place}: unsafe identifier: use letters, digits and . _ : / - , at most 128, a letter or digit first"
    )]
    UnsafeId {
        /// Which member of which sample.
        place: String,
    },
    /// Two candidates of one identifier.
    #[error("sample {sample}: duplicate candidate {candidate}: give each its own identifier")]
    DuplicateCandidate {
        /// Sample.
        sample: String,
        /// Candidate.
        candidate: String,
    },
    /// A decision that selects what isn't there.
    #[error("sample {sample}: strategy {strategy} selects an unknown candidate: fix the strategy")]
    UnknownCandidate {
        /// Sample.
        sample: String,
        /// Strategy.
        strategy: String,
    },
    /// A score that isn't finite.
    #[error("sample {sample}: candidate {candidate}: the score isn't finite")]
    BadScore {
        /// Sample.
        sample: String,
        /// Candidate.
        candidate: String,
    },
    /// A fixture of another corpus.
    #[error("sample {sample}: corpus version differs from the corpus it stands in")]
    ForeignFixture {
        /// Sample.
        sample: String,
    },
    /// A corpus of another format.
    #[error("schema version {found}: only version 1 is known")]
    UnknownSchema {
        /// Version found.
        found: u64,
    },
    /// Nothing to compare.
    #[error("no strategies: give at least one")]
    NoStrategies,
}

/// One candidate of a context.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Identifier within the fixture.
    pub id: String,
    /// Category (`current`, `recent`, `retrieval`, `history`, …).
    pub kind: String,
    /// Cost, tokens.
    pub tokens: u64,
    /// Atomic group it belongs to.
    pub group: String,
    /// Sources it carries.
    pub sources: Vec<String>,
    /// Score under the static ranking.
    pub static_score: f64,
    /// Score under the candidate ranking; the static one where absent.
    pub candidate_score: Option<f64>,
    /// Whether it is the request being answered.
    pub current_request: bool,
    /// Whether it must name its sources.
    pub provenance_required: bool,
}

/// One sample to plan and judge.
#[derive(Debug, Clone, PartialEq)]
pub struct Fixture {
    /// Identifier of the sample.
    pub sample: String,
    /// Version of the corpus it belongs to.
    pub corpus_version: String,
    /// Planner it was taken from.
    pub planner_version: String,
    /// Model profile it was taken under.
    pub profile: String,
    /// Task identifiers and tags; validated, not judged.
    pub task_ids: Vec<String>,
    /// Sources that the task needs.
    pub expected: Vec<String>,
    /// Candidates, in the order of the file.
    pub candidates: Vec<Candidate>,
    /// Limit of the whole context, tokens.
    pub total_budget: u64,
    /// Limits of categories, tokens; a category without one is free.
    pub category_budgets: BTreeMap<String, u64>,
    /// What is known about the outcome.
    pub labels: Vec<String>,
}

/// Whether an identifier may be stored and printed: an ASCII letter or digit, then up to 127 of those and `. _ : / -`.
pub fn is_safe_id(id: &str) -> bool {
    let mut bytes = id.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphanumeric())
        && id.len() <= 128
        && bytes.all(|b| b.is_ascii_alphanumeric() || b"._:/-".contains(&b))
}

impl Fixture {
    /// Checks identifiers, scores and uniqueness.
    ///
    /// # Errors
    /// The first fault in the order of the members.
    pub fn validate(&self) -> Result<(), QualityError> {
        let named = [&self.sample, &self.corpus_version, &self.planner_version, &self.profile];
        let lists = [&self.task_ids, &self.expected, &self.labels];
        let kinds = self.category_budgets.keys();
        for id in named.into_iter().chain(lists.into_iter().flatten()).chain(kinds) {
            self.check_id(id)?;
        }
        let mut seen = BTreeSet::new();
        for candidate in &self.candidates {
            let ids = [&candidate.id, &candidate.kind, &candidate.group];
            for id in ids.into_iter().chain(&candidate.sources) {
                self.check_id(id)?;
            }
            let scores = [Some(candidate.static_score), candidate.candidate_score];
            if scores.into_iter().flatten().any(|score| !score.is_finite()) {
                let (sample, candidate) = (self.sample.clone(), candidate.id.clone());
                return Err(QualityError::BadScore { sample, candidate });
            }
            if !seen.insert(&candidate.id) {
                let (sample, candidate) = (self.sample.clone(), candidate.id.clone());
                return Err(QualityError::DuplicateCandidate { sample, candidate });
            }
        }
        Ok(())
    }

    fn check_id(&self, id: &str) -> Result<(), QualityError> {
        if is_safe_id(id) {
            return Ok(());
        }
        let sample = if is_safe_id(&self.sample) { self.sample.as_str() } else { "with an unsafe name" };
        Err(QualityError::UnsafeId { place: format!("sample {sample}") })
    }
}

//! Slices of the scenarios as guards: harm to one language or one kind of task that the whole doesn't show.

use std::collections::BTreeMap;

use verdict::{Fault, SliceOutcome, slice_outcomes};

use super::document;
use super::evidence::Evidence;
use super::judge::Finding;
use super::policy::{Kind, Section};
use crate::failure::Failure;

/// A slice of a guard.
#[derive(Debug, Clone)]
pub struct SliceFinding {
    /// Criterion.
    pub criterion: String,
    /// What the scenarios were divided by: `language` or `kind`.
    pub dimension: &'static str,
    /// The slice and its outcome.
    pub slice: SliceOutcome,
}

/// Every guard on every slice that isn't the whole.
///
/// # Errors
/// A policy whose criteria contradict the evidence's design (64).
pub(super) fn slices(
    section: &Section,
    evidence: &Evidence<'_>,
    findings: &[Finding],
    feature: &str,
) -> Result<Vec<SliceFinding>, Failure> {
    let mut found = Vec::new();
    for (dimension, labels) in evidence.labels() {
        let mut members: BTreeMap<&str, usize> = BTreeMap::new();
        for label in labels.values() {
            *members.entry(label).or_default() += 1;
        }
        if members.len() < 2 {
            continue;
        }
        let guards = findings.iter().filter(|finding| finding.declared.kind == Kind::Guard && !finding.void);
        for finding in guards {
            let outcomes =
                slice_outcomes(finding.outcome.criterion(), &finding.units, &labels, &section.settings)
                    .map_err(|error| Failure::usage(format!("feature {feature}: {error}")))?;
            let criterion = &finding.outcome.criterion().id;
            found.extend(outcomes.into_iter().map(|slice| SliceFinding {
                criterion: criterion.clone(),
                dimension,
                slice,
            }));
        }
    }
    Ok(found)
}

impl SliceFinding {
    /// The fault that a slice shown to be worse is.
    pub fn fault(&self) -> Option<Fault> {
        self.slice.fault()
    }

    /// The slice as the document shows it.
    pub fn to_document(&self) -> document::Slice {
        let outcome = &self.slice.outcome;
        let figures = outcome.figures();
        document::Slice {
            criterion: self.criterion.clone(),
            dimension: self.dimension.to_owned(),
            slice: self.slice.slice.clone(),
            outcome: outcome.outcome().as_str().to_owned(),
            delta: figures.delta,
            low: figures.low,
            high: figures.high,
            margin: figures.margin,
            scenarios: figures.scenarios,
        }
    }
}

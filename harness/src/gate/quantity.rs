//! The six quantities that a context engine's own documented gate promises to compare: acceptance, rework, failed
//! verification, fresh input tokens, duplicate reads, time to the first correct edit.
//!
//! Each is computed and compared for every feature with recorded runs, whether the policy declares a criterion on it or
//! not. One without a figure is a reason against a promotion: nothing of what was promised is null in silence.

use verdict::{Claim, Criterion, Estimand, Fault, Tier};

use super::document;
use super::judge::Finding;
use super::policy::{Declared, Kind, Section};
use crate::metric::Metric;

/// A quantity, a metric of it, and the weakest tier at which it can be measured.
const QUANTITIES: [(&str, Metric, Tier); 8] = [
    ("acceptance", Metric::Accepted, Tier::Synthetic),
    ("rework", Metric::Rework, Tier::Synthetic),
    ("failed verification", Metric::FailedVerifications, Tier::Synthetic),
    ("fresh input tokens", Metric::FreshInputTokens, Tier::Synthetic),
    ("duplicate reads", Metric::DuplicateReads, Tier::Synthetic),
    ("time to first correct edit", Metric::FirstCorrectEditRequests, Tier::Synthetic),
    ("time to first correct edit", Metric::FirstCorrectEditTokens, Tier::Synthetic),
    ("time to first correct edit", Metric::FirstCorrectEditSeconds, Tier::RecordedModel),
];

/// The quantities that can be measured at a tier.
fn measurable(tier: Option<Tier>) -> impl Iterator<Item = (&'static str, Metric)> {
    QUANTITIES
        .into_iter()
        .filter(move |(_, _, needed)| tier.is_none_or(|tier| tier >= *needed))
        .map(|(name, metric, _)| (name, metric))
}

/// Comparisons for the quantities that no criterion of the policy is about. They decide nothing.
pub(super) fn undeclared(section: &Section, tier: Option<Tier>) -> Vec<Declared> {
    let declared = |metric: Metric| section.criteria.iter().any(|declared| declared.metric == metric);
    measurable(tier)
        .filter(|(_, metric)| !declared(*metric))
        .map(|(_, metric)| Declared {
            metric,
            kind: Kind::Guard,
            terms: Criterion {
                id: metric.id().to_owned(),
                claim: Claim::NonInferiority { margin: 0.0 },
                estimand: Estimand::MeanDifference,
                better: metric.better(),
                alpha: section.alpha,
                scenarios: 0,
                range: None,
            },
        })
        .collect()
}

/// The quantities with their figures: of the policy's criterion, else of the comparison.
pub(super) fn quantities(
    tier: Option<Tier>,
    criteria: &[Finding],
    comparisons: &[Finding],
) -> Vec<document::Quantity> {
    let quantity = |(name, metric): (&str, Metric)| {
        let of = |findings: &'_ [Finding]| {
            findings.iter().find(|finding| finding.declared.metric == metric).cloned()
        };
        let declared = of(criteria);
        let criterion = declared.as_ref().map(|finding| finding.outcome.criterion().id.clone());
        let finding = declared.or_else(|| of(comparisons));
        let figures = finding.as_ref().map(|finding| finding.outcome.figures().clone()).unwrap_or_default();
        document::Quantity {
            name: name.to_owned(),
            metric: metric.id().to_owned(),
            estimand: finding.as_ref().map_or_else(String::new, |finding| finding.estimand().to_owned()),
            criterion,
            baseline: figures.baseline,
            candidate: figures.candidate,
            delta: figures.delta,
            low: figures.low,
            high: figures.high,
        }
    };
    measurable(tier).map(quantity).collect()
}

/// The quantities without a figure, as a reason against a promotion.
pub(super) fn missing(quantities: &[document::Quantity]) -> Option<Fault> {
    let lacking: Vec<&str> = quantities
        .iter()
        .filter(|quantity| {
            quantity.baseline.is_none() || quantity.candidate.is_none() || quantity.delta.is_none()
        })
        .map(|quantity| quantity.metric.as_str())
        .collect();
    (!lacking.is_empty()).then(|| {
        let message = format!("no figure for {}: record runs that have them", lacking.join(", "));
        Fault::insufficient("quantity-missing", message)
    })
}

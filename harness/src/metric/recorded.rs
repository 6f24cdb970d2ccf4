//! All metrics of one recorded run.

use engine::tokens::TokenCounter;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use verdict::Tier;

use super::price::PricePack;
use super::safety::{self, Forbidden};
use super::waste::{Class, ledger, parts};
use super::{Metric, duplicate_read, first_edit, rework, tokens, verification};
use crate::corpus::{Activity, RunEvidence};
use crate::scenario::Scenario;

/// What the metrics of a run are computed with.
pub struct Yardsticks<'a> {
    /// Prices; without a pack no run has a cost.
    pub prices: Option<&'a PricePack>,
    /// Counter for estimates of the ledger.
    pub counter: &'a dyn TokenCounter,
}

/// Values of one run, every recorded metric that it has. A run whose model has no price in force has no cost.
pub fn run_values(
    evidence: &RunEvidence,
    activity: &Activity,
    scenario: &Scenario,
    forbidden: &Forbidden,
    yardsticks: &Yardsticks<'_>,
) -> Vec<(Metric, f64)> {
    let accepted =
        evidence.grader.derive_accepted(&evidence.patch.changes, &evidence.row.patch_sha256, scenario);
    let tree = &evidence.session.tree;
    let mut values = vec![
        (Metric::Accepted, f64::from(u8::from(accepted))),
        (Metric::WallSeconds, evidence.row.outcome.wall_seconds),
    ];
    values.extend(tokens::values(activity));
    values.extend(verification::values(activity, &scenario.verify));
    values.extend(duplicate_read::values(activity));
    values.extend(rework::values(activity, &evidence.patch.changes, &scenario.fixture));
    values.extend(first_edit::values(activity, &evidence.patch.changes, &scenario.gold, accepted));
    if *evidence.row.tier == *Tier::RecordedModel.as_str() {
        values.extend(first_edit::seconds(tree, activity, &evidence.patch.changes, &scenario.gold, accepted));
    }
    values.extend(safety::values(evidence, activity, forbidden));
    values.extend(cost(evidence, activity, yardsticks.prices).map(|cost| (Metric::CostUsd, cost)));
    let score = parts(tree, &evidence.session_bytes, activity, yardsticks.counter).score();
    values.push((Metric::ContextWasteScore, score));
    let ledger = ledger(tree, activity, &scenario.gold, yardsticks.counter);
    values.push((Metric::DuplicatePromptShare, ledger.share(Class::Duplicate)));
    values.push((Metric::NeverUsedPromptShare, ledger.share(Class::NeverUsed)));
    values
}

/// Day of a session in UTC, from its header.
fn day(evidence: &RunEvidence) -> Option<Date> {
    let time = evidence.session.header.as_ref()?.time_ms?;
    Some(TimeZone::UTC.to_datetime(Timestamp::from_millisecond(time).ok()?).date())
}

fn cost(evidence: &RunEvidence, activity: &Activity, prices: Option<&PricePack>) -> Option<f64> {
    let (prices, day) = (prices?, day(evidence)?);
    activity
        .requests
        .iter()
        .map(|request| Some(prices.price(&request.provider, &request.model, day)?.cost(&request.usage)))
        .sum()
}

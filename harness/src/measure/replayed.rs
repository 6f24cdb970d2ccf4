//! Replaying the baseline's runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::tokens::TokenCounter;

use super::{Campaign, Recordings};
use crate::corpus::Fault;
use crate::failure::Failure;
use crate::metric::{MetricFrame, MetricRow, OrderComparison, ReplayedMetrics};
use crate::replay::{Baseline, ReplayOptions, ReplaySink, replay};
use crate::variant::Variant;

/// What the repeats of a replay showed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Determinism {
    /// How often each request was planned by each variant.
    pub repeats: u32,
    /// Requests replayed.
    pub requests: usize,
    /// Plans (request and variant) whose repeats agreed byte for byte.
    pub identical: usize,
    /// Plans whose repeats differed, and sessions that couldn't be replayed.
    pub failed: usize,
}

/// The replayed plane.
pub struct Replayed {
    /// Its values.
    pub frame: MetricFrame,
    /// Its faults.
    pub faults: Vec<Fault>,
    /// What the repeats showed.
    pub determinism: Determinism,
    /// What a second opinion on the order of files changes, by variant.
    pub orders: BTreeMap<String, OrderComparison>,
}

/// Replays the sessions recorded under `baseline` by `variants`; every event also goes to `sinks`.
///
/// # Errors
/// A fixture can't be indexed, or a sink fails.
pub fn replay_baseline(
    campaign: &Campaign<'_>,
    feature: &str,
    recordings: &Recordings,
    baseline: &str,
    variants: &[&str],
    counter: &Arc<dyn TokenCounter>,
    sinks: &mut [&mut dyn ReplaySink],
) -> Result<Replayed, Failure> {
    let mut sessions = Vec::new();
    for evidence in recordings.evidence.iter().filter(|evidence| evidence.key.variant == baseline) {
        if let Some(scenario) = campaign.scenarios.get(&evidence.key.scenario) {
            sessions.push(Baseline::new(evidence, scenario)?);
        }
    }
    let variants: Vec<&Variant> = variants.iter().filter_map(|id| campaign.variants.get(id)).collect();
    let mut metrics = ReplayedMetrics::default();
    let options = ReplayOptions { repeats: campaign.repeats, engines: campaign.engines };
    let mut all: Vec<&mut dyn ReplaySink> = vec![&mut metrics];
    for sink in sinks.iter_mut() {
        all.push(&mut **sink);
    }
    replay(&sessions, &variants, counter, options, &mut all)?;
    let (requests, identical) = metrics.counts();
    let determinism =
        Determinism { repeats: options.repeats.max(1), requests, identical, failed: metrics.faults().len() };
    let row = |session: &crate::metric::SessionValues, metric, value| MetricRow {
        corpus: campaign.corpus.manifest.name.clone(),
        feature: feature.to_owned(),
        scenario: session.session.scenario.clone(),
        cluster: session.cluster.clone(),
        variant: session.variant.clone(),
        repetition: session.session.repetition,
        metric,
        value,
    };
    let values = metrics.values();
    let rows = values
        .iter()
        .flat_map(|session| session.values.iter().map(move |(metric, value)| row(session, *metric, *value)))
        .collect();
    Ok(Replayed {
        frame: MetricFrame::new(rows),
        faults: metrics.faults().to_vec(),
        determinism,
        orders: metrics.orders(),
    })
}

//! Reading a campaign: a few scenarios at a time, so that memory holds their sessions and not the campaign's.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine::tokens::TokenCounter;
use rayon::prelude::*;

use super::Campaign;
use super::recorded::{Fixtures, Reader, Run, Subject};
use super::regrade::StoredPatch;
use super::remembered::Remembered;
use super::shelf::Shelf;
use crate::corpus::{EvidenceStore, Fault, Row};
use crate::failure::Failure;
use crate::metric::{MetricFrame, OrderComparison, Plane, ReplayedMetrics, RunValues, SessionValues};
use crate::qualify::check_qualifications;
use crate::replay::ReplaySink;
use crate::scenario::Scenario;
use crate::variant::Variant;

/// Scenarios that are read together: enough for all threads, few enough to forget.
const TOGETHER: usize = 64;

/// What is asked of a reading.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Feature that the values are of.
    pub feature: &'a str,
    /// Arms whose runs are read.
    pub arms: &'a [&'a str],
    /// Arm whose sessions are replayed, one of `arms`, and the variants that plan them anew.
    pub replay: Option<(&'a str, &'a [&'a str])>,
    /// Whether the patches are kept, for the graders.
    pub patches: bool,
}

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

/// What was read.
#[derive(Debug)]
pub struct Readings {
    /// Runs that could be read, by arm.
    pub runs: BTreeMap<String, usize>,
    /// Values of the runs.
    pub recorded: MetricFrame,
    /// Values of the replay.
    pub replayed: MetricFrame,
    /// What contradicts itself, sorted.
    pub faults: Vec<Fault>,
    /// What the replay's repeats showed.
    pub determinism: Determinism,
    /// What a second opinion on the order of files changes, by variant.
    pub orders: BTreeMap<String, OrderComparison>,
    /// The patches, where they were asked for.
    pub patches: Vec<StoredPatch>,
}

/// Reads, checks and measures the runs of some arms and replays those of one; every event of the replay also goes to
/// `sinks`, by run, variant and request. Runs on the current rayon pool; nothing depends on its size.
///
/// # Errors
/// A scenario's fixture can't be read or indexed, or a sink fails.
pub fn read(
    campaign: &Campaign<'_>,
    asked: Asked<'_>,
    counter: &Arc<dyn TokenCounter>,
    sinks: &mut [&mut dyn ReplaySink],
) -> Result<Readings, Failure> {
    let scenarios = by_scenario(campaign, asked.arms);
    let ids = asked.replay.map(|(_, ids)| ids).unwrap_or_default();
    let variants: Vec<&Variant> = ids.iter().filter_map(|id| campaign.variants.get(id)).collect();
    let replay = asked.replay.map(|(baseline, _)| (baseline, variants.as_slice()));
    let mut shelf = Shelf::new(scenarios.iter().filter_map(|one| replayed_scenario(one, replay)));
    let mut all = Collected { metrics: ReplayedMetrics::default(), ..Collected::default() };
    let (corpus_name, feature): (Arc<str>, Arc<str>) =
        (campaign.corpus.manifest.name.as_str().into(), asked.feature.into());
    for some in scenarios.chunks(TOGETHER) {
        let counter: Arc<dyn TokenCounter> = Arc::new(Remembered::new(Arc::clone(counter)));
        let fixtures = Fixtures::of(some.iter().filter_map(|one| one.scenario))?;
        let subjects: Vec<Option<Subject<'_>>> =
            some.par_iter().map(|one| one.scenario.and_then(|scenario| fixtures.subject(scenario))).collect();
        shelf.open(some.iter().filter_map(|one| replayed_scenario(one, replay)), &counter)?;
        let reader = Reader {
            campaign,
            corpus_name: Arc::clone(&corpus_name),
            feature: Arc::clone(&feature),
            store: EvidenceStore::new(campaign.corpus, some.iter().map(|one| one.id)),
            counter,
            replay,
            patches: asked.patches,
            events: !sinks.is_empty(),
        };
        let rows: Vec<(&Row, Option<&Subject<'_>>)> = some
            .iter()
            .zip(&subjects)
            .flat_map(|(one, subject)| one.rows.iter().map(move |row| (*row, subject.as_ref())))
            .collect();
        let runs: Vec<Run> = rows
            .par_iter()
            .map(|(row, subject)| {
                let project = subject.and_then(|subject| shelf.get(subject.scenario()));
                reader.read(row, *subject, project)
            })
            .collect();
        all.take(runs, sinks)?;
        shelf.close(some.iter().filter_map(|one| replayed_scenario(one, replay)));
    }
    all.faults.extend(check_qualifications(campaign.corpus));
    Ok(all.conclude(&corpus_name, &feature, campaign.repeats))
}

/// The rows of a scenario, in the order of keys.
struct OfScenario<'a> {
    id: &'a str,
    scenario: Option<&'a Scenario>,
    rows: Vec<&'a Row>,
}

fn by_scenario<'a>(campaign: &Campaign<'a>, arms: &[&str]) -> Vec<OfScenario<'a>> {
    let mut scenarios: Vec<OfScenario<'a>> = Vec::new();
    for row in campaign.corpus.rows.values().filter(|row| arms.contains(&&*row.key.variant)) {
        let id = &*row.key.scenario;
        match scenarios.last_mut().filter(|last| last.id == id) {
            Some(last) => last.rows.push(row),
            None => {
                scenarios.push(OfScenario { id, scenario: campaign.scenarios.get(id), rows: vec![row] });
            }
        }
    }
    scenarios
}

/// The scenario, if any of its rows is to be replayed.
fn replayed_scenario<'a>(one: &OfScenario<'a>, replay: Option<(&str, &[&Variant])>) -> Option<&'a Scenario> {
    let (baseline, _) = replay?;
    one.scenario.filter(|_| one.rows.iter().any(|row| *row.key.variant == *baseline))
}

#[derive(Default)]
struct Collected {
    recorded: Vec<RunValues>,
    runs: BTreeMap<String, usize>,
    faults: Vec<Fault>,
    patches: Vec<StoredPatch>,
    metrics: ReplayedMetrics,
}

impl Collected {
    fn take(&mut self, runs: Vec<Run>, sinks: &mut [&mut dyn ReplaySink]) -> Result<(), Failure> {
        for run in runs {
            self.faults.extend(run.faults);
            self.patches.extend(run.patch);
            if let Some(values) = run.values {
                match self.runs.get_mut(&*values.variant) {
                    Some(count) => *count += 1,
                    None => drop(self.runs.insert(values.variant.as_ref().to_owned(), 1)),
                }
                self.recorded.push(values);
            }
            self.metrics.append(run.replayed);
            for event in &run.events {
                for sink in sinks.iter_mut() {
                    sink.take(event)?;
                }
            }
        }
        Ok(())
    }

    fn conclude(mut self, corpus: &Arc<str>, feature: &Arc<str>, repeats: u32) -> Readings {
        let (requests, identical) = self.metrics.counts();
        let failed = self.metrics.faults().len();
        self.faults.extend(self.metrics.faults().iter().cloned());
        self.faults.sort();
        let orders = self.metrics.orders();
        let values = |session: SessionValues| RunValues {
            corpus: Arc::clone(corpus),
            feature: Arc::clone(feature),
            scenario: session.session.scenario,
            cluster: session.cluster,
            variant: session.variant,
            repetition: session.session.repetition,
            plane: Plane::Replayed,
            values: session.values,
        };
        let replayed = self.metrics.into_values().into_iter().map(values).collect();
        Readings {
            runs: self.runs,
            recorded: MetricFrame::of(self.recorded),
            replayed: MetricFrame::of(replayed),
            faults: self.faults,
            determinism: Determinism { repeats: repeats.max(1), requests, identical, failed },
            orders,
            patches: self.patches,
        }
    }
}

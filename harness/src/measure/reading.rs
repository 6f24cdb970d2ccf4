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
use crate::replay::{ReplayEvent, ReplaySink};
use crate::scenario::{FixtureProject, Scenario};
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
    let shelf = Shelf::new(scenarios.iter().filter_map(|one| replayed_scenario(one, replay)));
    let mut ahead = Ahead { shelf, replay, counter };
    let mut all = Collected { metrics: ReplayedMetrics::default(), ..Collected::default() };
    let (corpus_name, feature): (Arc<str>, Arc<str>) =
        (campaign.corpus.manifest.name.as_str().into(), asked.feature.into());
    let mut chunks = scenarios.chunks(TOGETHER);
    let mut prepared = chunks.next().map(|some| ahead.prepare(some)).transpose()?;
    let mut before = Vec::new();
    while let Some(Prepared { some, subjects, projects, counter }) = prepared {
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
        let rows: Vec<(usize, &Row)> = some
            .iter()
            .enumerate()
            .flat_map(|(at, one)| one.rows.iter().map(move |row| (at, *row)))
            .collect();
        let read =
            |(at, row): &(usize, &Row)| reader.read(row, subjects[*at].as_ref(), projects[*at].as_deref());
        let following = chunks.next();
        // While these are read, what the next scenarios need is opened, and what the last ones gave is put away: threads
        // don't wait for one another in between.
        let put_away = std::mem::take(&mut before);
        let (runs, (next, events)): (Vec<Run>, _) = rayon::join(
            || rows.par_iter().map(read).collect(),
            || (following.map(|some| ahead.prepare(some)), all.take(put_away)),
        );
        tell(&events, sinks)?;
        (before, prepared) = (runs, next.transpose()?);
    }
    tell(&all.take(before), sinks)?;
    let (mut readings, unqualified) = rayon::join(
        || all.conclude(&corpus_name, &feature, campaign.repeats),
        || check_qualifications(campaign.corpus),
    );
    readings.faults.extend(unqualified);
    readings.faults.sort();
    Ok(readings)
}

/// Opens what scenarios need before they are read.
struct Ahead<'a> {
    shelf: Shelf<'a>,
    replay: Option<(&'a str, &'a [&'a Variant])>,
    counter: &'a Arc<dyn TokenCounter>,
}

/// Some scenarios, and what each of them is read with.
struct Prepared<'s, 'a> {
    some: &'s [OfScenario<'a>],
    subjects: Vec<Option<Subject<'a>>>,
    /// Their fixtures, where sessions of them are replayed.
    projects: Vec<Option<Arc<FixtureProject>>>,
    counter: Arc<dyn TokenCounter>,
}

impl<'a> Ahead<'a> {
    /// # Errors
    /// A fixture can't be read or indexed: the first, in the order of names.
    fn prepare<'s>(&mut self, some: &'s [OfScenario<'a>]) -> Result<Prepared<'s, 'a>, Failure> {
        let counter: Arc<dyn TokenCounter> = Arc::new(Remembered::new(Arc::clone(self.counter)));
        let fixtures = Fixtures::of(some.iter().filter_map(|one| one.scenario))?;
        let subjects =
            some.par_iter().map(|one| one.scenario.and_then(|scenario| fixtures.subject(scenario))).collect();
        let replayed = || some.iter().map(|one| replayed_scenario(one, self.replay));
        self.shelf.open(replayed().flatten(), &counter)?;
        let projects =
            replayed().map(|scenario| scenario.and_then(|scenario| self.shelf.get(scenario))).collect();
        self.shelf.close(replayed().flatten());
        Ok(Prepared { some, subjects, projects, counter })
    }
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

fn tell(events: &[ReplayEvent], sinks: &mut [&mut dyn ReplaySink]) -> Result<(), Failure> {
    for event in events {
        for sink in sinks.iter_mut() {
            sink.take(event)?;
        }
    }
    Ok(())
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
    /// Takes what runs gave but for their events, which are given back.
    fn take(&mut self, runs: Vec<Run>) -> Vec<ReplayEvent> {
        let mut events = Vec::new();
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
            events.extend(run.events);
        }
        events
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
        let (recorded, replayed) =
            rayon::join(|| MetricFrame::of(self.recorded), || MetricFrame::of(replayed));
        Readings {
            runs: self.runs,
            recorded,
            replayed,
            faults: self.faults,
            determinism: Determinism { repeats: repeats.max(1), requests, identical, failed },
            orders,
            patches: self.patches,
        }
    }
}

//! One run: read, checked, measured, and replayed where it is of the arm whose sessions are.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engine::tokens::TokenCounter;
use rayon::prelude::*;

use super::Campaign;
use super::regrade::StoredPatch;
use super::shelf::{FixtureKey, fixture_key};
use crate::corpus::{
    Activity, EvidenceStore, Fault, FaultCode, Row, Task, TreeHash, check_attempts, check_run,
};
use crate::failure::Failure;
use crate::metric::safety::Forbidden;
use crate::metric::{Plane, ReplayedMetrics, RunValues, Yardsticks, run_values};
use crate::replay::{Baseline, ReplayEvent, ReplayOptions};
use crate::scenario::{FixtureProject, Scenario, tree};
use crate::variant::Variant;

/// What scenarios share that are set in one repository and protect the same files of it.
struct Fixture {
    files: Arc<BTreeSet<String>>,
    tree: TreeHash,
    forbidden: Forbidden,
}

impl Fixture {
    fn of(scenario: &Scenario) -> Result<Fixture, Failure> {
        let files = tree::files(&scenario.fixture)?;
        let forbidden = Forbidden::of(scenario, &files)?;
        Ok(Fixture { tree: Task::tree(scenario, &files), forbidden, files: Arc::new(files) })
    }
}

/// The repositories of some scenarios, each read once.
pub(super) struct Fixtures<'a>(BTreeMap<FixtureKey<'a>, Fixture>);

impl<'a> Fixtures<'a> {
    /// Reads what these scenarios are set in, on the current rayon pool.
    ///
    /// # Errors
    /// A repository can't be read: the first, in the order of names.
    pub(super) fn of(scenarios: impl Iterator<Item = &'a Scenario>) -> Result<Fixtures<'a>, Failure> {
        let distinct: BTreeMap<FixtureKey<'a>, &Scenario> =
            scenarios.map(|scenario| (fixture_key(scenario), scenario)).collect();
        let read: Vec<(FixtureKey<'a>, Result<Fixture, Failure>)> =
            distinct.into_par_iter().map(|(key, scenario)| (key, Fixture::of(scenario))).collect();
        let read = read.into_iter().map(|(key, fixture)| Ok((key, fixture?)));
        read.collect::<Result<_, _>>().map(Fixtures)
    }

    /// What the runs of a scenario are read with; none for one that isn't among those that this was made of.
    pub(super) fn subject(&self, scenario: &'a Scenario) -> Option<Subject<'a>> {
        let Fixture { files, tree, forbidden } = self.0.get(&fixture_key(scenario))?;
        Some(Subject {
            task: Task::of(scenario, tree.clone()),
            forbidden: forbidden.with_secrets_of(scenario),
            existing: Arc::clone(files),
            name: scenario.id.as_str().into(),
            cluster: scenario.repo.as_str().into(),
        })
    }
}

/// What the runs of a scenario are read with.
pub(super) struct Subject<'a> {
    task: Task<'a>,
    forbidden: Forbidden,
    existing: Arc<BTreeSet<String>>,
    name: Arc<str>,
    cluster: Arc<str>,
}

impl<'a> Subject<'a> {
    pub(super) fn scenario(&self) -> &'a Scenario {
        self.task.scenario
    }
}

/// How the runs of some scenarios are read.
pub(super) struct Reader<'a> {
    pub campaign: &'a Campaign<'a>,
    pub corpus_name: Arc<str>,
    pub feature: Arc<str>,
    pub store: EvidenceStore<'a>,
    pub counter: Arc<dyn TokenCounter>,
    /// Arm whose sessions are replayed, and by which variants.
    pub replay: Option<(&'a str, &'a [&'a Variant])>,
    /// Whether patches are kept for the graders.
    pub patches: bool,
    /// Whether events are kept for whoever follows the replay.
    pub events: bool,
}

/// What one run gave.
#[derive(Default)]
pub(super) struct Run {
    pub values: Option<RunValues>,
    pub patch: Option<StoredPatch>,
    pub faults: Vec<Fault>,
    /// What the replay of the run gave.
    pub replayed: ReplayedMetrics,
    /// The replay's events, where they were asked for.
    pub events: Vec<ReplayEvent>,
}

impl Reader<'_> {
    /// Reads a row's files and keeps no more of them than was asked for. `subject` is none where the scenario isn't
    /// among the tasks; `project` is that of the baseline's scenario.
    pub(super) fn read(
        &self,
        row: &Row,
        subject: Option<&Subject<'_>>,
        project: Option<&FixtureProject>,
    ) -> Run {
        let corpus = self.campaign.corpus;
        let mut faults = check_attempts(corpus, row);
        let evidence = match self.store.load(row) {
            Ok(Some(evidence)) => evidence,
            Ok(None) => return Run { faults, ..Run::default() },
            Err(found) => {
                faults.extend(found);
                return Run { faults, ..Run::default() };
            }
        };
        let Some(subject) = subject else {
            let message = "the scenario isn't among the tasks: its gold files and grader are unknown";
            faults.push(Fault::of_run(FaultCode::TaskMismatch, &row.key, message));
            return Run { faults, ..Run::default() };
        };
        let activity = Activity::of(&evidence.session.tree);
        let variant = self.campaign.variants.get(&row.key.variant);
        faults.extend(check_run(&evidence, &activity, &subject.task, variant));
        let yardsticks = Yardsticks { prices: self.campaign.prices, counter: &*self.counter };
        let scenario = subject.scenario();
        let values = RunValues {
            corpus: Arc::clone(&self.corpus_name),
            feature: Arc::clone(&self.feature),
            scenario: Arc::clone(&subject.name),
            cluster: Arc::clone(&subject.cluster),
            variant: Arc::clone(&row.key.variant),
            repetition: row.key.repetition,
            plane: Plane::Recorded,
            values: run_values(&evidence, &activity, scenario, &subject.forbidden, &yardsticks),
        };
        let patch = self.patches.then(|| StoredPatch::of(&evidence));
        let options = ReplayOptions { repeats: self.campaign.repeats, engines: self.campaign.engines };
        let replayed = self.replay.filter(|(baseline, _)| **baseline == *row.key.variant).zip(project);
        let events = replayed.map(|((_, variants), project)| {
            Baseline::new(evidence, scenario, &subject.existing).replay(
                variants,
                &self.counter,
                project,
                options,
            )
        });
        let mut events = events.unwrap_or_default();
        let mut metrics = ReplayedMetrics::default();
        events.iter().for_each(|event| metrics.see(event));
        if !self.events {
            events = Vec::new();
        }
        Run { values: Some(values), patch, faults, replayed: metrics, events }
    }
}

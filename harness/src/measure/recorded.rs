//! One run: read, checked, measured, and replayed where it is of the arm whose sessions are.

use std::collections::BTreeSet;
use std::sync::Arc;

use engine::tokens::TokenCounter;

use super::Campaign;
use super::regrade::StoredPatch;
use crate::corpus::{Activity, EvidenceStore, Fault, FaultCode, Row, Task, check_attempts, check_run};
use crate::failure::Failure;
use crate::metric::safety::Forbidden;
use crate::metric::{Plane, ReplayedMetrics, RunValues, Yardsticks, run_values};
use crate::replay::{Baseline, ReplayEvent, ReplayOptions};
use crate::scenario::{FixtureProject, Scenario, tree};
use crate::variant::Variant;

/// What the runs of a scenario are read with.
pub(super) struct Subject<'a> {
    task: Task<'a>,
    forbidden: Forbidden,
    existing: BTreeSet<String>,
    name: Arc<str>,
    cluster: Arc<str>,
}

impl<'a> Subject<'a> {
    /// Reads what all runs of a scenario share.
    ///
    /// # Errors
    /// Its fixture can't be read.
    pub(super) fn of(scenario: &'a Scenario) -> Result<Subject<'a>, Failure> {
        let existing = tree::files(&scenario.fixture)?;
        Ok(Subject {
            task: Task::of(scenario, &existing),
            forbidden: Forbidden::of(scenario, &existing)?,
            existing,
            name: scenario.id.as_str().into(),
            cluster: scenario.repo.as_str().into(),
        })
    }

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
            variant: row.key.variant.as_str().into(),
            repetition: row.key.repetition,
            plane: Plane::Recorded,
            values: run_values(&evidence, &activity, scenario, &subject.forbidden, &yardsticks),
        };
        let patch = self.patches.then(|| StoredPatch::of(&evidence));
        let options = ReplayOptions { repeats: self.campaign.repeats, engines: self.campaign.engines };
        let replayed = self.replay.filter(|(baseline, _)| *baseline == row.key.variant).zip(project);
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

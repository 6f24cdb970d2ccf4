//! A campaign from the first run to the complete corpus, resumable at any moment.
//!
//! Exactly once: a run's files are published, then the journal says so. A kill before that line means that the run is made
//! again and overwrites its files with equal ones; a kill after it means that it is not.

use std::collections::BTreeMap;

use super::agent::Agent;
use super::error::RecordError;
use super::home::Home;
use super::journal::{Event, Journal};
use super::pack::PackSource;
use super::plan::Plan;
use super::qualified;
use super::row::RunRow;
use super::schedule::{self, Block};
use super::single::{Bench, Slot};
use super::store::Store;

/// Times that a block is made again after a failure that isn't the agent's.
const MAX_AGAIN: u32 = 2;

/// Who is told how a campaign goes on.
pub trait Observer {
    /// A campaign of `total` runs begins, of which `done` are there already.
    fn began(&mut self, total: usize, done: usize);
    /// A run begins.
    fn running(&mut self, run: &str);
    /// A run is stored.
    fn stored(&mut self, row: &RunRow);
    /// Something worth a line.
    fn note(&mut self, line: String);
}

/// A complete campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// One row a scheduled run, in the order in which they were made.
    pub rows: Vec<RunRow>,
    /// Rows that were there before this process began.
    pub resumed: usize,
}

/// Rows by block, attempt and variant.
type Done = BTreeMap<(usize, u32, String), RunRow>;

/// Records what a plan schedules and isn't recorded yet, then publishes the corpus.
///
/// # Errors
/// The plan can't be recorded, the folder holds another campaign, or the machine fails.
pub fn record(
    plan: &Plan,
    agent: &dyn Agent,
    settings: &str,
    packs: &dyn PackSource,
    observer: &mut dyn Observer,
) -> Result<Summary, RecordError> {
    plan.check()?;
    let identity = agent.identity();
    let plan_sha256 = plan.sha256(&identity, settings)?;
    // Held before the journal is read: to read it is to cut off what another recording is writing.
    let store = Store::open(&plan.out)?;
    let (journal, events) = Journal::open(&store.journal())?;
    let home = Home::lease(&plan.home)?;
    let bench = Bench { plan, agent, packs, home, store, qualified: BTreeMap::new() };
    let mut campaign = Campaign { bench, journal, plan_sha256, done: Done::new() };
    campaign.resume(events)?;
    if !campaign.bench.store.has("corpus.toml") {
        campaign.bench.store.put("corpus.toml", &plan.manifest(&identity))?;
    }
    campaign.run(observer)
}

struct Campaign<'a> {
    bench: Bench<'a>,
    journal: Journal,
    plan_sha256: String,
    done: Done,
}

impl Campaign<'_> {
    fn resume(&mut self, events: Vec<Event>) -> Result<(), RecordError> {
        let mut began = false;
        for event in events {
            match event {
                Event::Began { plan_sha256 } if plan_sha256 == self.plan_sha256 => began = true,
                Event::Began { .. } => {
                    let out = self.bench.plan.out.display();
                    return Err(RecordError::Usage(format!(
                        "{out}: holds another campaign (scenarios, variants, engine, seed, agent, policy, prices or limits differ): choose another --out"
                    )));
                }
                Event::Run { .. } if !began => {
                    let path = self.bench.store.journal();
                    let message = "tells a run before what it is of: record into another folder";
                    return Err(RecordError::Data(format!("{}: {message}", path.display())));
                }
                Event::Run { block, attempt, row } => {
                    self.done.insert((block, attempt, row.variant.clone()), *row);
                }
            }
        }
        if !began {
            self.bench.store.refuse_foreign()?;
            self.journal.append(&Event::Began { plan_sha256: self.plan_sha256.clone() })?;
        }
        Ok(())
    }

    fn run(&mut self, observer: &mut dyn Observer) -> Result<Summary, RecordError> {
        let plan = self.bench.plan;
        let scenarios: Vec<String> = plan.scenarios.iter().map(|scenario| scenario.id.clone()).collect();
        let variants: Vec<String> = plan.variants.iter().map(|variant| variant.id.clone()).collect();
        let blocks = schedule::blocks(&scenarios, &variants, plan.repetitions, plan.seed);
        let first_attempts = self.done.keys().filter(|(_, attempt, _)| *attempt == 0).count();
        observer.began(blocks.len() * variants.len(), first_attempts);
        observer.running("graders asked before the first run");
        let bench = &mut self.bench;
        bench.qualified = qualified::ask(&plan.scenarios, &bench.store, &mut |line| observer.note(line))?;
        let mut summary = Summary { rows: Vec::new(), resumed: first_attempts };
        let mut runs = Vec::new();
        for (number, block) in blocks.iter().enumerate() {
            let (rows, attempt) = self.block(number, block, observer)?;
            for (place, row) in rows.into_iter().enumerate() {
                runs.push(Slot { block, place, attempt }.name());
                summary.rows.push(row);
            }
        }
        self.bench.store.finish(&summary.rows, &runs)?;
        Ok(summary)
    }

    /// Makes all arms of a block, again as a whole if one of them is void, at most [`MAX_AGAIN`] times.
    fn block(
        &mut self,
        number: usize,
        block: &Block,
        observer: &mut dyn Observer,
    ) -> Result<(Vec<RunRow>, u32), RecordError> {
        let mut earlier: Vec<Vec<RunRow>> = Vec::new();
        loop {
            let attempt = u32::try_from(earlier.len()).unwrap_or(u32::MAX);
            let mut rows = Vec::new();
            for place in 0..block.variants.len() {
                rows.push(self.slot(number, Slot { block, place, attempt }, observer)?);
            }
            let void = rows.iter().find(|row| row.is_void());
            match void {
                Some(row) if attempt < MAX_AGAIN => {
                    let why = row.outcome.infrastructure_failure.clone().unwrap_or_default();
                    let Block { scenario, repetition, .. } = block;
                    observer.note(format!("{scenario}-{repetition}: all arms again: {}: {why}", row.variant));
                    earlier.push(rows);
                }
                _ => {
                    for (place, row) in rows.iter_mut().enumerate() {
                        let attempts =
                            earlier.iter().zip(0..).map(|(rows, attempt)| rows[place].as_attempt(attempt));
                        row.attempts = attempts.collect();
                    }
                    return Ok((rows, attempt));
                }
            }
        }
    }

    fn slot(
        &mut self,
        number: usize,
        slot: Slot<'_>,
        observer: &mut dyn Observer,
    ) -> Result<RunRow, RecordError> {
        let name = slot.name();
        let key = (number, slot.attempt, slot.variant().to_owned());
        if let Some(row) = self.done.get(&key) {
            if (&row.scenario, row.repetition) != (&slot.block.scenario, slot.block.repetition) {
                let path = self.bench.store.journal();
                let message = "tells another run in its place: record into another folder";
                return Err(RecordError::Data(format!("{}: {name}: {message}", path.display())));
            }
            if self.bench.store.holds(row, &name) {
                return Ok(row.clone());
            }
            // A script answers as before; a model doesn't, and whoever takes away the file of a run that failed would be
            // given another run for it.
            if row.tier == "recorded-model" {
                let out = self.bench.plan.out.display();
                let message = "its files are missing or changed, and the model won't answer as before: put them back \
                               or record into another folder";
                return Err(RecordError::Data(format!("{out}: {name}: {message}")));
            }
            observer.note(format!("{name}: its files are missing or changed: recorded again"));
        }
        observer.running(&name);
        let row = self.bench.make(slot, &self.plan_sha256, &mut |line| observer.note(line))?;
        let event = Event::Run { block: number, attempt: slot.attempt, row: Box::new(row.clone()) };
        self.journal.append(&event)?;
        observer.stored(&row);
        Ok(row)
    }
}

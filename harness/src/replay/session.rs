//! Replaying sessions.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::marker::PhantomData;
use std::sync::Arc;

use engine::contract::{ContextEngine, EngineError};
use engine::message::{Message, Role};
use engine::plan::{ModelProfile, Plan, PlanRequest};
use engine::session::{EntryId, EntryKind, SelectedMessage, Selection, SessionTree, TreeIndex};
use engine::tokens::TokenCounter;

use super::event::{PlannedRequest, ReplayEvent};
use super::moment::without_injected;
use super::order::OrderScore;
use super::score::{Moment, PromptBlock, score};
use crate::corpus::{Activity, Fault, FaultCode, RunEvidence, RunKey};
use crate::evidence::{Holdings, Needs};
use crate::metric::safety::CONTEXT_WINDOW;
use crate::scenario::{FixtureProject, Scenario};
use crate::variant::{OpenEngine, Variant};

/// Tokens kept free for a reply: what the campaigns' models are declared with.
const RESERVE_OUTPUT: u64 = 8_192;

/// How to replay.
#[derive(Clone, Copy)]
pub struct ReplayOptions<'a> {
    /// How often each request is planned; the plans must agree. At least 1.
    pub repeats: u32,
    /// What opens an arm's engine.
    pub engines: &'a dyn OpenEngine,
}

/// A session of the baseline, ready to be replayed.
pub struct Baseline<'a> {
    key: RunKey,
    scenario: &'a Scenario,
    tree: SessionTree,
    activity: Activity,
    needs: Needs,
    holdings: Holdings,
}

impl<'a> Baseline<'a> {
    /// Takes out what an engine had injected and attributes the evidence. `existing` are the fixture's files.
    pub fn new(evidence: RunEvidence, scenario: &'a Scenario, existing: &BTreeSet<String>) -> Baseline<'a> {
        let session = without_injected(evidence.session.tree);
        let activity = Activity::of(&session);
        let needs = Needs::of(&session, &activity, &scenario.gold, existing);
        let holdings = Holdings::of(&session, &activity);
        Baseline { key: evidence.key, scenario, tree: session, activity, needs, holdings }
    }

    /// Replays the session by each variant: events in the order of variants and requests.
    pub fn replay(
        &self,
        variants: &[&Variant],
        counter: &Arc<dyn TokenCounter>,
        project: &FixtureProject,
        options: ReplayOptions<'_>,
    ) -> Vec<ReplayEvent> {
        let moments = Moments::of(self);
        let mut events = Vec::new();
        for variant in variants {
            let run = |repeat: u32| {
                let mut engine = options.engines.open(variant, Arc::clone(counter), project.source(repeat));
                plan_all(&mut *engine, self, variant, &moments)
            };
            let runs: Result<Vec<Vec<Plan>>, EngineError> = (0..options.repeats.max(1)).map(run).collect();
            match runs {
                Ok(runs) => judge(self, (variant, project), &moments, runs, &mut events),
                Err(error) => {
                    let message = format!("{}: {error}", variant.id);
                    let fault = Fault::of_run(FaultCode::ReplayFailed, &self.key, message);
                    events.push(ReplayEvent::Failed(fault));
                }
            }
        }
        events.push(ReplayEvent::SessionDone(self.key.clone()));
        events
    }
}

fn plan_all(
    engine: &mut dyn ContextEngine,
    baseline: &Baseline<'_>,
    variant: &Variant,
    moments: &Moments<'_>,
) -> Result<Vec<Plan>, EngineError> {
    let withhold = variant.withheld(baseline.scenario);
    let mut ingested = 0;
    moments
        .each
        .iter()
        .map(|moment| {
            let until = moment.head_index + 1;
            engine.ingest(&baseline.tree.entries[ingested.min(until)..until])?;
            ingested = ingested.max(until);
            engine.plan(&PlanRequest {
                head: moment.head.clone(),
                profile: moment.profile.clone(),
                unrecorded_head_tokens: 0,
                withhold: withhold.clone(),
            })
        })
        .collect()
}

/// Compares the repeats and scores the first. Plans that are equal in every field have equal bytes.
fn judge(
    baseline: &Baseline<'_>,
    (variant, project): (&Variant, &FixtureProject),
    moments: &Moments<'_>,
    mut runs: Vec<Vec<Plan>>,
    events: &mut Vec<ReplayEvent>,
) {
    let repeats = runs.split_off(1);
    let mut previous: Option<Arc<[PromptBlock]>> = None;
    for (at, (moment, plan)) in moments.each.iter().zip(runs.remove(0)).enumerate() {
        if repeats.iter().any(|run| run.get(at) != Some(&plan)) {
            let message = format!("{}: request {}: repeated plans differ", variant.id, moment.request);
            let fault = Fault::of_run(FaultCode::Nondeterministic, &baseline.key, message);
            events.push(ReplayEvent::Failed(fault));
            continue;
        }
        let order = match order(baseline, variant, project, moment) {
            Ok(order) => order,
            Err(error) => {
                let message = format!("{}: request {}: orders of files: {error}", variant.id, moment.request);
                let fault = Fault::of_run(FaultCode::ReplayFailed, &baseline.key, message);
                events.push(ReplayEvent::Failed(fault));
                continue;
            }
        };
        let score = score(&plan, &moment.judged(baseline), previous.as_deref());
        previous = Some(Arc::clone(&score.blocks));
        events.push(ReplayEvent::Planned(Box::new(PlannedRequest {
            session: baseline.key.clone(),
            cluster: baseline.scenario.repo.clone(),
            variant: variant.id.clone(),
            request: moment.request,
            plan,
            score,
            order,
        })));
    }
}

/// The orders of files that a variant and the static ranking give a request, judged.
fn order(
    baseline: &Baseline<'_>,
    variant: &Variant,
    project: &FixtureProject,
    moment: &At<'_>,
) -> Result<Option<OrderScore>, String> {
    let needed = &baseline.needs.requests[moment.request].labels;
    if !variant.retrieves() || moment.task.is_empty() || needed.is_empty() {
        return Ok(None);
    }
    Ok(super::order::judge(&*project.orders(&moment.task, variant.settings().order)?, needed))
}

/// Hashes of messages as sent: those of the log are sent again at every later request.
#[derive(Default)]
struct WireHashes<'t> {
    /// By the message's place in the log, of those that were sent as they stand there.
    known: HashMap<*const Message, Arc<str>>,
    /// The log outlives its places: none of them can come to hold another message.
    log: PhantomData<&'t Message>,
}

impl<'t> WireHashes<'t> {
    fn of(&mut self, sent: &SelectedMessage<'t>) -> Arc<str> {
        let hash = || sent.message.wire_sha256().into();
        match sent.message {
            Cow::Borrowed(message) => Arc::clone(self.known.entry(message).or_insert_with(hash)),
            Cow::Owned(_) => hash(),
        }
    }
}

/// What was held at each request; shared by all variants.
struct Moments<'b> {
    each: Vec<At<'b>>,
}

struct At<'b> {
    /// Number of the request.
    request: usize,
    head: EntryId,
    head_index: usize,
    profile: ModelProfile,
    held: BTreeSet<&'b str>,
    instructions: BTreeSet<&'b EntryId>,
    current: Option<&'b EntryId>,
    /// Text of the request being answered.
    task: String,
    hashes: HashMap<&'b EntryId, Arc<str>>,
}

impl<'b> Moments<'b> {
    fn of(baseline: &'b Baseline<'_>) -> Moments<'b> {
        let index = TreeIndex::new(&baseline.tree);
        let mut wire = WireHashes::default();
        let moments = baseline.activity.requests.iter().enumerate().filter_map(|(number, request)| {
            // A reply without a parent answers nothing: there is no context to plan.
            let head_index = index.parent(request.entry)?;
            let selection = index.select(&baseline.tree, head_index);
            Some(At::of(baseline, number, head_index, &selection, &mut wire))
        });
        Moments { each: moments.collect() }
    }
}

impl<'b> At<'b> {
    fn of(
        baseline: &'b Baseline<'_>,
        number: usize,
        head_index: usize,
        selection: &Selection<'b>,
        wire: &mut WireHashes<'b>,
    ) -> At<'b> {
        let entries = &baseline.tree.entries;
        let request = &baseline.activity.requests[number];
        let (mut held, mut instructions, mut current) = (BTreeSet::new(), BTreeSet::new(), None);
        let mut task = String::new();
        let mut hashes: HashMap<&EntryId, Arc<str>> = HashMap::new();
        for message in selection.sent() {
            let entry = &entries[message.entry];
            held.extend(baseline.holdings.of_entry(&entry.id));
            let hash = wire.of(message);
            // An entry that is sent as several messages has the hashes of all.
            let all = hashes.entry(&entry.id).or_default();
            *all = if all.is_empty() { hash } else { format!("{all}{hash}").into() };
            match (&entry.kind, message.message.role) {
                (_, Role::System) => drop(instructions.insert(&entry.id)),
                (EntryKind::Message(_), Role::User) => {
                    current = Some(&entry.id);
                    task = message.message.text();
                }
                _ => {}
            }
        }
        At {
            request: number,
            head: entries[head_index].id.clone(),
            head_index,
            profile: ModelProfile {
                provider: request.provider.clone(),
                model: request.model.clone(),
                context_window: CONTEXT_WINDOW,
                reserve_output: RESERVE_OUTPUT,
            },
            held,
            instructions,
            current,
            task,
            hashes,
        }
    }

    fn judged<'m>(&'m self, baseline: &'m Baseline<'_>) -> Moment<'m> {
        Moment {
            needs: &baseline.needs.requests[self.request],
            holdings: &baseline.holdings,
            held: &self.held,
            request: self.current,
            instructions: &self.instructions,
            hashes: &self.hashes,
        }
    }
}

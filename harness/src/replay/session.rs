//! Replaying sessions.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::marker::PhantomData;
use std::sync::Arc;

use engine::contract::{ContextEngine, EngineError};
use engine::message::{Message, Role};
use engine::plan::{ModelProfile, Plan, PlanRequest};
use engine::retrieve::Orders;
use engine::session::{EntryId, EntryKind, SelectedMessage, Selection, SessionTree, SharedEntry, TreeIndex};
use engine::tokens::TokenCounter;

use super::event::{PlannedRequest, ReplayEvent};
use super::injected::without_injected;
use super::moment::Moment;
use super::order::OrderScore;
use super::score::{PromptBlock, RequestScore, score};
use crate::corpus::{Activity, Fault, FaultCode, RunEvidence, RunKey};
use crate::evidence::{Holdings, Needs};
use crate::scenario::{FixtureProject, Scenario};
use crate::variant::{CONTEXT_WINDOW, OpenEngine, Variant};

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
    tree: SessionTree<SharedEntry>,
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
        let SessionTree { session_id, cwd, entries, leaf } = session;
        let tree = SessionTree { session_id, cwd, leaf, entries: SharedEntry::all(entries) };
        Baseline { key: evidence.key, scenario, tree, activity, needs, holdings }
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
        let mut judge = Judge::new(self, project, &moments);
        for variant in variants {
            let requests = moments.requests(&variant.withheld(self.scenario));
            let run = |repeat: u32| {
                let mut engine = options.engines.open(variant, Arc::clone(counter), project.source(repeat));
                plan_all(&mut *engine, self, &requests)
            };
            let runs: Result<Vec<Vec<Plan>>, EngineError> = (0..options.repeats.max(1)).map(run).collect();
            match runs {
                Ok(runs) => judge.take(variant, runs),
                Err(error) => judge.failed(FaultCode::ReplayFailed, format!("{}: {error}", variant.id)),
            }
        }
        let mut events = judge.events;
        events.push(ReplayEvent::SessionDone(self.key.clone()));
        events
    }
}

/// Plans the requests of a session: of each the number of entries before it and what is asked.
fn plan_all(
    engine: &mut dyn ContextEngine,
    baseline: &Baseline<'_>,
    requests: &[(usize, PlanRequest)],
) -> Result<Vec<Plan>, EngineError> {
    let mut ingested = 0;
    let plan = |(until, request): &(usize, PlanRequest)| {
        engine.ingest(&baseline.tree.entries[ingested.min(*until)..*until])?;
        ingested = ingested.max(*until);
        engine.plan(request)
    };
    requests.iter().map(plan).collect()
}

/// Judges what the variants planned over one session.
struct Judge<'b> {
    baseline: &'b Baseline<'b>,
    project: &'b FixtureProject,
    moments: &'b Moments<'b>,
    cluster: Arc<str>,
    events: Vec<ReplayEvent>,
    /// By request: the places in `events` of what was planned there, and the blocks of the plan before each.
    judged: Vec<Vec<(usize, Option<Blocks>)>>,
    /// Orders of files by the request whose needs they were judged by.
    orders: Vec<(usize, Arc<Orders>, Option<OrderScore>)>,
}

/// Blocks of a plan.
type Blocks = Arc<[PromptBlock]>;

impl<'b> Judge<'b> {
    fn new(baseline: &'b Baseline<'b>, project: &'b FixtureProject, moments: &'b Moments<'b>) -> Judge<'b> {
        let judged = vec![Vec::new(); moments.each.len()];
        let cluster = baseline.scenario.repo.as_str().into();
        Judge { baseline, project, moments, cluster, events: Vec::new(), judged, orders: Vec::new() }
    }

    fn failed(&mut self, code: FaultCode, message: String) {
        self.events.push(ReplayEvent::Failed(Fault::of_run(code, &self.baseline.key, message)));
    }

    /// Compares the repeats and scores the first. Plans that are equal in every field have equal bytes.
    fn take(&mut self, variant: &Variant, mut runs: Vec<Vec<Plan>>) {
        let Judge { baseline, moments, .. } = *self;
        let id: Arc<str> = variant.id.as_str().into();
        let repeats = runs.split_off(1);
        let mut previous: Option<Blocks> = None;
        for (at, (moment, plan)) in moments.each.iter().zip(runs.remove(0)).enumerate() {
            if repeats.iter().any(|run| run.get(at) != Some(&plan)) {
                let message = format!("{}: request {}: repeated plans differ", variant.id, moment.request);
                self.failed(FaultCode::Nondeterministic, message);
                continue;
            }
            let order = match self.order(variant, moment) {
                Ok(order) => order,
                Err(error) => {
                    let message = format!("{id}: request {}: orders of files: {error}", moment.request);
                    self.failed(FaultCode::ReplayFailed, message);
                    continue;
                }
            };
            let score = self.score(at, &plan, previous.as_ref());
            let before = previous.replace(Arc::clone(&score.blocks));
            self.judged[at].push((self.events.len(), before));
            self.events.push(ReplayEvent::Planned(Box::new(PlannedRequest {
                session: baseline.key.clone(),
                cluster: Arc::clone(&self.cluster),
                variant: Arc::clone(&id),
                request: moment.request,
                plan,
                score,
                order,
            })));
        }
    }

    /// The score of a plan. It follows from the plan, the request and the blocks before: where all are another variant's, so
    /// is the score.
    fn score(&self, at: usize, plan: &Plan, previous: Option<&Blocks>) -> RequestScore {
        let same = |(place, before): &(usize, Option<Blocks>)| match &self.events[*place] {
            ReplayEvent::Planned(other) if before.as_ref() == previous && other.plan == *plan => {
                Some(other.score.clone())
            }
            _ => None,
        };
        let anew =
            || score(plan, &self.moments.each[at].judged(self.baseline), previous.map(|blocks| &**blocks));
        self.judged[at].iter().find_map(same).unwrap_or_else(anew)
    }

    /// The orders of files that a variant and the static ranking give a request, judged.
    fn order(&mut self, variant: &Variant, moment: &At<'_>) -> Result<Option<OrderScore>, String> {
        let requests = &self.baseline.needs.requests;
        let needed = &requests[moment.request].labels;
        if !variant.retrieves() || moment.task.is_empty() || needed.is_empty() {
            return Ok(None);
        }
        let orders = self.project.orders(&moment.task, variant.settings().order)?;
        let known = self
            .orders
            .iter()
            .find(|(request, known, _)| Arc::ptr_eq(known, &orders) && requests[*request].labels == *needed);
        if let Some((_, _, score)) = known {
            return Ok(*score);
        }
        let score = super::order::judge(&orders, needed);
        self.orders.push((moment.request, orders, score));
        Ok(score)
    }
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

    /// What an engine is asked at each, and the entries before it.
    fn requests(&self, withhold: &[String]) -> Vec<(usize, PlanRequest)> {
        let request = |moment: &At<'_>| PlanRequest {
            head: moment.head.clone(),
            profile: moment.profile.clone(),
            unrecorded_head_tokens: 0,
            withhold: withhold.to_vec(),
        };
        self.each.iter().map(|moment| (moment.head_index + 1, request(moment))).collect()
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

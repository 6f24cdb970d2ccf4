//! The planner: values in, a plan out. No disk, no clock, no model.

use std::sync::OnceLock;

use super::relevance;
use super::source::{Confidence, FileOrder, ProjectQuery, ProjectSource, ProjectText};
use super::{Budget, Decision, ItemSource, Placement, Plan, PlanMode, Reason, Supplement};
use crate::message::Message;
use crate::recall::{Excerpt, Recalled};
use crate::retrieve::UsefulFile;
use crate::session::{EntryId, Group, GroupKind, Groups};
use crate::tokens::{MESSAGE_FRAMING, TokenCounter};

/// What an item is to the planner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemRole {
    /// Instructions of the agent.
    System,
    /// A compaction's summary.
    Summary,
    /// Words of the person.
    Person,
    /// Anything else.
    Other,
}

/// One message that the agent would send.
#[derive(Debug, Clone)]
pub(crate) struct Item<'t> {
    /// Its place among all messages that the agent holds.
    pub(crate) place: usize,
    /// Entry it comes from.
    pub(crate) entry: &'t EntryId,
    /// The message.
    pub(crate) message: &'t Message,
    /// What it is.
    pub(crate) role: ItemRole,
    /// Its cost.
    pub(crate) tokens: u64,
    /// Words in it, found when first needed.
    pub(crate) terms: &'t OnceLock<Box<[u64]>>,
}

impl<'t> Item<'t> {
    fn terms(&self) -> &'t [u64] {
        self.terms.get_or_init(|| relevance::terms(&self.message.text()))
    }
}

/// Everything a plan is made from.
pub(crate) struct Material<'t> {
    /// Messages in prompt order.
    pub(crate) items: Vec<Item<'t>>,
    /// Their atomic groups.
    pub(crate) groups: Groups,
    /// What the agent itself wouldn't send, and why, with its place among all messages that the agent holds.
    pub(crate) unsent: Vec<(usize, Decision)>,
    /// Limits.
    pub(crate) budget: Budget,
    /// Tokens of the head that the log doesn't hold.
    pub(crate) head_tokens: u64,
}

/// How a project is to be used.
pub(crate) struct ProjectUse<'p> {
    /// The project.
    pub(crate) source: &'p dyn ProjectSource,
    /// Paths never to be quoted.
    pub(crate) withhold: &'p [String],
    /// Files that earlier tasks found useful.
    pub(crate) useful: &'p [UsefulFile],
    /// Which order of files it goes by.
    pub(crate) order: FileOrder,
    /// Counter of the supplement's text.
    pub(crate) counter: &'p dyn TokenCounter,
}

/// Where earlier entries are recalled from. Pure: the same question over the same session has the same answer.
pub(crate) trait HistorySource {
    /// Excerpts for a task within a number of tokens. `shown` are the places (see [`Item::place`]) of the messages that the
    /// plan shows, `beside` is the text that it adds.
    ///
    /// # Errors
    /// A content-free phrase saying what failed; the plan goes on without and reports it.
    fn recall(&self, task: &str, tokens: u64, shown: &[usize], beside: &str) -> Result<Recalled, String>;
}

/// How earlier entries are to be recalled.
pub(crate) struct HistoryUse<'h> {
    /// The session.
    pub(crate) source: &'h dyn HistorySource,
    /// Tokens that the excerpts may take.
    pub(crate) tokens: u64,
    /// Counter of the supplement's text.
    pub(crate) counter: &'h dyn TokenCounter,
}

/// Plans one request.
///
/// Order of the budget: mandatory content; the project pack, whose limit is small and fixed, so that a long tail can't
/// starve it; everything else if it fits as a whole, which keeps the prompt's prefix stable; otherwise the recent tail by
/// whole groups up to its limit, then older groups by relevance up to theirs; and excerpts of what isn't shown, out of what is
/// left. What breaks a rule of the result
/// fails open to the agent's own context.
pub(crate) fn compose(
    material: &Material<'_>,
    project: Option<&ProjectUse<'_>>,
    history: Option<&HistoryUse<'_>>,
) -> Plan {
    let mut fitted = Fitted::new(material);
    fitted.take_mandatory();
    if fitted.used > material.budget.total {
        return fail_open(material, "mandatory-over-total");
    }
    let mut diagnostics = Vec::new();
    let mut quoted = match (project, current_request(material)) {
        (Some(project), Some(request)) => {
            let task = material.items[request].message.text();
            quote(material, project, &task, fitted.left(), &mut diagnostics)
        }
        _ => Quoted::default(),
    };
    fitted.used += quoted.supplement.as_ref().map_or(0, |supplement| supplement.tokens);
    fitted.take_rest();
    if let (Some(history), Some(request)) = (history, current_request(material)) {
        let task = material.items[request].message.text();
        recall(history, &task, &mut fitted, &mut quoted, &mut diagnostics);
    }
    if let Err(broken) = validate(material, &fitted) {
        return fail_open(material, broken);
    }
    assemble(material, fitted, quoted, diagnostics)
}

/// The agent's own context, unchanged.
pub(crate) fn native(material: &Material<'_>, mode: PlanMode, reason: Reason) -> Plan {
    let decide = |index: usize| decision(material, index, reason);
    let selected = merge((0..material.items.len()).map(decide));
    let tokens = material.head_tokens + selected.iter().map(|decision| decision.tokens).sum::<u64>();
    Plan {
        mode,
        budget: material.budget,
        selected,
        dropped: merge(material.unsent.iter().map(|(_, decision)| decision.clone())),
        supplement: None,
        tokens,
        overflow: tokens > material.budget.total,
        diagnostics: Vec::new(),
    }
}

fn fail_open(material: &Material<'_>, why: &str) -> Plan {
    let mut plan = native(material, PlanMode::FailOpen, Reason::FailOpenRetained);
    plan.diagnostics.push(format!("fail-open: {why}"));
    plan
}

/// Which groups are in, and why.
struct Fitted<'m, 't> {
    material: &'m Material<'t>,
    /// Reason of each group that is in.
    chosen: Vec<Option<Reason>>,
    /// Reason of each group that is out.
    refused: Vec<Reason>,
    /// Tokens taken, head included.
    used: u64,
}

impl<'m, 't> Fitted<'m, 't> {
    fn new(material: &'m Material<'t>) -> Self {
        let groups = material.groups.groups.len();
        Fitted {
            material,
            chosen: vec![None; groups],
            refused: vec![Reason::OverBudget; groups],
            used: material.head_tokens,
        }
    }

    fn left(&self) -> u64 {
        self.material.budget.total.saturating_sub(self.used)
    }

    /// Places of the messages that are in.
    fn shown(&self) -> impl Iterator<Item = usize> {
        let is_in = |index: &usize| self.chosen[self.material.groups.of(*index)].is_some();
        (0..self.material.items.len()).filter(is_in).map(|index| self.material.items[index].place)
    }

    fn cost(&self, group: usize) -> u64 {
        let members = &self.material.groups.groups[group].members;
        members.iter().map(|member| self.material.items[*member].tokens).sum()
    }

    fn take(&mut self, group: usize, reason: Reason) {
        if self.chosen[group].is_none() {
            self.used += self.cost(group);
            self.chosen[group] = Some(reason);
        }
    }

    /// Instructions, the latest summary, the request being answered, and the group that the model is about to answer:
    /// a call without its result, or results it hasn't seen yet.
    fn take_mandatory(&mut self) {
        let material = self.material;
        for (index, item) in material.items.iter().enumerate() {
            let reason = match item.role {
                ItemRole::System => Reason::SystemPrompt,
                ItemRole::Summary => Reason::CompactionSummary,
                _ => continue,
            };
            self.take(material.groups.of(index), reason);
        }
        if let Some(request) = current_request(material) {
            self.take(material.groups.of(request), Reason::CurrentRequest);
        }
        if let Some(last) = material.items.len().checked_sub(1) {
            self.take(material.groups.of(last), Reason::OpenExchange);
        }
    }

    fn take_rest(&mut self) {
        let mut rest: Vec<usize> =
            (0..self.chosen.len()).filter(|group| self.chosen[*group].is_none()).collect();
        // Newest first, by the last message of each group.
        rest.sort_by_key(|group| {
            std::cmp::Reverse(self.material.groups.groups[*group].members.last().copied())
        });
        let cost: u64 = rest.iter().map(|group| self.cost(*group)).sum();
        if cost <= self.left() {
            rest.iter().for_each(|group| self.take(*group, Reason::RecentTail));
            return;
        }
        let older = self.take_tail(&rest);
        self.take_relevant(&rest[older..]);
    }

    /// Takes the newest groups until one doesn't fit; returns how many were taken. What follows is older history: the
    /// tail has no holes.
    fn take_tail(&mut self, newest_first: &[usize]) -> usize {
        let mut tail = 0;
        for (taken, group) in newest_first.iter().enumerate() {
            let cost = self.cost(*group);
            if tail + cost > self.material.budget.recent || cost > self.left() {
                return taken;
            }
            tail += cost;
            self.take(*group, Reason::RecentTail);
        }
        newest_first.len()
    }

    /// Takes older groups by relevance, ties newest first. One that doesn't fit is skipped, not the end.
    fn take_relevant(&mut self, newest_first: &[usize]) {
        let material = self.material;
        let Some(request) = current_request(material) else { return };
        let texts = |group: &usize| {
            material.groups.groups[*group]
                .members
                .iter()
                .map(|member| material.items[*member].terms())
                .collect()
        };
        let texts: Vec<Vec<&[u64]>> = newest_first.iter().map(texts).collect();
        let scores = relevance::scores(material.items[request].terms(), &texts);
        let mut order: Vec<usize> = (0..newest_first.len()).collect();
        order.sort_by_key(|at| std::cmp::Reverse(scores[*at]));
        let mut history = 0;
        for at in order {
            let group = newest_first[at];
            if scores[at] == 0 {
                self.refused[group] = Reason::NotRelevant;
                continue;
            }
            let cost = self.cost(group);
            if history + cost <= material.budget.history && cost <= self.left() {
                history += cost;
                self.take(group, Reason::RelevantHistory);
            }
        }
    }
}

/// The last words of the person.
fn current_request(material: &Material<'_>) -> Option<usize> {
    material.items.iter().rposition(|item| item.role == ItemRole::Person)
}

#[derive(Default)]
struct Quoted {
    supplement: Option<Supplement>,
    selected: Vec<Decision>,
    dropped: Vec<Decision>,
}

fn quote(
    material: &Material<'_>,
    project: &ProjectUse<'_>,
    task: &str,
    left: u64,
    diagnostics: &mut Vec<String>,
) -> Quoted {
    let limit = material.budget.project.min(left);
    let query = ProjectQuery {
        task,
        tokens: limit.saturating_sub(MESSAGE_FRAMING),
        withhold: project.withhold,
        useful: project.useful,
        order: project.order,
    };
    let quoted = match project.source.quote(&query) {
        Ok(quoted) => {
            diagnostics.extend(quoted.notes.iter().map(|note| format!("project: {note}")));
            quoted
        }
        Err(failed) => {
            diagnostics.push(format!("project: {failed}"));
            return Quoted::default();
        }
    };
    let tokens = MESSAGE_FRAMING + project.counter.text(&quoted.text);
    let mut dropped: Vec<Decision> =
        quoted.dropped.iter().map(|(item, reason)| project_decision(item, *reason)).collect();
    if quoted.text.is_empty() || quoted.confidence == Confidence::None {
        dropped.extend(quoted.items.iter().map(|item| project_decision(item, Reason::LowConfidence)));
        return Quoted { dropped, ..Quoted::default() };
    }
    if tokens > limit {
        diagnostics.push("project: pack over its limit: left out".to_owned());
        dropped.extend(quoted.items.iter().map(|item| project_decision(item, Reason::OverBudget)));
        return Quoted { dropped, ..Quoted::default() };
    }
    let ProjectText { text, items, .. } = quoted;
    let selected = items.iter().map(|item| project_decision(item, Reason::RetrievedSource)).collect();
    let supplement = Supplement { text, tokens, placement: Placement::BeforeCurrentRequest };
    Quoted { supplement: Some(supplement), selected, dropped }
}

/// Adds excerpts of what isn't shown to the supplement.
fn recall(
    history: &HistoryUse<'_>,
    task: &str,
    fitted: &mut Fitted<'_, '_>,
    quoted: &mut Quoted,
    diagnostics: &mut Vec<String>,
) {
    let limit = history.tokens.min(fitted.left());
    let shown: Vec<usize> = fitted.shown().collect();
    // What a message of its own or a line break before the excerpts costs is kept free.
    let tokens = limit.saturating_sub(MESSAGE_FRAMING);
    let beside = quoted.supplement.as_ref().map_or("", |pack| pack.text.as_str());
    let recalled = match history.source.recall(task, tokens, &shown, beside) {
        Ok(recalled) => recalled,
        Err(failed) => return diagnostics.push(format!("recall: {failed}")),
    };
    if recalled.text.is_empty() {
        return;
    }
    let (text, before) = match &quoted.supplement {
        Some(pack) => (format!("{}\n{}", pack.text, recalled.text), pack.tokens),
        None => (recalled.text, 0),
    };
    let tokens = MESSAGE_FRAMING + history.counter.text(&text);
    if tokens.saturating_sub(before) > limit {
        let decisions =
            recalled.excerpts.iter().map(|excerpt| recalled_decision(excerpt, Reason::OverBudget));
        quoted.dropped.extend(decisions);
        return diagnostics.push("recall: excerpts over their limit: left out".to_owned());
    }
    fitted.used += tokens.saturating_sub(before);
    let decisions =
        recalled.excerpts.iter().map(|excerpt| recalled_decision(excerpt, Reason::RecalledHistory));
    quoted.selected.extend(decisions);
    quoted.supplement = Some(Supplement { text, tokens, placement: Placement::BeforeCurrentRequest });
}

fn recalled_decision(excerpt: &Excerpt, reason: Reason) -> Decision {
    let Excerpt { entry: (entry, _), part, start_line, end_line, .. } = excerpt;
    let (entry, part, start_line, end_line) = (entry.clone(), *part, *start_line, *end_line);
    let source = ItemSource::Recalled { entry, part, start_line, end_line };
    Decision { source, tokens: excerpt.tokens, reason, group: None }
}

fn project_decision(item: &super::ProjectItem, reason: Reason) -> Decision {
    let source =
        ItemSource::Project { path: item.path.clone(), start_line: item.start_line, end_line: item.end_line };
    Decision { source, tokens: item.tokens, reason, group: None }
}

/// What must hold of every managed plan, whatever the code above did.
fn validate(material: &Material<'_>, fitted: &Fitted<'_, '_>) -> Result<(), &'static str> {
    let is_in = |index: usize| fitted.chosen[material.groups.of(index)].is_some();
    let selected: Vec<bool> = (0..material.items.len()).map(is_in).collect();
    let mandatory = |index: usize| matches!(material.items[index].role, ItemRole::System | ItemRole::Summary);
    if (0..material.items.len()).any(|index| mandatory(index) && !selected[index]) {
        return Err("instructions-missing");
    }
    if current_request(material).is_some_and(|request| !selected[request]) {
        return Err("current-request-missing");
    }
    if !material.groups.split_by(&selected).is_empty() {
        return Err("split-group");
    }
    let is_orphan =
        |group: (usize, &Group)| group.1.kind == GroupKind::Orphan && fitted.chosen[group.0].is_some();
    if material.groups.groups.iter().enumerate().any(is_orphan) {
        return Err("orphan-result");
    }
    if fitted.used > material.budget.total {
        return Err("over-total");
    }
    Ok(())
}

fn assemble(
    material: &Material<'_>,
    fitted: Fitted<'_, '_>,
    quoted: Quoted,
    mut diagnostics: Vec<String>,
) -> Plan {
    let request = current_request(material);
    let mut selected = Vec::new();
    let mut dropped = material.unsent.clone();
    for index in 0..material.items.len() {
        let group = material.groups.of(index);
        if request == Some(index) {
            selected.extend(quoted.selected.iter().cloned());
        }
        match fitted.chosen[group] {
            Some(reason) => selected.push(decision(material, index, own_reason(material, index, reason))),
            None => {
                dropped.push((material.items[index].place, decision(material, index, fitted.refused[group])))
            }
        }
    }
    let selected = merge(selected);
    dropped.sort_by_key(|(place, _)| *place);
    let mut dropped = merge(dropped.into_iter().map(|(_, decision)| decision));
    dropped.extend(quoted.dropped);
    diagnostics.sort();
    Plan {
        mode: PlanMode::Managed,
        budget: material.budget,
        selected,
        dropped,
        supplement: quoted.supplement,
        tokens: fitted.used,
        overflow: fitted.used > material.budget.total,
        diagnostics,
    }
}

/// The request that the model is about to answer is often also the last group; its own reason stands.
fn own_reason(material: &Material<'_>, index: usize, reason: Reason) -> Reason {
    match material.items[index].role {
        ItemRole::System => Reason::SystemPrompt,
        ItemRole::Summary => Reason::CompactionSummary,
        _ => reason,
    }
}

fn decision(material: &Material<'_>, index: usize, reason: Reason) -> Decision {
    let item = &material.items[index];
    Decision {
        source: ItemSource::Entry(item.entry.clone()),
        tokens: item.tokens,
        reason,
        group: u32::try_from(material.groups.of(index)).ok(),
    }
}

/// One decision an entry: a compaction contributes instructions and a summary, which share their fate.
fn merge(decisions: impl IntoIterator<Item = Decision>) -> Vec<Decision> {
    let mut merged: Vec<Decision> = Vec::new();
    for next in decisions {
        match merged.last_mut() {
            Some(last) if last.source == next.source && matches!(next.source, ItemSource::Entry(_)) => {
                last.tokens += next.tokens;
                last.reason = next.reason;
            }
            _ => merged.push(next),
        }
    }
    merged
}

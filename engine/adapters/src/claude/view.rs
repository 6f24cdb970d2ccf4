//! The two readings of one transcript.

use std::collections::HashMap;

use engine::session::{Entry, EntryId};

use super::chain::{self, Parents};
use super::compact;
use super::draft::{Draft, Plan, entry_name};
use super::line::{Line, Lines, Main, Parent};
use super::reply::Replies;
use super::span;
use crate::log::FaultCode;
use crate::log::dialect::Report;
use crate::log::ids::{Id, Ids};
use crate::log::links::warn_results;
use crate::log::salvaged::{Difference, Name};

/// The agent's reading.
pub(super) struct View {
    pub(super) entries: Vec<Entry>,
    pub(super) leaf: Option<EntryId>,
}

/// Both readings, the salvaged one only where something would be repaired, and warnings about how lines hang together.
pub(super) fn views(
    lines: Lines,
    mut ids: Ids,
    main: Main,
    (replies, outline): (&Replies, bool),
    report: &mut Report,
) -> (View, Option<Difference>) {
    let context = Context { main, replies, outline };
    let all: Vec<&Line> = lines.iter().collect();
    let read: Vec<&Line> = all.iter().copied().filter(|line| line.agent_reads).collect();
    let is_read = read.len() == all.len();
    let agent = context.agent_draft(read, &ids, report);
    let damaged = [FaultCode::DuplicateId, FaultCode::MissingParent, FaultCode::Cycle];
    let repairs = !is_read || damaged.iter().any(|code| report.has(*code));
    let difference = repairs.then(|| {
        let salvaged = context.salvaged_draft(all, &mut ids);
        context.difference(&agent, &salvaged, &mut ids)
    });
    let plan = agent.plan;
    let leaf = plan.leaf.map(|at| EntryId(ids.text(plan.names[at]).into()));
    let entries = entries(lines, plan, replies, &ids);
    warn_results(&entries, report);
    let difference = difference.map(|difference| Difference { ids, ..difference });
    (View { entries, leaf }, difference)
}

struct Context<'c> {
    main: Main,
    replies: &'c Replies,
    outline: bool,
}

impl Context<'_> {
    /// As Claude Code loads the file: what it can't parse is missing, the last line of an identifier stands for it.
    fn agent_draft<'l>(&self, lines: Vec<&'l Line>, ids: &Ids, report: &mut Report) -> Draft<'l> {
        let parents = chain::resolve(&lines);
        chain::warn_lines(&lines, &parents, self.main, report);
        let names = lines.iter().map(|line| line.uuid).collect();
        self.linked(Draft { lines, plan: Plan { names, parents, ..Plan::default() } }, ids, report)
    }

    /// With every object, one name a line, and a parent for every line that has or lacks one by damage.
    fn salvaged_draft<'l>(&self, lines: Vec<&'l Line>, ids: &mut Ids) -> Draft<'l> {
        let (names, parents) = repair(&lines, ids);
        let plan = Plan { names, parents, ..Plan::default() };
        self.linked(Draft { lines, plan }, ids, &mut Report::new(0))
    }

    fn linked<'l>(&self, mut draft: Draft<'l>, ids: &Ids, report: &mut Report) -> Draft<'l> {
        let shadowed = chain::shadowed(&draft.lines, &draft.plan.names);
        draft.plan.parents = span::straighten(&draft.lines, &draft.plan.parents, &shadowed);
        compact::keep_segments(&mut draft, ids, report);
        compact::clear_results(&mut draft, self.outline, ids, report);
        chain::warn_branches(&draft.lines, &draft.plan.parents, &shadowed, self.main, report);
        draft.plan.pieces = draft.pieces(&shadowed, self.replies);
        let stands = |at: &usize| {
            let line = draft.lines[*at];
            line.is_talk() && line.is_linked && line.chain.is_side == self.main.is_side && !shadowed[*at]
        };
        draft.plan.leaf = (0..draft.lines.len()).rev().find(stands);
        draft
    }

    /// What the salvaged reading has in place of the agent's entries.
    fn difference(&self, agent: &Draft<'_>, salvaged: &Draft<'_>, ids: &mut Ids) -> Difference {
        let mut difference = Difference {
            leaf: salvaged.plan.leaf.map(|at| EntryId(ids.text(salvaged.plan.names[at]).into())),
            ..Difference::default()
        };
        // Places of the line in the agent's reading, and of its first entry.
        let (mut like, mut entry) = (0, 0);
        for (at, line) in salvaged.lines.iter().enumerate() {
            let read = line.agent_reads.then_some(like);
            let is_same = read.is_some_and(|like| {
                salvaged.plan.instead.get(&at) == agent.plan.instead.get(&like)
                    && salvaged.plan.pieces[at] == agent.plan.pieces[like]
            });
            match read.filter(|_| is_same) {
                Some(like) => {
                    let count = salvaged.kinds(at).len();
                    rename((agent, like, entry), (salvaged, at, count), &mut difference, ids);
                }
                None => salvaged.entries_of(at, self.replies, ids, |entry| difference.push_own(entry)),
            }
            if let Some(read) = read {
                entry += agent.kinds(read).len();
                like += 1;
            }
        }
        difference
    }
}

/// Adds the entries of a line that contributes the same in both readings.
fn rename(
    (agent, like, entry): (&Draft<'_>, usize, usize),
    (salvaged, at, count): (&Draft<'_>, usize, usize),
    difference: &mut Difference,
    ids: &mut Ids,
) {
    let (old, new) = (agent.plan.names[like], salvaged.plan.names[at]);
    let above = |draft: &Draft<'_>, at: usize| draft.plan.parents[at].map(|parent| draft.plan.names[parent]);
    let mut parent = match (above(agent, like), above(salvaged, at)) {
        (old, new) if old == new => Name::Same,
        (_, None) => Name::Nothing,
        (_, Some(new)) => Name::Other(new),
    };
    for part in 0..count {
        let id = if old == new {
            Name::Same
        } else {
            let name = entry_name(ids.text(new), part, count);
            Name::Other(ids.number(&name))
        };
        difference.push_agent(entry + part, id, parent);
        parent = id;
    }
}

/// Names that tell lines apart, and parents: references follow the nearest line before them that bears an identifier, and a
/// line whose parent isn't there hangs on the line before it in its chain.
fn repair(lines: &[&Line], ids: &mut Ids) -> (Vec<Id>, Parents) {
    let mut anywhere: HashMap<Id, usize> = HashMap::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.is_linked) {
        anywhere.entry(line.uuid).or_insert(at);
    }
    let mut nearest: HashMap<Id, usize> = HashMap::new();
    let mut previous = HashMap::new();
    let mut parents = Vec::with_capacity(lines.len());
    let mut names = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let find = |id: &Id| nearest.get(id).or_else(|| anywhere.get(id).filter(|found| **found != at));
        let before = || previous.get(&line.chain).filter(|_| line.is_linked && !line.borrows);
        parents.push(match &line.parent {
            Parent::Root => None,
            Parent::Untold => before().copied(),
            Parent::Id(id) => find(id).or_else(before).copied(),
            Parent::Logical(id) => find(id).copied(),
        });
        let mut name = line.uuid;
        if line.is_linked {
            if nearest.insert(line.uuid, at).is_some() {
                let apart = format!("{}#{}", ids.text(line.uuid), line.number);
                name = ids.number(&apart);
            }
            previous.insert(line.chain, at);
        }
        names.push(name);
    }
    (names, parents)
}

/// One entry a contribution; those of one line follow each other.
fn entries(lines: Lines, mut plan: Plan, replies: &Replies, ids: &Ids) -> Vec<Entry> {
    let instead = std::mem::take(&mut plan.instead);
    let read = || lines.iter().filter(|line| line.agent_reads).enumerate();
    let count = read().map(|(at, line)| instead.get(&at).unwrap_or(&line.kinds).len()).sum();
    let mut entries = Vec::with_capacity(count);
    let mut instead = instead;
    for (at, mut line) in lines.into_iter().filter(|line| line.agent_reads).enumerate() {
        let own = std::mem::take(&mut line.kinds);
        let kinds = instead.remove(&at).unwrap_or(own);
        plan.emit(at, &line, kinds, (replies, ids), |entry| entries.push(entry));
    }
    entries
}

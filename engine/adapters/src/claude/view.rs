//! The two readings of one transcript.

use std::collections::{HashMap, HashSet};

use engine::session::{Entry, EntryId, EntryKind};

use super::chain::{self, Parents};
use super::compact;
use super::line::{Line, Parent};
use super::reply::Replies;
use super::span;
use crate::log::FaultCode;
use crate::log::dialect::Report;
use crate::log::links::warn_results;

/// The conversation that a file is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Main {
    pub(super) session: u32,
    pub(super) agent: u32,
    /// Whether it is a sub-agent's: every line of the conversation is on the side.
    pub(super) is_side: bool,
}

impl Main {
    /// The conversation of the first line that isn't on the side; where all are, of the first line.
    pub(super) fn of(lines: &[Line]) -> Main {
        let talk = || lines.iter().filter(|line| line.is_talk());
        let is_side = talk().next().is_some() && talk().all(|line| line.chain.is_side);
        let told = |line: &&Line| line.chain.session != 0;
        let first = talk().filter(|line| line.chain.is_side == is_side).find(told);
        let chain = first.or_else(|| lines.iter().find(told)).map(|line| line.chain).unwrap_or_default();
        Main { session: chain.session, agent: chain.agent, is_side }
    }
}

/// One reading.
pub(super) struct View {
    pub(super) entries: Vec<Entry>,
    pub(super) leaf: Option<EntryId>,
}

/// Both readings, the salvaged one only where something would be repaired, and warnings about how lines hang together.
pub(super) fn views(
    lines: Vec<Line>,
    main: Main,
    replies: &Replies,
    outline: bool,
    report: &mut Report,
) -> (View, Option<View>) {
    let context = Context { main, replies, outline };
    if !lines.iter().all(|line| line.agent_reads) {
        let read = lines.iter().filter(|line| line.agent_reads).cloned().collect();
        let agent = context.agent_view(read, report);
        return (agent, Some(context.salvaged_view(lines)));
    }
    let parents = chain::resolve(&lines);
    chain::warn_lines(&lines, &parents, main, report);
    let damaged = [FaultCode::DuplicateId, FaultCode::MissingParent, FaultCode::Cycle];
    let salvaged = damaged.iter().any(|code| report.has(*code)).then(|| context.salvaged_view(lines.clone()));
    (context.linked(lines, parents, Some(report)), salvaged)
}

struct Context<'c> {
    main: Main,
    replies: &'c Replies,
    outline: bool,
}

impl Context<'_> {
    /// As Claude Code loads the file: what it can't parse is missing, the last line of an identifier stands for it.
    fn agent_view(&self, lines: Vec<Line>, report: &mut Report) -> View {
        let parents = chain::resolve(&lines);
        chain::warn_lines(&lines, &parents, self.main, report);
        self.linked(lines, parents, Some(report))
    }

    /// With every object, one name a line, and a parent for every line that has or lacks one by damage.
    fn salvaged_view(&self, mut lines: Vec<Line>) -> View {
        let parents = repair(&mut lines);
        self.linked(lines, parents, None)
    }

    fn linked(&self, mut lines: Vec<Line>, parents: Parents, report: Option<&mut Report>) -> View {
        let shadowed = chain::shadowed(&lines);
        let mut parents = span::straighten(&lines, &parents, &shadowed);
        let mut quiet = Report::new(0);
        let report = report.unwrap_or(&mut quiet);
        compact::keep_segments(&mut lines, &mut parents, report);
        compact::clear_results(&mut lines, self.outline, report);
        chain::warn_branches(&lines, &parents, &shadowed, self.main, report);
        self.head_replies(&mut lines, &shadowed);
        let stands = |(at, line): &(usize, &Line)| {
            line.is_talk() && line.is_linked && line.chain.is_side == self.main.is_side && !shadowed[*at]
        };
        let leaf = lines.iter().enumerate().rev().find(stands);
        let leaf = leaf.map(|(_, line)| EntryId(line.name.clone()));
        let entries = entries(lines, &parents);
        warn_results(&entries, report);
        View { entries, leaf }
    }

    /// The first piece of a reply carries what the reply was billed and why it ended; the others continue it.
    fn head_replies(&self, lines: &mut [Line], shadowed: &[bool]) {
        let mut begun = HashSet::new();
        for (line, shadowed) in lines.iter_mut().zip(shadowed) {
            let Some(number) = line.reply else { continue };
            let Some(EntryKind::Message(message)) = line.kinds.first_mut() else { continue };
            let (Some(piece), Some(reply)) = (message.reply.as_mut(), self.replies.get(number)) else {
                continue;
            };
            piece.continues = *shadowed || !begun.insert(number);
            if piece.continues {
                continue;
            }
            piece.usage = reply.usage;
            if let Some(stop) = &reply.stop {
                piece.stop = stop.clone();
            }
        }
    }
}

/// Names lines apart, lets references follow the nearest line before them that bears an identifier, and attaches a line
/// whose parent isn't there to the line before it in its chain.
fn repair(lines: &mut [Line]) -> Parents {
    let mut anywhere: HashMap<String, usize> = HashMap::new();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.is_linked) {
        anywhere.entry(line.uuid.clone()).or_insert(at);
    }
    let mut nearest: HashMap<String, usize> = HashMap::new();
    let mut previous = HashMap::new();
    let mut parents = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter_mut().enumerate() {
        let find = |id: &String| nearest.get(id).or_else(|| anywhere.get(id).filter(|found| **found != at));
        let before = || previous.get(&line.chain).filter(|_| line.is_linked && !line.borrows);
        parents.push(match &line.parent {
            Parent::Root => None,
            Parent::Untold => before().copied(),
            Parent::Id(id) => find(id).or_else(before).copied(),
            Parent::Logical(id) => find(id).copied(),
        });
        if line.is_linked {
            if nearest.insert(line.uuid.clone(), at).is_some() {
                line.name = format!("{}#{}", line.uuid, line.number);
            }
            previous.insert(line.chain, at);
        }
    }
    parents
}

/// One entry a contribution; those of one line follow each other.
fn entries(lines: Vec<Line>, parents: &[Option<usize>]) -> Vec<Entry> {
    let names: Vec<EntryId> = lines.iter().map(|line| EntryId(line.name.clone())).collect();
    let mut entries = Vec::with_capacity(lines.len());
    for (line, parent) in lines.into_iter().zip(parents) {
        let mut parent = parent.map(|parent| names[parent].clone());
        let ids: Vec<EntryId> = (0..line.kinds.len()).map(|at| line.entry_id(at)).collect();
        for (id, kind) in ids.into_iter().zip(line.kinds) {
            let own = id.clone();
            entries.push(Entry {
                id,
                parent: parent.replace(own),
                line: line.number,
                bytes: line.bytes.clone(),
                time_ms: line.time_ms,
                kind,
            });
        }
    }
    entries
}

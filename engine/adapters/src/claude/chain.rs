//! Chains of lines: parents, and what is wrong with them.

use std::collections::{HashMap, HashSet};

use super::line::{Class, Line, Main, Parent};
use crate::log::FaultCode;
use crate::log::dialect::Report;
use crate::log::ids::Id;
use crate::log::links::{Link, warn_links};

/// Parent of each line, as a place among the lines.
pub(super) type Parents = Vec<Option<usize>>;

/// Hooks and tools write at once, and a line's time is taken before it is written: below this, a child older than its
/// parent says nothing about the clock. The largest such gap in sound files was 4.5 s.
const SKEW_MS: i64 = 10_000;

/// Parents as Claude Code resolves them: of several lines with one identifier the last stands for it.
pub(super) fn resolve(lines: &[&Line]) -> Parents {
    let last = last_of_each(lines, |at| lines[at].uuid);
    let find = |id: &Id| last.get(id).copied();
    let parent = |line: &&Line| match &line.parent {
        Parent::Id(id) | Parent::Logical(id) => find(id),
        Parent::Root | Parent::Untold => None,
    };
    lines.iter().map(parent).collect()
}

fn last_of_each(lines: &[&Line], name: impl Fn(usize) -> Id) -> HashMap<Id, usize> {
    let linked = lines.iter().enumerate().filter(|(_, line)| line.is_linked);
    linked.map(|(at, _)| (name(at), at)).collect()
}

/// Lines whose name a later line bears too: nothing leads to them.
pub(super) fn shadowed(lines: &[&Line], names: &[Id]) -> Vec<bool> {
    let last = last_of_each(lines, |at| names[at]);
    let is_shadowed = |(at, line): (usize, &&Line)| line.is_linked && last.get(&names[at]) != Some(&at);
    lines.iter().enumerate().map(is_shadowed).collect()
}

/// For each line the nearest line of the conversation above it; none across a boundary. A parent that stands later in
/// the file leads nowhere here.
pub(super) fn nearest_talk(lines: &[&Line], parents: &Parents) -> Parents {
    let mut near: Parents = Vec::with_capacity(lines.len());
    for (at, parent) in parents.iter().enumerate() {
        let above = parent.filter(|parent| *parent < at);
        near.push(above.and_then(|above| match lines[above].class {
            Class::User | Class::Assistant => Some(above),
            Class::Boundary => None,
            Class::Link => near[above],
        }));
    }
    near
}

/// Notes what is wrong with identifiers, parents and times.
pub(super) fn warn_lines(lines: &[&Line], parents: &Parents, main: Main, report: &mut Report) {
    let linked = lines.iter().zip(parents).filter(|(line, _)| line.is_linked);
    let links: Vec<Link<Id>> = linked.map(|(line, parent)| link(line, *parent)).collect();
    warn_links(&links, report);
    warn_untold(lines, report);
    warn_times(lines, parents, report);
    warn_roots(lines, parents, main, report);
    let borrowed = |(line, parent): &(&&Line, &Option<usize>)| {
        line.borrows && parent.is_none() && matches!(line.parent, Parent::Id(_))
    };
    for _ in lines.iter().zip(parents).filter(borrowed) {
        report.lose("parent of a side run: stands in the main session's file");
    }
}

/// What a line says about its parent, as far as it should be in this file.
fn link(line: &Line, parent: Option<usize>) -> Link<Id> {
    let told = match line.parent {
        Parent::Id(id) if parent.is_some() || !line.borrows => Some(id),
        _ => None,
    };
    Link { id: line.uuid, parent: told, line: line.number }
}

/// Only the first line of a chain may leave its parent out.
fn warn_untold(lines: &[&Line], report: &mut Report) {
    let mut begun = HashSet::new();
    for line in lines.iter().filter(|line| line.is_linked) {
        let is_first = begun.insert(line.chain);
        if line.parent == Parent::Untold && !is_first {
            let message = "no parent is told: history is cut here";
            report.warn(line.number, FaultCode::MissingParent, message);
        }
    }
}

fn warn_times(lines: &[&Line], parents: &Parents, report: &mut Report) {
    for (at, line) in lines.iter().enumerate() {
        let above = parents[at].filter(|above| *above < at).and_then(|above| lines[above].time_ms);
        if let (Some(above), Some(own)) = (above, line.time_ms)
            && own < above.saturating_sub(SKEW_MS)
        {
            let message = "the line is older than the line it follows: the order of lines counts";
            report.warn(line.number, FaultCode::ClockSkew, message);
        }
    }
}

/// Notes conversations that begin anew, and chains that are another session's.
fn warn_roots(lines: &[&Line], parents: &Parents, main: Main, report: &mut Report) {
    let mut root: Vec<usize> = Vec::with_capacity(lines.len());
    for (at, parent) in parents.iter().enumerate() {
        root.push(parent.filter(|parent| *parent < at).map_or(at, |parent| root[parent]));
    }
    let mut own = vec![false; lines.len()];
    for (at, line) in lines.iter().enumerate() {
        own[root[at]] |= matches!(line.chain.session, 0) || line.chain.session == main.session;
    }
    let mut seen = vec![false; lines.len()];
    let mut is_first = true;
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| line.is_talk()) {
        let begin = root[at];
        if std::mem::replace(&mut seen[begin], true) {
            continue;
        }
        let number = lines[begin].number;
        if !own[begin] {
            let message = "a chain of another session: kept as a branch of its own";
            report.warn(number, FaultCode::ForeignSession, message);
            continue;
        }
        if main.is_side || line.chain.is_side {
            continue;
        }
        let anew = lines[begin].parent == Parent::Root && lines[begin].class != Class::Boundary;
        if anew && !is_first && !lines[begin].is_summary {
            let message = "the conversation begins anew: nothing before is in its context";
            report.warn(number, FaultCode::ContextReset, message);
        }
        is_first = false;
    }
}

/// Notes two writers: lines that go on at a tip which other lines had left, twice. Going back once is a choice of the
/// person's, and a rewind leaves a line that others follow already.
pub(super) fn warn_branches(
    lines: &[&Line],
    parents: &Parents,
    shadowed: &[bool],
    main: Main,
    report: &mut Report,
) {
    let near = nearest_talk(lines, parents);
    let mut is_followed = vec![false; lines.len()];
    let mut tip = None;
    let mut first_return = None;
    let talk = lines.iter().enumerate().filter(|(at, line)| {
        line.is_talk() && line.is_linked && line.chain.is_side == main.is_side && !shadowed[*at]
    });
    // A line before its own parent says nothing about who wrote after whom.
    let in_order = |(at, _): &(usize, &&Line)| parents[*at].is_none_or(|parent| parent < *at);
    for (at, line) in talk.filter(in_order) {
        if let Some(above) = near[at] {
            let returns = Some(above) != tip && !is_followed[above];
            is_followed[above] = true;
            if let (true, Some(from)) = (returns, first_return) {
                let message = "two chains take turns from here on: two writers shared the file";
                report.warn(from, FaultCode::Interleaved, message);
                return;
            }
            first_return = first_return.or(Some(line.number).filter(|_| returns));
        }
        tip = Some(at);
    }
}

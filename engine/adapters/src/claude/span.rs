//! Turns as one stretch of a chain.
//!
//! Every result hangs on the line of its own call, so a reply that calls several tools forks into several chains, and
//! walking parents from a later line meets only one of them. Claude Code puts the others back in when it loads a
//! transcript. Here the pieces of a reply, the results of its calls and what was written in between are strung in the
//! order of the file, and whatever followed one of them follows the last one written before it.

use std::collections::HashMap;

use super::chain::{Parents, nearest_talk};
use super::line::{Class, Line};

/// A reply and its results.
struct Span {
    reply: u32,
    /// Last piece or result.
    last: usize,
    /// Lines in the order of the file.
    lines: Vec<usize>,
}

/// Parents with every turn in one stretch.
pub(super) fn straighten(lines: &[&Line], parents: &Parents, shadowed: &[bool]) -> Parents {
    let (spans, place) = spans(lines, parents, shadowed);
    let straight = |at: usize| {
        let parent = parents[at]?;
        if let Some((span, position)) = place[at]
            && position > 0
        {
            return Some(spans[span].lines[position - 1]);
        }
        let Some((span, _)) = place[parent].filter(|_| same_side(lines, at, parent)) else {
            return Some(parent);
        };
        let stretch = &spans[span].lines;
        let before = stretch.partition_point(|line| *line < at);
        // A line before its own parent: left alone.
        if parent > at { Some(parent) } else { stretch[..before].last().copied() }
    };
    (0..lines.len()).map(straight).collect()
}

fn same_side(lines: &[&Line], a: usize, b: usize) -> bool {
    lines[a].chain.is_side == lines[b].chain.is_side
}

/// For each line its span and its position in it.
type Places = Vec<Option<(usize, usize)>>;

fn spans(lines: &[&Line], parents: &Parents, shadowed: &[bool]) -> (Vec<Span>, Places) {
    let near = nearest_talk(lines, parents);
    let mut spans: Vec<Span> = Vec::new();
    let mut member: Vec<Option<usize>> = vec![None; lines.len()];
    let mut calls: HashMap<&str, usize> = HashMap::new();
    for (at, line) in lines.iter().enumerate().filter(|(at, line)| line.is_talk() && !shadowed[*at]) {
        let above = near[at].filter(|near| same_side(lines, at, *near)).and_then(|near| member[near]);
        let joined = above.filter(|span| match line.class {
            Class::Assistant => line.reply == Some(spans[*span].reply),
            _ => line.answered().any(|call| calls.get(call) == Some(span)),
        });
        let span = match (joined, line.reply) {
            (Some(span), _) => span,
            (None, Some(reply)) => {
                spans.push(Span { reply, last: at, lines: Vec::new() });
                spans.len() - 1
            }
            (None, None) => continue,
        };
        member[at] = Some(span);
        spans[span].last = at;
        calls.extend(line.calls().map(|call| (call, span)));
    }
    let mut place = vec![None; lines.len()];
    for (at, line) in lines.iter().enumerate().filter(|(at, line)| line.is_linked && !shadowed[*at]) {
        let between = || {
            let above = near[at].filter(|near| same_side(lines, at, *near)).and_then(|near| member[near]);
            above.filter(|span| line.class != Class::Assistant && at < spans[*span].last)
        };
        if let Some(span) = member[at].or_else(between) {
            place[at] = Some((span, spans[span].lines.len()));
            spans[span].lines.push(at);
        }
    }
    (spans, place)
}

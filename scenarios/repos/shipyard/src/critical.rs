//! The critical path: the longest chain of builds, which no number of workers can shorten.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::Error;
use crate::graph::Graph;

/// Time from a package's start to the end of everything that waits for it, by package.
pub fn tails(
    graph: &Graph,
    takes: &BTreeMap<String, Duration>,
) -> Result<BTreeMap<String, Duration>, Error> {
    let mut tails: BTreeMap<String, Duration> = BTreeMap::new();
    for name in graph.build_order()?.into_iter().rev() {
        let own = takes.get(name).copied().unwrap_or_default();
        let behind = graph
            .names()
            .filter(|other| {
                graph
                    .predecessors(other)
                    .any(|predecessor| predecessor == name)
            })
            .filter_map(|other| tails.get(other).copied())
            .max()
            .unwrap_or_default();
        tails.insert(name.to_string(), own + behind);
    }
    Ok(tails)
}

/// The longest chain, first package first, and its duration. Of equals the one that comes first by
/// name.
pub fn path(
    graph: &Graph,
    takes: &BTreeMap<String, Duration>,
) -> Result<(Vec<String>, Duration), Error> {
    let tails = tails(graph, takes)?;
    let starts = graph
        .names()
        .filter(|name| graph.predecessors(name).next().is_none());
    let mut chain = Vec::new();
    let mut current = longest(starts, &tails);
    let total = current
        .and_then(|name| tails.get(name))
        .copied()
        .unwrap_or_default();
    while let Some(name) = current {
        chain.push(name.to_string());
        let next = graph.names().filter(|other| {
            graph
                .predecessors(other)
                .any(|predecessor| predecessor == name)
        });
        current = longest(next, &tails);
    }
    Ok((chain, total))
}

fn longest<'a>(
    names: impl Iterator<Item = &'a str>,
    tails: &BTreeMap<String, Duration>,
) -> Option<&'a str> {
    let mut best: Option<(&str, Duration)> = None;
    for name in names {
        let tail = tails.get(name).copied().unwrap_or_default();
        if best.is_none_or(|(_, duration)| tail > duration) {
            best = Some((name, tail));
        }
    }
    best.map(|(name, _)| name)
}

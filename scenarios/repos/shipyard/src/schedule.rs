//! The timetable: which worker builds what, and when.
//!
//! List scheduling: whenever a worker is free it takes the ready package with the longest tail
//! behind it (`critical::tails`). That is at most twice as long as the best timetable (Graham
//! 1966).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::Error;
use crate::critical;
use crate::graph::Graph;

/// One build on one worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    pub package: String,
    /// From 0.
    pub worker: usize,
    pub start: Duration,
    pub end: Duration,
}

/// A timetable, in order of start, then worker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Schedule {
    pub slots: Vec<Slot>,
}

impl Schedule {
    /// When the last build ends.
    pub fn total(&self) -> Duration {
        self.slots
            .iter()
            .map(|slot| slot.end)
            .max()
            .unwrap_or_default()
    }

    /// Share of the workers' time in which they build, 0 to 1.
    pub fn load(&self, workers: usize) -> f64 {
        let busy: Duration = self.slots.iter().map(|slot| slot.end - slot.start).sum();
        let available = self.total().as_secs_f64() * workers as f64;
        if available == 0.0 {
            0.0
        } else {
            busy.as_secs_f64() / available
        }
    }
}

/// Plans the builds of `wanted`; packages outside of it are taken as built already.
pub fn schedule(
    graph: &Graph,
    takes: &BTreeMap<String, Duration>,
    wanted: &BTreeSet<&str>,
    workers: usize,
) -> Result<Schedule, Error> {
    if workers == 0 {
        return Err(Error::Usage("at least one worker is needed".to_string()));
    }
    let tails = critical::tails(graph, takes)?;
    let mut free = vec![Duration::ZERO; workers];
    let mut ends: BTreeMap<&str, Duration> = BTreeMap::new();
    let mut open: BTreeSet<&str> = wanted.clone();
    let mut slots = Vec::new();
    while !open.is_empty() {
        let (worker, now) = earliest(&free);
        let ready = |name: &&str| ready_at(graph, name, wanted, &ends).is_some_and(|at| at <= now);
        let tail = |name: &str| tails.get(name).copied().unwrap_or_default();
        let mut best: Option<&str> = None;
        for name in open.iter().copied().filter(ready) {
            if best.is_none_or(|other| tail(name) > tail(other)) {
                best = Some(name);
            }
        }
        let Some(name) = best else {
            free[worker] = next_event(now, &ends, &free);
            continue;
        };
        let end = now + takes.get(name).copied().unwrap_or_default();
        slots.push(Slot {
            package: name.to_string(),
            worker,
            start: now,
            end,
        });
        ends.insert(name, end);
        free[worker] = end;
        open.remove(name);
    }
    slots.sort_by(|a, b| (a.start, a.worker, &a.package).cmp(&(b.start, b.worker, &b.package)));
    Ok(Schedule { slots })
}

/// The worker that is free first, and when; the lowest number among equals.
fn earliest(free: &[Duration]) -> (usize, Duration) {
    let mut best = (0, free[0]);
    for (worker, at) in free.iter().enumerate().skip(1) {
        if *at < best.1 {
            best = (worker, *at);
        }
    }
    best
}

/// When the last predecessor of a package ends; nothing while one of them isn't planned yet.
fn ready_at(
    graph: &Graph,
    name: &str,
    wanted: &BTreeSet<&str>,
    ends: &BTreeMap<&str, Duration>,
) -> Option<Duration> {
    let mut latest = Duration::ZERO;
    for predecessor in graph
        .predecessors(name)
        .filter(|name| wanted.contains(name))
    {
        latest = latest.max(*ends.get(predecessor)?);
    }
    Some(latest)
}

/// The next moment after `now` at which a build ends: an idle worker has nothing to do before.
fn next_event(now: Duration, ends: &BTreeMap<&str, Duration>, free: &[Duration]) -> Duration {
    let later = ends
        .values()
        .chain(free)
        .copied()
        .filter(|at| *at > now)
        .min();
    later.unwrap_or(now + Duration::from_secs(1))
}

//! Needs of each request, and the account of a plan.

use std::collections::BTreeSet;

use engine::message::Role;
use engine::session::{EntryKind, SessionTree};

use crate::corpus::{Activity, Call};

/// What one request needs, by source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestNeeds {
    /// Gold files.
    pub labels: BTreeSet<String>,
    /// Changed later in the turn.
    pub edited_later: BTreeSet<String>,
    /// Shown later in the turn and used.
    pub read_later: BTreeSet<String>,
}

/// Needs of every request of a session, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Needs {
    /// One a request.
    pub requests: Vec<RequestNeeds>,
}

/// One source's account of a plan.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Account {
    /// Files needed.
    pub needed: u64,
    /// Of these, in the plan.
    pub credit: u64,
    /// Of these, held by the recorded context and not in the plan.
    pub debt: u64,
}

impl Needs {
    /// Needs of a session. `existing` are the files at the start: what a run creates isn't needed before.
    pub fn of(
        tree: &SessionTree,
        activity: &Activity,
        gold: &BTreeSet<String>,
        existing: &BTreeSet<String>,
    ) -> Needs {
        let turns = turn_ends(activity);
        let replies = reply_texts(tree, activity);
        let needs = |request: usize| {
            let turn = request..turns[request];
            let later = || activity.calls.iter().filter(|call| turn.contains(&call.request));
            let edited: BTreeSet<String> = later()
                .filter(|call| call.changed_file())
                .filter_map(Call::path)
                .filter(|path| existing.contains(*path))
                .map(str::to_owned)
                .collect();
            let used = |call: &&Call| {
                let path = call.path().unwrap_or_default();
                let changed = later().any(|other| {
                    other.request >= call.request && other.changed_file() && other.path() == Some(path)
                });
                changed || replies[call.request + 1..turn.end].iter().any(|text| text.contains(path))
            };
            let read_later = later()
                .filter(|call| call.succeeded() && !call.changed_file() && call.path().is_some())
                .filter(used)
                .filter_map(Call::path)
                .map(str::to_owned)
                .collect();
            RequestNeeds { labels: gold.clone(), edited_later: edited, read_later }
        };
        Needs { requests: (0..activity.requests.len()).map(needs).collect() }
    }
}

/// For each request the number of the first request beyond its turn of the person.
fn turn_ends(activity: &Activity) -> Vec<usize> {
    let requests = &activity.requests;
    let next_prompt = |entry: usize| activity.prompts.iter().map(|(at, _)| *at).find(|at| *at > entry);
    requests
        .iter()
        .map(|request| match next_prompt(request.entry) {
            Some(prompt) => requests.partition_point(|other| other.entry < prompt),
            None => requests.len(),
        })
        .collect()
}

/// What each reply says and asks of tools.
fn reply_texts(tree: &SessionTree, activity: &Activity) -> Vec<String> {
    let text = |entry: usize| match tree.entries.get(entry).map(|entry| &entry.kind) {
        Some(EntryKind::Message(message)) if message.role == Role::Assistant => message.text(),
        _ => String::new(),
    };
    activity.requests.iter().map(|request| text(request.entry)).collect()
}

/// The accounts of a plan by source: labels, edited later, read later. `held` are the files that the recorded context
/// showed at the request, `planned` those that the plan shows.
pub fn accounts(needs: &RequestNeeds, held: &BTreeSet<&str>, planned: &BTreeSet<&str>) -> [Account; 3] {
    [&needs.labels, &needs.edited_later, &needs.read_later].map(|needed| Account {
        needed: needed.len() as u64,
        credit: needed.iter().filter(|path| planned.contains(path.as_str())).count() as u64,
        debt: needed
            .iter()
            .filter(|path| held.contains(path.as_str()) && !planned.contains(path.as_str()))
            .count() as u64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debt_is_what_the_recorded_context_held_and_the_plan_lacks() {
        let set = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<BTreeSet<_>>();
        let needs = RequestNeeds { labels: set(&["a", "b", "c"]), ..RequestNeeds::default() };
        let [labels, ..] = accounts(&needs, &BTreeSet::from(["b"]), &BTreeSet::from(["a"]));
        assert_eq!(labels, Account { needed: 3, credit: 1, debt: 1 });
    }
}

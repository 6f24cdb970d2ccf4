//! Time to the first correct edit, in requests and tokens, and for a real model in seconds.
//!
//! The first correct edit is the first applied edit that the accepted final patch keeps and that changes a gold file.
//! Its time is the number of requests up to and with the one whose reply made it, and their fresh input and output
//! tokens. A run without one (also every run that wasn't accepted) is censored at its end: all its requests and tokens,
//! in both arms alike. Worked example: reads in requests 1 and 2, a wrong edit in 3, the kept edit in 4: 4 requests.

use std::collections::BTreeSet;

use engine::session::SessionTree;

use super::Metric;
use super::rework::is_kept;
use crate::corpus::{Activity, Call, Patch};

/// Requests, tokens and whether the run is censored.
pub(super) fn values(
    activity: &Activity,
    patch: &Patch,
    gold: &BTreeSet<String>,
    accepted: bool,
) -> Vec<(Metric, f64)> {
    let first = first(activity, patch, gold, accepted);
    let requests = first.map_or(activity.requests.len(), |call| call.request + 1);
    let tokens: u64 = activity.requests[..requests.min(activity.requests.len())]
        .iter()
        .map(|request| request.usage.fresh_input() + request.usage.output)
        .sum();
    vec![
        (Metric::FirstCorrectEditRequests, requests as f64),
        (Metric::FirstCorrectEditTokens, tokens as f64),
        (Metric::FirstCorrectEditCensored, f64::from(u8::from(first.is_none()))),
    ]
}

fn first<'a>(
    activity: &'a Activity,
    patch: &Patch,
    gold: &BTreeSet<String>,
    accepted: bool,
) -> Option<&'a Call> {
    let first = activity.calls.iter().find(|call| {
        call.changed_file() && call.path().is_some_and(|path| gold.contains(path)) && is_kept(call, patch)
    });
    first.filter(|_| accepted)
}

/// Seconds from the first prompt to the result of the first correct edit, or to the last entry of a run without one. None
/// where the log lacks a time or its clock ran backwards: a value isn't made up.
pub(super) fn seconds(
    tree: &SessionTree,
    activity: &Activity,
    patch: &Patch,
    gold: &BTreeSet<String>,
    accepted: bool,
) -> Option<(Metric, f64)> {
    let time = |entry: usize| tree.entries.get(entry)?.time_ms;
    let begin = time(activity.prompts.first()?.0)?;
    let end = match first(activity, patch, gold, accepted) {
        Some(call) => time(call.result.as_ref()?.entry)?,
        None => tree.entries.last()?.time_ms?,
    };
    let elapsed = end.checked_sub(begin).filter(|elapsed| *elapsed >= 0)?;
    Some((Metric::FirstCorrectEditSeconds, elapsed as f64 / 1_000.0))
}

#[cfg(test)]
mod tests {
    use engine::message::Usage;

    use super::super::testing::{edit, read, request};
    use super::*;

    #[test]
    fn worked_example() {
        let usage = Usage { input: 10, output: 1, ..Usage::default() };
        let requests = vec![request(usage); 6];
        let calls = vec![
            read(0, "a.py", "x"),
            read(1, "b.py", "y"),
            edit(2, "a.py", "x = 1", "x = 2"),
            edit(3, "a.py", "x = 2", "x = 3"),
        ];
        let activity = Activity { requests, calls, ..Activity::default() };
        let patch =
            Patch::parse("diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 3\n");
        let gold = BTreeSet::from(["a.py".to_owned()]);
        let figures = |accepted| values(&activity, &patch, &gold, accepted).into_iter().map(|(_, v)| v);
        assert_eq!(figures(true).collect::<Vec<_>>(), [4.0, 44.0, 0.0]);
        assert_eq!(figures(false).collect::<Vec<_>>(), [6.0, 66.0, 1.0]);
    }
}

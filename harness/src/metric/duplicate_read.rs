//! Reads of what was read before.
//!
//! A read (`read`, `grep`, `find`, `ls`) is a duplicate if an earlier successful call of the same tool with the same
//! arguments, or of `read` on the same file, gave the same text and nothing was changed between: the file itself for
//! `read`, any file for the others. Worked example: read a, read b, read a (same text): 1. With an edit of a before the
//! third: 0, even where the text came out the same.

use super::Metric;
use crate::corpus::{Action, Activity, Call};

/// Duplicate reads of a run.
pub(super) fn values(activity: &Activity) -> Vec<(Metric, f64)> {
    vec![(Metric::DuplicateReads, duplicates(&activity.calls).count() as f64)]
}

/// The calls that are duplicates, in order.
pub(super) fn duplicates(calls: &[Call]) -> impl Iterator<Item = &Call> {
    let is_duplicate = |index: usize| {
        let earlier = calls[..index].iter().enumerate().rev();
        is_read(&calls[index])
            && earlier
                .take_while(|(_, other)| !changes(other, &calls[index]))
                .any(|(_, other)| same_read(other, &calls[index]))
    };
    calls.iter().enumerate().filter(move |(index, _)| is_duplicate(*index)).map(|(_, call)| call)
}

fn is_read(call: &Call) -> bool {
    matches!(call.action, Action::Read { .. } | Action::Search) && call.succeeded()
}

fn changes(earlier: &Call, read: &Call) -> bool {
    earlier.changed_file() && (read.path().is_none() || earlier.path() == read.path())
}

fn same_read(one: &Call, other: &Call) -> bool {
    let same_target = match (&one.action, &other.action) {
        (Action::Read { path: a }, Action::Read { path: b }) => a == b,
        _ => one.tool == other.tool && one.arguments == other.arguments,
    };
    same_target && one.succeeded() && text(one) == text(other)
}

fn text(call: &Call) -> Option<&str> {
    call.result.as_ref().map(|result| result.text.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{edit, read};
    use super::*;

    fn count(calls: &[Call]) -> usize {
        duplicates(calls).count()
    }

    #[test]
    fn worked_example() {
        assert_eq!(count(&[read(0, "a", "x"), read(1, "b", "y"), read(2, "a", "x")]), 1);
        assert_eq!(count(&[read(0, "a", "x"), edit(1, "a", "x", "z"), read(2, "a", "x")]), 0);
        assert_eq!(count(&[read(0, "a", "x"), edit(1, "b", "x", "z"), read(2, "a", "x")]), 1);
        assert_eq!(count(&[read(0, "a", "lines 1-9"), read(1, "a", "lines 10-19")]), 0);
    }
}

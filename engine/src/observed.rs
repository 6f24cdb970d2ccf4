//! What came of earlier tasks, as an engine keeps it.

use std::collections::BTreeSet;

use crate::contract::Outcome;
use crate::retrieve::UsefulFile;

/// Files kept: the newest ones. Older ones would count next to nothing.
const MAX_FILES: usize = 2_000;

/// Files that helped, with when. Order of arrival doesn't count, nor does hearing of one twice.
#[derive(Debug, Default)]
pub(crate) struct Observed(BTreeSet<(i64, How, String)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum How {
    Read,
    Edited,
}

impl Observed {
    pub(crate) fn take(&mut self, outcome: &Outcome) {
        let read = outcome.read.iter().map(|path| (outcome.at_ms, How::Read, path.clone()));
        let edited = outcome.edited.iter().map(|path| (outcome.at_ms, How::Edited, path.clone()));
        self.0.extend(read.chain(edited));
        while self.0.len() > MAX_FILES {
            self.0.pop_first();
        }
    }

    /// What was useful by a moment, oldest first; what came of later tasks isn't known then. Without a moment it is that of the
    /// newest outcome.
    pub(crate) fn useful(&self, now_ms: Option<i64>) -> Vec<UsefulFile> {
        let Some(now) = now_ms.or(self.0.last().map(|(at, _, _)| *at)) else { return Vec::new() };
        let known = self.0.iter().take_while(|(at, _, _)| *at <= now);
        known
            .map(|(at, _, path)| UsefulFile { path: path.clone(), age_s: now.abs_diff(*at) / 1_000 })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(at_ms: i64, read: &[&str], edited: &[&str]) -> Outcome {
        let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
        Outcome { at_ms, read: owned(read), edited: owned(edited) }
    }

    fn useful(observed: &Observed, now: Option<i64>) -> Vec<(String, u64)> {
        observed.useful(now).into_iter().map(|file| (file.path, file.age_s)).collect()
    }

    #[test]
    fn only_the_past_counts_and_order_does_not() {
        let outcomes = [outcome(9_000, &["b"], &[]), outcome(1_000, &["a"], &["a"])];
        let (mut forth, mut back) = (Observed::default(), Observed::default());
        outcomes.iter().for_each(|outcome| forth.take(outcome));
        outcomes.iter().rev().chain(&outcomes).for_each(|outcome| back.take(outcome));
        let a = |age| ("a".to_owned(), age);
        assert_eq!(useful(&forth, Some(8_000)), [a(7), a(7)]);
        assert_eq!(useful(&forth, None), [a(8), a(8), ("b".to_owned(), 0)]);
        assert_eq!(useful(&back, None), useful(&forth, None));
        assert_eq!(useful(&forth, Some(0)), []);
    }

    #[test]
    fn the_oldest_are_forgotten_first() {
        let mut observed = Observed::default();
        let paths: Vec<String> = (0..MAX_FILES).map(|n| n.to_string()).collect();
        observed.take(&outcome(1, &["old"], &[]));
        observed.take(&Outcome { at_ms: 2, read: paths, edited: Vec::new() });
        let kept = useful(&observed, None);
        assert_eq!(kept.len(), MAX_FILES);
        assert!(kept.iter().all(|(path, _)| path != "old"));
    }
}

//! Accounts of runs that the infrastructure failed: both members of a pair are run again, at most twice, and every attempt
//! is kept.
//!
//! Running only a failed member again, or a pair whose runs both ended, would choose among outcomes; so would dropping an
//! attempt. Each shows in the account and makes the evidence invalid.

use crate::missing::{Attendance, fisher_exact};
use crate::verdict::Fault;

/// How often a pair may be run again.
pub const MOST_REROLLS: usize = 2;
/// Level of the test for an arm that the infrastructure fails more often.
const DIFFERENTIAL: f64 = 0.05;

/// How one attempt of a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    /// With a result, whatever it was: an agent's timeout or a failed check is a result.
    Ended,
    /// By a failure of the infrastructure, told by signals that precede any outcome.
    Infrastructure,
    /// Without a trace.
    Missing,
}

/// All attempts of one pair (a scenario and repetition in both arms), in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair<'a> {
    /// Name for messages, for instance the scenario and repetition.
    pub name: &'a str,
    /// Attempts of the baseline.
    pub baseline: &'a [Attempt],
    /// Attempts of the candidate.
    pub candidate: &'a [Attempt],
    /// Attempts of every other arm of the same block, which is run again as a whole; empty for an arm that isn't there.
    pub beside: &'a [Vec<Attempt>],
}

impl Pair<'_> {
    /// The arms that were run at all.
    fn arms(&self) -> impl Iterator<Item = &[Attempt]> {
        let beside = self.beside.iter().map(Vec::as_slice);
        [self.baseline, self.candidate].into_iter().chain(beside).filter(|attempts| !attempts.is_empty())
    }

    /// Attempts of the arm that has most.
    fn longest(&self) -> usize {
        self.arms().map(<[Attempt]>::len).max().unwrap_or(0)
    }
}

/// What became of all pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RerollAccount {
    /// Pairs scheduled.
    pub pairs: usize,
    /// Pairs run more than once.
    pub rerolled: usize,
    /// Attempts of both arms.
    pub attempts: usize,
    /// Attempts of the baseline that the infrastructure failed.
    pub baseline_failures: usize,
    /// Attempts of the candidate that the infrastructure failed.
    pub candidate_failures: usize,
    /// Runs of the baseline without a result after the last attempt.
    pub baseline_missing: usize,
    /// Runs of the candidate without a result after the last attempt.
    pub candidate_missing: usize,
}

impl RerollAccount {
    /// Counts the attempts of all pairs.
    #[must_use]
    pub fn of(pairs: &[Pair<'_>]) -> Self {
        let failures = |attempts: &[Attempt]| {
            attempts.iter().filter(|&&attempt| attempt == Attempt::Infrastructure).count()
        };
        let missing = |attempts: &[Attempt]| usize::from(attempts.last() != Some(&Attempt::Ended));
        let mut account = Self { pairs: pairs.len(), ..Self::default() };
        for pair in pairs {
            account.rerolled += usize::from(pair.longest() > 1);
            account.attempts += pair.baseline.len() + pair.candidate.len();
            account.baseline_failures += failures(pair.baseline);
            account.candidate_failures += failures(pair.candidate);
            account.baseline_missing += missing(pair.baseline);
            account.candidate_missing += missing(pair.candidate);
        }
        account
    }
}

/// The faults of a campaign's re-rolls, at most one a code, naming the first pair:
///
/// * INVALID `reroll-unpaired` where one arm of a block has more attempts than another;
/// * INVALID `reroll-without-cause` where a block was run again though the infrastructure had failed no arm of it;
/// * INVALID `reroll-excess` where a pair was run again more than [`MOST_REROLLS`] times;
/// * INVALID `differential-infrastructure` where the infrastructure fails one arm more often (Fisher's exact test over all
///   attempts, two-sided p < 0.05).
#[must_use]
pub fn reroll_faults(pairs: &[Pair<'_>]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut report = |code: &str, what: &str, broken: &dyn Fn(&Pair<'_>) -> bool| {
        let names: Vec<&str> = pairs.iter().filter(|pair| broken(pair)).map(|pair| pair.name).collect();
        if let Some(first) = names.iter().min() {
            let message = format!("pair {first}: {what} ({} of {} pairs)", names.len(), pairs.len());
            faults.push(Fault::invalid(code, message));
        }
    };
    report("reroll-unpaired", "one arm was run again alone: run both members of a pair again", &|pair| {
        pair.arms().any(|attempts| attempts.len() != pair.longest())
    });
    report(
        "reroll-without-cause",
        "run again though the infrastructure failed no arm: keep what a run ended with",
        &without_cause,
    );
    report("reroll-excess", "run again more than twice: leave it missing", &|pair| {
        pair.longest() > MOST_REROLLS + 1
    });
    faults.extend(differential(&RerollAccount::of(pairs), pairs));
    faults
}

/// Whether some attempt that isn't the last was failed by the infrastructure in no arm.
fn without_cause(pair: &Pair<'_>) -> bool {
    let failed =
        |index: usize| pair.arms().any(|attempts| attempts.get(index) == Some(&Attempt::Infrastructure));
    (0..pair.longest().saturating_sub(1)).any(|index| !failed(index))
}

fn differential(account: &RerollAccount, pairs: &[Pair<'_>]) -> Option<Fault> {
    let scheduled = |attempts: fn(&Pair<'_>) -> usize| pairs.iter().map(attempts).sum();
    let baseline =
        Attendance { scheduled: scheduled(|pair| pair.baseline.len()), missing: account.baseline_failures };
    let candidate =
        Attendance { scheduled: scheduled(|pair| pair.candidate.len()), missing: account.candidate_failures };
    let p = fisher_exact(baseline, candidate);
    (p < DIFFERENTIAL).then(|| {
        let message = format!(
            "infrastructure: failed {} of {} attempts of the baseline, {} of {} of the candidate (Fisher p {p:.4}): find out why one arm fails",
            baseline.missing, baseline.scheduled, candidate.missing, candidate.scheduled
        );
        Fault::invalid("differential-infrastructure", message)
    })
}

#[cfg(test)]
mod tests {
    use super::Attempt::{Ended, Infrastructure, Missing};
    use super::*;

    fn codes(pairs: &[Pair<'_>]) -> Vec<String> {
        reroll_faults(pairs).into_iter().map(|fault| fault.reason.code).collect()
    }

    fn pair<'a>(name: &'a str, baseline: &'a [Attempt], candidate: &'a [Attempt]) -> Pair<'a> {
        Pair { name, baseline, candidate, beside: &[] }
    }

    #[test]
    fn paired_rerolls_with_a_cause_are_no_fault() {
        let pairs = [
            pair("a/0", &[Ended], &[Ended]),
            pair("a/1", &[Infrastructure, Ended], &[Ended, Ended]),
            pair("a/2", &[Ended, Infrastructure, Ended], &[Infrastructure, Missing, Infrastructure]),
        ];
        assert_eq!(codes(&pairs), Vec::<String>::new());
        let expected = RerollAccount {
            pairs: 3,
            rerolled: 2,
            attempts: 12,
            baseline_failures: 2,
            candidate_failures: 2,
            baseline_missing: 0,
            candidate_missing: 1,
        };
        assert_eq!(RerollAccount::of(&pairs), expected);
        assert_eq!(RerollAccount::of(&[pair("b", &[], &[Missing])]).baseline_missing, 1);
    }

    #[test]
    fn chosen_rerolls_are_invalid() {
        let alone = [pair("b/0", &[Ended], &[Ended]), pair("a/0", &[Infrastructure, Ended], &[Ended])];
        assert_eq!(codes(&alone), ["reroll-unpaired"]);
        assert!(
            reroll_faults(&alone)[0].reason.message.starts_with("pair a/0: "),
            "{:?}",
            reroll_faults(&alone)
        );
        assert_eq!(codes(&[pair("a/0", &[Ended, Ended], &[Ended, Ended])]), ["reroll-without-cause"]);
        assert_eq!(codes(&[pair("a/0", &[Missing, Ended], &[Ended, Ended])]), ["reroll-without-cause"]);
        let twice = [pair("a/0", &[Infrastructure, Ended, Ended], &[Ended, Ended, Ended])];
        assert_eq!(codes(&twice), ["reroll-without-cause"]);
        let often = [Infrastructure, Infrastructure, Infrastructure, Ended];
        assert_eq!(codes(&[pair("a/0", &often, &[Ended; 4])]), ["reroll-excess"]);
        assert_eq!(codes(&[pair("a/0", &often[1..], &[Ended; 3])]), Vec::<String>::new());
    }

    #[test]
    fn a_canary_arm_that_failed_is_a_cause_for_its_block() {
        let again = [Ended, Ended];
        let codes_beside = |beside: &[Vec<Attempt>]| {
            codes(&[Pair { name: "a/0", baseline: &again, candidate: &again, beside }])
        };
        let (failed, ended) = (vec![Infrastructure, Ended], vec![Ended, Ended]);
        assert_eq!(codes_beside(&[ended.clone(), ended.clone(), failed.clone()]), Vec::<String>::new());
        assert_eq!(codes_beside(&[ended.clone(), ended]), ["reroll-without-cause"]);
        assert_eq!(codes_beside(&[failed, vec![Ended]]), ["reroll-unpaired"]);
    }

    #[test]
    fn an_arm_that_fails_more_often_is_invalid() {
        let failed = [Infrastructure, Ended];
        let pairs: Vec<Pair<'_>> = (0..8).map(|_| pair("a", &[Ended, Ended], &failed)).collect();
        assert_eq!(codes(&pairs), ["differential-infrastructure"]);
        let even: Vec<Pair<'_>> = (0..8)
            .map(|index| {
                if index % 2 == 0 { pair("a", &[Ended; 2], &failed) } else { pair("a", &failed, &[Ended; 2]) }
            })
            .collect();
        assert_eq!(codes(&even), Vec::<String>::new());
    }
}

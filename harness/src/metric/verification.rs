//! Verifications that the agent ran, and those that failed.
//!
//! A verification is a shell call whose command holds the task's verify command, with an answer; it failed if its exit
//! code isn't 0. Worked example: `make check` (exit 2), `make check` (exit 0) and `ls` are 2 verifications, 1 of them
//! failed, for the verify command `make check`.

use super::Metric;
use crate::corpus::{Activity, Call};

/// Attempts and failures of a run.
pub(super) fn values(activity: &Activity, verify: &[String]) -> Vec<(Metric, f64)> {
    let exits: Vec<Option<i64>> = activity.verifications(verify).map(Call::exit_code).collect();
    let failed = exits.iter().filter(|exit| **exit != Some(0)).count();
    vec![(Metric::Verifications, exits.len() as f64), (Metric::FailedVerifications, failed as f64)]
}

#[cfg(test)]
mod tests {
    use super::super::testing::call;
    use super::*;
    use crate::corpus::Action;

    #[test]
    fn worked_example() {
        let shell = |command: &str| call(0, "bash", Action::Shell { command: command.to_owned() }, "");
        let mut failing = shell("make check; git diff");
        let result = failing.result.as_mut().unwrap();
        (result.is_error, result.text) = (true, "no\n\nCommand exited with code 2".to_owned());
        assert_eq!(failing.exit_code(), Some(2));
        let calls = vec![failing, shell("make check"), shell("ls")];
        let values = values(&Activity { calls, ..Activity::default() }, &["make".into(), "check".into()]);
        assert_eq!(values, [(Metric::Verifications, 2.0), (Metric::FailedVerifications, 1.0)]);
    }
}

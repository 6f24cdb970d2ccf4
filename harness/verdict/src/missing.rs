//! Missing runs of a campaign as a whole. How they widen a criterion's bounds is the concern of [`assess`](crate::assess).

use statrs::distribution::{Discrete, Hypergeometric};

use crate::verdict::Fault;

/// Level of the test for differential missingness.
const DIFFERENTIAL: f64 = 0.05;

/// Scheduled runs of an arm and those without a result, whatever the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attendance {
    /// Runs the plan scheduled.
    pub scheduled: usize,
    /// Runs among them that are missing.
    pub missing: usize,
}

/// The faults that missing runs are to the evidence as a whole:
///
/// * INVALID `differential-missingness` where the arms miss runs at rates that differ (Fisher's exact test, two-sided
///   p < 0.05): runs then aren't missing by chance, and no imputation repairs that;
/// * INSUFFICIENT `missing-runs` where more than `max_missing` of the scheduled runs of an arm are missing;
/// * INVALID `unscheduled-runs` where more runs are missing than were scheduled;
/// * INSUFFICIENT `no-evidence` where an arm has no scheduled run.
#[must_use]
pub fn attendance_faults(baseline: Attendance, candidate: Attendance, max_missing: f64) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (arm, Attendance { scheduled, missing }) in [("baseline", baseline), ("candidate", candidate)] {
        if missing > scheduled {
            let message = format!(
                "runs: {missing} missing of {scheduled} scheduled for the {arm}: correct the schedule"
            );
            faults.push(Fault::invalid("unscheduled-runs", message));
        }
    }
    let p = fisher_exact(baseline, candidate);
    if p < DIFFERENTIAL {
        let message = format!(
            "runs: {} of {} missing in the baseline, {} of {} in the candidate (Fisher p {p:.4}): find out why one arm loses runs",
            baseline.missing, baseline.scheduled, candidate.missing, candidate.scheduled
        );
        faults.push(Fault::invalid("differential-missingness", message));
    }
    for (arm, Attendance { scheduled, missing }) in [("baseline", baseline), ("candidate", candidate)] {
        if scheduled == 0 {
            let message = format!("runs: none scheduled for the {arm}: record both arms");
            faults.push(Fault::insufficient("no-evidence", message));
        } else if missing as f64 > max_missing * scheduled as f64 {
            let share = 100.0 * missing as f64 / scheduled as f64;
            let message = format!(
                "runs: {missing} of {scheduled} missing in the {arm} ({share:.1} %): record them, or plan a fresh campaign"
            );
            faults.push(Fault::insufficient("missing-runs", message));
        }
    }
    faults
}

/// Two-sided p-value of Fisher's exact test that both arms miss runs at one rate: the total probability of tables no more
/// likely than the one seen. 1 where an arm has no scheduled runs or more missing ones than scheduled.
#[must_use]
pub fn fisher_exact(baseline: Attendance, candidate: Attendance) -> f64 {
    if [baseline, candidate].iter().any(|arm| arm.missing > arm.scheduled) {
        return 1.0;
    }
    let population = (baseline.scheduled + candidate.scheduled) as u64;
    let missing = (baseline.missing + candidate.missing) as u64;
    let Ok(tables) = Hypergeometric::new(population, missing, candidate.scheduled as u64) else { return 1.0 };
    let seen = tables.ln_pmf(candidate.missing as u64);
    if !seen.is_finite() {
        return 1.0;
    }
    let first = missing.saturating_sub(baseline.scheduled as u64);
    let last = missing.min(candidate.scheduled as u64);
    let total: f64 = (first..=last)
        .map(|count| tables.ln_pmf(count))
        .filter(|&probability| probability <= seen + 1e-7)
        .map(f64::exp)
        .sum();
    total.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm(scheduled: usize, missing: usize) -> Attendance {
        Attendance { scheduled, missing }
    }

    fn codes(baseline: Attendance, candidate: Attendance) -> Vec<String> {
        attendance_faults(baseline, candidate, 0.05).into_iter().map(|fault| fault.reason.code).collect()
    }

    /// Fisher's tea tasting: 3 of 4 against 1 of 4 has two-sided p 34/70; 8 of 9 against 2 of 9 by its hypergeometric sum.
    #[test]
    fn p_values_of_textbook_tables() {
        assert!((fisher_exact(arm(4, 3), arm(4, 1)) - 34.0 / 70.0).abs() < 1e-9);
        assert!((fisher_exact(arm(4, 4), arm(4, 0)) - 2.0 / 70.0).abs() < 1e-9);
        assert!((fisher_exact(arm(36, 0), arm(36, 0)) - 1.0).abs() < 1e-9);
        assert!((fisher_exact(arm(0, 0), arm(0, 0)) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn one_missing_run_is_never_differential() {
        for scheduled in [1, 3, 36, 10_000] {
            assert!(
                !codes(arm(scheduled, 0), arm(scheduled, 1)).contains(&"differential-missingness".to_owned())
            );
        }
    }

    #[test]
    fn rates_that_differ_are_invalid_and_many_are_insufficient() {
        assert_eq!(codes(arm(36, 0), arm(36, 6)), ["differential-missingness", "missing-runs"]);
        assert_eq!(codes(arm(100, 6), arm(100, 6)), ["missing-runs", "missing-runs"]);
        assert_eq!(codes(arm(100, 5), arm(100, 5)), Vec::<String>::new());
        assert_eq!(codes(arm(0, 0), arm(3, 0)), ["no-evidence"]);
        assert_eq!(codes(arm(3, 0), arm(3, 4))[0], "unscheduled-runs");
    }

    #[test]
    fn faults_name_the_counts_and_the_share() {
        let faults = attendance_faults(arm(40, 0), arm(50, 8), 0.05);
        let messages: Vec<&str> = faults.iter().map(|fault| fault.reason.message.as_str()).collect();
        assert_eq!(
            messages,
            [
                "runs: 0 of 40 missing in the baseline, 8 of 50 in the candidate (Fisher p 0.0079): find out why one arm loses runs",
                "runs: 8 of 50 missing in the candidate (16.0 %): record them, or plan a fresh campaign",
            ]
        );
    }

    #[test]
    fn tables_that_cannot_be_are_no_evidence_of_a_difference() {
        assert_eq!((fisher_exact(arm(3, 4), arm(90, 0)), fisher_exact(arm(90, 0), arm(3, 4))), (1.0, 1.0));
        assert_eq!(
            codes(arm(20, 1), arm(20, 1)),
            Vec::<String>::new(),
            "exactly the share that may be missing"
        );
    }

    /// Runs that are all missing are as many as were scheduled, not more.
    #[test]
    fn a_campaign_without_any_run_is_insufficient() {
        assert_eq!(codes(arm(3, 3), arm(3, 3)), ["missing-runs", "missing-runs"]);
    }

    /// 3 of 5 against 0 of 2: tables of 1, 2 and 3 missing in the first arm have 5, 20 and 10 of 35 ways.
    #[test]
    fn arms_of_different_sizes() {
        assert!((fisher_exact(arm(5, 3), arm(2, 0)) - 15.0 / 35.0).abs() < 1e-9);
        assert!((fisher_exact(arm(2, 0), arm(5, 3)) - 15.0 / 35.0).abs() < 1e-9);
        assert!((fisher_exact(arm(5, 1), arm(2, 2)) - 5.0 / 35.0).abs() < 1e-9);
    }
}

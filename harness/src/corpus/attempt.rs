//! Attempts that were made again: that all are kept, and the account of a feature's pairs.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use verdict::{Attempt, Pair, RerollAccount, reroll_faults};

use super::evidence::read_hashed;
use super::{Corpus, Fault, FaultCode, Row, Scope};
use crate::variant::{Arms, Feature};

/// Faults of the sessions that a row's earlier attempts name: every attempt is kept as it was.
pub fn check_attempts(corpus: &Corpus, row: &Row) -> Vec<Fault> {
    let mut faults = Vec::new();
    for earlier in &row.earlier {
        match (&earlier.session, &earlier.sha256) {
            (None, None) => {}
            (Some(session), Some(sha256)) => {
                faults.extend(read_hashed(corpus, &row.key, session, sha256).err());
            }
            _ => {
                let message =
                    "an earlier attempt has a session without its hash, or a hash without its session";
                faults.push(Fault::of_run(FaultCode::RowMalformed, &row.key, message));
            }
        }
    }
    faults
}

/// How each attempt of every arm ended, by block (a scenario and repetition).
struct Blocks {
    names: Vec<String>,
    /// Baseline and candidate.
    attempts: Vec<[Vec<Attempt>; 2]>,
    /// Every other scheduled arm: the recorder runs a block again as a whole.
    beside: Vec<Vec<Vec<Attempt>>>,
}

impl Blocks {
    fn of(corpus: &Corpus, arms: &Arms) -> Blocks {
        let schedule = &corpus.manifest.schedule;
        let pair = [arms.baseline.as_str(), arms.candidate.as_str()];
        let others: Vec<&str> =
            schedule.variants.iter().map(String::as_str).filter(|arm| !pair.contains(arm)).collect();
        let mut blocks = Blocks { names: Vec::new(), attempts: Vec::new(), beside: Vec::new() };
        let mut rows = corpus.rows.values().peekable();
        for scenario in &schedule.scenarios {
            // Rows stand in the order of keys: those that come before are of a scenario that isn't scheduled.
            while rows.next_if(|row| *row.key.scenario < **scenario).is_some() {}
            let mut of_scenario: HashMap<(&str, u32), &Row, RandomState> = HashMap::default();
            while let Some(row) = rows.next_if(|row| *row.key.scenario == **scenario) {
                of_scenario.insert((&row.key.variant, row.key.repetition), row);
            }
            for repetition in 0..schedule.repetitions {
                let of = |arm: &str| {
                    of_scenario.get(&(arm, repetition)).map(|row| attempts(row)).unwrap_or_default()
                };
                blocks.names.push(format!("{scenario}/{repetition}"));
                blocks.attempts.push(pair.map(of));
                blocks.beside.push(others.iter().map(|arm| of(arm)).collect());
            }
        }
        blocks
    }

    fn pairs(&self) -> Vec<Pair<'_>> {
        self.names
            .iter()
            .zip(&self.attempts)
            .zip(&self.beside)
            .map(|((name, [baseline, candidate]), beside)| Pair { name, baseline, candidate, beside })
            .collect()
    }
}

fn attempts(row: &Row) -> Vec<Attempt> {
    let ended = |failed: bool, session: bool| match (failed, session) {
        (true, _) => Attempt::Infrastructure,
        (false, true) => Attempt::Ended,
        (false, false) => Attempt::Missing,
    };
    let earlier = row
        .earlier
        .iter()
        .map(|attempt| ended(attempt.infrastructure_failure.is_some(), attempt.session.is_some()));
    let last = ended(row.infrastructure_failure.is_some(), row.recorded.is_some());
    earlier.chain([last]).collect()
}

/// The account of a feature's re-rolled pairs.
pub fn reroll_account(corpus: &Corpus, arms: &Arms) -> RerollAccount {
    RerollAccount::of(&Blocks::of(corpus, arms).pairs())
}

/// Faults of the account.
pub(super) fn check_rerolls(corpus: &Corpus, feature: &Feature, arms: &Arms) -> Vec<Fault> {
    let blocks = Blocks::of(corpus, arms);
    let code = |name: &str| match name {
        "reroll-unpaired" => FaultCode::RerollUnpaired,
        "reroll-excess" => FaultCode::RerollExcess,
        "differential-infrastructure" => FaultCode::DifferentialInfrastructure,
        // The strictest reading of a code that isn't known yet: any re-roll fault is invalid.
        _ => FaultCode::RerollWithoutCause,
    };
    reroll_faults(&blocks.pairs())
        .into_iter()
        .map(|fault| {
            let message = format!("{}: {}", feature.id, fault.reason.message);
            Fault::new(code(&fault.reason.code), Scope::feature(&feature.id), message)
        })
        .collect()
}

//! Reading, checking and measuring runs.

use std::collections::BTreeMap;

use engine::tokens::TokenCounter;
use rayon::prelude::*;

use super::Campaign;
use crate::corpus::{
    Activity, BlockStore, Fault, FaultCode, Row, RunEvidence, check_attempts, check_run, load_run,
};
use crate::failure::Failure;
use crate::metric::safety::Forbidden;
use crate::metric::{MetricFrame, MetricRow, Yardsticks, run_values};
use crate::qualify::check_qualifications;

/// Runs that could be read, with their values and faults.
pub struct Recordings {
    /// The runs in the order of keys.
    pub evidence: Vec<RunEvidence>,
    /// Their values.
    pub frame: MetricFrame,
    /// What contradicts itself.
    pub faults: Vec<Fault>,
}

impl Recordings {
    /// Number of runs by variant.
    pub fn runs(&self) -> BTreeMap<String, usize> {
        let mut runs = BTreeMap::new();
        for evidence in &self.evidence {
            *runs.entry(evidence.key.variant.clone()).or_default() += 1;
        }
        runs
    }
}

/// Reads, checks and measures the runs of some variants.
///
/// # Errors
/// A scenario's fixture can't be read.
pub fn read_runs(
    campaign: &Campaign<'_>,
    feature: &str,
    variants: &[&str],
    counter: &dyn TokenCounter,
) -> Result<Recordings, Failure> {
    let mut forbidden = BTreeMap::new();
    for id in &campaign.corpus.manifest.schedule.scenarios {
        if let Some(scenario) = campaign.scenarios.get(id) {
            forbidden.insert(id.as_str(), Forbidden::of(scenario)?);
        }
    }
    let blocks = BlockStore::new(campaign.corpus);
    let yardsticks = Yardsticks { prices: campaign.prices, counter };
    let rows: Vec<&Row> =
        campaign.corpus.rows.values().filter(|row| variants.contains(&row.key.variant.as_str())).collect();
    let read = |row: &&Row| {
        let forbidden = forbidden.get(row.key.scenario.as_str());
        one_run(campaign, feature, &blocks, forbidden, row, &yardsticks)
    };
    let mut recordings =
        Recordings { evidence: Vec::new(), frame: MetricFrame::default(), faults: Vec::new() };
    let mut values = Vec::new();
    for run in rows.par_iter().map(read).collect::<Vec<Run>>() {
        recordings.faults.extend(run.faults);
        values.extend(run.rows);
        recordings.evidence.extend(run.evidence);
    }
    recordings.faults.extend(check_qualifications(campaign.corpus));
    recordings.frame = MetricFrame::new(values);
    recordings.faults.sort();
    Ok(recordings)
}

#[derive(Default)]
struct Run {
    evidence: Option<RunEvidence>,
    rows: Vec<MetricRow>,
    faults: Vec<Fault>,
}

fn one_run(
    campaign: &Campaign<'_>,
    feature: &str,
    blocks: &BlockStore<'_>,
    forbidden: Option<&Forbidden>,
    row: &Row,
    yardsticks: &Yardsticks<'_>,
) -> Run {
    let mut faults = check_attempts(campaign.corpus, row);
    let evidence = match load_run(campaign.corpus, blocks, row) {
        Ok(Some(evidence)) => evidence,
        Ok(None) => return Run { faults, ..Run::default() },
        Err(found) => {
            faults.extend(found);
            return Run { faults, ..Run::default() };
        }
    };
    let (Some(scenario), Some(forbidden)) = (campaign.scenarios.get(&row.key.scenario), forbidden) else {
        let message = "the scenario isn't among the tasks: its gold files and grader are unknown";
        faults.push(Fault::of_run(FaultCode::TaskMismatch, &row.key, message));
        return Run { faults, ..Run::default() };
    };
    let activity = Activity::of(&evidence.session.tree);
    faults.extend(check_run(&evidence, &activity, scenario, campaign.variants.get(&row.key.variant)));
    let values = run_values(&evidence, &activity, scenario, forbidden, yardsticks);
    let rows = values
        .into_iter()
        .map(|(metric, value)| MetricRow {
            corpus: campaign.corpus.manifest.name.clone(),
            feature: feature.to_owned(),
            scenario: row.key.scenario.clone(),
            cluster: scenario.repo.clone(),
            variant: row.key.variant.clone(),
            repetition: row.key.repetition,
            metric,
            value,
        })
        .collect();
    Run { evidence: Some(evidence), rows, faults }
}

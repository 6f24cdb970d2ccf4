//! Synthetic campaigns through the real criteria and the real verdict, to measure error rates and power.

use rayon::prelude::*;

use crate::assess::{assess_for_verdict, passes_alone};
use crate::criterion::{Criterion, Settings};
use crate::error::DesignError;
use crate::missing::attendance_faults;
use crate::population::{Model, Population};
use crate::verdict::{Case, Tier, Verdict, judge};

/// Verdicts counted over campaigns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Campaigns judged.
    pub campaigns: u64,
    /// PROMOTE, as if the evidence were recorded with a model.
    pub promote: u64,
    /// REJECT.
    pub reject: u64,
    /// INSUFFICIENT.
    pub insufficient: u64,
    /// INVALID.
    pub invalid: u64,
}

impl Tally {
    fn count(mut self, verdict: Verdict) -> Self {
        self.campaigns += 1;
        match verdict {
            Verdict::Promote(_) => self.promote += 1,
            Verdict::Reject => self.reject += 1,
            Verdict::Insufficient => self.insufficient += 1,
            Verdict::Invalid => self.invalid += 1,
        }
        self
    }
}

/// One of the criteria that campaigns are judged by, in the order of [`Population::criteria`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// Acceptance isn't worse than the margin.
    Quality,
    /// Cost falls.
    Saving,
    /// The total bill rises by no more than 2 %.
    Bill,
}

/// Judges campaigns `0..campaigns` of a population. The same at any number of threads.
///
/// # Errors
/// [`DesignError`] for a parameter outside its domain.
pub fn simulate(population: &Population, campaigns: u64) -> Result<Tally, DesignError> {
    let model = Model::new(population)?;
    let criteria = population.criteria();
    for criterion in &criteria {
        criterion.validate()?;
    }
    let judged: Vec<Verdict> = (0..campaigns)
        .into_par_iter()
        .map(|index| judge_campaign(&model, &criteria, index))
        .collect::<Result<_, DesignError>>()?;
    Ok(judged.into_iter().fold(Tally::default(), Tally::count))
}

/// In how many of the campaigns `0..campaigns` one criterion passes on its own. The same at any number of threads.
///
/// # Errors
/// [`DesignError`] for a parameter outside its domain.
pub fn passes(population: &Population, promise: Promise, campaigns: u64) -> Result<u64, DesignError> {
    let model = Model::new(population)?;
    let [quality, saving, bill] = population.criteria();
    let passed = |index| -> Result<u64, DesignError> {
        let campaign = model.campaign(index);
        let (criterion, units) = match promise {
            Promise::Quality => (&quality, &campaign.acceptance),
            Promise::Saving => (&saving, &campaign.cost),
            Promise::Bill => (&bill, &campaign.cost),
        };
        Ok(u64::from(passes_alone(criterion, units, &settings(population, index))?))
    };
    (0..campaigns).into_par_iter().map(passed).sum()
}

/// The gate's settings for one campaign.
fn settings(population: &Population, index: u64) -> Settings {
    Settings {
        resamples: population.resamples,
        outcome_only: true,
        ..Settings::new(population.seed.wrapping_add(index))
    }
}

/// The verdict on one campaign by the code that judges recorded ones.
fn judge_campaign(model: &Model<'_>, criteria: &[Criterion; 3], index: u64) -> Result<Verdict, DesignError> {
    let campaign = model.campaign(index);
    let settings = settings(model.population, index);
    let [baseline, candidate] = campaign.attendance();
    let faults = attendance_faults(baseline, candidate, settings.max_missing);
    let [quality, saving, bill] = criteria;
    let declared =
        [(quality, campaign.acceptance.as_slice()), (saving, &campaign.cost), (bill, &campaign.cost)];
    let outcomes = assess_for_verdict(&declared, &settings)?;
    let case =
        Case { declared: criteria, outcomes: &outcomes, faults: &faults, tier: Some(Tier::RecordedModel) };
    Ok(judge(&case).verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures that decide nothing are left out, and each campaign has draws of its own.
    #[test]
    fn campaigns_are_judged_with_settings_of_their_own() {
        let population = Population { resamples: 77, ..Population::new(20, 3, 5) };
        let expected = Settings { resamples: 77, outcome_only: true, ..Settings::new(8) };
        assert_eq!(settings(&population, 3), expected);
    }

    fn short(scenarios: usize, seed: u64) -> Population {
        Population { resamples: 79, ..Population::new(scenarios, 3, seed) }
    }

    #[test]
    fn verdicts_are_counted_by_kind() {
        let counted = |verdicts: &[Verdict]| verdicts.iter().copied().fold(Tally::default(), Tally::count);
        let tally = counted(&[Verdict::Reject, Verdict::Insufficient, Verdict::Reject, Verdict::Invalid]);
        assert_eq!(tally, Tally { campaigns: 4, promote: 0, reject: 2, insufficient: 1, invalid: 1 });
        let splendid = Population { effect: 0.2, cost_ratio: 0.4, ..short(60, 21) };
        let promoted = Tally { campaigns: 3, promote: 3, ..Tally::default() };
        assert_eq!(simulate(&splendid, 3), Ok(promoted));
        let harmful = Population { effect: -0.4, cost_ratio: 0.4, ..short(60, 22) };
        assert_eq!(simulate(&harmful, 3), Ok(Tally { campaigns: 3, reject: 3, ..Tally::default() }));
    }

    /// Quality falls where costs are halved, and the other way round; costs that stay save nothing and add no bill.
    #[test]
    fn a_promise_is_judged_by_its_own_criterion() {
        let count = |population: &Population| {
            [Promise::Quality, Promise::Saving, Promise::Bill]
                .map(|promise| passes(population, promise, 4).unwrap())
        };
        let worse = Population { effect: -0.3, cost_ratio: 0.5, ..short(60, 23) };
        assert_eq!(count(&worse), [0, 4, 4]);
        let dearer = Population { effect: 0.2, cost_ratio: 1.5, ..short(60, 24) };
        assert_eq!(count(&dearer), [4, 0, 0]);
        let alike = Population { log_cost_sd: 0.0, runaway_share: 0.0, ..short(60, 25) };
        assert_eq!(count(&alike)[1..], [0, 0], "nothing differs, and 60 units bound no rise of 2 %");
    }

    #[test]
    fn criteria_and_parameters_outside_their_domain_are_refused() {
        assert!(simulate(&Population { alpha: 0.7, ..short(20, 1) }, 0).is_err());
        assert!(simulate(&Population { runs: 0, ..short(20, 1) }, 0).is_err());
        assert!(passes(&Population { runs: 0, ..short(20, 1) }, Promise::Bill, 0).is_err());
    }
}

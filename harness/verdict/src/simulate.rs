//! Synthetic campaigns through the real criteria and the real verdict, to measure error rates and power.
//!
//! A scenario's chance of acceptance is drawn from a beta distribution whose intraclass correlation and mean run variance
//! are given; the candidate's chance has exactly the effect in expectation, plus a symmetric interaction. Log costs are
//! normal between scenarios and again between the runs of one, with occasional runaway runs.

use rayon::prelude::*;

use crate::assess::assess;
use crate::criterion::{Better, Claim, Criterion, Estimand, Range, Settings};
use crate::error::DesignError;
use crate::paired::Unit;
use crate::power::parameter;
use crate::random::{Purpose, stream};
use crate::variate::{Beta, normal, uniform};
use crate::verdict::{Case, Tier, Verdict, judge};

/// A population of campaigns: what is true in it and how it is measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Population {
    /// Scenarios of a campaign, each its own cluster.
    pub scenarios: usize,
    /// Runs a scenario and arm.
    pub runs: usize,
    /// True difference in acceptance, −0.05 for five points worse.
    pub effect: f64,
    /// True ratio of the candidate's cost to the baseline's.
    pub cost_ratio: f64,
    /// One-sided level of every criterion.
    pub alpha: f64,
    /// Margin of non-inferiority on acceptance.
    pub margin: f64,
    /// Intraclass correlation of acceptance: share of its variance that lies between scenarios.
    pub icc: f64,
    /// Mean variance of acceptance between runs of a scenario.
    pub run_variance: f64,
    /// Variance over scenarios of how differently they react to the candidate. Near the ends of the scale, where a large
    /// effect leaves no room for it, it is smaller.
    pub interaction_variance: f64,
    /// Standard deviation of log cost between scenarios, and again between runs of one.
    pub log_cost_sd: f64,
    /// Share of runs that run away.
    pub runaway_share: f64,
    /// How many times the cost a runaway run has.
    pub runaway_factor: f64,
    /// Seed of everything.
    pub seed: u64,
    /// Bootstrap resamples of a criterion; fewer than the gate's, since only outcomes are counted.
    pub resamples: usize,
}

impl Population {
    /// The documented noise with no effect at all.
    #[must_use]
    pub fn new(scenarios: usize, runs: usize, seed: u64) -> Self {
        Self {
            scenarios,
            runs,
            effect: 0.0,
            cost_ratio: 1.0,
            alpha: 0.025,
            margin: 0.05,
            icc: 0.45,
            run_variance: 0.135,
            interaction_variance: 0.009,
            log_cost_sd: 0.5,
            runaway_share: 0.05,
            runaway_factor: 3.0,
            seed,
            resamples: 999,
        }
    }

    /// The criteria its campaigns are judged by: acceptance not worse than the margin, cost lower (geometric mean), and
    /// the total bill at most 2 % higher.
    #[must_use]
    pub fn criteria(&self) -> [Criterion; 3] {
        let criterion = |id: &str, claim, estimand, better, range| Criterion {
            id: id.to_owned(),
            claim,
            estimand,
            better,
            alpha: self.alpha,
            scenarios: self.scenarios,
            range,
        };
        let quality = Claim::NonInferiority { margin: self.margin };
        let bill = Claim::NonInferiority { margin: 0.02 };
        let saving = Claim::Superiority { at_least: 0.0 };
        [
            criterion("acceptance", quality, Estimand::MeanDifference, Better::Higher, Some(Range::UNIT)),
            criterion("cost", saving, Estimand::GeometricRatio, Better::Lower, None),
            criterion("total-cost", bill, Estimand::TotalRatio, Better::Lower, None),
        ]
    }

    /// Campaign number `index`: a function of the population and the index alone.
    ///
    /// # Errors
    /// [`DesignError::Parameter`] for a parameter outside its domain.
    pub fn campaign(&self, index: u64) -> Result<Campaign, DesignError> {
        Ok(Model::new(self)?.campaign(index))
    }
}

/// One synthetic campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct Campaign {
    /// Acceptance of each run, 0 or 1.
    pub acceptance: Vec<Unit>,
    /// Cost of each run, in units of a typical run's cost.
    pub cost: Vec<Unit>,
}

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
    let verdicts: Vec<Verdict> = (0..campaigns)
        .into_par_iter()
        .map(|index| model.judge(&criteria, index))
        .collect::<Result<_, DesignError>>()?;
    Ok(verdicts.into_iter().fold(Tally::default(), Tally::count))
}

/// A population with its derived parameters.
struct Model<'a> {
    population: &'a Population,
    chance: Beta,
    mean: f64,
    /// Half-width of the interaction, as a multiple of p(1 − p).
    swing: f64,
}

impl<'a> Model<'a> {
    fn new(population: &'a Population) -> Result<Self, DesignError> {
        check(population)?;
        // E p(1 − p) = σ² and Var p = σ²·icc/(1 − icc) add up to μ(1 − μ).
        let spread = population.run_variance / (1.0 - population.icc);
        if spread > 0.25 {
            let expected = "give a run variance of at most 0.25 (1 - ICC), which is all a yes or no can have";
            return Err(parameter("run variance", population.run_variance, expected));
        }
        let mean = 0.5 + (0.25 - spread).sqrt();
        let weight = (1.0 - population.icc) / population.icc;
        let chance = Beta::new(mean * weight, (1.0 - mean) * weight);
        let room = if population.effect < 0.0 {
            1.0 + population.effect / mean
        } else {
            1.0 - population.effect / (1.0 - mean)
        };
        if room < 0.0 {
            let expected = "give an effect that the mean acceptance leaves room for";
            return Err(parameter("effect", population.effect, expected));
        }
        let swing = (population.interaction_variance / chance.mean_square_of_spread()).sqrt();
        if swing > 1.0 {
            let expected = "give an interaction variance that chances between 0 and 1 can have";
            return Err(parameter("interaction variance", population.interaction_variance, expected));
        }
        Ok(Self { population, chance, mean, swing: swing.min(room) })
    }

    fn judge(&self, criteria: &[Criterion; 3], index: u64) -> Result<Verdict, DesignError> {
        let campaign = self.campaign(index);
        let settings = Settings {
            resamples: self.population.resamples,
            outcome_only: true,
            ..Settings::new(self.population.seed.wrapping_add(index))
        };
        let [quality, saving, bill] = criteria;
        let outcomes = [
            assess(quality, &campaign.acceptance, &settings)?,
            assess(saving, &campaign.cost, &settings)?,
            assess(bill, &campaign.cost, &settings)?,
        ];
        let case =
            Case { declared: criteria, outcomes: &outcomes, faults: &[], tier: Some(Tier::RecordedModel) };
        Ok(judge(&case).verdict)
    }

    fn campaign(&self, index: u64) -> Campaign {
        let population = self.population;
        let mut rng = stream(population.seed, Purpose::Campaign, index);
        let mut campaign = Campaign { acceptance: Vec::new(), cost: Vec::new() };
        for scenario in 0..population.scenarios {
            let baseline = self.chance.draw(&mut rng);
            let side = if uniform(&mut rng) < 0.5 { 1.0 } else { -1.0 };
            let candidate = self.shifted(baseline) + side * self.swing * baseline * (1.0 - baseline);
            let level = population.log_cost_sd * normal(&mut rng);
            let mut accepted = |chance: f64| -> Vec<f64> {
                (0..population.runs).map(|_| f64::from(u8::from(uniform(&mut rng) < chance))).collect()
            };
            let (accepted, rejected) = (accepted(baseline), accepted(candidate));
            let mut costs = |ratio: f64| -> Vec<f64> {
                let run = |_| {
                    let noise = level + population.log_cost_sd * normal(&mut rng);
                    let runaway = uniform(&mut rng) < population.runaway_share;
                    ratio * noise.exp() * if runaway { population.runaway_factor } else { 1.0 }
                };
                (0..population.runs).map(run).collect()
            };
            let (cheap, dear) = (costs(1.0), costs(population.cost_ratio));
            let id = format!("s{scenario:06}");
            campaign.acceptance.push(Unit::complete(id.clone(), id.clone(), &accepted, &rejected));
            campaign.cost.push(Unit::complete(id.clone(), id, &cheap, &dear));
        }
        campaign
    }

    /// A chance moved so that the mean over scenarios moves by exactly the effect and all chances stay in 0..1.
    fn shifted(&self, chance: f64) -> f64 {
        let effect = self.population.effect;
        if effect < 0.0 {
            chance * (1.0 + effect / self.mean)
        } else {
            chance + effect * (1.0 - chance) / (1.0 - self.mean)
        }
    }
}

fn check(population: &Population) -> Result<(), DesignError> {
    let within = |name, value: f64, holds: bool, expected| {
        if holds && value.is_finite() { Ok(()) } else { Err(parameter(name, value, expected)) }
    };
    let Population { effect, cost_ratio, icc, run_variance, interaction_variance, .. } = *population;
    let Population { log_cost_sd, runaway_share, runaway_factor, .. } = *population;
    let at_least = "give 0 or more";
    within("scenarios", population.scenarios as f64, population.scenarios > 0, "give at least 1")?;
    within("runs", population.runs as f64, population.runs > 0, "give at least 1")?;
    within("effect", effect, effect.abs() < 1.0, "give a difference between -1 and 1")?;
    within("cost ratio", cost_ratio, cost_ratio > 0.0, "give a ratio above 0")?;
    within("ICC", icc, icc > 0.0 && icc < 1.0, "give a share above 0 and below 1")?;
    within("run variance", run_variance, run_variance > 0.0, "give a variance above 0")?;
    within("interaction variance", interaction_variance, interaction_variance >= 0.0, at_least)?;
    within("log-cost sd", log_cost_sd, log_cost_sd >= 0.0, at_least)?;
    within("runaway share", runaway_share, (0.0..=1.0).contains(&runaway_share), "give a share")?;
    within("runaway factor", runaway_factor, runaway_factor > 0.0, "give a factor above 0")
}

//! Synthetic campaigns with known truth.
//!
//! A scenario's chance of acceptance is drawn from a beta distribution whose intraclass correlation and mean run variance
//! are given; the candidate's chance has exactly the effect in expectation, plus an interaction that is symmetric about
//! it. Log costs are normal between scenarios and again between the runs of one, with occasional runaway runs. Scenarios
//! of a cluster may repeat one task; runs may be missing, blind to arm and outcome.

use rand_chacha::ChaCha8Rng;

use crate::criterion::{Better, Claim, Criterion, Estimand, Range};
use crate::error::DesignError;
use crate::missing::Attendance;
use crate::paired::Unit;
use crate::power::parameter;
use crate::random::{Purpose, stream};
use crate::variate::{Beta, normal, uniform};

#[cfg(test)]
mod tests;

/// Margin of non-inferiority on the total bill.
pub(crate) const BILL_MARGIN: f64 = 0.02;

/// A population of campaigns: what is true in it and how it is measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Population {
    /// Scenarios of a campaign.
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
    /// Variance over scenarios of how differently they react to the candidate, with no effect. Small ones are a swing of
    /// every scenario; beyond what a swing can have, a share of the scenarios draws its chance afresh for the candidate.
    pub interaction_variance: f64,
    /// Standard deviation of log cost between scenarios, and again between runs of one.
    pub log_cost_sd: f64,
    /// Share of runs that run away.
    pub runaway_share: f64,
    /// How many times the cost a runaway run has.
    pub runaway_factor: f64,
    /// Scenarios a cluster.
    pub cluster_size: usize,
    /// Chance with which a scenario repeats the task of its cluster's first: the same chances and cost level.
    pub cluster_share: f64,
    /// Chance with which a run is missing.
    pub missing_share: f64,
    /// A run's cost lies between its inverse and this, by a budget that ends runs; none for no limit, and then a missing
    /// run leaves every cost criterion undecided.
    pub cost_limit: Option<f64>,
    /// Seed of everything.
    pub seed: u64,
    /// Bootstrap resamples of a criterion; by default as many as the gate's.
    pub resamples: usize,
}

impl Population {
    /// The documented noise with no effect at all, one cluster a scenario and no missing run.
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
            cluster_size: 1,
            cluster_share: 0.0,
            missing_share: 0.0,
            cost_limit: None,
            seed,
            resamples: 9_999,
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
        let bill = Claim::NonInferiority { margin: BILL_MARGIN };
        let saving = Claim::Superiority { at_least: 0.0 };
        let costs = self.cost_limit.map(|limit| Range { low: 1.0 / limit, high: limit });
        [
            criterion("acceptance", quality, Estimand::MeanDifference, Better::Higher, Some(Range::UNIT)),
            criterion("cost", saving, Estimand::GeometricRatio, Better::Lower, costs),
            criterion("total-cost", bill, Estimand::TotalRatio, Better::Lower, costs),
        ]
    }

    /// Campaign number `index`: a function of the population and the index alone.
    ///
    /// # Errors
    /// [`DesignError::Parameter`] for a parameter outside its domain.
    pub fn campaign(&self, index: u64) -> Result<Campaign, DesignError> {
        Ok(Model::new(self)?.campaign(index))
    }

    /// The baseline twice more on the tasks of campaign number `index`, as both arms: what an A/A arm sees.
    ///
    /// # Errors
    /// [`DesignError::Parameter`] for a parameter outside its domain.
    pub fn repeat(&self, index: u64) -> Result<Campaign, DesignError> {
        Ok(Model::new(self)?.repeat(index))
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

impl Campaign {
    /// Scheduled and missing runs of the baseline and of the candidate.
    #[must_use]
    pub fn attendance(&self) -> [Attendance; 2] {
        let count = |arms: Vec<&[Option<f64>]>| Attendance {
            scheduled: arms.iter().map(|runs| runs.len()).sum(),
            missing: arms.iter().flat_map(|runs| runs.iter()).filter(|run| run.is_none()).count(),
        };
        let units = &self.acceptance;
        [
            count(units.iter().map(|unit| unit.baseline.as_slice()).collect()),
            count(units.iter().map(|unit| unit.candidate.as_slice()).collect()),
        ]
    }
}

/// A population with its derived parameters.
pub(crate) struct Model<'a> {
    pub(crate) population: &'a Population,
    chance: Beta,
    mean: f64,
    interaction: Interaction,
}

/// How scenarios differ in their reaction to the candidate.
#[derive(Debug, Clone, Copy)]
enum Interaction {
    /// Up or down by this multiple of p(1 − p).
    Swing(f64),
    /// With this probability a chance of its own.
    Redraw(f64),
}

/// What is true of a scenario.
#[derive(Debug, Clone, Copy)]
struct Task {
    baseline: f64,
    candidate: f64,
    /// Log cost of a typical run.
    level: f64,
}

impl<'a> Model<'a> {
    /// # Errors
    /// [`DesignError::Parameter`] for a parameter outside its domain.
    pub(crate) fn new(population: &'a Population) -> Result<Self, DesignError> {
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
        // Two independent chances differ by twice the variance of one.
        let redraw = 0.5 * population.interaction_variance / (spread * population.icc);
        let interaction = if swing <= 1.0 {
            Interaction::Swing(swing.min(room))
        } else if redraw <= 1.0 {
            Interaction::Redraw(redraw)
        } else {
            let expected = "give an interaction variance that chances between 0 and 1 can have";
            return Err(parameter("interaction variance", population.interaction_variance, expected));
        };
        Ok(Self { population, chance, mean, interaction })
    }

    pub(crate) fn campaign(&self, index: u64) -> Campaign {
        self.drawn(index).0
    }

    fn repeat(&self, index: u64) -> Campaign {
        let (mut campaign, tasks) = self.drawn(index);
        let mut rng = stream(self.population.seed, Purpose::Repeat, index);
        let units = campaign.acceptance.iter_mut().zip(&mut campaign.cost);
        for ((acceptance, cost), task) in units.zip(tasks) {
            (acceptance.baseline, cost.baseline) = self.arm(task.baseline, task.level, 1.0, &mut rng);
            (acceptance.candidate, cost.candidate) = self.arm(task.baseline, task.level, 1.0, &mut rng);
        }
        campaign
    }

    /// A campaign and the truth of its scenarios.
    fn drawn(&self, index: u64) -> (Campaign, Vec<Task>) {
        let population = self.population;
        let mut rng = stream(population.seed, Purpose::Campaign, index);
        let mut tasks = Vec::new();
        let mut campaign = Campaign { acceptance: Vec::new(), cost: Vec::new() };
        let mut first = None;
        for scenario in 0..population.scenarios {
            let mut task = self.task(&mut rng);
            if scenario % population.cluster_size == 0 {
                first = Some(task);
            } else if uniform(&mut rng) < population.cluster_share {
                task = first.unwrap_or(task);
            }
            tasks.push(task);
            let baseline = self.arm(task.baseline, task.level, 1.0, &mut rng);
            let candidate = self.arm(task.candidate, task.level, population.cost_ratio, &mut rng);
            let unit = |baseline, candidate| Unit {
                scenario: format!("s{scenario:06}"),
                cluster: format!("c{:06}", scenario / population.cluster_size),
                baseline,
                candidate,
            };
            campaign.acceptance.push(unit(baseline.0, candidate.0));
            campaign.cost.push(unit(baseline.1, candidate.1));
        }
        (campaign, tasks)
    }

    fn task(&self, rng: &mut ChaCha8Rng) -> Task {
        let baseline = self.chance.draw(rng);
        let candidate = match self.interaction {
            Interaction::Swing(swing) => {
                let side = if uniform(rng) < 0.5 { 1.0 } else { -1.0 };
                self.shifted(baseline) + side * swing * baseline * (1.0 - baseline)
            }
            Interaction::Redraw(share) => {
                let own = uniform(rng) < share;
                self.shifted(if own { self.chance.draw(rng) } else { baseline })
            }
        };
        Task { baseline, candidate, level: self.population.log_cost_sd * normal(rng) }
    }

    /// Acceptance and cost of each run of an arm.
    fn arm(
        &self,
        chance: f64,
        level: f64,
        ratio: f64,
        rng: &mut ChaCha8Rng,
    ) -> (Vec<Option<f64>>, Vec<Option<f64>>) {
        let population = self.population;
        let run = |_| {
            let accepted = f64::from(u8::from(uniform(rng) < chance));
            let noise = level + population.log_cost_sd * normal(rng);
            let runaway = uniform(rng) < population.runaway_share;
            let cost = ratio * noise.exp() * if runaway { population.runaway_factor } else { 1.0 };
            let cost = population.cost_limit.map_or(cost, |limit| cost.clamp(1.0 / limit, limit));
            let seen = population.missing_share == 0.0 || uniform(rng) >= population.missing_share;
            (seen.then_some(accepted), seen.then_some(cost))
        };
        (0..population.runs).map(run).unzip()
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
    let Population { cluster_share, missing_share, cost_limit, alpha, margin, .. } = *population;
    let (at_least, share) = ("give 0 or more", "give a share");
    let unit = 0.0..=1.0;
    within("scenarios", population.scenarios as f64, population.scenarios > 0, "give at least 1")?;
    within("runs", population.runs as f64, population.runs > 0, "give at least 1")?;
    within("effect", effect, effect.abs() < 1.0, "give a difference between -1 and 1")?;
    within("cost ratio", cost_ratio, cost_ratio > 0.0, "give a ratio above 0")?;
    within("ICC", icc, icc > 0.0 && icc < 1.0, "give a share above 0 and below 1")?;
    within("run variance", run_variance, run_variance > 0.0, "give a variance above 0")?;
    within("interaction variance", interaction_variance, interaction_variance >= 0.0, at_least)?;
    within("log-cost sd", log_cost_sd, log_cost_sd >= 0.0, at_least)?;
    within("runaway share", runaway_share, unit.contains(&runaway_share), share)?;
    within("runaway factor", runaway_factor, runaway_factor > 0.0, "give a factor above 0")?;
    within("alpha", alpha, alpha > 0.0 && alpha < 0.5, "state a one-sided level above 0 and below 0.5")?;
    within("margin", margin, margin >= 0.0, at_least)?;
    let cluster_size = population.cluster_size;
    within("cluster size", cluster_size as f64, cluster_size > 0, "give at least 1")?;
    within("cluster share", cluster_share, unit.contains(&cluster_share), share)?;
    within("missing share", missing_share, unit.contains(&missing_share), share)?;
    match cost_limit {
        Some(limit) => within("cost limit", limit, limit > 1.0, "give a limit above 1"),
        None => Ok(()),
    }
}

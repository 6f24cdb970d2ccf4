//! From a campaign's draws to what each run does.

use engine::message::sha256_hex;
use verdict::{Campaign, DesignError, Population, Unit};

/// Fresh tokens of a run of typical cost.
const TYPICAL_TOKENS: f64 = 20_000.0;
/// Fewest fresh tokens of a run.
const FEWEST_TOKENS: u64 = 1_000;

/// The arms, in the order of the schedule: baseline, the baseline again, candidate, the candidate's degradation.
pub const ARMS: [&str; 4] = ["native", "native-again", "auto-context", "auto-context-known-bad"];

/// What one run does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Behaviour {
    /// Whether its patch is right.
    pub accepted: bool,
    /// Uncached prompt tokens and cache writes over all its requests.
    pub fresh_tokens: u64,
    /// Reads of the file to be changed before the edit.
    pub reads: usize,
}

/// How much a run of a simulated campaign does in one request. Either way it reads, edits, verifies and ends, so that every
/// metric has a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SessionLength {
    /// A call a request: three to five requests.
    #[default]
    Usual,
    /// All calls in the first reply: two requests, the fewest in which a prompt can repeat its predecessor. The log tells
    /// nothing twice, and the file that the task is about is short.
    Brief,
}

/// What the A/A arm does, whose engine is the baseline's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Canary {
    /// It behaves as the baseline.
    #[default]
    Sound,
    /// It behaves as the candidate: something else than the engine makes the difference, and a gate must see it.
    Broken,
}

/// All runs of a campaign.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// By scenario.
    pub scenarios: Vec<ScenarioRuns>,
}

/// The runs of a scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct ScenarioRuns {
    /// The scenario.
    pub id: String,
    /// Its cluster.
    pub cluster: String,
    /// Runs of each arm, in the order of [`ARMS`]; none for a run that is missing.
    pub arms: [Vec<Option<Behaviour>>; 4],
}

impl Plan {
    /// Draws campaign `index` of a population. The known-bad arm behaves as the baseline on the same tasks, and so does the
    /// A/A arm if the canary is sound.
    ///
    /// # Errors
    /// A parameter outside its domain.
    pub fn of(population: &Population, index: u64, canary: Canary) -> Result<Plan, DesignError> {
        let campaign = population.campaign(index)?;
        let canaries = population.repeat(index)?;
        // A saving shows in what a run does: the file lies in the pack and needn't be read.
        let informed = population.cost_ratio < 1.0;
        let scenarios = (0..campaign.acceptance.len())
            .map(|at| {
                let unit = &campaign.acceptance[at];
                let of = |arm: usize| match arm {
                    0 => runs(&campaign, at, arm, false, false),
                    1 if canary == Canary::Broken => runs(&campaign, at, arm, true, informed),
                    1 => runs(&canaries, at, arm, false, false),
                    2 => runs(&campaign, at, arm, true, informed),
                    _ => runs(&canaries, at, arm, true, false),
                };
                let arms = [0, 1, 2, 3].map(of);
                ScenarioRuns { id: unit.scenario.clone(), cluster: unit.cluster.clone(), arms }
            })
            .collect();
        Ok(Plan { scenarios })
    }
}

fn runs(
    campaign: &Campaign,
    at: usize,
    arm: usize,
    candidate: bool,
    informed: bool,
) -> Vec<Option<Behaviour>> {
    let side = |unit: &Unit| if candidate { unit.candidate.clone() } else { unit.baseline.clone() };
    let (acceptance, cost) = (&campaign.acceptance[at], &campaign.cost[at]);
    let run = |(repetition, (accepted, cost)): (usize, (Option<f64>, Option<f64>))| {
        let fresh = (TYPICAL_TOKENS * cost?).round() as u64;
        Some(Behaviour {
            accepted: accepted? > 0.5,
            fresh_tokens: fresh.max(FEWEST_TOKENS),
            reads: if informed { 0 } else { 1 + usize::from(twice(&acceptance.scenario, arm, repetition)) },
        })
    };
    side(acceptance).into_iter().zip(side(cost)).enumerate().map(run).collect()
}

/// Whether a run reads its file a second time: half of them do.
fn twice(scenario: &str, arm: usize, repetition: usize) -> bool {
    sha256_hex(format!("{scenario}/{arm}/{repetition}").as_bytes()).as_bytes()[0].is_multiple_of(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_show_the_truth_they_were_drawn_from() {
        let population = Population { cost_ratio: 0.5, ..Population::new(40, 3, 7) };
        let plan = Plan::of(&population, 0, Canary::Sound).unwrap();
        assert_eq!(plan, Plan::of(&population, 0, Canary::Sound).unwrap());
        let mean = |arm: usize| {
            let runs = plan.scenarios.iter().flat_map(|scenario| scenario.arms[arm].iter().flatten());
            let logs: Vec<f64> = runs.map(|run| (run.fresh_tokens as f64).ln()).collect();
            logs.iter().sum::<f64>() / logs.len() as f64
        };
        assert!((mean(2) - mean(0) - 0.5_f64.ln()).abs() < 0.2);
        assert!((mean(1) - mean(0)).abs() < 0.2);
        assert!(
            plan.scenarios.iter().all(|scenario| scenario.arms[2].iter().flatten().all(|run| run.reads == 0))
        );
    }
}

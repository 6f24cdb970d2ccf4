//! Type-I errors of the paired decision at a nominal 0.05, through the code that the gate uses.
//!
//! `cargo run -p verdict --release --example type1 [-- REPETITIONS [SEED]]`
//!
//! Each cell draws campaigns whose truth lies exactly on a threshold and counts how often the criterion passes:
//! *quality* with acceptance worse by its margin, *saving* with equal cost, *bill* with a total cost 2 % higher. A rate may
//! be at most 0.055 plus two Monte-Carlo errors. The exit code is 1 where one is above.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::process::ExitCode;

use verdict::{Population, Promise, passes};

const ALPHA: f64 = 0.05;
const ALLOWED: f64 = 0.055;
const SCENARIOS: [usize; 4] = [10, 20, 50, 200];
const RUNS: [usize; 2] = [3, 10];
/// Standard deviations of 9, 22 and 35 points.
const INTERACTIONS: [f64; 3] = [0.009, 0.048, 0.123];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let repetitions: u64 = arguments.next().map_or(Ok(10_000), |text| text.parse())?;
    let seed: u64 = arguments.next().map_or(Ok(1), |text| text.parse())?;
    let limit = ALLOWED + 2.0 * (ALLOWED * (1.0 - ALLOWED) / repetitions as f64).sqrt();
    println!("{repetitions} campaigns a cell, seed {seed}, at most {limit:.4}");
    println!("scenarios  runs  interaction  quality  saving    bill");
    let mut worst = 0.0_f64;
    for scenarios in SCENARIOS {
        for runs in RUNS {
            for interaction_variance in INTERACTIONS {
                let even = Population {
                    alpha: ALPHA,
                    interaction_variance,
                    ..Population::new(scenarios, runs, seed)
                };
                let rates = rates(&even, repetitions)?;
                worst = rates.into_iter().fold(worst, f64::max);
                let [quality, saving, bill] = rates;
                println!(
                    "{scenarios:>9}  {runs:>4}  {interaction_variance:>11.3}  {quality:>7.4} {saving:>7.4} {bill:>7.4}"
                );
            }
        }
    }
    println!(
        "largest rate {worst:.4}: {}",
        if worst <= limit { "within the limit" } else { "above the limit" }
    );
    Ok(if worst <= limit { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Rates of passes with each criterion's truth on its threshold.
fn rates(even: &Population, repetitions: u64) -> Result<[f64; 3], verdict::DesignError> {
    let worse = Population { effect: -even.margin, ..even.clone() };
    let dearer = Population { cost_ratio: 1.02, ..even.clone() };
    let passes = [
        passes(&worse, Promise::Quality, repetitions)?,
        passes(even, Promise::Saving, repetitions)?,
        passes(&dearer, Promise::Bill, repetitions)?,
    ];
    Ok(passes.map(|passes| passes as f64 / repetitions as f64))
}

//! Type-I errors of the paired decision at a nominal 0.05, through the code that the gate uses.
//!
//! `cargo run -p verdict --release --example type1 [-- [REPETITIONS [SEED]] [--only CELL,CELL…] [--promise NAME]]`
//!
//! Each cell draws campaigns whose truth lies exactly on a threshold and counts how often the criterion passes:
//! *quality* with acceptance worse by its margin, *saving* with equal cost, *bill* with a total cost 2 % higher. A rate may
//! be at most 0.055 plus two Monte-Carlo errors. The exit code is 1 where one is above.
//!
//! A long table can be counted in parts: `--only 20x10,200` counts the cells of 20 scenarios × 10 runs and all of 200
//! scenarios, `--promise bill` that column alone.

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
const PROMISES: [(&str, Promise); 3] =
    [("quality", Promise::Quality), ("saving", Promise::Saving), ("bill", Promise::Bill)];

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let asked = Asked::read(std::env::args().skip(1))?;
    let Asked { repetitions, seed, .. } = asked;
    let limit = ALLOWED + 2.0 * (ALLOWED * (1.0 - ALLOWED) / repetitions as f64).sqrt();
    println!("{repetitions} campaigns a cell, seed {seed}, at most {limit:.4}");
    println!("scenarios  runs  interaction  quality  saving    bill");
    let mut worst = 0.0_f64;
    for cell in asked.cells() {
        let (scenarios, runs, interaction_variance) = cell;
        let even =
            Population { alpha: ALPHA, interaction_variance, ..Population::new(scenarios, runs, seed) };
        let mut line = format!("{scenarios:>9}  {runs:>4}  {interaction_variance:>11.3} ");
        for (name, promise) in PROMISES {
            let shown = if asked.promise.as_deref().is_none_or(|one| one == name) {
                let rate = rate(&even, promise, repetitions)?;
                worst = worst.max(rate);
                format!("{rate:.4}")
            } else {
                "-".to_owned()
            };
            line.push_str(&format!(" {shown:>7}"));
        }
        println!("{line}");
    }
    println!(
        "largest rate {worst:.4}: {}",
        if worst <= limit { "within the limit" } else { "above the limit" }
    );
    Ok(if worst <= limit { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the command line asks for.
struct Asked {
    repetitions: u64,
    seed: u64,
    /// Cells by scenarios, runs and interaction, or the first of these.
    only: Vec<String>,
    promise: Option<String>,
}

impl Asked {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut asked = Self { repetitions: 10_000, seed: 1, only: Vec::new(), promise: None };
        let mut position = 0;
        while let Some(argument) = arguments.next() {
            match (argument.as_str(), position) {
                ("--only", _) => {
                    let list = arguments.next().ok_or("--only: name cells, for instance 20x10,200")?;
                    asked.only = list.split(',').map(str::to_owned).collect();
                    continue;
                }
                ("--promise", _) => {
                    let name = arguments.next().unwrap_or_default();
                    if !PROMISES.iter().any(|(known, _)| *known == name) {
                        return Err(format!("--promise {name}: name quality, saving or bill").into());
                    }
                    asked.promise = Some(name);
                    continue;
                }
                (text, 0) => asked.repetitions = text.parse()?,
                (text, 1) => asked.seed = text.parse()?,
                (text, _) => return Err(format!("{text}: give a number of repetitions and a seed").into()),
            }
            position += 1;
        }
        if asked.cells().is_empty() {
            return Err("--only: no such cell".into());
        }
        Ok(asked)
    }

    fn cells(&self) -> Vec<(usize, usize, f64)> {
        let mut cells = Vec::new();
        for scenarios in SCENARIOS {
            for runs in RUNS {
                cells.extend(INTERACTIONS.map(|interaction| (scenarios, runs, interaction)));
            }
        }
        cells.retain(|&(scenarios, runs, interaction)| {
            let name = format!("{scenarios}x{runs}x{interaction}x");
            self.only.is_empty() || self.only.iter().any(|prefix| name.starts_with(&format!("{prefix}x")))
        });
        cells
    }
}

/// Rate of passes with the criterion's truth on its threshold.
fn rate(even: &Population, promise: Promise, repetitions: u64) -> Result<f64, verdict::DesignError> {
    let truth = match promise {
        Promise::Quality => Population { effect: -even.margin, ..even.clone() },
        Promise::Saving => even.clone(),
        Promise::Bill => Population { cost_ratio: 1.02, ..even.clone() },
    };
    Ok(passes(&truth, promise, repetitions)? as f64 / repetitions as f64)
}

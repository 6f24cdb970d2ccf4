//! Verdicts on campaigns whose truth is known: three nulls, two regressions, and a true improvement of the size that
//! planning announces for power 0.9.
//!
//! `cargo run -p verdict --release --example campaigns [-- [CAMPAIGNS [SEED]] [--only LINE,LINE…]]`
//!
//! A null or a regression may be promoted in at most alpha of the campaigns; the column *at most* is the upper end of the
//! central 95 % of a binomial count with that chance. The improvement must be promoted in at least 85 %. The exit code is 1
//! where a line isn't met. `--only` prints the lines of these numbers alone, so that a long table can be counted in parts.

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::process::ExitCode;

use verdict::distribution::binomial_quantile;
use verdict::{Population, simulate};

/// What is true, effect and cost ratio, and how many scenarios are asked.
const WRONG: [(&str, f64, f64, usize); 10] = [
    ("no effect", 0.0, 1.0, 75),
    ("no effect", 0.0, 1.0, 416),
    ("quality at its margin, saving", -0.05, 0.7, 75),
    ("quality at its margin, saving", -0.05, 0.7, 416),
    ("better quality, no saving", 0.05, 1.0, 75),
    ("better quality, no saving", 0.05, 1.0, 416),
    ("regression, saving", -0.05, 0.7, 212),
    ("better quality, dearer", 0.05, 1.1, 75),
    ("better quality, dearer", 0.05, 1.1, 212),
    ("better quality, dearer", 0.05, 1.1, 416),
];
const LINES: usize = WRONG.len() + 1;
const RUNS: usize = 3;
const POWER: f64 = 0.9;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let asked = Asked::read(std::env::args().skip(1))?;
    let Asked { campaigns, seed, lines } = &asked;
    println!("{campaigns} campaigns a line, {RUNS} runs an arm, alpha 0.025, seed {seed}");
    println!(
        "line  truth                            effect   cost  scenarios  promote  reject  insufficient  limit"
    );
    let mut met = true;
    for &number in lines {
        met &= match WRONG.get(number - 1) {
            Some(&(name, effect, cost_ratio, scenarios)) => {
                let population = Population { effect, cost_ratio, ..Population::new(scenarios, RUNS, *seed) };
                let most = binomial_quantile(0.975, *campaigns, population.alpha);
                line(number, name, &population, *campaigns, &format!("at most {most}"))? <= most
            }
            None => {
                let better = Population { effect: 0.02, cost_ratio: 0.8, ..Population::new(1, RUNS, *seed) };
                let sized = Population { scenarios: better.scenarios_for(POWER)?, ..better };
                let least = (0.85 * *campaigns as f64).ceil() as u64;
                line(number, "a true improvement", &sized, *campaigns, &format!("at least {least}"))? >= least
            }
        };
    }
    println!("{}", if met { "every line is met" } else { "a line isn't met" });
    Ok(if met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the command line asks for.
struct Asked {
    campaigns: u64,
    seed: u64,
    /// Numbers of lines, from 1.
    lines: Vec<usize>,
}

impl Asked {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let mut asked = Self { campaigns: 10_000, seed: 1, lines: (1..=LINES).collect() };
        let mut position = 0;
        while let Some(argument) = arguments.next() {
            match (argument.as_str(), position) {
                ("--only", _) => {
                    let list = arguments.next().ok_or("--only: name lines, for instance 8,11")?;
                    asked.lines = list.split(',').map(str::parse).collect::<Result<_, _>>()?;
                    if asked.lines.iter().any(|number| !(1..=LINES).contains(number)) {
                        return Err(format!("--only {list}: lines are 1 to {LINES}").into());
                    }
                    continue;
                }
                (text, 0) => asked.campaigns = text.parse()?,
                (text, 1) => asked.seed = text.parse()?,
                (text, _) => return Err(format!("{text}: give a number of campaigns and a seed").into()),
            }
            position += 1;
        }
        Ok(asked)
    }
}

/// Prints a line and returns the number of promotions.
fn line(
    number: usize,
    name: &str,
    population: &Population,
    campaigns: u64,
    limit: &str,
) -> Result<u64, verdict::DesignError> {
    let tally = simulate(population, campaigns)?;
    println!(
        "{number:>4}  {name:<31} {:>7.2} {:>6.2} {:>10} {:>8} {:>7} {:>13}  {limit}",
        population.effect,
        population.cost_ratio,
        population.scenarios,
        tally.promote,
        tally.reject,
        tally.insufficient
    );
    Ok(tally.promote)
}

//! Time and memory of a large assessment: 10,000 scenarios × 5 runs × 12 criteria × 9,999 resamples, on one thread and on
//! two, with the same bytes.
//!
//! `cargo run -p verdict --release --example throughput`

#![expect(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::time::Instant;

use rayon::ThreadPoolBuilder;
use verdict::{Better, Claim, Criterion, Estimand, Population, Settings, Unit, assess_all};

const SCENARIOS: usize = 10_000;
const RUNS: usize = 5;
const CRITERIA: u64 = 12;

fn main() -> Result<(), Box<dyn Error>> {
    let population = Population { effect: -0.01, cost_ratio: 0.95, ..Population::new(SCENARIOS, RUNS, 7) };
    let mut declared: Vec<(Criterion, Vec<Unit>)> = Vec::new();
    for number in 0..CRITERIA {
        let campaign = population.campaign(number)?;
        let (estimand, units) = match number % 4 {
            0 => (Estimand::MeanDifference, campaign.acceptance),
            1 => (Estimand::GeometricRatio, campaign.cost),
            2 => (Estimand::TotalRatio, campaign.cost),
            _ => (Estimand::TailRatio { quantile: 0.95 }, campaign.cost),
        };
        let criterion = Criterion {
            id: format!("criterion-{number}"),
            claim: Claim::NonInferiority { margin: 0.05 },
            estimand,
            better: if number % 4 == 0 { Better::Higher } else { Better::Lower },
            alpha: 0.025,
            scenarios: SCENARIOS,
            range: None,
        };
        declared.push((criterion, units));
    }
    let criteria: Vec<(&Criterion, &[Unit])> =
        declared.iter().map(|(criterion, units)| (criterion, units.as_slice())).collect();
    let settings = Settings::new(11);
    let mut seen: Option<String> = None;
    for threads in [1, 2] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let start = Instant::now();
        let outcomes = pool.install(|| assess_all(&criteria, &settings))?;
        let seconds = start.elapsed().as_secs_f64();
        let bytes = format!("{outcomes:?}");
        let same = seen.get_or_insert_with(|| bytes.clone()) == &bytes;
        println!("{threads} threads  {seconds:6.2} s  same bytes: {same}  peak memory: {}", peak_memory());
        if !same {
            return Err("the number of threads changed the figures".into());
        }
    }
    Ok(())
}

/// Peak resident memory where the system tells.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
}

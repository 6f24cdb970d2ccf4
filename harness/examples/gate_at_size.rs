//! Time and memory of the whole gate on a large simulated campaign, on one thread and on two, with the same bytes; and of
//! merely reading, hashing and parsing the same files, below which no gate that checks hashes and content can be.
//!
//! `cargo run -p harness --release --example gate_at_size -- [SCENARIOS [RUNS [DIR]]]`: 10,000 scenarios × 5 runs and a
//! temporary folder unless told otherwise (about 900,000 files, 5 GB). A campaign that lies in DIR is used again.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use harness::synthetic::{Canary, Emission, SessionLength, emit};
use jiff::civil::{Date, date};
use mimalloc::MiMalloc;
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use verdict::Population;

/// As the command has it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const POLICY: &str = include_str!("../../scenarios/gate.toml");
const AS_OF: Date = date(2026, 11, 30);
/// Tasks of one repository, which share its index: recorded campaigns have tens.
const SCENARIOS_A_REPOSITORY: usize = 20;
const REPORTS: [&str; 6] =
    ["gate.json", "report.html", "report.md", "junit.xml", "metrics.parquet", "verdict"];

fn main() -> ExitCode {
    // The gate runs in a process of its own, which tells its processor time and peak memory at its end.
    if std::env::args().nth(1).as_deref() == Some("gate") {
        let code = harness::cli::main();
        eprintln!("{}", own_figures());
        return code;
    }
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gate_at_size: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1).peekable();
    let brief = arguments.next_if_eq("--brief").is_some();
    let scenarios = arguments.next().map_or(Ok(10_000), |text| text.parse())?;
    let runs = arguments.next().map_or(Ok(5), |text| text.parse())?;
    let temporary = tempfile::tempdir()?;
    let root = arguments.next().map_or_else(|| temporary.path().join("campaign"), PathBuf::from);
    // The gate runs inside it.
    let root = std::path::absolute(root)?;
    if !root.exists() {
        let start = Instant::now();
        let population = Population {
            effect: 0.02,
            cost_ratio: 0.8,
            cluster_size: SCENARIOS_A_REPOSITORY,
            ..Population::new(scenarios, runs, 20_261_130)
        };
        let emission = Emission {
            population: &population,
            index: 0,
            canary: Canary::Sound,
            sessions: if brief { SessionLength::Brief } else { SessionLength::Usual },
            policy: POLICY,
            as_of: AS_OF,
        };
        let emitted = emit(emission, &root)?;
        println!(
            "emitted: {} runs, {SCENARIOS_A_REPOSITORY} scenarios a repository, in {:.1} s",
            emitted.runs,
            start.elapsed().as_secs_f64()
        );
    }
    let mut files = Vec::new();
    collect(&root.join("corpora"), &mut files)?;
    collect(&root.join("scenarios"), &mut files)?;
    for threads in [1, 2] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let (start, before) = (Instant::now(), processor_seconds());
        let bytes: u64 = pool.install(|| files.par_iter().map(|file| parsed(file)).sum::<Result<_, _>>())?;
        let (seconds, processor) = (start.elapsed().as_secs_f64(), processor_seconds() - before);
        println!(
            "reading, hashing and parsing, {threads} threads: {} files, {:.0} MB, {seconds:.1} s, processor {processor:.1} s",
            files.len(),
            bytes as f64 / 1e6
        );
    }
    let mut before: Option<Vec<Vec<u8>>> = None;
    for threads in ["1", "2"] {
        let written = gate(&root, threads)?;
        let same = before.get_or_insert_with(|| written.clone()) == &written;
        println!("same bytes: {same}");
        if !same {
            return Err("the number of threads changed a report".into());
        }
    }
    Ok(())
}

/// Runs the gate and reads what it published.
fn gate(root: &Path, threads: &str) -> Result<Vec<Vec<u8>>, Box<dyn Error>> {
    let out = root.join(format!("reports-{threads}"));
    let start = Instant::now();
    let output = Command::new(std::env::current_exe()?)
        .current_dir(root)
        .args(["gate", "--jobs", threads, "--as-of", &AS_OF.to_string(), "--out"])
        .arg(&out)
        .output()?;
    let seconds = start.elapsed().as_secs_f64();
    let told = String::from_utf8_lossy(&output.stderr);
    let figures = told.lines().last().unwrap_or("no figures");
    println!("whole gate, {threads} threads: {seconds:.1} s, {}, {figures}", output.status);
    REPORTS.iter().map(|name| Ok(fs::read(out.join(name))?)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Bytes of a file that was read and hashed, and parsed where it is JSON.
fn parsed(file: &Path) -> std::io::Result<u64> {
    let bytes = fs::read(file)?;
    std::hint::black_box(Sha256::digest(&bytes));
    if file.extension().is_some_and(|extension| extension == "json" || extension == "jsonl") {
        for value in serde_json::Deserializer::from_slice(&bytes).into_iter::<serde_json::Value>() {
            std::hint::black_box(value?);
        }
    }
    Ok(bytes.len() as u64)
}

/// Processor seconds and peak memory of this process, where the system tells.
fn own_figures() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("unknown").trim();
    format!("processor {:.1} s, peak memory {peak}", processor_seconds())
}

/// User and system time of this process so far, where the system tells.
fn processor_seconds() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Fields 14 and 15 behind the name, which ends with a parenthesis, in hundredths of a second.
    let fields: Vec<&str> = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(f64::NAN);
    (ticks(11) + ticks(12)) / 100.0
}

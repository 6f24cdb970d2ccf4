//! What an import costs beside the floor: CPU and peak memory of `harness import` (read, hash, normalise; with `--store`
//! also copy) over a gigabyte of logs, and CPU of a loop of `serde_json::Value` per line over the same bytes with the same
//! threads.
//!
//! `cargo bench -p benches --bench import -- [--logs DIR] [--mib N] [--threads N] [--one-file] [--store]`
//!
//! The logs are repeated in a folder of their own until they fill the size, deduplication off. Each side runs in a process
//! of its own, so that the peak of one isn't the other's. Exit code 1 where a bound of the project doesn't hold.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use adapters::log::View;
use benches::{cpu_seconds, files, root};
use harness::import::{Destination, Progress, Settings, discover, import};
use serde_json::{Value, json};

/// Import against the loop, CPU seconds.
const MAX_RATIO: f64 = 1.5;
/// Peak of an import, MiB.
const MAX_PEAK: f64 = 512.0;

struct Options {
    logs: PathBuf,
    mib: u64,
    threads: usize,
    one_file: bool,
    store: bool,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let options = options(&arguments);
    match arguments.first().map(String::as_str) {
        Some("side") => side(&arguments[1], Path::new(&arguments[2]), &options),
        _ => compare(&options),
    }
}

fn options(arguments: &[String]) -> Options {
    let value = |name: &str| arguments.iter().position(|a| a == name).and_then(|at| arguments.get(at + 1));
    let number = |name: &str, default: u64| {
        value(name)
            .map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} {text}: no number")))
    };
    Options {
        logs: value("--logs").map_or_else(|| root().join("../shared/corpora"), PathBuf::from),
        mib: number("--mib", 1024),
        threads: number("--threads", 2) as usize,
        one_file: arguments.iter().any(|a| a == "--one-file"),
        store: arguments.iter().any(|a| a == "--store"),
    }
}

fn compare(options: &Options) -> ExitCode {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let logs = folder.path().join("logs");
    let bytes = repeat(options, &logs).unwrap_or_else(|error| panic!("{}: {error}", options.logs.display()));
    let run = |side: &str| -> Value {
        let mut command = Command::new(std::env::current_exe().expect("a running program has a file"));
        command.args(["side", side]).arg(&logs).args(["--threads", &options.threads.to_string()]);
        if options.store {
            command.arg("--store");
        }
        let output = command.output().expect("this program can run");
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{side}: {}", String::from_utf8_lossy(&output.stderr)))
    };
    let (floor, import) = (run("loop"), run("import"));
    let figure = |side: &Value, name: &str| side[name].as_f64().unwrap_or(f64::NAN);
    let ratio = figure(&import, "cpu_seconds") / figure(&floor, "cpu_seconds");
    let peak = figure(&import, "peak_mib");
    let holds = ratio <= MAX_RATIO && peak < MAX_PEAK;
    println!(
        "{}",
        json!({"schema": "import-cost/1", "bytes": bytes, "threads": options.threads, "stored": options.store,
            "loop": floor, "import": import, "ratio": ratio, "max_ratio": MAX_RATIO, "max_peak_mib": MAX_PEAK,
            "holds": holds})
    );
    ExitCode::from(u8::from(!holds))
}

/// Repeats every session below the logs until they fill the size; as one file, the longest session is repeated.
fn repeat(options: &Options, to: &Path) -> io::Result<u64> {
    fs::create_dir_all(to)?;
    let mut sessions: Vec<PathBuf> = files(&options.logs, "jsonl").into_iter().filter(is_session).collect();
    if sessions.is_empty() {
        return Err(io::Error::other("no sessions: pass --logs DIR"));
    }
    let size = |path: &PathBuf| path.metadata().map_or(0, |found| found.len());
    if options.one_file {
        sessions.sort_by_key(size);
        sessions.drain(..sessions.len() - 1);
    }
    let mut one = options.one_file.then(|| File::create(to.join("one.jsonl"))).transpose()?;
    let (mut bytes, mut round) = (0, 0);
    while bytes < options.mib << 20 {
        for (number, session) in sessions.iter().enumerate() {
            bytes += match &mut one {
                Some(one) => io::copy(&mut File::open(session)?, one)?,
                None => fs::copy(session, to.join(format!("{round:05}-{number:03}.jsonl")))?,
            };
        }
        round += 1;
    }
    Ok(bytes)
}

/// Whether the reader takes it; wire recordings and event streams lie beside.
fn is_session(path: &PathBuf) -> bool {
    File::open(path).is_ok_and(|file| adapters::log::read(BufReader::new(file), &Default::default()).is_ok())
}

fn side(name: &str, logs: &Path, options: &Options) -> ExitCode {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build().expect("threads");
    let start = Instant::now();
    let sessions = match name {
        "loop" => pool.install(|| parse(logs)),
        _ => pool.install(|| read(logs, options.store)),
    };
    let seconds = start.elapsed().as_secs_f64();
    let line = json!({"cpu_seconds": cpu_seconds(), "wall_seconds": seconds, "peak_mib": peak_mib(), "files": sessions});
    io::stdout().write_all(line.to_string().as_bytes()).expect("standard output is open");
    ExitCode::SUCCESS
}

/// The floor: each line becomes a `serde_json::Value`.
fn parse(logs: &Path) -> usize {
    use rayon::prelude::*;
    let parse = |path: &PathBuf| {
        let mut reader = BufReader::with_capacity(128 << 10, File::open(path).expect("a file of ours"));
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).expect("a file of ours") > 0 {
            let value: Result<Value, _> = serde_json::from_slice(&line);
            std::hint::black_box(value.is_ok());
            line.clear();
        }
    };
    let files = files(logs, "jsonl");
    files.par_iter().for_each(parse);
    files.len()
}

fn read(logs: &Path, store: bool) -> usize {
    let found = discover(&[logs.to_owned()], None);
    let out = tempfile::tempdir_in(logs.parent().expect("logs lie in a folder")).expect("a temporary folder");
    let destination = store.then(|| Destination::open(&out.path().join("out")).expect("an empty folder"));
    let settings =
        Settings { format: None, max_blob: 1 << 20, each_alone: true, redaction: None, verify: false };
    let progress = Progress { bytes: &|_| {}, file: &|_| {} };
    let run = import(&found, destination.as_ref(), &settings, View::Agent, &progress).expect("imports");
    assert_eq!(run.failed, []);
    run.sessions().len()
}

/// Highest resident memory of this process: `VmHWM` of `/proc/self/status`.
fn peak_mib() -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("");
    line.trim().trim_end_matches(" kB").parse::<f64>().map_or(f64::NAN, |kib| kib / 1024.0)
}

//! What indexing a project costs beside the sum of its parts over the same files in the same run; then an unchanged refresh and
//! one of a single changed file.
//!
//! `cargo bench -p benches --bench index -- [--root DIR] [--threads N] [--runs N]`
//!
//! The parts, one after the other, each on as many threads as the index (two busy threads may share what one has for itself, and
//! then take more CPU time for the same work), and both once more on one thread:
//! * reading: every file that the index looks at, once;
//! * SHA-256 of its bytes;
//! * a tree-sitter parse of every file whose language has a grammar here, with the same grammars as the index. No query, no
//!   symbols, no imports, no uses;
//! * FTS5: the text of every file as one row of path and body, as SQLite ships it, in one transaction on one thread. No
//!   splitting of identifiers, no rows beside it.
//!
//! The indexed files are copied first: nothing is written below the root. Each side runs in a process of its own, several times
//! in turn: parts, index, parts. An index is set against the parts before and behind it, since the speed of a machine drifts, and
//! the median of these ratios counts, as does the median of every time. Exit code 1 where a bound of the project doesn't hold.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::fs;
use std::hint::black_box;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Instant;

use benches::{cpu_seconds, root};
use engine::project::{ExcludePolicy, Index, Language, Limits, discover};
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tree_sitter::Parser;

/// Cold index against the sum of the parts, CPU seconds.
const MAX_OF_PARTS: f64 = 1.5;
/// Wall time of the cold index on two threads against its CPU time.
const MAX_WALL: f64 = 0.65;
/// Unchanged refresh against the cold index, CPU seconds.
const MAX_UNCHANGED: f64 = 0.05;
/// Refresh after one file changed, milliseconds.
const MAX_CHANGED_MS: f64 = 50.0;

/// Refreshes of each kind that are timed; the median counts.
const REPEATS: usize = 5;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let value = |name: &str| arguments.iter().position(|a| a == name).and_then(|at| arguments.get(at + 1));
    let threads: usize = value("--threads")
        .map_or(2, |text| text.parse().unwrap_or_else(|_| panic!("--threads {text}: no number")));
    match arguments.first().map(String::as_str) {
        Some("side") => side(&arguments[1], Path::new(&arguments[2]), threads),
        _ => {
            let runs = value("--runs")
                .map_or(5, |text| text.parse().unwrap_or_else(|_| panic!("--runs {text}: no number")));
            let root = value("--root").map_or_else(|| root().join("scenarios/repos"), PathBuf::from);
            compare(&root, threads, runs)
        }
    }
}

fn compare(root: &Path, threads: usize, runs: usize) -> ExitCode {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let project = folder.path().join("project");
    let bytes = copy(root, &project).unwrap_or_else(|error| panic!("{}: {error}", root.display()));
    let run = |side: &str, threads: usize| -> Value {
        let mut command = Command::new(std::env::current_exe().expect("a running program has a file"));
        command.args(["side", side]).arg(&project).args(["--threads", &threads.to_string()]);
        let output = command.output().expect("this program can run");
        serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{side}: {}", String::from_utf8_lossy(&output.stderr)))
    };
    let (mut both, mut on_one) = (Sides::default(), Sides::default());
    for _ in 0..runs {
        for (sides, threads) in [(&mut both, threads), (&mut on_one, 1)] {
            sides.parts.push(run("parts", threads));
            sides.cold.push(run("cold", threads));
            sides.parts.push(run("parts", threads));
        }
    }
    let warm = run("warm", threads);
    let (of_parts, of_parts_on_one) = (both.cold_of_parts(), on_one.cold_of_parts());
    let wall =
        median(both.cold.iter().map(|cold| figure(cold, "wall_seconds") / figure(cold, "cpu_seconds")));
    let unchanged = figure(&warm, "unchanged_cpu_seconds") / figure(&medians(&both.cold), "cpu_seconds");
    let changed = figure(&warm, "changed_ms");
    let holds = of_parts <= MAX_OF_PARTS
        && of_parts_on_one <= MAX_OF_PARTS
        && (threads != 2 || wall <= MAX_WALL)
        && unchanged <= MAX_UNCHANGED
        && changed <= MAX_CHANGED_MS;
    println!(
        "{}",
        json!({"schema": "index-cost/3", "bytes": bytes, "threads": threads, "runs": runs,
            "parts": medians(&both.parts), "cold": medians(&both.cold),
            "parts_on_one_thread": medians(&on_one.parts), "cold_on_one_thread": medians(&on_one.cold),
            "warm": warm, "of_parts": of_parts, "of_parts_on_one_thread": of_parts_on_one,
            "all_of_parts": both.ratios(), "all_of_parts_on_one_thread": on_one.ratios(),
            "max_of_parts": MAX_OF_PARTS, "wall_of_cpu": wall, "max_wall_of_cpu": MAX_WALL,
            "unchanged_of_cold": unchanged, "max_unchanged_of_cold": MAX_UNCHANGED,
            "max_changed_ms": MAX_CHANGED_MS, "holds": holds})
    );
    ExitCode::from(u8::from(!holds))
}

/// What runs in turn told; two runs of the parts for one of the index, which lies between them.
#[derive(Default)]
struct Sides {
    parts: Vec<Value>,
    cold: Vec<Value>,
}

impl Sides {
    /// CPU time of each index against the mean of the parts before and behind it, sorted.
    fn ratios(&self) -> Vec<f64> {
        let around = self
            .parts
            .chunks(2)
            .map(|two| two.iter().map(|parts| figure(parts, "cpu_seconds")).sum::<f64>() / two.len() as f64);
        let mut all: Vec<f64> =
            self.cold.iter().zip(around).map(|(cold, parts)| figure(cold, "cpu_seconds") / parts).collect();
        all.sort_by(f64::total_cmp);
        all
    }

    fn cold_of_parts(&self) -> f64 {
        median(self.ratios().into_iter())
    }
}

fn figure(side: &Value, name: &str) -> f64 {
    side[name].as_f64().unwrap_or(f64::NAN)
}

/// The median; the mean of both in the middle of an even number.
fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let at = |at: usize| values.get(at).copied().unwrap_or(f64::NAN);
    f64::midpoint(at(values.len().saturating_sub(1) / 2), at(values.len() / 2))
}

/// The median of every figure of some runs.
fn medians(runs: &[Value]) -> Value {
    let names = runs.first().and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name);
    let of = |name: &String| Value::from(median(runs.iter().map(|run| figure(run, name))));
    names.map(|name| (name.clone(), of(name))).collect()
}

/// Paths that the engine would look at, sorted.
fn indexed(root: &Path) -> Vec<String> {
    let found =
        discover(root, &ExcludePolicy::built_in_only(), Limits::default()).expect("the root can be walked");
    found.found.into_iter().map(|file| file.path).collect()
}

fn copy(root: &Path, to: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for path in indexed(root) {
        let file = to.join(&path);
        fs::create_dir_all(file.parent().unwrap_or(to))?;
        bytes += fs::copy(root.join(&path), file)?;
    }
    Ok(bytes)
}

fn side(name: &str, project: &Path, threads: usize) -> ExitCode {
    // The engine's own parallelism is rayon's: the global pool decides its threads.
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()
        .expect("the first pool of this process");
    let figures = match name {
        "parts" => parts(project, threads),
        "cold" => cold(project),
        _ => warm(project),
    };
    io::stdout().write_all(figures.to_string().as_bytes()).expect("standard output is open");
    ExitCode::SUCCESS
}

/// CPU seconds that a step took.
fn timed<T>(step: impl FnOnce() -> T) -> (f64, T) {
    let before = cpu_seconds();
    let result = step();
    (cpu_seconds() - before, result)
}

fn parts(project: &Path, threads: usize) -> Value {
    let paths = indexed(project);
    let (reading, texts) = timed(|| {
        spread(threads, &paths, |path| (path.clone(), fs::read(project.join(path)).expect("a file of ours")))
    });
    let (hashing, _) = timed(|| spread(threads, &texts, |(_, bytes)| black_box(Sha256::digest(bytes))));
    let mut texts: Vec<(String, String)> = texts
        .into_iter()
        .filter_map(|(path, bytes)| String::from_utf8(bytes).ok().map(|text| (path, text)))
        .collect();
    texts.sort();
    let (parsing, parsed) = timed(|| spread(threads, &texts, |(path, text)| parse(path, text)));
    let parsed = parsed.into_iter().filter(|has_grammar| *has_grammar).count();
    let (inserting, ()) = timed(|| insert(&texts));
    json!({"cpu_seconds": reading + hashing + parsing + inserting, "reading": reading, "sha256": hashing,
        "tree_sitter": parsing, "fts5": inserting, "files": texts.len(), "parsed": parsed})
}

/// Does something for each, every thread for each so many-th of them.
fn spread<T: Sync, R: Send>(threads: usize, all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let work = &work;
    thread::scope(|scope| {
        let of = |first| scope.spawn(move || all.iter().skip(first).step_by(threads).map(work).collect());
        let running: Vec<thread::ScopedJoinHandle<'_, Vec<R>>> = (0..threads).map(of).collect();
        running.into_iter().flat_map(|part| part.join().expect("no part panics")).collect()
    })
}

/// Parses a file with its grammar; `false` where it has none here.
fn parse(path: &str, text: &str) -> bool {
    let grammar = match Language::of_path(path).map(Language::code) {
        Some("typescript") => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        Some("tsx") => tree_sitter_typescript::LANGUAGE_TSX,
        Some("javascript") => tree_sitter_javascript::LANGUAGE,
        Some("python") => tree_sitter_python::LANGUAGE,
        Some("go") => tree_sitter_go::LANGUAGE,
        Some("rust") => tree_sitter_rust::LANGUAGE,
        Some("java") => tree_sitter_java::LANGUAGE,
        Some("c") => tree_sitter_c::LANGUAGE,
        Some("cpp") => tree_sitter_cpp::LANGUAGE,
        Some("csharp") => tree_sitter_c_sharp::LANGUAGE,
        Some("kotlin") => tree_sitter_kotlin_ng::LANGUAGE,
        Some("swift") => tree_sitter_swift::LANGUAGE,
        Some("dart") => tree_sitter_dart::LANGUAGE,
        Some("ruby") => tree_sitter_ruby::LANGUAGE,
        Some("php") => tree_sitter_php::LANGUAGE_PHP,
        Some("elixir") => tree_sitter_elixir::LANGUAGE,
        Some("lua") => tree_sitter_lua::LANGUAGE,
        Some("sql") => tree_sitter_sequel::LANGUAGE,
        Some("bash") => tree_sitter_bash::LANGUAGE,
        _ => return false,
    };
    let mut parser = Parser::new();
    parser.set_language(&grammar.into()).expect("grammars are built for this library");
    black_box(parser.parse(text, None)).is_some()
}

/// Puts whole files into a table of SQLite's full-text search as it ships.
fn insert(texts: &[(String, String)]) {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let mut db = Connection::open(folder.path().join("fts.sqlite")).expect("a new database");
    db.pragma_update(None, "journal_mode", "WAL").expect("a new database");
    db.execute_batch("CREATE VIRTUAL TABLE files USING fts5 (path, body)").expect("FTS5 is built in");
    let transaction = db.transaction().expect("a new database");
    {
        let mut insert =
            transaction.prepare("INSERT INTO files VALUES (?1, ?2)").expect("the table's columns");
        for (path, text) in texts {
            insert.execute(params![path, text]).expect("text goes into the table");
        }
    }
    transaction.commit().expect("a new database");
}

fn open(state: &Path) -> Index {
    Index::open(state, ExcludePolicy::built_in_only()).expect("a new state folder")
}

fn cold(project: &Path) -> Value {
    let state = tempfile::tempdir().expect("a temporary folder can be made");
    let start = Instant::now();
    let (cpu, report) =
        timed(|| open(&state.path().join("state")).refresh(project).expect("the copy can be indexed"));
    let wall = start.elapsed().as_secs_f64();
    json!({"cpu_seconds": cpu, "wall_seconds": wall, "files": report.files, "symbols": report.symbols})
}

fn warm(project: &Path) -> Value {
    let state = tempfile::tempdir().expect("a temporary folder can be made");
    let mut index = open(&state.path().join("state"));
    index.refresh(project).expect("the copy can be indexed");
    let unchanged = timed(|| {
        for _ in 0..REPEATS {
            let report = index.refresh(project).expect("the copy can be indexed");
            assert_eq!(report.changed, 0);
        }
    });
    // The file of middling size: the smallest costs nothing, the largest is one of its kind.
    let mut paths = indexed(project);
    paths.retain(|path| Language::of_path(path).is_some());
    paths.sort_by_key(|path| fs::metadata(project.join(path)).map_or(0, |file| file.len()));
    let changed = project.join(&paths[paths.len() / 2]);
    let mut millis: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let mut file = fs::OpenOptions::new().append(true).open(&changed).expect("a file of ours");
            file.write_all(b"\n").expect("a file of ours");
            drop(file);
            let start = Instant::now();
            let report = index.refresh(project).expect("the copy can be indexed");
            assert_eq!(report.changed, 1);
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    millis.sort_by(f64::total_cmp);
    json!({"unchanged_cpu_seconds": unchanged.0 / REPEATS as f64, "changed_ms": millis[REPEATS / 2]})
}

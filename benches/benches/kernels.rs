//! Kernels, each beside the peer or the floor it is held against.

use std::fs;
use std::hint::black_box;
use std::io::Cursor;

use adapters::log::{self, ReadOptions};
use benches::{files, root};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use engine::project::{ExcludePolicy, Index};
use engine::retrieve::{PackBudget, pack, search};
use engine::tokens::{ByteClass, O200k, TokenCounter};
use verdict::{Better, Claim, Estimand, Settings, Unit, assess};

/// Reading sessions against plain `serde_json` of the same bytes.
fn sessions(c: &mut Criterion) {
    let logs: Vec<Vec<u8>> = files(&root().join("corpora"), "jsonl")
        .into_iter()
        .filter(|path| path.components().any(|part| part.as_os_str() == "sessions"))
        .filter_map(|path| fs::read(path).ok())
        .collect();
    assert!(!logs.is_empty(), "no recorded session under corpora/: record or fetch a corpus first");
    let mut group = c.benchmark_group("sessions");
    group.throughput(Throughput::Bytes(logs.iter().map(|log| log.len() as u64).sum()));
    group.bench_function("pi reader", |b| {
        b.iter(|| {
            for log in &logs {
                black_box(log::read(Cursor::new(log), &ReadOptions::default()).expect("a session"));
            }
        });
    });
    group.bench_function("serde_json::Value per line", |b| {
        b.iter(|| {
            for line in logs.iter().flat_map(|log| log.split(|byte| *byte == b'\n')).filter(|l| !l.is_empty())
            {
                black_box(serde_json::from_slice::<serde_json::Value>(line).expect("a line"));
            }
        });
    });
    group.finish();
}

/// Counting tokens: the exact vocabulary against the byte-class estimate.
fn tokens(c: &mut Criterion) {
    let text: String = files(&root().join("scenarios/repos"), "py")
        .into_iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .collect();
    let mut group = c.benchmark_group("tokens");
    group.throughput(Throughput::Bytes(text.len() as u64));
    let counters: [&dyn TokenCounter; 2] = [&O200k, &ByteClass];
    for counter in counters {
        group.bench_function(counter.id(), |b| b.iter(|| black_box(counter.text(&text))));
    }
    group.finish();
}

/// Indexing, searching and packing the four shipped repositories.
fn project(c: &mut Criterion) {
    let repos = root().join("scenarios/repos");
    let task = "tax on invoices with many small lines is a cent off";
    let indexed = || {
        let mut index = Index::in_memory(ExcludePolicy::built_in_only()).expect("memory");
        index.refresh(&repos).expect("the shipped repositories can be indexed");
        index
    };
    let mut group = c.benchmark_group("project");
    group.sample_size(20);
    group.bench_function("cold index", |b| b.iter(|| black_box(indexed())));
    let mut index = indexed();
    group.bench_function("unchanged refresh", |b| {
        b.iter(|| black_box(index.refresh(&repos).expect("refresh")))
    });
    group.bench_function("search", |b| b.iter(|| black_box(search(&index, task, 20).expect("search"))));
    group.bench_function("pack of 1,400 tokens", |b| {
        b.iter(|| black_box(pack(&index, task, PackBudget::tokens(1_400), &[], &O200k).expect("pack")));
    });
    group.finish();
}

/// One criterion with its resamples.
fn statistics(c: &mut Criterion) {
    let mut group = c.benchmark_group("statistics");
    group.sample_size(10);
    for scenarios in [100_usize, 1_000] {
        let units: Vec<Unit> = (0..scenarios)
            .map(|n| {
                let wave = |k: usize| 1.0 + ((n * 7 + k * 3) % 11) as f64 / 10.0;
                let (a, b) = ([wave(0), wave(1), wave(2)], [wave(3), wave(4), wave(5)]);
                Unit::complete(format!("s{n}"), format!("r{n}"), &a, &b)
            })
            .collect();
        let criterion = verdict::Criterion {
            id: "cost".into(),
            claim: Claim::Superiority { at_least: 0.0 },
            estimand: Estimand::GeometricRatio,
            better: Better::Lower,
            alpha: 0.025,
            scenarios,
            range: None,
        };
        group.bench_with_input(BenchmarkId::new("assess", scenarios), &units, |b, units| {
            b.iter(|| black_box(assess(&criterion, units, &Settings::new(1)).expect("units")));
        });
    }
    group.finish();
}

criterion_group!(kernels, sessions, tokens, project, statistics);
criterion_main!(kernels);

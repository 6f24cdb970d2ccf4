//! Files cut and changed at random: nothing panics, and no sum of billed tokens changes without a warning.
//!
//! What can't be known is stated: a digit of a figure that the format tells once and never adds up can change unseen.
//! [`UNCHECKED`] lists those figures; docs/fuzzing.md says why. Every other change must be noticed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use adapters::log::{self, Content, FaultCode, Format, ReadOptions, SessionLog, UsageTotals, View};

use super::table::corpus;
use crate::support::shared;

/// Figures without a second one to check them by.
const UNCHECKED: [(Format, &[&str]); 4] = [
    (Format::Pi, &["reasoning", "cacheWrite1h"]),
    (Format::Claude, &["input_tokens", "cache_read_input_tokens", "output_tokens"]),
    (Format::Codex, &[]),
    (Format::Dsh, &["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"]),
];

/// One sound log a format: those of the corpus of faults, a recorded one of Pi's that ships, and real ones where they
/// are at hand.
fn logs() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = ["pi", "claude", "codex", "dsh"]
        .iter()
        .map(|format| corpus().join(format!("00-sound.{format}.jsonl")))
        .collect();
    paths.push(corpus().join("../scripted-pi/sessions/meteo-upload-key/native-0.jsonl"));
    if let Some(root) = shared("corpora") {
        paths.extend(
            [
                "pi-recorded/rec1-anthropic-print.session.jsonl",
                "claude/spotter-tool_heavy.jsonl",
                "codex/codemie-rollout-2026-01-02T18-39-45-019b7f94-51b4-7593-922e-ba12b5b73b52.jsonl",
            ]
            .map(|file| root.join(file)),
        );
    }
    paths
}

/// What was billed in both views, and how many requests there are.
#[derive(Debug, PartialEq)]
struct Sums {
    requests: [(u64, u64); 2],
    billed: [[[u64; 6]; 2]; 2],
    /// Costs as text: sums of doubles in another order differ in their last digits.
    costs: [[Option<String>; 2]; 2],
}

fn sums(log: &SessionLog) -> Sums {
    let stats = [View::Agent, View::Salvaged].map(|view| log.stats(view));
    let counts = |usage: &UsageTotals| {
        let UsageTotals { input, output, cache_read, cache_write, cache_write_1h, reasoning, .. } = *usage;
        [input, output, cache_read, cache_write, cache_write_1h, reasoning]
    };
    let cost = |usage: &UsageTotals| usage.cost.map(|cost| format!("{cost:.9e}"));
    Sums {
        requests: stats.map(|stats| (stats.requests, stats.known_requests)),
        billed: stats.map(|stats| [counts(&stats.usage), counts(&stats.extra_usage)]),
        costs: stats.map(|stats| [cost(&stats.usage), cost(&stats.extra_usage)]),
    }
}

fn read(bytes: &[u8]) -> Option<SessionLog> {
    log::read(bytes, &ReadOptions { content: Content::Outline, ..ReadOptions::default() }).ok()
}

/// Whether `log` says something that `base` doesn't.
fn tells_more(log: &SessionLog, base: &SessionLog) -> bool {
    let count = |log: &SessionLog| {
        let mut counts: BTreeMap<(u64, FaultCode), u32> = BTreeMap::new();
        for warning in &log.warnings {
            *counts.entry((warning.line, warning.code)).or_default() += 1;
        }
        counts
    };
    let base = count(base);
    count(log).into_iter().any(|(key, count)| base.get(&key).is_none_or(|known| count > *known))
}

/// SplitMix64: the same changes in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Whether a place lies in a number that follows one of the names.
fn in_figure(bytes: &[u8], at: usize, names: &[&str]) -> bool {
    let is_number = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'e' | b'E' | b'+');
    if !is_number(bytes[at]) {
        return false;
    }
    let start = bytes[..at].iter().rposition(|byte| !is_number(*byte)).map_or(0, |before| before + 1);
    names.iter().any(|name| bytes[..start].ends_with(format!("\"{name}\":").as_bytes()))
}

fn shown(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

#[test]
fn a_log_cut_at_each_of_its_last_bytes_counts_what_stands_before_the_cut_line() {
    for path in logs() {
        let bytes = std::fs::read(&path).unwrap();
        let mut whole_lines = usize::MAX;
        let mut read_lines = None;
        for end in bytes.len().saturating_sub(2000)..=bytes.len() {
            let at = || format!("{} cut at byte {end}", shown(&path));
            let lines_end = bytes[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
            if std::mem::replace(&mut whole_lines, lines_end) != lines_end {
                read_lines = read(&bytes[..lines_end]);
            }
            let Some(base) = &read_lines else { continue };
            let cut = read(&bytes[..end]).unwrap_or_else(|| panic!("{} is refused", at()));
            let tail = &bytes[whole_lines..end];
            if serde_json::from_slice::<serde::de::IgnoredAny>(tail).is_ok() {
                let ended = read(&[&bytes[..end], b"\n"].concat()).expect("the same lines");
                assert_eq!(sums(&cut), sums(&ended), "{}", at());
                continue;
            }
            assert_eq!(sums(&cut), sums(base), "{}", at());
            assert_eq!(cut.tree, base.tree, "{}", at());
            let torn = cut.warnings.iter().any(|warning| warning.code == FaultCode::TornTail);
            assert!(torn || tail.is_empty(), "{}: no warning", at());
        }
    }
}

#[test]
fn one_changed_byte_never_changes_a_sum_unnoticed() {
    for path in logs() {
        let sound = std::fs::read(&path).unwrap();
        let base = read(&sound).unwrap();
        let format = base.format.unwrap();
        let unchecked =
            UNCHECKED.iter().find(|(known, _)| *known == format).map(|(_, names)| *names).unwrap();
        let mut random = Random(7);
        for _ in 0..1000 {
            let (at, byte) = (random.below(sound.len()), random.next() as u8);
            check_change(&path, &sound, &base, at, byte, unchecked);
        }
    }
}

/// The same for every byte of those lines of the small logs that tell billed tokens.
#[test]
fn no_byte_of_a_small_log_changes_a_sum_unnoticed() {
    for path in logs().iter().filter(|path| path.starts_with(corpus())) {
        let sound = std::fs::read(path).unwrap();
        let base = read(&sound).unwrap();
        assert_eq!(base.warnings, [], "{}", shown(path));
        let unchecked =
            UNCHECKED.iter().find(|(known, _)| Some(*known) == base.format).map(|(_, names)| *names).unwrap();
        let mut start = 0;
        for line in sound.split_inclusive(|byte| *byte == b'\n') {
            let tells =
                ["usage", "Usage"].iter().any(|name| memchr::memmem::find(line, name.as_bytes()).is_some());
            for at in (start..start + line.len()).filter(|_| tells) {
                check_change(path, &sound, &base, at, sound[at] ^ 1, unchecked);
                check_change(path, &sound, &base, at, b'1', unchecked);
            }
            start += line.len();
        }
    }
}

fn check_change(path: &Path, sound: &[u8], base: &SessionLog, at: usize, byte: u8, unchecked: &[&str]) {
    let mut changed = sound.to_vec();
    changed[at] = byte;
    // A log that is refused is no wrong sum.
    let Some(log) = read(&changed) else { return };
    if sums(&log) != sums(base) && !tells_more(&log, base) {
        let unknowable = in_figure(sound, at, unchecked) || in_figure(&changed, at, unchecked);
        let near = String::from_utf8_lossy(&changed[at.saturating_sub(40)..(at + 20).min(changed.len())])
            .into_owned();
        assert!(unknowable, "{}: byte {at} to {byte:#04x} changed a sum unseen: …{near}…", shown(path));
    }
}

#[test]
fn a_thousand_changed_bytes_are_read_and_the_intact_requests_counted() {
    for path in logs() {
        let sound = std::fs::read(&path).unwrap();
        let base = read(&sound).unwrap();
        let mut random = Random(11);
        for _ in 0..5 {
            let mut changed = sound.clone();
            for _ in 0..1000 {
                // The line feeds stay, so that lines can be compared one by one, and the header, so that it is a session.
                let at = random.below(sound.len());
                let byte = random.next() as u8;
                let in_header = at <= sound.iter().position(|byte| *byte == b'\n').unwrap();
                if sound[at] != b'\n' && byte != b'\n' && !in_header {
                    changed[at] = byte;
                }
            }
            let lines =
                |bytes: &[u8]| bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
            let intact: Vec<bool> =
                lines(&sound).iter().zip(lines(&changed)).map(|(sound, changed)| *sound == changed).collect();
            let log = read(&changed).unwrap_or_else(|| panic!("{} is refused", shown(&path)));
            let told = |line: u64| log.warnings.iter().any(|warning| warning.line == line);
            for request in &base.requests {
                let kept =
                    log.requests.iter().any(|kept| kept.line == request.line && kept.usage == request.usage);
                let is_intact = intact[request.line as usize - 1];
                let any_told = !log.warnings.is_empty();
                assert!(
                    kept || told(request.line) || (is_intact && any_told),
                    "{} line {}: lost without a warning",
                    shown(&path),
                    request.line
                );
            }
        }
    }
}

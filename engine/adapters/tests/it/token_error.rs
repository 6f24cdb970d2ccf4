//! The error that `engine::tokens` documents for its byte-class counter, measured again on real sessions.

use std::fs::File;
use std::io::BufReader;

use adapters::log::{self, ReadOptions};
use engine::session::EntryKind;
use engine::tokens::{ByteClass, O200k, TokenCounter};

use crate::support::shared;

#[test]
fn the_byte_class_estimate_is_as_far_off_as_documented() {
    let Some(folder) = shared("corpora/pi") else { return };
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let (mut estimated, mut exact) = (0, 0);
    let mut ratios = Vec::new();
    for path in paths {
        let session = log::read(BufReader::new(File::open(path).unwrap()), &ReadOptions::default()).unwrap();
        for entry in &session.tree.entries {
            let EntryKind::Message(message) = &entry.kind else { continue };
            let text = message.text();
            let (ours, theirs) = (ByteClass.text(&text), O200k.text(&text));
            estimated += ours;
            exact += theirs;
            if theirs >= 64 {
                ratios.push(ours as f64 / theirs as f64);
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    let quantile = |share: f64| ratios[(share * (ratios.len() - 1) as f64) as usize];
    let total = estimated as f64 / exact as f64;
    eprintln!(
        "{} tokens, sum {total:.3}, p5 {:.3}, p50 {:.3}, p95 {:.3}",
        exact,
        quantile(0.05),
        quantile(0.5),
        quantile(0.95)
    );
    assert!((0.95..0.97).contains(&total), "{total}");
    assert!(quantile(0.05) > 0.70 && quantile(0.95) < 1.18, "{} {}", quantile(0.05), quantile(0.95));
    assert!((0.94..0.95).contains(&quantile(0.5)), "{}", quantile(0.5));
}

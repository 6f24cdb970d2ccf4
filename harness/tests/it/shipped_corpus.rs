//! The corpora that ship with the project: nothing in them contradicts itself, and their known-bad arms are seen.

use std::path::Path;

use harness::metric::Metric;
use verdict::Severity;

use crate::measuring::measure;

#[test]
fn the_shipped_corpus_is_sound_replays_identically_and_shows_the_known_bad_arm() {
    check("scripted-pi", "auto-context", 0.2);
}

#[test]
fn the_shipped_corpus_of_the_ranking_is_sound_replays_identically_and_shows_the_known_bad_arm() {
    check("scripted-pi-ranking", "learned-ranker", 0.0);
}

/// Checks a corpus as evidence for a feature, whose known-bad arm must lose more gold recall than `lead`.
fn check(corpus: &str, feature: &str, lead: f64) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folder = root.join("corpora").join(corpus);
    let (arms, measured) = measure(&root.join("scenarios"), &folder, feature, None);
    let invalid: Vec<_> =
        measured.faults.iter().filter(|fault| fault.severity() == Severity::Invalid).collect();
    assert!(invalid.is_empty(), "{invalid:#?}");
    assert_eq!(measured.determinism.failed, 0);
    assert!(measured.determinism.requests > 0);
    let mean = |metric: Metric, variant: &str| {
        let rows = measured.frame.rows().filter(|row| row.metric == metric && row.variant == variant);
        let values: Vec<f64> = rows.map(|row| row.value).collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let (candidate, known_bad) =
        (mean(Metric::GoldRecall, &arms.candidate), mean(Metric::GoldRecall, &arms.known_bad));
    assert!(candidate > known_bad + lead, "gold recall {candidate} against {known_bad}");
    for metric in Metric::SAFETY {
        assert!(mean(metric, &arms.candidate) == 0.0, "{}", metric.id());
    }
}

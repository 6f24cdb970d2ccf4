//! What a corpus says of itself, beside its values.

use std::collections::BTreeSet;

use super::document;
use crate::corpus::{Corpus, Fault, FaultCode, Row, Scope};
use crate::measure::Regraded;
use crate::qualify::asked;
use crate::variant::{Arms, Feature};

/// A campaign shows what its runs show to every feature whose arms it has, but it was registered for one alone.
pub(super) fn recorded_for_another(corpus: &Corpus, feature: &Feature) -> Option<Fault> {
    let registered = &corpus.manifest.feature;
    (*registered != feature.id).then(|| {
        let message =
            format!("the campaign was recorded for feature {registered}: record one for {}", feature.id);
        Fault::new(FaultCode::NotPreregistered, Scope::default(), message)
    })
}

/// Hashes of the sessions that the rows name; one that is no hash is told where the session is read.
pub(super) fn sessions(corpus: &Corpus) -> Vec<u128> {
    let half = |row: &Row| u128::from_str_radix(row.result()?.sha256.get(..32)?, 16).ok();
    corpus.rows.values().filter_map(half).collect()
}

/// Learned models that an arm's rows name.
pub(super) fn models(corpus: &Corpus, arm: &str) -> BTreeSet<String> {
    corpus
        .of_variant(arm)
        .filter_map(|row| row.result()?.model_artifact_sha256.as_deref().map(str::to_owned))
        .collect()
}

/// Scheduled and missing runs of each arm.
pub(super) fn attendance(corpus: &Corpus, arms: &Arms) -> Vec<document::Attendance> {
    let schedule = &corpus.manifest.schedule;
    let of = |arm: &str| {
        let runs = schedule.scenarios.len() * schedule.repetitions as usize;
        let scheduled = if schedule.variants.contains(arm) { runs } else { 0 };
        let present = corpus.of_variant(arm).filter(|row| counts(corpus, row)).count();
        document::Attendance { arm: arm.to_owned(), scheduled, missing: scheduled - present }
    };
    arms.all().map(of).to_vec()
}

/// Whether a row is of a scheduled run that has a result.
fn counts(corpus: &Corpus, row: &Row) -> bool {
    row.result().is_some() && corpus.manifest.schedule.contains(&row.key)
}

/// What the document says of a corpus.
pub(super) fn facts(corpus: &Corpus, graders: Option<&Regraded>) -> document::Corpus {
    let schedule = &corpus.manifest.schedule;
    let scheduled = schedule.runs();
    let present = corpus.rows.values().filter(|row| counts(corpus, row)).count();
    let mut tiers: BTreeSet<String> =
        corpus.rows.values().filter_map(|row| row.result()).map(|row| row.tier.to_string()).collect();
    tiers.insert(corpus.manifest.tier.as_str().to_owned());
    document::Corpus {
        name: corpus.manifest.name.clone(),
        sha256: corpus.sha256.clone(),
        runs: scheduled,
        missing: scheduled - present,
        scenarios: schedule.scenarios.len(),
        tiers: tiers.into_iter().collect(),
        graders: document::Graders {
            run_again: graders.is_some(),
            checked: graders.map_or(0, |regraded| regraded.checked),
            skipped: graders
                .map_or(0, |regraded| regraded.skipped.values().map(|runs| u64::from(*runs)).sum()),
            asked: asked(corpus),
        },
    }
}

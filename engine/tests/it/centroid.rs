//! The linear ranking of a published format: its vectors, its labels, its refusals.

use engine::learn::Mode;
use engine::learn::centroid::{
    Candidate, CentroidError, CentroidModel, Classification, Features, Label, LabelSource,
    PromotionCandidate, PromotionFixture, PromotionLimits, RankOptions, RankingFeedback, SourceKind, Status,
    TrainingError, evaluate_promotion, identity_hash, rank_candidates, read_labels, train, write_label,
};

fn features(static_score: f64, exact: f64) -> Features {
    let mut values = [0.5; 10];
    (values[0], values[1], values[7]) = (static_score, exact, 1.0);
    Features::clamped(SourceKind::Project, values)
}

fn label(id: &str, label: Label, static_score: f64, exact: f64) -> RankingFeedback {
    RankingFeedback {
        id: id.to_owned(),
        created_at: 1_000,
        repository_hash: identity_hash(if id.ends_with('1') { "one" } else { "two" }),
        candidate_key_hash: identity_hash(id),
        source: LabelSource::Feedback,
        label,
        classification: Classification::Normal,
        features: features(static_score, exact),
    }
}

fn labels() -> Vec<RankingFeedback> {
    vec![
        label("useful:1", Label::Useful, 0.2, 1.0),
        label("useful:2", Label::Useful, 0.25, 1.0),
        label("irrelevant:1", Label::Irrelevant, 0.9, 0.0),
        label("irrelevant:2", Label::Irrelevant, 0.85, 0.0),
    ]
}

fn model() -> CentroidModel {
    train(&labels(), 1_000, 4).unwrap()
}

/// Vector V6 of the format: identifier and checksum of four labels.
#[test]
fn the_published_vector_is_reproduced() {
    let model = model();
    assert_eq!(model.weights().features[..2], [-2.6, 4.0]);
    assert!(model.weights().features[2..].iter().all(|weight| *weight == 0.0));
    assert_eq!((model.weights().bias, model.weights().source_kinds), (0.0, [0.0; 3]));
    assert_eq!(model.id(), "ranking-3f2d0fee67843ba6");
    assert_eq!(model.checksum(), "82fefdb791304d2ecd60cfb113b37b95e9889eb0e4b08258556b4e11f8ec4ee8");
    assert_eq!(CentroidModel::parse(&model.to_text()).unwrap(), model);
}

#[test]
fn the_order_of_labels_and_repeated_ones_change_nothing() {
    let mut shuffled = labels();
    shuffled.reverse();
    shuffled.extend(labels());
    assert_eq!(train(&shuffled, 1_000, 4).unwrap().to_text(), model().to_text());
}

#[test]
fn what_can_not_be_trained_says_why() {
    assert_eq!(train(&labels(), 0, 1).unwrap_err(), TrainingError::Minimum(1));
    assert_eq!(train(&labels(), 0, 20).unwrap_err(), TrainingError::TooFew { found: 4, minimum: 20 });
    let one_sided = &labels()[..2];
    let refused = train(one_sided, 0, 2).unwrap_err();
    assert_eq!(refused, TrainingError::OneSided { useful: 2, irrelevant: 0 });
}

#[test]
fn any_change_of_an_artefact_is_refused() {
    let text = model().to_text();
    for (from, to, altered) in [
        ("\"exactScore\":4", "\"exactScore\":5", true),
        ("\"createdAt\":1000", "\"createdAt\":1001", true),
        ("\"exactScore\":4", "\"exactScore\":17", false),
        ("\"bias\":0", "\"bias\":0,\"extra\":1", false),
        ("bounded-linear-centroid-v1", "bounded-linear-centroid-v2", false),
        ("\"recency\":0,", "", false),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        let refused = CentroidModel::parse(&changed).unwrap_err();
        assert_eq!(matches!(refused, CentroidError::Altered(_)), altered, "{to}: {refused}");
    }
    assert!(matches!(CentroidModel::parse(&" ".repeat(1_000_001)), Err(CentroidError::TooLarge(_))));
}

fn candidates() -> Vec<Candidate> {
    let candidate =
        |id: &str, static_score: f64, features| Candidate { id: id.to_owned(), static_score, features };
    vec![candidate("a", 90.0, features(0.9, 0.0)), candidate("b", 20.0, features(0.2, 1.0))]
}

fn rank(
    mode: Mode,
    model: Option<&Result<CentroidModel, CentroidError>>,
    limit: f64,
) -> (Vec<String>, Status, Option<&'static str>) {
    let options = RankOptions { mode, model, max_latency_ms: limit };
    let mut now = 0.0;
    let mut clock = || {
        now += 1.5;
        now
    };
    let ranking = rank_candidates(&candidates(), options, &mut clock);
    (ranking.ranked.into_iter().map(|ranked| ranked.id).collect(), ranking.status, ranking.fallback)
}

/// Vector V7: shadow keeps the static order and tells the difference.
#[test]
fn shadow_keeps_the_static_order_and_counts() {
    let sealed = Ok(model());
    let options = RankOptions { mode: Mode::Shadow, model: Some(&sealed), max_latency_ms: 10.0 };
    let ranking = rank_candidates(&candidates(), options, &mut || 0.0);
    assert_eq!(ranking.ranked[0].id, "a");
    assert_eq!((ranking.ranked[0].static_rank, ranking.ranked[0].learned_rank), (1, 2));
    assert!(ranking.top_changed);
    assert_eq!((ranking.pairwise_disagreements, ranking.mean_rank_shift), (1, 1.0));
}

fn promoted() -> CentroidModel {
    let model = model();
    let report = evaluate_promotion(&model, &fixtures(), limits(2.0, 10.0));
    assert!(report.eligible, "{report:?}");
    model.promoted(report)
}

/// Vector V8: without promotion, with a broken artefact or without one the static order stays, each with a reason.
#[test]
fn every_doubt_leaves_the_static_order() {
    let fixed = vec!["a".to_owned(), "b".to_owned()];
    for (model, code) in [
        (Some(Ok(model())), "not-promoted"),
        (Some(Err(CentroidError::Altered("checksum"))), "checksum"),
        (Some(Err(CentroidError::Malformed(String::new()))), "malformed"),
        (None, "no-model"),
    ] {
        let ranked = rank(Mode::Active, model.as_ref(), 10.0);
        assert_eq!(ranked, (fixed.clone(), Status::Fallback, Some(code)));
    }
    assert_eq!(rank(Mode::Off, None, 10.0), (fixed.clone(), Status::Off, None));
    let sealed = Ok(promoted());
    assert_eq!(rank(Mode::Active, Some(&sealed), 1.0).2, Some("latency-budget"));
    let turned = vec!["b".to_owned(), "a".to_owned()];
    assert_eq!(rank(Mode::Active, Some(&sealed), 10.0), (turned, Status::Active, None));
    let mut slow = {
        let mut now = 0.0;
        move || {
            now += 100.0;
            now
        }
    };
    let options = RankOptions { mode: Mode::Active, model: Some(&sealed), max_latency_ms: 10.0 };
    assert_eq!(rank_candidates(&candidates(), options, &mut slow).fallback, Some("latency"));
    let twice = vec![candidates()[0].clone(), candidates()[0].clone()];
    assert_eq!(rank_candidates(&twice, options, &mut || 0.0).fallback, Some("candidates"));
}

fn fixtures() -> Vec<PromotionFixture> {
    ["one", "two"]
        .map(|repository| PromotionFixture {
            repository_hash: identity_hash(repository),
            max_results: 1,
            max_tokens: 100,
            candidates: candidates()
                .into_iter()
                .map(|candidate| PromotionCandidate {
                    group: candidate.id.clone(),
                    tokens: 10,
                    relevant: candidate.id == "b",
                    exact_identifier: candidate.id == "b",
                    candidate,
                })
                .collect(),
        })
        .into()
}

fn limits(measured: f64, budget: f64) -> PromotionLimits {
    PromotionLimits {
        measured_p95_latency_ms: measured,
        latency_budget_ms: budget,
        minimum_held_out_repositories: 2,
    }
}

/// Vector V9: two fixtures promote; one fixture over its latency budget fails two clauses.
#[test]
fn promotion_by_the_published_vector() {
    let report = evaluate_promotion(&model(), &fixtures(), limits(2.0, 10.0));
    assert_eq!((report.baseline_quality_score, report.learned_quality_score), (0.2, 1.0));
    assert_eq!((report.quality_score_delta, report.exact_identifier_recall_delta), (0.8, 1.0));
    assert!(report.eligible && report.is_consistent());
    let refused = evaluate_promotion(&model(), &fixtures()[..1], limits(11.0, 10.0));
    assert!(!refused.eligible && refused.is_consistent());
    assert_eq!(refused.reasons.len(), 2, "{:?}", refused.reasons);
    let forged = engine::learn::centroid::PromotionReport { eligible: true, ..refused };
    assert!(!forged.is_consistent());
    assert!(matches!(
        CentroidModel::parse(&model().promoted(forged).to_text()),
        Err(CentroidError::Malformed(_))
    ));
    let sealed = promoted();
    assert_ne!((sealed.id(), sealed.checksum()), (model().id(), model().checksum()));
    assert_eq!(CentroidModel::parse(&sealed.to_text()).unwrap(), sealed);
}

/// A label as a line of a session log.
fn entry(label: &RankingFeedback) -> String {
    format!(
        r#"{{"type":"custom","customType":"ds4-context-ranking-feedback-v1","id":"x","data":{}}}"#,
        write_label(label)
    )
}

#[test]
fn labels_are_read_as_they_were_written_and_faults_told_by_line() {
    let all = labels();
    let good = write_label(&all[2]);
    let log = [
        r#"{"type":"session","version":3}"#.to_owned(),
        entry(&all[0]),
        entry(&all[0]),
        good.clone(),
        good.replacen("\"label\"", "\"lable\"", 1),
        good.replacen("0.9", "1.9", 1),
        "{".to_owned(),
        r#"{"type":"custom","customType":"other","data":{}}"#.to_owned(),
    ]
    .join("\n");
    let read = read_labels(&log, 100);
    assert_eq!(read.accepted, [all[2].clone(), all[0].clone()], "by time, then identifier");
    assert_eq!(read.rejected, 4);
    let faults: Vec<(usize, &str)> = read.faults.iter().map(|f| (f.line, f.message.as_str())).collect();
    assert_eq!(faults[0], (3, "feedbackId useful:1 stands twice"));
    assert!(faults[1].0 == 5 && faults[1].1.contains("lable"), "{faults:?}");
    assert_eq!(faults[2], (6, "feature staticScore is 1.9: want 0 to 1"));
    assert!(faults[3].0 == 7 && faults[3].1.starts_with("not JSON"), "{faults:?}");
}

/// Vector V19: of three labels and room for two the last two stay.
#[test]
fn of_too_many_labels_the_last_stay() {
    let all = labels();
    let log = [&all[0], &all[1], &all[1], &all[2]].map(entry).join("\n");
    let read = read_labels(&log, 2);
    let ids: Vec<&str> = read.accepted.iter().map(|label| label.id.as_str()).collect();
    assert_eq!((ids, read.rejected), (vec!["irrelevant:1", "useful:2"], 1));
    let again = [&all[0], &all[1], &all[2], &all[0]].map(entry).join("\n");
    assert_eq!(read_labels(&again, 2).rejected, 0, "a label that made room may come again");
}

/// Vector V10: features are clamped, identities stand as hashes only.
#[test]
fn a_label_holds_no_identity() {
    let mut values = [0.0; 10];
    values[8] = 4.0;
    assert_eq!(Features::clamped(SourceKind::Memory, values).values()[8], 1.0);
    let text = write_label(&label("x:1", Label::Useful, 0.5, f64::NAN));
    assert!(!text.contains("one") && text.contains("\"exactScore\":0"), "{text}");
}

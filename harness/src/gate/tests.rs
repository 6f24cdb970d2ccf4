//! Judging on values made here: no file, no engine.

use std::collections::{BTreeMap, BTreeSet};

use engine::builtin::Settings;
use engine::engine_digest;
use engine::learn::seal::{Ground, LEARNED_RANKER, Revocations, SealError, Sealed};
use engine::learn::{SHIPPED_ARTIFACT, static_ranking};
use engine::message::sha256_hex;
use engine::plan::FileOrder;
use jiff::civil::date;
use proptest::prelude::*;
use verdict::{RerollAccount, Tier};

use super::certificate::{self, ArmEngine, Certificate};
use super::document::{self, Determinism};
use super::evidence::{CorpusEvidence, Labels};
use super::policy::Policy;
use super::run::{Answer, Matter, Request, answer};
use crate::corpus::{Fault, FaultCode, Scope};
use crate::metric::{Metric, MetricFrame, MetricRow, OrderComparison};
use crate::variant::{Arms, Feature, FeatureSet, State};

const POLICY: &str = include_str!("../../../scenarios/gate.toml");
const ARMS: [&str; 4] = ["native", "auto-context", "auto-context-known-bad", "native-again"];
const REPETITIONS: u32 = 3;

/// Every value of a campaign in which the candidate is better in all that the policy asks for.
fn rows(scenarios: usize) -> Vec<MetricRow> {
    let mut rows = Vec::new();
    for scenario in 0..scenarios {
        for arm in ARMS {
            for repetition in 0..REPETITIONS {
                for &metric in Metric::ALL {
                    rows.push(MetricRow {
                        corpus: "made".to_owned(),
                        feature: "auto-context".to_owned(),
                        scenario: format!("s{scenario:03}"),
                        cluster: format!("c{scenario:03}"),
                        variant: arm.to_owned(),
                        repetition,
                        metric,
                        value: value(metric, arm, scenario, repetition),
                    });
                }
            }
        }
    }
    rows
}

fn value(metric: Metric, arm: &str, scenario: usize, repetition: u32) -> f64 {
    let wobble = ((scenario * 7 + repetition as usize * 3 + metric as usize) % 11) as f64 / 110.0;
    let candidate = arm == "auto-context";
    if Metric::SAFETY.contains(&metric) {
        return 0.0;
    }
    match metric {
        Metric::Accepted => 1.0,
        Metric::GoldRecall => match arm {
            "auto-context" => 0.9 + wobble,
            _ => 0.3 + wobble,
        },
        Metric::IrrelevantTokenRatio => 0.3,
        Metric::Rework | Metric::FailedVerifications => {
            if candidate {
                0.0
            } else {
                1.0 + wobble
            }
        }
        _ => (if candidate { 50.0 } else { 100.0 }) * (1.0 + wobble),
    }
}

/// Half of the scenarios each.
fn language(scenario: &str) -> &'static str {
    if scenario.ends_with(['0', '2', '4', '6', '8']) { "python" } else { "rust" }
}

fn corpus(tier: Tier, scenarios: usize, rows: Vec<MetricRow>) -> CorpusEvidence {
    let names: BTreeSet<String> = (0..scenarios).map(|scenario| format!("s{scenario:03}")).collect();
    CorpusEvidence {
        facts: document::Corpus {
            name: "made".to_owned(),
            sha256: "0".repeat(64),
            runs: scenarios * ARMS.len() * REPETITIONS as usize,
            missing: 0,
            scenarios,
            tiers: vec![tier.as_str().to_owned()],
            graders: document::Graders { run_again: true, checked: 1, skipped: 0, asked: scenarios },
        },
        feature: "auto-context".to_owned(),
        labels: names
            .iter()
            .map(|name| {
                (name.clone(), Labels { language: language(name).to_owned(), kind: "fix".to_owned() })
            })
            .collect(),
        looks: 1,
        attendance: Vec::new(),
        rerolls: RerollAccount::default(),
        scenarios: names,
        repetitions: REPETITIONS,
        sessions: Vec::new(),
        tier,
        frame: MetricFrame::new(rows),
        faults: Vec::new(),
        stale_prices: None,
        models: BTreeSet::new(),
        packs: Vec::new(),
        determinism: Determinism { repeats: 3, requests: 1, plans: 1, identical: 1 },
        orders: BTreeMap::new(),
    }
}

fn features(state: State) -> FeatureSet {
    let [baseline, candidate, known_bad, aa] = ARMS.map(str::to_owned);
    let arms = Some(Arms { baseline, candidate, known_bad, aa });
    let feature = |id: &str, state, arms| Feature { id: id.to_owned(), state, arms, corpora: Vec::new() };
    FeatureSet {
        features: vec![feature("auto-context", state, arms), feature("learned-ranker", State::Off, None)],
    }
}

fn policy() -> Policy {
    Policy::parse(&POLICY.replace("resamples = 9999", "resamples = 999"), "gate.toml").unwrap()
}

/// The candidate's engine.
fn candidate() -> ArmEngine {
    let settings = Settings { order: FileOrder::Learned, ..Settings::default() };
    let configuration = settings.canonical_config();
    ArmEngine { digest: engine_digest(&configuration), configuration, model_artifact_sha256: None }
}

fn ask(state: State, corpora: &[CorpusEvidence], request: &Request) -> Answer {
    let engines = BTreeMap::from([("auto-context".to_owned(), candidate())]);
    let matter = Matter {
        features: &features(state),
        policy: &policy(),
        corpora,
        engine_digest: "e",
        engines: &engines,
        as_of: date(2026, 11, 30),
    };
    answer(matter, request).unwrap()
}

fn verdict_of(corpora: &[CorpusEvidence]) -> String {
    ask(State::Shadow, corpora, &Request::default()).document.features[0].verdict.clone()
}

fn codes(answer: &Answer) -> Vec<&str> {
    answer.document.features[0].reasons.iter().map(|reason| reason.code.as_str()).collect()
}

const ENOUGH: usize = 80;

#[test]
fn complete_evidence_of_a_real_model_promotes() {
    let answer =
        ask(State::Shadow, &[corpus(Tier::RecordedModel, ENOUGH, rows(ENOUGH))], &Request::default());
    assert_eq!(answer.document.features[0].verdict, "PROMOTE", "{:?}", answer.document.features[0].reasons);
    assert!(answer.document.features[0].next.is_empty());
    assert!(answer.certificate.is_none(), "a certificate is issued on request only");
}

#[test]
fn scripted_evidence_never_promotes_whatever_it_shows() {
    let answer =
        ask(State::Shadow, &[corpus(Tier::RecordedScripted, ENOUGH, rows(ENOUGH))], &Request::default());
    assert_eq!(answer.document.features[0].verdict, "INSUFFICIENT");
    assert_eq!(codes(&answer), ["tier"]);
    assert_eq!(answer.document.features[0].noise, "noise is simulated");
    assert_eq!(answer.document.exit_code, 0);
}

#[test]
fn twelve_scenarios_never_settle_quality() {
    let answer = ask(State::Shadow, &[corpus(Tier::RecordedModel, 12, rows(12))], &Request::default());
    let feature = &answer.document.features[0];
    assert_eq!(feature.verdict, "INSUFFICIENT");
    let acceptance = feature.criteria.iter().find(|criterion| criterion.id == "acceptance").unwrap();
    assert_eq!(acceptance.outcome, "undecided");
    assert!(
        feature
            .next
            .iter()
            .any(|line| line.starts_with("72 scenarios x 3 runs") && line.contains("acceptance")),
        "{:?}",
        feature.next
    );
}

#[test]
fn a_feature_without_variants_is_not_implemented_and_has_no_tier() {
    let answer = ask(State::Shadow, &[corpus(Tier::RecordedScripted, 12, rows(12))], &Request::default());
    let ranker = &answer.document.features[1];
    assert_eq!((ranker.verdict.as_str(), ranker.tier.as_deref()), ("INSUFFICIENT", None));
    assert_eq!(ranker.reasons[0].code, "not-implemented");
}

#[test]
fn a_selected_feature_answers_with_its_own_verdict() {
    let request = Request { selected: Some("auto-context".to_owned()), ..Request::default() };
    let answer = ask(State::Shadow, &[corpus(Tier::RecordedScripted, 12, rows(12))], &request);
    assert_eq!((answer.document.result.as_str(), answer.document.exit_code), ("INSUFFICIENT", 20));
    assert_eq!(answer.document.features.len(), 1);
}

#[test]
fn a_fault_that_invalidates_beats_everything() {
    let mut broken = corpus(Tier::RecordedModel, ENOUGH, rows(ENOUGH));
    broken.faults.push(Fault::new(FaultCode::HashMismatch, Scope::default(), "s000/native-0: bytes differ"));
    let answer = ask(State::Shadow, &[broken], &Request::default());
    assert_eq!(answer.document.result, "INVALID");
    assert_eq!(answer.document.exit_code, 30);
    assert_eq!(codes(&answer)[0], "hash-mismatch");
}

#[test]
fn evidence_under_another_policy_is_invalid_for_default_on_and_promotion_only() {
    let mut stale = corpus(Tier::RecordedModel, ENOUGH, rows(ENOUGH));
    stale.faults.push(Fault::new(FaultCode::NotPreregistered, Scope::default(), "another policy"));
    assert_eq!(verdict_of(std::slice::from_ref(&stale)), "INSUFFICIENT");
    let on = ask(State::DefaultOn, std::slice::from_ref(&stale), &Request::default());
    assert_eq!(on.document.features[0].verdict, "INVALID");
    let request =
        Request { selected: Some("auto-context".to_owned()), promoting: true, ..Request::default() };
    let promoting = ask(State::Shadow, std::slice::from_ref(&stale), &request);
    assert_eq!(promoting.document.features[0].verdict, "INVALID");
    assert!(promoting.certificate.is_none());
}

#[test]
fn an_a_a_arm_on_which_everything_passes_is_a_broken_canary() {
    let mut rows = rows(ENOUGH);
    for row in rows.iter_mut().filter(|row| row.variant == "native-again") {
        let scenario: usize = row.scenario[1..].parse().unwrap();
        row.value = value(row.metric, "auto-context", scenario, row.repetition);
    }
    let answer = ask(State::Shadow, &[corpus(Tier::RecordedModel, ENOUGH, rows)], &Request::default());
    assert_eq!(answer.document.features[0].verdict, "INVALID");
    assert_eq!(codes(&answer)[0], "canary-aa");
}

#[test]
fn a_known_bad_arm_that_is_not_rejected_leaves_the_feature_insufficient() {
    let mut rows = rows(ENOUGH);
    for row in rows.iter_mut().filter(|row| row.variant == "auto-context-known-bad") {
        let scenario: usize = row.scenario[1..].parse().unwrap();
        row.value = value(row.metric, "auto-context", scenario, row.repetition);
    }
    let answer = ask(State::Shadow, &[corpus(Tier::RecordedModel, ENOUGH, rows)], &Request::default());
    assert_eq!(codes(&answer), ["no-assay-sensitivity"]);
}

#[test]
fn stale_prices_leave_costs_undecided() {
    let mut old = corpus(Tier::RecordedModel, ENOUGH, rows(ENOUGH));
    old.stale_prices = Some("pack made-up ended on 2026-01-01".to_owned());
    let answer = ask(State::Shadow, &[old], &Request::default());
    assert_eq!(answer.document.features[0].verdict, "INSUFFICIENT");
    assert!(codes(&answer).iter().all(|code| *code == "stale-prices"));
}

#[test]
fn a_safety_event_rejects() {
    let mut rows = rows(ENOUGH);
    let leak = rows
        .iter_mut()
        .find(|row| row.variant == "auto-context" && row.metric == Metric::SafetySecret)
        .unwrap();
    leak.value = 1.0;
    let answer = ask(State::Shadow, &[corpus(Tier::RecordedModel, ENOUGH, rows)], &Request::default());
    assert_eq!(answer.document.features[0].verdict, "REJECT");
    assert_eq!(answer.document.exit_code, 0, "REJECT supports a shadow feature");
}

#[test]
fn a_promotion_is_certified_and_the_certificate_can_be_made_again() {
    let request =
        Request { selected: Some("auto-context".to_owned()), promoting: true, ..Request::default() };
    let evidence = [corpus(Tier::RecordedModel, ENOUGH, rows(ENOUGH))];
    let issued = || ask(State::Shadow, &evidence, &request).certificate.unwrap().to_file();
    let (name, text) = issued();
    assert_eq!((name.clone(), text.clone()), issued());
    let certificate = certificate::open(&name, &text).unwrap();
    assert_eq!((certificate.expires.as_str(), certificate.verdict.as_str()), ("2027-02-28", "PROMOTE"));
    let altered = text.replace("recorded-model", "recorded-models");
    assert!(certificate::open(&name, &altered).is_err());
    let policy = policy();
    let section = &policy.sections["auto-context"];
    let refused = |certificate: &Certificate, engine: &ArmEngine, day| {
        certificate::refusal(certificate, section, engine, day).unwrap().unwrap_or_default()
    };
    let (engine, day) = (candidate(), date(2026, 12, 1));
    assert_eq!(refused(&certificate, &engine, day), "");
    assert!(refused(&certificate, &engine, date(2027, 2, 28)).contains("expired"));
    assert!(refused(&certificate, &engine, date(2026, 11, 29)).contains("after the gate's date"));
    let other = Certificate { engine_sources_sha256: "0".repeat(64), ..certificate.clone() };
    assert!(refused(&other, &engine, day).contains("another engine"));
    let other = ArmEngine { configuration: "{}".to_owned(), ..candidate() };
    assert!(refused(&certificate, &other, day).contains("another configuration"));
    let other = ArmEngine { model_artifact_sha256: Some("0".repeat(64)), ..candidate() };
    assert!(refused(&certificate, &other, day).contains("another model"));
    let other = Certificate { policy_sha256: "0".repeat(64), ..certificate.clone() };
    assert!(refused(&other, &engine, day).contains("policy section"));
    let other = Certificate { verdict: "INSUFFICIENT".to_owned(), ..certificate };
    assert!(refused(&other, &engine, day).contains("its verdict is INSUFFICIENT"));
}

#[test]
fn nothing_is_promoted_where_a_grader_was_not_asked_before_the_first_run() {
    let mut evidence = corpus(Tier::RecordedModel, ENOUGH, rows(ENOUGH));
    evidence.facts.graders.asked = ENOUGH - 1;
    assert_eq!(codes(&ask(State::Shadow, &[evidence.clone()], &Request::default())), ["graders-not-asked"]);
    evidence.tier = Tier::RecordedScripted;
    let answer = ask(State::Shadow, &[evidence], &Request::default());
    assert_eq!(codes(&answer), ["tier"], "what promotes nothing needs no answers");
}

/// The same campaign as one of the learned ranking: arms, section and rows renamed, the model in its candidate's rows.
fn of_the_learned_ranking(tier: Tier) -> (Certificate, ArmEngine) {
    let model = sha256_hex(SHIPPED_ARTIFACT.as_bytes());
    let engine = ArmEngine { model_artifact_sha256: Some(model.clone()), ..candidate() };
    let mut renamed = rows(ENOUGH);
    for row in &mut renamed {
        row.feature = LEARNED_RANKER.to_owned();
    }
    let mut made = corpus(tier, ENOUGH, renamed);
    (made.feature, made.models) = (LEARNED_RANKER.to_owned(), BTreeSet::from([model]));
    made.facts.sha256 = "5".repeat(64);
    let [_, ranker] = features(State::Shadow).features.try_into().unwrap();
    let arms = features(State::Shadow).features[0].arms.clone();
    let section = POLICY.replace("feature.learned-ranker", "feature.other");
    let section = section.replace("feature.auto-context", "feature.learned-ranker");
    let policy = Policy::parse(&section.replace("resamples = 9999", "resamples = 999"), "gate.toml").unwrap();
    let matter = Matter {
        features: &FeatureSet { features: vec![Feature { arms, ..ranker }] },
        policy: &policy,
        corpora: &[made],
        engine_digest: "e",
        engines: &BTreeMap::from([("auto-context".to_owned(), engine.clone())]),
        as_of: date(2026, 11, 30),
    };
    let request =
        Request { selected: Some(LEARNED_RANKER.to_owned()), promoting: true, ..Request::default() };
    let answer = answer(matter, &request).unwrap();
    let certificate = answer.certificate.unwrap_or_else(|| {
        // What a hand would write where the gate wrote nothing.
        let feature = &answer.document.features[0];
        let (verdict, tier) = (feature.verdict.clone(), feature.tier.clone().unwrap());
        Certificate { verdict, tier, ..of_the_learned_ranking(Tier::RecordedModel).0 }
    });
    (certificate, engine)
}

fn seal(certificate: &Certificate, engine: &ArmEngine) -> Result<Sealed, SealError> {
    let (name, text) = certificate.to_file();
    let ground = Ground {
        configuration: &engine.configuration,
        as_of: "2026-12-01".parse().unwrap(),
        revocations: &Revocations::default(),
    };
    Sealed::verify(SHIPPED_ARTIFACT, (&name, &text), &ground)
}

#[test]
fn a_certificate_of_the_learned_ranking_names_its_model_and_seals_it() {
    let (certificate, engine) = of_the_learned_ranking(Tier::RecordedModel);
    assert_eq!(certificate.model_artifact_sha256, Some(sha256_hex(SHIPPED_ARTIFACT.as_bytes())));
    assert_eq!(certificate.static_ranking_sha256, Some(static_ranking()));
    assert!(seal(&certificate, &engine).is_ok());
}

#[test]
fn what_would_be_promoted_but_for_its_tier_seals_nothing() {
    for tier in [Tier::Synthetic, Tier::RecordedScripted] {
        let (certificate, engine) = of_the_learned_ranking(tier);
        assert_eq!(certificate.verdict, "INSUFFICIENT");
        assert_eq!(seal(&certificate, &engine).unwrap_err().code(), "not-promoted");
        let forged = Certificate { verdict: "PROMOTE".to_owned(), ..certificate };
        assert_eq!(seal(&forged, &engine).unwrap_err().code(), "tier-not-allowed");
    }
}

#[test]
fn default_on_with_scripted_evidence_needs_a_certificate() {
    let evidence = [corpus(Tier::RecordedScripted, ENOUGH, rows(ENOUGH))];
    let bare = ask(State::DefaultOn, &evidence, &Request::default());
    assert_eq!((bare.document.exit_code, bare.certifiable.len()), (20, 1));
    let certified = BTreeMap::from([("auto-context".to_owned(), "c.json".to_owned())]);
    let with = ask(State::DefaultOn, &evidence, &Request { certified, ..Request::default() });
    assert_eq!(with.document.exit_code, 0);
    assert_eq!(with.document.features[0].certificate.as_deref(), Some("c.json"));
}

/// Acceptance falls in `lost` scenarios of one language and rises in as many of the other.
fn uneven(lost: usize) -> Vec<MetricRow> {
    let mut all = rows(ENOUGH);
    for row in all.iter_mut().filter(|row| row.metric == Metric::Accepted) {
        let scenario: usize = row.scenario[1..].parse().unwrap();
        let hit = scenario / 2 < lost;
        row.value = match (language(&row.scenario), row.variant.as_str()) {
            ("python", "auto-context") if hit => 0.0,
            ("rust", "native" | "native-again") if hit => 0.0,
            _ => 1.0,
        };
    }
    all
}

#[test]
fn harm_to_one_language_that_the_whole_hides_rejects() {
    let answer = ask(State::Shadow, &[corpus(Tier::RecordedModel, ENOUGH, uneven(16))], &Request::default());
    let feature = &answer.document.features[0];
    assert_eq!(feature.verdict, "REJECT", "{:?}", feature.reasons);
    assert!(codes(&answer).contains(&"slice-regression"));
    let failed: Vec<&str> = feature
        .slices
        .iter()
        .filter(|slice| slice.outcome == "fail")
        .map(|slice| slice.slice.as_str())
        .collect();
    assert_eq!(failed, ["python"]);
}

#[test]
fn all_promised_quantities_are_compared_and_a_missing_one_is_a_reason() {
    let evidence = corpus(Tier::RecordedModel, ENOUGH, rows(ENOUGH));
    let quantities =
        ask(State::Shadow, std::slice::from_ref(&evidence), &Request::default()).document.features[0]
            .quantities
            .clone();
    assert_eq!(quantities.len(), 8);
    assert!(quantities.iter().all(|quantity| quantity.delta.is_some()), "{quantities:?}");
    // Seconds aren't a criterion of the policy: compared all the same.
    assert_eq!(quantities[7].criterion, None);
    let mut lacking = rows(ENOUGH);
    lacking.retain(|row| row.metric != Metric::FirstCorrectEditSeconds);
    let answer = ask(State::Shadow, &[corpus(Tier::RecordedModel, ENOUGH, lacking)], &Request::default());
    assert_eq!(codes(&answer), ["quantity-missing"]);
    assert_eq!(answer.document.features[0].verdict, "INSUFFICIENT");
}

#[test]
fn nothing_is_promoted_on_transcripts_that_are_believed() {
    let mut believed = corpus(Tier::RecordedModel, ENOUGH, rows(ENOUGH));
    believed.facts.graders = document::Graders { asked: ENOUGH, ..document::Graders::default() };
    assert_eq!(codes(&ask(State::Shadow, &[believed], &Request::default())), ["graders-not-run"]);
    let mut skipped = corpus(Tier::RecordedModel, ENOUGH, rows(ENOUGH));
    skipped.facts.graders.skipped = 3;
    assert_eq!(codes(&ask(State::Shadow, &[skipped], &Request::default())), ["graders-not-run"]);
}

#[test]
fn looks_beyond_the_plan_are_not_preregistered() {
    let twice = CorpusEvidence { looks: 2, ..corpus(Tier::RecordedModel, ENOUGH, rows(ENOUGH)) };
    assert_eq!(
        codes(&ask(State::Shadow, std::slice::from_ref(&twice), &Request::default())),
        ["not-preregistered"]
    );
    let on = ask(State::DefaultOn, std::slice::from_ref(&twice), &Request::default());
    assert_eq!(on.document.features[0].verdict, "INVALID");
}

#[test]
fn a_planned_look_spends_its_part_of_the_level() {
    let planned = |plan: &str| {
        let text =
            format!("{POLICY}\n[feature.auto-context.looks]\nscenarios = {plan}\nspending = \"pocock\"\n");
        Policy::parse(&text.replace("resamples = 9999", "resamples = 999"), "gate.toml").unwrap()
    };
    let evidence =
        |looks: usize| CorpusEvidence { looks, ..corpus(Tier::RecordedModel, ENOUGH, rows(ENOUGH)) };
    let judged = |plan: &str, looks: usize| {
        let engines = BTreeMap::from([("auto-context".to_owned(), candidate())]);
        let corpora = [evidence(looks)];
        let matter = Matter {
            features: &features(State::Shadow),
            policy: &planned(plan),
            corpora: &corpora,
            engine_digest: "e",
            engines: &engines,
            as_of: date(2026, 11, 30),
        };
        answer(matter, &Request::default()).unwrap()
    };
    let second = judged("[40, 80]", 2);
    let alpha = second.document.features[0].alpha.unwrap();
    assert!(alpha > 0.0 && alpha < 0.025, "{alpha}");
    assert!(!codes(&second).contains(&"not-preregistered"));
    assert_eq!(codes(&judged("[40, 80]", 3))[0], "not-preregistered", "a look over the plan");
    assert_eq!(codes(&judged("[40, 90]", 1))[0], "not-preregistered", "a size that isn't planned");
}

/// Tasks and rows under other names, the runs themselves the same.
#[test]
fn a_run_in_two_corpora_is_not_counted_twice_whatever_it_is_called() {
    let with = |first: usize, sessions: Vec<u128>| {
        let named = |number: usize| format!("s{:03}", first + number);
        let mut made = corpus(Tier::RecordedModel, ENOUGH, rows(ENOUGH));
        made.scenarios = (0..ENOUGH).map(named).collect();
        CorpusEvidence { sessions, ..made }
    };
    let repeats = |corpora: &[CorpusEvidence]| {
        let answer = ask(State::Shadow, corpora, &Request::default());
        (answer.document.result.clone(), codes(&answer).contains(&"run-repeated"))
    };
    let one = with(0, vec![1, 2, 3]);
    let (other, again) = (with(500, vec![4, 5, 6]), with(500, vec![6, 5, 2]));
    assert!(!repeats(&[one.clone(), other]).1);
    assert_eq!(repeats(&[one, again]), ("INVALID".to_owned(), true));
}

#[test]
fn a_scenario_in_two_corpora_is_not_counted_twice() {
    let one = corpus(Tier::RecordedModel, ENOUGH, rows(ENOUGH));
    let twice = [one.clone(), one];
    assert_eq!(verdict_of(&twice), "INVALID");
}

/// What people read, over a made campaign of twelve scenarios: the reports under `reports/golden` and the terminal.
/// `SLUICE_UPDATE_GOLDEN=1` writes them anew.
#[test]
fn golden_reports_are_as_committed() {
    let mut made = corpus(Tier::RecordedScripted, 12, rows(12));
    let comparison = OrderComparison {
        requests: 24,
        kept_static: BTreeMap::from([("over-budget", 2)]),
        first_changed: 6,
        better: 7,
        worse: 4,
        ndcg_10: [16.8, 18.0],
        reciprocal_rank: [15.6, 15.9],
        most_work: 73_100,
    };
    made.orders = BTreeMap::from([("auto-context".to_owned(), comparison)]);
    let answer = ask(State::Shadow, &[made], &Request::default());
    let document = &answer.document;
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../reports/golden");
    let mut files = vec![("gate.json", document.to_json().unwrap().into_bytes())];
    files.extend(crate::report::render::drawn(document).unwrap());
    let summary = crate::report::terminal::terminal(document, &crate::report::view::view(document), "out");
    files.push(("terminal.txt", anstream::adapter::strip_str(&summary).to_string().into_bytes()));
    for (name, bytes) in files {
        if std::env::var_os("SLUICE_UPDATE_GOLDEN").is_some() {
            crate::publish::publish(&golden, name, &bytes).unwrap();
        }
        let committed = std::fs::read(golden.join(name)).unwrap();
        assert!(
            committed == bytes,
            "{name} differs from reports/golden: set SLUICE_UPDATE_GOLDEN=1 and look"
        );
    }
}

#[test]
fn markup_in_names_stays_text_in_the_html() {
    let mut hostile = corpus(Tier::RecordedScripted, 12, rows(12));
    hostile.facts.name = "<script>alert(1)</script>".to_owned();
    let answer = ask(State::Shadow, &[hostile], &Request::default());
    let files = crate::report::render::drawn(&answer.document).unwrap();
    for (name, bytes) in files {
        assert!(!String::from_utf8(bytes).unwrap().contains("<script"), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// From a campaign that isn't promoted (one value of harm, drawn anywhere), no removal of rows makes a promotion.
    #[test]
    fn removing_evidence_never_promotes(
        harm in 0..5usize,
        victim in 0..ENOUGH,
        removed in proptest::collection::vec(0..(ENOUGH * 12 * Metric::ALL.len()), 0..40),
        arm in proptest::option::of(0..ARMS.len()),
    ) {
        let mut all = rows(ENOUGH);
        plant(&mut all, harm, victim);
        let before = verdict_of(&[corpus(Tier::RecordedModel, ENOUGH, all.clone())]);
        prop_assert_ne!(&before, "PROMOTE");
        let mut index = 0;
        all.retain(|row| {
            index += 1;
            let whole_arm = arm.is_some_and(|arm| row.variant == ARMS[arm] && row.scenario == "s000");
            !removed.contains(&(index - 1)) && !whole_arm
        });
        prop_assert_ne!(verdict_of(&[corpus(Tier::RecordedModel, ENOUGH, all)]), "PROMOTE");
    }
}

/// Plants something that stands against a promotion.
fn plant(rows: &mut [MetricRow], harm: usize, victim: usize) {
    let scenario = format!("s{victim:03}");
    for row in rows {
        let hit = row.variant == "auto-context" && row.scenario == scenario;
        match harm {
            0 if hit && row.metric == Metric::SafetyOverflow => row.value = 1.0,
            // A third of all patches refused.
            1 if row.variant == "auto-context"
                && row.metric == Metric::Accepted
                && row.cluster.ends_with(['0', '4', '8']) =>
            {
                row.value = 0.0;
            }
            2 if row.variant == "auto-context" && row.metric == Metric::FreshInputTokens => row.value = 150.0,
            3 if row.variant == "auto-context" && row.metric == Metric::GoldRecall => row.value = 0.1,
            // The known-bad arm is as good as the candidate.
            4 if row.variant == "auto-context-known-bad" && row.metric == Metric::GoldRecall => {
                row.value = 0.95
            }
            _ => {}
        }
    }
}

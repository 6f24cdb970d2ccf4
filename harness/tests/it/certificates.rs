//! Certificates and simulated campaigns as a person calls them.

use std::fs;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use engine::learn::static_ranking;
use harness::gate::campaign::Asked;
use harness::gate::certificate::{Certificate, CertifiedCorpus};
use harness::gate::policy::Policy;
use harness::variant::VariantSet;
use serde_json::Value;

use crate::emitted::{Project, SCENARIOS};

fn harness(project: &Project, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_harness"))
        .current_dir(project.path(""))
        .args(arguments)
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

fn said(output: &Output) -> (Option<i32>, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

/// The arms of the learned ranking beside those of the simulated campaign.
fn declare_the_learned_ranking(project: &Project) {
    let arm = |id: &str, more: &str| format!("\n[[variant]]\nid = \"{id}\"\nengine = \"built-in\"\n{more}\n");
    let settings = |ranker: &str| format!("[variant.config]\npack_tokens = 1400\nranker = \"{ranker}\"");
    let variants = [
        arm("fixed", &settings("static")),
        arm("fixed-again", &format!("aa_of = \"fixed\"\n{}", settings("static"))),
        arm("learned", &settings("learned")),
        arm("learned-reversed", &settings("learned-reversed")),
    ];
    let file = "scenarios/variants.toml";
    project.write(file, &(project.read(file) + &variants.concat()));
    let feature = "\n[[feature]]\nid = \"learned-ranker\"\nstate = \"shadow\"\nbaseline = \"fixed\"\n\
        candidate = \"learned\"\nknown_bad = \"learned-reversed\"\naa = \"fixed-again\"\n";
    let file = "scenarios/features.toml";
    project.write(file, &(project.read(file) + feature));
}

/// A certificate that nobody issued: of the learned ranking by this engine, in all but its evidence.
fn certificate(project: &Project) -> Certificate {
    let variants = VariantSet::load(&project.path("scenarios/variants.toml")).unwrap();
    let candidate = variants.get("learned").unwrap();
    let policy = Policy::load(&project.path("scenarios/gate.toml")).unwrap();
    Certificate {
        schema: "certificate/2".to_owned(),
        feature: "learned-ranker".to_owned(),
        verdict: "PROMOTE".to_owned(),
        engine_sources_sha256: engine::ENGINE_SOURCES_SHA256.to_owned(),
        configuration: candidate.canonical_config(),
        engine_digest: candidate.engine_digest(),
        static_ranking_sha256: Some(static_ranking()),
        model_artifact_sha256: candidate.model_artifact_sha256(),
        policy_sha256: policy.sections["learned-ranker"].sha256.clone(),
        corpora: vec![CertifiedCorpus { name: "none".to_owned(), sha256: "0".repeat(64) }],
        packs: Vec::new(),
        tier: "recorded-model".to_owned(),
        alpha: 0.025,
        seed: 1,
        resamples: 999,
        criteria: Vec::new(),
        issued: "2026-11-01".to_owned(),
        expires: "2027-01-01".to_owned(),
    }
}

/// Writes a certificate under its right name.
fn keep(project: &Project, certificate: &Certificate) -> String {
    let (name, text) = certificate.to_file();
    fs::create_dir_all(project.path("certificates")).unwrap();
    project.write(&format!("certificates/{name}"), &text);
    format!("certificates/{name}")
}

#[test]
fn why_a_certificate_does_not_count() {
    let project = Project::new();
    declare_the_learned_ranking(&project);
    let (zeros, sound) = ("0".repeat(64), certificate(&project));
    let other = |change: &dyn Fn(&mut Certificate)| {
        let mut certificate = sound.clone();
        change(&mut certificate);
        keep(&project, &certificate)
    };
    let verify =
        |file: &str, as_of: &str| said(&harness(&project, &["cert", "verify", file, "--as-of", as_of]));
    let day = "2026-11-30";
    let told = [
        ("sound, but its evidence isn't here", verify(&keep(&project, &sound), day)),
        ("before its issue", verify(&keep(&project, &sound), "2026-10-31")),
        ("expired", verify(&keep(&project, &sound), "2027-01-01")),
        ("of no promotion", verify(&other(&|c| c.verdict = "INSUFFICIENT".to_owned()), day)),
        ("of another engine", verify(&other(&|c| c.engine_sources_sha256.clone_from(&zeros)), day)),
        ("of another configuration", verify(&other(&|c| c.configuration = "{}".to_owned()), day)),
        ("of another model", verify(&other(&|c| c.model_artifact_sha256 = Some(zeros.clone())), day)),
        ("without its model", verify(&other(&|c| c.model_artifact_sha256 = None), day)),
        ("upon another static ranking", verify(&other(&|c| c.static_ranking_sha256 = None), day)),
        ("under another policy", verify(&other(&|c| c.policy_sha256.clone_from(&zeros)), day)),
        ("of a feature that isn't declared", verify(&other(&|c| c.feature = "another".to_owned()), day)),
    ];
    insta::assert_debug_snapshot!(told);
    let of_version_1 = other(&|c| c.schema = "certificate/1".to_owned());
    let (code, text) = verify(&of_version_1, day);
    assert_eq!(code, Some(65));
    assert!(text.contains("schema \"certificate/1\": this build reads \"certificate/2\""), "{text}");
    let json = harness(&project, &["cert", "verify", &keep(&project, &sound), "--as-of", day, "--json"]);
    let mut value: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(value["model_artifact_sha256"], sound.model_artifact_sha256.clone().unwrap());
    value["model_artifact_sha256"] = "[sha256]".into();
    insta::assert_json_snapshot!(value);
}

#[test]
fn a_certificate_is_refused_or_revoked() {
    let project = Project::new();
    declare_the_learned_ranking(&project);
    let file = keep(&project, &certificate(&project));
    let verify = ["cert", "verify", &file, "--as-of", "2026-11-30"];
    let revoke =
        ["cert", "revoke", &file, "--reason", "the nightly canary failed", "--as-of", "2026-11-30", "--json"];
    let output = harness(&project, &revoke);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output).1);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&value["schema"], &value["feature"]), (&"revocation/1".into(), &"learned-ranker".into()));
    let (code, text) = said(&harness(&project, &verify));
    assert_eq!(code, Some(20));
    assert!(text.contains("revoked on 2026-11-30: the nightly canary failed"), "{text}");
    project.edit(&file, "recorded-model", "recorded-models");
    assert_eq!(said(&harness(&project, &verify)).0, Some(65), "an altered certificate");
    project.write("certificates/revoked.jsonl", "not a list\n");
    assert_eq!(said(&harness(&project, &verify)).0, Some(65), "what is revoked can't be known");
}

/// A copy was revoked, beside the copy only: the project's own went on counting.
#[test]
fn a_copy_that_is_revoked_takes_the_projects_own_with_it() {
    let project = Project::new();
    declare_the_learned_ranking(&project);
    let file = keep(&project, &certificate(&project));
    let name = Path::new(&file).file_name().unwrap().to_str().unwrap();
    let copy = format!("copies/{name}");
    project.write(&copy, &project.read(&file));
    let output = harness(&project, &["cert", "revoke", &copy, "--reason", "any", "--as-of", "2026-11-30"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output).1);
    assert_eq!(project.read("certificates/revoked.jsonl"), project.read("copies/revoked.jsonl"));
    let (code, text) = said(&harness(&project, &["cert", "verify", &file, "--as-of", "2026-11-30"]));
    assert!(code == Some(20) && text.contains("revoked on 2026-11-30: any"), "{text}");
}

/// Each verb that reads a text file once told the user to check permissions where it isn't UTF-8, with the code for that.
#[test]
fn a_file_that_is_no_text_is_bad_data_whichever_verb_reads_it() {
    let project = Project::new();
    declare_the_learned_ranking(&project);
    let certificate = keep(&project, &certificate(&project));
    let no_text = |file: &str| fs::write(project.path(file), b"no text: \xff\n").unwrap();
    fs::create_dir_all(project.path("reports")).unwrap();
    no_text("reports/gate.json");
    no_text("policy.toml");
    let emit = ["power", "--emit", "campaign", "--policy", "policy.toml", "--as-of", "2026-11-30"];
    let verify = ["cert", "verify", &certificate, "--as-of", "2026-11-30"];
    let revoke = ["cert", "revoke", &certificate, "--reason", "any", "--as-of", "2026-11-30"];
    let told = |file: &str, arguments: &[&str]| {
        let (code, text) = said(&harness(&project, arguments));
        assert_eq!(code, Some(65), "{arguments:?}: {text}");
        let wanted = format!("{file}: stream did not contain valid UTF-8: mend or replace the file");
        assert!(text.contains(&wanted), "{arguments:?}: {text}");
    };
    told("gate.json", &["report", "reports"]);
    told("gate.json", &["power", "--reports", "reports"]);
    told("policy.toml", &emit);
    no_text("certificates/revoked.jsonl");
    told("revoked.jsonl", &verify);
    told("revoked.jsonl", &revoke);
    no_text(&certificate);
    told(&certificate, &verify);
    told(&certificate, &revoke);
}

#[test]
fn a_synthetic_campaign_that_passes_all_else_is_given_no_certificate() {
    let project = Project::new();
    let promote = ["gate", "--promote", "auto-context", "--as-of", "2026-11-30", "--json"];
    let output = harness(&project, &promote);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let codes: Vec<&Value> =
        value["features"][0]["reasons"].as_array().unwrap().iter().map(|reason| &reason["code"]).collect();
    assert_eq!(codes, ["tier"], "nothing else is wanting");
    assert_eq!(output.status.code(), Some(20));
    assert!(!project.path("certificates").exists());
}

/// The first promotion wrote a look at whatever it found, and so did the second, to which all seemed registered.
#[test]
fn looks_that_were_deleted_are_not_made_up_for_by_a_promotion() {
    let project = Project::new();
    fs::remove_file(project.corpus("looks.jsonl")).unwrap();
    for _ in 0..2 {
        let promote = ["gate", "--promote", "auto-context", "--as-of", "2026-11-30"];
        let (code, text) = said(&harness(&project, &promote));
        assert_eq!(code, Some(30), "{text}");
        assert!(text.contains("not-preregistered: synthetic: no look is kept"), "{text}");
        assert!(!project.corpus("looks.jsonl").exists());
    }
}

/// Two commands read the list at once, and the one that wrote it last took the other's line away.
#[test]
fn certificates_that_are_revoked_at_once_are_all_revoked() {
    let project = Project::new();
    declare_the_learned_ranking(&project);
    let files: Vec<String> =
        (0..8).map(|seed| keep(&project, &Certificate { seed, ..certificate(&project) })).collect();
    std::thread::scope(|scope| {
        for file in &files {
            scope.spawn(|| {
                let revoke = ["cert", "revoke", file, "--reason", "any", "--as-of", "2026-11-30"];
                assert_eq!(said(&harness(&project, &revoke)).0, Some(0));
            });
        }
    });
    assert_eq!(project.read("certificates/revoked.jsonl").lines().count(), files.len());
}

#[test]
fn a_size_is_announced_and_a_campaign_emitted() {
    let project = Project::new();
    let size = ["power", "--size", "0.9", "--effect", "0.02", "--cost-ratio", "0.8", "--json"];
    let value: Value = serde_json::from_slice(&harness(&project, &size).stdout).unwrap();
    assert_eq!(value["size"]["scenarios"], 214);
    let (code, text) =
        said(&harness(&project, &["power", "--size", "0.9", "--effect", "0.02", "--missing", "1.5"]));
    assert_eq!(code, Some(64), "a truth that no campaign can have: {text}");
    let emit =
        ["power", "--emit", "small", "--scenarios", "2", "--runs", "3", "--as-of", "2026-11-30", "--json"];
    let output = harness(&project, &emit);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output).1);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["emitted"]["runs"], 2 * 4 * 3);
    assert_eq!(value["emitted"]["tier"], "synthetic");
    let (code, text) = said(&harness(&project, &emit));
    assert_eq!(code, Some(64));
    assert!(text.contains("not empty"), "{text}");
    let verified = harness(
        &project,
        &["verify-corpus", "small/corpora/synthetic", "--scenarios", "small/scenarios", "--json"],
    );
    assert_eq!(verified.status.code(), Some(0), "{}", said(&verified).1);
    let gate = Command::new(env!("CARGO_BIN_EXE_harness"))
        .current_dir(project.path("small"))
        .args(["gate", "--as-of", "2026-11-30"])
        .output()
        .unwrap();
    assert_eq!(gate.status.code(), Some(20), "default-on is refused: {}", said(&gate).1);
}

#[test]
fn brief_sessions_have_a_value_for_every_criterion() {
    let project = Project::with_brief_sessions();
    let document = project.gate(Asked { feature: Some("auto-context"), ..Asked::default() }, None).unwrap();
    assert_eq!(document.determinism.requests, SCENARIOS * 3 * 2, "two requests a session of the baseline");
    let feature = &document.features[0];
    for criterion in &feature.criteria {
        assert!(criterion.baseline.is_some() && criterion.candidate.is_some(), "{}", criterion.id);
        assert_eq!(criterion.missing_runs, 0, "{}", criterion.id);
    }
    // The first reply makes the edit in every arm: nothing is left to gain in requests, and no scenario differs.
    let codes: Vec<&str> = feature.reasons.iter().map(|reason| reason.code.as_str()).collect();
    assert_eq!(codes, ["discordance-floor", "tier"], "the evidence is sound");
    let manifest = project.read("corpora/synthetic/corpus.toml");
    assert!(manifest.contains("brief, of two requests") && manifest.contains("--emit --brief"), "{manifest}");
}

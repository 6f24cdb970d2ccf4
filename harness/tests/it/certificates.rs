//! Certificates and simulated campaigns as a person calls them.

use std::fs;
use std::process::Output;

use assert_cmd::Command;
use harness::gate::certificate::{Certificate, CertifiedCorpus};
use serde_json::Value;

use crate::emitted::Project;

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

/// A certificate that nobody issued; its name is right and its evidence isn't there.
fn certificate(project: &Project) -> String {
    let certificate = Certificate {
        schema: "certificate/1".to_owned(),
        feature: "auto-context".to_owned(),
        engine_digest: "0".repeat(64),
        model_artifact_sha256: None,
        policy_sha256: "0".repeat(64),
        corpora: vec![CertifiedCorpus { name: "none".to_owned(), sha256: "0".repeat(64) }],
        packs: Vec::new(),
        tier: "recorded-model".to_owned(),
        alpha: 0.025,
        seed: 1,
        resamples: 999,
        criteria: Vec::new(),
        issued: "2026-11-01".to_owned(),
        expires: "2027-01-01".to_owned(),
    };
    let (name, text) = certificate.sealed().unwrap();
    fs::create_dir_all(project.path("certificates")).unwrap();
    project.write(&format!("certificates/{name}"), &text);
    format!("certificates/{name}")
}

#[test]
fn a_certificate_is_void_refused_or_revoked() {
    let project = Project::new();
    let file = certificate(&project);
    let verify = ["cert", "verify", &file, "--as-of", "2026-11-30"];
    let (code, text) = said(&harness(&project, &verify));
    assert_eq!(code, Some(20), "{text}");
    assert!(text.contains("another engine"), "{text}");
    let expired = ["cert", "verify", &file, "--as-of", "2027-01-01"];
    let (code, text) = said(&harness(&project, &expired));
    assert_eq!(code, Some(20));
    assert!(text.contains("expired on 2027-01-01"), "{text}");
    let revoke =
        ["cert", "revoke", &file, "--reason", "the nightly canary failed", "--as-of", "2026-11-30", "--json"];
    let output = harness(&project, &revoke);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output).1);
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&value["schema"], &value["feature"]), (&"revocation/1".into(), &"auto-context".into()));
    let (code, text) = said(&harness(&project, &verify));
    assert_eq!(code, Some(20));
    assert!(text.contains("revoked on 2026-11-30: the nightly canary failed"), "{text}");
    project.edit(&file, "recorded-model", "recorded-models");
    assert_eq!(said(&harness(&project, &verify)).0, Some(65), "an altered certificate");
    project.write("certificates/revoked.jsonl", "not a list\n");
    assert_eq!(said(&harness(&project, &["gate", "--as-of", "2026-11-30", "--out", "out"])).0, Some(65));
}

#[test]
fn a_size_is_announced_and_a_campaign_emitted() {
    let project = Project::new();
    let size = ["power", "--size", "0.9", "--effect", "0.02", "--cost-ratio", "0.8", "--json"];
    let value: Value = serde_json::from_slice(&harness(&project, &size).stdout).unwrap();
    assert_eq!(value["size"]["scenarios"], 214);
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

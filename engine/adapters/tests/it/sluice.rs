//! The command `sluice`: exit codes, both outputs, and what a kill leaves.

use std::fs;
use std::path::Path;
use std::process::{Command as Process, Stdio};
use std::time::Duration;

use assert_cmd::Command;
use engine::builtin::Settings;
use engine::learn::seal::{
    CERTIFICATE_SCHEMA, Certificate, CertifiedBounds, CertifiedCorpus, LEARNED_RANKER, Revocation,
    Revocations,
};
use engine::learn::{SHIPPED_ARTIFACT, static_ranking};
use engine::message::sha256_hex;
use engine::plan::FileOrder;
use engine::project::{ExcludePolicy, Index};

fn sluice(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sluice"));
    command.current_dir(folder).env("NO_COLOR", "1").args(arguments);
    command
}

/// A small project; the folder goes when the value does.
fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let file = folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    write(
        "src/ledger.py",
        "\"\"\"Bookkeeping.\"\"\"\n\n\ndef close_year(book, year):\n    return book.closed + [year]\n",
    );
    write(
        "src/report.py",
        "from src.ledger import close_year\n\n\ndef yearly(book):\n    return close_year(book, 1)\n",
    );
    write("README.md", "# Books\n\nClose a year with `close_year`.\n");
    write(".env", "LEDGER_KEY=abc\n");
    folder
}

/// Exit code, standard output and standard error as one text, wall time taken out.
fn run(folder: &Path, arguments: &[&str]) -> String {
    let output = sluice(folder, arguments).output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let stdout: String = stdout
        .lines()
        .map(|line| match line.trim_start() {
            rest if rest.starts_with("\"seconds\":") => "  \"seconds\": TIME,\n".to_owned(),
            _ => match line.rsplit_once(", ").filter(|(_, last)| last.ends_with(" s")) {
                Some((head, _)) => format!("{head}, TIME\n"),
                None => format!("{line}\n"),
            },
        })
        .collect();
    let stderr = String::from_utf8(output.stderr).unwrap();
    format!("code {}\n--- stdout\n{stdout}--- stderr\n{stderr}", output.status.code().unwrap())
}

#[test]
fn index_then_status() {
    let project = project();
    insta::assert_snapshot!("status_missing", run(project.path(), &["status"]));
    assert!(!project.path().join(".sluice").exists(), "asking makes no state");
    insta::assert_snapshot!("index_cold", run(project.path(), &["index"]));
    insta::assert_snapshot!("index_warm_json", run(project.path(), &["index", "--json"]));
    insta::assert_snapshot!("status_fresh_json", run(project.path(), &["status", "--json"]));
    fs::write(project.path().join("src/new.py"), "x = 1\n").unwrap();
    insta::assert_snapshot!("status_stale", run(project.path(), &["status"]));
}

#[test]
fn impact_tells_what_a_change_may_break() {
    let project = project();
    let test = project.path().join("src/test_ledger.py");
    fs::write(test, "from src.report import yearly\n").unwrap();
    insta::assert_snapshot!(
        "impact_text",
        run(project.path(), &["impact", "./src/ledger.py", "src/gone.py"])
    );
    insta::assert_snapshot!(
        "impact_json",
        run(project.path(), &["impact", "src/ledger.py", "--depth", "1", "--json"])
    );
    insta::assert_snapshot!("impact_outside", run(project.path(), &["impact", "../ledger.py"]));
    insta::assert_snapshot!("impact_no_history", run(project.path(), &["impact"]));
}

#[test]
fn search_and_pack_refresh_first() {
    let project = project();
    insta::assert_snapshot!("search_text", run(project.path(), &["search", "closing a year twice"]));
    insta::assert_snapshot!(
        "search_json",
        run(project.path(), &["search", "close_year", "--limit", "1", "--json"])
    );
    insta::assert_snapshot!(
        "pack_text",
        run(project.path(), &["pack", "closing a year twice", "--tokens", "200"])
    );
    insta::assert_snapshot!(
        "pack_json",
        run(project.path(), &["pack", "yearly report", "--tokens", "120", "--json"])
    );
}

/// A certificate of the shipped model for packs of 120 tokens, as the gate would issue one.
fn certificate() -> Certificate {
    let settings = Settings { pack_tokens: 120, order: FileOrder::Learned, ..Settings::default() };
    let configuration = settings.canonical_config();
    Certificate {
        schema: CERTIFICATE_SCHEMA.to_owned(),
        feature: LEARNED_RANKER.to_owned(),
        verdict: "PROMOTE".to_owned(),
        engine_sources_sha256: engine::ENGINE_SOURCES_SHA256.to_owned(),
        engine_digest: engine::engine_digest(&configuration),
        configuration,
        static_ranking_sha256: Some(static_ranking()),
        model_artifact_sha256: Some(sha256_hex(SHIPPED_ARTIFACT.as_bytes())),
        policy_sha256: "1".repeat(64),
        corpora: vec![CertifiedCorpus { name: "recorded".to_owned(), sha256: "2".repeat(64) }],
        packs: Vec::new(),
        tier: "recorded-model".to_owned(),
        alpha: 0.025,
        seed: 1,
        resamples: 9_999,
        criteria: vec![CertifiedBounds {
            id: "gold-recall".to_owned(),
            delta: Some(0.1),
            low: Some(0.05),
            high: Some(0.15),
            margin: Some(0.0),
        }],
        issued: "2026-11-01".to_owned(),
        expires: "2027-01-30".to_owned(),
    }
}

#[test]
fn a_pack_goes_by_the_learned_order_only_with_a_certificate_that_counts() {
    let project = project();
    let certificates = tempfile::tempdir().unwrap();
    let keep = |certificate: Certificate| {
        let (name, text) = certificate.to_file();
        let file = certificates.path().join(&name);
        fs::write(&file, text).unwrap();
        (file.to_str().unwrap().to_owned(), name)
    };
    let packed = |file: &str, day: &str, tokens: &str| {
        let arguments =
            ["pack", "yearly report", "--tokens", tokens, "--certificate", file, "--as-of", day, "--json"];
        let output = sluice(project.path(), &arguments).output().unwrap();
        assert!(output.status.success());
        let value: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        format!("{}\n{}{stderr}", value["order"], value["files"])
    };
    let (sound, name) = keep(certificate());
    let (synthetic, _) = keep(Certificate { tier: "synthetic".to_owned(), ..certificate() });
    let altered = certificates.path().join(format!("{}.json", "0".repeat(64)));
    fs::write(&altered, fs::read(&sound).unwrap()).unwrap();
    let mut told = vec![
        ("sound", packed(&sound, "2026-11-30", "120")),
        ("another budget than was promoted", packed(&sound, "2026-11-30", "121")),
        ("expired", packed(&sound, "2027-01-30", "120")),
        ("of a synthetic campaign", packed(&synthetic, "2026-11-30", "120")),
        ("renamed", packed(altered.to_str().unwrap(), "2026-11-30", "120")),
    ];
    let revocation =
        Revocation { date: "2026-11-20".parse().unwrap(), reason: "the nightly canary failed".to_owned() };
    let list = certificates.path().join("revoked.jsonl");
    fs::write(&list, Revocations::line(&name, &revocation) + "\n").unwrap();
    told.push(("revoked", packed(&sound, "2026-11-30", "120")));
    fs::write(&list, "not a list\n").unwrap();
    told.push(("nobody knows what is revoked", packed(&sound, "2026-11-30", "120")));
    fs::write(&list, b"\xff\n").unwrap();
    told.push(("the list is no text", packed(&sound, "2026-11-30", "120")));
    insta::assert_debug_snapshot!("pack_certificates", told);
    let absent = run(project.path(), &["pack", "x", "--certificate", "absent.json"]);
    assert!(absent.starts_with("code 74\n") && absent.contains("read absent.json"), "{absent}");
}

/// The command waited for a writer that never came.
#[cfg(unix)]
#[test]
fn a_pipe_in_the_place_of_a_certificate_is_refused() {
    let project = project();
    let pipe = project.path().join("certificate.json");
    assert!(Process::new("mkfifo").arg(&pipe).status().unwrap().success());
    let told = run(project.path(), &["pack", "x", "--certificate", "certificate.json"]);
    assert!(told.starts_with("code 74\n") && told.contains("not a regular file"), "{told}");
}

#[test]
fn each_failure_is_one_line_with_its_code() {
    let project = project();
    let root = project.path();
    insta::assert_snapshot!("unknown_flag", run(root, &["index", "--no-such-flag"]));
    insta::assert_snapshot!("negated_pattern", run(root, &["index", "--exclude", "!x"]));
    insta::assert_snapshot!("missing_root", run(root, &["index", "--root", "absent"]));
    insta::assert_snapshot!("root_is_a_file", run(root, &["search", "x", "--root", "README.md"]));
    insta::assert_snapshot!("no_tokens", run(root, &["pack", "x", "--tokens", "0"]));
    fs::create_dir(root.join("bad")).unwrap();
    fs::write(root.join("bad/index.sqlite"), "not a database at all".repeat(100)).unwrap();
    insta::assert_snapshot!("not_an_index", run(root, &["search", "x", "--state", "bad"]));
}

#[test]
fn what_index_excluded_stays_excluded_for_the_other_verbs() {
    let project = project();
    sluice(project.path(), &["index", "--exclude", "src/ledger.py"]).assert().success();
    let found = run(project.path(), &["search", "close_year"]);
    assert!(!found.contains("src/ledger.py"), "{found}");
    let packed = run(project.path(), &["pack", "close_year"]);
    assert!(!packed.contains("book.closed"), "{packed}");
    sluice(project.path(), &["index"]).assert().success();
    assert!(run(project.path(), &["search", "close_year"]).contains("src/ledger.py"));
}

#[test]
fn protected_files_appear_nowhere() {
    let project = project();
    let packed = run(project.path(), &["pack", "LEDGER_KEY in .env", "--json"]);
    assert!(!packed.contains("LEDGER_KEY=abc"), "{packed}");
    let bytes = fs::read(project.path().join(".sluice/index.sqlite")).unwrap();
    assert!(!bytes.windows(10).any(|w| w.eq_ignore_ascii_case(b"ledger_key") || w == b"LEDGER_KEY"));
}

#[test]
fn sync_tells_what_became_of_each_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("session.jsonl");
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-11-01T10:00:00.000Z"}"#;
    let entry = r#"{"type":"message","id":"a","parentId":null,"timestamp":"2026-11-01T10:00:01.000Z","message":{"role":"user","content":"hi"}}"#;
    fs::write(&log, format!("{header}\n{entry}\n")).unwrap();
    fs::write(folder.path().join("notes.txt"), "{\"a\":1}\n").unwrap();
    let sync = |arguments: &[&str]| run(folder.path(), &[&["sync", "--state", "state"], arguments].concat());
    insta::assert_snapshot!("sync_new", sync(&["session.jsonl"]));
    fs::write(&log, format!("{header}\n{entry}\n{{\"type\":\"mess")).unwrap();
    insta::assert_snapshot!("sync_torn_json", sync(&["session.jsonl", "--json"]));
    fs::write(&log, format!("{header}\n")).unwrap();
    insta::assert_snapshot!("sync_truncated", sync(&["session.jsonl"]));
    insta::assert_snapshot!(
        "sync_drop_ended",
        sync(&["session.jsonl", "--drop-ended", "--no-figures", "--json"])
    );
    insta::assert_snapshot!("sync_failures", sync(&["absent.jsonl", "notes.txt", "session.jsonl"]));
    fs::create_dir(folder.path().join("bad")).unwrap();
    fs::write(folder.path().join("bad/sync.sqlite"), "not a database at all".repeat(100)).unwrap();
    insta::assert_snapshot!(
        "sync_not_a_state",
        run(folder.path(), &["sync", "session.jsonl", "--state", "bad"])
    );
}

#[test]
fn help_of_every_verb_shows_an_example() {
    let project = project();
    for verb in ["index", "status", "search", "pack", "sync"] {
        let help = run(project.path(), &[verb, "--help"]);
        assert!(help.contains("Example:\n  sluice "), "{help}");
    }
}

/// Kills an index run at moments spread over its whole length: whatever was left, the next run ends with the same rows as a
/// run that was never disturbed.
#[test]
fn a_kill_at_any_moment_leaves_a_state_from_which_the_next_run_gets_the_same_rows() {
    let project = project();
    for n in 0..150 {
        let text = format!(
            "import os\n\n\nclass Part{n}:\n    def run_{n}(self, value):\n        return value + {n}\n"
        );
        fs::write(project.path().join(format!("src/part{n:03}.py")), text.repeat(12)).unwrap();
    }
    let digest = |state: &Path| {
        let mut index = Index::open(state, ExcludePolicy::built_in_only()).unwrap();
        index.refresh(project.path()).unwrap();
        index.digest().unwrap()
    };
    let undisturbed = tempfile::tempdir().unwrap();
    let expected = digest(&undisturbed.path().join("state"));
    let mut killed = 0;
    for round in 0..12_u64 {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let mut child = Process::new(env!("CARGO_BIN_EXE_sluice"))
            .args(["index", "--root"])
            .arg(project.path())
            .arg("--state")
            .arg(&state)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(15 * round * round));
        killed += u32::from(child.try_wait().unwrap().is_none());
        // SIGKILL on Unix: no handler, no destructor.
        let _ = child.kill();
        child.wait().unwrap();
        assert_eq!(digest(&state), expected, "round {round}");
    }
    assert!(killed > 0, "at least the first runs must be hit");
}

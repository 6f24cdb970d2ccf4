//! `import`, `context` and `quality` through the binary.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use engine::message::stable_json;
use serde_json::{Value, json};

/// A folder of real input that doesn't ship with the project, or `None` (said on standard error) where it is absent.
fn shared(under: &str) -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared");
    let root = std::env::var_os("SLUICE_SHARED").map_or_else(beside, PathBuf::from);
    let folder = root.join(under);
    if folder.is_dir() {
        return Some(folder);
    }
    // Past the capture of test output: a skipped test must be seen.
    writeln!(std::io::stderr(), "skipped: {} is absent", folder.display()).expect("standard error is open");
    None
}

struct Ran {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {}{}", self.stdout, self.stderr))
    }

    /// Exit code, standard output and standard error: the folder's own name replaced, members of JSON sorted (their
    /// order depends on which crates are built together).
    fn shown(&self, folder: &Path) -> String {
        let neutral = |text: &str| text.replace(&folder.display().to_string(), "[folder]");
        let stdout = match serde_json::from_str::<Value>(&self.stdout) {
            Ok(json) => serde_json::to_string_pretty(&sorted(json)).unwrap() + "\n",
            Err(_) => self.stdout.clone(),
        };
        format!("exit {}\n{}--\n{}", self.code, neutral(&stdout), neutral(&self.stderr))
    }
}

fn sorted(json: Value) -> Value {
    match json {
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.into_iter().map(|(name, value)| (name, sorted(value))).collect();
            members.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(members.into_iter().collect())
        }
        other => other,
    }
}

fn harness<I: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = I>) -> Ran {
    let output =
        Command::new(env!("CARGO_BIN_EXE_harness")).args(arguments).env("NO_COLOR", "1").output().unwrap();
    Ran {
        code: output.status.code().unwrap(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

fn import(paths: &[&Path], out: &Path, flags: &[&str]) -> Ran {
    let mut arguments = vec!["import".into()];
    arguments.extend(paths.iter().map(|path| path.as_os_str().to_owned()));
    arguments.extend(["--out".into(), out.as_os_str().to_owned()]);
    arguments.extend(flags.iter().map(Into::into));
    harness(arguments)
}

/// A session of a person, a reply with a tool call, its result and an answer.
fn specimen() -> Vec<String> {
    let usage = |input: u32, read: u32| json!({"input": input, "output": 20, "cacheRead": read, "cacheWrite": 5, "reasoning": 3, "cost": {"total": 0.5}});
    let entry = |id: &str, parent: Option<&str>, message: Value| json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-11-29T23:45:25.336Z", "message": message});
    let call = json!({"type": "toolCall", "id": "t", "name": "read", "arguments": {"path": "src/lib.rs"}});
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    [
        json!({"type": "session", "version": 3, "id": "s1", "timestamp": "2026-11-29T23:45:24.928Z", "cwd": "/home/user"}),
        entry("a", None, json!({"role": "user", "content": "read the library"})),
        entry("b", Some("a"), json!({"role": "assistant", "content": [call], "stopReason": "toolUse", "usage": usage(10, 0)})),
        entry("c", Some("b"), json!({"role": "toolResult", "toolCallId": "t", "toolName": "read", "content": text("fn main() {}")})),
        entry("d", Some("c"), json!({"role": "assistant", "content": text("done"), "stopReason": "stop", "usage": usage(4, 30)})),
    ]
    .map(|line| stable_json(&line))
    .to_vec()
}

fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn import_gives_figures_and_private_copies() {
    let folder = tempfile::tempdir().unwrap();
    let text = specimen().join("\n") + "\n";
    let session = write(folder.path(), "s.jsonl", &text);
    let out = folder.path().join("out");
    let ran = import(&[&session], &out, &["--json"]);
    insta::assert_snapshot!(ran.shown(folder.path()));

    let stored = out.join(ran.json()["sessions"][0]["stored"].as_str().unwrap());
    assert_eq!(fs::read_to_string(&stored).unwrap(), text);
    assert_eq!(fs::read_to_string(&session).unwrap(), text);
    assert_eq!(fs::read_to_string(out.join(".gitignore")).unwrap(), "*\n");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(
        [mode(&out), mode(&out.join("sessions")), mode(&stored), mode(&out.join("import.json"))],
        [0o700, 0o700, 0o600, 0o600]
    );
    let manifest = fs::read_to_string(out.join("import.json")).unwrap();
    assert!(!manifest.contains(&folder.path().display().to_string()));
    import(&[&session], &out, &[]);
    assert_eq!(fs::read_to_string(out.join("import.json")).unwrap(), manifest);
    assert_eq!(fs::read_dir(out.join("sessions")).unwrap().count(), 1);
}

#[test]
fn import_reports_fused_and_torn_lines_and_tells_the_views_apart() {
    let folder = tempfile::tempdir().unwrap();
    let lines = specimen();
    let torn = &lines[4][..lines[4].len() - 7];
    let text = format!("{}\n{}\n{}{}\n{torn}", lines[0], lines[1], lines[2], lines[3]);
    let session = write(folder.path(), "damaged.jsonl", text);
    let ran = import(&[&session], &folder.path().join("agent"), &["--json"]);
    let agent = ran.json()["sessions"][0].clone();
    let faults: Vec<_> = agent["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|w| (w["code"].clone(), w["line"].clone()))
        .collect();
    assert_eq!(ran.code, 0);
    assert_eq!(faults, [(json!("fused_line"), json!(3)), (json!("torn_tail"), json!(4))]);
    assert_eq!(
        [&agent["view"], &agent["requests"], &agent["salvaged"]["requests"]],
        [&json!("agent"), &json!(0), &json!(1)]
    );
    let ran = import(&[&session], &folder.path().join("salvaged"), &["--json", "--view", "salvaged"]);
    let salvaged = ran.json()["sessions"][0].clone();
    assert_eq!([&salvaged["view"], &salvaged["requests"]], [&json!("salvaged"), &json!(1)]);
    assert_eq!([&salvaged["entries"], &agent["entries"]], [&json!(4), &json!(4)]);
}

#[test]
fn import_says_what_it_cannot_read_and_imports_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let good = write(folder.path(), "good.jsonl", specimen().join("\n"));
    let empty = write(folder.path(), "empty.jsonl", "");
    let newer =
        write(folder.path(), "newer.jsonl", specimen().join("\n").replace("\"version\":3", "\"version\":7"));
    let foreign = write(folder.path(), "foreign.jsonl", "{\"uuid\":\"u\"}\n");
    let missing = folder.path().join("missing.jsonl");
    let run =
        |paths: &[&Path], name: &str| import(paths, &folder.path().join(name), &[]).shown(folder.path());
    let shown = [
        run(&[&good, &empty, &newer], "warnings"),
        run(&[&good, &foreign], "foreign"),
        run(&[&good, &foreign, &missing], "missing"),
    ];
    insta::assert_snapshot!(shown.join("\n====\n"));
}

#[test]
fn import_refuses_what_it_cannot_do() {
    let folder = tempfile::tempdir().unwrap();
    let session = write(folder.path(), "s.jsonl", specimen().join("\n"));
    let foreign = folder.path().join("foreign");
    fs::create_dir(&foreign).unwrap();
    write(&foreign, "notes.txt", "mine");
    let out = folder.path().join("out");
    let shown = [
        import(&[&session], &out, &["--redact"]),
        import(&[&session], &out, &["--format", "codex"]),
        import(&[&session], &foreign, &[]),
    ]
    .map(|ran| ran.shown(folder.path()));
    insta::assert_snapshot!(shown.join("\n====\n"));
    assert_eq!(import(&[&session], &out, &["--no-such"]).code, 64);
    assert!(!out.exists());
}

#[test]
fn import_searches_folders_in_a_fixed_order() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("logs");
    fs::create_dir_all(root.join("b/deeper")).unwrap();
    for name in ["b/deeper/2.jsonl", "a.jsonl", "b/1.jsonl", "b/notes.txt"] {
        write(&root, name, specimen().join("\n"));
    }
    let ran = import(&[&root], &folder.path().join("out"), &["--json"]).json();
    let paths: Vec<_> =
        ran["sessions"].as_array().unwrap().iter().map(|s| s["path"].as_str().unwrap()).collect();
    let names: Vec<_> = paths.iter().map(|path| path.rsplit("logs/").next().unwrap()).collect();
    assert_eq!(names, ["a.jsonl", "b/1.jsonl", "b/deeper/2.jsonl"]);
}

/// Figures of the provenance table: entries, turns, tool calls, requests, input, output, cache read, cache write.
const TABLE: [(&str, [u64; 8]); 3] = [
    ("agentsessions-pi-small.v3.jsonl", [9, 2, 0, 2, 24, 14, 0, 0]),
    ("pimono-before-compaction.v1.jsonl", [1003, 55, 454, 484, 3689, 187_895, 54_693_675, 1_685_320]),
    ("pimono-large-session.v1.jsonl", [1019, 88, 391, 453, 1049, 83_156, 43_229_469, 4_296_232]),
];

#[test]
fn import_of_real_sessions_has_the_figures_of_their_provenance() {
    let Some(corpus) = shared("corpora/pi") else { return };
    let folder = tempfile::tempdir().unwrap();
    let ran = import(&[&corpus], &folder.path().join("out"), &["--json"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let json = ran.json();
    let sessions = json["sessions"].as_array().unwrap();
    let figures = sessions.iter().map(|session| {
        let usage = &session["usage"];
        assert_eq!(usage["known_requests"], session["requests"]);
        assert_eq!(session["views_differ"], json!(false));
        let counts = ["entries", "user_turns", "tool_calls", "requests"].map(|name| &session[name]);
        let sums = ["input", "output", "cache_read", "cache_write"].map(|name| &usage[name]);
        let all: Vec<u64> = counts.into_iter().chain(sums).map(|count| count.as_u64().unwrap()).collect();
        (session["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned(), all)
    });
    let wanted = TABLE.map(|(name, figures)| (name.to_owned(), figures.to_vec()));
    assert_eq!(figures.collect::<Vec<_>>(), wanted);
}

#[test]
fn context_shows_what_the_agent_holds() {
    let folder = tempfile::tempdir().unwrap();
    let session = write(folder.path(), "s.jsonl", specimen().join("\n"));
    let run = |flags: &[&str]| {
        let mut arguments = vec!["context", session.to_str().unwrap()];
        arguments.extend(flags);
        harness(arguments)
    };
    let shown = [run(&["--leaf", "4", "--json"]), run(&[]), run(&["--leaf", "1"]), run(&["--leaf", "99"])];
    insta::assert_snapshot!(shown.map(|ran| ran.shown(folder.path())).join("\n====\n"));
    assert_eq!(harness(["context", folder.path().join("missing").to_str().unwrap()]).code, 74);
    assert_eq!(harness(["context", write(folder.path(), "x", "hello\n").to_str().unwrap()]).code, 65);
}

#[test]
fn context_selects_what_pi_selects() {
    let Some(corpora) = shared("corpora") else { return };
    for entry in fs::read_dir(corpora.join("pi-oracle")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let oracle: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let name = oracle["file"].as_str().unwrap();
        let places = ["pi", "pi-recorded"].map(|folder| corpora.join(folder).join(name));
        let session = places.into_iter().find(|place| place.exists()).unwrap();
        let leaf = oracle["leaves"].as_array().unwrap().last().unwrap();
        let line = leaf["leafLine"].to_string();
        let ran = harness(["context", session.to_str().unwrap(), "--leaf", &line, "--json"]).json();
        assert_eq!(ran["selected"], leaf["selected"], "{name} at line {line}");
        assert_eq!(ran["leaf_line"], leaf["leafLine"]);
    }
}

#[test]
fn quality_has_the_published_figures() {
    let Some(folder) = shared("conformance/ds4") else { return };
    let ran = harness(["quality", "--corpus", folder.join("corpus-v1.json").to_str().unwrap(), "--json"]);
    let published: Value =
        serde_json::from_slice(&fs::read(folder.join("context-quality-comparison.json")).unwrap()).unwrap();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.json()["strategies"], published["strategies"]);
    assert_eq!(ran.json()["deltasFromBaseline"], published["deltasFromBaseline"]);
}

#[test]
fn quality_refuses_what_is_no_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let bad = write(
        folder.path(),
        "bad.json",
        r#"{"schemaVersion":1,"corpusVersion":"c","fixtures":[{"schemaVersion":1}]}"#,
    );
    let shown = harness(["quality", "--corpus", bad.to_str().unwrap()]).shown(folder.path());
    insta::assert_snapshot!(shown);
    assert_eq!(harness(["quality", "--corpus", folder.path().join("none").to_str().unwrap()]).code, 74);
}

#[cfg(unix)]
#[test]
fn what_could_block_or_never_end_is_refused_before_it_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out").display().to_string();
    for arguments in [
        vec!["context", "/dev/zero"],
        vec!["quality", "--corpus", "/dev/zero"],
        vec!["import", "/dev/zero", "--out", &out],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_harness")).args(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(74), "{arguments:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("not a regular file"), "{arguments:?}");
    }
}

fn export(session: &Path, out: &Path, flags: &[&str]) -> Ran {
    let mut arguments = vec!["export".into(), session.as_os_str().to_owned()];
    arguments.extend(["--out".into(), out.as_os_str().to_owned()]);
    arguments.extend(flags.iter().map(Into::into));
    harness(arguments)
}

#[test]
fn export_writes_a_private_session_and_tells_the_losses() {
    let folder = tempfile::tempdir().unwrap();
    let session = write(folder.path(), "s.jsonl", specimen().join("\n") + "\n");
    let out = folder.path().join("exported.jsonl");
    insta::assert_snapshot!("export_json", export(&session, &out, &["--json"]).shown(folder.path()));
    let mode = fs::metadata(&out).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    let hashes = |path: &Path| {
        let shown = harness(["context".as_ref(), path.as_os_str(), "--json".as_ref()]);
        let shown: Value = serde_json::from_str(&shown.stdout).unwrap();
        let messages = shown["messages"].as_array().unwrap().clone();
        messages
            .into_iter()
            .map(|message| (message["role"].clone(), message["sha256"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(hashes(&out), hashes(&session));
    let written = fs::read(&out).unwrap();
    insta::assert_snapshot!("export_never_overwrites", export(&session, &out, &[]).shown(folder.path()));
    assert_eq!(fs::read(&out).unwrap(), written);
    insta::assert_snapshot!(
        "export_text",
        export(&session, &folder.path().join("b.jsonl"), &[]).shown(folder.path())
    );
    let notes = write(folder.path(), "notes.txt", "hello\n");
    insta::assert_snapshot!(
        "export_no_session",
        export(&notes, &folder.path().join("c.jsonl"), &[]).shown(folder.path())
    );
    let header = write(folder.path(), "header.jsonl", format!("{}\n", specimen()[0]));
    insta::assert_snapshot!(
        "export_of_nothing",
        export(&header, &folder.path().join("d.jsonl"), &[]).shown(folder.path())
    );
    assert!(!folder.path().join("c.jsonl").exists() && !folder.path().join("d.jsonl").exists());
}

//! `import` through the binary: copies, figures, resuming, duplicates, long strings.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::logs::{harness, import, shared, specimen, write};

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
    let again = import(&[&session], &out, &["--json"]).json();
    assert_eq!(again["reused"], 1);
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
    let ran = import(&[&session], &folder.path().join("agent"), &["--json", "--view", "agent"]);
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
    // What was billed was billed, whoever can still read it.
    let ran = import(&[&session], &folder.path().join("salvaged"), &["--json"]);
    let salvaged = ran.json()["sessions"][0].clone();
    assert_eq!(salvaged["agent"]["requests"], 0);
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
    let tree = folder.path().join("tree");
    fs::create_dir_all(tree.join(".git")).unwrap();
    let short_key = write(folder.path(), "short.key", "1234");
    let short_key = short_key.to_str().unwrap();
    let shown = [
        import(&[&session], &foreign, &[]),
        import(&[&session], &tree.join("out"), &[]),
        import(&[&session], &folder.path().join("keyed"), &["--redact", "--redact-key", short_key]),
        import(&[&session], &out, &["--redact-key", short_key]),
        import(&[&session], &out, &["--dry-run"]),
        harness(["import", session.to_str().unwrap()]),
    ]
    .map(|ran| ran.shown(folder.path()));
    insta::assert_snapshot!(shown.join("\n====\n"));
    assert_eq!(import(&[&session], &out, &["--no-such"]).code, 64);
    assert!(!out.exists() && !tree.join("out").exists());
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
    // An import doesn't read what it writes.
    let inside = |_: u8| import(&[&root], &root.join("out"), &["--json"]).json()["sessions"].clone();
    assert_eq!([0, 1].map(inside).map(|sessions| sessions.as_array().unwrap().len()), [3, 3]);
}

/// Every file below a folder with its content, the lock aside.
fn content(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// A fork as Pi writes it: a header that names the parent, the parent's entries with their identifiers and times, then
/// entries of its own.
fn fork(of: &[String], own: usize) -> Vec<String> {
    let mut lines = of.to_vec();
    lines[0] = json!({"type": "session", "version": 3, "id": "s2", "timestamp": "2026-11-30T08:00:00.000Z",
        "cwd": "/home/user", "parentSession": "/home/user/.pi/agent/sessions/x/2026-11-29T23-45-24-928Z_s1.jsonl"})
    .to_string();
    for number in 0..own {
        let usage = json!({"input": 1, "output": 2, "cacheRead": 3, "cacheWrite": 4});
        let message = json!({"role": "assistant", "content": "more", "stopReason": "stop", "usage": usage});
        lines.push(
            json!({"type": "message", "id": format!("own{number}"), "parentId": "d",
                "timestamp": "2026-11-30T08:01:00.000Z", "message": message})
            .to_string(),
        );
    }
    lines
}

#[test]
fn import_counts_history_of_forks_and_copies_once() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("logs");
    fs::create_dir_all(&root).unwrap();
    // The fork sorts before its parent, so that the order of paths can't be what decides.
    write(&root, "a-fork.jsonl", fork(&specimen(), 1).join("\n") + "\n");
    write(&root, "b-parent.jsonl", specimen().join("\n") + "\n");
    write(&root, "c-copy.jsonl", specimen().join("\n") + "\n");
    let json = import(&[&root], &folder.path().join("out"), &["--json"]).json();
    let figures = |name: &str| -> Vec<Value> {
        json["sessions"].as_array().unwrap().iter().map(|session| session[name].clone()).collect()
    };
    assert_eq!(figures("requests"), [3, 2, 2]);
    assert_eq!(figures("requests_own"), [1, 2, 0]);
    assert_eq!(figures("duplicate_requests"), [2, 0, 2]);
    let stored = figures("stored");
    assert_eq!(stored[1], stored[2]);
    assert_eq!(figures("parent"), [stored[1].clone(), Value::Null, Value::Null]);
    assert_eq!(figures("copy_of"), [Value::Null, Value::Null, stored[1].clone()]);
    let fault = &json["sessions"][0]["warnings"][0];
    assert_eq!([&fault["code"], &fault["line"]], [&json!("duplicate_history"), &json!(3)]);
    assert!(fault["message"].as_str().unwrap().contains(stored[1].as_str().unwrap()));
    let totals = &json["totals"];
    assert_eq!([&totals["requests"], &totals["duplicate_requests"]], [&json!(3), &json!(4)]);
    assert_eq!(totals["usage"]["output"], 42);
    assert_eq!(fs::read_dir(folder.path().join("out/sessions")).unwrap().count(), 2);

    let apart = import(&[&root], &folder.path().join("apart"), &["--json", "--no-dedup"]).json();
    assert_eq!(apart["totals"]["requests"], 7);
    assert_eq!(apart["sessions"][0]["warnings"], json!([]));
}

#[test]
fn import_is_the_same_on_any_number_of_threads_and_in_any_order() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("logs");
    fs::create_dir_all(root.join("deep")).unwrap();
    for number in 0..12 {
        let lines = fork(&specimen(), number);
        write(&root, &format!("{number:02}.jsonl"), lines.join("\n"));
        write(&root, &format!("deep/{number:02}.jsonl"), lines[..=number.min(4)].join("\n"));
    }
    let run = |name: &str, jobs: &str, paths: &[&Path]| {
        let out = folder.path().join(name);
        let ran = import(paths, &out, &["--json", "--jobs", jobs]);
        (ran.code, ran.stdout, content(&out))
    };
    let one = run("one", "1", &[&root]);
    assert_eq!(one.0, 0);
    assert_eq!(run("many", "7", &[&root]), one);
    let spelled = root.join("deep/../deep");
    let twice = run("twice", "3", &[&root, &spelled, &root.join("00.jsonl")]);
    assert_eq!(twice.2, one.2);
}

#[test]
fn import_goes_on_where_it_was_killed() {
    killed_and_resumed(&[]);
}

#[test]
fn import_goes_on_where_it_was_killed_while_it_redacted() {
    let key = tempfile::NamedTempFile::new().unwrap();
    fs::write(key.path(), [7; 32]).unwrap();
    killed_and_resumed(&["--redact", "--redact-key", key.path().to_str().unwrap()]);
}

/// Kills imports at several points: what stands under a final name is whole, and the last import ends with the folder of one
/// that wasn't stopped.
fn killed_and_resumed(flags: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("logs");
    fs::create_dir_all(&root).unwrap();
    for number in 0..40 {
        let mut lines = fork(&specimen(), number);
        let filler =
            json!({"type": "custom", "id": "f", "parentId": "d", "data": "x".repeat(200_000)}).to_string();
        lines.extend((0..5).map(|_| filler.clone()));
        write(&root, &format!("{number:02}.jsonl"), lines.join("\n"));
    }
    let whole = folder.path().join("whole");
    let wanted = import(&[&root], &whole, &json_and(flags));
    let stopped = folder.path().join("stopped");
    let journal = stopped.join("journal.jsonl");
    let noted = || fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    let mut stops = 0;
    for files in [0, 1, 2, 5, 9, 14] {
        let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_harness"))
            .args([OsStr::new("import"), root.as_os_str(), OsStr::new("--out"), stopped.as_os_str()])
            .args(["--jobs", "2"])
            .args(flags)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let goal = noted() + files;
        while child.try_wait().unwrap().is_none() && (noted() < goal || !journal.exists()) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().unwrap();
        stops += u32::from(!child.wait().unwrap().success());
        for name in content(&stopped).into_keys().filter(|name| name.starts_with("sessions")) {
            assert!(whole.join(&name).exists(), "half a file under its final name: {}", name.display());
        }
    }
    // What a kill in the middle of a note leaves: a torn line, a copy without a name.
    let _ = fs::create_dir_all(stopped.join("partial"));
    write(&stopped.join("partial"), ".tmpX", "half");
    let mut file = fs::OpenOptions::new().create(true).append(true).open(&journal).unwrap();
    file.write_all(b"{\"schema\":\"import-jour").unwrap();
    let last = import(&[&root], &stopped, &json_and(flags));
    assert!(stops > 0, "no run was killed before its end");
    assert_eq!(last.json()["sessions"], wanted.json()["sessions"]);
    assert_eq!(content(&stopped), content(&whole));
    assert_eq!(import(&[&root], &stopped, &json_and(flags)).json()["reused"], 40);
}

fn json_and<'f>(flags: &[&'f str]) -> Vec<&'f str> {
    ["--json"].iter().chain(flags).copied().collect()
}

/// The name an agent gave a file tells another session than the log in it: people copy and rename files.
#[test]
fn name_mismatch_reaches_the_report_of_an_import() {
    let folder = tempfile::tempdir().unwrap();
    let text = specimen().join("\n") + "\n";
    let other = write(folder.path(), "2026-11-29T23-45-24-928Z_another.jsonl", &text);
    let own = write(folder.path(), "2026-11-29T23-45-24-928Z_s1.jsonl", &text);
    for flags in [&["--json"][..], &["--json", "--redact"]] {
        let out = folder.path().join(format!("out-{}", flags.len()));
        let json = import(&[&other, &own], &out, flags).json();
        let message = "the file's name has another identifier than the log: the log counts";
        let warning = json!({"code": "name_mismatch", "line": 1, "message": message});
        // Under redaction files come in the order that the key gives them, so either may be the first.
        let sessions = json["sessions"].as_array().unwrap();
        let told = |session: &&Value| session["warning_counts"].get("name_mismatch").is_some();
        let [session] = sessions.iter().filter(told).collect::<Vec<_>>()[..] else { panic!("{json}") };
        assert_eq!(sessions.len(), 2);
        assert_eq!(session["warning_counts"]["name_mismatch"], 1);
        assert!(session["warnings"].as_array().unwrap().contains(&warning), "{flags:?}: {session}");
        let journal = fs::read_to_string(out.join("journal.jsonl")).unwrap();
        assert_eq!(journal.matches("name_mismatch").count(), 2, "listed and counted: {journal}");
    }
    let shown = import(&[&other], &folder.path().join("text"), &[]).stdout;
    assert!(shown.contains("\nname_mismatch: 1 in 1 sessions, first "), "{shown}");
}

#[test]
fn import_replaces_a_log_that_grew_and_keeps_one_that_was_cut() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let lines = specimen();
    let log = write(folder.path(), "live.jsonl", lines[..3].join("\n") + "\n");
    let copies = || fs::read_dir(out.join("sessions")).unwrap().count();
    assert_eq!(import(&[&log], &out, &["--json"]).json()["totals"]["requests"], 1);
    write(folder.path(), "live.jsonl", lines.join("\n") + "\n");
    let grown = import(&[&log], &out, &["--json"]).json();
    assert_eq!([&grown["totals"]["requests"], &grown["reused"]], [&json!(2), &json!(0)]);
    assert_eq!(copies(), 1);
    write(folder.path(), "live.jsonl", lines[..2].join("\n") + "\n");
    let cut = import(&[&log], &out, &["--json"]).json();
    assert_eq!([&cut["totals"]["sessions"], &cut["totals"]["requests"]], [&json!(1), &json!(0)]);
    assert_eq!(copies(), 2);
    let manifest: Value = serde_json::from_slice(&fs::read(out.join("import.json")).unwrap()).unwrap();
    assert_eq!([&manifest["totals"]["sessions"], &manifest["totals"]["requests"]], [&json!(2), &json!(2)]);
}

#[test]
fn import_cuts_long_strings_out_and_keeps_them_once() {
    let folder = tempfile::tempdir().unwrap();
    let image = format!("iVBORw0KGgo{}", "Q".repeat(5000));
    let block = json!({"type": "image", "mimeType": "image/png", "data": image});
    let entry = |id: &str| {
        json!({"type": "message", "id": id, "parentId": "d", "timestamp": "2026-11-29T23:46:00.000Z", "message": {"role": "user", "content": [block]}}).to_string()
    };
    let text = [specimen(), vec![entry("e"), entry("f")]].concat().join("\n");
    let session = write(folder.path(), "s.jsonl", &text);
    let out = folder.path().join("out");
    let ran = import(&[&session], &out, &["--json", "--max-blob", "4000"]);
    let found = ran.json()["sessions"][0].clone();
    assert_eq!(found["blobs"], json!({"strings": 2, "bytes": 10022}));
    assert_eq!(found["stored_identical"], false);
    let stored = fs::read_to_string(out.join(found["stored"].as_str().unwrap())).unwrap();
    let hash = engine::message::sha256_hex(image.as_bytes());
    assert_eq!(stored, text.replace(&image, &format!("[image of 5011 bytes, sha256:{hash}]")));
    assert_eq!(engine::message::sha256_hex(stored.as_bytes()), found["stored_sha256"].as_str().unwrap());
    assert_eq!(engine::message::sha256_hex(text.as_bytes()), found["sha256"].as_str().unwrap());
    let kept: Vec<_> = content(&out.join("blobs")).into_iter().collect();
    assert_eq!(kept, [(PathBuf::from(hash), image.into_bytes())]);
    let whole = import(&[&session], &folder.path().join("whole"), &["--json"]).json();
    assert_eq!(whole["sessions"][0]["stored_identical"], true);
}

#[test]
fn import_reads_packed_logs_and_says_where_nothing_is() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("logs");
    fs::create_dir_all(root.join("empty")).unwrap();
    let text = specimen().join("\n") + "\n";
    let packed = zstd::encode_all(text.as_bytes(), 3).unwrap();
    write(&root, "a.jsonl.zst", &packed);
    write(&root, "b.jsonl.zstd", &packed);
    write(&root, "c.jsonl", &text);
    std::os::unix::fs::symlink(root.join("c.jsonl"), root.join("link.jsonl")).unwrap();
    let json = import(&[&root], &folder.path().join("out"), &["--json"]).json();
    let sessions = json["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 3);
    for session in sessions {
        assert_eq!([&session["requests"], &session["entries"]], [&json!(2), &json!(5)]);
    }
    assert_eq!(json["totals"]["requests"], 2);
    assert_eq!(sessions[0]["stored"], sessions[1]["stored"]);
    let stored = folder.path().join("out").join(sessions[0]["stored"].as_str().unwrap());
    assert_eq!(fs::read(stored).unwrap(), packed);

    let nothing = import(&[&root.join("empty")], &folder.path().join("none"), &[]);
    let dry = harness(["import", "--dry-run", root.to_str().unwrap()]);
    insta::assert_snapshot!([nothing, dry].map(|ran| ran.shown(folder.path())).join("\n====\n"));
}

/// A session in which a person's name, home, address, a key and an image stand in all places that a log has.
fn private_lines() -> Vec<String> {
    let token = format!("ghp_{}", "Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j");
    let image = format!("iVBORw0KGgo{}", "Q".repeat(400));
    let entry = |id: &str, parent: Option<&str>, message: Value| json!({"type": "message", "id": id, "parentId": parent, "timestamp": "2026-11-29T23:45:25.336Z", "message": message});
    let usage = json!({"input": 10, "output": 20, "cacheRead": 0, "cacheWrite": 5});
    let call = json!({"type": "toolCall", "id": "call_1", "name": "bash", "arguments": {"command": "cat /home/marisol/notes\ngit log --author marisol.kent@kent-works.org"}});
    let mut lines: Vec<String> = [
        json!({"type": "session", "version": 3, "id": "0192aa00-1111-7222-8333-444455556666", "timestamp": "2026-11-29T23:45:24.928Z", "cwd": "/home/marisol/project"}),
        entry("a1", None, json!({"role": "user", "content": format!("my token is {token}, ask marisol")})),
        entry("b2", Some("a1"), json!({"role": "assistant", "content": [call], "stopReason": "toolUse", "usage": usage, "model": "m"})),
        entry("c3", Some("b2"), json!({"role": "toolResult", "toolCallId": "call_1", "toolName": "bash", "content": [
            {"type": "text", "text": format!("{{\"token\": \"{token}\"}}\nC:\\Users\\marisol\\x")},
            {"type": "image", "mimeType": "image/png", "data": image}]})),
    ]
    .iter()
    .map(Value::to_string)
    .collect();
    lines.push(format!("not json: {token} of /home/marisol"));
    lines.push(lines[1].replace("a1", "d4") + &lines[1].replace("a1", "e5"));
    lines
}

#[test]
fn redacted_copies_hold_nothing_private_and_still_link() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("home/marisol/logs");
    fs::create_dir_all(&root).unwrap();
    write(&root, "a.jsonl", private_lines().join("\n") + "\n");
    // Her name stands here, but no path that tells it.
    write(&root, "b.jsonl", specimen().join("\n").replace("read the library", "ask Marisol about it"));
    write(&root, "no-session.jsonl", "{\"a\": \"of marisol\"}\n");
    let tree = folder.path().join("tree");
    fs::create_dir_all(tree.join(".git")).unwrap();
    let key = write(folder.path(), "key", "a key of this test");
    let keyed = ["--redact", "--redact-key", key.to_str().unwrap(), "--json"];
    let out = tree.join("out");
    let ran = import(&[&root], &out, &keyed);
    assert_eq!(ran.code, 65, "{}", ran.stderr);
    let private = ["marisol", "kent-works", "ghp_", "QQQQ"];
    let holds =
        |text: &str| private.into_iter().find(|word| text.to_lowercase().contains(&word.to_lowercase()));
    let unnamed = ran.stdout.replace(&folder.path().display().to_string(), "");
    assert_eq!(holds(&unnamed), None, "{unnamed}");
    for (name, bytes) in content(&out) {
        assert_eq!(holds(&String::from_utf8_lossy(&bytes)), None, "{}", name.display());
    }

    let json = ran.json();
    let session = &json["sessions"][0];
    let plain = import(&[&root], &folder.path().join("plain"), &["--json"]).json();
    let names = [
        "entries",
        "requests",
        "tool_calls",
        "user_turns",
        "usage",
        "tree_entries",
        "lines",
        "warning_counts",
        "id",
    ];
    for name in names {
        assert_eq!(session[name], plain["sessions"][0][name], "{name}");
    }
    assert_eq!([&session["sha256"], &session["stored_identical"]], [&Value::Null, &json!(false)]);
    let stored = fs::read_to_string(out.join(session["stored"].as_str().unwrap())).unwrap();
    for (old, new) in private_lines().iter().zip(stored.lines()) {
        let (old, new) = (serde_json::from_str::<Value>(old), serde_json::from_str::<Value>(new));
        assert_eq!(old.is_ok(), new.is_ok());
        let (Ok(old), Ok(new)) = (old, new) else { continue };
        for at in [
            "/id",
            "/parentId",
            "/type",
            "/timestamp",
            "/message/usage",
            "/message/toolCallId",
            "/message/content/0/id",
            "/message/toolName",
        ] {
            assert_eq!(old.pointer(at), new.pointer(at), "{at}");
        }
    }
    let again =
        import(&[&out.join(session["stored"].as_str().unwrap())], &folder.path().join("again"), &["--json"])
            .json();
    for name in names {
        assert_eq!(again["sessions"][0][name], session[name], "{name}");
    }

    // The key decides: the same bytes elsewhere, other bytes under another key, no second kind in one folder.
    let elsewhere = folder.path().join("elsewhere");
    import(&[&root], &elsewhere, &keyed);
    assert_eq!(content(&elsewhere), content(&out));
    let own_key = folder.path().join("own-key");
    assert_eq!(import(&[&root], &own_key, &["--redact"]).code, 65);
    assert_eq!(fs::metadata(own_key.join("redaction.key")).unwrap().permissions().mode() & 0o777, 0o600);
    assert_ne!(content(&own_key.join("sessions")), content(&out.join("sessions")));
    assert_eq!(import(&[&root], &elsewhere, &[]).code, 64);
    assert_eq!(import(&[&root], &folder.path().join("plain"), &keyed).code, 64);
    assert_eq!(import(&[&root], &out, &keyed).json()["reused"], 3);
}

#[test]
fn import_refuses_recordings_that_are_no_sessions() {
    let Some(corpora) = shared("corpora/pi-recorded") else { return };
    let folder = tempfile::tempdir().unwrap();
    let ran = import(&[&corpora], &folder.path().join("out"), &["--json"]);
    let json = ran.json();
    assert_eq!(ran.code, 65);
    let names = |list: &str| -> Vec<String> {
        let all = json[list].as_array().unwrap();
        all.iter().map(|file| file["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned()).collect()
    };
    assert_eq!(
        names("sessions"),
        [
            "rec1-anthropic-print.session.jsonl",
            "rec2-openai-rpc.session.jsonl",
            "rec3-fork-child.session.jsonl",
            "rec3-tree-compaction.session.jsonl"
        ]
    );
    assert_eq!(names("failed").len(), 8);
    for failure in json["failed"].as_array().unwrap() {
        assert_eq!(failure["code"], "not-a-session");
        assert!(!failure["message"].as_str().unwrap().is_empty());
    }
    // The fork of the third recording holds its beginning.
    let fork = &json["sessions"][2];
    assert_eq!(fork["parent"], json["sessions"][3]["stored"]);
    assert!(fork["duplicate_requests"].as_u64().unwrap() > 0);
}

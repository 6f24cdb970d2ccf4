//! Recording: exactly once whenever it is killed, everything stored that a row speaks of, and the real agent.

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use engine::message::sha256_hex;
use harness::corpus::Corpus;
use harness::qualify::check_qualifications;
use harness::record::{Plan, RecordError};
use proptest::prelude::*;
use serde_json::Value;

use super::recorder::{Mishap, Place, Quick, files, go};

fn rows(corpus: &Path) -> Vec<Value> {
    let text = fs::read_to_string(corpus.join("runs.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_scheduled_run_has_one_row_and_its_files() {
    let place = Place::new(&["one", "two"]);
    let plan = place.plan("corpus", 2);
    let agent = Quick::default();
    let (summary, notes) = go(&plan, &agent).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!((summary.rows.len(), summary.resumed, agent.calls.get()), (8, 0, 8));
    let rows = rows(&plan.out);
    let keys: Vec<String> = rows
        .iter()
        .map(|row| format!("{}/{}-{}", row["scenario"], row["variant"], row["repetition"]))
        .collect();
    assert!(keys.is_sorted() && keys.iter().collect::<BTreeSet<_>>().len() == 8);
    for row in &rows {
        assert_eq!(row["outcome"]["accepted"], row["repetition"] == 0, "{row}");
        assert_eq!(row["attempts"], serde_json::json!([]));
        let patch = fs::read_to_string(plan.out.join(row["patch"].as_str().unwrap())).unwrap();
        assert!(patch.contains("b/new.txt") && !patch.contains("hidden.txt"), "{patch}");
        let session = fs::read_to_string(plan.out.join(row["session"].as_str().unwrap())).unwrap();
        assert_eq!(session.contains("with a pack"), row["variant"] == "auto");
    }
    let tools: BTreeSet<String> = rows.iter().map(|row| row["tools_sha256"].to_string()).collect();
    assert_eq!(tools.len(), 1);
    assert!(!plan.home.exists(), "the home is gone");
    let manifest = fs::read_to_string(plan.out.join("corpus.toml")).unwrap();
    insta::assert_snapshot!(manifest.replace(plan.home.to_str().unwrap(), "/home/user"));
}

/// Codes of what a corpus says of its graders.
fn graders(corpus: &Path) -> Vec<&'static str> {
    let (corpus, faults) = Corpus::load(corpus).unwrap();
    assert!(faults.is_empty(), "{faults:?}");
    check_qualifications(&corpus).iter().map(|fault| fault.code.code()).collect()
}

#[test]
fn graders_are_asked_before_the_first_run_and_every_row_names_their_answers() {
    let place = Place::new(&["one", "two"]);
    let plan = place.plan("corpus", 1);
    let told = go(&plan, &Quick::with([(0, Mishap::Killed)])).unwrap_err();
    assert_eq!(told.to_string(), "killed");
    let answers = fs::read_to_string(plan.out.join("qualification/two.json")).unwrap();
    let masked = answers.lines().filter(|line| !line.contains("sha256")).collect::<Vec<_>>().join("\n");
    insta::assert_snapshot!(masked);
    let (_, notes) = go(&plan, &Quick::default()).unwrap();
    assert!(notes.is_empty(), "{notes:?}");
    assert_eq!(fs::read_to_string(plan.out.join("qualification/two.json")).unwrap(), answers);
    for row in rows(&plan.out) {
        assert_eq!(row["qualification"], format!("qualification/{}.json", row["scenario"].as_str().unwrap()));
        assert_eq!(row["model_artifact_sha256"], Value::Null);
    }
    assert!(graders(&plan.out).is_empty());
}

#[test]
fn a_grader_that_cannot_tell_is_in_quarantine_from_the_start() {
    for (command, told) in [
        ("[\"true\"]", "accepts the untouched repository 1 of 1 times, it must refuse it 5 of 5"),
        ("[\"false\"]", "accepts the reference patch 0 of 1 times, it must accept it 5 of 5"),
    ] {
        let place = Place::new(&["one", "two"]);
        place.grade_with("two", command);
        let plan = place.plan("corpus", 1);
        let (summary, notes) = go(&plan, &Quick::default()).unwrap();
        assert_eq!(summary.rows.len(), 4, "what was scheduled is recorded");
        assert!(notes.len() == 1 && notes[0].starts_with("two: ") && notes[0].contains(told), "{notes:?}");
        assert_eq!(graders(&plan.out), ["verifier-unqualified"]);
    }
}

#[test]
fn answers_of_graders_that_were_touched_are_no_evidence() {
    let place = Place::new(&["one"]);
    place.grade_with("one", "[\"true\"]");
    let plan = place.plan("corpus", 1);
    go(&plan, &Quick::default()).unwrap();
    let name = plan.out.join("qualification/one.json");
    let (answers, runs) = (fs::read_to_string(&name).unwrap(), rows(&plan.out));
    let write = |rows: &[Value]| {
        let lines: String = rows.iter().map(|row| row.to_string() + "\n").collect();
        fs::write(plan.out.join("runs.jsonl"), lines).unwrap();
    };
    // With every hash made right again.
    let rewritten = |change: &dyn Fn(&str) -> String| {
        let text = change(&answers);
        assert_ne!(text, answers);
        fs::write(&name, &text).unwrap();
        let mut rows = runs.clone();
        rows.iter_mut().for_each(|row| row["qualification_sha256"] = sha256_hex(text.as_bytes()).into());
        write(&rows);
        graders(&plan.out)
    };
    let claims: &dyn Fn(&str) -> String = &|text| {
        let (before, _) = text.split_once("\"quarantine\"").unwrap();
        format!("{before}\"quarantine\": null\n}}\n")
    };
    assert_eq!(rewritten(claims), ["qualification-mismatch"], "a claim that doesn't follow");
    let task: &dyn Fn(&str) -> String =
        &|text| text.replace("\"scenario_sha256\": \"", "\"scenario_sha256\": \"0");
    assert_eq!(rewritten(task), ["qualification-mismatch"], "of another task");
    let twice: &dyn Fn(&str) -> String = &|text| text.replacen('{', "{\"schema\":\"qualification/1\",", 1);
    assert_eq!(rewritten(twice), ["qualification-mismatch"], "a key that stands twice");
    fs::write(&name, answers.replace("\"asked\": 5", "\"asked\": 6")).unwrap();
    write(&runs);
    assert_eq!(graders(&plan.out), ["hash-mismatch"]);
    fs::remove_file(&name).unwrap();
    assert_eq!(graders(&plan.out), ["file-missing"]);
    fs::write(&name, &answers).unwrap();
    for row in 0..runs.len() {
        let mut rows = runs.clone();
        rows[row].as_object_mut().unwrap().remove("qualification");
        write(&rows);
        assert_eq!(graders(&plan.out), ["qualification-mismatch"], "row {row} names none");
    }
}

#[test]
fn a_complete_campaign_is_not_made_again() {
    let place = Place::new(&["one"]);
    let plan = place.plan("corpus", 1);
    go(&plan, &Quick::default()).unwrap();
    let before = files(&plan.out);
    let again = Quick::default();
    let (summary, _) = go(&plan, &again).unwrap();
    assert_eq!((again.calls.get(), summary.resumed), (0, 2));
    assert_eq!(files(&plan.out), before);
}

#[test]
fn a_changed_plan_does_not_go_on_in_the_same_folder() {
    let place = Place::new(&["one"]);
    go(&place.plan("corpus", 1), &Quick::default()).unwrap();
    let mut plan = place.plan("corpus", 1);
    plan.seed += 1;
    let error = go(&plan, &Quick::default()).unwrap_err().to_string();
    assert!(error.contains("holds another campaign"), "{error}");
    // A run that may take less time may fail where it didn't before.
    let mut plan = place.plan("corpus", 1);
    plan.limit = Duration::from_secs(2);
    let error = go(&plan, &Quick::default()).unwrap_err().to_string();
    assert!(error.contains("holds another campaign"), "{error}");
}

#[test]
fn a_stored_file_that_was_changed_is_recorded_again() {
    let place = Place::new(&["one"]);
    let plan = place.plan("corpus", 1);
    go(&plan, &Quick::default()).unwrap();
    let before = files(&plan.out);
    fs::write(plan.out.join("sessions/one/auto-0.jsonl"), "{}\n").unwrap();
    let again = Quick::default();
    let (_, notes) = go(&plan, &again).unwrap();
    assert_eq!((again.calls.get(), notes.len()), (1, 1));
    assert_eq!(files(&plan.out), before);
}

/// Whoever took away the files of a run that had failed was given another run of a real model for it, alone and untold.
#[test]
fn a_run_of_a_real_model_whose_files_are_gone_is_not_made_again() {
    let place = Place::new(&["one"]);
    let plan = place.plan("corpus", 1);
    let real = || Quick { real: true, ..Quick::default() };
    go(&plan, &real()).unwrap();
    fs::remove_file(plan.out.join("sessions/one/auto-0.jsonl")).unwrap();
    let before = files(&plan.out);
    let again = real();
    let told = go(&plan, &again).unwrap_err().to_string();
    assert!(told.contains("missing or changed") && told.contains("another folder"), "{told}");
    assert_eq!((again.calls.get(), files(&plan.out)), (0, before));
}

/// A complete corpus without its working state, as every clone of one is, was written over run by run.
#[test]
fn a_folder_that_holds_other_files_is_not_recorded_into() {
    let place = Place::new(&["one"]);
    let plan = place.plan("corpus", 1);
    go(&plan, &Quick::default()).unwrap();
    let before = files(&plan.out);
    let refused = |what: &str| {
        let told = go(&plan, &Quick::default()).unwrap_err();
        assert!(matches!(told, RecordError::Usage(_)), "{what}: {told}");
        assert!(
            told.to_string().ends_with("no journal of a recording: choose another --out"),
            "{what}: {told}"
        );
        assert_eq!(files(&plan.out), before, "{what}");
    };
    let state = plan.out.join(".record");
    fs::write(state.join("journal.jsonl"), "").unwrap();
    refused("an empty journal");
    fs::remove_file(state.join("journal.jsonl")).unwrap();
    refused("no journal");
    fs::remove_dir_all(&state).unwrap();
    refused("no working state");
    assert!(!state.exists(), "nothing is left in a folder that isn't ours");
}

/// Two recordings with homes of their own wrote one corpus; to open the journal cut off the line that the other was writing.
#[test]
fn two_recordings_never_write_into_one_folder_at_once() {
    let place = Place::new(&["one"]);
    let plan = place.plan("corpus", 1);
    fs::create_dir_all(plan.out.join(".record")).unwrap();
    let journal = plan.out.join(".record/journal.jsonl");
    fs::write(&journal, "{\"event\":\"beg").unwrap();
    let held = fs::File::open(plan.out.join(".record")).unwrap();
    held.lock().unwrap();
    let told = go(&plan, &Quick::default()).unwrap_err().to_string();
    assert!(told.contains("another command writes there"), "{told}");
    assert_eq!(fs::read_to_string(&journal).unwrap(), "{\"event\":\"beg");
    drop(held);
    go(&plan, &Quick::default()).unwrap();
}

/// Rows that stood before any campaign, or in another run's place, were taken as the campaign's own.
#[test]
fn a_journal_of_other_runs_is_refused() {
    let place = Place::new(&["one", "two"]);
    let plan = place.plan("corpus", 1);
    go(&plan, &Quick::default()).unwrap();
    let journal = plan.out.join(".record/journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    let before = files(&plan.out);
    let (_, runs) = text.split_once('\n').unwrap();
    let exchanged = text.replace("\"block\":0", "\"block\":9").replace("\"block\":1", "\"block\":0");
    for (changed, message) in [
        (runs.to_owned(), "before what it is of"),
        (exchanged.replace("\"block\":9", "\"block\":1"), "another run in its place"),
    ] {
        fs::write(&journal, changed).unwrap();
        let told = go(&plan, &Quick::default()).unwrap_err();
        assert!(matches!(told, RecordError::Data(_)) && told.to_string().contains(message), "{told}");
        assert_eq!(files(&plan.out), before);
    }
    fs::write(&journal, text).unwrap();
    go(&plan, &Quick::default()).unwrap();
}

#[test]
fn a_void_run_is_made_again_with_all_arms_of_its_block_and_all_attempts_are_kept() {
    let place = Place::new(&["one"]);
    let plan = place.plan("corpus", 1);
    let agent = Quick::with([(1, Mishap::Void)]);
    let (summary, notes) = go(&plan, &agent).unwrap();
    assert_eq!((agent.calls.get(), notes.len()), (4, 1));
    assert!(summary.rows.iter().all(|row| !row.is_void()));
    for row in rows(&plan.out) {
        let attempts = row["attempts"].as_array().unwrap();
        assert_eq!(attempts.len(), 1);
        assert!(plan.out.join(attempts[0]["session"].as_str().unwrap()).is_file());
        assert!(row["session"].as_str().unwrap().contains("-again1"));
    }
}

#[test]
fn a_run_that_stays_void_is_a_missing_run_after_three_attempts() {
    let place = Place::new(&["one"]);
    let plan = place.plan("corpus", 1);
    let agent = Quick::with((0..6).filter(|call| call % 2 == 0).map(|call| (call, Mishap::Void)));
    let (summary, _) = go(&plan, &agent).unwrap();
    assert_eq!(agent.calls.get(), 6);
    assert_eq!(summary.rows.iter().filter(|row| row.is_void()).count(), 1);
    assert!(rows(&plan.out).iter().all(|row| row["attempts"].as_array().unwrap().len() == 2));
}

#[test]
fn a_session_that_names_this_machine_is_not_stored() {
    let place = Place::new(&["one"]);
    let plan = place.plan("corpus", 1);
    let agent = Quick::with((0..6).map(|call| (call, Mishap::Leak)));
    let (summary, notes) = go(&plan, &agent).unwrap();
    assert!(summary.rows.iter().all(|row| row.is_void()));
    assert!(notes.iter().any(|note| note.contains("/mnt/secret")));
    assert!(files(&plan.out).values().all(|text| !text.contains("/mnt/secret")));
    assert!(rows(&plan.out).iter().all(|row| row["session"].is_null() && row["wire"].is_null()));
}

static FOLDERS: AtomicUsize = AtomicUsize::new(0);

/// A campaign that nobody disturbed, recorded once.
fn undisturbed() -> &'static (Place, Plan) {
    static ONCE: OnceLock<(Place, Plan)> = OnceLock::new();
    ONCE.get_or_init(|| {
        let place = Place::new(&["one", "two"]);
        let plan = place.plan("undisturbed", 1);
        go(&plan, &Quick::default()).unwrap();
        (place, plan)
    })
}

/// Bytes of the journal's first line: what the campaign is, synced before its first file.
fn began(journal: &[u8]) -> usize {
    journal.iter().position(|byte| *byte == b'\n').unwrap() + 1
}

/// What an interrupted campaign leaves behind of its beginning and of its graders' answers, so that they aren't asked for each
/// case.
fn leave_answers(from: &Path, to: &Path) {
    fs::create_dir_all(to.join("qualification")).unwrap();
    fs::create_dir_all(to.join(".record")).unwrap();
    let journal = fs::read(from.join(".record/journal.jsonl")).unwrap();
    fs::write(to.join(".record/journal.jsonl"), &journal[..began(&journal)]).unwrap();
    for name in ["one", "two"].map(|task| format!("qualification/{task}.json")) {
        fs::copy(from.join(&name), to.join(&name)).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]
    /// Kills at runs and torn journals, in any combination: the corpus is that of a campaign nobody disturbed.
    #[test]
    fn whenever_it_is_killed_the_corpus_is_the_same(
        kills in proptest::collection::vec((0_usize..5, 0_usize..90), 0..4),
    ) {
        let (place, undisturbed) = undisturbed();
        // The names differ only in the folder, which no row holds.
        let plan = place.plan(&format!("killed{}", FOLDERS.fetch_add(1, Ordering::Relaxed)), 1);
        leave_answers(&undisturbed.out, &plan.out);
        for (call, torn) in kills {
            let killed = go(&plan, &Quick::with([(call, Mishap::Killed)])).is_err();
            let journal = plan.out.join(".record/journal.jsonl");
            let bytes = fs::read(&journal).unwrap();
            if killed {
                fs::write(&journal, &bytes[..bytes.len().saturating_sub(torn).max(began(&bytes))]).unwrap();
            }
        }
        let last = Quick::default();
        go(&plan, &last).unwrap();
        prop_assert_eq!(files(&plan.out), files(&undisturbed.out));
        let made = last.made.borrow();
        prop_assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), made.len(), "no run twice");
    }
}

fn harness() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
    command.env_remove("SLUICE_PI_DIR").env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

fn line_of(command: &mut Command) -> (Option<i32>, String) {
    let output = command.output().unwrap();
    assert!(output.stdout.is_empty());
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn what_cannot_be_recorded_is_one_line_that_says_what_to_do() {
    let out = tempfile::tempdir().unwrap();
    let record = |arguments: &[&str]| {
        let mut command = harness();
        command.args(["record", "--out"]).arg(out.path().join("corpus")).args(arguments);
        line_of(&mut command)
    };
    let told = [
        record(&[]),
        record(&["--scenario", "no-such-task"]),
        record(&["--variant", "no-such-arm"]),
        record(&["--feature", "no-such-feature"]),
        record(&["--feature", "native-continuation"]),
    ];
    insta::assert_debug_snapshot!(told);
    let (code, line) = record(&["--pi-dir", out.path().to_str().unwrap()]);
    assert_eq!(code, Some(64));
    assert!(line.contains("npm install @earendil-works/pi-coding-agent@1.6.0 node@22"), "{line}");
}

/// The folder that holds the real agent; nothing, said aloud, where it isn't installed.
fn pi(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("SLUICE_PI_DIR").map(PathBuf::from);
    if folder.is_none() {
        // Past the capture of test output: a skipped test must be seen.
        writeln!(
            std::io::stderr(),
            "skipped: {test}: SLUICE_PI_DIR names no folder with the Pi coding agent"
        )
        .expect("standard error is open");
    }
    folder
}

fn real(place: &Path, pi: &Path, arguments: &[&str]) -> Command {
    let mut command = harness();
    command.arg("record").arg("--pi-dir").arg(pi).arg("--out").arg(place.join("corpus"));
    command
        .arg("--home")
        .arg(place.join("user"))
        .args(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

const SMALL: [&str; 7] =
    ["--scenario", "ledger-invoice-tax", "--variant", "native", "auto-context", "--runs", "1"];

/// Tools and their arguments of a session, in order.
fn calls(session: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in session.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        for block in entry["message"]["content"].as_array().into_iter().flatten() {
            if block["type"] == "toolCall" {
                found.push(format!("{} {}", block["name"], block["arguments"]));
            }
        }
    }
    found
}

fn runs_and_calls(corpus: &Path) -> Vec<(String, Value, Vec<String>)> {
    rows(corpus)
        .iter()
        .map(|row| {
            let session = fs::read_to_string(corpus.join(row["session"].as_str().unwrap())).unwrap();
            (
                format!("{}-{}", row["variant"], row["repetition"]),
                row["outcome"]["accepted"].clone(),
                calls(&session),
            )
        })
        .collect()
}

#[test]
fn the_real_agent_killed_in_the_middle_goes_on_and_ends_alike() {
    let Some(pi) = pi("the_real_agent_killed_in_the_middle_goes_on_and_ends_alike") else { return };
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().canonicalize().unwrap();
    let [whole, torn] = ["whole", "torn"].map(|name| place.join(name));
    for folder in [&whole, &torn] {
        fs::create_dir(folder).unwrap();
    }

    let output = real(&whole, &pi, &SMALL).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let mut child = real(&torn, &pi, &SMALL).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let journal = torn.join("corpus/.record/journal.jsonl");
    let since = Instant::now();
    // After the first run is journalled and within the second.
    while fs::read_to_string(&journal).unwrap_or_default().lines().count() < 2 {
        assert!(since.elapsed() < Duration::from_secs(300), "the first run doesn't end");
        thread::sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let output = real(&torn, &pi, &SMALL).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let ended = runs_and_calls(&torn.join("corpus"));
    assert_eq!(ended, runs_and_calls(&whole.join("corpus")));
    assert_eq!(ended.len(), 2);
    for row in rows(&torn.join("corpus")) {
        let session = fs::read_to_string(torn.join("corpus").join(row["session"].as_str().unwrap())).unwrap();
        let packed = session.lines().any(|line| line.contains("\"customType\":\"sluice.pack\""));
        assert_eq!(
            packed,
            row["variant"] == "auto-context",
            "the arm's message stands in its session, and only there"
        );
    }
}

/// A model that isn't the policy: it reads one file and ends, in OpenAI's format.
fn canned_server() -> (String, TcpListener) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    (format!("http://{}/v1", listener.local_addr().unwrap()), listener)
}

fn serve_canned(listener: &TcpListener) {
    for stream in listener.incoming() {
        answer_canned(stream.unwrap());
    }
}

fn answer_canned(mut stream: TcpStream) {
    let mut request = Vec::new();
    let mut buffer = [0; 4096];
    let complete = |request: &[u8]| {
        let text = String::from_utf8_lossy(request).into_owned();
        let (head, body) = text.split_once("\r\n\r\n")?;
        let length = head.to_lowercase();
        let length =
            length.split_once("content-length: ")?.1.split("\r\n").next()?.trim().parse::<usize>().ok()?;
        (request.len() >= head.len() + 4 + length).then(|| body.to_owned())
    };
    let body = loop {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return,
            Ok(count) => request.extend(&buffer[..count]),
        }
        if let Some(body) = complete(&request) {
            break body;
        }
    };
    let delta = if body.contains("\"tool_call_id\"") {
        r#"{"content":"I read it."},"finish_reason":"stop""#.to_owned()
    } else {
        let function = r#"{"name":"read","arguments":"{\"path\":\"README.md\"}"}"#;
        format!(
            r#"{{"tool_calls":[{{"index":0,"id":"call_1","type":"function","function":{function}}}]}},"finish_reason":"tool_calls""#
        )
    };
    let usage = r#"{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}"#;
    let events = format!(
        "data: {{\"id\":\"canned-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"c\",\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n\
         data: {{\"id\":\"canned-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"c\",\"choices\":[],\"usage\":{usage}}}\n\n\
         data: [DONE]\n\n"
    );
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n";
    write!(stream, "{head}content-length: {}\r\n\r\n{events}", events.len()).unwrap();
}

#[test]
fn another_model_goes_the_same_path() {
    let Some(pi) = pi("another_model_goes_the_same_path") else { return };
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().canonicalize().unwrap();
    let (url, listener) = canned_server();
    thread::spawn(move || serve_canned(&listener));
    let models = serde_json::json!({ "providers": { "canned": {
        "baseUrl": url, "api": "openai-completions", "apiKey": "key-that-stays-out",
        "models": [{ "id": "c-1", "name": "C", "reasoning": false, "input": ["text"], "contextWindow": 100_000,
            "maxTokens": 4096, "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0 } }],
    } } });
    let file = place.join("models.json");
    fs::write(&file, models.to_string()).unwrap();
    let mut command = real(&place, &pi, &SMALL);
    let output = command.args(["--model", "canned/c-1", "--models-json"]).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let corpus = place.join("corpus");
    for row in rows(&corpus) {
        assert_eq!(
            (&row["provider"], &row["model"], &row["tier"]),
            (&"canned".into(), &"c-1".into(), &"recorded-model".into())
        );
        assert_eq!(row["outcome"]["infrastructure_failure"], Value::Null, "{row}");
        assert_eq!(row["outcome"]["accepted"], false);
        let wire = fs::read_to_string(corpus.join(row["wire"].as_str().unwrap())).unwrap();
        assert_eq!(wire.lines().count(), 2);
    }
    let ended = runs_and_calls(&corpus);
    assert!(ended.iter().all(|(_, _, calls)| calls == &[r#""read" {"path":"README.md"}"#]), "{ended:?}");
    assert!(files(&corpus).values().all(|text| !text.contains("key-that-stays-out")));
}

#[test]
fn sensitivity_is_the_same_twice_and_covers_each_arm() {
    let run = || {
        let arguments = [
            "sensitivity",
            "--scenario",
            "ledger-invoice-tax",
            "--grid",
            "distractor=0,1",
            "--runs",
            "2",
            "--json",
        ];
        let output = harness().args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let first = run();
    assert_eq!(first, run());
    let value: Value = serde_json::from_str(&first).unwrap();
    assert_eq!((&value["schema"], &value["tier"]), (&"sensitivity/1".into(), &"synthetic".into()));
    assert_eq!(value["left_out"], serde_json::json!([]));
    let points = value["points"].as_array().unwrap();
    assert_eq!(points.len(), 3);
    for point in points {
        assert_eq!(point["arms"].as_object().unwrap().len(), 3);
        for comparison in point["comparisons"].as_array().unwrap() {
            assert_eq!(comparison["verdict"], "INSUFFICIENT", "one scenario decides nothing: {comparison}");
        }
    }
}

#[test]
fn a_grid_that_names_no_probability_is_a_usage_error() {
    let told = line_of(harness().args(["sensitivity", "--grid", "luck=0"]));
    assert_eq!(told.0, Some(64));
    assert!(told.1.starts_with("harness: grid `luck=0`: no such probability") && told.1.lines().count() == 1);
}

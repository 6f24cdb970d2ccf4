//! `harness mine`: which commits become queries, what of them is asked, and that nothing but the commits decides it.

use std::fs;
use std::path::Path;
use std::process::Command as Process;

use assert_cmd::Command;
use serde_json::Value;

struct Project {
    folder: tempfile::TempDir,
    commits: i64,
}

impl Project {
    fn new() -> Project {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("shop")).unwrap();
        let project = Project { folder, commits: 0 };
        project.git(&["init", "-q", "-b", "main"], 0);
        project
    }

    fn root(&self) -> std::path::PathBuf {
        self.folder.path().join("shop")
    }

    fn git(&self, arguments: &[&str], time_s: i64) -> String {
        let date = format!("{} +0000", 1_700_000_000 + time_s);
        let output = Process::new("git")
            .current_dir(self.root())
            .args(["-c", "user.name=Jo Doe", "-c", "user.email=jo@example.org", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .envs([("GIT_AUTHOR_DATE", date.as_str()), ("GIT_COMMITTER_DATE", date.as_str())])
            .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
            .output()
            .unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Commits these files; an empty text removes one.
    fn commit(&mut self, message: &str, files: &[(&str, &str)]) -> String {
        self.commit_as("Jo Doe", message, files)
    }

    fn commit_as(&mut self, author: &str, message: &str, files: &[(&str, &str)]) -> String {
        for (path, text) in files {
            let file = self.root().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            if text.is_empty() { fs::remove_file(file).unwrap() } else { fs::write(file, text).unwrap() }
        }
        self.commits += 60;
        self.git(&["add", "-A"], 0);
        let author = format!("--author={author} <a@example.org>");
        self.git(&["commit", "-q", "--allow-empty", "-m", message, &author], self.commits);
        self.git(&["rev-parse", "HEAD"], 0)
    }

    fn mine(&self, base: &str, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_harness"));
        command.current_dir(self.folder.path()).args(["mine", "shop", "--out", "out/shop.jsonl"]);
        command.arg(format!("--since={base}")).args(more);
        command
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join("out").join(name)).unwrap()
    }
}

const CART: &str = "def total(cart):\n    return sum(cart)\n";

/// A history with a commit for every rule. Returns it with its base.
fn history() -> (Project, String) {
    let mut p = Project::new();
    p.commit(
        "Start the shop with carts and coupons",
        &[
            ("src/cart.py", CART),
            ("src/coupon.py", "def apply_coupon(cart, coupon):\n    return cart\n"),
            ("tests/test_cart.py", "def test_total():\n    assert True\n"),
            ("vendor/lib.py", "def vendored():\n    pass\n"),
            ("src/made.py", "# @generated\nx = 1\n"),
            ("README.md", "# Shop\n"),
        ],
    );
    let base = p.commit("Count coupons twice when asked nicely", &[("README.md", "# The shop\n")]);
    p.commit(
        "fix(cart): wrong sum of an empty total (#12)\n\nsrc/cart.py failed on empty carts, see https://example.org/12\n\nFixes #12\nCo-authored-by: A <a@b.org>",
        &[("src/cart.py", "def total(cart):\n    return sum(cart or [])\n"), ("tests/test_cart.py", "def test_total():\n    assert 1\n")],
    );
    p.commit_as("deps[bot]", "Change several words of the coupons", &[("src/coupon.py", "a = 1\n")]);
    p.commit("Revert \"Change several words of the coupons\"", &[("src/coupon.py", "a = 2\n")]);
    p.commit("v1.2.0", &[("src/coupon.py", "a = 3\n")]);
    p.commit("Explain how coupons are applied to carts", &[("README.md", "# Shop of ours\n")]);
    p.commit("Add taxes computed from a table", &[("src/tax.py", "def tax():\n    return 0\n")]);
    p.commit("Indent coupons as carts are indented", &[("src/coupon.py", "a  =  3\n\n")]);
    p.commit("fix it", &[("src/coupon.py", "a = 4\n")]);
    p.commit("Count coupons twice when asked nicely", &[("src/coupon.py", "a = 5\n")]);
    p.commit("Update the vendored copy of library code", &[("vendor/lib.py", "b = 1\n")]);
    p.commit("Regenerate tables from newest upstream data", &[("src/made.py", "# @generated\nx = 2\n")]);
    let many: Vec<(String, String)> =
        (0..9).map(|n| (format!("src/m{n}.py"), format!("m = {n}\n"))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    p.commit("Split modules of every payment provider", &many);
    p.commit(
        "Drop expired coupons while carts load",
        &[("src/coupon.py", ""), ("src/voucher.py", "v = 1\n")],
    );
    p.commit("Drop expired coupons while carts load", &[("src/cart.py", "c = 1\n")]);
    p.git(&["checkout", "-q", "-b", "side"], 0);
    p.commit("Round totals half to even in carts", &[("src/cart.py", "c = 2\n")]);
    p.git(&["checkout", "-q", "main"], 0);
    p.commits += 60;
    p.git(&["merge", "-q", "--no-ff", "-m", "Merge the rounding of totals in carts", "side"], p.commits);
    (p, base)
}

#[test]
fn every_rule_has_its_commit_and_the_rest_is_asked() {
    let (project, base) = history();
    let output = project.mine(&base, &[]).assert().success().get_output().clone();
    let redact = |text: String| text.replace(&base, "[base]");
    insta::assert_snapshot!("mine_text", redact(String::from_utf8(output.stdout).unwrap()));
    let lines: Vec<Value> = project
        .read("shop.jsonl")
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            assert_eq!(line["base_commit"], base.as_str());
            assert_eq!(line["commit"].as_str().unwrap().len(), 40);
            line["commit"] = "[commit]".into();
            line["base_commit"] = "[base]".into();
            line
        })
        .collect();
    insta::assert_json_snapshot!("mine_queries", lines);
    insta::assert_snapshot!("mine_candidates", project.read("shop.candidates.json"));
    let mut meta: Value = serde_json::from_str(&project.read("shop.meta.json")).unwrap();
    for member in ["base", "tip", "queries_sha256"] {
        meta[member] = format!("[{member}]").into();
    }
    insta::assert_json_snapshot!("mine_meta", meta);
}

#[test]
fn a_bare_copy_gives_the_same_bytes_and_stays_as_it_was() {
    let (project, base) = history();
    let names = ["shop.jsonl", "shop.candidates.json", "shop.meta.json"];
    project.mine(&base, &[]).assert().success();
    let first = names.map(|name| project.read(name));
    fs::remove_dir_all(project.folder.path().join("out")).unwrap();
    project.git(&["clone", "-q", "--bare", ".", "../bare.git"], 0);
    fs::remove_dir_all(project.root()).unwrap();
    fs::rename(project.folder.path().join("bare.git"), project.root()).unwrap();
    let before = listing(&project.root());
    project.mine(&base, &[]).assert().success();
    assert_eq!(first, names.map(|name| project.read(name)));
    assert_eq!(before, listing(&project.root()));
}

fn listing(folder: &Path) -> Vec<String> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { out.extend(listing(&path)) } else { out.push(path.display().to_string()) }
    }
    out.sort();
    out
}

#[test]
fn the_limit_keeps_the_first_after_the_base() {
    let (project, base) = history();
    let output =
        project.mine(&base, &["--max", "1", "--json"]).assert().success().get_output().stdout.clone();
    let meta: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!((&meta["queries"], &meta["dropped"]["over-limit"]), (&1.into(), &2.into()));
    assert!(project.read("shop.jsonl").contains("wrong sum of an empty total"));
}

/// `--since` may be left out: as many first parents back as queries are wanted, at most half of the history.
#[test]
fn without_a_base_the_newest_commits_are_asked() {
    let (project, _) = history();
    let mined = |more: &[&str]| -> Value {
        let output = Command::new(env!("CARGO_BIN_EXE_harness"))
            .current_dir(project.folder.path())
            .args(["mine", "shop", "--out", "out/shop.jsonl", "--json"])
            .args(more)
            .assert()
            .success()
            .get_output()
            .stdout
            .clone();
        serde_json::from_slice(&output).unwrap()
    };
    let commit = |revision: &str| Value::from(project.git(&["rev-parse", revision], 0));
    // 17 commits without those of the side branch.
    let half = mined(&[]);
    assert_eq!((&half["base"], &half["queries"]), (&commit("HEAD~8"), &2.into()));
    let newest = mined(&["--max", "1"]);
    assert_eq!((&newest["base"], &newest["queries"]), (&commit("HEAD~1"), &1.into()));
    assert!(project.read("shop.jsonl").contains("Round totals half to even in carts"));
    let output = Command::new(env!("CARGO_BIN_EXE_harness"))
        .current_dir(project.folder.path())
        .args(["mine", "shop", "--until", "HEAD~16", "--out", "out/first.jsonl"])
        .assert()
        .code(65)
        .get_output()
        .stderr
        .clone();
    assert_eq!(
        String::from_utf8(output).unwrap(),
        "harness: shop: one commit has nothing behind it: mine a longer history\n"
    );
}

#[test]
fn what_is_mined_can_be_localised() {
    let (project, base) = history();
    project.mine(&base, &[]).assert().success();
    project.git(&["checkout", "-q", &base], 0);
    let output = Command::new(env!("CARGO_BIN_EXE_harness"))
        .current_dir(project.folder.path())
        .args([
            "localize",
            "--root",
            "shop",
            "--queries",
            "out/shop.jsonl",
            "--candidates",
            "out/shop.candidates.json",
            "--json",
        ])
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    let document: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!(document["queries"], 3);
    assert_eq!(document["metrics"]["recall@5"], 1.0);
}

#[test]
fn bad_input_has_its_code_and_says_what_to_do() {
    let (project, base) = history();
    let fails = |base: &str, more: &[&str], code: i32, said: &str| {
        let output = project.mine(base, more).assert().code(code).get_output().clone();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(said), "{stderr}");
        assert!(output.stdout.is_empty());
        assert!(!project.folder.path().join("out").exists());
    };
    fails("absent", &[], 64, "no commit \"absent\"");
    fails("--all", &[], 64, "no commit \"--all\"");
    fails("HEAD", &[], 65, "gives a query (nothing): name an earlier base");
    fails("HEAD", &["--until", &base], 64, "not in the history of");
    let outside = tempfile::tempdir().unwrap();
    let says = |out: &str, code: i32, said: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_harness"))
            .current_dir(outside.path())
            .env("GIT_CEILING_DIRECTORIES", outside.path().parent().unwrap())
            .args(["mine", ".", "--since", "HEAD", "--out", out])
            .assert()
            .code(code)
            .get_output()
            .stderr
            .clone();
        let stderr = String::from_utf8(output).unwrap();
        assert!(stderr.contains(said), "{stderr}");
    };
    says("x.jsonl", 65, "not a git repository");
    says("x.json", 64, "not a name that ends in .jsonl");
}

/// The characters that once stood between the fields of a log ended a run with "not a commit".
#[test]
fn a_control_character_in_a_message_becomes_a_blank_and_is_counted() {
    let (mut project, base) = history();
    project.commit(
        "Sort\u{1}coupons\u{2}by expiry\u{3}and\u{1b}[1mvalue\n\nThe oldest\u{7}coupon goes first.",
        &[("src/cart.py", "c = 3\n")],
    );
    let output = project.mine(&base, &["--json"]).assert().success().get_output().stdout.clone();
    let meta: Value = serde_json::from_slice(&output).unwrap();
    assert_eq!((&meta["queries"], &meta["control_characters"]), (&4.into(), &1.into()));
    let queries = project.read("shop.jsonl");
    assert!(
        queries.contains("Sort coupons by expiry and [1mvalue The oldest coupon goes first."),
        "{queries}"
    );
    let output = project.mine(&base, &[]).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).unwrap();
    assert!(text.contains("control characters: blanks stand for them in 1 queries"), "{text}");
}

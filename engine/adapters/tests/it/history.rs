//! Past commits as evidence: what their words say of files, what is never learnt.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use adapters::git::{NoHistory, changed_paths, history, learn_history};
use engine::project::{ExcludePolicy, Index};
use engine::retrieve::{Source, Task, Weights, rank_task};

/// Runs Git with an identity and settings of its own; `false` where there is no Git.
fn git(folder: &Path, arguments: &[&str]) -> bool {
    let status = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=Dev", "-c", "user.email=dev@example.com", "-c", "commit.gpgSign=false"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z")
        .output();
    status.is_ok_and(|output| output.status.success())
}

/// A work tree with three commits, or `None` (said on standard error) without Git.
fn repository() -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    if !git(root, &["init", "-q"]) {
        writeln!(std::io::stderr(), "skipped: there is no git").expect("standard error is open");
        return None;
    }
    let write = |path: &str, text: &str| {
        fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
        fs::write(root.join(path), text).unwrap();
    };
    let commit = |message: &str| assert!(git(root, &["add", "-A"]) && git(root, &["commit", "-qm", message]));
    write("src/old.py", "def total(rows):\n    return sum(rows)\n");
    write("src/other.py", "def other():\n    return 1\n");
    write("secrets/.env", "KEY=1\n");
    commit("start");
    write("src/old.py", "def total(rows):\n    return sum(rows) + 0\n");
    commit("fix: quarterly invoices were rounded twice");
    fs::rename(root.join("src/old.py"), root.join("src/sums.py")).unwrap();
    commit("a better name");
    Some(folder)
}

fn ranked(index: &Index, query: &str, weights: &Weights) -> Vec<(String, Vec<Source>)> {
    let ranking = rank_task(index, &Task::new(query), weights).unwrap();
    let view = index.view().unwrap();
    ranking.files.iter().map(|r| (view.files[r.file].path.clone(), r.reasons.clone())).collect()
}

#[test]
fn a_past_message_leads_to_the_file_under_its_present_name() {
    let Some(repository) = repository() else { return };
    let mut index = Index::in_memory(ExcludePolicy::built_in_only()).unwrap();
    index.refresh(repository.path()).unwrap();
    let query = "the invoice of a quarter is rounded";
    assert_eq!(ranked(&index, query, &Weights::default()), []);
    assert_eq!(learn_history(&mut index, repository.path()).unwrap(), Ok(3));
    let found = ranked(&index, query, &Weights::default());
    let together = ("src/other.py".to_owned(), vec![Source::CoChange]);
    assert_eq!(found, [("src/sums.py".to_owned(), vec![Source::History]), together]);
    assert_eq!(ranked(&index, query, &Weights { history: 0.0, ..Weights::default() }), []);
}

#[test]
fn changed_new_and_removed_paths_are_told_and_ignored_ones_are_not() {
    let Some(repository) = repository() else { return };
    let root = repository.path();
    assert_eq!(changed_paths(root).unwrap(), Vec::<String>::new());
    fs::write(root.join("src/sums.py"), "changed").unwrap();
    fs::remove_file(root.join("src/other.py")).unwrap();
    fs::write(root.join("src/new\nline.py"), "new").unwrap();
    fs::write(root.join(".gitignore"), "*.log\n").unwrap();
    fs::write(root.join("a.log"), "ignored").unwrap();
    let changed = changed_paths(root).unwrap();
    assert_eq!(changed, [".gitignore", "src/new\nline.py", "src/other.py", "src/sums.py"]);
    assert_eq!(changed_paths(&root.join("src")).unwrap(), ["new\nline.py", "other.py", "sums.py"]);
    let outside = tempfile::tempdir().unwrap();
    assert_eq!(changed_paths(outside.path()), Err(NoHistory::NoCommits));
}

#[test]
fn what_came_after_the_checked_out_commit_is_unknown() {
    let Some(repository) = repository() else { return };
    let root = repository.path();
    assert!(git(root, &["checkout", "-q", "HEAD~2"]));
    let read = history(root).unwrap();
    let messages: Vec<&str> = read.commits.iter().map(|c| c.message.trim()).collect();
    assert_eq!(messages, ["start"]);
}

#[test]
fn history_is_learnt_again_when_the_commit_or_the_files_change_and_knows_no_excluded_path() {
    let Some(repository) = repository() else { return };
    let root = repository.path();
    let mut index = Index::in_memory(ExcludePolicy::built_in_only()).unwrap();
    index.refresh(root).unwrap();
    learn_history(&mut index, root).unwrap().unwrap();
    let key = index.history_key().unwrap();
    assert!(key.is_some());
    fs::write(root.join("src/other.py"), "def other():\n    return 2\n").unwrap();
    index.refresh(root).unwrap();
    assert_eq!(index.history_key().unwrap(), key, "a change of content leaves the history");
    fs::write(root.join("src/new.py"), "x = 1\n").unwrap();
    index.refresh(root).unwrap();
    assert_eq!(index.history_key().unwrap(), None, "a new file may have a past");
    learn_history(&mut index, root).unwrap().unwrap();
    assert!(index.past_postings("env").unwrap().is_empty(), "a protected path leaves no trace");
    assert!(git(root, &["add", "-A"]) && git(root, &["commit", "-qm", "more"]));
    learn_history(&mut index, root).unwrap().unwrap();
    assert_ne!(index.history_key().unwrap(), key);
}

#[test]
fn a_folder_without_commits_has_no_history() {
    let Some(_git) = repository() else { return };
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.py"), "x = 1\n").unwrap();
    let mut index = Index::in_memory(ExcludePolicy::built_in_only()).unwrap();
    index.refresh(folder.path()).unwrap();
    assert_eq!(learn_history(&mut index, folder.path()).unwrap(), Err(NoHistory::NoCommits));
}

/// Git called from a hook or a wrapper once read another repository's objects, index or configuration.
#[test]
fn variables_of_the_caller_point_git_nowhere_else() {
    let (Some(repository), Some(other)) = (repository(), repository()) else { return };
    let root = repository.path();
    fs::write(root.join("src/other.py"), "def other():\n    return 2\n").unwrap();
    fs::write(other.path().join("src/more.py"), "more = 1\n").unwrap();
    assert!(git(other.path(), &["add", "-A"]));
    let told = |variables: &[(&str, &Path)]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sluice"));
        command.current_dir(root).args(["search", "--json", "quarterly invoices were rounded"]);
        let found = command.envs(variables.iter().copied()).output().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_sluice"));
        command.current_dir(root).args(["impact", "--json"]);
        let changed = command.envs(variables.iter().copied()).output().unwrap();
        assert!(found.status.success(), "{variables:?}: {}", String::from_utf8_lossy(&found.stderr));
        [found.stdout, changed.stdout].map(|out| String::from_utf8(out).unwrap())
    };
    let plain = told(&[]);
    assert!(plain[0].contains("\"history\"") && plain[1].contains("\"src/other.py\""), "{plain:?}");
    let of_other = |path: &str| other.path().join(path);
    let (one, key, value) = (Path::new("1"), Path::new("core.worktree"), of_other(""));
    let nowhere = of_other("nowhere");
    for variables in [
        vec![("GIT_DIR", of_other(".git"))],
        vec![("GIT_WORK_TREE", of_other(""))],
        vec![("GIT_INDEX_FILE", of_other(".git/index"))],
        vec![("GIT_COMMON_DIR", of_other(".git"))],
        vec![("GIT_OBJECT_DIRECTORY", nowhere.clone())],
        vec![("GIT_ALTERNATE_OBJECT_DIRECTORIES", nowhere.clone())],
        vec![("GIT_NAMESPACE", "away".into())],
        vec![("GIT_SHALLOW_FILE", nowhere.clone())],
        vec![("GIT_GRAFT_FILE", nowhere.clone())],
        vec![("GIT_REPLACE_REF_BASE", "refs/away".into())],
        vec![("GIT_EXEC_PATH", nowhere.clone())],
        vec![("GIT_EXTERNAL_DIFF", nowhere.clone())],
        vec![("GIT_DIFF_OPTS", "-u9".into())],
        vec![("GIT_LITERAL_PATHSPECS", "0".into()), ("GIT_ICASE_PATHSPECS", "1".into())],
        vec![
            ("GIT_CONFIG_COUNT", one.into()),
            ("GIT_CONFIG_KEY_0", key.into()),
            ("GIT_CONFIG_VALUE_0", value),
        ],
        vec![("GIT_CONFIG_PARAMETERS", format!("'core.worktree'='{}'", of_other("").display()).into())],
        vec![("GIT_TRACE", "2".into()), ("GIT_TRACE2", "1".into())],
        vec![("GIT_PREFIX", "away/".into())],
    ] {
        let given: Vec<(&str, &Path)> =
            variables.iter().map(|(name, value)| (*name, value.as_path())).collect();
        assert_eq!(told(&given), plain, "{given:?}");
    }
}

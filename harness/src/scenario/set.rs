//! Loading `scenarios/`: every task with its repository, checked as far as reading can check it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use rayon::prelude::*;

use super::format::{KindFile, LanguageFile, SCENARIO_SCHEMA, ScenarioFile, read_toml, require_schema};
use super::{Knowledge, Protected, ScenarioError, tree};

/// Longest time limit a task may ask for, in seconds.
const MAX_TIMEOUT_SECONDS: u64 = 600;
/// A shorter planted secret would be found by chance.
const MIN_SECRET_CHARS: usize = 8;
/// Left out of [`Scenario::sha256`]: what the scripted model knows doesn't change the task.
const KNOWLEDGE_FILE: &str = "policy.toml";

/// Language of a fixture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Language {
    /// Python 3, `unittest`.
    Python,
    /// JavaScript on Node, `node --test`.
    JavaScript,
    /// Rust, `cargo test --offline`.
    Rust,
}

impl Language {
    /// The name used in policies and reports.
    pub fn name(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::JavaScript => "javascript",
            Language::Rust => "rust",
        }
    }
}

/// What a task asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A planted fault.
    Fix,
    /// Something that is missing.
    Feature,
    /// A fault whose tempting fix does harm: to a protected path, or with a secret.
    Safety,
}

impl Kind {
    /// The name used in policies and reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Fix => "fix",
            Kind::Feature => "feature",
            Kind::Safety => "safety",
        }
    }
}

/// One task in one repository. It doesn't hold what the scripted model knows: see [`Scenario::knowledge`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scenario {
    /// Name of the task's folder.
    pub id: String,
    /// Name of the repository's folder.
    pub repo: String,
    /// One line for reports.
    pub title: String,
    /// Language of the fixture.
    pub language: Language,
    /// What the task asks for.
    pub kind: Kind,
    /// Programs that must be on `PATH`.
    pub runtime: Vec<String>,
    /// The visible check, run at the root of the work tree.
    pub verify: Vec<String>,
    /// The hidden check, run after [`Scenario::grader`] was copied over the work tree.
    pub grade: Vec<String>,
    /// Files that the reference patch changes.
    pub gold: BTreeSet<String>,
    /// Globs that the final patch must not touch.
    pub protected: Protected,
    /// Planted fake credentials.
    pub secrets: Vec<String>,
    /// Limit of one run of a check.
    pub timeout: Duration,
    /// The prompt as a person wrote it.
    pub prompt: String,
    /// The reference change, a unified diff with `a/` and `b/`.
    pub reference_patch: String,
    /// Folder of the task.
    pub folder: PathBuf,
    /// Folder of the repository.
    pub fixture: PathBuf,
}

impl Scenario {
    fn load(folder: &Path, repos: &Path) -> Result<Self, ScenarioError> {
        let path = folder.join("scenario.toml");
        let file: ScenarioFile = read_toml(&path)?;
        require_schema(&path, &file.schema, SCENARIO_SCHEMA)?;
        let scenario = Scenario {
            fixture: repos.join(&file.repo),
            id: file.id,
            repo: file.repo,
            title: file.title,
            language: file.language.into(),
            kind: file.kind.into(),
            runtime: file.runtime,
            verify: file.verify,
            grade: file.grade,
            gold: file.gold.into_iter().collect(),
            protected: Protected::of(file.protected)
                .map_err(|message| ScenarioError::invalid(&path, message))?,
            secrets: file.secrets,
            timeout: Duration::from_secs(file.timeout_seconds),
            prompt: read_text(&folder.join("prompt.md"))?,
            reference_patch: read_text(&folder.join("reference.patch"))?,
            folder: folder.to_path_buf(),
        };
        scenario.check().map_err(|message| ScenarioError::invalid(&path, message))?;
        Ok(scenario)
    }

    fn check(&self) -> Result<(), String> {
        let name = self.folder.file_name().and_then(|name| name.to_str());
        if name != Some(self.id.as_str()) || !is_kebab(&self.id) {
            return Err(format!("id `{}`: use the folder's name, in lower case with dashes", self.id));
        }
        if !is_kebab(&self.repo) || !self.fixture.is_dir() {
            return Err(format!("repo `{}`: no such folder in `repos`", self.repo));
        }
        if !(1..=MAX_TIMEOUT_SECONDS).contains(&self.timeout.as_secs()) {
            return Err(format!("timeout_seconds must be 1 to {MAX_TIMEOUT_SECONDS}"));
        }
        for (name, argv) in [("runtime", &self.runtime), ("verify", &self.verify), ("grade", &self.grade)] {
            if argv.iter().all(String::is_empty) {
                return Err(format!("`{name}` is empty"));
            }
        }
        if !self.grader().is_dir() {
            return Err("no folder `grader` beside it".to_owned());
        }
        if self.gold.is_empty() {
            return Err("`gold` is empty: name the files of the reference patch".to_owned());
        }
        if let Some(path) =
            self.gold.iter().find(|path| !self.fixture.join(path).is_file() || !is_plain(path))
        {
            return Err(format!("gold file `{path}` isn't in the repository"));
        }
        if self.prompt.trim().is_empty() {
            return Err("prompt.md is empty".to_owned());
        }
        if self.secrets.iter().any(|secret| secret.chars().count() < MIN_SECRET_CHARS) {
            return Err(format!("a planted secret needs at least {MIN_SECRET_CHARS} characters"));
        }
        if self.kind == Kind::Safety && self.protected.patterns().is_empty() && self.secrets.is_empty() {
            return Err("a safety task needs `protected` or `secrets`".to_owned());
        }
        Ok(())
    }

    /// Folder of the hidden grader's files, to be copied over the work tree once the agent has ended.
    pub fn grader(&self) -> PathBuf {
        self.folder.join("grader")
    }

    /// What the scripted model knows.
    pub fn knowledge(&self) -> Result<Knowledge, ScenarioError> {
        Knowledge::load(&self.folder.join(KNOWLEDGE_FILE))
    }

    /// SHA-256 of the repository's files: the "commit" of a fixture.
    pub fn fixture_sha256(&self) -> Result<String, ScenarioError> {
        tree::sha256(&self.fixture)
    }

    /// SHA-256 of the task's files but the scripted model's knowledge.
    pub fn sha256(&self) -> Result<String, ScenarioError> {
        let mut files = tree::files(&self.folder)?;
        files.remove(KNOWLEDGE_FILE);
        tree::sha256_of(&self.folder, &files)
    }

    /// Those of the paths (relative, with `/`) that match a protected glob.
    pub fn protected_among<'a>(&self, paths: impl IntoIterator<Item = &'a String>) -> BTreeSet<String> {
        paths.into_iter().filter(|path| self.protected.holds(path)).cloned().collect()
    }
}

/// All tasks of a `scenarios` folder, by id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScenarioSet {
    /// Tasks in ascending order of their id.
    pub scenarios: Vec<Scenario>,
}

impl ScenarioSet {
    /// Loads every folder of `tasks`; one that can't be loaded is an error, because a campaign over fewer tasks than
    /// were declared would look complete.
    pub fn load(folder: &Path) -> Result<Self, ScenarioError> {
        let tasks = folder.join("tasks");
        let repos = folder.join("repos");
        let folders: Vec<PathBuf> = subfolders(&tasks)?.into_iter().collect();
        // The first that fails in the order of names is told, whichever thread finds one first.
        let loaded: Vec<_> = folders.par_iter().map(|path| Scenario::load(path, &repos)).collect();
        let mut scenarios = loaded.into_iter().collect::<Result<Vec<Scenario>, _>>()?;
        scenarios.sort_by(|one, other| one.id.cmp(&other.id));
        if scenarios.is_empty() {
            return Err(ScenarioError::invalid(
                &tasks,
                "no task folders: point to the folder that holds `tasks`",
            ));
        }
        Ok(ScenarioSet { scenarios })
    }

    /// The task with an id.
    pub fn get(&self, id: &str) -> Option<&Scenario> {
        let at = self.scenarios.binary_search_by(|scenario| scenario.id.as_str().cmp(id)).ok()?;
        self.scenarios.get(at)
    }
}

impl From<LanguageFile> for Language {
    fn from(file: LanguageFile) -> Self {
        match file {
            LanguageFile::Python => Language::Python,
            LanguageFile::Javascript => Language::JavaScript,
            LanguageFile::Rust => Language::Rust,
        }
    }
}

impl From<KindFile> for Kind {
    fn from(file: KindFile) -> Self {
        match file {
            KindFile::Fix => Kind::Fix,
            KindFile::Feature => Kind::Feature,
            KindFile::Safety => Kind::Safety,
        }
    }
}

fn read_text(path: &Path) -> Result<String, ScenarioError> {
    crate::regular::read_text(path).map_err(|error| ScenarioError::io(path, error))
}

fn subfolders(folder: &Path) -> Result<BTreeSet<PathBuf>, ScenarioError> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(|error| ScenarioError::io(folder, error))? {
        let path = entry.map_err(|error| ScenarioError::io(folder, error))?.path();
        if path.is_dir() {
            found.insert(path);
        }
    }
    Ok(found)
}

fn is_kebab(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    !text.is_empty() && text.split('-').all(|part| !part.is_empty() && part.bytes().all(letter))
}

fn is_plain(path: &str) -> bool {
    Path::new(path).components().all(|component| matches!(component, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: &str = "schema = \"scenario/1\"\nid = \"small-task\"\nrepo = \"small\"\ntitle = \"t\"\nlanguage = \"python\"\n\
        kind = \"fix\"\nruntime = [\"python3\"]\nverify = [\"true\"]\ngrade = [\"true\"]\ngold = [\"a.py\"]\n\
        protected = [\"data/**\"]\ntimeout_seconds = 5\n";

    fn folder(task: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let files = [
            ("repos/small/a.py", "x = 1\n"),
            ("tasks/small-task/scenario.toml", task),
            ("tasks/small-task/prompt.md", "Fix x.\n"),
            ("tasks/small-task/reference.patch", ""),
            ("tasks/small-task/policy.toml", "one"),
            ("tasks/small-task/grader/g.py", "y = 1\n"),
        ];
        for (name, content) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a file has a folder")).expect("the folder is ours");
            fs::write(path, content).expect("the folder is ours");
        }
        folder
    }

    fn message(task: &str) -> String {
        ScenarioSet::load(folder(task).path()).expect_err("the task is wrong").to_string()
    }

    #[test]
    fn loads_a_task() {
        let folder = folder(TASK);
        let set = ScenarioSet::load(folder.path()).unwrap();
        let task = set.get("small-task").unwrap();
        assert_eq!((task.timeout, task.language), (Duration::from_secs(5), Language::Python));
        let paths = ["data/x.csv".to_owned(), "a.py".to_owned()];
        assert_eq!(task.protected_among(&paths), ["data/x.csv".to_owned()].into());
    }

    #[test]
    fn the_hash_of_a_task_covers_all_but_the_models_knowledge() {
        let folder = folder(TASK);
        let hash = || ScenarioSet::load(folder.path()).unwrap().scenarios[0].sha256().unwrap();
        let before = hash();
        fs::write(folder.path().join("tasks/small-task/policy.toml"), "two").unwrap();
        assert_eq!(hash(), before);
        fs::write(folder.path().join("tasks/small-task/grader/g.py"), "y = 2\n").unwrap();
        assert_ne!(hash(), before);
    }

    #[test]
    fn each_fault_names_the_file_and_what_to_do() {
        let faults = [
            (("scenario/1", "scenario/2"), "use a harness that knows it"),
            (("id = \"small-task\"", "id = \"other\""), "use the folder's name"),
            (("repo = \"small\"", "repo = \"large\""), "no such folder"),
            (("verify = [\"true\"]", "verify = []"), "`verify` is empty"),
            (("gold = [\"a.py\"]", "gold = [\"../a.py\"]"), "isn't in the repository"),
            (("timeout_seconds = 5", "timeout_seconds = 0"), "must be 1 to 600"),
            (("title", "tilte"), "line 4: unknown field `tilte`"),
            (("kind = \"fix\"", "kind = \"fun\""), "line 6: unknown variant `fun`"),
        ];
        for ((right, wrong), expected) in faults {
            let text = message(&TASK.replacen(right, wrong, 1));
            assert!(text.contains("small-task/scenario.toml") && text.contains(expected), "{text}");
        }
        let unguarded = TASK.replace("fix", "safety").replace("\"data/**\"", "");
        assert!(message(&unguarded).contains("needs `protected` or `secrets`"));
    }

    #[test]
    fn a_folder_without_tasks_is_no_set() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("tasks")).unwrap();
        assert!(ScenarioSet::load(folder.path()).unwrap_err().to_string().contains("no task folders"));
    }
}

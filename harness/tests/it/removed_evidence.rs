//! Removing evidence never makes a promotion: from a campaign that would be promoted but for its tier, and from one that
//! wouldn't.

use std::fs;
use std::path::{Path, PathBuf};

use harness::gate::campaign::Asked;
use harness::synthetic::behaviour::ARMS;
use proptest::prelude::*;
use serde_json::Value;

use crate::emitted::{Project, RUN_FILES, SCENARIOS, lose, of_arm};

/// Fields without which a row of a recorded run is none, or is another's; beside those of [`RUN_FILES`].
const REQUIRED: [&str; 26] = [
    "schema",
    "scenario",
    "variant",
    "repetition",
    "agent",
    "agent_version",
    "provider",
    "model",
    "thinking_level",
    "tree_sha256",
    "engine_digest",
    "policy_sha256",
    "tier",
    "prompt_sha256",
    "tools_sha256",
    "instructions_sha256",
    "parameters_sha256",
    "scenario_sha256",
    "qualification",
    "qualification_sha256",
    "outcome",
    "outcome/accepted",
    "outcome/verify_exit",
    "outcome/verify_attempts",
    "outcome/verify_failures",
    "outcome/wall_seconds",
];

#[derive(Debug, Clone)]
enum Removal {
    /// Results of so many runs of an arm, from a row on; more than the allowance.
    Runs(usize, usize, usize),
    /// A file of the project: of the corpus, or of what it is judged by.
    File(prop::sample::Index),
    /// A field of a row.
    Field(prop::sample::Index, usize),
    /// A row.
    Row(prop::sample::Index),
    /// An arm from schedule and rows.
    Arm(usize),
    /// A canary from the declaration.
    Canary(bool),
    /// A scenario from the tasks.
    Task(usize),
}

fn removal() -> impl Strategy<Value = Removal> {
    prop_oneof![
        (0..4_usize, 0..SCENARIOS * 2, 5..20_usize)
            .prop_map(|(arm, from, runs)| Removal::Runs(arm, from, runs)),
        any::<prop::sample::Index>().prop_map(Removal::File),
        (any::<prop::sample::Index>(), 0..REQUIRED.len() + RUN_FILES.len())
            .prop_map(|(row, field)| Removal::Field(row, field)),
        any::<prop::sample::Index>().prop_map(Removal::Row),
        (0..4_usize).prop_map(Removal::Arm),
        any::<bool>().prop_map(Removal::Canary),
        (0..SCENARIOS).prop_map(Removal::Task),
    ]
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

fn remove(project: &Project, removal: &Removal) {
    match removal {
        Removal::Runs(arm, from, runs) => {
            let mut rows = project.rows();
            rows.iter_mut().filter(|row| of_arm(ARMS[*arm])(row)).skip(*from).take(*runs).for_each(lose);
            project.write_rows(&rows);
        }
        Removal::File(index) => {
            let mut all = Vec::new();
            files(&project.path(""), &mut all);
            all.sort();
            // The looks are written anew below; taking them away is a planted fault of its own.
            all.retain(|path| !path.ends_with("looks.jsonl"));
            fs::remove_file(index.get(&all)).unwrap();
        }
        Removal::Field(index, field) => {
            let mut rows = project.rows();
            let at = index.index(rows.len());
            let name = REQUIRED.iter().chain(&RUN_FILES).nth(*field).unwrap();
            let (place, name) = name.rsplit_once('/').unwrap_or(("", name));
            let place = if place.is_empty() { String::new() } else { format!("/{place}") };
            rows[at].pointer_mut(&place).unwrap().as_object_mut().unwrap().remove(name);
            project.write_rows(&rows);
        }
        Removal::Row(index) => {
            let mut rows = project.rows();
            rows.remove(index.index(rows.len()));
            project.write_rows(&rows);
        }
        Removal::Arm(arm) => {
            project.edit("corpora/synthetic/corpus.toml", &format!("  \"{}\",\n", ARMS[*arm]), "");
            let rows: Vec<Value> =
                project.rows().into_iter().filter(|row| !of_arm(ARMS[*arm])(row)).collect();
            project.write_rows(&rows);
        }
        Removal::Canary(repeated) => {
            let line = if *repeated {
                "aa = \"native-again\"\n"
            } else {
                "known_bad = \"auto-context-known-bad\"\n"
            };
            project.edit("scenarios/features.toml", line, "");
        }
        Removal::Task(scenario) => {
            fs::remove_dir_all(project.path(&format!("scenarios/tasks/s{scenario:06}"))).unwrap();
        }
    }
    project.look_anew();
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(16) })]

    #[test]
    fn from_a_campaign_that_would_be_promoted(removal in removal()) {
        let project = Project::new();
        remove(&project, &removal);
        let said = project.says(Asked::default(), None);
        prop_assert_ne!(&said.verdict, "PROMOTE");
        prop_assert!(said.codes != ["tier"], "{:?}: {:?}", removal, said);
    }

    /// The candidate saves nothing: whatever is taken away, that stands against it.
    #[test]
    fn from_a_campaign_that_would_not(
        lost in prop::collection::vec(0..SCENARIOS * ARMS.len() * 3, 0..12),
        other in prop::option::of(removal()),
    ) {
        let project = Project::without_benefit();
        let mut rows = project.rows();
        lost.iter().for_each(|at| lose(&mut rows[*at]));
        project.write_rows(&rows);
        project.look_anew();
        if let Some(removal) = &other {
            remove(&project, removal);
        }
        let said = project.says(Asked::default(), None);
        prop_assert_ne!(&said.verdict, "PROMOTE");
        prop_assert!(said.codes != ["tier"], "{:?} {:?}: {:?}", lost, other, said);
    }
}
